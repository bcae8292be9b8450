"""Motion of a team on the map that it knows: shared by all methods of search.

A strategy says where to go; the explorer goes there over known free cells, keeps to a goal
until it is reached, seen or hopeless, gives places up for a while and robots that do not move
or answer no work, and says when nothing is left to do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.search.candidates import reachable_frontier, watched
from adm_core.search.config import SearchConfig
from adm_core.search.decisions import TeamDigest
from adm_core.search.given_up import GivenUp
from adm_core.search.nearest import nearest_frontier
from adm_core.search.strategy import (
    Candidates,
    Fallback,
    Strategy,
    TeamView,
    Waypoint,
)
from adm_core.search.task import SearchTask
from adm_core.search.team_map import FREE, TeamMap
from adm_core.search.track import Track, line_between
from adm_core.types import Cell

RUNNING, FOUND, DONE, BUDGET = "running", "found", "done", "budget"
DONE_EXCEPT, STOPPED = "done_except_unreachable", "stopped"

#: Waypoints in a row that a strategy may offer in vain before the fallback picks.
_OFFERS = 8
#: A goal may take this many times its way, and so many steps more.
_SLACK, _GRACE = 3, 30


class Report(NamedTuple):
    """Where a robot says that it is.

    Attributes
    ----------
    cell : Cell
        May lie off the map.
    heading_rad : float
        From the column axis (x) towards the row axis (y).
    """

    cell: Cell
    heading_rad: float


class Move(NamedTuple):
    """What a robot is to do in this step.

    Attributes
    ----------
    cell : Cell
        One of the eight neighbours, or its own cell.
    heading_rad : float
        Direction to look in afterwards.
    """

    cell: Cell
    heading_rad: float


class Explorer:
    """Executes a strategy, step by step.

    Parameters
    ----------
    strategy : Strategy
    robots : int
        Number of robots of the team.
    task : SearchTask
    config : SearchConfig
    fallback : Fallback
        Picks a frontier for a robot for which the strategy has nothing.
    drives : iterable of int, optional
        Robots that this explorer moves; default all. The others are only listened to.

    Attributes
    ----------
    state : str
        ``running``, ``done``, ``done_except_unreachable``, or ``stopped``: frontiers are left,
        and no robot that is driven moves, is heard or is on the map.
    step : int
        Steps decided so far.
    unreachable : tuple of Cell
        At the end: one cell for each frontier cluster that no robot can get to.
    coordinations : int
        How often the strategy was asked to divide the work.
    due : bool
        Set it to have the work divided with the next decision, whatever the step.
    digest : TeamDigest
        Of all decisions so far.
    """

    def __init__(
        self,
        strategy: Strategy,
        robots: int,
        task: SearchTask,
        config: SearchConfig,
        fallback: Fallback = nearest_frontier,
        drives: Iterable[int] | None = None,
    ) -> None:
        if robots < 1:
            raise ValueError(f"robots must be >= 1, got {robots}")
        self.strategy, self.task, self.config, self.fallback = strategy, task, config, fallback
        self.state, self.step, self.coordinations = RUNNING, 0, 0
        self.unreachable: tuple[Cell, ...] = ()
        self._tracks = [Track(i) for i in range(robots)]
        self._drives = frozenset(range(robots) if drives is None else drives)
        self._given_up = GivenUp(config.give_up_cells, config.give_up_steps)
        self._idle = 0
        self._tried_at = -1
        self.due, self.digest = False, TeamDigest()

    def decide(
        self,
        known: TeamMap,
        reports: Sequence[Report | None],
        said: Mapping[int, Cell | None] | None = None,
    ) -> list[Move | None]:
        """Return what each robot does next; None for robots that are not driven or not heard.

        Parameters
        ----------
        known : TeamMap
            What the team knows now.
        reports : sequence of Report or None
            One a robot; None if it was not heard in this step.
        said : mapping of int to Cell or None, optional
            Goals that robots say they had after the last decision, where several explorers
            decide for one team: they agree unless maps or messages were late.
        """
        if len(reports) != len(self._tracks):
            raise ValueError(f"reports must be one a robot, got {len(reports)}")
        self.state, self.unreachable = RUNNING, ()
        for track, report in zip(self._tracks, reports, strict=True):
            self._hear(track, report, known)
        for robot, goal in (said or {}).items():
            self._believe(self._tracks[robot], goal, known)
        if self.due or self.step % self.config.t_coord == 0:
            self._coordinate(known)
        self._idle = 0
        moves = [self._move(track, known) for track in self._tracks]
        self._judge(known)
        self.digest.decided(self.step, self.state, self._tracks)
        self.step += 1
        return moves

    @property
    def given_up(self) -> int:
        """How often a place was given up."""
        return self._given_up.count

    def view(self, known: TeamMap) -> TeamView:
        """Return what strategies may look at."""
        return TeamView(self.step, known, tuple(track.robot() for track in self._tracks), self.task)

    # --- listening -------------------------------------------------------------------------

    def _hear(self, track: Track, report: Report | None, known: TeamMap) -> None:
        """Take a report in; robots that are silent, off the map or stuck lose their work."""
        if report is None:
            track.unheard += 1
            if track.unheard > self.config.silent_steps:
                track.silent = True
                self._dismiss(track)
            return
        moved = report.cell != track.cell
        track.unheard, track.silent, track.heading_rad = 0, False, report.heading_rad
        if track.ordered is not None:
            track.unmoved = 0 if moved else track.unmoved + 1
        track.on_map = known.contains(report.cell)
        track.cell = report.cell
        if track.path and track.path[-1] == track.cell:
            track.path.pop()
        if not track.on_map:
            self._dismiss(track)
        elif moved or not track.active:
            self._welcome(track, moved)
        if track.active and track.unmoved >= self.config.stuck_steps:
            track.rests_until = self.step + self.config.give_up_steps
            track.failures += 1
            self._dismiss(track)
        elif track.goal and track.unmoved and track.unmoved % self.config.patience_steps == 0:
            self._give_up(track, known)

    def _welcome(self, track: Track, moved: bool) -> None:
        """Give a robot work (again) that is on the map and was not found stuck."""
        if moved:
            track.failures = 0
        if moved or self.step >= track.rests_until:
            track.unmoved = 0
        track.active = track.unmoved < self.config.stuck_steps

    def _believe(self, track: Track, goal: Cell | None, known: TeamMap) -> None:
        """Take over the goal that a robot says it has, if another one was expected."""
        if not track.active or goal == (track.goal.cell if track.goal else None):
            return
        track.release()
        if goal is not None and known.contains(goal):
            self._accept(track, Waypoint(goal), known)

    def _dismiss(self, track: Track) -> None:
        track.active = False
        track.ordered = None
        track.release()

    # --- goals -----------------------------------------------------------------------------

    def _coordinate(self, known: TeamMap) -> None:
        """Let the strategy divide the work; goals that it does not replace are kept."""
        self.coordinations += 1
        self.due = False
        self.strategy.coordinate(self.view(known))
        self.digest.divided(self.step, self.strategy)
        for track in self._tracks:
            if track.active and track.id in self._drives and track.goal:
                self._offer(track, known)

    def _move(self, track: Track, known: TeamMap) -> Move | None:
        if track.id not in self._drives or not track.active or track.cell is None:
            return None
        if track.goal:
            self._review(track, known)
        if not track.goal:
            self._choose(track, known)
        move = self._next(track, known)
        track.ordered = move.cell if move.cell != track.cell else None
        return move

    def _review(self, track: Track, known: TeamMap) -> None:
        """Drop a goal that is seen or too tight, sweep the rest of it, give up a hopeless one."""
        goal, watch = track.goal, track.watch
        assert goal is not None and watch is not None
        rest = watch[known.frontier_mask().ravel()[watch]]
        if (len(watch) and not len(rest)) or not known.is_passable(goal.cell):
            track.release()
        elif not track.path and track.looks():
            self._sweep(track, rest, known)
        elif self.step >= track.deadline:
            self._give_up(track, known)

    def _sweep(self, track: Track, rest: npt.NDArray[np.int64], known: TeamMap) -> None:
        """Leave a goal that was reached, or go on to the nearest frontier cell left of it.

        The middle of a wide frontier may show none of it: a robot that left then would be sent
        back for it again and again. If a part was seen the next waypoint comes first.
        """
        assert track.cell is not None and track.goal is not None and track.watch is not None
        if len(rest) < len(track.watch) and not self.config.sweep:
            track.release()
            return
        steps = known.steps_from(self._start(track, known)).ravel()[rest]
        ahead = steps > 0
        if len(track.watch) > 1 and ahead.any():
            rest, steps = rest[ahead], steps[ahead]
            cell = Cell(*divmod(int(rest[np.argmin(steps)]), known.shape[1]))
            if self._accept(track, Waypoint(cell, None, rest), known):
                return
        for cell in rest.tolist():  # it is there, and nothing came of it
            self._given_up.add_in_vain(Cell(*divmod(cell, known.shape[1])), known)
        track.release()

    def _give_up(self, track: Track, known: TeamMap) -> None:
        """Give up a goal that the robot does not get to, and the frontier cell it was for."""
        assert track.goal is not None and track.watch is not None
        places = {track.goal.cell}
        if len(track.watch) == 1:
            places.add(Cell(*divmod(int(track.watch[0]), known.shape[1])))
        for place in sorted(places):
            self._given_up.add(track.id, place, self.step, known)
        track.release()

    def _choose(self, track: Track, known: TeamMap) -> None:
        """Take the strategy's next waypoint, else the fallback's frontier, else stay idle."""
        if self._offer(track, known):
            return
        candidates = self._candidates(track, known)
        picked = self.fallback(self.view(known), track.id, candidates)
        if picked is None:
            self._idle += 1
            return
        cell = divmod(int(candidates.cells[picked]), known.shape[1])
        watch = candidates.frontier[picked : picked + 1]
        self._accept(track, Waypoint(Cell(*cell), None, watch), known)

    def _offer(self, track: Track, known: TeamMap) -> bool:
        """Take a waypoint from the strategy; False if it has none to which a way leads."""
        for _ in range(_OFFERS):
            waypoint = self.strategy.next_waypoint(self.view(known), track.id)
            if waypoint is None:
                return False
            if self._is_useful(track, waypoint, known):
                return self._accept(track, waypoint, known)
        return False

    def _is_useful(self, track: Track, waypoint: Waypoint, known: TeamMap) -> bool:
        """Tell whether a waypoint is a known free place, new, not here and not given up."""
        cell, watch = waypoint.cell, waypoint.frontier
        if not known.is_passable(cell) or cell == track.cell:
            return False
        if watch is not None and not known.frontier_mask().ravel()[watch].any():
            return False
        flat = np.array([cell[0] * known.shape[1] + cell[1]])
        return not self._given_up.holds(track.id, flat, self.step, known)[0]

    def _accept(self, track: Track, waypoint: Waypoint, known: TeamMap) -> bool:
        """Commit to a waypoint; False if no known way of the least length leads there."""
        path = self._path(track, waypoint.cell, known)
        if len(path) < self.config.min_goal_cells:
            return False
        deadline = self.step + _SLACK * len(path) + _GRACE
        track.start(waypoint, path, watched(waypoint, known), deadline)
        return True

    def _candidates(self, track: Track, known: TeamMap) -> Candidates:
        found = reachable_frontier(known, self._start(track, known))
        keep = ~self._given_up.holds(track.id, found.frontier, self.step, known)
        keep &= found.steps >= self.config.min_goal_cells
        return Candidates(found.frontier[keep], found.cells[keep], found.steps[keep])

    # --- going -----------------------------------------------------------------------------

    def _start(self, track: Track, known: TeamMap) -> Cell:
        """Return the cell from which ways are sought: the nearest one that is known free."""
        assert track.cell is not None
        return known.nearest_free(track.cell) or track.cell

    def _path(self, track: Track, goal: Cell, known: TeamMap) -> list[Cell]:
        """Return the cells to go, the next one last; empty if there is no way."""
        start = self._start(track, known)
        cells = [Cell(*cell) for cell in known.path(start, goal)[::-1].tolist()]
        if not cells or start == track.cell:
            return cells[:-1]
        assert track.cell is not None
        return cells + line_between(start, track.cell)

    def _next(self, track: Track, known: TeamMap) -> Move:
        """Return the next move on the way, found anew where the map has closed it."""
        assert track.cell is not None
        if track.goal and track.path and not self._is_open(track, known):
            track.path = self._path(track, track.goal.cell, known)
            if not track.path:
                self._give_up(track, known)
        if not track.goal or not track.path:
            return Move(track.cell, track.view_heading())
        cell = track.path[-1]
        heading = math.atan2(cell[0] - track.cell[0], cell[1] - track.cell[1])
        if len(track.path) == 1 and not self.config.turn_costs:
            heading = heading if track.goal.heading_rad is None else track.goal.heading_rad
        return Move(cell, heading)

    def _is_open(self, track: Track, known: TeamMap) -> bool:
        """Tell whether the next step of the path can be taken."""
        assert track.path and track.cell is not None
        cell, ahead = track.cell, track.path[-1]
        if max(abs(ahead[0] - cell[0]), abs(ahead[1] - cell[1])) > 1:
            return False
        return known.is_move(cell, ahead) or not known.is_passable(cell)

    # --- the end ---------------------------------------------------------------------------

    def _judge(self, known: TeamMap) -> None:
        """Say whether the team is done: all active robots are idle, and were so before."""
        mine = [track for track in self._tracks if track.id in self._drives]
        driven = [track for track in mine if track.active]
        if all(track.is_lost for track in mine):
            self._end(known, STOPPED)
            return
        if not driven or self._idle < len(driven):
            return
        if self._given_up.retry() and self._tried_at != known.revision:
            self._tried_at = known.revision
            return  # before it ends, every place is tried once more
        # Places that were given up by robots that do not move may well be reachable.
        moving = any(track.unmoved == 0 and not track.failures for track in driven)
        self._end(known, DONE_EXCEPT if moving else STOPPED)

    def _end(self, known: TeamMap, state: str) -> None:
        """Take the state of the end: done if no frontier is left, else `state`."""
        seen_all = not len(known.frontier()) and bool((known.grid == FREE).any())
        self.state = DONE if seen_all else state
        if self.state == STOPPED:
            return
        cols = known.shape[1]
        self.unreachable = tuple(
            Cell(*divmod(cell, cols)) for cell in known.clusters().representatives.tolist()
        )
