import pytest
from adm_core.errors import LlmError
from adm_core.llm.exchange import Completion, Failure, Prompt, Usage
from adm_core.llm.ledger import Ledger, apportion, load_prices, price
from hypothesis import given
from hypothesis import strategies as st

PROMPT = Prompt("abcd", (("goal", "12345678"), ("records", "1234")), "s", {})


def completion(usage=None, latency_s=1.0):
    return Completion({}, None, "", usage or Usage(), latency_s, 2, "req", "sha")


@given(
    st.none() | st.integers(0, 10**6),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 10**5), min_size=1),
)
def test_tokens_per_block_add_up_to_what_was_reported(total, sizes):
    parts = apportion(total, sizes)
    assert set(parts) == set(sizes)
    if total is None or not sum(sizes.values()):
        assert all(parts[name] == -(-size // 4) for name, size in sizes.items())
    else:
        assert sum(parts.values()) == total
        exact = {name: size * total / sum(sizes.values()) for name, size in sizes.items()}
        assert all(abs(parts[name] - exact[name]) < 1 + 1e-6 * total for name in sizes)


def test_missing_usage_is_none_and_counted():
    ledger = Ledger("responses_strict", "m")
    ledger.add(1, "plan", PROMPT, completion(), "accepted", "")
    summary = ledger.summary()
    assert summary["tokens"]["input"] is None
    assert summary["calls_without_usage"] == 1
    assert ledger.calls[0].tokens_estimated
    assert ledger.calls[0].block_tokens == {"instructions": 1, "goal": 2, "records": 1}


def test_the_summary_adds_up():
    ledger = Ledger("responses_strict", "m", {"m": {"input": 1.0, "cached": 0.1, "output": 2.0}})
    ledger.add(1, "plan", PROMPT, completion(Usage(100, 50, 10, 4, 110)), "not_json", "")
    ledger.add(1, "repair", PROMPT, completion(Usage(120, None, 20), 3.0), "accepted", "")
    ledger.took_over("policy")
    summary = ledger.summary()
    assert summary["calls"] == 2
    assert summary["planning_calls"] == 1
    assert summary["repairs"] == 1
    assert summary["http_attempts"] == 4
    assert summary["verdicts"] == {"accepted": 1, "not_json": 1}
    assert summary["takeovers"] == {"policy": 1}
    assert summary["tokens"] == {
        "input": 220,
        "cached": 50,
        "output": 30,
        "reasoning": 4,
        "total": 110,
    }
    assert sum(summary["tokens_per_block"].values()) == 220
    assert summary["latency_s"] == {"mean": 2.0, "max": 3.0, "total": 4.0}
    assert summary["price_usd"] == pytest.approx((50 + 5 + 20 + 120 + 40) / 1e6)
    assert len(ledger.as_dicts()) == 2


def test_an_empty_ledger_has_a_summary():
    assert Ledger("replay", "m").summary()["latency_s"]["mean"] is None


def test_prices_need_known_usage():
    assert price(Usage(), {"input": 1.0, "output": 1.0}) is None
    assert price(Usage(10, None, 10), None) is None
    assert price(Usage(10, 10, 0), {"input": 1.0, "output": 1.0}) == pytest.approx(1e-5)


def test_a_price_table_is_read_and_checked(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text("m: {input: 0.25, cached: 0.025, output: 2}\n")
    assert load_prices(path) == {"m": {"input": 0.25, "cached": 0.025, "output": 2.0}}
    for text in ("[1]", "m: 3", "m: {input: 1}", "m: {input: -1, output: 1}", "m: {a: 1}", "{"):
        path.write_text(text)
        with pytest.raises(LlmError, match="price table"):
            load_prices(path)


def test_repairable_failures_are_those_that_asking_again_can_mend():
    assert {item for item in Failure if item.repairable} == {
        Failure.INCOMPLETE,
        Failure.NOT_JSON,
        Failure.SCHEMA,
    }
