"""One episode planned by a language model: recorded, or replayed from its recording."""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from adm_core.experiments.episode import Episode, Row, outcome
from adm_core.experiments.store import ExperimentError
from adm_core.llm.config import LlmConfig
from adm_core.llm.ledger import Ledger
from adm_core.missions.planners import set_up_planner
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.missions.summary import summarize
from adm_core.planning.llm_planner import LlmPlannerConfig

#: Parameters of a client that say where it is, not what it does.
WHEREABOUTS = ("base_url", "key_env", "key_file", "record", "replay", "prices", "probe")


@dataclass(frozen=True)
class LiveEpisode(Episode):
    """An episode and the client that plans it.

    Attributes
    ----------
    llm, planning : LlmConfig, LlmPlannerConfig
        The client; its addresses are no part of the key. Mode replay: the recording plans.
    observe_below : float
        Support below which the target is observed; 0: never.
    folder : str
        Where the recording is, or goes to.
    """

    llm: LlmConfig = field(default_factory=LlmConfig)
    planning: LlmPlannerConfig = field(default_factory=LlmPlannerConfig)
    observe_below: float = 0.0
    folder: str = ""

    @property
    def name(self) -> str:
        """Name of the recording: what was run, not by whom."""
        return f"{self.scenario.name}_{self.method}_{self.variant}_{self.seed}"

    @property
    def recording(self) -> Path:
        """File of the recording."""
        return Path(self.folder) / f"{self.name}.jsonl"

    @property
    def key(self) -> str:
        """Digest of everything that decides the outcome."""
        client = {k: v for k, v in asdict(self.llm).items() if k not in WHEREABOUTS}
        facts = [super().key, client, asdict(self.planning), self.observe_below]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


def run_live(episode: LiveEpisode) -> Row:
    """Run one episode with its client and return its row; the exchanges are recorded.

    A replay adds the decision digest of the recorded run, and whether its own is the same.

    Raises
    ------
    ExperimentError
        If there is no recording to replay.
    """
    if episode.llm.mode == "replay":
        return _replayed(episode)
    draft = episode.recording.with_suffix(".part")
    draft.unlink(missing_ok=True)
    record = str(draft) if episode.llm.live else ""
    draft.parent.mkdir(parents=True, exist_ok=True)
    row = _run(episode, replace(episode.llm, record=record, probe="off"))
    if episode.llm.live:
        _fact_file(episode).write_text(json.dumps(row) + "\n", encoding="utf-8")
        os.replace(draft, episode.recording)
    return row


def _replayed(episode: LiveEpisode) -> Row:
    try:
        recorded = json.loads(_fact_file(episode).read_text("utf-8"))
        model, digest = recorded["model"], recorded["decision_sha256"]
    except (OSError, ValueError, LookupError, TypeError) as err:
        raise ExperimentError(
            f"{episode.recording} cannot be replayed ({err}): run the experiment with a model first"
        ) from err
    row = _run(episode, replace(episode.llm, replay=str(episode.recording)))
    return {
        **row,
        "replayed": model,
        "recorded_sha256": digest,
        "identical": row["decision_sha256"] == digest,
    }


def _fact_file(episode: LiveEpisode) -> Path:
    return episode.recording.with_suffix(".row.json")


def _run(episode: LiveEpisode, llm: LlmConfig) -> Row:
    config = MissionConfig(
        scenario=episode.scenario.name,
        method=episode.method,
        seed=episode.seed,
        observe_below=episode.observe_below,
    )
    setup = prepare(config, episode.resolved())
    with set_up_planner(llm, episode.planning, os.environ, time.monotonic, time.sleep) as planners:
        mission = LocalMission(setup, planners=planners)
        for _ in mission.run():
            pass
        summary = summarize(setup, mission.executor, mission.world.facts(), 0.0, planners)
        usage = _usage(planners.ledger)
    return {
        "key": episode.key,
        "scenario": episode.scenario.name,
        "method": episode.method,
        "seed": episode.seed,
        "profile": episode.profile,
        "variant": episode.variant,
        **outcome(summary),
        "observations": mission.executor.tally.observations,
        "mode": summary.planner,
        **usage,
    }


def _usage(ledger: Ledger | None) -> dict[str, Any]:
    """Return what the model's calls came to; zero calls where none was asked."""
    if ledger is None:
        return {"model": "policy", "model_calls": 0}
    whole = ledger.summary()
    return {
        "model": whole["model"],
        "model_calls": whole["calls"],
        "repairs": whole["repairs"],
        "takeovers": sum(whole["takeovers"].values()),
        "tokens": whole["tokens"],
        "blocks": whole["tokens_per_block"],
        "omitted_records": whole["omitted_records"],
        "latency_s": whole["latency_s"]["total"],
        "price_usd": whole["price_usd"],
    }
