"""Planner that asks a language model: query, strict schema, checks, one repair, fallback.

Section IV-D: the model proposes, the validator decides, and what it refuses is never
dispatched. A model that is slow, wrong or gone costs at most one deadline per planning call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from adm_core.config import Config, param
from adm_core.errors import MissionError
from adm_core.grid.terrain import Terrain
from adm_core.llm.client import LlmClient
from adm_core.llm.exchange import Completion, Prompt
from adm_core.llm.ledger import Ledger
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.records import Exposure
from adm_core.memory.static import Mission
from adm_core.planning.plan import Step
from adm_core.planning.plan_schema import (
    INSTRUCTIONS,
    OBSERVING,
    SCHEMA_NAME,
    read_steps,
    schema_for,
    schema_sha256,
)
from adm_core.planning.planner import Planner
from adm_core.planning.policy import nearest_confident_plan
from adm_core.planning.ports import PlanReply, PlanRequest
from adm_core.planning.query import Query
from adm_core.planning.query_text import query_text
from adm_core.planning.validator import validate

ACCEPTED = "accepted"


@dataclass(frozen=True)
class LlmPlannerConfig(Config):
    """What a planner does with a model's answers."""

    repair: int = param(1, "repair calls after an invalid answer", min=0, max=1)
    fallback: str = param(
        "policy", "when no valid answer comes: built-in policy, or hold", choices=("policy", "hold")
    )
    query_chars: int = param(
        32_000, "limit of the query; records of lowest score are left out", unit="chars", min=1000
    )
    enum_ids: bool = param(False, "admit only present ids by the schema, new with every call")
    stall_calls: int = param(
        6, "planning calls without a grasp or delivery before the fallback answers one", min=1
    )


class Verdict(NamedTuple):
    """What became of one answer; steps only if it was accepted."""

    code: str
    detail: str
    steps: tuple[Step, ...] = ()
    repairable: bool = False


class LlmPlanner(Planner):
    """Plan with a language model.

    Parameters
    ----------
    mission : Mission
        Static memory.
    terrain : Terrain
        Path lengths from the robot to the exposed records.
    client : LlmClient
        Live or replayed.
    config : LlmPlannerConfig
        Repair, fallback, size of the query.
    ledger : Ledger
        Receives every call.
    name : str
        Mode published with the replies that the model gave.
    attention : AttentionConfig, optional
        By which a record's support is judged, where a mission may ask for observations.
    """

    def __init__(
        self,
        mission: Mission,
        terrain: Terrain,
        client: LlmClient,
        config: LlmPlannerConfig,
        ledger: Ledger,
        name: str,
        attention: AttentionConfig | None = None,
    ) -> None:
        super().__init__(mission, terrain, name=name, attention=attention)
        self.ledger = ledger
        self._client = client
        self._config = config
        self._progress: tuple[object, ...] = ()
        self._stalled = 0

    def plan(self, request: PlanRequest, exposure: Exposure) -> PlanReply:
        """Return a validated plan for what memory exposed.

        Nothing to work on costs no call. ``reply.planner`` says who answered, ``refusals``
        why answers before it were not taken.

        Raises
        ------
        MissionError
            If no valid plan comes and the fallback is to hold.
        LlmError
            In a replay, if a request was not recorded.
        """
        query = self._query(request, exposure)
        if not query.has_work:
            return PlanReply((), exposure, query.context_units, self._name)
        if self._stalls(exposure, request):
            return self._take_over(query, ("stalled",), "stalled")
        codes: list[str] = []
        for verdict in self._ask(query, request):
            if verdict.code == ACCEPTED:
                units = query.context_units
                return PlanReply(verdict.steps, exposure, units, self._name, tuple(codes))
            codes.append(verdict.code)
        return self._take_over(query, tuple(codes), "policy")

    def state(self) -> dict[str, Any]:
        """Return the count towards a stall and who has taken over so far."""
        return {
            "progress": list(self._progress),
            "stalled": self._stalled,
            "takeovers": dict(self.ledger.takeovers),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up both counts of an earlier run."""
        if state:
            self._progress, self._stalled = tuple(state["progress"]), state["stalled"]
            self.ledger.takeovers = Counter(state["takeovers"])

    def _ask(self, query: Query, request: PlanRequest) -> Iterator[Verdict]:
        """Yield the verdict on each answer: the first, and one after a repair if that may help."""
        text = query_text(query, self._config.query_chars)
        schema = schema_for(query, self._config.enum_ids)
        told = INSTRUCTIONS + (OBSERVING if "observe" in query.mission.skills else "")
        prompt = Prompt(told, text.blocks, SCHEMA_NAME, schema)
        left = self._client.config.deadline_s
        for kind in ("plan", "repair")[: 1 + self._config.repair]:
            completion = self._client.complete(prompt, left)
            verdict = judge(completion, query)
            self.ledger.add(
                request.call,
                kind,
                prompt,
                completion,
                verdict.code,
                verdict.detail,
                trigger=request.trigger,
                schema_sha256=schema_sha256(schema),
                omitted_records=text.omitted,
            )
            yield verdict
            if not verdict.repairable:
                return
            left -= completion.latency_s
            prompt = prompt.repair((f"{verdict.code}: {verdict.detail}",))

    def _take_over(self, query: Query, codes: tuple[str, ...], why: str) -> PlanReply:
        if self._config.fallback == "hold":
            self.ledger.took_over("hold")
            raise MissionError(
                f"mission held: planner '{self._name}' gave no valid plan ({', '.join(codes)})"
            )
        steps = nearest_confident_plan(query)
        finding = validate(steps, query)
        if finding is not None:
            raise MissionError(f"the built-in policy proposed an invalid plan ({finding})")
        self.ledger.took_over(why)
        return PlanReply(steps, query.exposure, query.context_units, "policy", codes)

    def _stalls(self, exposure: Exposure, request: PlanRequest) -> bool:
        """Count planning calls since the last grasp or delivery; tell when it is time to act.

        A valid plan may still lead nowhere, again and again; the fallback then answers one call.
        """
        progress = (request.focus.held_id, len(exposure.terminal))
        self._stalled = self._stalled + 1 if progress == self._progress else 1
        self._progress = progress
        if self._stalled <= self._config.stall_calls:
            return False
        self._stalled = 0
        return True


def judge(completion: Completion, query: Query) -> Verdict:
    """Return the verdict on an answer: failure codes first, then the validator's word."""
    if completion.value is None:
        failure = completion.failure
        assert failure is not None
        return Verdict(failure.value, completion.detail, (), failure.repairable)
    steps = read_steps(completion.value)
    finding = validate(steps, query)
    if finding is not None:
        return Verdict(f"validator:{finding.code.value}", str(finding), (), True)
    return Verdict(ACCEPTED, "", steps)
