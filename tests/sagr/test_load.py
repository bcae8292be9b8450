"""The load figure on a small map: everybody ends with the mapper's map, from one whole of it."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_explorers_follow_a_mapper_from_one_whole_map_and_windows(domain):
    command = [sys.executable, str(ROOT / "benchmarks" / "map_load.py")]
    options = ["--side", "400", "--seconds", "3", "--explorers", "2", "--lead", "8"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert found["equal"], found
    assert found["maps_sent"] == 6
    assert found["window_bytes_per_s"] < found["explorers"] * found["grid_bytes_per_s"]
