"""Security policies allow what nodes really have open, and nothing else."""

from pathlib import Path

import pytest
from adm_core.missions.twin import prepare_twin
from adm_nodes.bringup.interfaces import Interfaces
from adm_nodes.bringup.policy import EVERYTHING, interfaces_of, policy, read_policy
from adm_nodes.bringup.recipes import RECIPES
from adm_nodes.bringup.spec import TOGETHER

SECURITY = Path(__file__).parents[3] / "launch" / "security"
CLOCK = Interfaces(subscribe=frozenset({"/clock"}))


def test_a_policy_says_what_was_put_in():
    explorer = Interfaces(
        publish=frozenset({"/robot_1/pose", "/rosout"}),
        reply=frozenset({"/robot_1/explorer/get_state"}),
        request=frozenset({"/act"}),
        execute=frozenset({"/search"}),
        call=frozenset({"/navigate"}),
    )
    nodes = {"/robot_1/explorer": explorer, "/world": Interfaces()}
    allowed = read_policy(policy(nodes))
    assert allowed == {
        "/robot_1/explorer": {"/robot_1/explorer": explorer | CLOCK},
        "/world": {"/world": CLOCK},
        TOGETHER: {"/robot_1/explorer": explorer | CLOCK, "/world": CLOCK},
    }


def given_to(name, folder):
    """Return the arguments that only a file can fill: the mission of a real robot."""
    if name != "jetrover":
        return {}
    prepare_twin(0).field.save(folder / "mission.json")
    return {"mission": str(folder / "mission.json")}


@pytest.mark.parametrize("name", RECIPES)
def test_what_nodes_have_open_is_what_their_policy_allows(domain, tmp_path, name):
    allowed = read_policy((SECURITY / f"{name}.policy.xml").read_text(encoding="utf-8"))
    found = interfaces_of(name, {**EVERYTHING, **given_to(name, tmp_path)})
    assert set(allowed) == {*found, TOGETHER}
    for node, opened in found.items():
        for enclave in (node, TOGETHER):
            assert opened - allowed[enclave][node] == Interfaces(), f"{node}: refused"
            assert allowed[enclave][node] - opened == CLOCK, f"{node}: needless"
