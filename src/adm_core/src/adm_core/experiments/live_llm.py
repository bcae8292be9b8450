"""Section V-B: missions planned by a language model; tokens per call and number of calls apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adm_core.config import Config, param
from adm_core.errors import ConfigError, LlmError
from adm_core.experiments.episode import Episode, Row
from adm_core.experiments.figures import draw_blocks
from adm_core.experiments.live_episode import LiveEpisode, run_live
from adm_core.experiments.store import ExperimentError
from adm_core.experiments.tables import Table
from adm_core.llm.config import LlmConfig
from adm_core.planning.llm_planner import LlmPlannerConfig
from adm_core.simulation.scenarios import Scenario

#: The paper's live setting: 6 x 6 cells, six containers, 110 steps.
SETTING = Scenario("V-B", 6, 6, 110, 0.02, 0.25, 2, 0.80)
_CELLS_EACH = SETTING.side**2 / SETTING.containers
_METHODS = ("unfiltered", "attention")
#: Name of the model that plans where no endpoint is given: the built-in policy, by HTTP.
DOUBLE = "strict-double"
BLOCKS = ("instructions", "goal", "robot", "rules", "records", "finished", "repair")
_COLUMNS = (
    *("scenario", "observe below", "method", "episodes", "success %", "steps", "planning calls"),
    *("model calls", "repairs", "taken over", "in/call", "out/call", "in", "total"),
    *("latency s/call", "looks"),
)


@dataclass(frozen=True)
class LiveLlmExperiment(Config):
    """The live setting, and a case with so many containers that K binds."""

    episodes: int = param(3, "paired seeds of each", min=1, max=10_000)
    seed: int = param(30_000, "first seed", min=0)
    k: int = param(6, "most records exposed to a planning call", min=1, max=4096)
    decay_s: float = param(16.0, "decay constant", unit="s", min=1e-6)
    many: int = param(12, "containers of the case where K binds; 0: without it", min=0, max=500)
    observe: str = param(
        "0,0.162,0.4", "supports below which a target is observed, between commas; 0: never"
    )
    profile: str = param("paper", "all other parameters: paper, robust or a YAML file")

    def plan(
        self, llm: LlmConfig, planning: LlmPlannerConfig, recordings: Path
    ) -> list[LiveEpisode]:
        """Return all episodes, by scenario, observation and method; seeds are paired."""
        changes = (("attention.k", self.k), ("attention.decay_s", self.decay_s))
        return [
            LiveEpisode(
                scenario,
                method,
                seed,
                self.profile,
                changes,
                f"{limit:g}",
                llm,
                planning,
                limit,
                str(recordings),
            )
            for scenario in (SETTING, *([many_containers(self.many)] if self.many else []))
            for limit in self._limits()
            for method in _METHODS
            for seed in self.seeds
        ]

    @property
    def seeds(self) -> range:
        """All seeds."""
        return range(self.seed, self.seed + self.episodes)

    def _limits(self) -> list[float]:
        try:
            limits = [float(item) for item in self.observe.split(",")]
        except ValueError:
            limits = [-1.0]
        if not all(0.0 <= item <= 1.0 for item in limits):
            raise ConfigError(f"observe must be numbers in 0..1 by commas, got {self.observe!r}")
        return limits


def many_containers(count: int) -> Scenario:
    """Return the live setting with more containers.

    Field, relocations and budget grow so that cells per container, the risk of one container
    and the steps allowed for its round trip stay as they are.
    """
    side = round(math.sqrt(_CELLS_EACH * count))
    each = SETTING.budget_steps / (SETTING.containers * SETTING.side)
    return replace(
        SETTING,
        name=f"V-B-{count}",
        side=side,
        containers=count,
        budget_steps=math.ceil(each * count * side),
        relocation=min(1.0, SETTING.relocation * count / SETTING.containers),
    )


@contextmanager
def endpoint(llm: LlmConfig) -> Iterator[LlmConfig]:
    """Yield the client's parameters; without an address, of a strict server that is started.

    A live endpoint is probed once, before anything is run.

    Raises
    ------
    LlmError
        If the endpoint does not obey a schema.
    """
    if not llm.live or llm.base_url:
        yield _probed(llm)
        return
    from adm_core.testing.llm_server import StrictLlmServer

    dialect = "llama_cpp" if llm.mode == "chat_json_object" else "openai"
    with StrictLlmServer(dialect=dialect) as server:
        yield _probed(replace(llm, base_url=server.base_url))


def _probed(llm: LlmConfig) -> LlmConfig:
    import os
    import time

    from adm_core.missions.planners import set_up_planner

    if llm.live:
        with set_up_planner(llm, LlmPlannerConfig(), os.environ, time.monotonic, time.sleep) as it:
            if it.warning:
                raise LlmError(it.warning)
    return llm


@dataclass(frozen=True)
class LiveLlmReport:
    """Tokens, calls and outcomes per cell; of a replay, whether decisions were the same.

    Attributes
    ----------
    cells : list of dict
        One per scenario, observation limit and method: means per episode and per call.
    replays : list of Row
        Rows of a replay.
    """

    cells: list[dict[str, Any]]
    replays: list[Row]

    @property
    def identical(self) -> bool:
        """Whether every replayed episode made the decisions of its recording."""
        return all(row["identical"] for row in self.replays)

    def tables(self) -> list[Table]:
        """Return outcomes and cost, tokens per block and call, and of a replay the digests."""
        found = [
            Table(
                "Missions planned by a model: means per episode, tokens per call apart",
                _COLUMNS,
                [[cell[name] for name in _COLUMNS] for cell in self.cells],
            ),
            Table(
                "Input tokens per call, by part of the prompt",
                ("scenario", "observe below", "method", *BLOCKS),
                [
                    [cell["scenario"], cell["observe below"], cell["method"]]
                    + [cell["blocks"].get(name, 0.0) for name in BLOCKS]
                    for cell in self.cells
                ],
            ),
        ]
        if self.replays:
            found.append(_replay_table(self.replays))
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        digests = [
            {name: row[name] for name in ("scenario", "variant", "method", "seed", "identical")}
            for row in self.replays
        ]
        return {"table": self.cells, "replays": digests, "identical": self.identical}

    def draw(self, folder: Path) -> list[Path]:
        """Draw the input tokens of a call by part of the prompt."""
        return draw_blocks(self.cells, BLOCKS, folder / "live_llm")


def conduct(
    config: LiveLlmExperiment,
    run: Callable[..., Sequence[Row]],
    *,
    llm: LlmConfig,
    planning: LlmPlannerConfig,
    recordings: Path,
) -> LiveLlmReport:
    """Run the experiment through `run` and report it.

    Raises
    ------
    ExperimentError
        If a replay decides otherwise than its recording.
    """
    episodes: Sequence[Episode] = config.plan(llm, planning, recordings)
    rows = run(episodes, work=run_live)
    groups = dict.fromkeys((row["scenario"], row["variant"], row["method"]) for row in rows)
    names = ("scenario", "variant", "method")
    cells = [
        summarise([row for row in rows if tuple(row[name] for name in names) == group])
        for group in groups
    ]
    report = LiveLlmReport(cells, [row for row in rows if "identical" in row])
    if not report.identical:
        others = [row for row in report.replays if not row["identical"]]
        first = others[0]
        raise ExperimentError(
            f"{len(others)} of {len(report.replays)} replays decide otherwise than their "
            f"recordings, first {first['scenario']} {first['method']} seed {first['seed']}"
        )
    return report


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """Return means of rows that share scenario, variant and method; None where nobody reports."""
    calls = sum(row["model_calls"] for row in rows)
    blocks: Counter[str] = Counter()
    for row in rows:
        blocks.update(row.get("blocks") or {})

    def mean(name: str) -> float:
        return sum(row.get(name) or 0 for row in rows) / len(rows)

    tokens_in, tokens_out = _tokens(rows, "input"), _tokens(rows, "output")
    total = _tokens(rows, "total")
    first = rows[0]
    return {
        "scenario": first["scenario"],
        "observe below": first["variant"],
        "method": first["method"],
        "mode": first["mode"],
        "model": first["model"],
        "episodes": len(rows),
        "success %": 100.0 * mean("success"),
        "steps": mean("steps"),
        "planning calls": mean("planner_calls"),
        "model calls": calls / len(rows),
        "repairs": mean("repairs"),
        "taken over": mean("takeovers"),
        "in/call": _share(tokens_in, calls),
        "out/call": _share(tokens_out, calls),
        "in": _share(tokens_in, len(rows)),
        "total": _share(total, len(rows)),
        "latency s/call": _share(sum(row.get("latency_s") or 0.0 for row in rows), calls),
        "looks": mean("observations"),
        "blocks": {name: _share(blocks[name], calls) for name in BLOCKS if blocks[name]},
        "context units": mean("context_units"),
        "vain visits": mean("stale_visits") + mean("ghost_visits"),
    }


def _tokens(rows: Sequence[Row], name: str) -> int | None:
    """Return the sum over rows; None if one does not know."""
    known: list[Mapping[str, int | None]] = [row.get("tokens") or {} for row in rows]
    values = [item.get(name) for item in known]
    return None if None in values else sum(filter(None, values))


def _share(value: float | None, count: int) -> float | None:
    return None if value is None or not count else round(value / count, 4)


def _replay_table(rows: Sequence[Row]) -> Table:
    return Table(
        "Replays: decisions against those of the recorded run",
        ("scenario", "observe below", "method", "seed", "model", "decision sha256", "identical"),
        [
            [
                row["scenario"],
                row["variant"],
                row["method"],
                row["seed"],
                row["replayed"],
                row["decision_sha256"][:16],
                "yes" if row["identical"] else "NO",
            ]
            for row in rows
        ],
    )
