"""The live view stays inside its terminal."""

import io
import re

from adm_core.missions.live_view import LiveView, told
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig


class Terminal(io.StringIO):
    def isatty(self):
        return True


def frames(monkeypatch, columns, rows):
    """Return the panels that a mission draws on a terminal of a size, as lists of lines."""
    setup, screen, clock = prepare(MissionConfig(scenario="S-6")), Terminal(), iter(range(10_000))
    view = LiveView(screen, setup.mission, lambda: next(clock), "header")
    monkeypatch.setattr(view, "_size", lambda: (columns, rows))
    for snapshot in LocalMission(setup).run():
        view.update(snapshot)
    return [part.split("\n")[:-1] for part in re.split(r"\x1b\[\d+F\x1b\[J", screen.getvalue())[1:]]


def test_no_line_wraps_and_no_panel_scrolls(monkeypatch):
    for panel in frames(monkeypatch, 40, 6):
        assert len(panel) <= 5
        assert max(map(len, panel)) <= 39


def test_a_panel_tells_step_plan_reason_and_scores(monkeypatch):
    text = "\n".join(frames(monkeypatch, 200, 50)[3])
    for word in ("step ", "robot ", "holds ", "why ", "plan ", "score ", "delivered"):
        assert word in text


def test_what_nobody_could_tell_is_a_question_mark():
    assert (told(None), told(1.234, ".1f"), told(0)) == ("?", "1.2", "0")


def test_control_characters_of_a_goal_do_not_reach_the_terminal():
    screen = Terminal()
    setup = prepare(MissionConfig(scenario="S-6"))
    LiveView(screen, setup.mission, lambda: 0.0, "\x1b[31mred\x07")
    assert screen.getvalue() == "\\x1b[31mred\\x07\n"
