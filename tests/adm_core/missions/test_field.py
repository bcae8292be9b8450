import json

import pytest
from adm_core.errors import MissionError
from adm_core.missions.field import load_field_mission
from adm_core.missions.twin import CONTAINERS, prepare_twin


@pytest.mark.parametrize("seed", range(5))
def test_a_mission_file_brings_the_mission_back(tmp_path, seed):
    field = prepare_twin(seed).field
    field.save(tmp_path / "mission.json")
    again = load_field_mission(tmp_path / "mission.json")
    assert again.mission == field.mission
    assert again.grid_map.map_id == field.grid_map.map_id
    assert again.known == field.known
    assert again.places == field.places


@pytest.mark.parametrize(
    "damage",
    [lambda d: d.pop("map"), lambda d: d["stations"][0].pop("places"), lambda d: d.clear()],
    ids=["no map", "no places", "nothing"],
)
def test_a_damaged_file_is_refused(tmp_path, damage):
    path = tmp_path / "mission.json"
    prepare_twin(0).field.save(path)
    document = json.loads(path.read_text())
    damage(document)
    path.write_text(json.dumps(document))
    with pytest.raises(MissionError, match="mission"):
        load_field_mission(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MissionError, match=r"nowhere\.json"):
        load_field_mission(tmp_path / "nowhere.json")


def test_places_of_a_station_are_put_away_and_no_others():
    field = prepare_twin(0).field
    for places in field.places.values():
        assert all(field.is_put_away((place.x, place.y)) for place in places)
    assert not field.is_put_away((0.0, 0.0))


def test_twenty_missions_differ_and_know_one_container_each():
    twins = [prepare_twin(seed) for seed in range(20)]
    assert len({item.places.spots[item.places.placed[0]] for item in twins}) == 20
    assert len({item.arena.obstacles for item in twins}) > 1
    assert all(len(item.field.known) == 1 for item in twins)
    assert all(len(item.places.labels) == CONTAINERS for item in twins)


def test_a_reveal_changes_the_assignment_in_at_least_five_of_twenty():
    assert sum(not prepare_twin(seed).known_right for seed in range(20)) >= 5
