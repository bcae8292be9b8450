"""The nodes of a mission in one process, and a client that hears them and speaks to them."""

import sqlite3

from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_nodes.common import qos
from adm_nodes.executor import ExecutorNode
from adm_nodes.memory import MemoryNode
from adm_nodes.planner import PlannerNode
from adm_nodes.world import WorldNode
from rclpy.action import ActionClient

from adm_interfaces.action import RunMission
from adm_interfaces.msg import (
    ApprovalRequest,
    MissionControl,
    MissionResult,
    MissionStatus,
    PlannerStatus,
)
from adm_interfaces.srv import ApproveSkill, ControlMission

LIMIT_S = 60.0


def plain_digest(**mission):
    done = LocalMission(prepare(MissionConfig(**mission)))
    for _ in done.run():
        pass
    return done.executor.digest.hexdigest()


class Crew:
    """The four nodes of a mission, and a client that hears what they say."""

    make_world = WorldNode

    def __init__(self, spinning, log, planner=None, world=None, **executor):
        self.spinning, self.log = spinning, str(log)
        self.said = {}
        for kind, topic, profile in (
            (MissionStatus, "mission_status", qos.STATUS),
            (MissionResult, "mission_result", qos.LATCHED),
            (MissionControl, "mission_control", qos.STATUS),
            (PlannerStatus, "planner_status", qos.LATCHED),
            (ApprovalRequest, "approval_request", qos.LATCHED),
        ):
            heard = self.said[topic] = []
            spinning.node.create_subscription(kind, topic, heard.append, profile)
        self.client = ActionClient(spinning.node, RunMission, "run_mission")
        self.feedback = []
        audit = {"audit": self.log}
        self.nodes = {
            "world": spinning.add(self.make_world, {"scenario": "S-6", **audit, **(world or {})}),
            "memory": spinning.add(MemoryNode, audit),
            "planner": spinning.add(PlannerNode, {**audit, **(planner or {})}),
            "executor": spinning.add(ExecutorNode, {**audit, **executor}),
        }

    def activate(self, *names):
        for name in names or self.nodes:
            for label in ("configure", "activate"):
                assert self.spinning.transition(name, label)
        return self

    def send(self, **goal):
        """Send a goal; return its handle."""
        assert self.client.wait_for_server(30.0)
        request = RunMission.Goal(**goal)
        sent = self.client.send_goal_async(
            request, feedback_callback=lambda message: self.feedback.append(message.feedback)
        )
        self.spinning.wait(sent.done)
        return sent.result()

    def result(self, handle):
        """Wait for the end of a goal; return its status and result."""
        future = handle.get_result_async()
        self.spinning.wait(future.done, LIMIT_S)
        return future.result().status, future.result().result

    def say(self, name, operator="ada", detail=""):
        request = ControlMission.Request(operator_id=operator, detail=detail)
        return self.spinning.call(ControlMission, name, request).status

    def answer(self, word, number=0):
        request = ApproveSkill.Request(operator_id="ada", answer=word, number=number)
        return self.spinning.call(ApproveSkill, "approve_skill", request).status

    @property
    def last(self):
        return self.said["mission_status"][-1] if self.said["mission_status"] else MissionStatus()

    def await_step(self, step):
        self.spinning.wait(lambda: self.last.step >= step, LIMIT_S)

    def await_held(self, text):
        self.spinning.wait(lambda: text in self.last.held, LIMIT_S)

    def await_outcome(self, outcome, limit_s=LIMIT_S):
        results = self.said["mission_result"]
        self.spinning.wait(lambda: bool(results) and results[-1].outcome == outcome, limit_s)
        return results[-1]

    def skills_ended(self):
        with sqlite3.connect(self.log) as db:
            return db.execute("SELECT count(*) FROM skill WHERE event != 'start'").fetchone()[0]

    def controls(self):
        with sqlite3.connect(self.log) as db:
            return [row[0] for row in db.execute("SELECT word FROM control ORDER BY id")]
