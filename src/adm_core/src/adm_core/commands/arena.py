"""Options of the rigid-body arena, for the commands that run missions in it."""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adm_core.commands.options import add_config_arguments, config_from_args, given
from adm_core.config import build
from adm_core.errors import ConfigError

if TYPE_CHECKING:
    from adm_core.memory.audit import AuditLog
    from adm_core.missions.order import Order
    from adm_core.missions.recycling import LocalMission
    from adm_core.missions.setup import MissionSetup
    from adm_core.simulation.rigid_body.arena import Arena
    from adm_core.simulation.rigid_body.config import ArenaConfig


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of arena and view."""
    from adm_core.simulation.rigid_body.config import ArenaConfig

    add_config_arguments(parser, ArenaConfig)
    view = parser.add_argument_group("view of the arena")
    view.add_argument("--png", metavar="FILE", help="write a picture of the end")
    view.add_argument("--window", action="store_true", help="PyBullet's window; needs a display")
    view.add_argument("--mp4", metavar="FILE", help="film it, four times as fast")


def wanted(args: argparse.Namespace, audit: AuditLog | None) -> ArenaConfig | None:
    """Return the arena that was asked for, now or by the run that is resumed; None: no arena.

    Raises
    ------
    ConfigError
        If an option of the arena is given without it, or for a resumed run, or a picture or film
        cannot be written where it is to be.
    """
    from adm_core.memory.stored import sound
    from adm_core.simulation.rigid_body.config import ArenaConfig

    options = sorted(given(args, ArenaConfig))
    if args.resume and audit:
        if options:
            raise ConfigError(f"--resume takes the arena of its run: give no {options[0]}")
        stored = audit.facts().get("arena")
        with sound(f"audit log {audit.path}: fact arena"):
            config = build(ArenaConfig, stored) if stored else None
    elif args.world == "arena":
        config = config_from_args(args, ArenaConfig)
    else:
        config = None
    if config is not None:
        _check_files(args)
        return config
    for name in [*options, *(name for name in ("png", "mp4", "window") if getattr(args, name))]:
        raise ConfigError(f"{name} is an option of --world arena")
    return None


def _check_files(args: argparse.Namespace) -> None:
    """Refuse pictures and films that could not be written, before the mission and not after."""
    for name in ("png", "mp4"):
        path = Path(getattr(args, name) or f"none.{name}")
        if path.suffix.lower() != f".{name}":
            raise ConfigError(f"--{name} must end in .{name}, got {path}")
        if not path.parent.is_dir() or path.is_dir():
            raise ConfigError(f"--{name}: {path} cannot be written, there is no such folder")


def facts(config: ArenaConfig | None, setup: MissionSetup) -> dict[str, Any]:
    """Return what the log must hold to make the arena again."""
    if config is None:
        return {}
    return {"arena": asdict(config), "arena_containers": setup.mission.expected}


def prepared(
    order: Order, config: ArenaConfig, args: argparse.Namespace, audit: AuditLog | None
) -> MissionSetup:
    """Build the mission of an order in the arena; its profile is ``arena`` unless another is given.

    Raises
    ------
    ConfigError
        If the order asks for a map, or its profile has no scenario ``arena``.
    """
    from adm_core.missions.arena import ARENA, arena_scenario, prepare_arena
    from adm_core.missions.profile import load_profile

    mission = order.mission
    if mission.map:
        raise ConfigError("--map is no option of --world arena, which has a map of its own")
    unused = [name for name, value in order.spec.as_plain().items() if value]
    if unused:
        raise ConfigError(f"--world arena does not use {', '.join(unused)} of a mission file")
    profile = load_profile(ARENA if mission.profile == "paper" else mission.profile)
    scenario = arena_scenario(profile)
    stored = audit.facts().get("arena_containers") if audit and args.resume else None
    containers = stored or args.containers
    if containers is not None:
        scenario = replace(scenario, containers=containers)
    return prepare_arena(mission, config, profile, scenario, args.window)


@contextmanager
def chatter_apart() -> Iterator[None]:
    """Send what PyBullet's window prints to standard error; our own output stays what it is."""
    sys.stdout.flush()
    ours, kept = sys.stdout, os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(os.dup(kept), "w", encoding=ours.encoding) as sys.stdout:
            yield
    finally:
        sys.stdout = ours
        ctypes.CDLL(None).fflush(None)  # C has a buffer of its own
        os.dup2(kept, 1)
        os.close(kept)


def view(mission: LocalMission, args: argparse.Namespace) -> AbstractContextManager[Any]:
    """Return what watches a mission: it leaves picture and film, and says how fast it was."""
    from adm_core.missions.arena_view import ArenaView
    from adm_core.missions.recycling import LocalWorld
    from adm_core.simulation.rigid_body.world import ArenaWorld

    world = mission.world.simulated if isinstance(mission.world, LocalWorld) else None
    if not isinstance(world, ArenaWorld):
        return nullcontext()
    stack = ExitStack()
    world.arena.clock = time.perf_counter
    if args.png or args.mp4:
        watching = stack.enter_context(ArenaView(world.arena, args.png, args.mp4))
        world.on_tick = watching.watch
    if not args.json:
        stack.callback(_tell_speed, world.arena, time.perf_counter())
    return stack


def _tell_speed(arena: Arena, started: float) -> None:
    """Say how fast the arena was, and what its pictures cost."""
    wall_s = max(time.perf_counter() - started, 1e-9)
    each_ms = 1e3 * arena.picture_s / max(arena.pictures, 1)
    print(
        f"arena: {arena.now:.0f} s in {wall_s:.1f} s, {arena.now / wall_s:.1f} times real time; "
        f"{arena.pictures} pictures {arena.config.camera} of {each_ms:.1f} ms each"
    )
