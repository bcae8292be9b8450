import subprocess
import sys

import pytest
from adm_core.simulation.rigid_body.engine import Engine, RigidBodyError, load_bullet


def test_a_missing_engine_says_how_to_get_it(monkeypatch):
    load_bullet.cache_clear()
    monkeypatch.setitem(sys.modules, "pybullet", None)
    with pytest.raises(RigidBodyError, match=r"pip install pybullet, or in a checkout"):
        Engine()
    load_bullet.cache_clear()


def test_loading_the_engine_prints_nothing_to_standard_output():
    pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")
    code = "from adm_core.simulation.rigid_body.engine import Engine; Engine().close(); print(1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_two_engines_are_two_worlds_and_closing_twice_is_no_error():
    pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")
    one, other = Engine(), Engine()
    shape = one.createCollisionShape(one.GEOM_SPHERE, radius=0.1)
    one.createMultiBody(1.0, shape)
    assert (one.getNumBodies(), other.getNumBodies()) == (1, 0)
    one.close()
    one.close()
    other.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only X asks for a display")
@pytest.mark.parametrize("display, told", [("", "DISPLAY is not set"), (":97", "DISPLAY=:97")])
def test_a_window_without_a_display_is_an_error_and_not_the_end_of_the_process(
    monkeypatch, display, told
):
    pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")
    monkeypatch.setenv("DISPLAY", display)
    with pytest.raises(RigidBodyError, match=f"{told}|libX11"):
        Engine(window=True)
