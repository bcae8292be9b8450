"""Map fusion node: one map of a team out of the maps of its robots."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from adm_core.config import Config, param
from adm_core.errors import AdmError
from adm_core.grid.frames import GridFrame
from adm_core.grid.fusion import MapFusion
from adm_core.grid.windows import MapContent
from adm_nodes.common import params, qos, runner
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.map_link import MapFollower, MapSender
from builtin_interfaces.msg import Time
from nav_msgs.msg import OccupancyGrid
from rcl_interfaces.msg import ParameterDescriptor

import adm_interfaces.msg as msgs
from sagr_nodes.config import TeamConfig

_FRAMES = ParameterDescriptor(
    description="x, y, yaw of each robot's map frame in the common one, one robot after the "
    "other; empty: all coincide [m, m, rad]"
)
_SOURCES = ParameterDescriptor(description="further senders of maps in the common frame")
_CHECK_S = 0.1


@dataclass(frozen=True)
class FusionConfig(Config):
    """How often the fused map is sent."""

    fuse_s: float = param(
        0.05, "time between two changes that are sent, without lockstep", unit="s", min=0.01
    )
    show_s: float = param(
        1.0, "time between two maps for viewers on `map`; 0: none", unit="s", min=0.0
    )


class MapFusionNode(AdmNode):
    """Fuse the maps of a team and send what changes.

    Parameters
    ----------
    robots, lockstep, patience_s, common_frame, map_frame : see TeamConfig
    fuse_s, show_s : see FusionConfig
    frames : double[]
        Where the robots' map frames lie.
    sources : string[]
        Namespaces of further senders, whose maps are in the common frame.

    Topics
    ------
    ROBOT/labelled_map, ROBOT/labelled_map_updates : LabelledMap, MapUpdate, subscribed
        Map of each robot in its own frame.
    ROBOT/map : OccupancyGrid, subscribed
        The same from mapping tools, whole each time and without room types. One of both.
    robot_frames : RobotFrames, published, latched
    fused_map, fused_map_updates : LabelledMap, MapUpdate, published
        Once as a whole, anew only if it has grown; then what changed.
    map : OccupancyGrid, published, latched
        For viewers, only while somebody looks.

    Services
    --------
    get_fused_map : GetLabelledMap
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("map_fusion", **kwargs)
        params.declare(self, TeamConfig)
        params.declare(self, FusionConfig)
        self.declare_parameter("frames", [0.0], _FRAMES)
        self.declare_parameter("sources", [""], _SOURCES)
        self._sources: dict[str, MapFollower] = {}
        self._waits_since: float | None = None
        self.reset()

    def setup(self) -> None:
        """Read where the robots' frames lie; follow their maps."""
        self._team = params.read(self, TeamConfig)
        config = params.read(self, FusionConfig)
        self._frames = self._read_frames()
        self._fusion = MapFusion()
        self._publish_frames = self.add_publisher(msgs.RobotFrames, "robot_frames", qos.LATCHED)
        self._sender = MapSender(self, "fused_map", self._content)
        self._publish_map = self.add_publisher(OccupancyGrid, "map", qos.LATCHED)
        others = [name for name in self.get_parameter("sources").value if name]
        for name in [*self._team.names, *others]:
            self._follow(name)
        if self._team.lockstep:
            self.add_timer(_CHECK_S, self._check_patience)
        else:
            self.add_timer(config.fuse_s, self._fuse_and_send)
        if config.show_s:
            self.add_timer(config.show_s, self._show)

    def start(self) -> None:
        """Say where the robots' frames lie; ask every robot for its map."""
        self._publish_frames(convert.frames_to_msg(self._frames, self._team.common_frame))
        self._begun, self._waits_since = False, time.monotonic()
        for source in self._sources.values():
            source.open()
            source.ask()  # the latched one may be old

    def stop(self) -> None:
        """Cease to ask."""
        for source in self._sources.values():
            source.close()

    def reset(self) -> None:
        """Drop all maps."""
        self._sources = {}
        self._fusion = MapFusion()
        self._late: set[str] = set()
        self._waits_since = None
        self._begun = self._shown = False
        self._step = -1
        self._stamp: Time | None = None
        self._complaints: set[str] = set()

    def _read_frames(self) -> dict[str, convert.Placing]:
        names, values = self._team.names, list(self.get_parameter("frames").value)
        if values in ([0.0], []):
            values = [0.0] * (3 * len(names))
        if len(values) != 3 * len(names) or not all(map(math.isfinite, values)):
            raise ValueError(
                f"frames must be {3 * len(names)} finite numbers, x, y and yaw of each robot, "
                f"got {values}"
            )
        return {
            name: convert.Placing(convert.Pose2D(*values[3 * k : 3 * k + 3]))
            for k, name in enumerate(names)
        }

    def _follow(self, name: str) -> None:
        follower = MapFollower(
            self,
            f"{name}/labelled_map",
            self._checked(name, partial(self._on_whole, name)),
            self._checked(name, partial(self._on_change, name)),
        )
        self._sources[name] = follower
        self.add_subscription(
            OccupancyGrid,
            f"{name}/map",
            qos.LATCHED,
            self._checked(name, partial(self._on_occupancy, name)),
        )

    # -- input ------------------------------------------------------------------------------

    def _checked(self, name: str, take: Callable[[Any], None]) -> Callable[[Any], None]:
        """Refuse a map that cannot be used, once with a line in the log."""

        def checked(message: Any) -> None:
            try:
                take(message)
            except (ValueError, AdmError) as err:
                text = f"map of {name} refused: {err}"
                if text not in self._complaints:
                    self._complaints.add(text)
                    self.get_logger().error(text)

        return checked

    def _place(self, name: str, frame_id: str) -> convert.Placing:
        """Return where a map lies; ValueError if it is in a frame that is not its sender's."""
        placing = self._frames.get(name)
        own = self._team.frame_of(name) if placing else self._team.common_frame
        if frame_id != own:
            raise ValueError(f"it must be in frame {own!r}, got {frame_id!r}")
        return placing or convert.Placing()

    def _on_whole(self, name: str, message: msgs.LabelledMap) -> None:
        placing = self._place(name, message.header.frame_id)
        content = convert.content_from_msg(message)
        self._fusion.put(
            name,
            _placed(content.frame, placing),
            content.occupancy,
            content.labels,
            content.names,
        )
        self._stamp = message.header.stamp
        self._heard(name, message.step)

    def _on_change(self, name: str, message: msgs.MapUpdate) -> None:
        self._fusion.apply(name, [convert.window_from_msg(item) for item in message.windows])
        self._stamp = message.header.stamp
        if message.last:
            self._heard(name, message.step)

    def _on_occupancy(self, name: str, message: OccupancyGrid) -> None:
        placing = self._place(name, message.header.frame_id)
        frame, occupancy = convert.occupancy_grid_parts(message)
        self._fusion.put(name, _placed(frame, placing), occupancy)
        self._stamp = message.header.stamp
        self._sources[name].fresh = True
        self._heard(name, self._step + 1)

    # -- output -----------------------------------------------------------------------------

    def _heard(self, name: str, step: int) -> None:
        self._late.discard(name)
        self._sources[name].step = step
        if self._team.lockstep and self.is_active:
            self._try_step()

    def _try_step(self) -> None:
        """Send the next step if all who are not late have come so far."""
        awaited = [item for name, item in self._sources.items() if name not in self._late]
        if not self._begun and not all(item.fresh for item in awaited):
            return  # after a restart latched maps may be old: better none than those
        steps = [item.step for item in awaited]
        if steps and min(steps) > self._step:
            self._waits_since = None
            self._step = min(steps)
            self._fuse_and_send()
        elif steps and max(steps) > self._step and self._waits_since is None:
            self._waits_since = time.monotonic()

    def _check_patience(self) -> None:
        since = self._waits_since
        if not self.is_active or since is None:
            return
        if time.monotonic() - since < self._team.patience_s:
            self._try_step()
            return
        self._waits_since = None
        late = {n for n, s in self._sources.items() if s.step <= self._step or not s.fresh}
        for name in sorted(late - self._late):
            self.get_logger().warning(f"no map of {name} for {self._team.patience_s:g} s")
        self._late |= late
        self._try_step()

    def _fuse_and_send(self) -> None:
        if not self.is_active:
            return
        windows, grown = self._fusion.update()
        if self._fusion.frame is None:
            return
        step = max(self._step, 0)
        if grown or not self._begun:
            self._begun = True
            self._sender.whole(step)
        elif windows or self._team.lockstep:
            self._sender.change(windows, step, self._stamp)
        self._shown = self._shown and not (windows or grown)

    def _content(self) -> MapContent | None:
        fusion = self._fusion
        if fusion.frame is None or not self._begun:
            return None
        return MapContent(
            fusion.frame, fusion.occupancy, fusion.labels, fusion.names, self._team.common_frame
        )

    def _show(self) -> None:
        content = self._content()
        if content is None or self._shown or not self.count_subscribers("map"):
            return
        self._shown = True
        message = convert.content_to_occupancy_grid(content)
        message.header.stamp = self.get_clock().now().to_msg()
        self._publish_map(message)


def _placed(frame: GridFrame, placing: convert.Placing) -> GridFrame:
    """Return the frame of a map as it lies in the common frame."""
    return GridFrame(frame.shape, frame.resolution, placing.to_common(frame.origin))


def main() -> int:
    """Run the node."""
    return runner.main(MapFusionNode)


if __name__ == "__main__":
    raise SystemExit(main())
