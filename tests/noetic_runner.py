"""Run a script of a catkin package that nobody has built, under the system's Python with rospy.

    noetic_runner.py LIBRARIES PACKAGE SCRIPT [arguments]

LIBRARIES: a folder with what the script needs from PyPI. ``adm_msgs`` is made from its definitions.
"""

import runpy
import sys
import types
from pathlib import Path

import genpy.dynamic

sys.path.insert(0, str(Path(__file__).parent))
from ros1_graph import full_text

NOETIC = Path(__file__).parents[1] / "bridge" / "noetic"


def make_messages():
    """Make the module adm_msgs.msg, as catkin would generate it."""
    found = genpy.dynamic.generate_dynamic(
        "adm_msgs/RobotReport", full_text(NOETIC, "adm_msgs", "RobotReport")
    )
    package, module = types.ModuleType("adm_msgs"), types.ModuleType("adm_msgs.msg")
    for name, kind in found.items():
        if name.startswith("adm_msgs/"):
            setattr(module, name.split("/")[1], kind)
    package.msg = module
    sys.modules.update({"adm_msgs": package, "adm_msgs.msg": module})


def main():
    libraries, package, script, *arguments = sys.argv[1:]
    sys.path.append(libraries)
    sys.path.insert(0, str(NOETIC / package / "src"))
    make_messages()
    path = NOETIC / package / "scripts" / script
    sys.argv = [str(path), *arguments]
    runpy.run_path(str(path), run_name="__main__")


main()
