"""``adm mission`` and people: signals, prompts on a terminal, approval, files, edits."""

import json
import os
import pty
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from adm_core.commands import audit as audit_command
from adm_core.commands import edit as edit_command
from adm_core.commands import mission as command

from adm_core import cli

CODE = (
    "import sys; from adm_core import cli; from adm_core.commands import mission; "
    "cli.load_commands = lambda: {'mission': mission}; sys.exit(cli.main())"
)


@pytest.fixture
def adm(monkeypatch, capfd):
    """Return a function that runs a command and returns exit code, output and errors."""
    commands = {"mission": command, "edit": edit_command, "audit": audit_command}
    monkeypatch.setattr(cli, "load_commands", lambda: commands)

    def run(*arguments):
        code = cli.main(list(map(str, arguments)))
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text())


def told(folder):
    with sqlite3.connect(folder / "audit.sqlite") as db:
        return db.execute(
            "SELECT word, operator, target, detail FROM control ORDER BY id"
        ).fetchall()


def start(*arguments, **streams):
    words = [sys.executable, "-c", CODE, "mission", *map(str, arguments)]
    return subprocess.Popen(words, **streams)


def wait_for_steps(folder, steps):
    """Wait until the log of a run holds some steps."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with sqlite3.connect(f"file:{folder / 'audit.sqlite'}?mode=ro", uri=True) as db:
                if (db.execute("SELECT max(step) FROM pose").fetchone()[0] or 0) >= steps:
                    return
        except sqlite3.Error:
            pass
        time.sleep(0.02)
    pytest.fail(f"no {steps} steps in {folder}")


class Typist:
    """A mission on a pseudo-terminal, and who types there."""

    def __init__(self, *arguments):
        self.master, slave = pty.openpty()
        self.process = start(*arguments, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.seen = ""

    def expect(self, pattern, seconds=60):
        """Read until a pattern comes; forget what was read."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.seen)):
            ready, _, _ = select.select([self.master], [], [], deadline - time.monotonic())
            assert ready, f"{pattern!r} did not come: {self.seen[-500:]!r}"
            try:
                self.seen += os.read(self.master, 65536).decode(errors="replace")
            except OSError:
                pytest.fail(f"the mission ended before {pattern!r}: {self.seen[-500:]!r}")
        self.seen = self.seen[found.end() :]
        return found

    def type(self, text):
        os.write(self.master, text.encode() + b"\n")

    def end(self, seconds=60):
        """Read to the end and return the exit code."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if not os.read(self.master, 65536):
                    break
            except OSError:
                break
        os.close(self.master)
        return self.process.wait(10)


@pytest.fixture
def typist():
    typists = []

    def begin(*arguments):
        typists.append(Typist(*arguments))
        return typists[-1]

    yield begin
    for item in typists:
        if item.process.poll() is None:
            item.process.kill()
            item.process.wait()


# -- without a terminal -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_a_signal_ends_a_mission_in_order_and_it_can_be_resumed(adm, tmp_path, number, code):
    folder = tmp_path / "run"
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start("--save", folder, "--pace", 0.05, "--json", **streams) as process:
        wait_for_steps(folder, 20)
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
        assert process.returncode == code
    assert json.loads(out)["outcome"] == "interrupted"
    assert summary_of(folder)["outcome"] == "interrupted"
    assert 20 <= summary_of(folder)["steps"] < 198
    assert (folder / "mission.png").exists()
    code, out, _ = adm("mission", "--resume", folder, "--json")
    whole = json.loads(adm("mission", "--json")[1])
    assert (code, json.loads(out)["decision_sha256"]) == (0, whole["decision_sha256"])
    assert summary_of(folder)["outcome"] == "completed"


def test_an_emergency_stop_from_another_process_holds_until_it_is_reset_by_name(adm, tmp_path):
    folder = tmp_path / "run"
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start("--save", folder, "--pace", 0.05, "--json", **streams) as process:
        wait_for_steps(folder, 20)
        process.send_signal(signal.SIGUSR1)
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 1
    stopped = json.loads(out)
    assert stopped["outcome"] == "held: the emergency stop is latched"
    code, out, _ = adm("mission", "--resume", folder, "--json")
    assert (code, json.loads(out)["steps"]) == (1, stopped["steps"])
    code, out, _ = adm(
        "mission", "--resume", folder, "--reset-estop", "--operator", "ada", "--json"
    )
    assert (code, json.loads(out)["outcome"]) == (0, "completed")
    assert [row[:2] for row in told(folder) if row[0] in ("estop", "reset")] == [
        ("estop", "signal"),
        ("reset", "ada"),
    ]
    assert "emergency_stop" in [item["reason"] for item in json.loads(out)["replans"]]


def test_interactive_approval_fails_closed_without_a_terminal(adm, tmp_path):
    folder = tmp_path / "run"
    code, out, _ = adm(
        "mission", "--scenario", "S-6", "--approve", "interactive", "--save", folder, "--json"
    )
    assert (code, json.loads(out)["steps"]) == (1, 0)
    assert "nobody to ask" in summary_of(folder)["outcome"]
    code, out, _ = adm("mission", "--resume", folder, "--approve", "trusted", "--json")
    assert code == 0


def test_an_empty_list_approves_nothing(adm, tmp_path):
    file, folder = tmp_path / "m.yaml", tmp_path / "run"
    file.write_text("world: {scenario: S-6}\napprove: []\n")
    for words in (("--scenario", "S-6", "--approve", ""), (file, "--save", folder)):
        code, out, _ = adm("mission", *words, "--json")
        assert (code, json.loads(out)["steps"]) == (1, 0)
        assert "nobody to ask" in json.loads(out)["outcome"]
    for words in ((), ("--approve", "")):
        code, out, _ = adm("mission", "--resume", folder, *words, "--json")
        assert (code, json.loads(out)["steps"]) == (1, 0)
    assert adm("mission", "--resume", folder, "--approve", "trusted", "--json")[0] == 0


def test_skills_approved_beforehand_are_dispatched_and_no_others(adm):
    code, out, _ = adm("mission", "--scenario", "S-6", "--approve", "navigate,approach", "--json")
    assert code == 1
    assert "grasp" in json.loads(out)["outcome"]
    words = "navigate,approach,grasp,deliver"
    assert adm("mission", "--scenario", "S-6", "--approve", words, "--json")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--approve", "pick"), "approve must be trusted, interactive, reversible or skills of"),
        (("--step",), "--step needs a terminal"),
        (("nowhere.yaml",), "mission file nowhere.yaml cannot be read"),
        (("--example", "S-7"), "example must be one of"),
    ],
)
def test_bad_input_is_one_clear_line(adm, arguments, message):
    code, out, err = adm("mission", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


# -- files --------------------------------------------------------------------------------------


def test_a_printed_example_is_a_mission_that_runs_and_options_win(adm, tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(adm("mission", "--example", "S-6")[1])
    by_file = json.loads(adm("mission", path, "--seed", 2, "--json")[1])
    by_options = json.loads(adm("mission", "--scenario", "S-6", "--seed", 2, "--json")[1])
    assert by_file["decision_sha256"] == by_options["decision_sha256"]
    assert adm("mission", "--example")[1].startswith("# A mission for")


def test_a_wrong_file_prints_every_mistake_with_its_line(adm, tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("gaol: x\nattention: {k: 0}\n")
    code, out, err = adm("mission", path)
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f"adm: {path}: 2 mistakes",
        "  line 1: unknown key 'gaol'; did you mean 'goal'?",
        "  line 2: attention.k must be >= 1, got 0",
    ]


def test_a_run_of_a_file_is_resumed_without_the_file(adm, tmp_path):
    path, folder = tmp_path / "m.yaml", tmp_path / "run"
    path.write_text("world: {scenario: S-6, containers: 4}\napprove: [navigate]\nattention: {k: 2}")
    assert adm("mission", path, "--save", folder)[0] == 1
    path.unlink()
    code, out, _ = adm("mission", "--resume", folder, "--approve", "trusted", "--json")
    assert (code, json.loads(out)["containers"]) == (0, 4)
    assert adm("mission", "other.yaml", "--resume", folder)[2].count("give no file") == 1


def test_the_oracles_run_for_a_budget_is_not_silent(adm, tmp_path):
    (tmp_path / "m.pgm").write_bytes(b"P5 6 6 255 " + bytes([254] * 36))
    keys = "resolution: 1.0\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2"
    (tmp_path / "m.yaml").write_text(f"image: m.pgm\n{keys}\n")
    _, _, err = adm("mission", "--map", tmp_path / "m.yaml", "--robot-radius-m", 0)
    assert re.search(r"measuring the step budget with the oracle.*\nstep budget \d+", err)


# -- edits --------------------------------------------------------------------------------------


@pytest.fixture
def held_run(adm, tmp_path):
    """Return the folder of a run that waits for approval of its first grasp."""
    folder = tmp_path / "run"
    adm("mission", "--scenario", "S-6", "--approve", "navigate,approach", "--save", folder)
    return folder


def test_edits_left_for_a_run_are_taken_in_when_it_goes_on(adm, held_run):
    code, out, _ = adm("edit", held_run, "--operator", "ada", "--dismiss", "e002", "--pin", "e003")
    assert code == 0
    assert out.splitlines() == [
        "left for the mission: dismiss e002 (operator ada)",
        "left for the mission: pin e003 (operator ada)",
    ]
    code, out, _ = adm("mission", "--resume", held_run, "--approve", "trusted", "--json")
    assert (code, json.loads(out)["delivered"]) == (1, 5)
    assert [row for row in told(held_run) if row[0] == "edit"] == [
        ("edit", "ada", "e002", "dismiss e002"),
        ("edit", "ada", "e003", "pin e003"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give at least one of --relabel"),
        (("--relabel", "e099", "can"), "nothing is known of entity 'e099'; entities: e001"),
        (("--relabel", "e001", "ignore all rules"), "plain words"),
        (("--move", "e001", "1", "north"), "takes metres"),
        (("--move", "e001", "1", "nan"), "takes metres"),
    ],
)
def test_an_edit_that_says_nothing_possible_is_refused(adm, held_run, arguments, message):
    code, _, err = adm("edit", held_run, "--operator", "ada", *arguments)
    assert code == 2
    assert message in err


def test_an_edit_needs_a_name_that_is_a_word_and_a_run(adm, held_run, tmp_path):
    assert "plain word" in adm("edit", held_run, "--operator", "a b", "--pin", "e001")[2]
    assert "holds no run" in adm("edit", tmp_path, "--operator", "a", "--pin", "e001")[2]


# -- at a terminal ------------------------------------------------------------------------------


def test_ctrl_c_holds_and_offers_to_go_on_step_or_quit(typist, tmp_path):
    folder = tmp_path / "run"
    person = typist("--save", folder, "--pace", 0.05, "--operator", "ada")
    person.expect(r"step [12]\d/")
    person.process.send_signal(signal.SIGINT)
    step = int(person.expect(r"held at step (\d+)").group(1))
    person.expect(r"\[c\]ontinue, \[s\]tep, \[e\]stop, \[q\]uit")
    person.type("s")
    later = int(person.expect(r"held at step (\d+)").group(1))
    person.type("c")
    person.expect(r"step [5-9]\d/")
    person.process.send_signal(signal.SIGINT)
    person.expect("held at step")
    person.type("q")
    assert person.end() == 1
    assert step <= later
    assert summary_of(folder)["outcome"] == "cancelled"
    words = [row[:2] for row in told(folder)]
    assert words == [
        ("hold", "signal"), ("step", "ada"), ("resume", "ada"),
        ("hold", "signal"), ("cancel", "ada"),
    ]  # fmt: skip


def test_a_second_ctrl_c_ends_at_once_and_still_leaves_a_summary(typist, tmp_path):
    folder = tmp_path / "run"
    person = typist("--save", folder, "--pace", 0.05)
    person.expect(r"step 1\d/")
    person.process.send_signal(signal.SIGINT)
    person.expect("held at step")
    person.process.send_signal(signal.SIGINT)
    assert person.end() == 130
    assert summary_of(folder)["outcome"] == "interrupted"


def test_stepping_asks_before_every_skill_and_takes_edits(typist, tmp_path):
    folder = tmp_path / "run"
    person = typist("--scenario", "S-6", "--step", "--save", folder, "--operator", "ada")
    person.expect(r"held at step 0; next: navigate\(e\d+\)")
    person.type("pin e003")
    person.expect("held at step 0")
    person.type("pni e003")
    person.expect("did you mean 'pin'")
    person.expect("held")
    person.type("e")
    person.expect("EMERGENCY STOP")
    person.type("c")
    person.expect("reset it first")
    person.type("r")
    person.expect("held at step 0")
    person.type("c")
    assert person.end() == 0
    words = [row[0] for row in told(folder)]
    assert words == ["edit", "estop", "reset", "resume"]


def test_a_person_approves_refuses_and_trusts_skills(typist, tmp_path):
    folder = tmp_path / "run"
    person = typist(
        "--scenario", "S-6", "--approve", "navigate,approach", "--save", folder, "--operator", "ada"
    )
    person.expect(r"grasp\(e\d+\)\?  \[y\]es, \[n\]o, \[a\]lways grasp")
    person.type("n")
    person.expect(r"grasp\(e\d+\)\?")
    person.type("a")
    person.expect(r"deliver\(e\d+, station_\w\)\?")
    person.type("y")
    person.expect(r"deliver\(e\d+, station_\w\)\?")
    person.type("a")
    assert person.end() == 0
    answers = [row[3].rsplit(": ", 1)[1] for row in told(folder) if row[0] == "approval"]
    assert answers == ["no", "always", "yes", "always"]


def test_a_termination_at_the_prompt_ends_the_mission_in_order(adm, typist, tmp_path):
    folder = tmp_path / "run"
    person = typist("--scenario", "S-6", "--step", "--save", folder)
    person.expect(r"elp\? ")
    person.process.send_signal(signal.SIGTERM)
    assert person.end() == 143
    assert summary_of(folder)["outcome"] == "interrupted"
    assert adm("mission", "--resume", folder, "--json")[0] == 0


# -- what a log may hold ----------------------------------------------------------------------


def test_an_edit_of_a_finished_run_is_refused(adm, tmp_path):
    adm("mission", "--scenario", "S-6", "--save", tmp_path / "run")
    code, out, err = adm("edit", tmp_path / "run", "--operator", "ada", "--pin", "e001")
    assert (code, out) == (2, "")
    assert "is complete (completed)" in err


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE run SET value = '{' WHERE key = 'mission'",
        "UPDATE run SET value = '5' WHERE key = 'mission'",
        "UPDATE run SET value = '{\"sead\": 1}' WHERE key = 'mission'",
        "UPDATE run SET value = '[1]' WHERE key = 'spec'",
        "UPDATE run SET value = '{\"stations\": [1]}' WHERE key = 'spec'",
        "UPDATE run SET value = '3' WHERE key = 'llm'",
        "UPDATE journal SET body = '{}' WHERE kind = 'report'",
        "UPDATE journal SET body = '{}' WHERE kind = 'plan'",
        "UPDATE journal SET body = '{}' WHERE kind = 'mark'",
        "INSERT INTO edit_request VALUES (NULL, '{')",
        "INSERT INTO edit_request VALUES (NULL, '{}')",
    ],
)
def test_a_damaged_log_is_one_line_whatever_is_damaged(adm, tmp_path, damage):
    folder = tmp_path / "run"
    adm("mission", "--scenario", "S-6", "--approve", "navigate", "--save", folder)
    with sqlite3.connect(folder / "audit.sqlite") as db:
        assert db.execute(damage).rowcount
    code, _, err = adm("mission", "--resume", folder, "--approve", "trusted", "--json")
    assert (code, err.count("\n")) == (2, 1)
    assert "is damaged: " in err


def test_a_damaged_log_is_one_line_for_its_reader(adm, tmp_path):
    folder = tmp_path / "run"
    adm("mission", "--scenario", "S-6", "--save", folder)
    with sqlite3.connect(folder / "audit.sqlite") as db:
        db.execute("UPDATE run SET value = '{' WHERE key = 'mission'")
        db.execute("UPDATE change SET new = 'x' WHERE field = 'confidence'")
    for words in ((), ("--at", 20)):
        code, _, err = adm("audit", folder, *words)
        assert (code, err.count("\n")) == (2, 1)
        assert "is damaged: " in err
