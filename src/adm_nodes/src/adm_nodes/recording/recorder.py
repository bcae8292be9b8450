"""Record every topic of a domain, those that appear later too."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rclpy.node import Node

from adm_nodes.recording import profiles
from adm_nodes.recording.definitions import UnknownTypeError, definition, message_class
from adm_nodes.recording.mcap_file import McapWriter, RecordingError, Topic

_LOOK_S = 0.1
_FLUSH_S = 1.0


@dataclass(frozen=True)
class Selection:
    """Which topics to take: regular expressions that are searched in the full name."""

    wanted: str = ""
    unwanted: str = ""

    def takes(self, name: str) -> bool:
        """Tell whether a topic is taken; hidden ones (``/_...``) never are."""
        if "/_" in name or not re.search(self.wanted, name):
            return False
        return not (self.unwanted and re.search(self.unwanted, name))


class Recorder(Node):
    """Write the messages of all topics to one file, as bytes: nothing is decoded.

    It begins when constructed. A latched message that was sent before is recorded as well.

    Parameters
    ----------
    writer : McapWriter
        Where to; closing it is the caller's.
    selection : Selection
        Which topics.
    on_failure : callable
        Told once why nothing can be written any more.
    """

    def __init__(
        self,
        writer: McapWriter,
        selection: Selection,
        on_failure: Callable[[RecordingError], None],
        **kwargs: Any,
    ) -> None:
        super().__init__("recorder", start_parameter_services=False, **kwargs)
        self._writer = writer
        self._selection = selection
        self._on_failure = on_failure
        self._failed = False
        self._seen: set[str] = set()
        self._look()
        self.create_timer(_LOOK_S, self._look)
        self.create_timer(_FLUSH_S, self._flush)

    def _look(self) -> None:
        """Subscribe to topics that have appeared and have a publisher."""
        for name, types in self.get_topic_names_and_types():
            if name in self._seen or not self._selection.takes(name):
                continue
            offers = [item.qos_profile for item in self.get_publishers_info_by_topic(name)]
            if offers:
                self._seen.add(name)
                self._subscribe(name, types, profiles.to_listen(offers))

    def _subscribe(self, name: str, types: list[str], profile: Any) -> None:
        if len(types) > 1:
            self.get_logger().warning(f"{name} is not recorded: it has types {', '.join(types)}")
            return
        try:
            topic = Topic(name, types[0], definition(types[0]), profiles.to_text(profile))
            self._writer.add_topic(topic)
            listener = partial(self._on_message, name)
            self.create_subscription(message_class(types[0]), name, listener, profile, raw=True)
        except UnknownTypeError as err:
            self.get_logger().warning(f"{name} is not recorded: {err}")

    def _on_message(self, name: str, data: bytes) -> None:
        self._write(partial(self._writer.add, name, self.get_clock().now().nanoseconds, data))

    def _flush(self) -> None:
        self._write(self._writer.flush)

    def _write(self, action: Callable[[], None]) -> None:
        if self._failed:
            return
        try:
            action()
        except RecordingError as err:
            self._failed = True
            self._on_failure(err)
