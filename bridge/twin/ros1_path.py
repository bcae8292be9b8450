"""ROS 1 beside the library in one Python: message packages exist twice, here ROS 1's are meant.

The library and PyBullet live in a virtual environment that may hold ROS 2's ``std_msgs`` and the
like, rospy in the distribution's own folder. Import this module before anything of ROS 1.
"""

import os
import sys
from importlib.machinery import PathFinder

#: Where ROS 1 is: Debian's own packages, or a sourced distribution that names its folder here.
FOLDER = os.environ.get("ADM_ROS1_PYTHON", "/usr/lib/python3/dist-packages")
#: Messages generated for this run.
GENERATED = os.environ.get("ADM_ROS1_MESSAGES", "")

_TWICE = ("_msgs", "_srvs")


class Ros1Finder:
    """Takes message packages from ROS 1, whatever stands first on the path."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Find a top-level message package of ROS 1."""
        if path is not None or not name.endswith(_TWICE):
            return None
        folders = [folder for folder in (GENERATED, FOLDER) if folder]
        return PathFinder.find_spec(name, folders, target)


if not any(item is Ros1Finder for item in sys.meta_path):
    sys.meta_path.insert(0, Ros1Finder)
if FOLDER not in sys.path:
    sys.path.append(FOLDER)  # last: the environment's numpy and yaml come first
