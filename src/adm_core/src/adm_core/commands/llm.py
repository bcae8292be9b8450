"""``adm llm``: probe an endpoint, and two local servers to plan against without a key."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from adm_core.commands.options import add_config_arguments, config_from_args
from adm_core.files import visible

HELP = "probe a language model endpoint, or serve a strict double or a tiny real model"
EXAMPLES = """examples:
  adm llm probe --mode responses_strict
  adm llm probe --mode chat_json_object --base-url http://127.0.0.1:8088/v1 --model gemma3-270m
  adm llm serve-strict --port 8089 --script 429:1,http:500,incomplete
  adm llm serve-tiny --port 8088
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from adm_core.llm.config import LlmConfig
    from adm_core.testing.llm_server import add_server_arguments
    from adm_core.testing.tiny_model import WEIGHTS

    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    sub = actions.add_parser("probe", help="check that an endpoint obeys a schema, and its gaps")
    add_config_arguments(sub, LlmConfig)
    sub.add_argument("--json", action="store_true", help="print the report as JSON only")
    sub.set_defaults(act=_probe)

    sub = actions.add_parser(
        "serve-strict", help="serve a double that enforces the documented request rules"
    )
    add_server_arguments(sub)
    sub.set_defaults(act=_serve_strict)

    sub = actions.add_parser("serve-tiny", help="serve a tiny real model by llama-cpp-python")
    sub.add_argument("--port", type=int, default=8088, help="port on 127.0.0.1 (default 8088)")
    names = ", ".join(WEIGHTS.values())
    sub.add_argument("--weights", default="", help=f"{names}, or a .gguf file; default: any")
    sub.add_argument("--threads", type=int, default=1, help="threads (default 1)")
    sub.add_argument("--context", type=int, default=4096, help="tokens (default 4096)")
    sub.add_argument("--seed", type=int, default=0, help="seed of the sampling (default 0)")
    sub.set_defaults(act=_serve_tiny)


def run(args: argparse.Namespace) -> int:
    """Run the chosen action; probe returns 1 if the endpoint does not obey."""
    return int(args.act(args))


def _probe(args: argparse.Namespace) -> int:
    from adm_core.errors import ConfigError
    from adm_core.llm.client import live_client
    from adm_core.llm.config import LIVE_MODES, LlmConfig
    from adm_core.llm.probe import probe

    config = config_from_args(args, LlmConfig)
    if not config.live:
        raise ConfigError(f"mode must be one of {', '.join(LIVE_MODES)}, got '{config.mode}'")
    report = probe(live_client(config, os.environ, time.monotonic, time.sleep))
    done = report.completion
    if args.json:
        facts = {
            "mode": config.mode,
            "model": config.model,
            "obeys": report.obeys,
            "failure": done.failure.value if done.failure else None,
            "detail": done.detail,
            "latency_s": round(done.latency_s, 4),
            "attempts": done.attempts,
            "not_reported": list(report.gaps),
        }
        print(json.dumps(facts))
    else:
        print(visible(f"{config.model} in mode {config.mode}: {report}"))
        print(f"  latency      {done.latency_s:.2f} s in {done.attempts} attempts")
        print(f"  not reported {', '.join(report.gaps) or 'nothing is missing'}")
    return 0 if report.obeys else 1


def _serve_strict(args: argparse.Namespace) -> int:
    from adm_core.testing.llm_server import serve

    return serve(args)


def _serve_tiny(args: argparse.Namespace) -> int:
    from adm_core.testing.tiny_model import find_weights, serve, server_command

    name, weights = find_weights(args.weights)
    command = server_command(name, weights, args.port, args.threads, args.context, args.seed)
    url = f"http://127.0.0.1:{args.port}/v1"
    print(f"serving {name} at {url} (stop with Ctrl-C); plan with it by", file=sys.stderr)
    print(
        f"  adm mission --scenario S-6 --planner chat_json_object --base-url {url} --model {name}",
        file=sys.stderr,
        flush=True,
    )
    serve(command)
    return 0
