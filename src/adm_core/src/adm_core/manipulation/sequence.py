"""State machine of an arm: phases of motion and grip, each checked before the next begins."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from adm_core.config import Config, param
from adm_core.manipulation.arm import ArmModel, Joints
from adm_core.manipulation.motion import JointMotion


class ArmEnd(str, Enum):
    """How a sequence ended: NONE while it runs or when all went well, else why it failed."""

    NONE = "none"
    UNREACHABLE = "unreachable"  # no posture, or no straight way, leads there
    ARM_STUCK = "arm_stuck"  # joints do not arrive
    MISSED = "missed"  # the fingers closed on nothing
    JAMMED = "jammed"  # the fingers stopped too early: something else is between them
    DROPPED = "dropped"  # held after closing, lost on the way up
    NOT_SEEN = "not_seen"  # the gripper says held, the camera says no
    NO_PICTURES = "no_pictures"
    NOT_RELEASED = "not_released"  # the fingers opened, the object still hangs between them
    EMPTY = "empty"  # nothing was held when it should be placed


@dataclass(frozen=True)
class SequenceConfig(Config):
    """Parameters of arm sequences."""

    speed: float = param(1.5, "joint speed", unit="rad/s", min=0.05, max=6.0)
    slow_speed: float = param(0.7, "joint speed near objects", unit="rad/s", min=0.05, max=6.0)
    arrive_rad: float = param(0.06, "largest error that counts as arrived", unit="rad", min=0.001)
    arrive_s: float = param(1.5, "time to arrive after the motion's end", unit="s", min=0.05)
    grip_s: float = param(0.9, "time for opening or closing", unit="s", min=0.05)
    look_s: float = param(1.5, "time to wait for a picture", unit="s", min=0.05)


@dataclass(frozen=True)
class ArmState:
    """What the servos say: five angles in radians, and the gap between the fingers in metres."""

    joints: Joints
    width: float


@dataclass(frozen=True)
class Glance:
    """What a picture says about the hand: when it was taken, and whether the object is in it."""

    stamp: float
    in_hand: bool


@dataclass(frozen=True)
class ArmCommand:
    """What to command now, and where the sequence stands.

    Attributes
    ----------
    joints : Joints
        Angles to go to, radians.
    width : float
        Gap to go to, metres.
    phase : str
        Name of the phase under way, or of the one that failed.
    finished : bool
        Whether the sequence has ended.
    end : ArmEnd
        Why it failed; NONE if it did not.
    wants_picture : bool
        Whether it waits for a :class:`Glance`.
    """

    joints: Joints
    width: float
    phase: str
    finished: bool = False
    end: ArmEnd = ArmEnd.NONE
    wants_picture: bool = False

    @property
    def success(self) -> bool:
        """Whether the sequence came to its good end."""
        return self.finished and self.end is ArmEnd.NONE


@dataclass(frozen=True)
class Phase:
    """One piece of a sequence.

    Attributes
    ----------
    name : str
        As told in commands.
    path : tuple of Joints
        Waypoints to pass; empty: stay.
    width : float
        Gap to command, metres.
    slow : bool
        Whether an object is near.
    grips : bool
        Whether the fingers move: the phase then lasts the time they need.
    looks : bool
        Whether a picture is needed.
    check : callable
        Takes the state, and the glance of a looking phase; returns what is wrong.
    """

    name: str
    path: tuple[Joints, ...]
    width: float
    slow: bool = False
    grips: bool = False
    looks: bool = False
    check: Callable[[ArmState, Glance | None], ArmEnd] = lambda state, glance: ArmEnd.NONE


class ArmSequence:
    """Runs phases one after the other; a failed check or a stuck arm ends it.

    Parameters
    ----------
    arm : ArmModel
        The robot.
    config : SequenceConfig
        Speeds and patience.
    phases : sequence of Phase
        What to do; empty together with `refused`.
    refused : ArmEnd
        Why there is nothing to do.
    """

    def __init__(
        self,
        arm: ArmModel,
        config: SequenceConfig,
        phases: Sequence[Phase],
        refused: ArmEnd = ArmEnd.NONE,
    ) -> None:
        self._arm = arm
        self._config = config
        self._phases = list(phases)
        self._end = refused
        self._index = 0
        self._motion: JointMotion | None = None
        self._phase_started = -math.inf

    def step(self, state: ArmState, now: float, glance: Glance | None = None) -> ArmCommand:
        """Return the command for now; call it at 10 Hz or more.

        Parameters
        ----------
        state : ArmState
            What the servos say.
        now : float
            Seconds, never backwards.
        glance : Glance or None
            Newest picture of the hand, if one was wanted.
        """
        if self._end is not ArmEnd.NONE or self._index == len(self._phases):
            return self._ended(state)
        phase = self._phases[self._index]
        if self._motion is None:
            self._begin(phase, state, now)
        assert self._motion is not None
        if not self._is_over(phase, self._motion, state, now, glance):
            waits = phase.looks and now >= self._motion.ends_at
            return ArmCommand(self._motion.at(now), phase.width, phase.name, wants_picture=waits)
        if self._end is ArmEnd.NONE:
            self._end = phase.check(state, glance)
        if self._end is not ArmEnd.NONE:
            return self._ended(state)
        self._index, self._motion = self._index + 1, None
        return self.step(state, now, glance)

    def has_passed(self, name: str) -> bool:
        """Tell whether the phase of that name came to its good end."""
        return any(phase.name == name for phase in self._phases[: self._index])

    def _begin(self, phase: Phase, state: ArmState, now: float) -> None:
        speed = self._config.slow_speed if phase.slow else self._config.speed
        start = self._last_end(state) if not phase.path else state.joints
        self._motion = JointMotion((start, *phase.path), speed, now)
        self._phase_started = now

    def _last_end(self, state: ArmState) -> Joints:
        """Return where to stay: at the last commanded posture, so that the arm does not sag."""
        ends = [phase.path[-1] for phase in self._phases[: self._index] if phase.path]
        return ends[-1] if ends else state.joints

    def _is_over(
        self,
        phase: Phase,
        motion: JointMotion,
        state: ArmState,
        now: float,
        glance: Glance | None,
    ) -> bool:
        """Tell whether a phase has ended, and note it if that is for the worse."""
        if now < motion.ends_at:
            return False
        if phase.grips:
            return now >= self._phase_started + self._config.grip_s
        if phase.looks:
            if glance is not None and glance.stamp >= motion.ends_at:
                return True
            self._fail_after(motion.ends_at + self._config.look_s, now, ArmEnd.NO_PICTURES)
            return self._end is not ArmEnd.NONE
        error = max(abs(a - b) for a, b in zip(state.joints, motion.end, strict=True))
        if error > self._config.arrive_rad:
            self._fail_after(motion.ends_at + self._config.arrive_s, now, ArmEnd.ARM_STUCK)
            return self._end is not ArmEnd.NONE
        return True

    def _fail_after(self, deadline: float, now: float, end: ArmEnd) -> None:
        if now > deadline:
            self._end = end

    def _ended(self, state: ArmState) -> ArmCommand:
        index = min(self._index, len(self._phases) - 1)
        if index < 0:
            return ArmCommand(state.joints, state.width, "refused", True, self._end)
        phase = self._phases[index]
        stay = self._motion.end if self._motion else self._last_end(state)
        return ArmCommand(stay, phase.width, phase.name, True, self._end)
