"""The dialogue with move_base, event by event."""

import itertools
import math

import pytest
from adm_core.types import Pose2D
from adm_nodes.navigation import NavFeedback, NavGoal, NavOutcome, NavTask
from adm_nodes.navigation.addressing import AdoptedIds, GoalState, GoalStatus, OwnIds
from adm_nodes.navigation.config import MoveBaseConfig
from adm_nodes.navigation.move_base import Ended, MoveBase, News, SendCancel, SendGoal
from sizes import examples

CONFIG = MoveBaseConfig(pose_stale_s=0.0, scan_stale_s=0.0, progress_s=0.0)
HERE = Pose2D(1.0, 2.0)
P, A, PREEMPTED, SUCCEEDED, ABORTED, REJECTED, PREEMPTING, RECALLING, RECALLED, LOST = GoalState
FOREIGN = GoalStatus("rviz-1", A)


class Talk:
    """A dialogue under test: time, what was sent, how the task ended."""

    def __init__(self, config=CONFIG, ids=None):
        self.machine = MoveBase(config, ids or OwnIds("/nav", "s1"))
        self.now = 100.0
        self.sent = []
        self.tasks = []

    def send(self, goal=None):
        self.tasks.append(NavTask(goal or NavGoal(HERE)))
        self.take(self.machine.send(self.tasks[-1], self.now))
        return self

    def take(self, effects):
        for effect in effects:
            if isinstance(effect, Ended):
                assert effect.task.result is None  # ends once
                effect.task.finish(effect.outcome, effect.text)
            elif isinstance(effect, News):
                effect.task.report(effect.feedback)
            else:
                self.sent.append(effect)

    def wait(self, seconds, *listed, every=0.1):
        """Let time pass; with statuses given, a list with them comes at each step."""
        for _ in range(round(seconds / every)):
            self.now += every
            if listed:
                self.status(*listed)
            self.take(self.machine.tick(self.now))
        return self

    def status(self, *listed):
        """Take a list in: states stand for our goal, strings for nothing."""
        items = [self.entry(item) for item in listed if item != "nothing"]
        self.take(self.machine.on_status(items, self.now))
        return self

    def result(self, state, text=""):
        self.take(self.machine.on_result(GoalStatus(self.id, state, text), self.now))
        return self

    def cancel(self, task=None):
        self.take(self.machine.cancel(task or self.tasks[-1], self.now))
        return self

    def entry(self, item):
        return item if isinstance(item, GoalStatus) else GoalStatus(self.id, item)

    @property
    def id(self):
        return next(item.id for item in reversed(self.sent) if isinstance(item, SendGoal))

    @property
    def goals(self):
        return [item for item in self.sent if isinstance(item, SendGoal)]

    @property
    def cancels(self):
        return [item.id for item in self.sent if isinstance(item, SendCancel)]

    @property
    def outcome(self):
        result = self.tasks[-1].result
        return result and result.outcome


STEPS = {
    "send": lambda talk: talk.send(),
    "cancel": lambda talk: talk.cancel(),
    "foreign": lambda talk: talk.status(FOREIGN),
    "foreign beside ours": lambda talk: talk.status(FOREIGN, A),
    "foreign, ours preempted": lambda talk: talk.status(FOREIGN, PREEMPTED),
    "foreign, ours waiting": lambda talk: talk.status(FOREIGN, P),
    "nothing listed": lambda talk: talk.status("nothing"),
    "silence 1.9": lambda talk: talk.wait(1.9),
    "silence 2.1": lambda talk: talk.wait(2.1),
    "silence 5.1": lambda talk: talk.wait(5.1),
    "silence 8.1": lambda talk: talk.wait(8.1),
    "nothing listed 5.1": lambda talk: talk.wait(5.1, "nothing"),
    "recalling 5": lambda talk: talk.wait(5.0, RECALLING),
    **{f"status {state.name}": lambda talk, s=state: talk.status(s) for state in GoalState},
    **{f"result {state.name}": lambda talk, s=state: talk.result(s) for state in GoalState},
}

N = NavOutcome
TABLE = [
    # accept and end, by status or by result, whichever comes first
    ("send", None),
    ("send, status PENDING", None),
    ("send, status ACTIVE", None),
    ("send, status ACTIVE, status SUCCEEDED", N.SUCCEEDED),
    ("send, status ACTIVE, result SUCCEEDED", N.SUCCEEDED),
    ("send, status SUCCEEDED", N.SUCCEEDED),
    ("send, result SUCCEEDED", N.SUCCEEDED),
    ("send, status ACTIVE, status ABORTED", N.ABORTED),
    ("send, result ABORTED, status SUCCEEDED", N.ABORTED),
    ("send, status SUCCEEDED, result ABORTED", N.SUCCEEDED),
    ("send, status REJECTED", N.REJECTED),
    ("send, status ACTIVE, result LOST", N.LOST),
    ("send, status ACTIVE, result ACTIVE", None),
    ("send, status ACTIVE, status PENDING", None),
    # cancel
    ("send, status ACTIVE, cancel", None),
    ("send, status ACTIVE, cancel, status PREEMPTING", None),
    ("send, status ACTIVE, cancel, status PREEMPTED", N.CANCELLED),
    ("send, status ACTIVE, cancel, status SUCCEEDED", N.SUCCEEDED),
    ("send, status ACTIVE, cancel, status ABORTED", N.ABORTED),
    ("send, status PENDING, cancel, status RECALLED", N.CANCELLED),
    ("send, cancel, status RECALLED", N.CANCELLED),
    ("send, cancel, status ACTIVE", None),
    ("send, cancel, recalling 5", None),
    ("send, cancel, recalling 5, nothing listed, nothing listed, nothing listed", N.CANCELLED),
    ("send, status ACTIVE, cancel, silence 8.1", N.LOST),
    ("send, cancel, silence 8.1", N.LOST),
    # somebody else
    ("send, status ACTIVE, status PREEMPTED", N.PREEMPTED),
    ("send, status ACTIVE, foreign, ours preempted", N.PREEMPTED),
    ("send, status ACTIVE, foreign, foreign, foreign", N.PREEMPTED),
    ("send, status ACTIVE, foreign, foreign", None),
    ("send, status ACTIVE" + ", foreign beside ours" * 3, N.PREEMPTED),
    ("send" + ", foreign" * 5, None),
    ("send" + ", foreign, ours waiting" * 5 + ", status ACTIVE, status SUCCEEDED", N.SUCCEEDED),
    ("send, status PENDING, status RECALLED", N.REJECTED),
    ("send, status RECALLED", N.REJECTED),
    # vanished, silent, never taken
    ("send, status ACTIVE, nothing listed, nothing listed", None),
    ("send, status ACTIVE, nothing listed, nothing listed, nothing listed", N.LOST),
    ("send, status ACTIVE" + ", nothing listed, status ACTIVE" * 4, None),
    ("send, status ACTIVE, cancel" + ", nothing listed" * 3, N.LOST),
    ("send, status ACTIVE, silence 1.9", None),
    ("send, status ACTIVE, silence 2.1", N.LOST),
    ("send, nothing listed 5.1", N.TIMEOUT),
    ("send, silence 5.1", N.LOST),
    ("send, silence 2.1, status ACTIVE, status SUCCEEDED", N.SUCCEEDED),
]


@pytest.mark.parametrize(("story", "outcome"), TABLE)
def test_a_story_has_its_outcome(story, outcome):
    talk = Talk()
    for step in story.split(", ") if "ours" not in story else _steps(story):
        STEPS[step](talk)
    assert talk.outcome == outcome


def _steps(story):
    """Split at commas, minding the steps that hold one."""
    marked = story.replace("foreign, ours", "foreign; ours")
    return [step.replace("; ", ", ") for step in marked.split(", ")]


ALL_STEPS = (
    "send",
    "cancel",
    "foreign",
    "foreign beside ours",
    "nothing listed",
    "silence 2.1",
    "result SUCCEEDED",
    "result ABORTED",
    *(f"status {state.name}" for state in GoalState),
)


def test_every_sequence_of_events_ends_every_task_in_bounded_time():
    for story in itertools.product(ALL_STEPS, repeat=examples("navigator_stories")):
        talk = Talk().send()
        for step in story:
            STEPS[step](talk)
        own = {item.id for item in talk.goals}
        talk.wait(30.0, every=0.5)
        assert all(task.result is not None for task in talk.tasks), story
        assert set(talk.cancels) <= own, story
        count = len(talk.sent)
        assert len(talk.wait(20.0, every=1.0).sent) == count, story  # and is quiet afterwards


def test_a_goal_is_sent_again_under_the_same_id_until_it_is_listed():
    talk = Talk().send().wait(1.95, "nothing")
    assert len(talk.goals) == 4
    assert len({item.id for item in talk.goals}) == 1
    talk.status(P).wait(1.0, P)
    assert len(talk.goals) == 4


def test_a_cancel_is_sent_again_until_the_goal_is_terminal_and_never_without_an_id():
    talk = Talk().send().status(A).cancel().wait(1.95, PREEMPTING)
    assert talk.cancels == [talk.id] * 4
    talk.status(PREEMPTED).wait(2.0, PREEMPTED)
    assert talk.cancels == [talk.id] * 4


def test_no_goal_is_sent_again_once_it_is_cancelled():
    talk = Talk().send().cancel().wait(3.0, "nothing")
    assert len(talk.goals) == 1


def test_every_goal_has_an_id_of_its_own():
    talk = Talk()
    for _ in range(3):
        talk.send().status(A).status(SUCCEEDED)
    other = Talk(ids=OwnIds("/nav", "s2")).send()
    assert len({item.id for item in talk.goals + other.goals}) == 4


def test_a_newer_goal_preempts_ours_without_a_cancel_between_them():
    talk = Talk().send().status(A)
    first = talk.id
    talk.send()
    assert talk.tasks[0].result.outcome is N.PREEMPTED
    talk.status(GoalStatus(first, A), P).status(GoalStatus(first, PREEMPTED), A)
    assert talk.cancels == []
    assert talk.status(SUCCEEDED).outcome is N.SUCCEEDED


def test_an_older_goal_that_lives_on_beside_a_newer_one_is_cancelled():
    talk = Talk().send().status(A)
    first = talk.id
    talk.send().status(A, GoalStatus(first, A)).status(A, GoalStatus(first, A))
    assert set(talk.cancels) == {first}


def test_a_lost_goal_is_cancelled_for_as_long_as_it_might_live():
    talk = Talk().send().status(A).wait(2.15)
    assert talk.outcome is N.LOST
    count = len(talk.cancels)
    talk.wait(7.0)
    assert len(talk.cancels) >= count + 11
    talk.wait(20.0)
    stopped = len(talk.cancels)
    talk.wait(2.0)
    assert len(talk.cancels) == stopped
    talk.status(A)  # the link is back, and the base still drives
    assert len(talk.cancels) == stopped + 1
    assert set(talk.cancels) == {talk.id}


def test_farewells_end_with_the_goal():
    talk = Talk().send().status(A).wait(2.15).status(PREEMPTED)
    count = len(talk.cancels)
    assert len(talk.wait(3.0).cancels) == count


def test_a_goal_of_an_earlier_process_of_ours_is_cancelled():
    earlier = OwnIds("/nav", "s0").new_id([])
    talk = Talk().status(GoalStatus(earlier, A))
    assert talk.cancels == [earlier]


def test_goals_of_others_are_left_alone():
    talk = Talk().status(FOREIGN, GoalStatus("/nav2|s1|1", A), GoalStatus("", A)).wait(3.0)
    assert talk.sent == []


def test_after_a_goal_that_was_never_taken_a_late_copy_is_recalled():
    talk = Talk().send().wait(5.1, "nothing")
    assert talk.outcome is N.TIMEOUT
    assert talk.cancels == [talk.id]


def test_cancelling_what_is_not_under_way_does_nothing():
    talk = Talk().send().status(A).status(SUCCEEDED)
    assert talk.cancel().cancels == []


def test_the_first_reason_to_cancel_stays():
    goal = NavGoal(HERE, timeout_s=1.0)
    talk = Talk().send(goal).status(A).cancel().wait(2.0, A).status(PREEMPTED)
    assert talk.outcome is N.CANCELLED


def test_an_emergency_stop_is_the_only_cancel_without_an_id():
    talk = Talk().send().status(A)
    talk.take(talk.machine.halt())
    assert talk.cancels == [""]
    assert talk.outcome is N.CANCELLED
    assert Talk().machine.halt() == [SendCancel("")]


# -- limits and watchdogs ---------------------------------------------------------------------


def test_a_goal_ends_when_its_time_is_over():
    talk = Talk().send(NavGoal(HERE, timeout_s=3.0)).wait(2.9, A)
    assert talk.cancels == []
    talk.wait(0.2, A)
    assert talk.cancels == [talk.id]
    assert talk.status(PREEMPTED).outcome is N.TIMEOUT


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        (NavGoal(Pose2D(math.nan, 0.0)), "pose must be finite"),
        (NavGoal(HERE, frame_id="odom"), "frame_id must be map, got odom"),
        (NavGoal(HERE, map_id="m1"), "map_id must be m2, on which the robot is, got m1"),
    ],
)
def test_a_refused_goal_leaves_the_one_under_way_alone(goal, text):
    talk = Talk().send().status(A)
    talk.take(talk.machine.on_map("m2", talk.now))
    talk.send(goal)
    assert talk.outcome is N.REJECTED
    assert text in talk.tasks[-1].result.text
    assert talk.tasks[0].result is None
    assert len(talk.goals) == 1


def watched(**limits):
    return Talk(MoveBaseConfig(**{"pose_stale_s": 0.0, "scan_stale_s": 0.0, **limits}))


@pytest.mark.parametrize(
    ("limit", "note"),
    [
        ("pose_stale_s", lambda talk, stamp: talk.machine.on_pose(HERE, stamp, talk.now)),
        ("scan_stale_s", lambda talk, stamp: talk.machine.on_scan(stamp, talk.now)),
    ],
)
def test_a_stream_that_stops_or_repeats_itself_stops_the_base(limit, note):
    talk = watched(**{limit: 1.0})
    assert talk.send().outcome is N.STALE  # not even begun
    assert talk.sent == []
    note(talk, 1)
    talk.send().status(A)
    for stamp in (2, 3, 4):
        talk.wait(0.8, A)
        note(talk, stamp)
    for _ in range(3):
        talk.wait(0.4, A)
        note(talk, 4)
    assert talk.cancels
    assert talk.status(PREEMPTED).outcome is N.STALE


def test_a_base_that_does_not_get_on_is_stopped():
    talk = watched(progress_s=10.0).send().status(A)
    for step in range(40):  # slowly, but it moves
        talk.take(talk.machine.on_pose(Pose2D(0.03 * step, 0.0), step, talk.now))
        talk.wait(1.0, A)
    assert talk.cancels == []
    for step in range(40, 52):
        talk.take(talk.machine.on_pose(Pose2D(1.2, 0.01 * (step % 2)), step, talk.now))
        talk.wait(1.0, A)
    assert talk.cancels
    talk.status(PREEMPTED)
    assert talk.outcome is N.TIMEOUT
    assert "no progress" in talk.tasks[-1].result.text


def test_turning_is_progress_too():
    talk = watched(progress_s=5.0).send().status(A)
    for step in range(20):
        talk.take(talk.machine.on_pose(Pose2D(0.0, 0.0, 0.35 * step), step, talk.now))
        talk.wait(1.0, A)
    assert talk.cancels == []


def test_waiting_to_be_taken_is_no_lack_of_progress():
    talk = watched(progress_s=2.0).send()
    for step in range(6):
        talk.take(talk.machine.on_pose(HERE, step, talk.now))
        talk.wait(1.0, P)
    assert talk.cancels == []


def test_a_map_begun_anew_makes_the_goal_meaningless():
    talk = Talk()
    talk.take(talk.machine.on_map("m1", talk.now))
    talk.send(NavGoal(HERE, map_id="m1")).status(A)
    talk.take(talk.machine.on_map("m1", talk.now))
    assert talk.cancels == []
    talk.take(talk.machine.on_map("m2", talk.now))
    assert talk.cancels == [talk.id]
    assert talk.status(PREEMPTED).outcome is N.STALE


def test_news_are_throttled_and_tell_the_way_that_is_left():
    talk = Talk().send().status(A)
    seen = []
    talk.tasks[0].on_feedback(seen.append)
    for _ in range(20):
        talk.now += 0.05
        talk.take(talk.machine.on_feedback(talk.id, Pose2D(1.0, 0.0), talk.now))
        talk.take(talk.machine.on_feedback("another", Pose2D(9.0, 0.0), talk.now))
    assert 4 <= len(seen) <= 6
    assert all(item.distance_m == 2.0 and item.pose == Pose2D(1.0, 0.0) for item in seen)
    assert isinstance(seen[0], NavFeedback)


def test_problem_says_what_is_missing():
    talk = watched(pose_stale_s=1.0)
    assert "status" in talk.machine.problem(talk.now)
    talk.status("nothing")
    assert "pose" in talk.machine.problem(talk.now)
    talk.machine.on_pose(HERE, 1, talk.now)
    assert talk.machine.problem(talk.now) == ""


# -- without action messages ------------------------------------------------------------------


def simple():
    return Talk(ids=AdoptedIds()).status(GoalStatus("old", SUCCEEDED))


NEW = "/move_base-2-1.2"


def test_without_ids_the_one_that_appears_after_publishing_is_ours():
    talk = simple().send()
    assert talk.sent == [SendGoal("", HERE)]
    talk.status(GoalStatus("old", SUCCEEDED), GoalStatus(NEW, A)).cancel()
    assert talk.cancels == [NEW]
    assert talk.status(GoalStatus(NEW, PREEMPTED)).outcome is N.CANCELLED


def test_without_ids_nothing_is_sent_before_the_older_goals_are_known():
    talk = Talk(ids=AdoptedIds()).send()
    assert talk.sent == []
    talk.status(GoalStatus("old", SUCCEEDED)).wait(0.1)
    assert talk.outcome is None
    assert talk.sent == [SendGoal("", HERE)]


def test_without_ids_two_new_goals_are_told_apart_by_the_pose():
    talk = simple().send().status(FOREIGN, GoalStatus(NEW, A)).cancel()
    assert talk.cancels == []
    talk = simple().send()
    talk.take(talk.machine.on_current_goal(HERE))
    talk.status(GoalStatus("rviz-1", PREEMPTED), GoalStatus(NEW, A)).cancel()
    assert talk.cancels == [NEW]


def test_without_ids_a_goal_that_has_arrived_is_not_sent_again():
    talk = simple().send().wait(1.2, "nothing")
    assert len(talk.goals) == 3
    talk.take(talk.machine.on_current_goal(HERE))
    assert len(talk.wait(2.0, "nothing").goals) == 3


def test_without_ids_a_cancel_waits_for_the_id():
    talk = simple().send().cancel()
    assert talk.cancels == []
    talk.status(GoalStatus(NEW, A)).wait(0.1)
    assert talk.cancels == [NEW]
