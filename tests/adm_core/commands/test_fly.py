"""``adm fly`` and ``adm fake`` from the outside."""

import json
import socket
import threading
import time

import cv2
import pytest
from adm_core.commands import fake as fake_command
from adm_core.commands import fly as command
from flights import BOTTLE, CAN

from adm_core import cli


@pytest.fixture
def adm(monkeypatch, capfd):
    """Return a function that runs ``adm`` and returns exit code, output and errors."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"fly": command, "fake": fake_command})

    def run(*arguments):
        code = cli.main([*map(str, arguments)])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


def test_a_pretended_survey_finds_the_containers_and_draws_itself(adm, tmp_path):
    path = tmp_path / "new" / "survey.png"
    code, out, err = adm("fly", "--pretend", "--json", "--png", path)
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert lines[-1]["phase"] == "landed"
    seen = {item["label"]: item["place"] for line in lines for item in line.get("seen", ())}
    assert seen["can"] == pytest.approx(CAN, abs=0.15)
    assert seen["bottle"] == pytest.approx(BOTTLE, abs=0.15)
    picture = cv2.imread(str(path))
    assert picture.shape[1] >= 900 and picture.std() > 5


def test_it_says_in_words_what_happens(adm):
    code, out, _ = adm("fly", "--pretend", "--at", "1.0,1.0", "--dry-run", "true")
    assert code == 0
    assert out.splitlines()[0] == "starting"
    assert "nothing was sent to the motors" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "fence must be given"),
        (("--pretend", "--at", "1"), "--at must be like"),
        (("--pretend", "--at", "9,9"), "inside the fence"),
        (("--pretend", "--altitude-m", "9"), "altitude_m"),
        (("--fence", "0,0 1,0"), "three or more"),
        (("--pretend", "--containers", "/no/such"), "containers /no/such"),
    ],
)
def test_what_cannot_be_flown_is_one_line(adm, options, words):
    code, out, err = adm("fly", *options)
    assert (code, out) == (2, "")
    assert words in err and err.count("\n") == 1


def test_a_flight_that_ends_early_is_told_by_the_exit_code(adm):
    code, out, _ = adm("fly", "--pretend", "--battery-start", "100", "--at", "1,1")
    assert code == 1
    assert "low_battery" in out


def test_the_fake_answers_while_it_runs(adm):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    heard = []

    def ask():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(0.2)
            for _ in range(40):
                client.sendto(b"battery?", ("127.0.0.1", port))
                try:
                    heard.append(client.recv(100))
                    return
                except OSError:
                    time.sleep(0.1)

    thread = threading.Thread(target=ask)
    thread.start()
    code, out, _ = adm("fake", "tello", "--port", port, "--seconds", "2", "--fault",
                       "battery:value=61")  # fmt: skip
    thread.join()
    assert code == 0
    assert heard in ([b"60"], [b"61"])
    assert "battery?" in out


@pytest.mark.parametrize("fault", ["late", "sadness", "late:command"])
def test_malformed_faults_are_refused(adm, fault):
    code, _, err = adm("fake", "tello", "--fault", fault, "--port", "0", "--seconds", "0.01")
    assert code == (0 if fault == "late" else 2)
    assert (fault == "late") == (err == "")
