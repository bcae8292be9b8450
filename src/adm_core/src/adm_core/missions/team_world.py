"""World of a joint mission: searchers explore, what they see is evidence for the manipulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from adm_core.grid.visibility import visible_cells
from adm_core.memory.records import Detection, EvidenceBatch, FailureReason, Source
from adm_core.memory.static import Mission
from adm_core.missions.search import SearchMission, Setting, Snapshot
from adm_core.planning.ports import WorldReport
from adm_core.search.explorer import RUNNING
from adm_core.search.known_terrain import KnownTerrain
from adm_core.search.task import SearchTask
from adm_core.search.team_map import FREE, TeamMap
from adm_core.simulation.layout import Layout
from adm_core.simulation.recycling import Container, Ghost, RecyclingWorld, WorldFacts
from adm_core.simulation.scenarios import Scenario, SensingConfig
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.simulation.search.world import SearchWorld
from adm_core.simulation.tape import EventTape
from adm_core.types import Cell, Pose2D

Cells = npt.NDArray[np.int64]


class Sweep(Protocol):
    """A search that scouts carry on step by step; SearchMission is one.

    Attributes
    ----------
    world : SearchWorld
    maps : list of TeamMap
        The first one is what the team has seen in this sweep.
    """

    world: SearchWorld
    maps: list[TeamMap]

    def run(self) -> Iterator[Snapshot]:
        """Yield after the first look and after every step, and once when it has ended."""


#: Makes the search of a sweep from its scenario and the number of sweeps before it.
MakeSearch = Callable[[SearchScenario, int], Sweep]


@dataclass(frozen=True)
class TeamFacts(WorldFacts):
    """The truth about a joint mission.

    Attributes
    ----------
    share : float
        Share of the reachable floor that the searchers have seen in their first sweep.
    sweeps : int
        Sweeps that were finished; searchers begin anew until the mission ends.
    searched_at : int or None
        Step at which the first sweep ended.
    first_seen : tuple of int or None
        Step at which each container was reported first.
    """

    share: float = 0.0
    sweeps: int = 0
    searched_at: int | None = None
    first_seen: tuple[int | None, ...] = ()


class Scouts:
    """Searchers that sweep a building again and again, and the map that they share.

    Whoever searches cannot know that he has missed nothing; a second sweep begins where the
    first has ended, with the floor unseen anew, while what is known of it is kept.

    Parameters
    ----------
    scenario : SearchScenario
        Building and starts.
    method : str
        Method of search.
    setting : Setting
    seed : int
    yard : int64[n]
        Flat indices of cells that are known from the start.
    make : callable, optional
        Makes the search of one sweep from its scenario and its number (default: one that decides
        by `method`); others may have the decisions made elsewhere.

    Attributes
    ----------
    known : TeamMap
        All that the team has seen so far.
    sweeps, share, searched_at
        As in :class:`TeamFacts`.
    ways : list of list of Cell
        Where each searcher has been.
    """

    def __init__(
        self,
        scenario: SearchScenario,
        method: str,
        setting: Setting,
        seed: int,
        yard: Cells,
        make: MakeSearch | None = None,
    ) -> None:
        self._scenario, self._setting = scenario, setting
        self._make: MakeSearch = make or (
            lambda scenario, sweep: SearchMission(
                scenario, method, SearchTask(), setting, seed + sweep
            )
        )
        self.sweeps, self.share = 0, 0.0
        self.searched_at: int | None = None
        self.ways: list[list[Cell]] = [[cell] for cell in scenario.starts]
        self._begin(scenario)
        self.known = TeamMap(
            scenario.truth.shape,
            scenario.names,
            setting.search,
            scenario.truth.resolution,
            scenario.truth.origin,
        )
        self.show(yard)

    def _begin(self, scenario: SearchScenario) -> None:
        self._mission = self._make(scenario, self.sweeps)
        self._run = self._mission.run()

    @property
    def cells(self) -> list[Cell]:
        """Where the searchers are."""
        return self._mission.world.cells

    def show(self, cells: Cells) -> None:
        """Let the team know what another robot sees."""
        truth, types = self._scenario.truth.data.ravel(), self._scenario.room_type.ravel()
        for team_map in (self.known, self._mission.maps[0]):
            team_map.observe(cells, truth[cells], types[cells].astype(np.uint16))

    def advance(self, step: int) -> None:
        """Let every searcher do one step, or look around where it begins."""
        snapshot = next(self._run)
        if snapshot.state != RUNNING:
            self._finish_sweep(step)
            snapshot = next(self._run)
        for way, cell in zip(self.ways, snapshot.cells, strict=True):
            way.append(cell)
        if self.sweeps == 0:
            self.share = snapshot.share
        self.known.merge(self._mission.maps[0])

    def _finish_sweep(self, step: int) -> None:
        world = self._mission.world
        self.sweeps += 1
        self.searched_at = step if self.searched_at is None else self.searched_at
        self._begin(
            replace(
                self._scenario, starts=tuple(world.cells), headings_rad=tuple(world.headings_rad)
            )
        )

    def views(self) -> list[Cells]:
        """Return the cells that each searcher sees now, flat indices."""
        sensor, world = self._setting.sensor, self._mission.world
        seen = visible_cells(
            self._scenario.truth.data,
            world.cells,
            world.headings_rad,
            fov_rad=sensor.fov_rad,
            range_cells=sensor.range_cells,
            near_cells=sensor.near_cells,
        )
        return [seen.of(index) for index in range(len(world.cells))]


class TeamWorld(RecyclingWorld):
    """Manipulator and searchers in one building; one call of :meth:`act` is one step of all.

    The manipulator walks on what the team knows. There is no initial map of containers and no
    scan from above: what a searcher has in view it reports, with misses, made-up objects and
    confidences from the event tape.

    Parameters
    ----------
    mission, layout, scenario, sensing, tape, publish, show_truth
        As for :class:`~adm_core.simulation.recycling.RecyclingWorld`.
    terrain : KnownTerrain
        Follows the team's map; this world brings it back to the start.
    scouts : Scouts
    places : int64[n, 2]
        Cells where containers may be.
    truth : int8[rows, cols]
        The true map, for the manipulator's own eyes.
    """

    def __init__(
        self,
        mission: Mission,
        terrain: KnownTerrain,
        layout: Layout,
        scenario: Scenario,
        sensing: SensingConfig,
        tape: EventTape,
        publish: Callable[[EvidenceBatch], None],
        show_truth: bool,
        scouts: Scouts,
        places: Cells,
        truth: npt.NDArray[np.int8],
    ) -> None:
        terrain.follow(scouts.known)
        super().__init__(
            mission, terrain, layout, scenario, sensing, tape, publish, show_truth=show_truth
        )
        self.scouts = scouts
        self._known_terrain = terrain
        self._places = places
        self._truth = truth
        self._first_seen: dict[str, int] = {}

    def start(self) -> WorldReport:
        """Publish the first sightings; return the state at step 0."""
        self._sense()
        return self._report(FailureReason.NONE)

    def facts(self) -> TeamFacts:
        """Return the truth about the mission so far."""
        base, scouts = super().facts(), self.scouts
        return TeamFacts(
            base.delivered,
            base.visits,
            base.ghosts,
            tuple(tuple(map(self._terrain.pose, way)) for way in scouts.ways),
            scouts.share,
            scouts.sweeps,
            scouts.searched_at,
            tuple(self._first_seen.get(item.id) for item in self.containers),
        )

    def _scan_from_above(self) -> None:
        """Let the searchers go on and report; take in what the manipulator sees of the floor."""
        self.scouts.advance(self.step)
        reach = self._mission.view_m / self._terrain.grid_map.resolution
        self.scouts.show(seen_around(self._truth, self._robot, reach))
        self._known_terrain.follow(self.scouts.known)
        views = self.scouts.views()
        for robot, view in enumerate(views):
            number = self.step * len(views) + robot
            seen = self._sightings(number, view) + self._made_up(number, view)
            if seen:
                batch = self._outbox.batch(Source.REMOTE, f"searcher_{robot}", self.step, seen)
                due = self.step + self._scenario.latency
                # A searcher does not see the whole field: it says nothing against other records.
                self._due.setdefault(due, []).append(replace(batch, footprint=None))

    def _sightings(self, number: int, view: Cells) -> list[Detection]:
        found, confidence = self._tape.scan(number, self._scenario.detection)
        inside = {int(cell) for cell in view}
        seen = [
            (item, float(confidence[index]))
            for index, item in enumerate(self.containers)
            if item.visible and found[index] and self._flat(item) in inside
        ]
        for item, _ in seen:
            self._first_seen.setdefault(item.id, self.step)
        return [self._detection(item, certainty) for item, certainty in seen]

    def _made_up(self, number: int, view: Cells) -> list[Detection]:
        """Return a report of nothing, somewhere on the floor in view."""
        drawn = self._tape.ghost(number, self._scenario.false_report)
        floor = view[self._truth.ravel()[view] == FREE]
        if drawn is None or not len(floor):
            return []
        place, kind, confidence = drawn
        cell = Cell(*divmod(int(floor[int(place * len(floor))]), self._truth.shape[1]))
        pose: Pose2D = self._terrain.pose(cell)
        label = self._labels[int(kind * len(self._labels))]
        self.ghosts.append(Ghost(self.step, label, pose))
        return [Detection(label, pose, confidence)]

    def _flat(self, item: Container) -> int:
        return item.cell.row * self._truth.shape[1] + item.cell.col


def seen_around(truth: npt.NDArray[np.int8], cell: Cell, range_cells: float) -> Cells:
    """Return the flat indices of all cells in line of sight of `cell` within a range."""
    seen = visible_cells(
        truth, [cell], [0.0], fov_rad=2 * np.pi, range_cells=range_cells, near_cells=0.0
    )
    return seen.of(0)
