"""The requirement lists, the package's own lists and the constraints of every Python agree."""

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTS = ROOT / "requirements"
CONSTRAINTS = sorted(LISTS.glob("constraints-*.txt"))
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


def lines(text):
    """Yield the requirement lines of a file without comments."""
    for line in text.splitlines():
        if bare := line.partition("#")[0].strip():
            yield bare


def name_of(line):
    return re.match(r"[A-Za-z0-9._-]+", line)[0].lower().replace("_", "-")


def names(file, version=None):
    """Return the names in a list; with a version, those that its markers admit."""
    found = set()
    for line in lines((LISTS / file).read_text()):
        requirement, _, marker = line.partition(";")
        bound = re.search(r'python_version < "3\.(\d+)"', marker)
        assert bool(bound) == bool(marker), f"marker this test does not know: {marker}"
        if not (bound and version and int(version.split(".")[1]) >= int(bound[1])):
            found.add(name_of(requirement))
    return found


@pytest.fixture(scope="module")
def package():
    """Return the options of adm_core's setup.cfg."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / "src/adm_core/setup.cfg")
    return parser


def extra(package, name):
    return {name_of(line) for line in lines(package["options.extras_require"][name])}


def test_there_is_one_file_of_constraints_for_each_supported_python():
    assert [file.stem for file in CONSTRAINTS] == [f"constraints-{v}" for v in VERSIONS]


def test_core_list_is_what_the_package_requires(package):
    wanted = set(lines(package["options"]["install_requires"]))
    assert set(lines((LISTS / "core.txt").read_text())) == wanted


def test_optional_lists_are_the_extras_of_the_package(package):
    assert names("bench.txt") == extra(package, "bench")
    optional = set().union(
        *(extra(package, name) for name in ("llm", "figures", "robots", "rigid"))
    )
    assert optional <= names("extras.txt")
    assert extra(package, "test") <= names("test.txt") | names("extras.txt")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_requirement_is_pinned_to_one_version(version):
    pins = list(lines((LISTS / f"constraints-{version}.txt").read_text()))
    assert all(re.fullmatch(r"[a-z0-9.-]+==[A-Za-z0-9.+!]+", pin) for pin in pins)
    pinned = {name_of(pin) for pin in pins}
    assert len(pinned) == len(pins)
    for file in ("core.txt", "build.txt", "test.txt", "extras.txt", "bench.txt"):
        assert names(file, version) - pinned == set(), file
    wheels = names("ros-jazzy-wheels.txt")
    assert {name for name in wheels if not name.startswith("ros-")} <= pinned


@pytest.mark.parametrize("version", VERSIONS)
def test_pins_keep_the_known_traps_shut(version):
    pins = dict(
        line.split("==") for line in lines((LISTS / f"constraints-{version}.txt").read_text())
    )
    assert int(pins["setuptools"].split(".")[0]) < 80, "colcon --symlink-install needs develop"
    assert int(pins["empy"].split(".")[0]) < 4, "rosidl's templates are written for EmPy 3"
    assert [name for name in pins if name.startswith("opencv")] == ["opencv-python"]
    assert int(pins["numpy"].split(".")[0]) >= 2, "the ROS wheels are compiled against numpy 2"


def test_every_ros_wheel_is_pinned():
    wheels = list(lines((LISTS / "ros-jazzy-wheels.txt").read_text()))
    loose = [line for line in wheels if line.startswith("ros-") and "==" not in line]
    assert loose == []
    assert "ros-rclpy==7.1.6" in wheels


def test_hooks_run_the_versions_of_the_constraints():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    pins = set(lines((LISTS / "constraints-3.11.txt").read_text()))
    used = {pin.lower() for pin in re.findall(r"[A-Za-z-]+==[0-9.]+", hooks)}
    assert used - pins == {"pre-commit-hooks==6.0.0"}
