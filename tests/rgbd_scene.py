"""A small renderer of upright cylinders by ray casting: the judge of the perception."""

import numpy as np
from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.camera import Intrinsics, Mount
from adm_core.manipulation.colour import HsvRange
from adm_core.manipulation.kinematics import camera_in_base
from adm_core.manipulation.perception import ContainerKind

CAN = ContainerKind("can", (HsvRange((170, 120, 60), (10, 255, 255)),), 0.027, 0.115)
BOTTLE = ContainerKind("bottle", (HsvRange((100, 120, 60), (130, 255, 255)),), 0.031, 0.130)
COLOURS = {"can": (30, 30, 200), "bottle": (200, 60, 30)}  # blue, green, red
FLOOR = (120, 125, 130)
CAMERA = Intrinsics.from_view(160, 120, np.radians(69))
ARM = load_arm()
HOME = Mount(*camera_in_base(ARM, ARM.home))


def rays(camera=CAMERA, mount=HOME):
    rows, cols = np.mgrid[: camera.height, : camera.width]
    optical = camera.back_project(cols, rows, np.ones(cols.shape))
    return optical @ mount.rotation.T


def render(objects, camera=CAMERA, mount=HOME):
    """Return picture and depth of [(kind, (x, y)), ...] standing on a grey floor."""
    direction = rays(camera, mount)
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = np.where(direction[..., 2] < 0, -mount.centre[2] / direction[..., 2], np.inf)
    picture = np.broadcast_to(np.array(FLOOR, np.uint8), (*depth.shape, 3)).copy()
    for kind, place in objects:
        hit = np.minimum(
            side_hit(direction, mount.centre, kind, place),
            lid_hit(direction, mount.centre, kind, place),
        )
        nearer = hit < depth
        depth = np.where(nearer, hit, depth)
        picture[nearer] = COLOURS[kind.label]
    depth[~np.isfinite(depth)] = 0.0
    return picture, depth.astype(np.float32)


def side_hit(direction, eye, kind, place):
    a = direction[..., 0] ** 2 + direction[..., 1] ** 2
    away = eye[:2] - np.asarray(place)
    b = direction[..., 0] * away[0] + direction[..., 1] * away[1]
    inside = b * b - a * (away @ away - kind.radius_m**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        hit = (-b - np.sqrt(inside)) / a
        height = eye[2] + hit * direction[..., 2]
        valid = (hit > 0) & (height >= 0) & (height <= kind.height_m)
    return np.where(valid, hit, np.inf)


def lid_hit(direction, eye, kind, place):
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = (kind.height_m - eye[2]) / direction[..., 2]
        x = eye[0] + hit * direction[..., 0] - place[0]
        y = eye[1] + hit * direction[..., 1] - place[1]
        valid = (hit > 0) & (x * x + y * y <= kind.radius_m**2)
    return np.where(valid, hit, np.inf)
