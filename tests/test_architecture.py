"""Imports obey the arrows of the house: downward only, and no ROS in the core."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = ROOT / "src" / "adm_core" / "src" / "adm_core"

#: Rooms from the ground up; a module imports from its own room and from lower floors.
FLOORS = (
    ("_kernels", "config", "errors", "files", "profiles", "types"),
    ("assignment", "grid", "llm"),
    ("manipulation", "memory", "rooms"),
    ("aerial", "planning", "search"),
    ("simulation",),
    ("missions", "testing"),
    ("experiments",),
    ("cli", "commands"),
)
FLOOR = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
NEVER = {"rclpy", "matplotlib", "adm_interfaces", "adm_nodes", "sagr_nodes"}


def modules(folder):
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def imports(path, top_level_only=False):
    """Yield the dotted names that a file imports (`from a import b` gives a and a.b)."""
    tree = ast.parse(path.read_text("utf-8"))
    nodes = tree.body if top_level_only else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(parts):
    return parts[0].removesuffix(".py") if parts else ""


def core_imports(path, **more):
    names = (name.split(".") for name in imports(path, **more))
    rooms = {parts[1] for parts in names if parts[0] == "adm_core" and len(parts) > 1}
    return {name for name in rooms if name in FLOOR}


CORE_MODULES = [path for path in modules(CORE) if path.parent != CORE or path.stem != "__init__"]


def test_every_room_has_a_floor():
    rooms = {room(path.relative_to(CORE).parts) for path in CORE_MODULES}
    assert rooms - set(FLOOR) == set()


@pytest.mark.parametrize("path", CORE_MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_imports_run_downward(path):
    own = room(path.relative_to(CORE).parts)
    upward = {
        name
        for name in core_imports(path)
        if name != own and FLOOR[name] >= FLOOR[own] and FLOOR[own] > 0
    }
    assert upward == set()


@pytest.mark.parametrize("path", CORE_MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_knows_no_ros_and_draws_nothing_at_import(path):
    names = {name.split(".")[0] for name in imports(path, top_level_only=True)}
    assert not names & NEVER
    assert not {name for name in names if name.endswith("_msgs")}


@pytest.mark.parametrize("path", CORE_MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_time_and_chance_are_arguments(path):
    """Commands and test doubles may look at the clock; the library may not."""
    if room(path.relative_to(CORE).parts) in ("commands", "cli", "testing", "experiments"):
        assert path.exists()
        return
    calls = {
        ast.unparse(node.func)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
    }
    clocks = {"time.time", "time.monotonic", "time.perf_counter", "datetime.now", "datetime.utcnow"}
    assert not calls & clocks
    drawn = {call for call in calls if call.startswith(("random.", "np.random."))}
    assert drawn <= {"np.random.default_rng", "np.random.SeedSequence", "np.random.Generator"}


def test_kernels_are_reached_through_their_public_functions_only():
    users = {
        room(path.relative_to(CORE).parts)
        for path in CORE_MODULES
        if "_kernels" in core_imports(path)
    }
    assert users <= {
        "_kernels",
        "grid",
        "rooms",
        "assignment",
        "memory",
        "cli",
        "commands",
        "experiments",
    }


def loaded_after(statement):
    code = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("name", ["_kernels", "grid", "rooms", "assignment", "memory"])
def test_the_fast_rooms_need_neither_pydantic_nor_openai(name):
    names = [
        ".".join(("adm_core", *path.relative_to(CORE).with_suffix("").parts))
        for path in modules(CORE / name)
        if path.stem != "__init__" and not path.stem.startswith("reference")
    ]
    loaded = loaded_after("import " + ", ".join(["adm_core." + name, *names]))
    assert not loaded & {"pydantic", "openai"}


def test_help_does_not_wait_for_the_numerical_libraries():
    statement = (
        "import io, contextlib; from adm_core.cli import load_commands, make_parser; "
        "make_parser(load_commands()).format_help()"
    )
    assert not loaded_after(statement) & {"numpy", "cv2", "scipy", "pydantic", "yaml"}


#: What starts nodes, and builds a mission's world to know what it starts.
NO_NODES = ("recipes", "search_nodes", "twin_picture", "up_search")


def node_imports(package, prefix):
    """Return file -> imported names that begin with `prefix`, for the modules of a package."""
    found = {}
    for path in modules(ROOT / "src" / package):
        names = {name for name in imports(path) if name.startswith(prefix)}
        if names:
            found[path.stem] = names
    return found


def test_only_the_world_nodes_touch_the_simulation():
    users = set(node_imports("adm_nodes", "adm_core.simulation"))
    assert "world" in users
    assert users <= {"world", "world_facts", *NO_NODES}
    users = set(node_imports("sagr_nodes", "adm_core.simulation"))
    assert users == {"world", "robots", "team_world"}
    worlds = set(node_imports("sagr_nodes", "adm_core.missions.team"))
    assert worlds == {"team_world"}


def test_the_search_nodes_share_only_the_common_shell():
    for names in node_imports("sagr_nodes", "adm_nodes").values():
        assert {name for name in names if not name.startswith("adm_nodes.common")} <= {"adm_nodes"}


def test_nobody_imports_a_node():
    for path in CORE_MODULES:
        assert not {name for name in imports(path) if name.startswith(("adm_nodes", "sagr_nodes"))}


def test_the_interfaces_import_nobody():
    interfaces = ROOT / "src" / "adm_interfaces"
    assert interfaces.is_dir()
    assert modules(interfaces) == []
