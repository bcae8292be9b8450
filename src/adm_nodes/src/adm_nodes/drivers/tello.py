"""Tello node: surveys on order, reports what it saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
from adm_core.aerial.config import FlightConfig, TelloConfig
from adm_core.aerial.drone import Drone
from adm_core.aerial.flight import FlightPlan, FlightStatus, Look
from adm_core.aerial.helm import Clock
from adm_core.aerial.setup import make_plan
from adm_core.aerial.sightings import report
from adm_core.aerial.tello import TelloDrone
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.time import Time as RosTime
from sensor_msgs.msg import CompressedImage

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.errors import RefusedError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.drivers.flight_worker import FlightWorker, SteadyClock

_STATUS_S = 0.5
_LANDING_S = 40.0
_JPEG = (int(cv2.IMWRITE_JPEG_QUALITY), 80)


class TelloNode(AdmNode):
    """Shell around Pilot. The drone is touched by one thread, and not before a survey is ordered.

    Parameters
    ----------
    tello.* : see TelloConfig
        Where the drone is, its fence, known tags, dry run.
    flight.* : see FlightConfig
        Height, speed, failsafes.

    Topics
    ------
    mission : Mission, subscribed
        Frame and map that the reports belong to.
    observation_requests : ObservationRequest, subscribed
        Places to look at ahead of the rest of a survey.
    mission_control : MissionControl, subscribed
        An emergency stop breaks the motion off and lands; no order is obeyed until the reset.
    robot_reports : RobotReport, published
        What every picture showed and covered.
    sightings : Sightings, published
        The same with covariances.
    drone_status : DroneStatus, drone_pose : PoseWithCovarianceStamped, published
        At every event, and twice a second.
    drone_picture/compressed : CompressedImage, published
        The pictures that were looked at.

    Services
    --------
    fly_drone : FlyDrone
        survey, hold, resume, land, observe; place tells where somebody has put it.
    """

    def __init__(
        self,
        make_drone: Callable[[TelloConfig], Drone] | None = None,
        clock: Clock | None = None,
        **kwargs: object,
    ) -> None:
        super().__init__("tello", **kwargs)
        params.declare(self, TelloConfig, "tello")
        params.declare(self, FlightConfig, "flight")
        self._make_drone = make_drone or _tello
        self._drone_clock = clock or SteadyClock()
        self._worker: FlightWorker | None = None
        self.reset()

    def setup(self) -> None:
        """Read and check the parameters; nothing is sent to the drone."""
        self._tello = params.read(self, TelloConfig, "tello")
        self._flight = params.read(self, FlightConfig, "flight")
        self._plan: FlightPlan | None = make_plan(self._tello, self._flight)
        self._worker = FlightWorker(
            self._make_drone(self._tello),
            self._on_event,
            self.get_logger().error,
            self._drone_clock,
        )
        self._publish_report = self.add_publisher(msgs.RobotReport, "robot_reports", qos.STATUS)
        self._publish_seen = self.add_publisher(msgs.Sightings, "sightings", qos.STATUS)
        self._publish_status = self.add_publisher(msgs.DroneStatus, "drone_status", qos.STATUS)
        self._publish_pose = self.add_publisher(PoseWithCovarianceStamped, "drone_pose", qos.STATUS)
        self._publish_picture = self.add_publisher(
            CompressedImage, "drone_picture/compressed", qos.STATUS
        )
        self.add_subscription(msgs.Mission, "mission", qos.LATCHED, self._on_mission)
        self.add_subscription(
            msgs.ObservationRequest, "observation_requests", qos.STATUS, self._on_request
        )
        self.add_subscription(msgs.MissionControl, "mission_control", qos.STATUS, self._on_control)
        self.add_service(srvs.FlyDrone, "fly_drone", self._on_order)
        self.add_timer(_STATUS_S, self._tell_status)

    def stop(self) -> None:
        """Land, wait until it is down, and let go of the drone."""
        if self._worker is None:
            return
        if not self._worker.land(_LANDING_S, self.beat):
            self.get_logger().error("the drone has not confirmed that it landed")
        self._worker.close()

    def reset(self) -> None:
        """Forget everything."""
        self._worker = self._plan = None
        self._frame_id, self._map_id = "map", ""
        self._number = 0
        self._last_request = 0
        self._stopped = False

    # -- orders -----------------------------------------------------------------------------

    def _on_order(self, request: srvs.FlyDrone.Request, response: srvs.FlyDrone.Response) -> None:
        worker = self._worker
        assert worker is not None
        places = list(zip(request.xs, request.ys, strict=True))
        if self._stopped and request.order != "land":
            raise RefusedError(f"{request.order}: the emergency stop is in force")
        if request.order == "survey":
            self._survey(places)
        elif request.order == "place" and len(places) == 1:
            self._place(places[0])
        elif request.order == "land":
            if worker.pilot is not None:
                worker.pilot.land()
        elif worker.pilot is None or not worker.flying:
            raise RefusedError(f"{request.order}: no flight is under way")
        elif request.order in ("hold", "resume"):
            worker.pilot.hold(request.order == "hold")
        elif request.order == "observe" and len(places) == 1:
            worker.pilot.observe(places[0])
        else:
            raise RefusedError(
                "order must be survey, hold, resume, land, or with one place observe or place, "
                f"got {request.order!r} with {len(places)}"
            )
        response.phase = "idle" if worker.pilot is None else worker.pilot.status.phase.value

    def _survey(self, places: Sequence[tuple[float, float]]) -> None:
        """Start from where the last flight ended, or from where it was placed since."""
        assert self._worker is not None and self._plan is not None
        start = self._worker.landed_at or self._plan.start
        self._worker.start(replace(self._plan, start=start, waypoints=tuple(places)))

    def _place(self, place: tuple[float, float]) -> None:
        """Take over where somebody has put it, headed as at first."""
        assert self._worker is not None and self._plan is not None
        first = self._plan.start
        self._worker.put(replace(first, pose=first.pose._replace(x=place[0], y=place[1])))

    def _on_mission(self, message: msgs.Mission) -> None:
        self._frame_id, self._map_id = message.frame_id, message.map_id

    def _on_control(self, message: msgs.MissionControl) -> None:
        if message.word == "estop":
            self._stopped = True
            if self._worker is not None and self._worker.pilot is not None:
                self._worker.pilot.stop()
        elif message.word == "reset":
            self._stopped = False

    def _on_request(self, message: msgs.ObservationRequest) -> None:
        """Look at a place that the planner asks for, if it can be seen from inside the fence."""
        if not self.is_active or message.number <= self._last_request:
            return
        self._last_request = message.number
        place = (message.place.x, message.place.y)
        if message.frame_id != self._frame_id:
            self.get_logger().warning(f"cannot look at {place} of frame {message.frame_id}")
            return
        try:
            self._look_at(place)
        except (RefusedError, ValueError) as err:
            self.get_logger().warning(f"cannot look at {place}: {err}")

    def _look_at(self, place: tuple[float, float]) -> None:
        """Look at a place in the flight under way, or in one for it alone."""
        worker, plan = self._worker, self._plan
        assert worker is not None and plan is not None
        if worker.flying and worker.pilot is not None:
            worker.pilot.observe(place)
        elif self._tello.fly_on_request and not self._stopped:
            start = worker.landed_at or plan.start
            self._survey([plan.viewpoint(place, start.pose.yaw)])
        else:
            raise RefusedError("no flight is under way, and tello.fly_on_request is off")

    # -- events, in the drone's thread ----------------------------------------------------------

    def _on_event(self, event: FlightStatus | Look) -> None:
        if isinstance(event, FlightStatus):
            words = f"{event.phase.value} ({event.reason.value}) {event.text}".strip()
            self.get_logger().info(f"drone {words}")
            self._tell(event)
        else:
            self._tell_look(event)

    def _tell_look(self, look: Look) -> None:
        assert self._plan is not None
        batch = report(
            look.sightings,
            self._plan.observer.camera,
            look.known.pose,
            look.stamp,
            self._tello.source_id,
            self._flight.place_tolerance_m,
            self._map_id,
            self._frame_id,
        )
        stamp = self._ros_time(look.stamp)
        self._publish_seen(
            conversions.sightings_to_msg(
                look.sightings, stamp, self._frame_id, self._tello.source_id
            )
        )
        if not self._plan.dry_run:  # from the floor nothing is covered
            self._number += 1
            self._publish_report(
                conversions.robot_report_to_msg(batch, self._number, stamp, look.known.sigma_m)
            )
        picture = CompressedImage(format="jpeg")
        picture.header.stamp, picture.header.frame_id = stamp, f"{self._tello.source_id}_camera"
        picture.data = cv2.imencode(".jpg", look.shot.picture, _JPEG)[1].tobytes()
        self._publish_picture(picture)

    def _ros_time(self, steady: float) -> Time:
        """Return the node's time of a moment of the drone's clock."""
        ago = round((self._drone_clock.now() - steady) * 1e9)
        now = self.get_clock().now()
        return RosTime(
            nanoseconds=max(0, now.nanoseconds - ago), clock_type=now.clock_type
        ).to_msg()

    def _tell_status(self) -> None:
        if self._worker is not None and self._worker.pilot is not None:
            self._tell(self._worker.pilot.status)

    def _tell(self, status: FlightStatus) -> None:
        stamp = self.get_clock().now().to_msg()
        message = conversions.drone_status_to_msg(status, self._tello.source_id)
        message.header.stamp, message.header.frame_id = stamp, self._frame_id
        self._publish_status(message)
        pose = conversions.drone_pose_to_ros(status.known)
        pose.header.stamp, pose.header.frame_id = stamp, self._frame_id
        self._publish_pose(pose)


def _tello(config: TelloConfig) -> Drone:
    return TelloDrone(config.host, config.port, SteadyClock())


def main() -> int:
    """Run the node."""
    return runner.main(TelloNode)


if __name__ == "__main__":
    raise SystemExit(main())
