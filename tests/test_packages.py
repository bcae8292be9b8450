"""package.xml files are complete and name keys that rosdep knows; colcon sees the right types."""

import ast
import configparser
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "launch", "bridge")
KEYS = yaml.safe_load((ROOT / "tests" / "rosdep_keys.yaml").read_text(encoding="utf-8"))
#: Build type of every package; the first two letters of colcon's are always `ros`.
TYPES = {
    "adm_bridge": "ament_python",
    "adm_bridge_config": "ament_cmake",
    "adm_bringup": "ament_python",
    "adm_core": "ament_python",
    "adm_interfaces": "ament_cmake",
    "adm_nodes": "ament_python",
    "move_base_msgs": "ament_cmake",
    "nav2_msgs": "ament_cmake",
    "sagr_nodes": "ament_python",
    "tf2_msgs": "ament_cmake",
}
#: Modules whose package has another name, or that only the ROS 1 half of the relay imports.
KEY_OF = {"cv2": "python3-opencv", "yaml": "python3-yaml"}
ELSEWHERE = {"rosbags", "rospy", "rosgraph"}


class Package:
    """One package.xml, read without any ROS tool."""

    def __init__(self, path):
        self.folder = path.parent
        self.xml = ET.parse(path).getroot()
        self.name = self.xml.findtext("name")
        self.type = self.xml.findtext("export/build_type", "catkin")
        self.keys = {item.text for item in self.xml if item.tag.endswith("depend")}
        self.at_run = {item.text for item in self.xml if item.tag in ("exec_depend", "depend")}

    def __repr__(self):
        return self.name


PACKAGES = [
    Package(path)
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("package.xml"))
    if "build" not in path.parts
]
OURS = {package.name for package in PACKAGES}
BUILT = [package for package in PACKAGES if package.type != "catkin"]


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_whom_to_ask_and_under_what_terms(package):
    assert package.xml.findtext("description").strip()
    assert "@" in package.xml.find("maintainer").attrib["email"]
    assert package.xml.findtext("license") in ("Apache-2.0", "BSD-3-Clause", "BSD")
    assert package.xml.attrib["format"] in "23"


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_rosdep_knows_every_key(package):
    known = {*OURS, *KEYS["system"]}
    known |= {*KEYS["noetic"], *KEYS["vendor"]} if package.type == "catkin" else {*KEYS["jazzy"]}
    assert package.keys - known == set()


@pytest.mark.parametrize("package", BUILT, ids=repr)
def test_the_version_is_one(package):
    setup = package.folder / "setup.cfg"
    version = package.xml.findtext("version")
    if setup.exists():
        config = configparser.ConfigParser()
        config.read(setup)
        assert config["metadata"]["version"] == version
        assert config["metadata"]["name"] == package.name
    else:
        assert f"project({package.name}" in (package.folder / "CMakeLists.txt").read_text()


def imported(package):
    """Return what the modules of a package import when they are loaded, but for its own."""
    own = {package.name} | {path.stem for path in package.folder.rglob("*.py")}
    found = set()
    for path in package.folder.rglob("*.py"):
        if path.name == "setup.py":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    return found - own - set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    "package", [item for item in BUILT if item.type == "ament_python"], ids=repr
)
def test_what_is_imported_is_declared(package):
    needed = set()
    for module in imported(package) - ELSEWHERE:
        plain = module if module in (*KEYS["jazzy"], *OURS) else f"python3-{module}"
        needed.add(KEY_OF.get(module, plain))
    assert needed - package.at_run == set()


def test_every_package_has_the_type_that_its_files_are_for():
    assert {package.name: package.type for package in BUILT} == {
        name: kind for name, kind in TYPES.items() if name in OURS
    }


@pytest.mark.skipif(shutil.which("colcon") is None, reason="no colcon: open the workspace")
def test_colcon_lists_them_so():
    """An invalid package.xml would turn a package silently into a plain Python one."""
    bases = [folder for folder in FOLDERS if (ROOT / folder).is_dir()]
    hidden = [str(package.folder) for package in BUILT if "wheels_only" in package.folder.parts]
    done = subprocess.run(
        ["colcon", "list", "--base-paths", *bases, *hidden],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    listed = dict(line.split("\t")[::2] for line in done.stdout.splitlines())
    assert listed == {package.name: f"(ros.{package.type})" for package in BUILT}
