import math

import numpy as np
import pytest
from adm_core.manipulation.servo import ServoConfig, ServoState, Sighting, Twist, VisualServo

BASES = ("mecanum", "differential")


class Plant:
    """A target on the floor and a base that does what it is told, pictures at 5 Hz with delay."""

    def __init__(self, base, target, noise=0.002, delay=0.1, seed=0, **changes):
        self.servo = VisualServo(ServoConfig(base=base, **changes), 0.0)
        self.target = np.array(target, float)
        self.pose = np.zeros(3)
        self.rng = np.random.default_rng(seed)
        self.noise, self.delay = noise, delay
        self.now = 0.0
        self.twists = []
        self.pending = []
        self.newest = None
        self.stuck = False

    def seen(self):
        x, y, yaw = self.pose
        dx, dy = self.target - (x, y)
        turned = (
            math.cos(yaw) * dx + math.sin(yaw) * dy, math.cos(yaw) * dy - math.sin(yaw) * dx
        )  # fmt: skip
        return tuple(turned + self.rng.normal(0, self.noise, 2))

    def run(self, look=None, until=40.0):
        for tick in range(int(until * 20)):
            self.now = tick / 20
            if tick % 4 == 0:
                taken = self.seen() if look is None else look(self)
                if taken != "silence":
                    self.pending.append(Sighting(self.now, taken))
            if self.pending and self.now >= self.pending[0].stamp + self.delay:
                self.newest = self.pending.pop(0)
            answer = self.servo.step(self.newest, self.now, self.pose[2])
            self.twists.append(answer.twist)
            if answer.state is not ServoState.RUNNING:
                return answer
            if not self.stuck:
                self.drive(answer.twist)
        raise AssertionError("the approach did not end")

    def drive(self, twist):
        yaw = self.pose[2]
        ahead, left = twist.ahead / 20, twist.left / 20
        self.pose += (
            math.cos(yaw) * ahead - math.sin(yaw) * left,
            math.sin(yaw) * ahead + math.cos(yaw) * left,
            twist.turn / 20,
        )


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("target", [(0.9, 0.3), (0.7, -0.35), (0.25, 0.05), (0.5, 0.0)])
def test_the_target_ends_centred_ahead(base, target):
    plant = Plant(base, target)
    answer = plant.run()
    assert answer.state is ServoState.CENTRED
    plant.noise = 0.0
    assert plant.seen() == pytest.approx((0.35, 0.0), abs=0.02)
    assert answer.twist == Twist()


@pytest.mark.parametrize("base", BASES)
def test_speed_acceleration_and_base_type_are_respected(base):
    plant = Plant(base, (1.2, 0.4))
    plant.run()
    config = plant.servo.config
    speeds = np.array([twist[:2] for twist in plant.twists])
    assert np.hypot(*speeds.T).max() <= config.max_speed_m_s + 1e-9
    assert np.abs([twist.turn for twist in plant.twists]).max() <= config.max_turn_rad_s
    rising = np.abs(np.diff(speeds, axis=0))[speeds[1:].any(axis=1)]
    assert rising.max() <= config.max_accel_m_s2 / 20 + 1e-9
    if base == "differential":
        assert not speeds[:, 1].any()
    else:
        assert plant.pose[2] == pytest.approx(0.0, abs=0.02)  # yaw is held


def test_a_mecanum_base_turns_back_to_the_yaw_it_holds():
    plant = Plant("mecanum", (0.8, 0.0))
    plant.pose[2] = 0.2
    plant.run()
    assert abs(plant.pose[2]) < 0.05


@pytest.mark.parametrize("base", BASES)
def test_a_target_that_vanishes_is_lost_and_the_base_stands_still(base):
    plant = Plant(base, (1.0, 0.1))
    answer = plant.run(look=lambda p: p.seen() if p.now < 2 else None)
    assert answer.state is ServoState.LOST
    assert plant.now == pytest.approx(2.0 + 1.5, abs=0.5)
    assert not any(map(any, plant.twists[-20:]))


def test_a_target_that_never_shows_is_lost():
    plant = Plant("mecanum", (1.0, 0.1))
    assert plant.run(look=lambda p: None).state is ServoState.LOST
    assert not any(map(any, plant.twists))


def test_a_short_glare_does_not_end_the_approach():
    plant = Plant("mecanum", (0.8, 0.1))
    answer = plant.run(look=lambda p: None if 1.0 < p.now < 1.9 else p.seen())
    assert answer.state is ServoState.CENTRED


@pytest.mark.parametrize("base", BASES)
def test_a_silent_camera_stops_the_base_at_once_and_ends_the_approach(base):
    plant = Plant(base, (1.0, 0.0))
    answer = plant.run(look=lambda p: p.seen() if p.now < 1.5 else "silence")
    assert answer.state is ServoState.NO_PICTURES
    moving = [i / 20 for i, twist in enumerate(plant.twists) if any(twist)]
    assert max(moving) <= 1.4 + plant.servo.config.fresh_s + 0.05


def test_no_picture_at_all_ends_by_the_watchdog():
    plant = Plant("mecanum", (1.0, 0.0))
    assert plant.run(look=lambda p: "silence").state is ServoState.NO_PICTURES


def test_a_base_that_does_not_move_is_blocked():
    plant = Plant("mecanum", (1.0, 0.0))
    plant.stuck = True
    assert plant.run().state is ServoState.BLOCKED


def test_a_target_that_runs_away_times_out():
    plant = Plant("mecanum", (1.0, 0.0), timeout_s=6.0, progress_m=0.0001)

    def flee(p):
        p.target += (0.028, 0.0)
        return p.seen()

    assert plant.run(flee).state in (ServoState.TIMEOUT, ServoState.BLOCKED)
    assert plant.now <= 6.1


def test_an_old_picture_given_again_counts_once():
    servo = VisualServo(ServoConfig(settle=2), 0.0)
    centred = Sighting(0.1, (0.35, 0.0))
    assert servo.step(centred, 0.1).state is ServoState.RUNNING
    assert servo.step(centred, 0.2).state is ServoState.RUNNING
    assert servo.step(Sighting(0.3, (0.35, 0.0)), 0.3).state is ServoState.CENTRED


def test_time_does_not_run_backwards_and_targets_are_finite():
    servo = VisualServo(ServoConfig(), 1.0)
    with pytest.raises(ValueError, match="now must be"):
        servo.step(None, 0.5)
    with pytest.raises(ValueError, match="sighting must be finite"):
        servo.step(Sighting(1.0, (math.nan, 0.0)), 1.0)
