"""Notices that a map was begun anew, from what SLAM publishes anyway.

HECTOR cannot load a map: a reset, or a restart of its node, begins a new one at the robot's
place, under the same frame name. Whatever was remembered in the old frame then points anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

from adm_core.config import Config, param
from adm_core.types import Pose2D


@dataclass(frozen=True)
class MapWatchConfig(Config):
    """What counts as a map begun anew."""

    fixed_extent: bool = param(
        True,
        "the map never grows (HECTOR): another size, resolution or origin is another map. Off "
        "for SLAM that extends its map",
    )
    shrink: float = param(
        0.5, "known cells that may become fewer by this share at once", min=0.0, max=1.0
    )
    jump_m: float = param(1.0, "the pose may jump so far between two messages", unit="m", min=0.0)
    jump_rad: float = param(1.6, "and turn so far", unit="rad", min=0.0)
    speed_m_s: float = param(
        1.0, "fastest motion that is added to that over a pause", unit="m/s", min=0.0
    )
    turn_rad_s: float = param(3.0, "fastest turn, likewise", unit="rad/s", min=0.0)
    settle_s: float = param(
        5.0, "signs within this time belong to the same reset", unit="s", min=0.0
    )


@dataclass(frozen=True, slots=True)
class MapEpoch:
    """One life of a map.

    Attributes
    ----------
    map_id : str
        Different for each life, also over restarts of whoever watches.
    reason : str
        Why it was begun, in words; empty for the first.
    """

    map_id: str
    reason: str = ""


class MapWatch:
    """Tells one life of a map from the next.

    Parameters
    ----------
    config : MapWatchConfig
        What counts as a map begun anew.
    session : str
        Different in each process: a map is not known to be the same over a restart.
    """

    def __init__(self, config: MapWatchConfig, session: str) -> None:
        self._config = config
        self._session = session
        self._count = 1
        self._extent: Hashable = None
        self._known = 0
        self._pose: tuple[Pose2D, float] | None = None
        self._begun_at = -math.inf
        self.epoch = MapEpoch(self._name())

    def on_map(self, extent: Hashable, known: int, now: float) -> MapEpoch | None:
        """Take a map in; return the new epoch if one has begun.

        Parameters
        ----------
        extent : hashable
            Size, resolution and origin.
        known : int
            Number of cells that are not unknown.
        now : float
            Present time, seconds of a steady clock.
        """
        before, self._extent = self._extent, extent
        was_known, self._known = self._known, known
        if before is not None and self._config.fixed_extent and extent != before:
            return self._begin(f"its extent changed from {before} to {extent}", now)
        if known < (1.0 - self._config.shrink) * was_known:
            return self._begin(f"its known cells fell from {was_known} to {known}", now)
        return None

    def on_pose(self, pose: Pose2D, now: float) -> MapEpoch | None:
        """Take a pose in; return the new epoch if one has begun."""
        last, self._pose = self._pose, (pose, now)
        if last is None:
            return None
        pause = max(0.0, now - last[1])
        way = math.hypot(pose.x - last[0].x, pose.y - last[0].y)
        turn = abs(math.remainder(pose.yaw - last[0].yaw, 2.0 * math.pi))
        config = self._config
        if way > config.jump_m + config.speed_m_s * pause:
            return self._begin(f"the pose jumped by {way:.2f} m in {pause:.2f} s", now)
        if turn > config.jump_rad + config.turn_rad_s * pause:
            return self._begin(f"the pose turned by {turn:.2f} rad in {pause:.2f} s", now)
        return None

    def on_reset(self, reason: str, now: float) -> MapEpoch | None:
        """Take in that somebody has asked for a reset."""
        return self._begin(reason, now)

    def _begin(self, reason: str, now: float) -> MapEpoch | None:
        settling = now - self._begun_at < self._config.settle_s
        self._begun_at = now
        if settling:
            return None
        self._count += 1
        self.epoch = MapEpoch(self._name(), reason)
        return self.epoch

    def _name(self) -> str:
        return f"slam.{self._session}.{self._count}"
