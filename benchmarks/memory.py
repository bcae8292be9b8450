"""Peak memory of this process, as Linux counts it."""

from pathlib import Path

STATUS = Path("/proc/self/status")


def kilobytes(name):
    """Return an entry of the process status, 0 if there is none."""
    lines = STATUS.read_text().splitlines() if STATUS.exists() else []
    return next((int(line.split()[1]) for line in lines if line.startswith(name + ":")), 0)


def start():
    """Forget the peak so far and return the resident bytes now."""
    Path("/proc/self/clear_refs").write_text("5")
    return 1024 * kilobytes("VmRSS")


def peak_since(begin):
    """Return how far the resident size rose above `begin` at most, in bytes."""
    return 1024 * kilobytes("VmHWM") - begin


def swapped_kb():
    """Return how much of this process lies in swap space."""
    return kilobytes("VmSwap")
