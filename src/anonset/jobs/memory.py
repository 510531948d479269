"""How much memory this process has used."""

import sys
from pathlib import Path


def peak_mb() -> float:
    """The most memory this process has used since the peak was last forgotten, in MB; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def forget_peak() -> None:
    """Count the peak from what is in use now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return  # not on this system: the peak is that of the whole process
