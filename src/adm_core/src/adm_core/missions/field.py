"""A mission of a real robot as a file: static memory, its map, what is known, where things go."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adm_core.errors import MissionError
from adm_core.manipulation.planar import Point
from adm_core.memory.records import Detection
from adm_core.memory.static import Mission, Region, Station
from adm_core.types import GridMap, Pose2D

#: What stands this near to a place of a station has been put there.
_PLATE_M = 0.15


@dataclass(frozen=True)
class FieldMission:
    """What a robot is sent out with.

    Attributes
    ----------
    mission : Mission
        Static memory.
    grid_map : GridMap
        The map that memory and planner measure distances on.
    known : tuple of Detection
        Containers known beforehand; classes may turn out to be wrong.
    places : mapping of str to tuple of Pose2D
        For each station the places on its plate, in the order in which they are filled; the yaw
        is the robot's heading when it puts something down there.
    """

    mission: Mission
    grid_map: GridMap
    known: tuple[Detection, ...]
    places: Mapping[str, tuple[Pose2D, ...]]

    def is_put_away(self, point: Point) -> bool:
        """Tell whether a point is on a station's plate."""
        return any(
            math.hypot(place.x - point[0], place.y - point[1]) <= _PLATE_M
            for places in self.places.values()
            for place in places
        )

    def save(self, path: str | Path) -> None:
        """Write the mission to a file."""
        Path(path).write_text(json.dumps(_document(self), indent=1) + "\n", encoding="utf-8")


def load_field_mission(path: str | Path) -> FieldMission:
    """Read a mission that :meth:`FieldMission.save` wrote.

    Raises
    ------
    MissionError
        If there is no such file, or it lacks something.
    """
    try:
        return _mission(json.loads(Path(path).read_text("utf-8")))
    except OSError as err:
        raise MissionError(f"mission {path}: {err.strerror}") from err
    except (LookupError, TypeError, ValueError) as err:
        raise MissionError(f"mission {path}: {type(err).__name__}: {err}") from err


def _document(field: FieldMission) -> dict[str, Any]:
    mission, grid = field.mission, field.grid_map
    plain = {
        name: getattr(mission, name)
        for name in Mission.__dataclass_fields__
        if name not in ("stations", "regions")
    }
    return {
        "mission": plain,
        "stations": [
            {
                "id": item.id,
                "pose": list(item.pose),
                "accepts": list(item.accepts),
                "places": [list(place) for place in field.places[item.id]],
            }
            for item in mission.stations
        ],
        "regions": {
            item.name: [list(corner) for corner in item.corners] for item in mission.regions
        },
        "known": [[item.label, list(item.pose), item.confidence] for item in field.known],
        "map": {
            "resolution": grid.resolution,
            "origin": list(grid.origin),
            "frame_id": grid.frame_id,
            "rows": grid.data.tolist(),
        },
    }


def _mission(document: Mapping[str, Any]) -> FieldMission:
    plain, drawn = dict(document["mission"]), document["map"]
    stations = document["stations"]
    mission = Mission(
        stations=tuple(
            Station(item["id"], Pose2D(*item["pose"]), tuple(item["accepts"])) for item in stations
        ),
        regions=tuple(
            Region(name, tuple((float(x), float(y)) for x, y in corners))
            for name, corners in document["regions"].items()
        ),
        rules=tuple(plain.pop("rules")),
        skills=tuple(plain.pop("skills")),
        **plain,
    )
    data = np.array(drawn["rows"], np.int8)
    return FieldMission(
        mission,
        GridMap(data, drawn["resolution"], Pose2D(*drawn["origin"]), drawn["frame_id"]),
        tuple(
            Detection(label, Pose2D(*pose), confidence)
            for label, pose, confidence in document["known"]
        ),
        {item["id"]: tuple(Pose2D(*place) for place in item["places"]) for item in stations},
    )
