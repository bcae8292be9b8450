"""``adm fly``: a survey with a Tello, without ROS; or with a pretended one, without anything."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adm_core.commands.options import add_config_arguments, config_from_args
from adm_core.errors import ConfigError
from adm_core.files import visible

if TYPE_CHECKING:
    from adm_core.aerial.drone import Drone
    from adm_core.aerial.flight import FlightPlan, FlightStatus, Look
    from adm_core.aerial.helm import Clock

HELP = "fly a survey with a Tello inside a geofence; --pretend needs no drone"
EXAMPLES = """examples:
  adm fly --pretend --png survey.png
  adm fly --fence "0,0 3,0 3,3 0,3" --start-x 0.6 --start-y 0.6 --dry-run true
  adm fly --fence "0,0 3,0 3,3 0,3" --tags "1:1.5,1.5,0" --at 1,1 --at 2,2
"""
#: The pretended room: fence, start and tags where nothing else is said.
_ROOM = {
    "fence": "0,0 3,0 3,3 0,3",
    "start_x": 0.6,
    "start_y": 0.6,
    "tags": "1:1.5,1.5,17 2:0.6,2.4,0",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from adm_core.aerial.config import FlightConfig, TelloConfig

    parser.add_argument("--pretend", action="store_true", help="a pretended drone in a small room")
    parser.add_argument("--at", action="append", default=[], metavar="X,Y", help="look here only")
    parser.add_argument("--png", type=Path, metavar="FILE", help="write a picture of the survey")
    parser.add_argument("--json", action="store_true", help="print what was seen as JSON lines")
    add_config_arguments(parser, TelloConfig)
    add_config_arguments(parser, FlightConfig)


def run(args: argparse.Namespace) -> int:
    """Fly; 0: landed after the survey, 1: it ended otherwise."""
    from adm_core.aerial.config import FlightConfig, TelloConfig
    from adm_core.aerial.errors import FlightReason
    from adm_core.aerial.setup import make_plan

    tello = config_from_args(args, TelloConfig, _ROOM if args.pretend else None)
    plan = make_plan(tello, config_from_args(args, FlightConfig), _places(args.at))
    drone, clock = _pretended(plan) if args.pretend else _real(tello.host, tello.port)
    try:
        looks, end = _fly(plan, drone, clock, args.json)
    finally:
        drone.close()
    if args.png is not None:
        _save(args.png, plan, looks, end, drone)
    return 0 if end.reason is FlightReason.DONE else 1


def _places(texts: list[str]) -> list[tuple[float, float]]:
    try:
        return [(float(x), float(y)) for x, y in (text.split(",") for text in texts)]
    except ValueError:
        raise ConfigError(f"--at must be like 1.0,2.5, got {' '.join(texts)}") from None


def _real(host: str, port: int) -> tuple[Drone, Clock]:
    from adm_core.aerial.tello import TelloDrone

    class Steady:
        now = staticmethod(time.monotonic)
        sleep = staticmethod(time.sleep)

    return TelloDrone(host, port, Steady()), Steady()


def _pretended(plan: FlightPlan) -> tuple[Drone, Clock]:
    """Return a drone that is also its own clock, over a floor with the plan's tags."""
    from adm_core.testing.direct_tello import DirectTello
    from adm_core.testing.tello_flight import TelloBody
    from adm_core.testing.tello_scene import ROOM, FloorScene

    x0, x1, y0, y1 = plan.fence.box
    box = (x0 - 1.5, x1 + 1.5, y0 - 1.5, y1 + 1.5)
    scene = FloorScene(plan.observer.camera, box, ROOM, plan.tags, plan.family)
    body = TelloBody(plan.start.pose, stretch=0.05, drift_m_s=(0.004, -0.002))
    drone = DirectTello(scene, body=body)
    return drone, drone


def _fly(
    plan: FlightPlan, drone: Drone, clock: Clock, as_json: bool
) -> tuple[list[Look], FlightStatus]:
    """Drain a flight; Ctrl-C lands and then goes on to the end."""
    from adm_core.aerial.flight import Look
    from adm_core.aerial.pilot import Pilot

    pilot = Pilot(drone, plan, clock)
    looks: list[Look] = []
    flight = pilot.fly()
    try:
        for event in flight:
            if isinstance(event, Look):
                looks.append(event)
            _tell(event, as_json)
    except KeyboardInterrupt:
        flight.close()
        _tell(pilot.status, as_json)
    return looks, pilot.status


def _tell(event: FlightStatus | Look, as_json: bool) -> None:
    from adm_core.aerial.flight import Look

    pose = event.known.pose
    if as_json:
        print(json.dumps(_facts(event)), flush=True)
    elif isinstance(event, Look):
        seen = ", ".join(f"{item.label} {item.place[0]:.2f},{item.place[1]:.2f}"
                         for item in event.sightings)  # fmt: skip
        tags = f", by tag {' '.join(map(str, event.tags))}" if event.tags else ""
        where = f"{pose.x:.2f},{pose.y:.2f} +-{event.known.sigma_m:.2f} m{tags}"
        print(visible(f"  at {where}: {seen or 'nothing'}"), flush=True)
    else:
        words = f"{event.phase.value} ({event.reason.value}) {event.text}"
        print(visible(words.replace("(none) ", "").rstrip()), flush=True)


def _facts(event: FlightStatus | Look) -> dict[str, Any]:
    from adm_core.aerial.flight import Look

    known = {"pose": list(event.known.pose), "covariance": event.known.covariance.tolist()}
    if not isinstance(event, Look):
        told = None if event.told is None else asdict(event.told)
        return {
            "phase": event.phase.value,
            "reason": event.reason.value,
            "text": event.text,
            "visited": event.visited,
            "planned": event.planned,
            "told": told,
            **known,
        }
    seen = [
        {
            "label": item.label,
            "place": list(item.place),
            "covariance": item.covariance.tolist(),
            "confidence": item.confidence,
            "entity_id": item.entity_id,
        }
        for item in event.sightings
    ]
    return {"stamp": event.stamp, "seen": seen, "tags": list(event.tags), **known}


def _save(path: Path, plan: FlightPlan, looks: list[Look], end: FlightStatus, drone: Drone) -> None:
    import cv2

    from adm_core.aerial.picture import draw_survey
    from adm_core.files import write_atomic

    track = getattr(drone, "track", [])
    truth = [(pose.x, pose.y) for pose, flew in track[::5] if flew]
    image = draw_survey(plan, looks, end, truth)
    try:
        write_atomic(path, [cv2.imencode(".png", image)[1]])
    except OSError as err:
        raise ConfigError(f"{path}: {err.strerror}") from err
