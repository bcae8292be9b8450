"""``adm calibrate`` from the outside."""

import json

import pytest
from adm_core.commands import calibrate as command

from adm_core import cli

SMALL = ("--scenario", "S-6", "--candidates", "2", "--episodes", "1", "--held-out", "2")


@pytest.fixture
def adm(monkeypatch, capfd, tmp_path):
    """Return a function that runs ``adm calibrate`` and returns exit code, output and errors."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"calibrate": command})
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = cli.main(["calibrate", *arguments, "--jobs", "1"])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


def test_it_prints_its_tables_and_writes_a_profile(adm, tmp_path):
    code, out, err = adm(*SMALL)
    assert code == 0
    assert "held-out" in out and "best.yaml" in err
    assert (tmp_path / "runs/calibrate/best.yaml").read_text().startswith("extends: paper")


def test_json_is_the_only_output(adm):
    code, out, _ = adm(*SMALL, "--json")
    assert code == 0
    assert json.loads(out)["profile"] == "paper"


def test_training_seeds_must_not_reach_the_held_out_ones(adm):
    code, out, err = adm("--seed", "29999")
    assert (code, out) == (2, "")
    assert "below 30000" in err and err.count("\n") == 1
