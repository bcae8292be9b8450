"""One explorer alone: what it refuses, and that it moves as soon as it can."""

import math
from functools import partial

import numpy as np
import pytest
from adm_core.grid.frames import GridFrame
from adm_core.grid.windows import MapContent
from adm_core.types import Pose2D
from adm_nodes.common import qos
from adm_nodes.common.conversions import search as convert
from sagr_nodes.explorer import ExplorerNode

import adm_interfaces.msg as msgs


@pytest.fixture
def bench(spinning, said):
    """Yield an active explorer of robot 0 with a map, an order, and ears for what it says."""

    class Bench:
        def __init__(self):
            self.moves, self.reports, self.step = [], [], 0
            make = spinning.node.create_publisher
            self.send_state = make(msgs.SearcherState, "robot_0/state", qos.LATCHED).publish
            self.send_report = make(msgs.SearcherReport, "reports", qos.TEAM).publish
            self.send_map = make(msgs.LabelledMap, "fused_map", qos.LATCHED).publish
            frames = make(msgs.RobotFrames, "robot_frames", qos.LATCHED).publish
            order = make(msgs.SearchOrder, "search", qos.LATCHED).publish
            listen = spinning.node.create_subscription
            listen(msgs.SearcherMove, "robot_0/move", self.moves.append, qos.STATUS)
            listen(msgs.SearcherReport, "reports", self.reports.append, qos.TEAM)
            shared = ("search", "reports", "robot_frames", "fused_map", "fused_map_updates")
            remaps = [part for name in shared for part in ("-r", f"{name}:=/{name}")]
            explorer = partial(ExplorerNode, namespace="robot_0", cli_args=["--ros-args", *remaps])
            parameters = {"robots": 2, "lockstep": False, "method": "nf_h"}
            self.node = spinning.add(explorer, parameters)
            for label in ("configure", "activate"):
                assert spinning.transition("robot_0/explorer", label)
            places = {f"robot_{n}": convert.Placing() for n in range(2)}
            frames(convert.frames_to_msg(places, "map"))
            order(msgs.SearchOrder(run_id="run", active=True, text="explore", robots=2))

        def map(self, frame_id="map", epoch=1):
            grid = np.full((6, 12), -1, np.int8)
            grid[1:5, 1:6] = 0
            frame = GridFrame(grid.shape, 0.5, Pose2D(0.0, 0.0))
            message = convert.content_to_msg(MapContent(frame, grid, None, {}, frame_id))
            message.epoch = epoch
            self.send_map(message)

        def state(self, frame_id="robot_0/map", **pose):
            self.step += 1
            message = msgs.SearcherState(step=self.step)
            message.header.frame_id = frame_id
            message.pose = msgs.PlanarPose(**{"x": 0.75, "y": 0.75, **pose})
            self.send_state(message)

        def await_log(self, text):
            spinning.wait(lambda: said(text))

        def await_move(self):
            """Wait for the move of the newest state."""
            spinning.wait(lambda: bool(self.moves) and self.moves[-1].step == self.step)

    return Bench()


def test_a_robot_moves_towards_the_frontier_and_says_where_it_goes(spinning, bench):
    bench.map()
    bench.state()
    bench.await_move()
    goal = bench.moves[-1].goal
    assert bench.moves[-1].frame_id == "robot_0/map"
    assert (goal.x, goal.y) != (0.75, 0.75)
    bench.state()
    spinning.wait(lambda: bench.reports[-1].step == 2)
    assert bench.reports[-1].has_goal and bench.reports[-1].decisions == 2


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"x": math.nan}, "pose of robot_0 must be finite, got x nan"),
        ({"yaw": math.inf}, "pose of robot_0 must be finite"),
        ({"frame_id": "odom"}, "state of robot_0 must be in frame 'robot_0/map', got 'odom'"),
    ],
)
def test_a_state_that_says_nothing_is_refused_and_the_next_one_taken(bench, wrong, complaint):
    bench.map()
    bench.state(**wrong)
    bench.await_log(complaint)
    assert not bench.moves
    bench.state()
    bench.await_move()


def test_a_map_in_a_foreign_frame_is_refused(bench):
    bench.map("odom")
    bench.state()
    bench.await_log("fused map must be in frame 'map', got 'odom'")
    assert not bench.moves
    bench.map(epoch=2)
    bench.state()
    bench.await_move()


def test_a_report_of_another_robot_that_cannot_be_is_refused(bench):
    bench.map()
    report = msgs.SearcherReport(run_id="run", robot=1, step=1, frame_id="map", state="running")
    report.pose.y = math.nan
    bench.send_report(report)
    bench.await_log("pose of robot 1 must be finite")
    report.frame_id = "elsewhere"
    bench.send_report(report)
    bench.await_log("report of robot 1 must be in frame 'map', got 'elsewhere'")
    bench.state()
    bench.await_move()
