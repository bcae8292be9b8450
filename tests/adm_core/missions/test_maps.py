"""Missions on real buildings: complete, and never nearer to a wall than the robot's radius."""

import math
import sqlite3

import cv2
import numpy as np
import pytest
import yaml
from adm_core.grid.map_io import load_map
from adm_core.grid.terrain import Terrain
from adm_core.memory.audit import AuditLog
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.run_folder import RunFolder
from adm_core.missions.setup import MissionConfig
from adm_core.missions.summary import summarize
from data import maps
from scipy import ndimage
from sizes import FULL

RADIUS_M = 0.20
SEEDS = range(5) if FULL else range(1)


def read_free(path):
    """Read a trinary map by the published rule, by other means than the library's."""
    facts = yaml.safe_load(path.read_text())
    image = cv2.imread(str(path.parent / facts["image"]), cv2.IMREAD_GRAYSCALE)[::-1]
    occupancy = image / 255.0 if facts["negate"] else (255 - image.astype(float)) / 255.0
    return occupancy < facts["free_thresh"], facts["resolution"], facts["origin"]


def clearance_of(path, poses):
    """Return for each pose how far its cell is from the nearest cell that is not free, in m."""
    free, resolution, (x0, y0, yaw) = read_free(path)
    distance = ndimage.distance_transform_edt(free) * resolution
    x, y = np.array(poses).T - np.array([[x0], [y0]])
    u = math.cos(yaw) * x + math.sin(yaw) * y
    v = math.cos(yaw) * y - math.sin(yaw) * x
    return distance[(v // resolution).astype(int), (u // resolution).astype(int)]


def region_m2(path):
    free, resolution, _ = read_free(path)
    wide = ndimage.distance_transform_edt(free) * resolution > RADIUS_M
    labels, count = ndimage.label(wide)
    return np.bincount(labels.ravel())[1:].max() * resolution**2 if count else 0.0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("path", maps(), ids=lambda path: path.stem)
def test_every_building_with_room_is_cleared_at_a_distance_from_its_walls(path, seed, tmp_path):
    if region_m2(path) < 20.0:  # too small for eight containers to be promised
        assert Terrain.for_robot(load_map(path), RADIUS_M).area_m2 < 20.0
        return
    setup = prepare(MissionConfig(map=str(path), seed=seed))
    with AuditLog(tmp_path / "audit.sqlite") as audit:
        mission = LocalMission(setup, audit)
        for _ in mission.run():
            pass
    summary = summarize(setup, mission.executor, mission.world.facts(), 0.0)
    assert (summary.delivered, summary.containers) == (8, 8)
    with sqlite3.connect(tmp_path / "audit.sqlite") as db:
        poses = db.execute("SELECT x, y FROM pose ORDER BY id").fetchall()
    assert len(poses) == summary.steps + 1
    assert clearance_of(path, poses).min() > RADIUS_M
    lengths = np.hypot(*np.diff(poses, axis=0).T)
    assert lengths.max() <= 0.25 + setup.terrain.grid_map.resolution * math.sqrt(2)


def test_a_run_leaves_summary_audit_log_and_picture(tmp_path):
    setup = prepare(MissionConfig(scenario="S-6"))
    folder = RunFolder.numbered(tmp_path, "S-6")
    with AuditLog(folder.audit) as audit:
        mission = LocalMission(setup, audit)
        for _ in mission.run():
            pass
        audit.commit()
        facts = mission.world.facts()
        folder.write(summarize(setup, mission.executor, facts, 0.1), setup, facts)
    latest = tmp_path / "latest"
    written = {item.name for item in latest.iterdir()}
    assert written >= {"audit.sqlite", "mission.png", "summary.json"}
    picture = cv2.imread(str(latest / "mission.png"))
    assert picture.shape[0] > 600
    assert len(np.unique(picture[::7, ::7].reshape(-1, 3), axis=0)) > 10
