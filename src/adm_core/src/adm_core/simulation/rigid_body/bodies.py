"""Everything in the arena but the robot, made of primitives."""

from __future__ import annotations

import math

from adm_core.memory.static import Station
from adm_core.simulation.rigid_body.containers import ContainerBody
from adm_core.simulation.rigid_body.engine import Engine
from adm_core.simulation.rigid_body.layout import OBSTACLE_M, TRAY_M, ArenaLayout
from adm_core.types import Pose2D

_FLOOR, _WALL, _BOX = (0.62, 0.63, 0.64), (0.80, 0.79, 0.76), (0.42, 0.40, 0.38)
_TRAY = {"can": (0.55, 0.50, 0.42), "bottle": (0.44, 0.50, 0.47)}  # pale: no container's colour
_WALL_HEIGHT, _WALL_THICKNESS = 0.30, 0.05


def build_surroundings(engine: Engine, layout: ArenaLayout) -> list[int]:
    """Make floor, walls, obstacles and station plates; return the solid ones' body ids."""
    half = layout.grid_map.resolution * layout.grid_map.shape[0] / 2
    _box(engine, (half + 0.2, half + 0.2, 0.05), (0, 0, -0.05), _FLOOR)
    solid = []
    reach, rise, thick = half + _WALL_THICKNESS, _WALL_HEIGHT / 2, _WALL_THICKNESS / 2
    for sign in (-1, 1):
        middle = sign * (half + thick)
        solid.append(_box(engine, (reach, thick, rise), (0, middle, rise), _WALL))
        solid.append(_box(engine, (thick, reach, rise), (middle, 0, rise), _WALL))
    for x, y, _ in layout.obstacles:
        side = OBSTACLE_M / 2
        solid.append(_box(engine, (side, side, 0.125), (x, y, 0.125), _BOX))
    for station in layout.stations:
        _tray(engine, station, half)
    return solid


def _tray(engine: Engine, station: Station, half: float) -> None:
    depth, width, thick = TRAY_M
    x = math.copysign(half - depth / 2, math.cos(station.pose.yaw))
    colour = _TRAY[station.accepts[0]]
    _box(engine, (depth / 2, width / 2, thick / 2), (x, station.pose.y, thick / 2), colour)


def is_on_tray(layout: ArenaLayout, station: Station, x: float, y: float) -> bool:
    """Tell whether a point lies over a station's plate."""
    half = layout.grid_map.resolution * layout.grid_map.shape[0] / 2
    depth, width, _ = TRAY_M
    from_wall = half - x * math.copysign(1.0, math.cos(station.pose.yaw))
    return from_wall <= depth and abs(y - station.pose.y) <= width / 2


def build_container(engine: Engine, body: ContainerBody, place: Pose2D) -> int:
    """Make a container standing at `place`; return its body id."""
    kind = body.kind
    shapes = _cylinder(engine, kind.radius_m, kind.height_m, body.colour)
    neck: dict[str, list] = {}
    if body.neck_height_m > 0:
        shape = _cylinder(engine, body.neck_radius_m, body.neck_height_m, body.colour)
        lift = (kind.height_m + body.neck_height_m) / 2
        neck = {
            "linkMasses": [0.1 * body.mass_kg],
            "linkCollisionShapeIndices": [shape[0]],
            "linkVisualShapeIndices": [shape[1]],
            "linkPositions": [(0, 0, lift)],
            "linkOrientations": [(0, 0, 0, 1)],
            "linkInertialFramePositions": [(0, 0, 0)],
            "linkInertialFrameOrientations": [(0, 0, 0, 1)],
            "linkParentIndices": [0],
            "linkJointTypes": [engine.JOINT_FIXED],
            "linkJointAxis": [(0, 0, 1)],
        }
    made = engine.createMultiBody(
        body.mass_kg, *shapes, (place.x, place.y, kind.height_m / 2), **neck
    )
    engine.changeDynamics(
        made,
        -1,
        lateralFriction=body.friction,
        rollingFriction=0.002,
        spinningFriction=0.002,
        linearDamping=0.2,
        angularDamping=0.4,
        # Six containers at rest would cost more than the robot does.
        activationState=engine.ACTIVATION_STATE_ENABLE_SLEEPING,
    )
    return int(made)


def stand(engine: Engine, made: int, body: ContainerBody, place: Pose2D) -> None:
    """Put a container upright and at rest at `place`."""
    position = (place.x, place.y, body.kind.height_m / 2)
    engine.resetBasePositionAndOrientation(made, position, (0, 0, 0, 1))
    engine.resetBaseVelocity(made, (0, 0, 0), (0, 0, 0))
    engine.changeDynamics(made, -1, activationState=engine.ACTIVATION_STATE_WAKE_UP)


def _cylinder(
    engine: Engine, radius: float, height: float, colour: tuple[float, float, float]
) -> tuple[int, int]:
    solid = engine.createCollisionShape(engine.GEOM_CYLINDER, radius=radius, height=height)
    seen = engine.createVisualShape(
        engine.GEOM_CYLINDER, radius=radius, length=height, rgbaColor=(*colour, 1.0)
    )
    return solid, seen


def _box(
    engine: Engine,
    half: tuple[float, float, float],
    at: tuple[float, float, float],
    colour: tuple[float, float, float],
) -> int:
    solid = engine.createCollisionShape(engine.GEOM_BOX, halfExtents=half)
    seen = engine.createVisualShape(engine.GEOM_BOX, halfExtents=half, rgbaColor=(*colour, 1.0))
    return int(engine.createMultiBody(0, solid, seen, at))
