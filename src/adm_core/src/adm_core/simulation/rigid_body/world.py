"""The arena as a world for the executor: commands in, reports and evidence out."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import islice

from adm_core.manipulation.servo import Twist
from adm_core.memory.records import Detection, EvidenceBatch, FailureReason, Source
from adm_core.memory.static import Mission, Station
from adm_core.planning.ports import Command, Primitive, WorldReport
from adm_core.simulation.outbox import Outbox
from adm_core.simulation.recycling import Ghost, Visit, WorldFacts
from adm_core.simulation.rigid_body.arena import Arena
from adm_core.simulation.rigid_body.config import CONTROL_HZ, ArenaConfig
from adm_core.simulation.rigid_body.layout import ArenaLayout
from adm_core.simulation.rigid_body.sightings import (
    drone_detections,
    onboard_detections,
    visible,
)
from adm_core.simulation.rigid_body.skills import Skills
from adm_core.simulation.scenarios import Scenario, SensingConfig
from adm_core.simulation.tape import EventTape
from adm_core.types import Pose2D

_APART_M = 0.25
_JUMP_CLEAR_M = 0.45  # no container appears under the robot's nose


class ArenaWorld:
    """Robot, containers and cameras in the arena; a step is a second, skills take what they take.

    Parameters
    ----------
    mission : Mission
        Stations, map and frame.
    config : ArenaConfig
        The arena.
    layout : ArenaLayout
        Initial state.
    scenario, sensing : Scenario, SensingConfig
        Noise of the reports, rate of relocations per second.
    tape : EventTape
        The random events.
    publish : callable
        Receives every EvidenceBatch.
    seed : int
        Seed of the sensors.
    show_truth : bool
        Whether the true state is published too, for the oracle method.
    """

    def __init__(
        self,
        mission: Mission,
        config: ArenaConfig,
        layout: ArenaLayout,
        scenario: Scenario,
        sensing: SensingConfig,
        tape: EventTape,
        publish: Callable[[EvidenceBatch], None],
        seed: int = 0,
        show_truth: bool = False,
        window: bool = False,
    ) -> None:
        self.arena = Arena(config, layout, seed, window)
        self.skills = Skills(self.arena, self._tick)
        self.on_tick: Callable[[Arena], None] | None = None
        self.outcomes: list[tuple[float, str, str]] = []
        self._mission = mission
        self._layout = layout
        self._scenario = scenario
        self._sensing = sensing
        self._tape = tape
        self._outbox = Outbox(mission, publish)
        self._show_truth = show_truth
        self._labels = sorted(set(layout.labels))
        self._second = 0
        self._due: dict[int, list[EvidenceBatch]] = {}
        self._visits: list[Visit] = []
        self._ghosts: list[Ghost] = []
        self._been: set[tuple[str, tuple[int, int]]] = set()
        self._moved_m = 0.0
        self._last_pose = self.arena.robot.pose()

    # -- the World protocol ---------------------------------------------------------------------

    def start(self) -> WorldReport:
        """Publish the initial map and the first sightings; return the state at step 0."""
        known = []
        for thing in self.arena.things:
            x, y, _ = self.arena.place_of(thing)
            known.append(Detection(thing.label, Pose2D(x, y), self._sensing.prior_confidence))
            self._note_place(thing.label, Pose2D(x, y))
        self._outbox.emit(Source.STATIC_PRIOR, "initial_map", 0, known)
        self._sense()
        return self._report(FailureReason.NONE)

    def act(self, command: Command) -> WorldReport:
        """Carry out one action to its end, then stand still until the second is full."""
        self._moved_m = 0.0
        before = self.arena.ticks
        reason = self._carry_out(command)
        while self.arena.ticks == before or self.arena.ticks % CONTROL_HZ:
            self.skills.step(Twist())
        if command.primitive is not Primitive.MOVE:
            self.outcomes.append((self.arena.now, command.primitive.value, reason.value))
        return self._report(reason)

    def facts(self) -> WorldFacts:
        """Return the truth about the mission so far."""
        delivered = sum(map(self.arena.is_delivered, self.arena.things))
        return WorldFacts(delivered, tuple(self._visits), tuple(self._ghosts))

    def close(self) -> None:
        """Free the physics; facts are gone then."""
        self.arena.close()

    # -- actions --------------------------------------------------------------------------------

    def _carry_out(self, command: Command) -> FailureReason:
        goal, label = command.goal, command.label
        if command.primitive is Primitive.MOVE:
            return self.skills.move(goal, 1.0)
        if command.primitive is Primitive.APPROACH:
            return self._visited(self.skills.approach(goal, label), goal, label)
        if command.primitive is Primitive.PICK:
            return self._visited(self.skills.grasp(goal, label), goal, label)
        if command.primitive is Primitive.PLACE:
            station = self._station_at(goal)
            return self.skills.deliver(station, label) if station else FailureReason.PRECONDITION
        if command.primitive is Primitive.VERIFY:
            return self.skills.verify(goal, label)
        return FailureReason.NONE

    def _visited(self, reason: FailureReason, goal: Pose2D, label: str) -> FailureReason:
        """Note a visit in vain: to a ghost's place, or to where a container had been."""
        if reason is FailureReason.ABSENT:
            ghost = (label, self._cell(goal)) not in self._been
            self._visits.append(Visit(math.ceil(self.arena.now), goal, label, ghost))
        return reason

    def _station_at(self, goal: Pose2D) -> Station | None:
        cell = self._cell(goal)
        return next((s for s in self._mission.stations if self._cell(s.pose) == cell), None)

    def _cell(self, pose: Pose2D) -> tuple[int, int]:
        return self._layout.terrain.cell(pose)

    def _note_place(self, label: str, pose: Pose2D) -> None:
        self._been.add((label, self._cell(pose)))

    # -- time -----------------------------------------------------------------------------------

    def _tick(self) -> None:
        self.arena.tick()
        pose = self.arena.robot.pose()
        self._moved_m += math.hypot(pose.x - self._last_pose.x, pose.y - self._last_pose.y)
        self._last_pose = pose
        if self.on_tick:
            self.on_tick(self.arena)
        if self.arena.ticks % CONTROL_HZ == 0:
            self._second = self.arena.ticks // CONTROL_HZ
            self._relocate()
            self._sense()

    def _relocate(self) -> None:
        """Let a container that still stands jump to a free spot, as the schedule has it."""
        if not self._tape.is_scheduled(self._second, self._scenario.relocation):
            return
        first = self._tape.relocated(self._second, 1.0) or 0
        things = self.arena.things[first:] + self.arena.things[:first]
        thing = next((item for item in things if visible(self.arena, item)), None)
        spot = self._draw_spot()
        if thing is not None and spot is not None:
            self.arena.move_thing(thing, spot)
            self._note_place(thing.label, spot)

    def _draw_spot(self) -> Pose2D | None:
        spots = self._layout.spots
        drawn = islice(self._tape.jump_places(self._second, len(spots)), 20 * len(spots))
        return next((spots[number] for number in drawn if self._is_clear(spots[number])), None)

    def _is_clear(self, spot: Pose2D) -> bool:
        robot = self.arena.robot.pose()
        if math.hypot(spot.x - robot.x, spot.y - robot.y) < _JUMP_CLEAR_M:
            return False
        places = [self.arena.place_of(thing) for thing in self.arena.things]
        return all(math.dist(place[:2], spot[:2]) > _APART_M for place in places)

    def _sense(self) -> None:
        self._scan_from_above()
        for batch in self._due.pop(self._second, []):
            self._outbox.send(batch)
        seen = onboard_detections(self.arena, self._sensing.onboard_confidence)
        self._outbox.emit(Source.ONBOARD, "onboard", self._second, seen)
        if self._show_truth:
            self._outbox.emit(Source.TRUTH, "simulator", self._second, self._truth())

    def _truth(self) -> list[Detection]:
        return [
            Detection(thing.label, Pose2D(*self.arena.place_of(thing)[:2]), 1.0, thing.id)
            for thing in self.arena.things
            if visible(self.arena, thing)
        ]

    def _scan_from_above(self) -> None:
        """Take a picture once the period is over; its report arrives after the latency."""
        number, offset = divmod(self._second, self.arena.config.scan_period_s)
        if offset:
            return
        found, confidence = self._tape.scan(number, self._scenario.detection)
        seen = drone_detections(self.arena, found, confidence) + self._ghost_of(number)
        batch = self._outbox.batch(Source.REMOTE, "drone", self._second, seen)
        arrival = self._second + self._scenario.latency
        self._due.setdefault(arrival, []).append(batch)

    def _ghost_of(self, number: int) -> list[Detection]:
        drawn = self._tape.ghost(number, self._scenario.false_report)
        if drawn is None:
            return []
        place, kind, confidence = drawn
        spot = self._layout.spots[int(place * len(self._layout.spots))]
        label = self._labels[int(kind * len(self._labels))]
        self._ghosts.append(Ghost(self._second, label, spot))
        return [Detection(label, spot, confidence)]

    # -- publishing -----------------------------------------------------------------------------

    def _report(self, reason: FailureReason) -> WorldReport:
        return WorldReport(
            self._second,
            self.arena.measured_pose(),
            reason is FailureReason.NONE,
            reason,
            self._moved_m,
            self._outbox.seq,
        )
