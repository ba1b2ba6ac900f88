"""Peak memory of this process."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def read_peak_bytes() -> int:
    """The most memory held so far. Linux's ru_maxrss may be the parent's, so the process's own record is read first."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
