"""Container files: published images, distribution packages, and nothing that is not there."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "bridge" / "containers"
FILES = sorted(FOLDER.glob("*.Dockerfile"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_images_are_published_ones_and_nothing_foreign_is_compiled(path):
    text = path.read_text("utf-8")
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) in (
        ["ros:noetic-ros-base"],
        ["ros:jazzy-ros-base"],
    )
    assert not re.search(r"git clone|wget|curl|ADD http", text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_copied_exists(path):
    for source in re.findall(r"^COPY (\S+) ", path.read_text("utf-8"), re.MULTILINE):
        assert (ROOT / source).exists()


def test_compose_names_the_files_and_asks_for_the_network():
    services = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))["services"]
    for item in services.values():
        assert (FOLDER / item["build"]["context"] / item["build"]["dockerfile"]).exists()
        assert item["network_mode"] == "host"
    assert "ROS_MASTER_URI" in services["ros1"]["environment"]


def test_both_halves_meet_at_the_same_address():
    addresses = {
        address
        for path in FILES
        for address in re.findall(r"127\.0\.0\.1:\d+", path.read_text("utf-8"))
    }
    assert len(addresses) == 1
