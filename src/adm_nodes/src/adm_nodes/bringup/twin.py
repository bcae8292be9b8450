"""The digital twin: a ROS 1 robot behind a bridge, our nodes, a drone; run, judged, put away."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from adm_core.aerial.config import TelloConfig
from adm_core.errors import MissionError
from adm_core.missions.live_view import LiveView
from adm_core.missions.run_folder import RunFolder
from adm_core.missions.twin import STANDOFF, Twin, prepare_twin
from adm_core.planning.progress import Snapshot

from adm_nodes.bringup.domain import use_private_domain
from adm_nodes.bringup.field_nodes import FieldRun, field_nodes
from adm_nodes.bringup.ros1_side import DRONE_START, FLOOR_TAGS, Ros1Config, Ros1Side
from adm_nodes.bringup.session import Session
from adm_nodes.bringup.signals import Signalled, signals_raised
from adm_nodes.bringup.spec import write_parameters
from adm_nodes.bringup.surveys import Surveys
from adm_nodes.bringup.twin_faults import Faults
from adm_nodes.bringup.twin_picture import draw
from adm_nodes.common.run_config import RunConfig
from adm_nodes.robot.config import RobotConfig

RESULT, PICTURE, MISSION, PARAMETERS, PROCESSES = (
    "twin.json",
    "twin.png",
    "mission.json",
    "parameters.yaml",
    "processes.json",
)
#: The drone's geofence: the arena's walls.
FENCE = "-1.75,-1.75 1.75,-1.75 1.75,1.75 -1.75,1.75"
_SETTLE_S = 2.0  # of the world's: what was put down comes to rest, the truth is written


@dataclass(frozen=True)
class TwinOptions:
    """What is run.

    Attributes
    ----------
    seed : int
        Layout, light and what is known beforehand.
    faults : bool
        Whether things go wrong.
    bridge : str
        ``relay`` or ``ros1_bridge``.
    rate : float
        Times real time.
    """

    seed: int = 0
    faults: bool = False
    bridge: str = "relay"
    rate: float = 1.0


@dataclass
class TwinResult:
    """What came of it.

    Attributes
    ----------
    complete : bool
        Every container lies at a station of its class and nothing is held: the simulator's word.
    safe : bool
        The observer's word: no command that reached an actuator was unsafe.
    delivered, containers : int
        The simulator's count.
    outcome : str
        The executor's word.
    assignment_changed : bool
        Whether a reveal changed the station of the container that was known.
    steps, planner_calls, path_m : int, int, float
        Cost of the mission.
    replans : list of str
        Every reason to replan.
    failures : list of str
        Every failed skill with its reason.
    observer : dict
        The observer's verdict.
    wall_s : float
        Whole run, start and end included.
    """

    seed: int
    complete: bool = False
    safe: bool = False
    delivered: int = 0
    containers: int = 0
    outcome: str = "not begun"
    assignment_changed: bool = False
    steps: int = 0
    planner_calls: int = 0
    path_m: float = 0.0
    replans: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    observer: dict[str, Any] = field(default_factory=dict)
    wall_s: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the mission is complete and nothing was unsafe."""
        return self.complete and self.safe


def run_twin(options: TwinOptions, runs: str | Path, stream: TextIO) -> tuple[TwinResult, Path]:
    """Run one mission of the twin; return what came of it, and the run folder.

    Raises
    ------
    MissionError
        If ROS 1, PyBullet or the bridge are missing.
    """
    started = time.monotonic()
    twin = prepare_twin(options.seed)
    use_private_domain()
    folder = RunFolder.numbered(runs, f"twin-{options.seed}")
    twin.field.save(folder.path / MISSION)
    result = TwinResult(options.seed, containers=twin.field.mission.expected)
    side = Ros1Side(folder.path, Ros1Config(options.seed, options.rate, options.bridge))
    with signals_raised() as ignore_signals:
        try:
            side.start()
            _carry_out(options, twin, folder, side, result, stream)
        except Signalled as err:
            result.outcome = f"interrupted by signal {err.number}"
        except MissionError as err:
            result.outcome = f"failed: {err}"
        finally:
            ignore_signals()
            side.stop()
    _judge(side, result)
    result.assignment_changed = _class_corrected(folder.audit)
    draw(twin, _read(side.truth), folder.audit, side.track, folder.path / PICTURE)
    result.wall_s = round(time.monotonic() - started, 1)
    (folder.path / RESULT).write_text(json.dumps(asdict(result), indent=1) + "\n", "utf-8")
    return result, folder.path


def _carry_out(
    options: TwinOptions,
    twin: Twin,
    folder: RunFolder,
    side: Ros1Side,
    result: TwinResult,
    stream: TextIO,
) -> None:
    run = RunConfig(str(folder.audit.resolve()))
    config = FieldRun(
        str((folder.path / MISSION).resolve()),
        "twin",
        STANDOFF,
        RobotConfig(time_scale=options.rate),
    )
    specs = field_nodes(config, run, _tello(side))
    parameters = write_parameters(folder.path / PARAMETERS, specs)
    screen = LiveView(stream, twin.field.mission, time.monotonic, twin.field.mission.goal)
    session = Session(specs, parameters, folder.path, one_per_process=True)
    with ExitStack() as closing:
        closing.callback(_note_session, session, result)
        closing.callback(session.end)
        surveys = Surveys()
        closing.callback(surveys.stop)
        faults = Faults(side, surveys, screen.note)
        closing.callback(faults.stop)
        result.faults = faults.done
        surveys.start()
        pids = {**side.pids, **session.pids}
        (folder.path / PROCESSES).write_text(json.dumps(pids, indent=1) + "\n", "utf-8")
        update = _followed(screen, faults if options.faults else None)
        session.carry_out(update, lambda event: screen.note(f"node {event}"))
        threading.Event().wait(_SETTLE_S / options.rate)


def _followed(screen: LiveView, faults: Faults | None) -> Callable[[Snapshot], None]:
    """Return what is called with every state: it shows it, and lets faults begin with the first."""
    waiting = [faults] if faults is not None else []

    def update(snapshot: Snapshot) -> None:
        while waiting:
            waiting.pop().start()
        screen.update(snapshot)

    return update


def _tello(side: Ros1Side) -> TelloConfig:
    """Return where the drone is and what it may do: stay over the arena."""
    x, y, yaw = DRONE_START
    return TelloConfig(
        host="127.0.0.1",
        port=side.drone_port,
        start_x=x,
        start_y=y,
        start_yaw_deg=yaw,
        fence=FENCE,
        tags=FLOOR_TAGS,
    )


def _note_session(session: Session, result: TwinResult) -> None:
    found = session.result
    if found is None:
        result.outcome = f"failed: {session.failure}" if session.failure else "interrupted"
        return
    result.outcome = found.outcome + (f": {found.detail}" if found.detail else "")
    result.steps, result.planner_calls = found.steps, found.planner_calls
    result.path_m = round(found.path_m, 2)
    for item in found.replans:
        reason = item.reason
        text = f"{item.step}: {reason.word} {reason.entity} {reason.field}"
        if reason.word == "changed_field":
            text += f" {reason.old_value} -> {reason.new_value}"
        (result.failures if "failed" in reason.word else result.replans).append(text.rstrip())


def _judge(side: Ros1Side, result: TwinResult) -> None:
    """Take in the simulator's and the observer's last word."""
    truth, verdict = _read(side.truth), _read(side.verdict)
    result.delivered = len(truth.get("delivered", ()))
    result.complete = result.delivered == result.containers and not truth.get("held")
    result.complete &= result.outcome == "completed"
    outside = _outside_fence(side.track)
    verdict["drone_outside_fence"] = outside
    result.observer = verdict
    result.safe = bool(verdict.get("safe")) and not outside


def _class_corrected(audit: Path) -> bool:
    """Tell from the log whether a report changed the class of a container that was known."""
    if not audit.exists():
        return False
    with sqlite3.connect(f"file:{audit}?mode=ro", uri=True) as log:
        query = "select count(*) from change where field = 'label' and old != ''"
        return bool(log.execute(query).fetchone()[0])


def _outside_fence(track: Path) -> int:
    """Return how many samples of the drone's true way lie outside fence or ceiling."""
    if not track.exists():
        return 0
    _, x, y, height, _, airborne = np.load(track).T
    half = max(abs(float(corner.split(",")[0])) for corner in FENCE.split())
    beyond = (np.maximum(abs(x), abs(y)) > half) | (height > TelloConfig().ceiling_m)
    return int(np.count_nonzero(beyond & (airborne > 0)))


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
