"""Mission files: what they say comes through, what is wrong is named with its line."""

import textwrap

import pytest
from adm_core.errors import ConfigError, MissionError
from adm_core.memory.static import Region, Station
from adm_core.missions.mission_file import MissionFileError, load_mission_file
from adm_core.missions.order import order_of
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.missions.spec import MissionSpec
from adm_core.types import Pose2D

WHOLE = """\
goal: clear the hall
world: {scenario: S-6, seed: 4, containers: 5, budget_steps: 200, classes: [can, jar]}
noise: {detection: 0.9, latency: 1}
stations:
  - {id: left, at: [0.5, 0.5], accepts: [can]}
  - {id: right, at: [4.5, 4.5, 0.1], accepts: [bottle, jar]}
regions:
  - {name: corner, corners: [[0, 0], [2, 0], [2, 2]]}
rules: [be quick]
skills: [navigate, grasp, deliver]
approve: [navigate, grasp]
memory: {profile: robust, method: attention, min_remote_confidence: 0.6}
attention: {k: 3}
planner: {mode: policy, fallback: hold}
"""


@pytest.fixture
def write(tmp_path):
    def written(text, name="m.yaml"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return written


def mistakes(path):
    with pytest.raises(MissionFileError) as caught:
        load_mission_file(path)
    return [str(item) for item in caught.value.mistakes]


def test_everything_that_a_file_says_reaches_the_mission(write):
    order = order_of(str(write(WHOLE)), {})
    setup = prepare(order.mission, spec=order.spec)
    mission = setup.mission
    assert mission.goal == "clear the hall"
    assert mission.stations == (
        Station("left", Pose2D(0.5, 0.5, 0.0), ("can",)),
        Station("right", Pose2D(4.5, 4.5, 0.1), ("bottle", "jar")),
    )
    assert mission.regions == (Region("corner", ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0))),)
    assert (mission.rules, mission.skills) == (("be quick",), ("navigate", "grasp", "deliver"))
    assert (mission.expected, mission.budget_steps) == (5, 200)
    assert setup.layout.labels == ("can", "jar", "can", "jar", "can")
    assert (setup.scenario.detection, setup.scenario.latency) == (0.9, 1)
    assert (setup.scenario.false_report, setup.config.seed) == (0.05, 4)
    assert (setup.profile.memory.min_remote_confidence, setup.profile.memory.confirm) == (0.6, 2)
    assert setup.profile.attention.k == 3
    assert (order.planning.fallback, order.approve) == ("hold", "navigate,grasp")


def test_the_mission_of_a_file_is_carried_out_with_the_skills_that_it_allows(write):
    order = order_of(str(write(WHOLE)), {})
    run = LocalMission(prepare(order.mission, spec=order.spec))
    activities = {snapshot.activity.split("(")[0] for snapshot in run.run()}
    assert run.executor.complete
    assert "approach" not in {step.skill for step in run.executor._planned}
    assert activities <= {"start", "navigate", "grasp", "deliver", "search"}


def test_an_order_survives_being_written_down(write):
    order = order_of(str(write(WHOLE)), {})
    assert MissionSpec.from_plain(order.spec.as_plain()) == order.spec


def test_options_win_over_the_file(write):
    given = {"mission": {"seed": 9, "containers": 3, "profile": "paper"}}
    order = order_of(str(write(WHOLE)), given, approve="trusted")
    assert (order.mission.seed, order.mission.scenario) == (9, "S-6")
    assert prepare(order.mission, spec=order.spec).mission.expected == 3
    assert (order.mission.profile, order.approve) == ("paper", "trusted")


def test_an_empty_file_and_keys_without_a_value_say_nothing(write):
    plain = order_of("", {})
    assert order_of(str(write("")), {}) == plain
    assert order_of(str(write("goal:\nworld:\n  seed:\nstations:\n")), {}) == plain


def test_files_are_found_beside_the_mission_file(write, tmp_path):
    found = load_mission_file(write("world: {map: maps/a.yaml}\nplanner: {prices: p.yaml}\n"))
    assert found.mission["map"] == str(tmp_path / "maps" / "a.yaml")
    assert found.planner["prices"] == str(tmp_path / "p.yaml")


def test_a_scenario_by_option_replaces_the_map_of_the_file(write):
    order = order_of(str(write("world: {map: a.yaml}")), {"mission": {"scenario": "S-6"}})
    assert (order.mission.map, order.mission.scenario) == ("", "S-6")


def test_without_a_file_and_options_the_order_is_the_default_mission():
    assert order_of("", {}).mission == MissionConfig()


#: A file, and the lines and words of everything that is wrong with it.
WRONG = [
    ("gaol: x", ["line 1: unknown key 'gaol'; did you mean 'goal'?"]),
    ("goal: 7", ["line 1: goal must be text, got 7"]),
    ("goal: ''", ["line 1: goal must be text that says something, got ''"]),
    ("- goal", ["line 1: a mission file must be a mapping of keys, got a list of 1"]),
    ("goal: [", ["line 1: not YAML: expected the node content, but found '<stream end>'"]),
    ("goal: a\ngoal: b", ["line 2: key 'goal' occurs twice, first in line 1"]),
    ("a: &x\n  b: 1\n? [k]\n: 2", ["line 1: unknown key 'a'", "line 3: a key must be"]),
    ("world: 5", ["line 1: world must be a mapping of keys, got 5"]),
    ("world:\n  sed: 1", ["line 2: unknown key 'sed' in world; did you mean 'seed'?"]),
    ("world:\n  seed: -1", ["line 2: world.seed must be >= 0, got -1"]),
    ("world:\n  seed: 1.5", ["line 2: world.seed must be a whole number, got 1.5"]),
    ("world:\n  seed: true", ["line 2: world.seed must be a whole number, got True"]),
    ("world:\n  view_m: .nan", ["line 2: world.view_m must be finite, got nan"]),
    ("world:\n  view_m: near", ["line 2: world.view_m must be a number, got 'near'"]),
    (
        "world:\n  scenario: S-7",
        ["line 2: world.scenario must be one of S-6, D-10, DN-14, got 'S-7'"],
    ),
    (
        "world:\n  scenario: S-6\n  map: m.yaml",
        ["line 3: world takes a scenario or a map, not both"],
    ),
    (
        "world:\n  classes:\n    - can",
        ["line 3: world.classes[0] 'can' needs a station that accepts it"],
    ),
    ("noise:\n  detection: 1.5", ["line 2: noise.detection must be <= 1, got 1.5"]),
    ("stations: []", ["line 1: stations must be a list of at least 1, got a list of 0"]),
    (
        "stations:\n  - {id: a, at: [1, 2]}",
        ["line 2: stations[0] needs 'accepts'"],
    ),
    (
        "stations:\n  - {id: a, at: [1], accepts: [can]}",
        ["line 2: stations[0].at must be a list of at least 2, got a list of 1"],
    ),
    (
        "stations:\n  - id: a b\n    at: [1, 2]\n    accepts: [can]",
        ["line 2: stations[0].id must be a plain word of letters, digits, _ . : -, got 'a b'"],
    ),
    (
        "stations:\n  - {id: a, at: [1, 2], accepts: [can]}\n  - {id: a, at: [2, 2], accepts: [x]}",
        ["line 3: stations[1].id 'a' is that of line 2"],
    ),
    (
        "world:\n  stations: 3\nstations:\n  - {id: a, at: [1, 2], accepts: [can]}",
        ["line 2: world.stations counts stations to be placed; the file lists its own"],
    ),
    (
        "regions:\n  - {name: a, corners: [[0, 0], [1, 1]]}",
        ["line 2: regions[0].corners must be a list of at least 3, got a list of 2"],
    ),
    (
        "skills: [navigate, grap, deliver]",
        [
            "line 1: skills[1] must be one of navigate, approach, grasp, deliver, verify, observe, "
            "got 'grap'; did you mean 'grasp'?"
        ],
    ),
    ("skills: [navigate, grasp]", ["line 1: skills must have deliver"]),
    (
        "approve: maybe",
        ["line 1: approve must be trusted, interactive, reversible or skills of"],
    ),
    ("memory:\n  profile: robst", ["line 2: profile must be one of paper, robust"]),
    (
        "memory:\n  method: oracel",
        [
            "line 2: memory.method must be one of none, static, unfiltered, attention, oracle, "
            "got 'oracel'; did you mean 'oracle'?"
        ],
    ),
    ("memory:\n  pin_target: 1", ["line 2: memory.pin_target must be true or false, got 1"]),
    (
        "attention:\n  combine: sum\n  share_quality: 0\n  share_decay: 0\n  share_distance: 0",
        ["line 1: attention.share_quality + share_decay + share_distance must be > 0"],
    ),
    ("planner:\n  mode: replay", ["line 1: planner.replay must name a recording in mode replay"]),
    ("planner:\n  repair: 2", ["line 2: planner.repair must be <= 1, got 2"]),
    ("planner:\n  api_key: sk-1", ["line 2: unknown key 'api_key' in planner"]),
    (
        "goal: ok\nworld:\n  seed: x\n  colour: red\nattention: {k: 0}\nskils: [navigate]",
        [
            "line 3: world.seed must be a whole number, got 'x'",
            "line 4: unknown key 'colour' in world; known are",
            "line 5: attention.k must be >= 1, got 0",
            "line 6: unknown key 'skils'; did you mean 'skills'?",
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), WRONG, ids=[repr(item[0])[:40] for item in WRONG])
def test_every_mistake_is_named_with_its_line(write, text, expected):
    found = mistakes(write(text))
    for line, beginning in zip(found, expected, strict=True):
        assert line.startswith(beginning)


def test_the_message_names_the_file_and_counts(write):
    path = write("goal: 7\nattention: {k: 0}")
    with pytest.raises(ConfigError, match=rf"^{path}: 2 mistakes\n  line 1: .*\n  line 2: "):
        load_mission_file(path)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdef", "bcdefg", strict=True)
)


@pytest.mark.parametrize(
    "text", [BOMB, "a: &a {b: *a}", "\x00", "{" * 2000, "? {a: 1}\n: 2", "goal: !!python/name:os"]
)
def test_hostile_yaml_is_a_mistake_and_nothing_else(write, text):
    assert mistakes(write(text))


def test_a_file_that_is_not_there_or_no_text_is_one_line(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load_mission_file(tmp_path / "nowhere.yaml")
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_mission_file(tmp_path / "b.yaml")
    (tmp_path / "big.yaml").write_bytes(b"#" * (1 << 21))
    with pytest.raises(ConfigError, match="at most"):
        load_mission_file(tmp_path / "big.yaml")


def test_a_station_in_a_wall_is_refused_with_the_nearest_free_place(write):
    order = order_of(str(write("stations: [{id: a, at: [99, 99], accepts: [can]}]")), {})
    with pytest.raises(MissionError, match=r"station 'a' at \(99, 99\) .* \(7.50, 7.50\)"):
        prepare(order.mission, spec=order.spec)


def test_two_stations_at_one_place_are_refused(write):
    two = "{id: a, at: [0.1, 0.1], accepts: [can]}, {id: b, at: [0.9, 0.9], accepts: [jar]}"
    order = order_of(str(write(f"stations: [{two}]")), {})
    with pytest.raises(MissionError, match="must not share its place with 'a'"):
        prepare(order.mission, spec=order.spec)


def test_another_map_than_the_file_names_is_refused(write):
    order = order_of(str(write("map_id: 0123456789abcdef")), {})
    with pytest.raises(MissionError, match="map_id must be that of the map"):
        prepare(order.mission, spec=order.spec)


@pytest.mark.parametrize("value", ["!!timestamp abc", "!!bool maybe", "!!int x", "!!float y"])
def test_a_tag_that_does_not_fit_its_value_is_a_mistake(write, value):
    (mistake,) = mistakes(write(f"goal: {value}\n"))
    assert mistake.startswith("line 1: not YAML: ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1: 2", "line 1: a key must be a plain word, got 1"),
        ('goal: "\\ud800"', "line 1: goal must be text without half characters, got"),
        ("approve: [navigate, fly]", "line 1: approve[1] must be one of navigate, "),
        ("approve: [[navigate]]", "line 1: approve[0] must be one of navigate, "),
        ("approve: true", "line 1: approve must be trusted, interactive, reversible or a list"),
        ("approve: navigat", "line 1: approve must be trusted, "),
        ("approve: [observe]\nskills: [navigate, grasp, deliver]", "line 1: approve[0] 'observe'"),
        (
            "stations: [{id: a, at: [1e9, 0], accepts: [can]}]",
            "line 1: stations[0].at[0] must be a number, got '1e9'; YAML takes it for text: write "
            "1000000000.0",
        ),
        ('goal: "  "', "line 1: goal must be text that says something"),
        ('goal: "\\x1b[31mred\\x07"', "line 1: goal must have no control characters"),
        ('rules: [ok, " "]', "line 1: rules[1] must be text that says something"),
        (
            "regions: [{name: a, corners: [[1, 1], [1, 1], [1, 1]]}]",
            "line 1: regions[0].corners must enclose an area: they lie on one line",
        ),
        (
            "stations: [{id: a, at: [0.5, 0.5], accepts: [bottle, bottle]}]",
            "line 1: stations[0].accepts[1] 'bottle' is there already",
        ),
        ("world: {classes: []}", "line 1: world.classes must be a list of at least 1"),
    ],
)
def test_one_mistake_is_one_line_in_words_of_the_file(write, text, expected):
    (mistake,) = mistakes(write(text + "\n"))
    assert mistake.startswith(expected)


@pytest.mark.parametrize(
    ("text", "approve"),
    [
        ("navigate", "navigate"),
        ("navigate, grasp", "navigate, grasp"),
        ("reversible", "reversible"),
        ("[]", ""),
        ("", None),
    ],
)
def test_who_approves_may_be_said_as_on_the_command_line(write, text, approve):
    assert load_mission_file(write(f"approve: {text}\n")).approve == approve


@pytest.mark.parametrize(
    ("given", "more", "message"),
    [
        ({"containers": 12}, {}, "containers: used only on a map"),
        ({"stations": 5, "scenario": "S-6"}, {}, "stations: used only on a map"),
        ({"step_m": 0.1, "robot_radius_m": 0.1}, {}, "robot_radius_m, step_m: used only on a map"),
        ({"stations": 5}, {"arena": True}, "stations: used only on a map"),
        ({"scenario": "S-6", "map": "m.yaml"}, {}, "scenario is not used with --map"),
        ({"scenario": "S-6"}, {"arena": True}, "scenario is not used with --world arena"),
    ],
)
def test_parameters_of_which_nothing_would_come_are_refused(given, more, message):
    with pytest.raises(ConfigError, match=message):
        order_of("", {"mission": given}, **more)


def test_parameters_of_maps_are_taken_with_a_map_a_team_or_a_file(write):
    order_of("", {"mission": {"stations": 3, "containers": 4, "map": "m.yaml"}})
    order_of("", {"mission": {"stations": 3, "containers": 4}, "team": {}})
    order_of("", {"mission": {"containers": 4}}, arena=True)
    order_of(str(write("goal: x\n")), {"mission": {"containers": 4}})
    on_map = write("world: {map: m.yaml, stations: 3, step_m: 0.5}\n")
    assert order_of(str(on_map), {"mission": {"scenario": "S-6"}}).mission.map == ""
