"""Whatever is lost, late or restarted: tasks end, and no goal of ours is left to drive the base."""

import random
from dataclasses import replace

from actionlib_model import ActionServerModel
from adm_core.types import Pose2D
from adm_nodes.navigation import NavGoal, NavOutcome, NavTask
from adm_nodes.navigation.addressing import GoalState, OwnIds
from adm_nodes.navigation.config import MoveBaseConfig
from adm_nodes.navigation.move_base import Ended, MoveBase, SendCancel, SendGoal
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import examples

CONFIG = MoveBaseConfig(pose_stale_s=0.0, scan_stale_s=0.0, progress_s=0.0)
PATIENT = replace(CONFIG, silence_s=15.0, ack_timeout_s=30.0)
STEP_S = 0.1
#: From the last event to the end of every task: taken, silent, cancelled, farewell.
SETTLE_S = 30.0

EVENTS = st.sampled_from(
    ["send", "cancel", "foreign", "restart", "link off", "link on", "reach", "abort", "wait"]
)


class Run:
    """A dialogue with the model over a link that loses, delays and repeats messages."""

    def __init__(self, seed, loss, skew_s, config=CONFIG):
        self.random = random.Random(seed)
        self.loss = loss
        self.server = ActionServerModel(skew_s)
        self.machine = MoveBase(config, OwnIds("/nav", "s"))
        self.now = 1000.0
        self.linked = True
        self.under_way = []  # (due, deliver)
        self.tasks = []
        self.cancelled = set()
        self.foreign = 0

    def event(self, name):
        if name == "send":
            self.tasks.append(NavTask(NavGoal(Pose2D(1.0, 1.0))))
            self.take(self.machine.send(self.tasks[-1], self.now))
        elif name == "cancel" and self.tasks:
            self.take(self.machine.cancel(self.tasks[-1], self.now))
        elif name == "foreign":
            self.foreign += 1
            self.server.on_goal(f"rviz-{self.foreign}", 0, self.now)
        elif name == "restart":
            self.server.restart()
        elif name.startswith("link"):
            self.linked = name == "link on"
        elif name in ("reach", "abort"):
            state = GoalState.SUCCEEDED if name == "reach" else GoalState.ABORTED
            self.server.finish(state, self.now)

    def take(self, effects):
        for effect in effects:
            if isinstance(effect, Ended):
                assert effect.task.result is None, "a task ended twice"
                effect.task.finish(effect.outcome, effect.text)
            elif isinstance(effect, SendGoal):
                assert effect.id.startswith("/nav|")
                self.post(lambda item=effect: self.server.on_goal(item.id, 0, self.now))
            elif isinstance(effect, SendCancel):
                assert effect.id.startswith("/nav|"), "somebody else's goal was cancelled"
                self.post(lambda item=effect: self.server.on_cancel(item.id, 0, self.now))

    def post(self, deliver):
        """Put a message on the way; it may be lost, come late, or come twice."""
        for _ in range(1 + (self.random.random() < self.loss / 3)):
            if self.linked and self.random.random() >= self.loss:
                delay = self.random.choice((0.0, 0.0, 0.1, 0.3))
                self.under_way.append((self.now + delay, deliver))

    def pass_time(self, seconds):
        for step in range(round(seconds / STEP_S)):
            self.now += STEP_S
            self.server.step(self.now)
            for result in self.server.results:
                self.post(lambda item=result: self.take(self.machine.on_result(item, self.now)))
            self.server.results.clear()
            if step % 2 == 0:
                listed = self.server.status(self.now)
                self.post(lambda item=listed: self.take(self.machine.on_status(item, self.now)))
            due = [item for item in self.under_way if item[0] <= self.now]
            self.under_way = [item for item in self.under_way if item[0] > self.now]
            for _, deliver in due:
                deliver()
            self.take(self.machine.tick(self.now))


@given(
    events=st.lists(st.tuples(EVENTS, st.floats(0.1, 4.0)), max_size=12),
    seed=st.integers(0, 2**16),
    loss=st.sampled_from([0.0, 0.1, 0.4]),
    skew_s=st.sampled_from([0.0, -60.0, 60.0]),
)
@settings(deadline=None, max_examples=examples("navigator"))
def test_tasks_end_and_no_goal_of_ours_drives_on(events, seed, loss, skew_s):
    run = Run(seed, loss, skew_s)
    run.pass_time(0.5)
    for name, pause in events:
        run.event(name)
        run.pass_time(pause)
    run.event("link on")
    run.loss = 0.0
    if run.tasks and run.tasks[-1].result is None:
        run.event("cancel")
    run.pass_time(SETTLE_S)
    assert all(task.result is not None for task in run.tasks)
    assert [name for name in run.server.alive if name.startswith("/nav|")] == []
    assert sum(name.startswith("rviz") for name in run.server.alive) <= 1


@given(seed=st.integers(0, 2**16), skew_s=st.sampled_from([-60.0, 60.0]))
@settings(deadline=None, max_examples=25)
def test_a_lossy_link_and_a_wrong_clock_do_not_keep_a_goal_from_its_end(seed, skew_s):
    run = Run(seed, 0.4, skew_s, PATIENT)
    run.pass_time(0.5)
    for _ in range(3):
        run.event("send")
        while run.server.current is None:
            run.pass_time(0.2)
        run.event("reach")
        while run.tasks[-1].result is None:
            run.pass_time(0.2)
    assert [task.result.outcome for task in run.tasks] == [NavOutcome.SUCCEEDED] * 3
