"""Picture of ``adm graph``: rooms by type, frontiers, representatives, nodes and edges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from scipy import ndimage

from adm_core.commands.graph_report import Shown
from adm_core.errors import MapError
from adm_core.files import write_atomic
from adm_core.grid.picture import INK, PAPER, TINTS, Colour, MapPicture, framed
from adm_core.rooms.area_graph import AreaNode
from adm_core.search.room_words import is_passage
from adm_core.types import GridMap

FRONTIER: Colour = (72, 72, 226)
REPRESENTATIVE: Colour = (36, 36, 160)
EDGE: Colour = (150, 120, 92)
NODE: Colour = (110, 74, 40)
ROBOT: Colour = (60, 140, 40)

#: The tint of passages, and how many tints there are between it and furniture's.
_GREY, _MANY = 2, len(TINTS) - 3
#: Largest radius of a frontier cell's dot.
_DOT_PX = 7.0
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def draw(out: str, shown: Shown) -> None:
    """Write the picture as a PNG file.

    Raises
    ------
    MapError
        The file cannot be written.
    """
    view, graph = shown.view, shown.graph
    grid_map = GridMap(view.map.grid.copy(), view.map.resolution_m, view.map.origin)
    labels = shown.labels
    kinds = sorted(set(graph.rooms.types.tolist()) - {0})
    names = {kind: shown.plan.types.names.get(kind, str(kind)) for kind in kinds}
    tint_of = _tint_of(names)
    picture = MapPicture(grid_map, _tints(shown, labels, tint_of))
    anchors = _anchors(labels, len(graph.rooms))
    _draw_edges(picture, shown, labels, anchors)
    _draw_frontier(picture, shown)
    for node in graph.nodes:
        _draw_node(picture, shown, node, anchors[node.label])
    _draw_robots(picture, shown)
    legend = [(name, TINTS[tint_of[kind] - 1]) for kind, name in names.items()]
    legend += [("frontier", FRONTIER), ("room of the graph", NODE), ("robot", ROBOT)]
    subtitle = (
        f"{100 * shown.known_share:.0f} % known, {len(graph.rooms)} rooms, {len(graph.nodes)} in "
        f"the graph, {len(graph.clusters.sizes)} frontier clusters, "
        f"about {shown.query.tokens} tokens"
    )
    _, packed = cv2.imencode(".png", framed(picture, shown.plan.source, subtitle, legend))
    try:
        write_atomic(Path(out), [packed])
    except OSError as err:
        raise MapError(f"{out}: cannot be written: {err.strerror}") from err


def _tint_of(names: dict[int, str]) -> dict[int, int]:
    """Return the tint of each type: the plain grey for passages, the others in turn."""
    rooms = [kind for kind, name in names.items() if not is_passage(name)]
    tints = {kind: _GREY + 1 + k % _MANY for k, kind in enumerate(rooms)}
    return {kind: tints.get(kind, _GREY) for kind in names}


def _tints(
    shown: Shown, labels: npt.NDArray[Any], tint_of: dict[int, int]
) -> npt.NDArray[np.uint8]:
    """Return the tint of each cell by its room type; frontier cells keep the room's."""
    types = np.concatenate([[0], shown.graph.rooms.types])
    table = np.zeros(int(types.max(initial=0)) + 1, np.uint8)
    for kind, tint in tint_of.items():
        table[kind] = tint
    return table[types[labels]]


def _anchors(labels: npt.NDArray[Any], count: int) -> npt.NDArray[np.float64]:
    """Return for each label the cell deepest inside the room (row, col), by label."""
    anchors = np.zeros((count + 1, 2))
    for label, window in enumerate(ndimage.find_objects(labels, count), 1):
        if window is None:
            continue
        inside = np.pad(labels[window] == label, 1)
        depth = ndimage.distance_transform_edt(inside)[1:-1, 1:-1]
        best = np.argwhere(depth >= depth.max() - 1.0)
        middle = best.mean(axis=0)
        nearest = best[np.argmin(((best - middle) ** 2).sum(axis=1))]
        anchors[label] = nearest + np.array([window[0].start, window[1].start])
    return anchors


def _doors(labels: npt.NDArray[Any]) -> dict[tuple[int, int], tuple[float, float]]:
    """Return for each pair of rooms that touch a place (row, col) on their common border."""
    sides = []
    for rows, cols in ((0, 1), (1, 0)):
        near = labels[: labels.shape[0] - rows, : labels.shape[1] - cols]
        far = labels[rows:, cols:]
        at = np.argwhere((near != far) & (near > 0) & (far > 0))
        pairs = np.stack([near[tuple(at.T)], far[tuple(at.T)]], axis=1)
        sides.append((np.sort(pairs, axis=1), at + np.array([rows / 2, cols / 2])))
    pairs, places = (np.concatenate(part) for part in zip(*sides, strict=True))
    doors = {}
    for pair in np.unique(pairs, axis=0):
        here = places[(pairs == pair).all(axis=1)]
        nearest = here[np.argmin(((here - here.mean(axis=0)) ** 2).sum(axis=1))]
        doors[int(pair[0]), int(pair[1])] = (float(nearest[0]), float(nearest[1]))
    return doors


def _draw_edges(
    picture: MapPicture, shown: Shown, labels: npt.NDArray[Any], anchors: npt.NDArray[np.float64]
) -> None:
    """Draw edges through the doors: boldly in the graph, thinly to rooms that are pruned."""
    kept = {node.label for node in shown.graph.nodes}
    for (a, b), door in sorted(_doors(labels).items()):
        way = [_place(picture, place) for place in (anchors[a], door, anchors[b])]
        picture.line(way, EDGE, 3 if a in kept and b in kept else 1)
    for label in range(1, len(shown.graph.rooms) + 1):
        if label not in kept and shown.graph.adjacency[label]:
            picture.dot(*_place(picture, anchors[label]), 4, EDGE)


def _draw_frontier(picture: MapPicture, shown: Shown) -> None:
    clusters, cols = shown.graph.clusters, shown.view.map.shape[1]
    size = min(max(1.5, 0.32 * picture.px_per_m * shown.view.map.resolution_m), _DOT_PX)
    for flat in clusters.cells.tolist():
        picture.dot(*_place(picture, divmod(flat, cols)), size, FRONTIER)
    for flat in clusters.representatives.tolist():
        place = _place(picture, divmod(flat, cols))
        picture.dot(*place, size + 4, PAPER)
        picture.dot(*place, size + 4, REPRESENTATIVE, 2)


def _draw_robots(picture: MapPicture, shown: Shown) -> None:
    for robot in shown.view.robots:
        place = _place(picture, robot.cell)
        picture.dot(*place, 12, PAPER)
        picture.dot(*place, 10, ROBOT)
        _write(picture, str(robot.id), place, 0.5, PAPER, 2)


def _draw_node(picture: MapPicture, shown: Shown, node: AreaNode, anchor: npt.NDArray[Any]) -> None:
    """Draw the room's id in a disc, and beneath it its type and its name on the plan."""
    place = _place(picture, anchor)
    picture.dot(*place, 15, PAPER)
    picture.dot(*place, 13, NODE)
    _write(picture, str(node.room_id), place, 0.5, PAPER, 2)
    name = shown.room_name(node.label)
    text = " ".join([node.name, name]).strip()
    if node.name in name.lower():
        text = name
    _write(picture, text, place, 0.45, INK, 1, down=28)


def _place(picture: MapPicture, cell: Any) -> tuple[float, float]:
    pose = picture.grid_map.cell_to_world((cell[0], cell[1]))
    return pose.x, pose.y


def _write(
    picture: MapPicture,
    text: str,
    place: tuple[float, float],
    size: float,
    colour: Colour,
    weight: int,
    down: int = 0,
) -> None:
    """Write centred text, with a rim of paper where it stands on the map."""
    plain = text.encode("ascii", "replace").decode()
    (wide, high), _ = cv2.getTextSize(plain, _FONT, size, weight)
    right, below = picture.pixel(*place)
    left = min(max(round(right - wide / 2), 2), max(picture.image.shape[1] - wide - 2, 2))
    at = (left, round(below + high / 2) + down)
    if down:  # not with a heavier stroke, whose letters may be wider
        for dx, dy in ((-1, -1), (-1, 1), (1, -1), (1, 1), (-2, 0), (2, 0), (0, -2), (0, 2)):
            rim = at[0] + dx, at[1] + dy
            cv2.putText(picture.image, plain, rim, _FONT, size, PAPER, weight, cv2.LINE_AA)
    cv2.putText(picture.image, plain, at, _FONT, size, colour, weight, cv2.LINE_AA)
