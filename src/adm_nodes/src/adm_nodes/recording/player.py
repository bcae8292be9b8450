"""Play a recording: the same bytes on the same topics, at the recorded pace or another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from adm_nodes.recording import profiles
from adm_nodes.recording.definitions import message_class
from adm_nodes.recording.mcap_file import Recorded, RecordingError, Topic, read
from adm_nodes.recording.recorder import Selection

#: Long enough for subscribers that run already to find the publishers.
_DISCOVERY_S = 0.5
_LONGEST_NAP_S = 0.2  # a person's Ctrl-C is noticed within it


@dataclass
class Contents:
    """What a file holds.

    Attributes
    ----------
    topics : dict
        Topic by name, in order of appearance.
    counts : dict
        Messages by topic name.
    start_ns, end_ns : int
        Reception of the first and of the last message; 0 without one.
    """

    topics: dict[str, Topic] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    start_ns: int = 0
    end_ns: int = 0

    @property
    def messages(self) -> int:
        """Number of messages."""
        return sum(self.counts.values())

    @property
    def duration_s(self) -> float:
        """Time from first to last message in seconds."""
        return (self.end_ns - self.start_ns) / 1e9


def survey(path: Path, selection: Selection | None = None) -> Contents:
    """Read a file once and return what it holds of the selected topics."""
    contents = Contents()
    for message in _selected(path, selection or Selection()):
        name = message.topic.name
        contents.topics.setdefault(name, message.topic)
        contents.counts[name] = contents.counts.get(name, 0) + 1
        contents.start_ns = min(contents.start_ns or message.stamp_ns, message.stamp_ns)
        contents.end_ns = max(contents.end_ns, message.stamp_ns)
    return contents


class Player(Node):
    """Publish what a file holds.

    Parameters
    ----------
    path : path
        File.
    selection : Selection
        Which topics.
    with_clock : bool
        Whether to publish the recorded time on ``/clock``.

    Raises
    ------
    RecordingError
        If it holds nothing that is selected, or a topic has a publisher already: a recorded
        command must not reach a robot that is being driven.
    UnknownTypeError
        If a type is not installed here.
    """

    def __init__(self, path: Path, selection: Selection, with_clock: bool, **kwargs: Any) -> None:
        self.contents = survey(path, selection)
        if not self.contents.messages:
            raise RecordingError(f"{path} holds no message of a selected topic")
        super().__init__("player", start_parameter_services=False, **kwargs)
        self._path, self._selection = path, selection
        self._out = {
            name: self.create_publisher(
                message_class(topic.type_name), name, profiles.to_offer(topic.profile)
            )
            for name, topic in self.contents.topics.items()
        }
        self._clock_out = self.create_publisher(Clock, "/clock", 10) if with_clock else None
        time.sleep(_DISCOVERY_S)
        self._refuse_company()

    def play(self, rate: float, on_message: Callable[[float], None]) -> None:
        """Publish all messages once; `on_message` gets the recorded second after each.

        Parameters
        ----------
        rate : float
            Recorded seconds a second; inf is as fast as possible.
        on_message : callable
            For progress; whatever it raises ends the play.
        """
        begin = time.monotonic()
        for message in _selected(self._path, self._selection):
            at = (message.stamp_ns - self.contents.start_ns) / 1e9
            self._sleep_until(begin + at / rate)
            if self._clock_out is not None:
                self._clock_out.publish(_clock_message(message.stamp_ns))
            self._out[message.topic.name].publish(message.data)
            on_message(at)

    def _sleep_until(self, when: float) -> None:
        while (left := when - time.monotonic()) > 0.0:
            time.sleep(min(left, _LONGEST_NAP_S))

    def _refuse_company(self) -> None:
        others = [
            name
            for name in self._out
            if self.count_publishers(name) > 1 and name not in ("/rosout", "/parameter_events")
        ]
        if others:
            raise RecordingError(
                f"others publish in this domain, too: {', '.join(others[:3])}; choose another "
                "ROS_DOMAIN_ID, or topics with --topics"
            )


def _selected(path: Path, selection: Selection) -> Iterator[Recorded]:
    return (message for message in read(path) if selection.takes(message.topic.name))


def _clock_message(stamp_ns: int) -> Clock:
    message = Clock()
    message.clock.sec, message.clock.nanosec = divmod(stamp_ns, 1_000_000_000)
    return message
