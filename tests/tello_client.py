"""The real djitellopy in a process of its own: its UDP ports are fixed, and stay taken.

``TelloClient`` starts one at a time on this machine; jobs go in and answers come out as lines of
JSON. Run as a program it is that process.
"""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from adm_core.testing.tello_ports import tello_ports


class TelloClient:
    """Context manager: the process, and the right to djitellopy's ports."""

    def __enter__(self):
        self._ports = tello_ports()
        self._ports.__enter__()
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.kill()
        self._process.wait()
        self._ports.__exit__(None, None, None)

    def start(self, job, fake, **options):
        """Begin a job against a pretended drone."""
        line = json.dumps({"job": job, "address": fake.address, "options": options})
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def result(self):
        """Wait for the answer of the job that was begun."""
        answer = json.loads(self._process.stdout.readline())
        assert "trouble" not in answer, answer["trouble"]
        return answer

    def do(self, job, fake, **options):
        """Do a job and return its answer."""
        self.start(job, fake, **options)
        return self.result()


class Clock:
    now = staticmethod(time.monotonic)
    sleep = staticmethod(time.sleep)


def everything(address, options):
    """Use djitellopy as its own examples do; nothing of ours is in between."""
    from djitellopy import Tello

    drone = Tello(host=address[0])
    drone.address = tuple(address)
    drone.connect()
    said = {
        "battery": drone.query_battery(),
        "attitude": drone.query_attitude(),
        "tof_cm": drone.query_distance_tof(),
        "sdk": drone.query_sdk_version(),
        "state_battery": drone.get_battery(),
    }
    drone.set_speed(50)
    drone.takeoff()
    time.sleep(0.3)
    said["height_cm"] = drone.get_height()
    drone.move_forward(50)
    drone.rotate_counter_clockwise(90)
    drone.go_xyz_speed(40, 30, 20, 50)
    drone.send_rc_control(0, 0, 0, 0)
    drone.send_keepalive()
    drone.streamon()
    frames = drone.get_frame_read()
    end = time.monotonic() + 20
    while frames.frame.shape != (720, 960, 3) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.3)
    said["shape"] = list(frames.frame.shape)
    said["middle_rgb"] = frames.frame[340:380, 460:500].reshape(-1, 3).mean(axis=0).tolist()
    said["yaw"] = drone.get_yaw()
    frames.stop()  # ahead of streamoff: it lets its port go with the next picture only
    frames.worker.join(10)
    drone.land()
    said["flying"] = drone.is_flying
    drone.end()
    return said


def refusals(address, options):
    """Return what djitellopy makes of a drone that refuses."""
    from djitellopy import Tello, TelloException

    drone = Tello(host=address[0], retry_count=1)
    drone.address = tuple(address)
    drone.connect()
    said = {}
    for name, act in (("takeoff", drone.takeoff), ("forward", lambda: drone.move_forward(50))):
        try:
            act()
            said[name] = "done"
        except TelloException as err:
            said[name] = str(err)
    drone.end()
    return said


def talk(address, options):
    """Send commands through our own adapter; return its answers."""
    from adm_core.aerial.errors import DroneError
    from adm_core.aerial.tello import TelloDrone

    drone = TelloDrone(*address, Clock)
    said = []
    try:
        drone.connect()
    except DroneError as err:
        drone.close()
        return {"refused": err.reason.value}
    for text, patience in options["commands"]:
        begun = time.monotonic()
        answer = drone.command(text, patience)
        said.append([answer.ok, answer.text, answer.timed_out, time.monotonic() - begun])
        if text == "rest":
            time.sleep(patience)
    told = drone.telemetry(time.monotonic())
    drone.close()
    return {"answers": said, "height_m": told.height_m}


def interrupt(address, options):
    """Break a long motion off from another thread."""
    from adm_core.aerial.tello import TelloDrone

    drone = TelloDrone(*address, Clock)
    drone.connect()
    drone.command("takeoff", 10)
    threading.Timer(0.5, drone.interrupt).start()
    answer = drone.command("go 400 0 0 20", 30)
    after = drone.command("battery?", 3)
    landed = drone.command("land", 10)
    drone.close()
    return {"broken_off": answer.ok, "number": after.text, "landed": landed.ok}


def fly(address, options):
    """Fly a plan of the room through our own adapter."""
    from adm_core.aerial.flight import Look
    from adm_core.aerial.pilot import Pilot
    from adm_core.aerial.tello import TelloDrone
    from flights import camera, plan

    ways = tuple(map(tuple, options.pop("waypoints", ())))
    drone = TelloDrone(*address, Clock)
    pilot = Pilot(drone, plan(camera(480), waypoints=ways, **options), Clock)
    states, looks = [], []
    for event in pilot.fly():
        if isinstance(event, Look):
            seen = [[item.label, *item.place, item.covariance.tolist()] for item in event.sightings]
            pose = list(event.known.pose)
            looks.append({"seen": seen, "pose": pose, "sigma": event.known.sigma_m,
                          "tags": event.tags})  # fmt: skip
        else:
            states.append([event.phase.value, event.reason.value, event.text])
    begun = time.monotonic()
    drone.close()
    return {"states": states, "looks": looks, "closed_in": time.monotonic() - begun}


def noetic(address, options):
    """Fly a survey with the ROS 1 package's own code."""
    import yaml

    package = Path(__file__).parents[1] / "bridge" / "noetic" / "adm_tello"
    sys.path.insert(0, str(package / "src"))
    from adm_tello.drone import Tello
    from adm_tello.fence import Fence
    from adm_tello.flight import Flight
    from adm_tello.seeing import Eye

    settings = yaml.safe_load((package / "config" / "tello.yaml").read_text("utf-8")) | options
    drone = Tello(*address)
    eye = Eye(*settings["picture"], settings["view"], settings["tilt"], settings["range"])
    flight = Flight(drone, Fence(settings["fence"], settings["ceiling"]), eye, settings)
    events = list(flight.events())
    drone.close()
    return {"events": events}


def patient():
    """Give a loaded machine time for the first picture; the package itself stays as it is."""
    try:
        from djitellopy import Tello
    except ImportError:
        return
    Tello.FRAME_GRAB_TIMEOUT = 20


def main():
    sys.path.insert(0, str(Path(__file__).parent))
    patient()
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        order = json.loads(line)
        try:
            answer = globals()[order["job"]](order["address"], order["options"])
        except Exception as err:
            answer = {"trouble": f"{type(err).__name__}: {err}"}
        print(json.dumps(answer, allow_nan=True), file=out, flush=True)


if __name__ == "__main__":
    main()
