"""Generate ROS 1 code of messages that the distribution lacks: the vendor's, and ours."""

import subprocess
from pathlib import Path

_GENERATOR = """
import sys
from genpy.genpy_main import genmain
from genpy.generator import MsgGenerator
genmain(["genmsg", *sys.argv[1:]], "genmsg", MsgGenerator())
"""
_SHARE = Path("/usr/share")


def generate(packages, target, python="/usr/bin/python3"):
    """Write Python modules of message packages; return the folder to import them from.

    Parameters
    ----------
    packages : dict of str to path
        Package name to its folder with a ``msg`` folder in it.
    target : path
        Where the modules go.
    python : str
        Interpreter that sees ROS 1's genpy.
    """
    target = Path(target)
    include = []
    for name, folder in packages.items():
        include += ["-I", f"{name}:{Path(folder) / 'msg'}"]
    for folder in sorted(_SHARE.glob("*_msgs/msg")):
        include += ["-I", f"{folder.parent.name}:{folder}"]
    for name, folder in packages.items():
        out = target / name / "msg"
        out.mkdir(parents=True, exist_ok=True)
        (target / name / "__init__.py").touch()
        files = [str(path) for path in sorted((Path(folder) / "msg").glob("*.msg"))]
        _run([python, "-c", _GENERATOR, *files, "-p", name, "-o", str(out), *include])
        _run([python, "-c", _GENERATOR, "--initpy", "-p", name, "-o", str(out)])
    return target


def _run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"messages cannot be generated: {done.stderr.strip()[-800:]}")
