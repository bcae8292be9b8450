"""Launch files are run against a stand-in of the launch API; a machine with it runs them, too."""

import runpy
import sys
from pathlib import Path

import launch_stand_in as stand_in
import pytest

LAUNCH = Path(__file__).parents[2] / "launch"


@pytest.fixture
def launch(monkeypatch):
    """Return a function that runs a launch file with arguments and returns what it asked for."""
    for name, module in stand_in.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    stand_in.forget("adm_bringup")
    monkeypatch.syspath_prepend(str(LAUNCH))

    def run(file, **given):
        module = runpy.run_path(str(LAUNCH / "launch" / file))
        return stand_in.launch(module["generate_launch_description"](), **given)

    yield run
    stand_in.forget("adm_bringup")
