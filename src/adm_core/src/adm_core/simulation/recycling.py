"""Simulated recycling world: unit-cost actions, delayed reports, relocation, failures.

Section V-A of the paper on any terrain: an open grid, or a building's map.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

import numpy as np
import numpy.typing as npt

from adm_core.grid.terrain import Terrain
from adm_core.memory.footprint import Footprint
from adm_core.memory.records import (
    Detection,
    EvidenceBatch,
    FailureReason,
    Source,
    Status,
)
from adm_core.memory.static import Mission
from adm_core.planning.ports import Command, Primitive, World, WorldReport
from adm_core.simulation.layout import Layout, free_cells
from adm_core.simulation.outbox import Outbox
from adm_core.simulation.scenarios import Scenario, SensingConfig
from adm_core.simulation.tape import EventTape
from adm_core.types import Cell, Pose2D

_LOOK_M = 1.5  # radius of a requested look: a cell and its neighbours
_DRAWS_PER_PLACE = 20


@dataclass
class Container:
    """A container as it really is."""

    id: str
    label: str
    cell: Cell
    status: Status = Status.OBSERVED

    @property
    def visible(self) -> bool:
        """Whether a camera could see it: neither held nor delivered."""
        return self.status is Status.OBSERVED


@dataclass(frozen=True)
class Visit:
    """A PICK where nothing was: at a ghost's place, or where a container had been."""

    step: int
    pose: Pose2D
    label: str
    ghost: bool


@dataclass(frozen=True)
class Ghost:
    """A false report: when it was made up, its class and place."""

    step: int
    label: str
    pose: Pose2D


@dataclass(frozen=True)
class WorldFacts:
    """What only a simulator knows so far: deliveries, vain visits, ghosts, other robots' ways."""

    delivered: int
    visits: tuple[Visit, ...]
    ghosts: tuple[Ghost, ...]
    others: tuple[tuple[Pose2D, ...], ...] = ()


class SimulatedWorld(World, Protocol):
    """World of a simulator, which also knows the truth."""

    def facts(self) -> WorldFacts:
        """Return the truth about the mission so far."""


class RecyclingWorld:
    """Robot, containers and cameras; one call of :meth:`act` is one step.

    Parameters
    ----------
    mission : Mission
        Stations and step length.
    terrain : Terrain
        Where the robot can move.
    layout : Layout
        Initial state.
    scenario, sensing : Scenario, SensingConfig
        Noise.
    tape : EventTape
        The random events.
    publish : callable
        Receives every EvidenceBatch.
    show_truth : bool
        Whether the true state is published too, for the oracle method.
    """

    def __init__(
        self,
        mission: Mission,
        terrain: Terrain,
        layout: Layout,
        scenario: Scenario,
        sensing: SensingConfig,
        tape: EventTape,
        publish: Callable[[EvidenceBatch], None],
        show_truth: bool = False,
    ) -> None:
        self.step = 0
        self.containers = [
            Container(f"c{index + 1:02d}", label, cell)
            for index, (label, cell) in enumerate(zip(layout.labels, layout.cells, strict=True))
        ]
        self.visits: list[Visit] = []
        self.ghosts: list[Ghost] = []
        self._mission = mission
        self._terrain = terrain
        self._scenario = scenario
        self._sensing = sensing
        self._tape = tape
        self._outbox = Outbox(mission, publish)
        self._show_truth = show_truth
        self._robot = layout.start
        self._reach_cells = int(mission.view_m / terrain.grid_map.resolution) + 1
        self._held: Container | None = None
        self._stations = {terrain.cell(item.pose): item for item in mission.stations}
        self._places = free_cells(terrain, list(self._stations))
        self._labels = sorted({label for item in mission.stations for label in item.accepts})
        self._look_free_at = 0
        self._due: dict[int, list[EvidenceBatch]] = {}
        self._path: list[Cell] = []
        self._credit_m = self._moved_m = 0.0
        self._been = {(item.label, item.cell) for item in self.containers}

    # -- the World protocol -----------------------------------------------------------------

    def start(self) -> WorldReport:
        """Publish the initial map and the first sightings; return the state at step 0."""
        prior = self._sensing.prior_confidence
        known = [self._detection(item, prior) for item in self.containers]
        self._outbox.emit(Source.STATIC_PRIOR, "initial_map", 0, known)
        self._sense()
        return self._report(FailureReason.NONE)

    def act(self, command: Command) -> WorldReport:
        """Carry out one action, let the world move on by one step, publish what is seen."""
        slipped = self._tape.slips(self.step, self._scenario.failure)
        handlers = {
            Primitive.MOVE: self._move,
            Primitive.PICK: self._pick,
            Primitive.PLACE: self._place,
            Primitive.WAIT: lambda command, slipped: FailureReason.NONE,
        }
        self._moved_m = 0.0
        reason = handlers[command.primitive](command, slipped)
        self.step += 1
        self._relocate()
        if command.look is not None:
            self._look_from_above(command.look)
        self._sense()
        return self._report(reason)

    def facts(self) -> WorldFacts:
        """Return the truth about the mission so far."""
        delivered = sum(item.status is Status.DELIVERED for item in self.containers)
        return WorldFacts(delivered, tuple(self.visits), tuple(self.ghosts))

    # -- actions ----------------------------------------------------------------------------

    def _move(self, command: Command, slipped: bool) -> FailureReason:
        """Advance one step length along the shortest path; positions are cell centres."""
        goal = self._terrain.cell(command.goal)
        if goal == self._robot:
            return FailureReason.NONE
        if not self._path or self._path[-1] != goal:
            self._path = self._terrain.path(self._robot, goal)[1:]
            self._credit_m = 0.0
        if not self._path:
            return FailureReason.UNREACHABLE
        if slipped:
            return FailureReason.SLIPPED
        self._credit_m += self._mission.step_m
        self._advance()
        return FailureReason.NONE

    def _advance(self) -> None:
        while self._path:
            length = self._side_length(self._robot, self._path[0])
            if length > self._credit_m + 1e-9:
                return
            self._credit_m -= length
            self._moved_m += length
            self._robot = self._path.pop(0)
        self._credit_m = 0.0

    def _side_length(self, a: Cell, b: Cell) -> float:
        return math.hypot(a.row - b.row, a.col - b.col) * self._terrain.grid_map.resolution

    def _pick(self, command: Command, slipped: bool) -> FailureReason:
        if self._held is not None:
            return FailureReason.PRECONDITION
        found = self._container_at(self._robot, command.label)
        if found is None:
            ghost = (command.label, self._robot) not in self._been
            pose = self._terrain.pose(self._robot)
            self.visits.append(Visit(self.step + 1, pose, command.label, ghost))
            return FailureReason.ABSENT
        if slipped:
            return FailureReason.SLIPPED
        found.status = Status.GRASPED
        self._held = found
        return FailureReason.NONE

    def _place(self, command: Command, slipped: bool) -> FailureReason:
        station = self._stations.get(self._robot)
        if self._held is None or station is None or self._held.label not in station.accepts:
            return FailureReason.PRECONDITION
        if slipped:
            return FailureReason.SLIPPED
        self._held.status = Status.DELIVERED
        self._held.cell = self._robot
        self._held = None
        return FailureReason.NONE

    def _container_at(self, cell: Cell, label: str | None = None) -> Container | None:
        for item in self.containers:
            if item.visible and item.cell == cell and label in (None, item.label):
                return item
        return None

    # -- what happens by itself ---------------------------------------------------------------

    def _relocate(self) -> None:
        """Let one container, drawn from all, jump to a free cell."""
        index = self._tape.relocated(self.step, self._scenario.relocation)
        if index is None or not self.containers[index].visible:
            return
        taken = {item.cell for item in self.containers if item.visible} | {self._robot}
        drawn = self._tape.jump_places(self.step, len(self._places))
        for place in islice(drawn, _DRAWS_PER_PLACE * len(self._places)):  # all may be taken
            cell = Cell(*map(int, self._places[place]))
            if cell not in taken:
                self.containers[index].cell = cell
                self._been.add((self.containers[index].label, cell))
                return

    def _sense(self) -> None:
        self._scan_from_above()
        for batch in self._due.pop(self.step, []):
            self._outbox.send(batch)
        self._outbox.emit(Source.ONBOARD, "onboard", self.step, self._look_around())
        if self._show_truth:
            seen = [self._detection(item, 1.0, item.id) for item in self.containers if item.visible]
            self._outbox.emit(Source.TRUTH, "simulator", self.step, seen)

    def _scan_from_above(self) -> None:
        """Scan the whole field once the last report has arrived: one scan is in flight."""
        number, offset = divmod(self.step, self._scenario.latency + 1)
        if offset or self._is_lost(number):
            return
        found, confidence = self._tape.scan(number, self._scenario.detection)
        seen = [
            self._detection(item, float(confidence[index]))
            for index, item in enumerate(self.containers)
            if item.visible and found[index]
        ]
        if self._scenario.displaced > 0:
            seen = self._displace(seen, found, number)
        seen += self._ghost_of(number)
        batch = self._outbox.batch(Source.REMOTE, "drone", self.step, seen)
        self._due.setdefault(self.step + self._scenario.latency, []).append(batch)

    def _look_from_above(self, place: Pose2D) -> None:
        """Look at one place on request, once the last requested look has been reported.

        Closer than a scan: two frames, and nothing is made up.
        """
        if self.step < self._look_free_at:
            return
        self._look_free_at = self.step + self._scenario.latency + 1
        missed = (1.0 - self._scenario.detection) ** 2
        found, confidence = self._tape.look(self.step, 1.0 - missed)
        area = Footprint(place.x, place.y, _LOOK_M)
        seen = [
            self._detection(item, float(confidence[index]))
            for index, item in enumerate(self.containers)
            if item.visible and found[index] and area.covers(*self._terrain.pose(item.cell)[:2])
        ]
        batch = replace(self._outbox.batch(Source.REMOTE, "drone", self.step, seen), footprint=area)
        self._due.setdefault(self.step + self._scenario.latency, []).append(batch)

    def _is_lost(self, number: int) -> bool:
        arrival = self.step + self._scenario.latency
        since = arrival - self._scenario.outage_start
        if 0 <= since < self._scenario.outage_steps:
            return True
        return self._scenario.lost > 0 and self._tape.loses(number, self._scenario.lost)

    def _displace(
        self, seen: list[Detection], found: npt.NDArray[np.bool_], number: int
    ) -> list[Detection]:
        """Report some of the objects at a free neighbour of their cell."""
        ways = self._tape.displaced(number, self._scenario.displaced)
        indices = [i for i, item in enumerate(self.containers) if item.visible and found[i]]
        return [
            item
            if math.isnan(ways[index])
            else replace(item, pose=self._beside(self.containers[index].cell, ways[index]))
            for item, index in zip(seen, indices, strict=True)
        ]

    def _beside(self, cell: Cell, way: float) -> Pose2D:
        """Return a neighbour where containers may be, chosen by `way` in [0, 1)."""
        row, col = cell
        around = [Cell(row - 1, col), Cell(row, col - 1), Cell(row, col + 1), Cell(row + 1, col)]
        free = [
            item
            for item in around
            if self._terrain.is_standable(item) and item not in self._stations
        ]
        return self._terrain.pose(free[int(way * len(free))] if free else cell)

    def _ghost_of(self, number: int) -> list[Detection]:
        drawn = self._tape.ghost(number, self._scenario.false_report)
        if drawn is None:
            return []
        place, kind, confidence = drawn
        cell = Cell(*map(int, self._places[int(place * len(self._places))]))
        label = self._labels[int(kind * len(self._labels))]
        pose = self._terrain.pose(cell)
        self.ghosts.append(Ghost(self.step, label, pose))
        return [Detection(label, pose, confidence)]

    def _look_around(self) -> list[Detection]:
        """See the own cell for certain, and what is near as the tape says."""
        row, col = self._robot
        reach = self._reach_cells
        near = [  # most are far away: two comparisons tell
            item
            for item in self.containers
            if -reach <= item.cell[0] - row <= reach
            and -reach <= item.cell[1] - col <= reach
            and item.visible
            and self._is_near(item.cell)
        ]
        if not near:
            return []
        here = self._terrain.pose(self._robot)
        lengths = self._terrain.distances(here, [self._terrain.pose(item.cell) for item in near])
        glimpsed = self._tape.glimpsed(self.step, self._scenario.detection)
        return [
            self._detection(item, self._sensing.onboard_confidence)
            for item, length in zip(near, lengths, strict=True)
            if length == 0.0
            or (length <= self._mission.view_m and glimpsed[self.containers.index(item)])
        ]

    def _is_near(self, cell: Cell) -> bool:
        return self._side_length(cell, self._robot) <= self._mission.view_m

    # -- publishing ---------------------------------------------------------------------------

    def _detection(self, item: Container, confidence: float, entity_id: str = "") -> Detection:
        return Detection(item.label, self._terrain.pose(item.cell), confidence, entity_id)

    def _report(self, reason: FailureReason) -> WorldReport:
        return WorldReport(
            self.step,
            self._terrain.pose(self._robot),
            reason is FailureReason.NONE,
            reason,
            self._moved_m,
            self._outbox.seq,
        )
