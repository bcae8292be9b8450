"""Executor node: carries the mission out, one committed skill at a time."""

from __future__ import annotations

import threading
import time
import traceback

from adm_core.errors import AdmError
from adm_core.grid.terrain import Terrain
from adm_core.memory.audit import AuditLog
from adm_core.memory.static import Mission
from adm_core.planning.execution_log import AuditedExecution
from adm_core.planning.executor import Executor

import adm_interfaces.msg as msgs
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.errors import StoppedError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.mission_input import MissionInput
from adm_nodes.common.ports import RosMemory, RosPlanner, RosWorld
from adm_nodes.common.run_config import RunConfig

_JOIN_S = 5.0


class ExecutorNode(AdmNode):
    """Shell around Executor, which runs in a thread of its own while the node is active.

    Parameters
    ----------
    audit, pace_s : see RunConfig
        Audit log; pause after each step.

    Topics
    ------
    mission : Mission, map : OccupancyGrid, subscribed
        Static memory.
    mission_status : MissionStatus, published
        After every step.
    mission_result : MissionResult, published, latched
        When the mission has ended, for whatever reason.

    Services
    --------
    act, sync_memory, make_plan : called
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("executor", **kwargs)
        params.declare(self, RunConfig)
        self._audit: AuditLog | None = None
        self._worker: threading.Thread | None = None
        self._ports: tuple[RosWorld, RosMemory, RosPlanner] | None = None
        self.reset()

    def setup(self) -> None:
        """Open the audit log and wait for the mission."""
        self._config = params.read(self, RunConfig)
        self._audit = AuditLog(self._config.audit) if self._config.audit else None
        self._publish_status = self.add_publisher(msgs.MissionStatus, "mission_status", qos.STATUS)
        self._publish_result = self.add_publisher(msgs.MissionResult, "mission_result", qos.LATCHED)
        MissionInput(self, self._on_mission)

    def start(self) -> None:
        """Begin the mission if it is known; otherwise it begins when it is."""
        self._stopping = threading.Event()
        before = self._commit
        self._ports = RosWorld(self, before), RosMemory(self, before), RosPlanner(self, before)
        if self._mission is not None:
            self._begin()

    def stop(self) -> None:
        """End the mission between two steps, or where it waits for an answer."""
        if self._ports is not None:
            self._stopping.set()
            for port in self._ports:
                port.close()
        if self._worker is not None:
            self._worker.join(_JOIN_S)
        self._worker = self._ports = None

    def reset(self) -> None:
        """Drop the mission and close the log."""
        self._mission: Mission | None = None
        self._terrain: Terrain | None = None
        if self._audit is not None:
            self._audit.close()
            self._audit = None

    def _on_mission(self, mission: Mission, terrain: Terrain) -> None:
        self._mission, self._terrain = mission, terrain
        if self.is_active:
            self._begin()

    def _begin(self) -> None:
        assert self._mission is not None and self._terrain is not None and self._ports is not None
        world, memory, planner = self._ports
        log = AuditedExecution(self._audit, commit=False) if self._audit else None
        executor = Executor(self._mission, self._terrain, world, memory, planner, log)
        self._worker = threading.Thread(target=self._run, args=(executor,), daemon=True)
        self._worker.start()

    def _commit(self) -> None:
        if self._audit is not None:
            self._audit.commit()

    def _run(self, executor: Executor) -> None:
        """Carry the mission out; always ends with a result."""
        started = time.perf_counter()
        outcome, detail, step = "completed", "", 0
        try:
            for snapshot in executor.run():
                step = snapshot.step
                self._publish_status(conversions.snapshot_to_msg(snapshot))
                if self._config.pace_s:
                    self._stopping.wait(self._config.pace_s)
            self._commit()
            if not executor.complete:
                outcome = "out_of_budget"
        except StoppedError:
            outcome, detail = "stopped", "the executor was deactivated"
        except AdmError as err:
            outcome, detail = "failed", str(err)
        except Exception as err:
            self.get_logger().error(traceback.format_exc())
            outcome, detail = "failed", f"{type(err).__name__}: {err}"
        wall_s = time.perf_counter() - started
        digest = executor.digest.hexdigest()
        self._publish_result(
            conversions.result_to_msg(executor.tally, digest, step, outcome, detail, wall_s)
        )


def main() -> int:
    """Run the node."""
    return runner.main(ExecutorNode)


if __name__ == "__main__":
    raise SystemExit(main())
