"""The ROS 1 package of the drone, against the core and against the pretended drone."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest
from adm_core.aerial.estimate import Pose3
from adm_core.aerial.geofence import Geofence
from adm_core.manipulation.certainty import place_confidence
from adm_core.testing.fake_tello import FakeTello
from adm_core.testing.tello_faults import Fault
from flights import BOTTLE, CAN, KINDS, ROOM, body, camera, floor
from hypothesis import given
from hypothesis import strategies as st
from tello_client import TelloClient

sys.path.append(str(Path(__file__).parents[2] / "bridge" / "noetic" / "adm_tello" / "src"))

from adm_tello import fence, seeing

ELL = ((0.0, 0.0), (4.0, 0.0), (4.0, 1.0), (1.0, 1.0), (1.0, 4.0), (0.0, 4.0))
OURS, CORE = fence.Fence(ELL, 2.0), Geofence(ELL, 2.0)
SETTINGS = {
    "fence": ROOM,
    "start": [0.6, 0.6, 0.0],
    "waypoints": [[1.4, 1.2], [1.9, 1.9]],
    "picture": [480, 360],
    "settle": 0.1,
    "containers": {
        kind.label: {
            "ranges": [[list(item.low), list(item.high)] for item in kind.ranges],
            "height": kind.height_m,
        }
        for kind in KINDS
    },
}
coordinate = st.floats(-1, 5)


@given(coordinate, coordinate)
def test_clearance_is_the_cores(x, y):
    assert OURS.clearance((x, y)) == pytest.approx(CORE.clearance((x, y)), abs=1e-9)


@given(coordinate, coordinate, coordinate, coordinate, st.floats(0, 0.4))
def test_a_leg_that_it_holds_keeps_the_fence(ax, ay, bx, by, margin):
    if OURS.holds((ax, ay), (bx, by), margin):
        for share in np.linspace(0, 1, 50):
            at = (ax + share * (bx - ax), ay + share * (by - ay))
            assert CORE.clearance(at) >= -0.011


def test_rows_keep_the_margin():
    places = OURS.rows(0.3, 0.5)
    assert len(places) > 8
    assert min(CORE.clearance(place) for place in places) >= 0.3 - 1e-9


@pytest.mark.parametrize("tilt", [90.0, 40.0])
def test_it_projects_as_the_core_does(tilt):
    view = camera(480, tilt)
    eye = seeing.Eye(480, 360, 70.2, tilt, 4.0)
    pose = Pose3(1.0, 2.0, 1.5, 0.6)
    for column, row in np.random.default_rng(0).uniform(0, 359, (200, 2)):
        (core,) = view.on_floor(pose, (column, row), 0.05)
        ours = eye.on_floor(pose, column, row, 0.05)
        if ours is None:
            assert np.isnan(core).all()
        else:
            assert ours == pytest.approx(core, abs=1e-9)
    assert seeing.place_confidence(0.2, 0.35) == pytest.approx(
        place_confidence(np.eye(2) * 0.04, 0.35)
    )


def test_it_finds_what_the_picture_shows():
    pose = Pose3(1.6, 1.6, 1.6, 0.0)
    spots = seeing.find(floor(camera(480))(pose), SETTINGS["containers"], 20)
    eye = seeing.Eye(480, 360, 70.2, 90.0, 4.0)
    places = {label: eye.on_floor(pose, column, row) for label, column, row, _ in spots}
    assert places["can"] == pytest.approx(CAN, abs=0.02)
    assert places["bottle"] == pytest.approx(BOTTLE, abs=0.02)


@pytest.fixture(scope="module")
def client():
    pytest.importorskip("djitellopy", reason="djitellopy is not installed (extra: robots)")
    with TelloClient() as process:
        yield process


def fly(client, *faults, **settings):
    fake = FakeTello(floor(camera(480)), faults, body(stretch=0.04), pace=6.0, rate=25)
    with fake:
        events = client.do("noetic", fake, **{**SETTINGS, **settings})["events"]
        track = fake.track
    flown = track[track[:, 5] > 0]
    if len(flown):
        room = Geofence(ROOM, 2.5)
        assert min(room.clearance((x, y)) for x, y in flown[::10, 1:3]) > 0.1
    states = [content for kind, content in events if kind == "state"]
    return states, [content for kind, content in events if kind == "report"], fake


def test_a_survey_over_udp(client):
    states, reports, _ = fly(client)
    assert states[-1] == ["landed", "done"]
    assert len(reports) == 2
    found = {label: (x, y) for item in reports for label, x, y, _ in item["detections"]}
    assert found["can"] == pytest.approx(CAN, abs=0.2)
    assert found["bottle"] == pytest.approx(BOTTLE, abs=0.2)
    assert reports[1]["sigma"] > reports[0]["sigma"] > 0
    assert len(reports[0]["footprint"]) == 4


@pytest.mark.parametrize(
    ("fault", "end"),
    [
        (Fault("battery", value=20), ["failed", "low_battery"]),
        (Fault("no_imu"), ["failed", "no_imu"]),
        (Fault("stop_video", value=0.1), ["landed", "no_video"]),
        (Fault("error", "go *", text="error No valid imu"), ["landed", "no_imu"]),
    ],
    ids=lambda value: value.kind if isinstance(value, Fault) else None,
)
def test_faults_end_in_a_defined_state(client, fault, end):
    states, _, fake = fly(client, fault)
    assert states[-1][:2] == end
    assert not fake.body.airborne


YOUNG = (
    ast.JoinedStr,
    ast.AnnAssign,
    ast.YieldFrom,
    ast.NamedExpr,
    ast.Nonlocal,
    ast.AsyncFunctionDef,
)
PACKAGE = Path(__file__).parents[2] / "bridge" / "noetic" / "adm_tello"


@pytest.mark.parametrize(
    "path",
    [*PACKAGE.rglob("*.py"), PACKAGE / "scripts" / "tello_survey"],
    ids=lambda path: path.name,
)
def test_an_older_python_can_read_it(path):
    """Neither 2.7 nor 3.8 knows these."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        assert not isinstance(node, YOUNG), ast.unparse(node)
        if isinstance(node, ast.FunctionDef):
            hints = [item.annotation for item in node.args.args] + [node.returns]
            assert not any(hints) and not node.args.kwonlyargs and not node.args.posonlyargs
        if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
            assert not any(isinstance(item, ast.Starred) for item in node.elts)
