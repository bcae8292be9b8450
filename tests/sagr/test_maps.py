"""Maps between nodes: what is lost is asked for, what does not fit is refused."""

import math
import time

import numpy as np
import pytest
from adm_core.grid.frames import GridFrame
from adm_core.grid.windows import GridWindow, MapContent
from adm_core.types import Pose2D
from adm_nodes.common import conversions, qos
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.map_link import MapFollower, MapSender
from nav_msgs.msg import OccupancyGrid
from sagr_nodes.map_fusion import MapFusionNode

import adm_interfaces.msg as msgs


def content(data, x=0.0, y=0.0, frame_id="map", names=None):
    frame = GridFrame(data.shape, 0.5, Pose2D(x, y))
    return MapContent(frame, data, np.zeros(data.shape, np.uint16), names or {}, frame_id)


class SenderNode(AdmNode):
    def __init__(self, **kwargs):
        super().__init__("sender", **kwargs)
        self.data = np.full((20, 30), -1, np.int8)

    def setup(self):
        self.sender = MapSender(self, "robot_0/a_map", lambda: content(self.data))

    def write(self, row, col, value, lose=False):
        self.data[row, col] = value
        window = GridWindow(row, col, np.full((1, 1), value, np.int8))
        publish = self.sender._publish
        if lose:
            self.sender._publish = lambda _: None
        self.sender.change([window], step=row)
        self.sender._publish = publish


class FollowerNode(AdmNode):
    def __init__(self, **kwargs):
        super().__init__("follower", **kwargs)
        self.data, self.wholes = np.zeros((0, 0), np.int8), 0

    def setup(self):
        self.follower = MapFollower(self, "robot_0/a_map", self.replace, self.apply)

    def start(self):
        self.follower.open()

    def stop(self):
        if hasattr(self, "follower"):
            self.follower.close()

    def replace(self, message):
        self.data, self.wholes = convert.content_from_msg(message).occupancy.copy(), self.wholes + 1

    def apply(self, message):
        for item in message.windows:
            window = convert.window_from_msg(item)
            self.data[window.place] = window.occupancy


def up(spinning, *names):
    for name in names:
        assert spinning.transition(name, "configure")
        assert spinning.transition(name, "activate")


def test_a_follower_gets_the_whole_once_and_a_lost_change_by_asking(spinning):
    sender, follower = spinning.add(SenderNode), spinning.add(FollowerNode)
    up(spinning, "sender", "follower")
    sender.sender.whole(0)
    spinning.wait(lambda: follower.wholes == 1)
    for row in range(5):
        sender.write(row, row, 0)
    spinning.wait(lambda: np.array_equal(follower.data, sender.data))
    assert follower.wholes == 1
    assert follower.follower.step == 4
    sender.write(5, 7, 100, lose=True)
    sender.write(6, 7, 100)
    spinning.wait(lambda: np.array_equal(follower.data, sender.data))
    assert follower.wholes == 2


def test_a_follower_that_comes_late_has_the_present_map(spinning):
    sender = spinning.add(SenderNode)
    up(spinning, "sender")
    sender.sender.whole(0)
    for row in range(5):
        sender.write(row, 1, 0)
    follower = spinning.add(FollowerNode)
    up(spinning, "follower")
    sender.write(5, 1, 100)
    spinning.wait(lambda: np.array_equal(follower.data, sender.data))


@pytest.fixture
def fusion(spinning, said):
    """Yield a fusion of two robots, what it says, and publishers of the robots' maps."""

    class Bench:
        def __init__(self):
            self.wholes, self.updates = [], []
            parameters = {
                "robots": 2,
                "lockstep": False,
                "fuse_s": 0.05,
                "show_s": 0.05,
                "frames": [0.0, 0.0, 0.0, 10.0, 0.0, math.pi / 2],
            }
            self.node = spinning.add(MapFusionNode, parameters)
            listen = spinning.node.create_subscription
            listen(msgs.LabelledMap, "fused_map", self.wholes.append, qos.LATCHED)
            listen(msgs.MapUpdate, "fused_map_updates", self.updates.append, qos.MAP_UPDATES)
            make = spinning.node.create_publisher
            self.send = {
                name: make(msgs.LabelledMap, f"{name}/labelled_map", qos.LATCHED).publish
                for name in ("robot_0", "robot_1")
            }
            self.send_grid = make(OccupancyGrid, "robot_1/map", qos.LATCHED).publish
            up(spinning, "map_fusion")

        def message(self, data, frame_id, epoch=1, **place):
            message = convert.content_to_msg(content(data, frame_id=frame_id, **place))
            message.epoch = epoch
            return message

        def await_log(self, text):
            spinning.wait(lambda: said(text))

    return Bench()


def test_maps_in_turned_frames_become_one(spinning, fusion):
    fusion.send["robot_0"](fusion.message(np.zeros((4, 4), np.int8), "robot_0/map"))
    wall = np.full((2, 6), 100, np.int8)
    fusion.send["robot_1"](fusion.message(wall, "robot_1/map"))

    def walls():
        return fusion.wholes and (np.array(fusion.wholes[-1].occupancy) == 100).sum()

    spinning.wait(lambda: walls() == 12)
    last = fusion.wholes[-1]
    assert last.header.frame_id == "map"
    grid = np.array(last.occupancy, np.int8).reshape(last.rows, last.cols)
    rows, cols = np.nonzero(grid == 100)
    assert (np.ptp(rows) + 1, np.ptp(cols) + 1) == (6, 2)  # it stands upright in the common frame


def test_a_map_that_grows_is_sent_anew_and_one_that_changes_is_not(spinning, fusion):
    data = np.zeros((4, 4), np.int8)
    fusion.send["robot_0"](fusion.message(data, "robot_0/map"))
    spinning.wait(lambda: len(fusion.wholes) == 1)
    data[1, 2] = 100
    fusion.send["robot_0"](fusion.message(data, "robot_0/map", epoch=2))
    spinning.wait(lambda: len(fusion.updates) == 1)
    assert len(fusion.wholes) == 1
    (window,) = fusion.updates[0].windows
    assert (window.row, window.col, list(window.occupancy)) == (1, 2, [100])
    grown = np.zeros((9, 9), np.int8)
    fusion.send["robot_0"](fusion.message(grown, "robot_0/map", epoch=3, x=-1.0, y=-1.0))
    spinning.wait(lambda: len(fusion.wholes) == 2)
    assert fusion.wholes[1].epoch > fusion.wholes[0].epoch
    assert (fusion.wholes[1].rows, fusion.wholes[1].cols) == (9, 9)


def test_maps_of_standard_tools_are_taken_too(spinning, fusion):
    seen = []
    spinning.node.create_subscription(OccupancyGrid, "map", seen.append, qos.LATCHED)
    grid = conversions.grid_to_msg(convert_grid(np.zeros((3, 5), np.int8)))
    grid.header.frame_id = "robot_1/map"
    fusion.send_grid(grid)
    spinning.wait(lambda: fusion.wholes and seen)
    assert list(seen[-1].data) == list(fusion.wholes[-1].occupancy)
    assert seen[-1].header.frame_id == "map"


def convert_grid(data):
    from adm_core.types import GridMap

    return GridMap(data, 0.5)


@pytest.mark.parametrize(
    ("frame_id", "place", "complaint"),
    [
        ("odom", {}, "map of robot_0 refused: it must be in frame 'robot_0/map', got 'odom'"),
        ("robot_0/map", {"x": math.nan}, "map of robot_0 refused: origin must be finite"),
        ("robot_0/map", {"x": 1e9}, "one of them lies far away from the others"),
    ],
)
def test_a_map_that_cannot_be_placed_is_refused_and_the_others_go_on(
    spinning, fusion, said, frame_id, place, complaint
):
    fusion.send["robot_1"](fusion.message(np.zeros((4, 4), np.int8), "robot_1/map"))
    spinning.wait(lambda: len(fusion.wholes) == 1)
    bad = fusion.message(np.full((4, 4), 100, np.int8), frame_id)
    bad.origin.x = place.get("x", 0.0)
    for epoch in (1, 2, 3):
        bad.epoch = epoch
        fusion.send["robot_0"](bad)
    fusion.await_log(complaint)
    time.sleep(0.2)
    assert len(fusion.wholes) == 1
    assert said(complaint) == 1  # once
    good = fusion.message(np.full((4, 4), 100, np.int8), "robot_0/map", epoch=4)
    fusion.send["robot_0"](good)
    spinning.wait(lambda: len(fusion.wholes) == 2)
