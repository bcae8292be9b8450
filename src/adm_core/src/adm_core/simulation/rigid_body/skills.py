"""The robot's skills on the arena: drive, approach, grasp, deliver, verify.

What they decide from is measured: pictures, servos, lidar and a noisy place, never the
simulator's truth. All but driving are :class:`~adm_core.planning.handling.Handling`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from adm_core.manipulation.camera import Floats
from adm_core.manipulation.perception import ContainerKind, Frame
from adm_core.manipulation.planar import Point
from adm_core.manipulation.sequence import ArmState
from adm_core.manipulation.servo import ServoConfig
from adm_core.memory.records import FailureReason
from adm_core.memory.static import Station
from adm_core.planning.handling import Handling
from adm_core.simulation.rigid_body.arena import Arena
from adm_core.simulation.rigid_body.cameras import wrist_intrinsics
from adm_core.simulation.rigid_body.config import CONTROL_HZ
from adm_core.simulation.rigid_body.containers import container_kinds
from adm_core.simulation.rigid_body.driving import Driver
from adm_core.simulation.rigid_body.layout import TRAY_M
from adm_core.simulation.rigid_body.navigation import follow
from adm_core.simulation.rigid_body.sightings import on_any_tray
from adm_core.types import Pose2D

_STAND_M = 0.34  # from the robot's centre to the place on a station's plate


class ArenaRobot(Driver):
    """The robot in the arena, as :class:`Handling` needs it; parameters as for Driver."""

    def __init__(self, arena: Arena, tick: Callable[[], None]) -> None:
        super().__init__(arena, tick)
        self.arm = arena.arm
        self.camera = wrist_intrinsics(arena.config)
        self._period = max(1, CONTROL_HZ // arena.config.camera_mode[2])

    @property
    def now(self) -> float:
        """Simulated seconds."""
        return self.arena.now

    def pose(self) -> Pose2D:
        """Return where the localisation says that the robot is."""
        return self.arena.measured_pose()

    def arm_state(self) -> ArmState:
        """Return what the servos measure."""
        return self.arena.robot.state()

    def command_arm(self, joints: Sequence[float], width: float) -> None:
        """Set angles and gap to go to."""
        self.arena.command_arm(tuple(joints), width)

    def look(self) -> Frame:
        """Take a picture."""
        return self.arena.look()

    def picture_due(self) -> bool:
        """Tell whether the camera takes a picture in this period."""
        return self.arena.ticks % self._period == 0

    def is_put_away(self, point: Point) -> bool:
        """Tell whether a point is on a station's plate."""
        return on_any_tray(self.arena, point)

    def stand_before(self, slot: Pose2D) -> bool:
        """Drive to the place from which a slot is straight ahead at arm's length."""
        yaw = slot.yaw
        stand = (slot.x - _STAND_M * math.cos(yaw), slot.y - _STAND_M * math.sin(yaw))
        ends = self.arena.now + 15.0
        while self.arena.now < ends:
            robot = self.arena.measured_pose()
            if math.hypot(stand[0] - robot.x, stand[1] - robot.y) < 0.03:
                break
            way = self.navigator.way_to_one(robot, [stand], self.arena.now) or [stand]
            self.step(follow(robot, way, self.config))
        else:
            self.stop()
            return False
        self.turn_to((slot.x, slot.y), within=0.03)
        return True


class Skills(ArenaRobot):
    """Skills of one robot; arena and tick as for :class:`Driver`."""

    def __init__(self, arena: Arena, tick: Callable[[], None]) -> None:
        super().__init__(arena, tick)
        servo = ServoConfig(base=arena.config.base)
        self.hand = Handling(self, container_kinds(), servo, TRAY_M[2])
        self.approach = self.hand.approach
        self.grasp = self.hand.grasp
        self.verify = self.hand.verify
        self.glance = self.hand.glance
        self.see = self.hand.see

    @property
    def held(self) -> ContainerKind | None:
        """What is in the hand."""
        return self.hand.held

    @property
    def last_seen(self) -> Floats | None:
        """Where the approached container was seen last, float64[3] in the robot's frame."""
        return self.hand.last_seen

    def deliver(self, station: Station, label: str) -> FailureReason:
        """Set the held container down at the next free place of a station."""
        return self.hand.deliver(station, self.arena.layout.slots(station))
