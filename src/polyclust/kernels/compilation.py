"""The first fit on a machine compiles the kernels; people should know what they wait for."""

from __future__ import annotations

import sys
from pathlib import Path

from polyclust.kernels.silhouette import sweep_directions

__all__ = ["announce_compilation", "is_compiled"]

NOTICE = "polyclust: compiling its kernels for this machine (once, about half a minute) …"


def is_compiled() -> bool:
    """Whether an earlier process has left compiled kernels behind."""
    if sweep_directions.signatures:
        return True
    folder = Path(sweep_directions._cache.cache_path)
    return any(folder.glob("silhouette.sweep_directions-*.nbi"))


def announce_compilation() -> None:
    """Say so on standard error before the first compilation, if a person may be reading."""
    if not is_compiled() and (sys.stderr.isatty() or hasattr(sys, "ps1") or "ipykernel" in sys.modules):
        sys.stderr.write(NOTICE + "\n")
        sys.stderr.flush()
