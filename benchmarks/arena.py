"""How fast the rigid-body arena is: physics with the lidar, every camera, a whole mission.

    python benchmarks/arena.py                 # all; --json FILE keeps the figures

Times are of the processor, on one core: a shared machine disturbs the others.
"""

import argparse
import json
import os
import platform
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from adm_core.experiments.rigid_body import RigidBodyExperiment, run_arena_episode
from adm_core.manipulation.servo import Twist
from adm_core.missions.arena import arena_scenario
from adm_core.missions.profile import load_profile
from adm_core.simulation.rigid_body.arena import Arena
from adm_core.simulation.rigid_body.config import CONTROL_HZ, ArenaConfig
from adm_core.simulation.rigid_body.layout import arena_layout

CAMERAS = ("160x120@5", "320x240@5", "640x480@30")
#: Seconds simulated per second that a simulation must reach.
MUST_PHYSICS, MUST_MISSION = 10.0, 5.0


def make(camera):
    """Return an arena with six containers."""
    config = ArenaConfig(camera=camera)
    layout = arena_layout(config, arena_scenario(load_profile("arena")), np.random.default_rng(0))
    return Arena(config, layout)


def physics(seconds):
    """Return how many seconds of driving in a circle, scans included, go by in one."""
    arena = make(CAMERAS[0])
    arena.robot.drive(Twist(0.2, 0.0, 0.6))
    begin = time.process_time()
    for _ in range(seconds * CONTROL_HZ):
        arena.tick()
    spent = time.process_time() - begin
    arena.close()
    return seconds / spent


def pictures(camera, count):
    """Return milliseconds of a picture of the wrist camera and of the drone's, noise included."""
    arena = make(camera)
    spent = []
    for take in (arena.look, arena.look_down):
        take()
        begin = time.process_time()
        for _ in range(count):
            take()
        spent.append(1e3 * (time.process_time() - begin) / count)
    arena.close()
    return spent


def mission(seed, camera):
    """Return the row of a whole mission with attention."""
    plan = RigidBodyExperiment(episodes=1, seed=seed, variants="base", methods="attention")
    (episode,) = plan.plan()
    row = run_arena_episode(replace(episode, arena=ArenaConfig(camera=camera)))
    return {
        "camera": camera,
        "seed": seed,
        "delivered": row["delivered"],
        "simulated s": row["steps"],
        "frames": row["pictures"],
        "processor s": row["cpu_s"],
        "x real time": round(row["steps"] / row["cpu_s"], 1),
        "must": MUST_MISSION,
    }


def run(args):
    """Print the figures and return them."""
    driving = {"physics and lidar, x real time": round(physics(args.seconds), 1)}
    driving["must"] = MUST_PHYSICS
    print(driving, flush=True)
    cameras = []
    for camera in CAMERAS:
        wrist, drone = pictures(camera, 20)
        cameras.append({"camera": camera, "ms": round(wrist, 1), "drone ms": round(drone, 1)})
        print(cameras[-1], flush=True)
    missions = []
    for camera in filter(None, args.missions.split(",")):
        missions.append(mission(0, camera))
        print(missions[-1], flush=True)
    return {"physics": driving, "cameras": cameras, "missions": missions}


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seconds", type=int, default=60, help="of driving")
    parser.add_argument("--missions", default="160x120@5,640x480@30", help="their cameras")
    parser.add_argument("--json", help="file to keep the figures in")
    args = parser.parse_args()
    facts = {"cpus": os.cpu_count(), "python": platform.python_version()}
    figures = {"machine": facts, **run(args)}
    if args.json:
        Path(args.json).write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
