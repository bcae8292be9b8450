"""The pretended drone from the command line."""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

import cv2
import numpy as np

from adm_core.aerial.config import PICTURE, VIEW_RAD
from adm_core.aerial.estimate import Pose3
from adm_core.aerial.tags import FloorTag, parse_tags
from adm_core.aerial.view import AerialCamera
from adm_core.errors import ConfigError
from adm_core.manipulation.camera import Intrinsics
from adm_core.testing.fake_tello import FakeTello
from adm_core.testing.tello_faults import COMMAND_KINDS, LASTING_KINDS, Fault, parse_fault
from adm_core.testing.tello_flight import TelloBody
from adm_core.testing.tello_scene import ROOM, FloorScene, Scene, arena_scene

_TAGS = "1:1.5,1.5,17 2:0.6,2.4,0"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
    parser.add_argument("--port", type=int, default=18889, help="command port (default 18889)")
    parser.add_argument("--start", default="0.6,0.6,0", help="x,y,yaw_deg where it stands")
    parser.add_argument("--tilt", type=float, default=90.0, help="camera below the horizon, deg")
    parser.add_argument("--tags", default=_TAGS, help="tags on the floor: id:x,y,yaw_deg ...")
    parser.add_argument("--arena", type=int, metavar="SEED", help="film the rigid-body arena")
    parser.add_argument("--plan", type=Path, metavar="PICTURE", help="film a floor plan")
    parser.add_argument("--box", default="0,3,0,3", help="x0,x1,y0,y1 that the floor covers")
    parser.add_argument("--stretch", type=float, default=0.03, help="its motions are too long by")
    parser.add_argument("--pace", type=float, default=1.0, help="its seconds in one of ours")
    parser.add_argument("--rate", type=int, default=20, help="pictures a second")
    parser.add_argument("--seconds", type=float, default=0.0, help="end after; 0: with Ctrl-C")
    kinds = "; ".join(
        f"{kind}: {what}" for kind, what in {**COMMAND_KINDS, **LASTING_KINDS}.items()
    )
    parser.add_argument(
        "--fault", action="append", default=[], metavar="F", help=f"KIND:key=value:... ({kinds})"
    )


def serve(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C, and print what is heard.

    Raises
    ------
    ConfigError
        If an option is malformed, or the port is taken.
    """
    try:
        x, y, yaw = map(float, args.start.split(","))
        start = Pose3(x, y, 0.0, math.radians(yaw))
        model = Intrinsics.from_view(*PICTURE, VIEW_RAD)
        camera = AerialCamera(model, math.radians(args.tilt), 10.0)
        scene = _scene(args, camera)
        faults: list[Fault] = [parse_fault(item) for item in args.fault]
        body = TelloBody(start, stretch=args.stretch)
        fake = FakeTello(scene, faults, body, args.host, args.port, args.pace, args.rate)
    except (OSError, ValueError) as err:
        raise ConfigError(str(err)) from err
    with fake:
        host, port = fake.address
        print(f"pretended Tello at {host}:{port}; ros2 run adm_nodes tello --ros-args "
              f"-p tello.host:={host} -p tello.port:={port}", flush=True)  # fmt: skip
        _watch(fake, args.seconds)
    return 0


def _scene(args: argparse.Namespace, camera: AerialCamera) -> Scene:
    if args.arena is not None:
        return arena_scene(camera, args.arena)
    x0, x1, y0, y1 = map(float, args.box.split(","))
    if args.plan is not None:
        plan = cv2.imread(str(args.plan))
        if plan is None:
            raise ValueError(f"--plan must name a picture, got {args.plan}")
        return FloorScene.from_floor_plan(camera, plan.astype(np.uint8), (x0, x1, y0, y1))
    tags: dict[int, FloorTag] = parse_tags(args.tags, 0.2)
    return FloorScene(camera, (x0 - 1, x1 + 1, y0 - 1, y1 + 1), ROOM, tags)


def _watch(fake: FakeTello, seconds: float) -> None:
    told, end = 0, time.monotonic() + (seconds or math.inf)
    while time.monotonic() < end:
        for item in fake.heard[told:]:
            told += 1
            pose = fake.body.pose
            at = f"x {pose.x:.2f} y {pose.y:.2f} z {pose.z:.2f}"
            print(f"{item.at:7.1f} s  {item.text} -> {item.answer or '...'}  {at}", flush=True)
        time.sleep(0.1)


def main(argv: list[str] | None = None) -> int:
    """Run it by ``python -m``."""
    parser = argparse.ArgumentParser(prog="python -m adm_core.testing.fake_tello")
    add_arguments(parser)
    try:
        return serve(parser.parse_args(argv))
    except KeyboardInterrupt:
        return 130
    except ConfigError as err:
        print(err, file=sys.stderr)
        return 2
