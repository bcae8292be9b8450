"""Where and how rows were made: machine, versions, commit."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy

import adm_core
from adm_core.experiments.episode import code_version


def run_facts(command: Sequence[str], seeds: range) -> dict[str, Any]:
    """Return the facts under which rows are made, as plain data."""
    return {
        "run": "adm " + " ".join(command),
        "first_seed": seeds.start,
        "seeds": len(seeds),
        "version": adm_core.__version__,
        "code": code_version(),
        "commit": commit(),
        "machine": machine(),
    }


def machine() -> dict[str, Any]:
    """Return processor, number of cores, system and versions."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numpy": numpy.__version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def commit() -> str | None:
    """Return the commit of the source tree this library runs from; None if there is none."""
    folder = Path(adm_core.__file__).parent
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"],
            capture_output=True,
            text=True,
            timeout=10.0,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None
