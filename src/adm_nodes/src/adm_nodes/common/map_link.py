"""Labelled maps between nodes: the whole once, then changes, the whole again on request."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from adm_core.grid.stream import MapStream
from adm_core.grid.windows import GridWindow, MapContent, batches
from builtin_interfaces.msg import Time
from rclpy.task import Future

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import qos
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.errors import NotActiveError
from adm_nodes.common.lifecycle import AdmNode

#: Most cells of one message of changes.
MOST_CELLS = 1 << 18

#: Turns a function into the callback that will call it, perhaps in another thread.
Through = Callable[[Callable[[Any], object]], Callable[[Any], object]]


def at_once(take: Callable[[Any], object]) -> Callable[[Any], object]:
    """Let the spinning thread take a message itself."""
    return take


class MapSender:
    """Publishes a map on ``NAME`` and ``NAME_updates`` and serves it as ``get_NAME``.

    Parameters
    ----------
    node : AdmNode
        Owner, being set up.
    topic : str
        Name of the map, may have a namespace before it.
    content : callable
        Returns the present map, or None if there is none yet.
    """

    def __init__(self, node: AdmNode, topic: str, content: Callable[[], MapContent | None]) -> None:
        self._node, self._content = node, content
        self._epoch = self._seq = self._step = 0
        self._frame_id = ""
        head, slash, name = topic.rpartition("/")
        self._publish_whole = node.add_publisher(msgs.LabelledMap, topic, qos.LATCHED)
        self._publish = node.add_publisher(msgs.MapUpdate, f"{topic}_updates", qos.MAP_UPDATES)
        node.add_service(srvs.GetLabelledMap, f"{head}{slash}get_{name}", self._on_get, kept=0)

    def whole(self, step: int) -> None:
        """Publish the present map as the first of a new epoch."""
        self._epoch, self._seq, self._step = max(self._epoch + 1, time.time_ns()), 0, step
        content = self._content()
        if content is not None:
            self._frame_id = content.frame_id
            self._publish_whole(self._message(content))

    def change(self, windows: Sequence[GridWindow], step: int, stamp: Time | None = None) -> None:
        """Publish what changed up to a step; `stamp` is when it was seen (default: now)."""
        parts = list(batches(windows, MOST_CELLS))
        self._step = step
        for number, part in enumerate(parts):
            self._seq += 1
            message = msgs.MapUpdate(
                epoch=self._epoch, seq=self._seq, step=step, last=number == len(parts) - 1
            )
            message.windows = [convert.window_to_msg(window) for window in part]
            message.header.frame_id = self._frame_id
            message.header.stamp = stamp or self._node.get_clock().now().to_msg()
            self._publish(message)

    def _message(self, content: MapContent) -> msgs.LabelledMap:
        message = convert.content_to_msg(content)
        message.epoch, message.seq, message.step = self._epoch, self._seq, self._step
        message.header.stamp = self._node.get_clock().now().to_msg()
        return message

    def _on_get(
        self, request: srvs.GetLabelledMap.Request, response: srvs.GetLabelledMap.Response
    ) -> None:
        content = self._content()
        if content is None:
            raise NotActiveError("no map yet")
        response.map = self._message(content)


class MapFollower:
    """Follows a map of a :class:`MapSender`.

    Parameters
    ----------
    node : AdmNode
        Owner, being set up.
    topic : str
        As for the sender.
    replace, apply : callable
        Get a LabelledMap, or a MapUpdate that follows on what was had before.
    through : callable
        In which thread they are called; :func:`at_once` for the spinning one.

    Attributes
    ----------
    step : int
        Step up to which the map is known as a whole; -1 before the first map.
    fresh : bool
        Whether the sender has answered since this follower was opened.
    """

    def __init__(
        self,
        node: AdmNode,
        topic: str,
        replace: Callable[[msgs.LabelledMap], object],
        apply: Callable[[msgs.MapUpdate], object],
        through: Through = at_once,
    ) -> None:
        self.step, self.fresh = -1, False
        self._node, self._through = node, through
        self._replace, self._apply = replace, apply
        head, slash, name = topic.rpartition("/")
        self._service = f"{head}{slash}get_{name}"
        self._stream = MapStream(self._on_replace, self._on_apply)
        self._client: ResendingClient | None = None
        self._asked: Future | None = None
        node.add_subscription(msgs.LabelledMap, topic, qos.LATCHED, through(self._whole))
        node.add_subscription(
            msgs.MapUpdate, f"{topic}_updates", qos.MAP_UPDATES, through(self._update)
        )

    @property
    def numbers(self) -> tuple[int, int]:
        """Epoch and number of the last change that was taken in; -1 before the first map."""
        return self._stream.epoch, self._stream.seq

    def open(self) -> None:
        """Begin to ask for what is missing."""
        self._client = ResendingClient(self._node, srvs.GetLabelledMap, self._service)

    def close(self) -> None:
        """Cease to ask."""
        self.fresh = False
        if self._client is not None:
            self._client.close()
        self._client = self._asked = None

    def ask(self) -> None:
        """Ask for the whole map, unless an answer is awaited."""
        if self._client is None or (self._asked is not None and not self._asked.done()):
            return
        self._asked = self._client.call_async(srvs.GetLabelledMap.Request())
        self._asked.add_done_callback(self._through(self._answered))

    def _answered(self, answer: Future) -> None:
        if answer.exception() is None:
            self.fresh = True
            self._whole(answer.result().map)

    def _whole(self, message: msgs.LabelledMap) -> None:
        self._stream.whole(message)
        self._check()

    def _update(self, message: msgs.MapUpdate) -> None:
        self._stream.update(message)
        self._check()

    def _check(self) -> None:
        if self._stream.is_behind:
            self.ask()

    def _on_replace(self, message: msgs.LabelledMap) -> None:
        self._replace(message)
        self.step = message.step

    def _on_apply(self, message: msgs.MapUpdate) -> None:
        self._apply(message)
        if message.last:
            self.step = message.step
