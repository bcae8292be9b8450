#!/usr/bin/env python3
"""Missions of the digital twin, one layout after the other: how many are complete and safe.

python benchmarks/twin.py --missions 20 --json runs/verify-twin.json
python benchmarks/twin.py --missions 20 --faults --json runs/verify-twin-faults.json

Resumable: layouts that the file already holds are not run again. Exit code 0 if enough missions
were complete (all, or 19 of 20 with faults), none was unsafe, and in 5 of 20 a reveal changed the
station of the container that was known.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run what is missing; print a line per mission and the sums."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--missions", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="first seed (default 0)")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--bridge", default="relay")
    parser.add_argument("--rate", type=float, default=1.0)
    parser.add_argument("--runs", default="runs")
    parser.add_argument("--json", type=Path, required=True, help="file for the rows")
    args = parser.parse_args()
    rows = json.loads(args.json.read_text()) if args.json.exists() else []
    done = {row["seed"] for row in rows}
    for seed in range(args.first, args.first + args.missions):
        if seed in done:
            continue
        row = mission(seed, args)
        rows.append(row)
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
        print(line(row), flush=True)
    return report(rows, args.faults)


def mission(seed: int, args: argparse.Namespace) -> dict:
    """Run one mission; a run that ends without a result is a row, too."""
    command = [sys.executable, "-m", "adm_core.cli", "twin", "--seed", str(seed), "--json"]
    command += ["--bridge", args.bridge, "--rate", str(args.rate), "--runs", args.runs]
    done = subprocess.run(
        command + ["--faults"] * args.faults, capture_output=True, text=True, check=False
    )
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        said = done.stderr.strip().splitlines()[-1:]
        return {"seed": seed, "complete": False, "safe": False, "outcome": " ".join(said)}


def line(row: dict) -> str:
    """Return one mission as a line."""
    words = [f"seed {row['seed']:3d}", "complete" if row["complete"] else "INCOMPLETE"]
    words.append("safe" if row["safe"] else "UNSAFE")
    words.append(f"{row.get('delivered', 0)} of {row.get('containers', 0)}")
    words.append(f"{row.get('steps', 0)} s, {row.get('wall_s', 0)} s of ours")
    words += ["assignment changed"] * bool(row.get("assignment_changed"))
    return "  ".join([*words, row["outcome"]])


def report(rows: list[dict], faults: bool) -> int:
    """Print the sums; return the exit code."""
    complete = sum(row["complete"] for row in rows)
    unsafe = sum(not row["safe"] for row in rows)
    changed = sum(bool(row.get("assignment_changed")) for row in rows)
    print(f"{complete} of {len(rows)} complete, {unsafe} unsafe, {changed} assignments changed")
    needed = len(rows) - (len(rows) // 20 if faults else 0)
    enough = changed >= 5 * (len(rows) // 20)
    return 0 if complete >= needed and enough and not unsafe else 1


if __name__ == "__main__":
    raise SystemExit(main())
