import cv2
import numpy as np
import pytest
from adm_core.errors import MissionError
from adm_core.manipulation.servo import Twist
from adm_core.missions.arena_view import ArenaView
from adm_core.simulation.rigid_body.config import CONTROL_HZ
from arenas import make_arena


@pytest.fixture
def arena():
    made = make_arena()
    yield made
    made.close()


def test_picture_and_film_show_the_arena_and_the_way(arena, tmp_path):
    png, mp4 = tmp_path / "end.png", tmp_path / "film.mp4"
    with ArenaView(arena, png, mp4) as view:
        before = view.picture()
        arena.robot.drive(Twist(0.5, 0.0, 0.3))
        for _ in range(CONTROL_HZ):
            arena.tick()
            view.watch(arena)
    film = cv2.VideoCapture(str(mp4))
    assert film.get(cv2.CAP_PROP_FRAME_COUNT) == 5
    after = cv2.imread(str(png))
    assert after.shape == before.shape == (480, 640, 3)
    assert np.abs(after.astype(int) - before).max(axis=2).mean() > 0.1
    orange = (after[..., 2] > 200) & (after[..., 0] < 100) & (after[..., 1] > 100)
    assert orange.sum() > 10


def test_files_that_cannot_be_written_are_named(arena, tmp_path):
    with pytest.raises(MissionError, match="film"):
        ArenaView(arena, None, tmp_path / "nowhere" / "film.mp4")
    with (
        pytest.raises(MissionError, match="cannot be written"),
        ArenaView(arena, tmp_path / "nowhere" / "end.png", None),
    ):
        pass
