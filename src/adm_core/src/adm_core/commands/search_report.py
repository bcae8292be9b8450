"""What ``adm search`` prints and draws: result, picture and animation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import numpy.typing as npt

from adm_core.errors import MapError
from adm_core.files import write_atomic
from adm_core.grid.gif import encode_gif
from adm_core.grid.picture import TINTS, MapPicture, framed
from adm_core.missions.search import SearchMission, Snapshot
from adm_core.search.explorer import DONE, DONE_EXCEPT, FOUND, STOPPED
from adm_core.search.room_words import is_passage
from adm_core.simulation.search.world import remaining
from adm_core.types import Cell, GridMap

if TYPE_CHECKING:
    from adm_core.missions.coordinators import CoordinatorSetup

#: Tracks of the robots, BGR; more robots begin again.
ROBOTS = (
    (180, 90, 20),
    (40, 40, 200),
    (40, 140, 40),
    (170, 40, 150),
    (20, 130, 210),
    (120, 110, 0),
)
TARGET = (0, 0, 220)
#: Most frames of an animation, its pixels a cell, and time per frame.
_FRAMES, _PX, _DELAY_MS = 240, 4, 60
#: Palette of animations, RGB: unknown, free, wall, target, then the robots.
_PALETTE = ((150, 152, 158), (246, 246, 246), (50, 52, 60), (220, 0, 0))


def report(
    mission: SearchMission, method: str, notes: tuple[str, ...], coordinators: CoordinatorSetup
) -> dict[str, Any]:
    """Return the result as plain data; a flood fill of the true map checks an exploration."""
    result, scenario, task = mission.result(), mission.scenario, mission.task
    radius, exact = (
        mission.setting.search.radius_cells,
        not mission.setting.faults.merge_error_cells,
    )
    left = remaining(scenario.truth.data, mission.known, scenario.starts, radius)
    explored = result.state in (DONE, DONE_EXCEPT) and not (left and exact)
    success = result.state == FOUND if task.is_search else explored
    return {
        "scenario": scenario.name,
        "task": {"text": task.text, "object": task.object, "room_type": task.room_type},
        "method": method,
        "coordinator": coordinators.mode,
        "robots": len(scenario.starts),
        "seed": scenario.seed,
        "success": success,
        "state": result.state,
        "steps": result.steps,
        "seen_share": result.share,
        "steps_to_share": {f"{share:g}": step for share, step in result.reached.items()},
        "reachable_unknown_cells": left,
        "found_by": result.found_by,
        "found": _found(mission),
        "unreachable": [_place(scenario.truth, cell) for cell in result.unreachable],
        "coordinations": result.coordinations,
        "given_up": result.given_up,
        "bumps": result.bumps,
        "path_m": result.path_cells * scenario.truth.resolution,
        "llm_calls": len(coordinators.ledger.calls) if coordinators.ledger else 0,
        "decision_sha256": result.decision_sha256,
        "notes": list(notes),
    }


def _found(mission: SearchMission) -> dict[str, Any] | None:
    """Return what was found, and where it stands."""
    cell = mission.world.found_cell
    if cell is None:
        return None
    things = [item for item in mission.scenario.objects if item.cell == cell]
    kind = mission.task.object
    things.sort(key=lambda item: item.kind != kind)
    place = _place(mission.scenario.truth, cell)
    if things and things[0].kind == kind:
        place |= {"name": things[0].name, "room": things[0].room}
    return place


def _place(truth: GridMap, cell: Cell) -> dict[str, Any]:
    pose = truth.cell_to_world(cell)
    return {"row": cell.row, "col": cell.col, "x": round(pose.x, 3), "y": round(pose.y, 3)}


def _state(result: dict[str, Any]) -> str:
    """Return the state in words."""
    words = str(result["state"]).replace("_", " ")
    return f"{words} (no robot moves or answers)" if result["state"] == STOPPED else words


def as_text(result: dict[str, Any]) -> str:
    """Return the result in a few lines."""
    lines = [
        f"{result['scenario']}: {result['task']['text']}",
        f"{_state(result)} after {result['steps']} steps "
        f"({result['robots']} robots, {result['method']}, "
        f"{100 * result['seen_share']:.1f} % of the floor seen, {result['path_m']:.0f} m driven)",
    ]
    found = result["found"]
    if found:
        what = found.get("name", result["task"]["object"] or "target")
        where = f" in {found['room']}" if found.get("room") else ""
        at = f"x {found['x']:g} m, y {found['y']:g} m"
        lines.append(f"robot {result['found_by']} saw {what}{where} at {at}")
    if not result["task"]["object"] and not result["task"]["room_type"]:
        left = result["reachable_unknown_cells"]
        lines.append(
            "flood fill of the true map: nothing that can be reached is unknown"
            if not left
            else f"flood fill of the true map: {left} cells that can be reached are unknown"
        )
    if result["unreachable"]:
        lines.append(f"{len(result['unreachable'])} frontiers that no robot can get to")
    return "\n".join([*lines, *(f"note: {note}" for note in result["notes"])])


class Film:
    """Remembers where the robots went and, for an animation, what they knew when.

    Parameters
    ----------
    mission : SearchMission
    animated : bool
    """

    def __init__(self, mission: SearchMission, animated: bool) -> None:
        self._mission, self._animated = mission, animated
        self._tracks: list[tuple[Cell, ...]] = []
        self._seen_at = np.full(mission.scenario.truth.shape, -1, np.int32)

    def take(self, snapshot: Snapshot) -> None:
        """Note one step."""
        self._tracks.append(snapshot.cells)
        if self._animated:
            known = self._mission.maps[0].grid >= 0
            self._seen_at[known & (self._seen_at < 0)] = len(self._tracks) - 1

    def draw(self, out: str, result: dict[str, Any]) -> None:
        """Write the picture: what is known, rooms by type, tracks, target.

        Raises
        ------
        MapError
            The file cannot be written.
        """
        scenario, known = self._mission.scenario, self._mission.maps[0]
        grid_map = GridMap(known.grid.copy(), known.resolution_m, known.origin)
        names = {k: v for k, v in known.names.items() if k and (known.room_type == k).any()}
        tints = {kind: 3 + index % (len(TINTS) - 3) for index, kind in enumerate(names)}
        tints |= {kind: 2 for kind, name in names.items() if is_passage(name)}
        table = np.zeros(max(names, default=0) + 1, np.uint8)
        for kind, tint in tints.items():
            table[kind] = tint
        types = np.where(known.grid == 0, known.room_type, 0)
        picture = MapPicture(grid_map, table[np.minimum(types, len(table) - 1)])
        self._draw_tracks(picture)
        for cell in scenario.targets:
            pose = grid_map.cell_to_world(cell)
            picture.dot(pose.x, pose.y, 7, TARGET, 3)
        legend = [(name, TINTS[tints[kind] - 1]) for kind, name in names.items()]
        legend += [(f"robot {i}", ROBOTS[i]) for i in range(min(result["robots"], len(ROBOTS)))]
        if scenario.targets:
            legend.append(("target", TARGET))
        subtitle = (
            f"{_state(result)} after {result['steps']} steps, "
            f"{100 * result['seen_share']:.1f} % of the floor seen, {result['method']}"
        )
        page = framed(picture, result["task"]["text"], subtitle, legend)
        _write(out, cv2.imencode(".png", page)[1])

    def _draw_tracks(self, picture: MapPicture) -> None:
        truth = self._mission.scenario.truth
        for robot in range(len(self._tracks[0])):
            poses = [truth.cell_to_world(cells[robot]) for cells in self._tracks]
            colour = ROBOTS[robot % len(ROBOTS)]
            picture.line([(pose.x, pose.y) for pose in poses], colour)
            picture.dot(poses[0].x, poses[0].y, 6, colour, 2)
            picture.dot(poses[-1].x, poses[-1].y, 6, colour)

    def write_gif(self, out: str) -> None:
        """Write the animation.

        Raises
        ------
        MapError
            The file cannot be written.
        """
        colours = [(red, green, blue) for blue, green, red in ROBOTS]
        _write(out, encode_gif(self._frames(), [*_PALETTE, *colours], _DELAY_MS))

    def _frames(self) -> Iterator[npt.NDArray[np.uint8]]:
        last = len(self._tracks) - 1
        stride = max(1, -(-last // _FRAMES))
        steps = [*range(0, last, stride), last]
        truth = self._mission.maps[0].grid
        for step in steps:
            frame = np.where(truth == 0, np.uint8(1), np.uint8(2))
            frame[(self._seen_at < 0) | (self._seen_at > step)] = 0
            for cell in self._mission.scenario.targets:
                frame[cell] = 3
            yield self._with_robots(frame, step)

    def _with_robots(self, frame: npt.NDArray[np.uint8], step: int) -> npt.NDArray[np.uint8]:
        """Return the enlarged frame, north up, with the robots as squares of one cell and more."""
        large = frame.repeat(_PX, 0).repeat(_PX, 1)
        for robot, cell in enumerate(self._tracks[step]):
            row, col = cell[0] * _PX - 1, cell[1] * _PX - 1
            window = large[max(row, 0) : row + _PX + 2, max(col, 0) : col + _PX + 2]
            window[:] = len(_PALETTE) + robot % len(ROBOTS)
        return large[::-1]


def _write(out: str, data: Any) -> None:
    try:
        write_atomic(Path(out), [data])
    except OSError as err:
        raise MapError(f"{out}: cannot be written: {err.strerror}") from err
