"""``adm experiment``: the paper's tables and what goes beyond them."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from adm_core.commands.options import add_config_arguments, config_from_args, given

LIVE = "live-llm"
RIGID, GRASPS = "rigid-body", "grasps"
HELP = "repeat the papers' tables, ablate memory and search, run long missions"
EXAMPLES = """examples:
  adm experiment memory --episodes 100
  adm experiment memory --episodes 100 --profile robust --json
  adm experiment ablation --factors attention.k,attention.floor --figures
  adm experiment live-llm --figures                   with a strict server of ours
  adm experiment live-llm --model gpt-5-mini-2025-08-07 --base-url https://api.openai.com/v1
  adm experiment live-llm --planner replay            the recorded missions again, offline
  adm experiment long --containers 200 --lost 0,0.9 --episodes 20
  adm experiment grasps --episodes 200
  adm experiment rigid-body --seeds 20 --figures      on a robot's body, with PyBullet
  adm experiment search --scenarios 100 --json
  adm experiment search --world fov_90 --out runs/fov-90
  adm experiment search-models --models policy,strict,chat_json_schema:NAME@http://host:8000/v1

Every episode's row is kept in the folder given by --out. An interrupted run goes on where it
stopped; a finished one only makes its tables and figures again.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add one sub-command per experiment."""
    commands = parser.add_subparsers(dest="experiment", metavar="EXPERIMENT", required=True)
    for name, (help_text, config, _) in _experiments().items():
        sub = commands.add_parser(name, help=help_text, description=help_text)
        add_config_arguments(sub, config, {"episodes": "seeds"} if name == RIGID else None)
        if name == LIVE:
            _add_client_arguments(sub)
        add_run_arguments(sub, f"runs/experiment-{name}")
        sub.add_argument("--figures", action="store_true", help="draw figures as PNG and SVG")


def add_run_arguments(parser: argparse.ArgumentParser, folder: str) -> None:
    """Add the options that say how to run, where to keep rows and how to print."""
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default %(default)s)"
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        default=folder,
        help="folder of rows, tables and figures (default %(default)s)",
    )
    parser.add_argument(
        "--format", choices=("text", "csv", "latex"), default="text", help="of the output"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON only")


def _experiments() -> dict[str, tuple[str, type, Any]]:
    from adm_core.experiments import (
        ablation,
        grasps,
        live_llm,
        long,
        memory,
        rigid_body,
        search,
        search_ablation,
        search_models,
        search_stability,
    )

    return {
        "memory": (
            "Table I: five memory methods in three scenarios",
            memory.MemoryExperiment,
            memory.conduct,
        ),
        "ablation": (
            "one parameter of the memory at a time",
            ablation.AblationExperiment,
            ablation.conduct,
        ),
        LIVE: (
            "Section V-B: missions planned by a language model, with and without attention",
            live_llm.LiveLlmExperiment,
            live_llm.conduct,
        ),
        "long": (
            "50 to 200 containers, and reports that are lost",
            long.LongExperiment,
            long.conduct,
        ),
        GRASPS: (
            "perception and grasps at random poses, light and depth noise (needs PyBullet)",
            grasps.GraspExperiment,
            grasps.conduct,
        ),
        RIGID: (
            "Table II: three memory methods on a robot's body in the arena (needs PyBullet)",
            rigid_body.RigidBodyExperiment,
            rigid_body.conduct,
        ),
        "search": (
            "SAGR Table I: exploration and search, three scales, all methods, same scenarios",
            search.SearchExperiment,
            search.conduct,
        ),
        "search-stability": (
            "SAGR Table II: how much repeated runs differ, and the time of a query",
            search_stability.StabilityExperiment,
            search_stability.conduct,
        ),
        "search-ablation": (
            "SAGR Table III: what each part of the coordinator's query is worth",
            search_ablation.SearchAblation,
            search_ablation.conduct,
        ),
        "search-models": (
            "SAGR Table IV: models as coordinators",
            search_models.ModelsExperiment,
            search_models.conduct,
        ),
    }


def run(args: argparse.Namespace) -> int:
    """Run the experiment and print its tables: 0 when it is done."""
    _, config_type, conduct = _experiments()[args.experiment]
    if args.experiment == LIVE:
        return _run_live(args, config_type, conduct)
    run_and_print(args, args.experiment, config_type, conduct, args.figures)
    return 0


def _add_client_arguments(parser: argparse.ArgumentParser) -> None:
    from adm_core.llm.config import LlmConfig
    from adm_core.planning.llm_planner import LlmPlannerConfig

    add_config_arguments(parser, LlmConfig, names={"mode": "planner"}, without=("record", "replay"))
    add_config_arguments(parser, LlmPlannerConfig)


def _run_live(args: argparse.Namespace, config_type: type, conduct: Any) -> int:
    """Run missions with a model: at an endpoint, or else at a strict server of ours."""
    from functools import partial

    from adm_core.experiments.live_llm import DOUBLE, endpoint
    from adm_core.llm.config import LlmConfig
    from adm_core.planning.llm_planner import LlmPlannerConfig

    recordings = Path(args.out) / "recordings"
    shape = given(args, LlmConfig)
    if shape.get("mode") == "replay":
        shape["replay"] = str(recordings)  # each episode names its own file in it
    if not shape.get("base_url"):  # the server of ours is no model of somebody's
        shape.setdefault("model", DOUBLE)
    llm = LlmConfig(**{"mode": "responses_strict", **shape})
    planning = config_from_args(args, LlmPlannerConfig)
    with endpoint(llm) as client:
        ready = partial(conduct, llm=client, planning=planning, recordings=recordings)
        run_and_print(args, LIVE, config_type, ready, args.figures)
    return 0


def run_and_print(
    args: argparse.Namespace, name: str, config_type: type, conduct: Any, figures: bool = False
) -> Any:
    """Carry an experiment out as the options say, print its tables, return its report."""
    from adm_core.errors import ConfigError
    from adm_core.experiments.conduct import carry_out, render
    from adm_core.experiments.facts import run_facts
    from adm_core.experiments.progress import ProgressBar

    if args.jobs < 1:
        raise ConfigError(f"jobs must be >= 1, got {args.jobs}")
    config: Any = config_from_args(args, config_type)
    facts = run_facts(sys.argv[1:], config.seeds)
    report = carry_out(
        conduct,
        config,
        Path(args.out),
        jobs=args.jobs,
        facts=facts,
        progress=ProgressBar(sys.stderr, time.monotonic, name),
        figures=figures,
    )
    if args.json:
        print(json.dumps({"facts": facts, **report.as_dict()}))
    else:
        print(render(report.tables(), args.format), end="")
    return report
