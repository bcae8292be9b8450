"""Usage ledger: what every call was, cost and came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from adm_core.errors import LlmError
from adm_core.files import parse_yaml
from adm_core.llm.exchange import Completion, Json, Prompt, Usage

_PRICE_FIELDS = ("input", "cached", "output")


@dataclass(frozen=True)
class Call:
    """One call of a model.

    Attributes
    ----------
    number : int
        Planning call that it belongs to, from 1.
    kind : str
        ``plan``, ``repair`` or ``probe``.
    mode, model : str
        Who was asked, and how.
    trigger : str
        Why the planning call was made: (entity, field, old, new) or a failure.
    verdict : str
        ``accepted``, a failure code, or ``validator:`` and a refusal code.
    detail : str
        Text of ours about the verdict.
    block_chars : dict
        Characters of every part of the prompt.
    block_tokens : dict
        The reported input tokens apportioned to the parts by their characters, so that they
        add up; where the endpoint reports none, estimates at four characters a token.
    tokens_estimated : bool
        Whether `block_tokens` are such estimates.
    input_tokens, cached_tokens, output_tokens, reasoning_tokens, total_tokens : int or None
        As reported; None where the endpoint does not say.
    latency_s, attempts : float, int
        Duration with retries, and HTTP requests made.
    request_id, request_sha256, schema_sha256 : str
        What was sent, and its name at the endpoint.
    omitted_records : int
        Records that the size cap kept out of the prompt.
    price_usd : float or None
        By the price table, where there is one and the usage is known.
    """

    number: int
    kind: str
    mode: str
    model: str
    trigger: str
    verdict: str
    detail: str
    block_chars: dict[str, int]
    block_tokens: dict[str, int]
    tokens_estimated: bool
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    total_tokens: int | None
    latency_s: float
    attempts: int
    request_id: str
    request_sha256: str
    schema_sha256: str
    omitted_records: int
    price_usd: float | None


class Ledger:
    """All calls of one mission.

    Parameters
    ----------
    mode, model : str
        Who is asked.
    prices : mapping, optional
        Model name to dollars per million tokens: input, cached, output.
    """

    def __init__(
        self, mode: str, model: str, prices: Mapping[str, Mapping[str, float]] | None = None
    ) -> None:
        self.mode = mode
        self.model = model
        self.calls: list[Call] = []
        self.takeovers: Counter[str] = Counter()
        self.on_call: Callable[[Call], None] = lambda call: None  # told of every call at once
        self._prices = (prices or {}).get(model)

    def add(
        self,
        number: int,
        kind: str,
        prompt: Prompt,
        completion: Completion,
        verdict: str,
        detail: str,
        *,
        trigger: str = "",
        schema_sha256: str = "",
        omitted_records: int = 0,
    ) -> None:
        """Write one call down."""
        usage, sizes = completion.usage, prompt.sizes()
        call = Call(
            number,
            kind,
            self.mode,
            self.model,
            trigger,
            verdict,
            detail,
            sizes,
            apportion(usage.input_tokens, sizes),
            usage.input_tokens is None,
            usage.input_tokens,
            usage.cached_tokens,
            usage.output_tokens,
            usage.reasoning_tokens,
            usage.total_tokens,
            round(completion.latency_s, 6),
            completion.attempts,
            completion.request_id,
            completion.request_sha256,
            schema_sha256,
            omitted_records,
            price(usage, self._prices),
        )
        self.calls.append(call)
        self.on_call(call)

    def restore(self, calls: Iterable[Json]) -> None:
        """Put calls of an earlier run of the same mission first.

        Raises
        ------
        LlmError
            If one is not as :meth:`as_dicts` gives it.
        """
        try:
            self.calls[:0] = [Call(**item) for item in calls]
        except TypeError as err:
            raise LlmError(f"ledger of an earlier run is damaged: {err}") from err

    def took_over(self, who: str) -> None:
        """Note that somebody else answered a planning call, and why in one word."""
        self.takeovers[who] += 1

    def summary(self) -> Json:
        """Return the totals; a sum over calls of which none reports is None."""
        calls = self.calls
        names = ("input", "cached", "output", "reasoning", "total")
        tokens = {name: _total(getattr(item, f"{name}_tokens") for item in calls) for name in names}
        latencies = [item.latency_s for item in calls]
        return {
            "mode": self.mode,
            "model": self.model,
            "calls": len(calls),
            "planning_calls": len({item.number for item in calls if item.kind == "plan"}),
            "repairs": sum(item.kind == "repair" for item in calls),
            "http_attempts": sum(item.attempts for item in calls),
            "verdicts": dict(sorted(Counter(item.verdict for item in calls).items())),
            "takeovers": dict(sorted(self.takeovers.items())),
            "tokens": tokens,
            "calls_without_usage": sum(item.input_tokens is None for item in calls),
            "tokens_per_block": _sum_blocks(calls),
            "omitted_records": sum(item.omitted_records for item in calls),
            "latency_s": {
                "mean": round(sum(latencies) / len(calls), 4) if calls else None,
                "max": round(max(latencies), 4) if calls else None,
                "total": round(sum(latencies), 4),
            },
            "price_usd": _total(item.price_usd for item in calls),
        }

    def as_dicts(self) -> list[Json]:
        """Return all calls as plain data."""
        return [asdict(item) for item in self.calls]


def apportion(total: int | None, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return whole tokens per part that add up to `total`, by largest remainder.

    Without a total each part is estimated at four characters a token, rounded up.
    """
    characters = sum(sizes.values())
    if total is None or characters == 0:
        return {name: -(-size // 4) for name, size in sizes.items()}
    floors = {name: size * total // characters for name, size in sizes.items()}
    short = total - sum(floors.values())
    by_remainder = sorted(sizes, key=lambda name: (-(sizes[name] * total % characters), name))
    for name in by_remainder[:short]:
        floors[name] += 1
    return floors


def price(usage: Usage, prices: Mapping[str, float] | None) -> float | None:
    """Return dollars for one call, or None if usage or price is not known."""
    if prices is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    dear = (usage.input_tokens - cached) * prices["input"] + usage.output_tokens * prices["output"]
    return round((dear + cached * prices.get("cached", prices["input"])) / 1e6, 9)


def load_prices(path: str | Path) -> dict[str, dict[str, float]]:
    """Return a price table from YAML: ``model: {input: 0.25, cached: 0.025, output: 2.0}``.

    Raises
    ------
    LlmError
        If the file cannot be read or holds anything else.
    """
    try:
        table: Any = parse_yaml(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as err:
        raise LlmError(f"price table {path} cannot be read: {err}") from err
    if not isinstance(table, dict) or not all(map(_is_price_row, table.values())):
        raise LlmError(
            f"price table {path} must map each model to dollars per million tokens: "
            "input, output and, if it differs, cached"
        )
    return {str(model): {k: float(v) for k, v in row.items()} for model, row in table.items()}


def _is_price_row(row: object) -> bool:
    return (
        isinstance(row, dict)
        and {"input", "output"} <= set(row) <= set(_PRICE_FIELDS)
        and all(type(value) in (int, float) and value >= 0 for value in row.values())
    )


def _total(values: Iterable[Any]) -> Any:
    known = [item for item in values if item is not None]
    return sum(known) if known else None


def _sum_blocks(calls: Iterable[Call]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for item in calls:
        total.update(item.block_tokens)
    return dict(total)
