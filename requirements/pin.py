"""Write the constraints of one Python version: run it once with each of CPython 3.10 to 3.13.

python3.12 requirements/pin.py    # writes constraints-3.12.txt beside this file
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LISTS = ("core", "build", "test", "extras", "bench")
#: Published as source only, for every Python: EmPy is pure Python, scikit-fmm needs a C++ compiler.
SOURCE_ONLY = ("empy", "scikit-fmm")


def resolve() -> list[dict[str, str]]:
    """Return name and version of everything that the lists and the ROS wheels pull in."""
    files = [HERE / f"{name}.txt" for name in LISTS] + [HERE / "ros-jazzy-wheels.txt"]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    command += ["--only-binary", ":all:", "--no-binary", ",".join(SOURCE_ONLY), "--report", "-"]
    for file in files:
        command += ["-r", str(file)]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return [item["metadata"] for item in report["install"]]


def main() -> None:
    """Resolve for the running interpreter and write its file."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    pins = sorted(
        f"{item['name'].lower().replace('_', '-')}=={item['version']}"
        for item in resolve()
        if not item["name"].lower().startswith("ros-")
    )
    head = f"# CPython {version}, written by pin.py: every version is a wheel for x86-64 Linux,\n"
    head += f"# except {' and '.join(SOURCE_ONLY)}, which are built from source.\n"
    (HERE / f"constraints-{version}.txt").write_text(head + "\n".join(pins) + "\n")


if __name__ == "__main__":
    main()
