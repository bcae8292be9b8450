"""Skills node: the robot behind a bridge as the executor's world. Nothing here is simulated."""

from __future__ import annotations

import queue
import secrets
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any

from adm_core.config import Config, param
from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.kinds import load_kinds
from adm_core.memory.records import Detection, Source
from adm_core.missions.field import FieldMission, load_field_mission
from adm_core.planning.handling import RobotError
from adm_core.planning.ports import Command, Primitive, WorldReport
from nav_msgs.msg import OccupancyGrid
from rclpy.task import Future

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.errors import NotActiveError, RefusedError
from adm_nodes.common.evidence_sender import EvidenceSender
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.navigation.factory import (
    declare_navigation,
    make_localisation,
    make_navigator,
    read_navigation,
)
from adm_nodes.navigation.localisation import Localisation
from adm_nodes.navigation.protocol import Navigator
from adm_nodes.robot.bridged import BridgedRobot
from adm_nodes.robot.clock import RobotClock
from adm_nodes.robot.config import RobotConfig, TopicConfig
from adm_nodes.robot.field_world import FieldWorld
from adm_nodes.robot.link import RobotLink
from adm_nodes.robot.outbox import NumberedOutbox
from adm_nodes.robot.whereabouts import Whereabouts

_TICK_S = 0.5
_JOIN_S = 5.0


@dataclass(frozen=True)
class SkillsConfig(Config):
    """What the skills node is sent out with."""

    mission: str = param("", "mission file, see adm_core.missions.field")
    arm: str = param("jetrover", "robot model: jetrover, or a YAML file")


class SkillsNode(AdmNode):
    """Shell around FieldWorld, which runs in a thread of its own: skills take their time.

    Parameters
    ----------
    mission, arm : see SkillsConfig
        What to do, with which robot.
    topics.*, robot.*, move_base.* : see TopicConfig, RobotConfig, MoveBaseConfig
        Names, speeds, patience.

    Topics
    ------
    mission : Mission, mission_map : OccupancyGrid, published, latched
        Static memory, when activated.
    evidence : EvidenceBatch, published, kept for late subscribers
        What the wrist camera sees and drones report, numbered.
    <reports> : RobotReport, subscribed
        What drones report. The robot's own topics are those of TopicConfig.

    Services
    --------
    act : Act
        One skill, or a piece of way.
    get_evidence : GetEvidence
        Batches again that did not arrive.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("skills", **kwargs)
        params.declare(self, SkillsConfig)
        params.declare(self, TopicConfig, "topics")
        params.declare(self, RobotConfig, "robot")
        declare_navigation(self)
        self._worker: threading.Thread | None = None
        self._commands: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._field: FieldMission | None = None
        self._world: FieldWorld | None = None
        self._navigator: Navigator | None = None
        self._localisation: Localisation | None = None
        self.reset()

    # -- transitions ------------------------------------------------------------------------

    def setup(self) -> None:
        """Read the mission; connect to the robot and its navigation."""
        config = params.read(self, SkillsConfig)
        robot_config = params.read(self, RobotConfig, "robot")
        topics = params.read(self, TopicConfig, "topics")
        field = self._field = load_field_mission(config.mission)
        arm = load_arm(config.arm)
        self._run_id = secrets.token_hex(8)
        self._publish_mission = self.add_publisher(msgs.Mission, "mission", qos.LATCHED)
        self._publish_map = self.add_publisher(OccupancyGrid, "mission_map", qos.LATCHED)
        self._evidence = EvidenceSender(self)
        self._link = RobotLink(self, topics, robot_config, arm)
        mission = field.mission
        self._outbox = NumberedOutbox(mission, self._evidence.send)
        where = Whereabouts(self._link, robot_config, mission.frame_id, self._say)
        robot = BridgedRobot(self._link, robot_config, arm, self._field.is_put_away, where.check)
        navigation = read_navigation(self)
        self._localisation = make_localisation(self, navigation)
        self._localisation.listen(on_epoch=lambda epoch, now: self._link.note_new_map())
        self._navigator = make_navigator(self, navigation, self._localisation)
        self._world = FieldWorld(
            field,
            robot,
            self._navigator,
            where,
            self._outbox,
            robot_config,
            load_kinds(),
            self._say,
        )
        self.add_subscription(msgs.RobotReport, topics.reports, qos.FOREIGN, self._on_report)
        self.add_service(srvs.Act, "act", self._on_act)
        self.add_timer(_TICK_S, self._world.tick)

    def start(self) -> None:
        """Announce the mission; take commands."""
        assert self._field is not None
        self._commands = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._work, args=(self._commands,), daemon=True)
        self._worker.start()
        grid = self._field.grid_map
        self._publish_map(conversions.grid_to_msg(grid))
        self._publish_mission(conversions.mission_to_msg(self._field.mission, grid, self._run_id))

    def stop(self) -> None:
        """Stop the robot, whatever it does."""
        if self._world is not None:
            self._world.close()
        if self._worker is not None:
            self._commands.put(None)
            self._worker.join(_JOIN_S)
            self._worker = None

    def reset(self) -> None:
        """Let go of the robot."""
        self._field = self._world = None
        self._clocks: dict[str, RobotClock] = {}
        self._numbers: dict[str, int] = {}
        self._answers: dict[int, tuple[Any, Future]] = {}
        for item in (self._navigator, self._localisation):
            if item is not None:
                item.close()
        self._navigator = self._localisation = None

    # -- commands ---------------------------------------------------------------------------

    async def _on_act(self, request: srvs.Act.Request, response: srvs.Act.Response) -> None:
        """Carry a command out, once per number; nothing else may be under way."""
        command = _command(request)
        known = self._answers.get(request.number)
        if known is not None and known[0] != command:
            raise RefusedError(f"command {request.number} was another one: {known[0]}")
        if known is None:
            self._check_order(request.number, command)
            known = self._answers[request.number] = (command, Future())
            self._commands.put((request.number, *known))
        response.report = conversions.report_to_msg(await known[1])

    def _check_order(self, number: int, command: Command | None) -> None:
        last = max(self._answers, default=0)
        if number <= last:
            raise RefusedError(f"command {number} comes after {last}")
        if command is None and self._answers:
            raise RefusedError("the mission has been started before")
        if command is not None and not self._answers:
            raise RefusedError("the mission has not been started here")

    def _work(self, commands: queue.SimpleQueue) -> None:
        """Carry commands out, one after the other, until there is no more to come."""
        world = self._world
        assert world is not None
        while (item := commands.get()) is not None:
            number, command, done = item
            try:
                report = world.start() if command is None else world.act(command)
            except RobotError as err:  # only the start says so: nothing has begun
                self._answers.pop(number, None)
                self._answer(done, NotActiveError(str(err)))
            except Exception as err:
                self.get_logger().error(traceback.format_exc())
                self._answer(done, RefusedError(f"the skill failed: {type(err).__name__}: {err}"))
            else:
                self._answer(done, report)

    def _answer(self, done: Future, outcome: WorldReport | Exception) -> None:
        """Answer in the thread that spins, which this also wakes."""

        def tell() -> None:
            if isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)

        self.soon(tell)

    # -- evidence ---------------------------------------------------------------------------

    def _on_report(self, message: msgs.RobotReport) -> None:
        """Give a robot's report its place in the order of the mission, once."""
        assert self._field is not None
        if not self._outbox.is_open or message.number <= self._numbers.get(message.source_id, 0):
            return
        self._numbers[message.source_id] = message.number
        mission = self._field.mission
        if message.header.frame_id != mission.frame_id:
            self._say(f"report of {message.source_id} in frame {message.header.frame_id!r} refused")
            return
        clock = self._clocks.setdefault(message.source_id, RobotClock())
        stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        here = time.monotonic()
        age = max(0.0, here - clock.local(stamp, here)) * self._link.scale
        seen = [
            Detection(item.label, conversions.pose_from_msg(item.pose), item.confidence)
            for item in message.detections
            if self._counts(item.pose.x, item.pose.y)
        ]
        self._outbox.emit(
            Source(message.source),
            message.source_id,
            self._outbox.mission_time(self._link.now - age),
            seen,
            conversions.footprint_from_msg(message.footprint[0]) if message.footprint else None,
        )

    def _counts(self, x: float, y: float) -> bool:
        """Tell whether what a drone saw at a place may still wait to be fetched."""
        assert self._field is not None and self._world is not None
        return not (self._field.is_put_away((x, y)) or self._world.is_carried(x, y))

    def _say(self, text: str) -> None:
        self.get_logger().warning(text)


def _command(request: srvs.Act.Request) -> Command | None:
    if request.primitive == "start":
        return None
    goal = conversions.pose_from_msg(request.goal)
    return Command(Primitive(request.primitive), goal, request.label)


def main() -> int:
    """Run the node."""
    return runner.main(SkillsNode)


if __name__ == "__main__":
    raise SystemExit(main())
