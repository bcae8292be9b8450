"""Many sources at once: nothing that they report is lost."""

import json
import subprocess
import sys
from pathlib import Path

from sizes import examples

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "node_load.py"


def test_no_detection_is_lost_under_load(domain):
    seconds = examples("node_load_s")
    command = [sys.executable, str(SCRIPT), "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120 + 8 * seconds)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["in_log"] == figures["detections"] == 2_000 * seconds
    assert figures["lost"] == 0
