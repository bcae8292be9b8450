import math

import numpy as np
import pytest
from adm_core._kernels import reference_attention as reference
from adm_core.errors import ConfigError
from adm_core.memory.attention import AttentionConfig, top_k
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import examples

FORMS = [
    (decay, proximity, combine)
    for decay in ("exp", "half_life", "linear", "none")
    for proximity in ("rational", "exp", "none")
    for combine in ("product", "sum")
]
# Few different values, so that ties in score and in stamp are common.
VALUES = {
    "weight": [0.0, 0.6, 0.8, 1.0],
    "confidence": [0.0, 0.3, 0.55, 0.9, 1.0],
    "stamp": [-30.0, 0.0, 9.0, 10.0, 12.0],
    "distance": [0.0, 1.0, 2.5, 40.0, math.inf],
}


def columns(draw, size):
    def column(values):
        return np.array(draw(st.lists(st.sampled_from(values), min_size=size, max_size=size)))

    return [column(values).astype(np.float64) for values in VALUES.values()]


@st.composite
def memories(draw):
    size = draw(st.integers(0, 40))

    def flags():
        return np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool)

    extra = {"mask": flags(), "pinned": flags() & flags()}
    extra["ids"] = np.array(draw(st.permutations(range(size))), np.int64)
    kept = draw(st.sets(st.sampled_from(sorted(extra))))
    return columns(draw, size), {name: extra[name] for name in sorted(kept)}


def expected(data, now, config, **extra):
    total = config.share_quality + config.share_decay + config.share_distance
    shares = tuple(
        share / total for share in (config.share_quality, config.share_decay, config.share_distance)
    )
    return reference.top_k(
        *data,
        now,
        k=config.k,
        forms=(config.decay, config.distance),
        scales=(config.decay_s, config.distance_m),
        shares=shares if config.combine == "sum" else None,
        floor=config.floor,
        **extra,
    )


def assert_same(got, want):
    assert got.indices.tolist() == want[0]
    assert got.scores.tolist() == want[1]  # bit by bit


@settings(max_examples=examples("attention"), deadline=None)
@given(
    memory=memories(),
    form=st.sampled_from(FORMS),
    k=st.integers(1, 12),
    floor=st.sampled_from([0.0, 0.162, 0.5, 2.0]),
)
def test_choice_equals_reference(memory, form, k, floor):
    data, extra = memory
    decay, proximity, combine = form
    config = AttentionConfig(k=k, decay=decay, distance=proximity, combine=combine, floor=floor)
    assert_same(
        top_k(*data, now=10.0, config=config, **extra), expected(data, 10.0, config, **extra)
    )


def random_memory(size, seed=0):
    rng = np.random.default_rng(seed)
    weight = np.array([1.0, 0.8, 0.6])[rng.integers(0, 3, size)]
    data = [weight, rng.random(size), -rng.exponential(60, size), rng.exponential(12, size)]
    twins = rng.integers(0, size, size // 20)
    for column in data:
        column[twins] = column[0]
    return data


@pytest.mark.parametrize(("decay", "proximity", "combine"), FORMS)
@pytest.mark.parametrize("order", ["random", "rising", "falling"])
def test_choice_in_a_large_memory_equals_reference(decay, proximity, combine, order):
    config = AttentionConfig(decay=decay, distance=proximity, combine=combine, floor=0.05)
    data = random_memory(20_011)
    if order != "random":
        best = expected(data, 0.0, config=AttentionConfig(k=4096, decay=decay, distance=proximity))[
            0
        ]
        sign = 1 if order == "falling" else -1
        front = np.concatenate([best, np.setdiff1d(np.arange(20_011), best)])[::sign]
        data = [np.ascontiguousarray(column[front]) for column in data]
    mask = np.arange(20_011) % 3 != 1
    assert_same(
        top_k(*data, now=0.0, config=config, mask=mask), expected(data, 0.0, config, mask=mask)
    )


def test_exponential_is_exact_to_two_units_in_the_last_place():
    x = -np.concatenate([np.linspace(0, 3, 4001), np.geomspace(1e-12, 700, 4001)])
    got = reference.exponential(x)
    want = np.array([math.exp(value) for value in x])
    assert np.max(np.abs(got - want) / np.spacing(want)) <= 2
    assert reference.exponential(np.array([0.0, -709.0, -math.inf])).tolist() == [1.0, 0.0, 0.0]


def test_published_score():
    got = top_k(*map(np.array, ([0.8], [0.9], [4.0], [3.0])), now=13.0)
    assert got.scores[0] == pytest.approx(0.8 * 0.9 * math.exp(-9 / 18) / 4, rel=1e-14)


def test_half_life_and_linear_decay():
    data = [np.array([1.0]), np.array([1.0]), np.array([0.0]), np.array([0.0])]
    for decay, now, want in [("half_life", 18.0, 0.5), ("linear", 9.0, 0.5), ("linear", 40.0, 0.0)]:
        got = top_k(*data, now=now, config=AttentionConfig(decay=decay))
        assert got.scores[0] == pytest.approx(want, abs=1e-14)


def test_ties_go_to_the_newer_record_then_to_the_smaller_id():
    data = [np.ones(4), np.ones(4), np.array([3.0, 5.0, 5.0, 4.0]), np.ones(4)]
    config = AttentionConfig(decay="none")
    assert top_k(*data, now=9.0, config=config).indices.tolist() == [1, 2, 3, 0]
    ids = np.array([9, 8, 7, 6])
    assert top_k(*data, now=9.0, config=config, ids=ids).indices.tolist() == [2, 1, 3, 0]


def test_records_below_the_floor_are_shown_only_if_none_reaches_it():
    old, new = [np.ones(3), np.ones(3), np.full(3, -90.0), np.zeros(3)], np.array([0.0, -90, -90])
    assert top_k(*old, now=0.0).indices.tolist() == [0, 1, 2]
    old[2] = new
    assert top_k(*old, now=0.0).indices.tolist() == [0]
    assert top_k(*old, now=0.0, config=AttentionConfig(floor=0.0)).indices.tolist() == [0, 1, 2]


def test_pinned_records_are_inside_k_whatever_they_score():
    data = [np.ones(5), np.array([0.9, 0.8, 0.7, 0.6, 0.1]), np.zeros(5), np.zeros(5)]
    pinned = np.array([False, False, False, False, True])
    got = top_k(*data, now=0.0, config=AttentionConfig(k=2), pinned=pinned)
    assert got.indices.tolist() == [0, 4]
    masked = top_k(*data, now=0.0, config=AttentionConfig(k=2), pinned=pinned, mask=~pinned)
    assert masked.indices.tolist() == [0, 1]


def test_weights_by_source_equal_weights_by_record():
    data = random_memory(9000)
    source = np.random.default_rng(1).integers(0, 3, 9000).astype(np.uint8)
    table = np.array([1.0, 0.8, 0.6])
    got = top_k(table, *data[1:], now=0.0, source=source)
    want = top_k(table[source], *data[1:], now=0.0)
    assert got.indices.tolist() == want.indices.tolist()
    assert got.scores.tolist() == want.scores.tolist()


def test_values_of_records_that_are_no_candidates_are_not_looked_at():
    data = [np.ones(2), np.array([1.0, math.nan]), np.zeros(2), np.zeros(2)]
    assert top_k(*data, now=0.0, mask=np.array([True, False])).indices.tolist() == [0]


def test_an_unreachable_place_scores_zero():
    got = top_k(np.ones(1), np.ones(1), np.zeros(1), np.array([math.inf]), now=0.0)
    assert got.scores.tolist() == [0.0]


ONES = np.ones(3)
FIRST = np.array([math.nan, 1.0, 1.0])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"weight": np.ones(2)}, r"weight must be .*float64\[3\]"),
        ({"confidence": ONES.astype(np.float32)}, "confidence .*float32"),
        ({"confidence": [1.0, 1.0, 1.0]}, "confidence .*list"),
        ({"confidence": np.ones((3, 1))}, "confidence"),
        ({"stamp": np.ones(6)[::2]}, "stamp .*not contiguous"),
        ({"stamp": ONES.astype(">f8")}, "stamp"),
        ({"distance": np.ones(4)}, "distance"),
        ({"mask": np.ones(2, bool)}, "mask"),
        ({"mask": ONES}, "mask .*float64"),
        ({"pinned": np.ones(3, np.int8)}, "pinned"),
        ({"ids": np.arange(3, dtype=np.int32)}, "ids"),
        ({"source": np.zeros(3, np.int64)}, "source"),
        ({"source": np.zeros(3, np.uint8), "weight": np.ones(257)}, "weight .*256"),
        ({"source": np.full(3, 7, np.uint8)}, "weight, .*nan"),  # no weight of that source
        ({"now": math.nan}, "now"),
        ({"weight": FIRST}, "position 0"),
        ({"confidence": FIRST}, "position 0"),
        ({"stamp": FIRST}, "position 0"),
        ({"distance": FIRST}, "position 0"),
        ({"distance": -ONES}, "position"),
        ({"weight": -ONES}, "position"),
        ({"confidence": ONES * math.inf}, "position"),
    ],
)
def test_bad_argument_is_named(arguments, named):
    good = {"weight": ONES, "confidence": ONES, "stamp": ONES, "distance": ONES, "now": 1.0}
    with pytest.raises(ValueError, match=named):
        top_k(**{**good, **arguments})


@pytest.mark.parametrize(("column", "at"), [(0, 5000), (1, 8191), (2, 777), (3, 19_999)])
def test_a_bad_value_deep_in_a_large_memory_is_found(column, at):
    data = random_memory(20_000)
    data[column][at] = math.nan
    with pytest.raises(ValueError, match=f"position {at}"):
        top_k(*data, now=0.0)


@pytest.mark.parametrize(
    "bad",
    [
        {"k": 0},
        {"decay": "cubic"},
        {"decay_s": 0.0},
        {"distance_m": math.inf},
        {"floor": -0.1},
        {"combine": "sum", "share_quality": 0.0, "share_decay": 0.0, "share_distance": 0.0},
    ],
)
def test_bad_parameter_is_refused(bad):
    with pytest.raises(ConfigError):
        AttentionConfig(**bad)
