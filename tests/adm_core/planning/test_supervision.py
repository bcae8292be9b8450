"""People and a mission under way: what they say is obeyed, logged, and repeated on resumption."""

import sqlite3

import pytest
from adm_core.memory.audit import AuditLog
from adm_core.memory.edits import EditKind, OperatorEdit
from adm_core.missions.recycling import LocalMission, LocalWorld, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.missions.spec import MissionSpec
from adm_core.planning.approval import Answer, Approval
from adm_core.planning.controls import Controls
from adm_core.planning.ports import Primitive
from adm_core.types import Pose2D

SETUP = prepare(MissionConfig(scenario="S-6", seed=3))
PLAIN = LocalMission(SETUP)
for _ in PLAIN.run():
    pass
PLAIN_DIGEST = PLAIN.executor.digest.hexdigest()


class WatchedWorld(LocalWorld):
    """World that keeps its commands and lets a test act on the controls before the n-th."""

    def __init__(self, setup, **at):
        super().__init__(setup)
        self.commands, self.at = [], at

    def act(self, number, command):
        answer = super().act(number, command)
        self.commands.append(command)
        for act in self.at.pop(f"n{number}", ()):
            act()
        return answer

    @property
    def primitives(self):
        return [item.primitive for item in self.commands if item is not None]


def mission(audit=None, controls=None, approval=None, **at):
    world = WatchedWorld(SETUP, **at)
    run = LocalMission(SETUP, audit, world, controls=controls, approval=approval)
    return run, world


def finish(run):
    return [snapshot.step for snapshot in run.run()]


def rows(path, query):
    with sqlite3.connect(path) as db:
        return db.execute(query).fetchall()


def test_a_supervised_mission_that_nobody_touches_decides_as_ever():
    run, _ = mission(controls=Controls(), approval=Approval())
    finish(run)
    assert run.executor.digest.hexdigest() == PLAIN_DIGEST


def test_a_held_mission_dispatches_nothing_and_then_goes_on_as_if_nothing_had_been():
    seen, controls = [], Controls()

    def on_hold(it):
        seen.append(len(world.commands))
        if len(seen) == 3:
            it.resume("ada")

    controls.on_hold = on_hold
    run, world = mission(controls=controls, n7=[lambda: controls.hold("ada")])
    finish(run)
    assert seen == [8, 8, 8]
    assert run.executor.digest.hexdigest() == PLAIN_DIGEST


def test_stepping_stops_before_every_skill():
    stops, controls = [], Controls(held=True)

    def on_hold(it):
        stops.append(run.executor.step)
        it.step("ada")

    controls.on_hold = on_hold
    run, world = mission(controls=controls)
    finish(run)
    assert run.executor.digest.hexdigest() == PLAIN_DIGEST
    skills = 5 * 6  # per container; a slip or a loss of support adds some
    assert skills <= len(stops) < len(world.primitives)


def test_a_cancelled_mission_ends_between_two_actions():
    controls = Controls()
    run, world = mission(controls=controls, n9=[lambda: controls.cancel("ada", "enough")])
    assert finish(run)[-1] == 9
    assert (run.executor.ended, run.executor.complete) == ("enough", False)
    assert len(world.commands) == 10


def estop_then_reset(controls):
    """Return a hold callback that resets the stop when asked the third time."""
    asked = []

    def on_hold(it):
        asked.append(it.stopped)
        if len(asked) == 3:
            it.reset("ada")
        elif not it.stopped:
            it.resume("ada")

    controls.on_hold = on_hold
    return asked


@pytest.mark.parametrize("number", [2, 5, 20])
def test_an_emergency_stop_takes_the_running_skill_away_at_once(tmp_path, number):
    controls = Controls()
    asked = estop_then_reset(controls)
    with AuditLog(tmp_path / "a") as audit:
        stop = {f"n{number}": [lambda: controls.estop("bob", "button")]}
        run, world = mission(audit, controls, **stop)
        finish(run)
    assert asked == [True, True, True, False]
    assert run.executor.complete
    words = [(step, reason.word) for step, reason in run.executor.tally.replans]
    assert (number, "emergency_stop") in words
    told = rows(tmp_path / "a", "SELECT step, word, operator FROM control ORDER BY id")
    assert told == [
        (number, "estop", "bob"),
        (number, "reset", "ada"),
        (number, "resume", "ada"),
    ]
    commands = [command for command in world.commands if command]
    assert Primitive.WAIT not in [item.primitive for item in commands]


def test_a_latched_stop_survives_the_end_of_the_process(tmp_path):
    controls = Controls(on_hold=lambda it: it.cancel("", "held: stopped"))
    with AuditLog(tmp_path / "a") as audit:
        run, _ = mission(audit, controls, n9=[lambda: controls.estop("bob")])
        finish(run)
    assert run.executor.ended == "held: stopped"
    again = Controls(on_hold=lambda it: it.cancel("", f"held: {it.stopped}"))
    with AuditLog(tmp_path / "a") as audit:
        run, world = mission(audit, again)
        finish(run)
    assert run.executor.ended == "held: True"
    assert len(world.commands) == 10
    with AuditLog(tmp_path / "a") as audit:
        run, _ = mission(audit, Controls(reset_by="ada"))
        finish(run)
    assert run.executor.complete
    with AuditLog(tmp_path / "a") as audit:
        same, world = mission(audit, Controls(on_hold=lambda it: pytest.fail("held again")))
        finish(same)
    assert same.executor.digest.hexdigest() == run.executor.digest.hexdigest()


class Person:
    """Answers about skills by a function of the action, and remembers the questions."""

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def __call__(self, action):
        self.asked.append(str(action))
        return self.answer(action)


def yes(_):
    return Answer(True, "ada", "yes")


def test_every_skill_waits_for_approval_and_the_log_says_whose(tmp_path):
    person = Person(yes)
    with AuditLog(tmp_path / "a") as audit:
        run, _ = mission(audit, approval=Approval(("navigate", "approach"), person))
        finish(run)
    assert run.executor.digest.hexdigest() == PLAIN_DIGEST
    assert {item.split("(")[0] for item in person.asked} == {"grasp", "deliver"}
    told = rows(tmp_path / "a", "SELECT operator, detail FROM control WHERE word = 'approval'")
    assert told == [("ada", f"{action}: yes") for action in person.asked]


def test_without_anybody_to_ask_the_mission_ends_before_the_skill(tmp_path):
    with AuditLog(tmp_path / "a") as audit:
        run, world = mission(audit, approval=Approval(("navigate", "approach")))
        finish(run)
    assert "needs approval and there is nobody to ask" in run.executor.ended
    assert set(world.primitives) == {Primitive.MOVE}
    with AuditLog(tmp_path / "a") as audit:
        run, _ = mission(audit, approval=Approval())
        finish(run)
    assert run.executor.digest.hexdigest() == PLAIN_DIGEST


def test_a_refused_skill_is_not_dispatched_and_its_target_left_alone_for_a_while():
    refused = []

    def answer(action):
        if action.skill == "grasp" and not refused:
            refused.append(action.target_id)
            return Answer(False, "ada", "no")
        return yes(action)

    run, _ = mission(approval=Approval((), Person(answer)))
    finish(run)
    assert run.executor.complete
    assert ("skill_failed:denied", refused[0]) in [
        (reason.word, reason.entity) for _, reason in run.executor.tally.replans
    ]
    assert run.executor.tally.delivered[0] != refused[0]


def test_a_delivery_that_is_always_refused_lets_time_pass():
    def answer(action):
        return Answer(action.skill != "deliver", "ada", "no")

    run, world = mission(approval=Approval((), Person(answer)))
    finish(run)
    assert not run.executor.complete
    assert run.executor.step == SETUP.mission.budget_steps
    assert Primitive.PLACE not in world.primitives


class Killed(Exception):
    pass


def test_a_resumed_mission_repeats_what_people_said_without_asking_again(tmp_path):
    def no_to_the_first_grasp():
        seen = []

        def answer(action):
            seen.append(action)
            return Answer(len(seen) != 1, "ada", "no" if len(seen) == 1 else "yes")

        return Person(answer)

    def edits(controls):
        return {
            "n12": [lambda: controls.edit(OperatorEdit("ada", EditKind.DISMISS, "e004"))],
            "n16": [lambda: controls.edit(OperatorEdit("ada", EditKind.RESTORE, "e004"))],
        }

    controls = Controls()
    asked = Person(no_to_the_first_grasp())
    whole, _ = mission(None, controls, Approval(("navigate", "approach"), asked), **edits(controls))
    finish(whole)

    def die():
        raise Killed

    controls, first = Controls(), no_to_the_first_grasp()
    with pytest.raises(Killed), AuditLog(tmp_path / "a") as audit:
        approval = Approval(("navigate", "approach"), first)
        run, _ = mission(audit, controls, approval, **edits(controls), n30=[die])
        finish(run)
    second = Person(yes)
    with AuditLog(tmp_path / "a") as audit:
        run, _ = mission(audit, Controls(), Approval(("navigate", "approach"), second))
        finish(run)
    assert run.executor.digest.hexdigest() == whole.executor.digest.hexdigest()
    assert first.asked + second.asked == asked.asked


def test_an_edit_changes_the_plan_and_the_log_says_by_whom(tmp_path):
    controls = Controls()

    def dismiss():
        target = run.executor._plan[0].target_id
        dismissed.append(target)
        controls.edit(OperatorEdit("ada", EditKind.DISMISS, target))

    dismissed = []
    with AuditLog(tmp_path / "a") as audit:
        run, _ = mission(audit, controls, n5=[dismiss])
        finish(run)
    ((_, reason),) = [item for item in run.executor.tally.replans if item[0] == 5]
    assert (reason.word, reason.entity, reason.new) == ("changed_field", dismissed[0], "dismissed")
    assert dismissed[0] not in run.executor.tally.delivered
    told = rows(tmp_path / "a", "SELECT step, operator, target, detail FROM control")
    assert told == [(5, "ada", dismissed[0], f"dismiss {dismissed[0]}")]
    heard = rows(tmp_path / "a", "SELECT source_id, verdict FROM evidence WHERE source='operator'")
    assert heard == [("ada", "accepted")]


def test_an_edit_before_a_grasp_is_looked_at_before_the_grasp():
    """A grasp under way is seen through, but one that has not begun is given up."""
    setup = prepare(SETUP.config, spec=MissionSpec(skills=("navigate", "grasp", "deliver")))
    controls, moved = Controls(), []

    def move():
        target = run.executor._plan[0].target_id
        moved.append(target)
        controls.edit(OperatorEdit("ada", EditKind.MOVE, target, pose=Pose2D(3.5, 3.5, 0.0)))

    world = WatchedWorld(setup, n1=[move])  # the first command arrives at the target
    run = LocalMission(setup, None, world, controls=controls)
    finish(run)
    assert world.primitives[:2] == [Primitive.MOVE, Primitive.MOVE]
    reasons = [reason for step, reason in run.executor.tally.replans if step == 1]
    assert [(item.entity, item.field) for item in reasons] == [(moved[0], "pose")]


def test_an_edit_left_in_the_log_by_another_process_is_taken_in(tmp_path):
    edit = OperatorEdit("ada", EditKind.PIN, "e002")

    def leave():
        with AuditLog(tmp_path / "a") as other:
            other.request_edit(edit.as_plain())

    controls = Controls(on_hold=lambda it: (leave(), it.resume("bob")))
    with AuditLog(tmp_path / "a") as audit:
        run, _ = mission(audit, controls, n9=[lambda: controls.hold("bob")])
        finish(run)
    told = rows(tmp_path / "a", "SELECT step, word, target FROM control WHERE operator = 'ada'")
    assert told == [(9, "edit", "e002")]
    with AuditLog(tmp_path / "a") as audit:
        same, _ = mission(audit, Controls())
        finish(same)
    assert same.executor.digest.hexdigest() == run.executor.digest.hexdigest()
