"""Messages that come late, twice, out of order or never; clocks and maps that change under way."""

import random

import pytest
from adm_core.missions.recycling import prepare
from adm_core.missions.setup import MissionConfig
from adm_core.types import GridMap
from adm_nodes.common import conversions, qos
from adm_nodes.world import WorldNode
from builtin_interfaces.msg import Time
from mission_crew import Crew, plain_digest
from nav_msgs.msg import OccupancyGrid
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock

from adm_interfaces.msg import EvidenceBatch, Mission

ASIDE = "evidence_undisturbed"


class Perturber:
    """Stands between the world and memory: batches are lost, doubled, swapped and held back.

    Parameters
    ----------
    lost, doubled, held : float
        Chance of each fate of a batch.
    """

    def __init__(self, node, chance, lost=0.2, doubled=0.2, held=0.3):
        self.chance, self.fates = chance, (lost, doubled, held)
        self.counts = dict.fromkeys(("lost", "doubled", "held"), 0)
        self.waiting = []
        self.out = node.create_publisher(EvidenceBatch, "evidence", qos.EVIDENCE)
        node.create_subscription(EvidenceBatch, ASIDE, self.on_batch, qos.EVIDENCE)
        node.create_timer(0.05, self.let_go)

    def on_batch(self, message):
        lost, doubled, held = (self.chance.random() < fate for fate in self.fates)
        if lost:
            self.counts["lost"] += 1
        elif held:
            self.counts["held"] += 1
            self.waiting.append(message)
        else:
            self.out.publish(message)
            if doubled:
                self.counts["doubled"] += 1
                self.out.publish(message)

    def let_go(self):
        self.chance.shuffle(self.waiting)
        while self.waiting and self.chance.random() < 0.7:
            self.out.publish(self.waiting.pop())


class DisturbedCrew(Crew):
    """A crew whose evidence takes another way."""

    @staticmethod
    def make_world(**kwargs):
        return WorldNode(cli_args=["--ros-args", "-r", f"evidence:={ASIDE}"], **kwargs)


@pytest.mark.parametrize("seed", [0, 1])
def test_disturbed_evidence_changes_no_decision_and_is_not_lost(spinning, tmp_path, seed):
    perturber = Perturber(spinning.node, random.Random(seed))
    crew = DisturbedCrew(spinning, tmp_path / "audit.sqlite").activate()
    result = crew.await_outcome("completed", 120.0)
    assert result.decision_sha256 == plain_digest(scenario="S-6")
    assert all(perturber.counts.values()), perturber.counts


def test_a_clock_that_jumps_changes_no_decision(spinning, tmp_path):
    clock = spinning.node.create_publisher(Clock, "/clock", 10)
    times = iter([1000, 1001, 5, 6, 100_000, 0, 1] * 10_000)
    spinning.node.create_timer(0.05, lambda: clock.publish(Clock(clock=Time(sec=next(times)))))
    crew = Crew(spinning, tmp_path / "audit.sqlite", pace_s=0.02)
    for node in crew.nodes.values():
        assert node.set_parameters([Parameter("use_sim_time", value=True)])[0].successful
    crew.activate()
    result = crew.await_outcome("completed")
    assert result.decision_sha256 == plain_digest(scenario="S-6")


def test_a_map_that_changes_under_way_is_refused_and_the_mission_goes_on(spinning, tmp_path, capfd):
    crew = Crew(spinning, tmp_path / "audit.sqlite", pace_s=0.02).activate()
    crew.await_step(5)
    known = prepare(MissionConfig(scenario="S-6")).terrain.grid_map
    larger = GridMap(known.data.repeat(2, axis=0), known.resolution, known.origin, known.frame_id)
    maps = spinning.node.create_publisher(OccupancyGrid, "map", qos.LATCHED)
    maps.publish(conversions.grid_to_msg(larger))
    result = crew.await_outcome("completed")
    assert result.decision_sha256 == plain_digest(scenario="S-6")
    rows, cols = larger.data.shape
    said = capfd.readouterr().err
    for name in ("memory", "planner", "executor"):
        assert f"[{name}]: map of {rows} x {cols} cells refused" in said


def test_another_mission_that_is_announced_under_way_is_refused(spinning, tmp_path, capfd):
    crew = Crew(spinning, tmp_path / "audit.sqlite", pace_s=0.02).activate()
    crew.await_step(5)
    other = prepare(MissionConfig(scenario="S-6", seed=5))
    missions = spinning.node.create_publisher(Mission, "mission", qos.LATCHED)
    missions.publish(conversions.mission_to_msg(other.mission, other.terrain.grid_map, "other"))
    result = crew.await_outcome("completed")
    assert result.decision_sha256 == plain_digest(scenario="S-6")
    assert "[executor]: mission other refused" in capfd.readouterr().err
