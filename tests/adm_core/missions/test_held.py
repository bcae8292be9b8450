"""Full disks and damaged files: a clear error, the mission held, nothing lost."""

import json
import shutil
import sqlite3
import subprocess
import sys

import pytest

CODE = (
    "import resource, signal, sys; from adm_core import cli; from adm_core.commands import mission;"
    "cli.load_commands = lambda: {'mission': mission};"
    "limit = int(sys.argv.pop(1));"
    "limit and resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY));"
    "sys.exit(cli.main())"
)
WORDS = ("--scenario", "D-10", "--seed", "1")


def adm(*arguments, limit=0):
    """Run ``adm mission`` where no file may grow beyond a limit in bytes (0: none)."""
    words = [sys.executable, "-c", CODE, str(limit), "mission", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def whole():
    return json.loads(adm(*WORDS, "--json").stdout)["decision_sha256"]


@pytest.mark.parametrize("limit", [100_000, 200_000, 300_000])
def test_a_full_disk_holds_the_mission_and_it_is_finished_later(tmp_path, whole, limit):
    folder = tmp_path / "run"
    done = adm(*WORDS, "--save", folder, "--json", limit=limit)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr
    assert f"adm mission --resume {folder}" in done.stderr
    with sqlite3.connect(folder / "audit.sqlite") as db:
        kept = db.execute("SELECT count(*) FROM journal").fetchone()[0]
    assert kept > 0
    again = adm("--resume", folder, "--json")
    assert (again.returncode, json.loads(again.stdout)["decision_sha256"]) == (0, whole)


@pytest.fixture
def run(tmp_path):
    """Return the folder of a run that ended before its time, and a copy to hold it against."""
    folder = tmp_path / "run"
    adm(*WORDS, "--approve", "navigate,approach", "--save", folder)
    shutil.copytree(folder, tmp_path / "copy")
    return folder


def damage_pages(path):
    """Overwrite the middle of the file; its head still says that it is a database."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 8192))


def damage_head(path):
    with path.open("r+b") as file:
        file.write(b"not a database at all")


def cut(path):
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def damage_entry(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE journal SET body = '{\"step' WHERE kind = 'report' AND number = 1")
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


DAMAGES = {"pages": damage_pages, "head": damage_head, "cut": cut, "entry": damage_entry}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_log_is_one_clear_line_and_the_mission_stays_held(run, kind):
    with sqlite3.connect(run / "audit.sqlite") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    DAMAGES[kind](run / "audit.sqlite")
    before = (run / "audit.sqlite").read_bytes()
    done = adm("--resume", run, "--approve", "trusted")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("adm: audit log ")
    assert done.stderr.count("\n") == 1
    assert (run / "audit.sqlite").read_bytes() == before


def test_a_restored_copy_is_resumed(run, whole):
    damage_head(run / "audit.sqlite")
    shutil.rmtree(run)
    shutil.copytree(run.parent / "copy", run)
    done = adm("--resume", run, "--approve", "trusted", "--json")
    assert json.loads(done.stdout)["decision_sha256"] == whole
