"""A language model as coordinator: query, strict schema, checks, one repair, fallback.

SAGR, section IV: the model proposes a room for every robot. What it proposes is checked before
anybody moves; a model that is slow, wrong or gone costs at most one deadline per coordination,
and soon not even that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from adm_core.config import Config, param
from adm_core.llm.client import LlmClient
from adm_core.llm.config import LlmConfig
from adm_core.llm.exchange import Completion, Failure, Prompt
from adm_core.llm.ledger import Ledger
from adm_core.rooms.area_graph import AreaGraph
from adm_core.search.assignment_schema import (
    INSTRUCTIONS,
    SCHEMA_NAME,
    assignment_schema,
    read_assignment,
    refusal,
)
from adm_core.search.coordinators.assignment import SUMMARY_CHARS, Assignment, Context, Coordinator
from adm_core.search.query import QueryConfig, SearchQuery, plain, search_query
from adm_core.search.strategy import TeamView

ACCEPTED = "accepted"
#: Sampling that the paper reports (section V); models that fix their temperature keep it.
TEMPERATURE, MAX_OUTPUT_TOKENS = 0.2, 1000
#: Failures of the way to a model, not of its answer.
_OUTAGES = (Failure.TIMEOUT, Failure.CONNECTION, Failure.SERVER_ERROR, Failure.RATE_LIMITED)


@dataclass(frozen=True)
class LlmCoordinatorConfig(Config):
    """What a coordinator does with a model's answers."""

    repair: int = param(1, "repair calls after an invalid answer", min=0, max=1)
    enum_ids: bool = param(False, "admit only present ids by the schema, new with every call")
    tokens: int = param(500, "limit of instructions and query", unit="tokens", min=200)
    outage_calls: int = param(2, "outages in a row after which the model is given a rest", min=1)
    rest_calls: int = param(3, "coordinations that the model is not asked after an outage", min=0)


class Verdict(NamedTuple):
    """What became of one answer; summary and rooms only if it was accepted."""

    code: str
    detail: str
    summary: str = ""
    rooms: tuple[tuple[int, int], ...] = ()
    repairable: bool = False


class LlmCoordinator:
    """Coordinate with a language model.

    Parameters
    ----------
    client : LlmClient
        Live or replayed; :func:`paper_settings` gives the paper's sampling.
    ledger : Ledger
        Receives every call.
    fallback : Coordinator
        Decides for robots that have no valid room when no valid answer comes.
    config : LlmCoordinatorConfig
    context : Context
        Parts of the query.
    """

    def __init__(
        self,
        client: LlmClient,
        ledger: Ledger,
        fallback: Coordinator,
        config: LlmCoordinatorConfig = LlmCoordinatorConfig(),
        context: Context = Context(),  # noqa: B008 - a frozen value
    ) -> None:
        self.ledger = ledger
        self.config = config
        self.context = context
        self._client = client
        self._fallback = fallback
        self._number = 0
        self._outages = 0
        self._rest = 0

    def assign(self, graph: AreaGraph, view: TeamView, previous: Assignment | None) -> Assignment:
        """Return a room for every active robot; an empty assignment if no room has a frontier.

        Without robots or rooms no call is made. If no valid answer comes, every robot keeps
        its earlier room where that still has a frontier, and the fallback decides for the
        others; ``refusals`` says why.

        Raises
        ------
        LlmError
            In a replay, if a request was not recorded.
        """
        known = frozenset(node.room_id for node in graph.nodes)
        query = search_query(
            graph, view, previous, config=QueryConfig(self.config.tokens), context=self.context
        )
        if not known or not query.robots:
            return Assignment({}, "", "llm")
        if not query.rooms:
            return self._take_over(graph, view, previous, ("query_too_long",), 0.0)
        if self._rest:
            self._rest -= 1
            return self._take_over(graph, view, previous, ("resting",), 0.0)
        return self._answer(query, known, graph, view, previous)

    def _answer(
        self,
        query: SearchQuery,
        known: frozenset[int],
        graph: AreaGraph,
        view: TeamView,
        previous: Assignment | None,
    ) -> Assignment:
        codes: list[str] = []
        latency_s = 0.0
        for verdict, spent_s in self._ask(query, known, view.step):
            latency_s += spent_s
            if verdict.code == ACCEPTED:
                rooms = dict(sorted(verdict.rooms))
                return Assignment(rooms, verdict.summary, "llm", tuple(codes), latency_s * 1e3)
            codes.append(verdict.code)
        return self._take_over(graph, view, previous, tuple(codes), latency_s * 1e3)

    def _ask(
        self, query: SearchQuery, known: frozenset[int], step: int
    ) -> Iterator[tuple[Verdict, float]]:
        """Yield the verdict on each answer and its time: the first, and one after a repair."""
        self._number += 1
        schema = assignment_schema(query.robots, sorted(known), enum_ids=self.config.enum_ids)
        digest = hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()
        prompt = Prompt(INSTRUCTIONS, query.blocks, SCHEMA_NAME, schema)
        left = self._client.config.deadline_s
        for kind in ("plan", "repair")[: 1 + self.config.repair]:
            completion = self._client.complete(prompt, left)
            self._watch(completion)
            verdict = judge(completion, query, known)
            self.ledger.add(
                self._number,
                kind,
                prompt,
                completion,
                verdict.code,
                verdict.detail,
                trigger=f"step {step}",
                schema_sha256=digest,
                omitted_records=query.omitted,
            )
            yield verdict, completion.latency_s
            if not verdict.repairable:
                return
            left -= completion.latency_s
            prompt = prompt.repair((f"{verdict.code}: {verdict.detail}",))

    def _watch(self, completion: Completion) -> None:
        """Count outages in a row; after some, leave the model alone for a while."""
        self._outages = self._outages + 1 if completion.failure in _OUTAGES else 0
        if self._outages >= self.config.outage_calls:
            self._rest = self.config.rest_calls

    def _take_over(
        self,
        graph: AreaGraph,
        view: TeamView,
        previous: Assignment | None,
        codes: tuple[str, ...],
        latency_ms: float,
    ) -> Assignment:
        fresh = self._fallback.assign(graph, view, previous)
        before = previous.rooms if previous else {}
        valid = {
            robot: before[robot]
            for robot in fresh.rooms
            if robot in before and graph.node(before[robot]) is not None
        }
        made_by = "previous" if valid else fresh.made_by
        self.ledger.took_over(made_by)
        summary = previous.summary if previous and len(valid) == len(fresh.rooms) else fresh.summary
        return Assignment({**fresh.rooms, **valid}, summary, made_by, codes, latency_ms)


def judge(completion: Completion, query: SearchQuery, known: frozenset[int]) -> Verdict:
    """Return the verdict on an answer: failure codes first, then the validator's word."""
    if completion.value is None:
        failure = completion.failure
        assert failure is not None
        return Verdict(failure.value, completion.detail, repairable=failure.repairable)
    summary, pairs = read_assignment(completion.value)
    found = refusal(pairs, query.robots, known)
    if found is not None:
        return Verdict(f"validator:{found[0]}", found[1], repairable=True)
    return Verdict(ACCEPTED, "", plain(summary, SUMMARY_CHARS), tuple(pairs))


def paper_settings(config: LlmConfig) -> LlmConfig:
    """Return `config` with the paper's temperature and answer limit where it has the defaults."""
    values: dict[str, float] = {}
    if config.temperature < 0 and not config.reasoning_model:
        values["temperature"] = TEMPERATURE
    if config.max_output_tokens == LlmConfig.max_output_tokens and not config.reasoning_model:
        values["max_output_tokens"] = MAX_OUTPUT_TOKENS
    return replace(config, **values)  # type: ignore[arg-type]
