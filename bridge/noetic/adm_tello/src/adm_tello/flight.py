"""One survey: commands out, sightings in, and an end for every fault.

Dead reckoning alone: no tags. Who needs them flies the ROS 2 node.
"""

from __future__ import division

import math
import time

from adm_tello.drone import DroneError
from adm_tello.seeing import find, place_confidence

_MIN_STEP, _LINK_S = 0.20, 1.5


class Flight(object):
    """Flies one survey; `events` yields (kind, content) until the last state.

    Kinds are ``state`` (words: phase, reason) and ``report`` (a dict for a RobotReport).
    """

    def __init__(self, drone, fence, eye, settings, last=None):
        """Start where the last flight ended, or at the start of the settings."""
        self._drone, self._fence, self._eye, self._set = drone, fence, eye, settings
        self._x, self._y = settings["start"][:2] if last is None else last.place
        self._yaw = math.radians(settings["start"][2])
        self._variance = (settings["start_sigma"] if last is None else last.sigma) ** 2
        self._doubt = 0.0 if last is None else last._doubt
        self._since = time.time()
        self._height = 0.0
        self.land_asked = False

    @property
    def sigma(self):
        """Standard deviation of the place."""
        return math.sqrt(self._variance)

    @property
    def place(self):
        """Where it believes to be."""
        return self._x, self._y

    def events(self):
        """Carry the survey out."""
        yield "state", ("starting", "")
        try:
            self._prepare()
        except DroneError as err:
            yield "state", ("failed", err.reason, str(err))
            return
        if self._set["dry_run"]:
            yield "state", ("rehearsed", "done")
            return
        answer = self._drone.command("takeoff", 20)
        if not answer.ok and not self._state()["h"] > 25:
            self._drone.command("land", 5)
            no_imu = "imu" in answer.text.lower()
            yield "state", ("failed", "no_imu" if no_imu else "refused")
            return
        yield "state", ("surveying", "")
        reason = ""
        try:
            for event in self._survey():
                yield event
        except DroneError as err:
            reason = err.reason
        yield "state", ("landing", reason)
        for _ in range(6 if reason == "link_lost" else 3):
            if self._drone.command("land", 8).ok or self._is_down():
                yield "state", ("landed", reason or "done")
                return
        yield "state", ("link_lost", reason or "no_answer")

    def _prepare(self):
        self._drone.connect()
        battery = self._drone.state().get("bat", 0)
        if battery < self._set["battery_start"]:
            raise DroneError("low_battery", "%d %%" % battery)
        if self._fence.clearance(self.place) < 0:
            raise DroneError("geofence", "it stands outside")
        if self._set["altitude"] > self._fence.ceiling:
            raise DroneError("geofence", "altitude is above the ceiling")
        self._drone.start_video()
        if self._drone.picture(3) is None:
            raise DroneError("no_video", "no picture came")

    def _survey(self):
        home = self.place
        self._move(0, 0)
        for goal in self._goals() + [home]:
            arrived = self._go_to(goal)
            if arrived and goal is not home:
                time.sleep(self._set["settle"])
                picture = self._drone.picture(3)
                self._check()
                if picture is None:
                    raise DroneError("no_video", "the video stopped")
                yield "report", self._report(picture)

    def _goals(self):
        if self._set["waypoints"]:
            return [tuple(place) for place in self._set["waypoints"]]
        gap = 0.8 * 1.5 * self._set["altitude"] * math.tan(math.radians(self._set["view"]) / 2)
        return self._fence.rows(self._set["margin"] + 2 * self.sigma + 0.1, gap)

    def _go_to(self, goal):
        """Fly to a place in legs; False if the fence is in the way."""
        for _ in range(64):
            self._check()
            dx, dy = goal[0] - self._x, goal[1] - self._y
            away = math.hypot(dx, dy)
            share = min(1.0, self._set["max_leg"] / away) if away else 0.0
            step = (self._x + share * dx, self._y + share * dy)
            c, s = math.cos(self._yaw), math.sin(self._yaw)
            ahead, left = share * (c * dx + s * dy), share * (c * dy - s * dx)
            if max(abs(ahead), abs(left)) < _MIN_STEP:
                return True
            margin = self._set["margin"] + 2 * self.sigma + self._doubt
            if self._fence.clearance(goal) < self._set["margin"]:
                return False
            if not self._fence.holds(self.place, step, margin):
                return False
            self._move(ahead, left)
        raise DroneError("lost", "does not get to %s" % (goal,))

    def _move(self, ahead, left):
        """Send one motion, wait until it rests, and keep the place."""
        rise = self._set["altitude"] - self._state()["h"] / 100
        way = [int(round(100 * value)) for value in (ahead, left, rise)]
        if max(abs(value) for value in way) < 100 * _MIN_STEP:
            return
        speed = int(round(100 * self._set["speed"]))
        length = math.sqrt(sum(value**2 for value in way)) / 100
        command = "go %d %d %d %d" % tuple(way + [speed])
        answer = self._drone.command(command, 100 * length / speed + 4)
        self._settle()
        if not (answer.ok or answer.timed_out):
            raise DroneError("no_imu" if "imu" in answer.text.lower() else "refused", answer.text)
        share = 0.5 if answer.timed_out else 1.0  # unanswered: it may be anywhere on its way
        c, s = math.cos(self._yaw), math.sin(self._yaw)
        self._x += share * (c * way[0] - s * way[1]) / 100
        self._y += share * (s * way[0] + c * way[1]) / 100
        self._variance += (self._set["motion_error"] * length) ** 2
        if answer.timed_out:  # such errors may all point the same way: they add up as they are
            self._variance += length**2 / 12
            self._doubt += length / 2
        self._check()

    def _settle(self):
        """Wait for rest: an answer may be late and belong to the command before."""
        end, last, calm = time.time() + 6, self._drone.heard, 0
        while time.time() < end and calm < 2:
            state = self._drone.state()
            if time.time() - self._drone.heard > _LINK_S:
                return
            if self._drone.heard > last:
                last = self._drone.heard
                moving = any(abs(state.get(key, 0)) > 0 for key in ("vgx", "vgy", "vgz"))
                calm = 0 if moving else calm + 1
            time.sleep(0.05)

    def _check(self):
        """Raise DroneError if the flight must end."""
        now = time.time()
        self._variance += (now - self._since) * self._set["drift"] ** 2
        self._since = now
        state = self._state()
        if now - self._drone.heard > _LINK_S:
            raise DroneError("link_lost", "no state")
        if self.land_asked:
            raise DroneError("operator", "asked to land")
        if state.get("bat", 0) < self._set["battery_land"]:
            raise DroneError("low_battery", "%d %%" % state.get("bat", 0))
        if self.sigma + self._doubt > self._set["max_sigma"]:
            raise DroneError("lost", "place +- %.2f m" % (self.sigma + self._doubt))
        outside = self._fence.clearance(self.place) < 0
        if outside or state["h"] / 100 > self._fence.ceiling + 0.2:
            raise DroneError("geofence", "outside")

    def _state(self):
        state = self._drone.state()
        self._height = state.get("h", 0) / 100
        return state

    def _is_down(self):
        return time.time() - self._drone.heard < _LINK_S and self._state()["h"] <= 15

    def _report(self, picture):
        """Return what a picture shows."""
        pose = (self._x, self._y, self._height, self._yaw)
        containers, seen = self._set["containers"], []
        for label, column, row, cut in find(picture, containers, self._set["min_area"]):
            place = self._eye.on_floor(pose, column, row, containers[label]["height"] / 2)
            if place is not None:
                sure = self._set["confidence"] * (0.5 if cut else 1.0)
                sure *= place_confidence(self.sigma, self._set["tolerance"])
                seen.append((label, place[0], place[1], sure))
        return {
            "stamp": time.time(),
            "sigma": self.sigma,
            "detections": seen,
            "footprint": self._eye.footprint(pose),
        }
