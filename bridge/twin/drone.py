"""The pretended Tello of the twin: it films the arena that the simulated robot lives in.

What stands where comes from the robot's truth file; the picture is drawn, not rendered, so that
the drone needs no physics of its own. Everything else is adm_core.testing.fake_tello.
"""

import argparse
import json
import math
import os
import signal
import threading
from importlib import resources

import cv2
import numpy as np
import yaml
from adm_core.aerial.config import PICTURE, VIEW_RAD
from adm_core.aerial.estimate import Pose3
from adm_core.aerial.tags import parse_tags
from adm_core.aerial.view import AerialCamera
from adm_core.manipulation.camera import Intrinsics
from adm_core.testing.fake_tello import FakeTello
from adm_core.testing.tello_faults import parse_fault
from adm_core.testing.tello_flight import TelloBody
from adm_core.testing.tello_scene import FloorScene

_ROBOT_COLOUR, _ROBOT_M, _ROBOT_HEIGHT_M = (62, 60, 58), 0.15, 0.25
_AROUND = np.linspace(0.0, 2 * math.pi, 24, endpoint=False)
_CIRCLE = np.stack([np.cos(_AROUND), np.sin(_AROUND)], axis=1)


class LiveArena:
    """A floor with tags, and on it whatever stands there now."""

    def __init__(self, camera, half_m, tags, truth):
        self._camera, self._truth = camera, truth
        box = (-half_m, half_m, -half_m, half_m)
        self._floor = FloorScene(camera, box, tags=parse_tags(tags, 0.2))
        text = resources.files("adm_core").joinpath("profiles/containers.yaml").read_text("utf-8")
        self._kinds = yaml.safe_load(text)
        self._read_at, self._things = None, []

    def __call__(self, pose):
        """Return the picture from a pose."""
        picture = self._floor(pose)
        self._refresh()
        mount = self._camera.mount(pose._replace(z=max(pose.z, 0.05)))
        for x, y, low, radius, height, colour in self._things:
            self._draw(picture, mount, (x, y, low), radius, height, colour)
        return picture

    def _draw(self, picture, mount, foot, radius, height, colour):
        """Draw an upright cylinder: the outline of its two circles."""
        rings = [
            np.column_stack([foot[:2] + radius * _CIRCLE, np.full(len(_CIRCLE), foot[2] + z)])
            for z in (0.0, height)
        ]
        points = mount.to_optical(np.concatenate(rings))
        if (points[:, 2] < 0.05).any():
            return
        pixels = np.round(self._camera.model.project(points)).astype(np.int32)
        if np.abs(pixels).max() < 10_000:
            cv2.fillConvexPoly(picture, cv2.convexHull(pixels), colour, cv2.LINE_AA)

    def _refresh(self):
        """Read the truth again if it has changed."""
        try:
            changed = os.stat(self._truth).st_mtime_ns
            if changed == self._read_at:
                return
            with open(self._truth) as file:
                truth = json.load(file)
        except (OSError, ValueError):
            return
        self._read_at = changed
        robot = truth["robot"]
        things = [(robot[0], robot[1], 0.0, _ROBOT_M, _ROBOT_HEIGHT_M, _ROBOT_COLOUR)]
        for label, x, y, z in truth["containers"].values():
            kind = self._kinds[label]
            red, green, blue = (round(255 * value) for value in kind["colour"])
            height = kind["height_m"]
            foot = z - height / 2
            things.append((x, y, foot, kind["radius_m"], height, (blue, green, red)))
        self._things = things


def main():
    """Serve until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--truth", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--half", type=float, default=1.75)
    parser.add_argument("--tags", default="")
    parser.add_argument("--start", default="0,0,0", help="x,y,yaw_deg")
    parser.add_argument("--track", default="", help="file for where it really was")
    parser.add_argument("--fault", action="append", default=[])
    args = parser.parse_args()
    camera = AerialCamera(Intrinsics.from_view(*PICTURE, VIEW_RAD), math.pi / 2, 10.0)
    x, y, yaw = map(float, args.start.split(","))
    body = TelloBody(Pose3(x, y, 0.0, math.radians(yaw)), stretch=0.03)
    scene = LiveArena(camera, args.half, args.tags, args.truth)
    faults = [parse_fault(item) for item in args.fault]
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with FakeTello(scene, faults, body, port=args.port, rate=10) as fake:
        ended.wait()
        if args.track:
            np.save(args.track, fake.track)


if __name__ == "__main__":
    main()
