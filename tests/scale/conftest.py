"""Tests of the room that need Dask are left out where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("distributed") else ["test_dask.py", "test_local_cluster.py"]
