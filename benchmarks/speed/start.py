"""What a process pays before it is at full speed: import, compilation, first fit, each apart.

`measure_start` starts fresh processes: one with an empty cache of compiled kernels, then some that find it filled.
Each of them runs this file, which imports nothing of the package before its clock runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FRESH = "fresh processes"
EMPTY, WARM = "empty cache", "warm cache"
DEPENDENCIES, PACKAGE, ESTIMATOR = "import of the dependencies", "import polyclust", "import of the estimator"
FIRST, LATER = "first fit", "later fit"
N_WARM = 3
N_LATER = 3
N_ROWS = 1500


def measure_start(family: str, environment: dict[str, str]) -> list[Any]:
    """Seconds of every step in a first process, and in some that come after it."""
    from benchmarks.speed.contestants import SETTINGS
    from benchmarks.speed.rows import Row

    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for state in (EMPTY, *[WARM] * N_WARM):
            done = subprocess.run(
                [sys.executable, str(Path(__file__).resolve()), json.dumps(SETTINGS[family])],
                env={**os.environ, **environment, "NUMBA_CACHE_DIR": cache},
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            for step, (seconds, wall) in json.loads(done.stdout).items():
                note = f"{state}: {step}"
                rows.append(Row("start", family, FRESH, 0, seconds=seconds, wall=wall, n_rows=N_ROWS, note=note))
    return rows


def _time(run: Callable[[], Any]) -> tuple[float, float]:
    processor, clock = time.process_time(), time.perf_counter()
    run()
    return time.process_time() - processor, time.perf_counter() - clock


def _import_dependencies() -> None:
    import numba  # noqa: F401
    import pandas as pd  # noqa: F401
    import scipy.optimize  # noqa: F401


def _import_package() -> None:
    import polyclust  # noqa: F401


def _import_estimator() -> None:
    from polyclust import PolytopeClustering  # noqa: F401


def _fit(settings: dict[str, Any]) -> None:
    import numpy as np

    from polyclust import PolytopeClustering

    random = np.random.default_rng(0)
    X = random.normal(size=(N_ROWS, 6)) + 3.0 * random.integers(4, size=(N_ROWS, 1))
    PolytopeClustering(random_state=0, n_jobs=1, **settings).fit(X)


def main(settings: dict[str, Any]) -> None:
    """Print the seconds of every step of this process."""
    found = {PACKAGE: _time(_import_package), DEPENDENCIES: _time(_import_dependencies)}
    found[ESTIMATOR] = _time(_import_estimator)
    found[FIRST] = _time(lambda: _fit(settings))
    found[LATER] = min((_time(lambda: _fit(settings)) for _ in range(N_LATER)), key=lambda pair: pair[1])
    print(json.dumps(found))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
