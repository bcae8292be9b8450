"""The plan under way: where it leads, what it depends on, why it was made."""

from __future__ import annotations

from collections.abc import Mapping

from adm_core.planning.plan import dependencies
from adm_core.planning.progress import Snapshot
from adm_core.types import Pose2D
from visualization_msgs.msg import Marker

from adm_nodes.common.markers import shapes
from adm_nodes.common.markers.shapes import BLACK, ORANGE, RED

#: Reasons that are no disturbance: a mission begins, a plan is carried out, a search finds.
_CALM = ("start", "plan_complete", "search_found")


def plan_markers(snapshot: Snapshot, places: Mapping[str, Pose2D], size_m: float) -> list[Marker]:
    """Return robot, plan, dependencies and reason.

    The line leads from the robot through the places of the plan's remaining steps. A ring marks
    each entity whose fields the plan depends on, with their names: a change there, and nowhere
    else, gives a new plan. The text at the robot tells activity and the reason of the last call,
    red where something changed or failed.

    Parameters
    ----------
    snapshot : Snapshot
        State of the mission.
    places : mapping
        Pose by id of entity or station; steps elsewhere are left out.
    size_m : float
        Diameter of an entity in metres.
    """
    markers = [shapes.arrow("robot", snapshot.robot, 2.0 * size_m, BLACK)]
    stops = [places[name] for name in _stops(snapshot) if name in places]
    if stops:
        way = [snapshot.robot, *stops]
        markers.append(shapes.line("plan", way, 0.2 * size_m, ORANGE.faded(0.8)))
    needed = _needed(snapshot)
    for entity in sorted(set(needed) & set(places)):
        at = places[entity]
        ring = ORANGE.faded(0.35)
        markers += [
            shapes.ellipse("dependency", at, 2.0 * size_m, 2.0 * size_m, 0.0, ring),
            shapes.text(
                "dependency name", at, ", ".join(needed[entity]), 0.5 * size_m, 1.8 * size_m, ORANGE
            ),
        ]
    words = f"{snapshot.activity}\n{snapshot.reason}"
    colour = BLACK if snapshot.reason.word in _CALM else RED
    markers.append(shapes.text("reason", snapshot.robot, words, 0.7 * size_m, 3.0 * size_m, colour))
    return markers


def _stops(snapshot: Snapshot) -> list[str]:
    """Return where the remaining steps lead, in order; a stop that follows itself once."""
    stops: list[str] = []
    for step in snapshot.plan:
        name = step.station_id or step.target_id
        if name and stops[-1:] != [name]:
            stops.append(name)
    return stops


def _needed(snapshot: Snapshot) -> dict[str, list[str]]:
    needed: dict[str, list[str]] = {}
    for entity, field in sorted(dependencies(snapshot.plan)):
        needed.setdefault(entity, []).append(field)
    return needed
