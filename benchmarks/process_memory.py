"""Memory of this process alone.

`getrusage(...).ru_maxrss` of a process that another one has started is at least what that one
held: Linux hands it on. The high-water mark in /proc belongs to the program that runs.
"""

import resource
from pathlib import Path


def megabytes() -> dict[str, float]:
    """Return the resident memory of now and the most so far, in MB (10**6 bytes)."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:  # not Linux
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        return {"now": most, "most": most}
    of = dict(line.split(":", 1) for line in lines)
    return {name: int(of[key].split()[0]) * 1024 / 1e6 for name, key in KEYS.items()}


def available_gb() -> float | None:
    """Return the memory that can still be had in GB, None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    of = dict(line.split(":", 1) for line in lines)
    return int(of["MemAvailable"].split()[0]) * 1024 / 1e9


KEYS = {"now": "VmRSS", "most": "VmHWM"}
