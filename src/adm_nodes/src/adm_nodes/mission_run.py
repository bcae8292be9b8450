"""One mission in a thread of its own: from its journal, on to its result."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adm_core.errors import AdmError
from adm_core.memory.audit import AuditLog
from adm_core.planning.body import Standoff
from adm_core.planning.execution_log import AuditedExecution
from adm_core.planning.executor import Executor
from adm_core.planning.progress import Snapshot
from adm_core.planning.recall import Recall
from adm_core.planning.supervision import EndedError, JournaledSupervisor
from adm_core.types import Pose2D

import adm_interfaces.msg as msgs
from adm_nodes.common import conversions
from adm_nodes.common.errors import StoppedError
from adm_nodes.common.floor import FlooredWorld
from adm_nodes.common.mission_input import Announced
from adm_nodes.common.ports import RosMemory, RosPlanner, RosWorld
from adm_nodes.common.run_config import SteeringConfig
from adm_nodes.steering import Steering

_JOIN_S = 5.0
#: Fact of a log: how its mission ended; empty while it is under way.
ENDED = "ended"
#: Ends after which a mission goes on by itself when its executor comes back. Of those that are
#: final nothing is done again: the journal gives the same result.
_GOES_ON = ("", "stopped", "completed", "out_of_budget")


@dataclass(frozen=True)
class Listeners:
    """Who is told of a mission; called by its thread.

    Attributes
    ----------
    snapshot : callable
        Gets the state after every step and the number of plans given up.
    look : callable
        Gets number, time and place of each look that the aerial source is asked for.
    result : callable
        Gets how the mission ended, once.
    """

    snapshot: Callable[[Snapshot, int], None]
    look: Callable[[int, float, Pose2D], None]
    result: Callable[[msgs.MissionResult], None]


class MissionRun:
    """Run a mission from where its log left it; one object per attempt.

    Parameters
    ----------
    node : AdmNode
        Owner of the ROS entities.
    announced : Announced
        The mission.
    audit : AuditLog or None
        Journal and log; only its thread writes to it.
    steering : Steering
        What people say.
    config : SteeringConfig
        How long answers may take.
    listeners : Listeners
        Who is told.
    pace : callable
        Pause after each step, seconds; asked anew each time.
    """

    def __init__(
        self,
        node: Any,
        announced: Announced,
        audit: AuditLog | None,
        steering: Steering,
        config: SteeringConfig,
        listeners: Listeners,
        pace: Callable[[], float],
    ) -> None:
        self._node, self._audit, self._steering = node, audit, steering
        self._listeners, self._pace = listeners, pace
        self._stopping = threading.Event()
        recall = self._recall = Recall(audit)
        controls, approval = steering.begin()
        world = RosWorld(node, recall, steering.waiter(config.world_s, False), listeners.look)
        memory = RosMemory(node, recall, steering.waiter(config.memory_s, True))
        planner = RosPlanner(node, recall, steering.waiter(config.planner_s, True))
        self._ports = (world, memory, planner)
        floor = announced.floor
        supervisor = JournaledSupervisor(
            controls,
            approval,
            audit,
            lambda: recall.replaying,
            lambda: recall.next_number,
        )
        steering.fetch = supervisor.fetch_requests
        self._executor = Executor(
            announced.mission,
            announced.terrain,
            world if floor is None else FlooredWorld(world, floor),
            memory,
            planner,
            AuditedExecution(audit, commit=False) if audit else None,
            body=_body(config),
            supervisor=supervisor,
        )
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin, or go on."""
        self._note_end("")
        self._steering.under_way = True
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the mission has not ended yet."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the mission between two steps, or where it waits for an answer or a person."""
        self._stopping.set()
        self._steering.stop()
        for port in self._ports:
            port.close()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)

    def _run(self) -> None:
        """Carry the mission out; always ends with a result."""
        started, step = time.perf_counter(), 0
        try:
            for snapshot in self._executor.run():
                step = snapshot.step
                if self._recall.replaying:  # told before, by the process that this one follows
                    continue
                self._listeners.snapshot(snapshot, len(self._executor.tally.replans))
                self._stopping.wait(self._pace())
            outcome, detail = self._peaceful_end()
        except StoppedError:
            outcome, detail = "stopped", "the executor was deactivated"
        except EndedError as err:  # before the first step
            outcome, detail = "cancelled", str(err)
        except AdmError as err:
            outcome, detail = "failed", str(err)
        except Exception as err:
            self._node.get_logger().error(traceback.format_exc())
            outcome, detail = "failed", f"{type(err).__name__}: {err}"
        wall_s = time.perf_counter() - started
        self._steering.under_way = False
        detail = self._closed(outcome, detail)
        digest = self._executor.digest.hexdigest()
        self._listeners.result(
            conversions.result_to_msg(self._executor.tally, digest, step, outcome, detail, wall_s)
        )

    def _peaceful_end(self) -> tuple[str, str]:
        if self._executor.ended:
            return "cancelled", self._executor.ended
        return ("completed" if self._executor.complete else "out_of_budget"), ""

    def _closed(self, outcome: str, detail: str) -> str:
        """Note the end in the log and let go of the ports; return the detail of the result."""
        try:
            self._note_end(outcome)
        except AdmError as err:
            detail = f"{detail}; {err}" if detail else str(err)
        for port in self._ports:
            port.close()
        return detail

    def _note_end(self, outcome: str) -> None:
        if self._audit is None:
            return
        muted, self._audit.muted = self._audit.muted, False
        self._audit.run({ENDED: outcome})
        self._audit.commit()
        self._audit.muted = muted


def goes_on(audit: AuditLog | None) -> bool:
    """Tell whether a log holds a mission that goes on by itself."""
    return has_begun(audit) and audit is not None and audit.facts().get(ENDED, "") in _GOES_ON


def has_begun(audit: AuditLog | None) -> bool:
    """Tell whether a log holds requests of a mission."""
    return audit is not None and bool(audit.journal_entries("request"))


def _body(config: SteeringConfig) -> Standoff | None:
    """Return what tells arrival where the robot has a size; None where it is a point."""
    if not config.standoff_m:
        return None
    return Standoff(config.standoff_m, config.standoff_slack_m, config.standoff_slack_rad)
