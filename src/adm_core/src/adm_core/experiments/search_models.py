"""Table IV of the SAGR paper: models as coordinators, their steps and their time to answer."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.experiments.episode import Row
from adm_core.experiments.live_episode import WHEREABOUTS
from adm_core.experiments.search_analysis import (
    Comparison,
    SearchCell,
    against,
    group,
    summarise,
)
from adm_core.experiments.search_episode import (
    SearchEpisode,
    TimedCoordinator,
    built_in,
    carry_out_episode,
    weights_of,
)
from adm_core.experiments.search_figures import draw_ladder
from adm_core.experiments.tables import Table
from adm_core.llm.config import LIVE_MODES, LlmConfig
from adm_core.missions.coordinators import set_up_coordinator
from adm_core.search.coordinators.llm import LlmCoordinatorConfig
from adm_core.simulation.search.config import SCALES

POLICY, NOISY, STRICT, TINY = "policy", "noisy", "strict", "tiny"
_ROWS_HELP = (
    "rows by commas: policy, noisy:P, strict (a strict server of ours), tiny (a small local "
    "model, started here), or MODE:MODEL@URL for any endpoint"
)


@dataclass(frozen=True)
class ModelEpisode(SearchEpisode):
    """One run with a model as its coordinator.

    Attributes
    ----------
    row : str
        As given.
    llm : LlmConfig
        How the model is reached; its addresses are no part of the key.
    """

    row: str = POLICY
    llm: LlmConfig = LlmConfig()  # noqa: RUF009 - a frozen value

    @property
    def key(self) -> str:
        """Digest of everything that decides the outcome."""
        client = {k: v for k, v in asdict(self.llm).items() if k not in WHEREABOUTS}
        # The row names the endpoint; the port of a server of ours is another one each time.
        facts = [super().key, client, self.row]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


@dataclass(frozen=True)
class ModelsExperiment(Config):
    """Table IV: scenarios and models."""

    scenarios: int = param(10, "paired scenarios", min=1, max=100_000)
    seed: int = param(5001, "first seed", min=0)
    scale: str = param("large", "size of the worlds", choices=tuple(SCALES))
    method: str = param("sagr", "whose rules", choices=("sagr", "sagr+"))
    models: str = param(f"{POLICY},{NOISY}:0.1,{STRICT}", _ROWS_HELP)
    deadline_s: float = param(25.0, "time for one query", unit="s", min=0.1, max=600)
    key_env: str = param("OPENAI_API_KEY", "environment variable with the API key")

    @property
    def seeds(self) -> range:
        """All seeds."""
        return range(self.seed, self.seed + self.scenarios)

    def rows(self) -> list[str]:
        """Return the rows; raise ConfigError if one cannot be read."""
        rows = [item.strip() for item in self.models.split(",") if item.strip()]
        for row in rows:
            self.client(row, "http://unused")
        return rows

    def client(self, row: str, own_url: str) -> LlmConfig:
        """Return how the model of a row is reached.

        Raises
        ------
        ConfigError
            The row cannot be read.
        """
        common: dict[str, Any] = {"deadline_s": self.deadline_s, "key_env": self.key_env}
        head, _, rest = row.partition(":")
        if row == POLICY or (head == NOISY and _share(rest) is not None):
            return LlmConfig(mode="policy")
        if row == STRICT:
            return LlmConfig(mode="responses_strict", model="strict-double", base_url=own_url,
                             **common)  # fmt: skip
        if row == TINY:
            return LlmConfig(mode="chat_json_schema", model="tiny", base_url=own_url, **common)
        model, _, url = rest.partition("@")
        if head not in LIVE_MODES or not model:
            raise ConfigError(f"models: cannot read {row!r}; give {_ROWS_HELP}")
        return LlmConfig(mode=head, model=model, base_url=url, **common)

    def episodes(self, row: str, url: str) -> list[ModelEpisode]:
        """Return the episodes of a row."""
        head, _, rest = row.partition(":")
        noise = _share(rest) if head == NOISY else None
        return [
            ModelEpisode(
                self.scale, seed, self.method, noise=-1.0 if noise is None else noise,
                variant=row, row=row, llm=self.client(row, url),
            )
            for seed in self.seeds
        ]  # fmt: skip


def _share(text: str) -> float | None:
    try:
        share = float(text)
    except ValueError:
        return None
    return share if 0.0 <= share <= 1.0 else None


@contextmanager
def served(row: str) -> Iterator[str]:
    """Yield the address of the server that a row needs; empty if it needs none of ours."""
    if row == STRICT:
        from adm_core.testing.llm_server import StrictLlmServer

        with StrictLlmServer() as server:
            yield server.base_url
    elif row == TINY:
        from adm_core.testing.tiny_model import running

        with running() as (_, url):
            yield url
    else:
        yield ""


def run_model_episode(episode: ModelEpisode) -> Row:
    """Run one episode with its model and return its row, calls and refusals included."""
    if episode.llm.mode == "policy":
        coordinator = built_in(episode)
        assert coordinator is not None
        return carry_out_episode(episode, coordinator) | {"llm_calls": 0, "taken_over": 0}
    with set_up_coordinator(
        episode.llm, LlmCoordinatorConfig(), os.environ, time.monotonic, time.sleep
    ) as setup:
        timed = TimedCoordinator(setup.coordinator(weights_of(episode)))
        row = carry_out_episode(episode, timed)
        assert setup.ledger is not None
        summary = setup.ledger.summary()
    return row | {
        "llm_calls": summary["calls"],
        "taken_over": sum(summary["takeovers"].values()),
    }


@dataclass(frozen=True)
class ModelsReport:
    """Cells of all rows, and each one against the first."""

    cells: list[SearchCell]
    comparisons: list[Comparison]
    calls: dict[str, tuple[float, float]]

    def tables(self) -> list[Table]:
        """Return the one table."""
        percent = {item.a: item.percent for item in self.comparisons}
        columns = ("model", "n", "mean steps", "median", "% to first", "calls", "taken over")
        rows: list[Sequence[Any]] = [
            (
                cell.variant,
                cell.episodes,
                cell.mean,
                cell.median,
                percent.get(cell.variant),
                *self.calls[cell.variant],
                cell.query_ms,
            )
            for cell in self.cells
        ]
        return [Table("Models as coordinators: search steps", (*columns, "ms/query"), rows)]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "table": [
                {
                    **cell.as_dict(),
                    "llm_calls": self.calls[cell.variant][0],
                    "taken_over": self.calls[cell.variant][1],
                }
                for cell in self.cells
            ],
            "comparisons": [item.as_dict() for item in self.comparisons],
        }

    def draw(self, folder: Path) -> list[Path]:
        """Draw the steps."""
        bars = {"model": [(cell.variant, cell.mean) for cell in self.cells]}
        return draw_ladder(bars, "steps", "Models as coordinators", folder / "search_models")


def conduct(config: ModelsExperiment, run: Callable[..., Sequence[Row]]) -> ModelsReport:
    """Run the experiment row by row through `run` and report it."""
    rows: list[Row] = []
    for name in config.rows():
        with served(name) as url:
            rows += run(config.episodes(name, url), work=run_model_episode)
    cells, comparisons, calls = [], [], {}
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    for variant in variants:
        found = group(rows, variant=variant)
        cells.append(summarise(found))
        calls[variant] = tuple(
            sum(row[name] for row in found) / len(found) for name in ("llm_calls", "taken_over")
        )
        if variant != variants[0]:
            first = group(rows, variant=variants[0])
            comparisons.append(against(found, first, (variant, variants[0])))
    return ModelsReport(cells, comparisons, calls)
