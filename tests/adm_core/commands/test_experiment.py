"""``adm experiment`` from the outside: files, output, exit codes."""

import json

import pytest
from adm_core.commands import experiment as command

from adm_core import cli

MEMORY = ("memory", "--episodes", "1", "--jobs", "1")


@pytest.fixture
def adm(monkeypatch, capfd, tmp_path):
    """Return a function that runs ``adm experiment`` and returns exit code, output and errors."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"experiment": command})
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = cli.main(["experiment", *map(str, arguments)])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


def test_table_one_is_printed_and_kept_with_its_rows(adm, tmp_path):
    code, out, err = adm(*MEMORY, "--out", "kept")
    assert code == 0
    assert "DN-14" in out and "attention - static" in out
    assert "15/15" in err
    names = {path.name for path in (tmp_path / "kept").iterdir()}
    assert names == {"rows.jsonl", "summary.json", "tables.txt", "tables.csv", "tables.tex"}
    assert (tmp_path / "kept/tables.txt").read_text() == out


def test_rows_say_how_they_were_made(adm, tmp_path):
    adm(*MEMORY)
    lines = (tmp_path / "runs/experiment-memory/rows.jsonl").read_text().splitlines()
    facts, *rows = map(json.loads, lines)
    assert facts["first_seed"] == 30_000 and facts["machine"]["cores"] >= 1 and facts["code"]
    assert len(rows) == 15 and len({row["key"] for row in rows}) == 15
    assert {"seed", "method", "steps", "decision_sha256"} <= rows[0].keys()


def test_json_is_the_only_output_and_equals_the_summary_file(adm, tmp_path):
    code, out, _ = adm(*MEMORY, "--json")
    assert code == 0
    assert json.loads(out) == json.loads(
        (tmp_path / "runs/experiment-memory/summary.json").read_text()
    )


def test_a_second_run_reads_the_rows(adm, tmp_path):
    first = adm(*MEMORY)[1]
    rows = (tmp_path / "runs/experiment-memory/rows.jsonl").read_text().splitlines()
    second = adm(*MEMORY)[1]
    again = (tmp_path / "runs/experiment-memory/rows.jsonl").read_text().splitlines()
    assert first == second
    assert len(again) == len(rows) + 1  # the facts of the second run


@pytest.mark.parametrize(("form", "sign"), [("csv", "scenario,method"), ("latex", r"\begin{tab")])
def test_tables_come_in_other_formats(adm, form, sign):
    assert sign in adm(*MEMORY, "--format", form)[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("memory", "--jobs", "0"), "jobs must be >= 1"),
        (("memory", "--episodes", "0"), "episodes must be >= 1"),
        (("memory", "--profile", "other"), "profile must be one of paper, robust"),
        (("ablation", "--factors", "k"), "factors must be of"),
        (("long", "--methods", "attention"), "oracle among them"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(adm, arguments, message):
    code, out, err = adm(*arguments)
    assert (code, out) == (2, "")
    assert message in err and err.count("\n") == 1
