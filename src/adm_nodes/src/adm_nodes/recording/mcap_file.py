"""MCAP files with ROS 2 messages, written so that a power cut costs a second at most."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from adm_core.errors import AdmError

_CHUNK_BYTES = 256 * 1024
_MISSING = "MCAP files need the package mcap: pip install mcap"


class RecordingError(AdmError):
    """A recording that cannot be written or read."""


def require_mcap() -> None:
    """Raise RecordingError if the package that reads and writes MCAP is not installed."""
    try:
        import mcap  # noqa: F401
    except ImportError as err:
        raise RecordingError(_MISSING) from err


@dataclass(frozen=True)
class Topic:
    """One recorded topic.

    Attributes
    ----------
    name : str
        Full name.
    type_name : str
        Such as ``nav_msgs/msg/OccupancyGrid``.
    definition : str
        ros2msg text of the type.
    profile : str
        Quality of service in rosbag2's words.
    """

    name: str
    type_name: str
    definition: str
    profile: str


@dataclass(frozen=True)
class Recorded:
    """One recorded message: CDR bytes and the time of reception in nanoseconds."""

    topic: Topic
    stamp_ns: int
    data: bytes


class McapWriter:
    """Write topics and messages; every method may raise RecordingError (a full disk does).

    Parameters
    ----------
    path : path
        New file.
    mode : str
        How it is opened; as it is, a file that exists is never overwritten.
    """

    def __init__(self, path: Path, mode: str = "xb") -> None:
        require_mcap()
        from mcap.writer import CompressionType, Writer

        self.path = path
        try:
            self._file: IO[bytes] = path.open(mode)
        except OSError as err:
            raise RecordingError(f"cannot record to {path}: {err.strerror}") from err
        self._writer = Writer(self._file, chunk_size=_CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._channels: dict[str, int] = {}
        self._schemas: dict[str, int] = {}
        self.messages = 0
        self.data_bytes = 0
        self._guarded(lambda: self._writer.start(profile="ros2", library="adm_nodes"))

    @property
    def topics(self) -> int:
        """Number of topics so far."""
        return len(self._channels)

    def add_topic(self, topic: Topic) -> None:
        """Announce a topic; a second time is ignored."""
        if topic.name in self._channels:
            return
        if topic.type_name not in self._schemas:
            self._schemas[topic.type_name] = self._writer.register_schema(
                topic.type_name, "ros2msg", topic.definition.encode()
            )
        self._channels[topic.name] = self._writer.register_channel(
            topic.name,
            "cdr",
            self._schemas[topic.type_name],
            metadata={"offered_qos_profiles": topic.profile},
        )

    def add(self, topic_name: str, stamp_ns: int, data: bytes) -> None:
        """Append a message of an announced topic."""
        self.messages += 1
        self.data_bytes += len(data)
        self._guarded(
            lambda: self._writer.add_message(
                self._channels[topic_name], stamp_ns, data, stamp_ns, self.messages
            )
        )

    def flush(self) -> None:
        """Close the open chunk, so that what was written survives this process."""
        self._guarded(self._flush)

    def close(self) -> None:
        """Write index and end; the file is closed whatever happens."""
        try:
            self._guarded(self._writer.finish)
        finally:
            try:
                self._file.close()
            except OSError as err:
                raise self._error(err) from err

    def _flush(self) -> None:
        self._writer.flush()
        self._file.flush()

    def _guarded(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as err:
            raise self._error(err) from err

    def _error(self, err: OSError) -> RecordingError:
        return RecordingError(f"cannot write {self.path}: {err.strerror or err}")


def read(path: Path) -> Iterator[Recorded]:
    """Yield the messages of a file in order; one that was cut off yields what is whole.

    Raises
    ------
    RecordingError
        If it is no MCAP file, or holds other messages than ROS 2 ones.
    """
    require_mcap()
    from mcap.exceptions import EndOfFile
    from mcap.reader import NonSeekingReader

    topics: dict[int, Topic] = {}
    try:
        with path.open("rb") as file:
            reader = NonSeekingReader(file, validate_crcs=True)
            for schema, channel, message in reader.iter_messages(log_time_order=False):
                if schema is None or channel.message_encoding != "cdr":
                    raise RecordingError(
                        f"{path}: {channel.topic} is encoded as {channel.message_encoding!r}, "
                        "no ROS 2 message (cdr)"
                    )
                topic = topics.get(channel.id)
                if topic is None:
                    topic = topics[channel.id] = Topic(
                        channel.topic,
                        schema.name,
                        schema.data.decode("utf-8", "replace"),
                        channel.metadata.get("offered_qos_profiles", ""),
                    )
                yield Recorded(topic, message.log_time, message.data)
    except OSError as err:
        raise RecordingError(f"cannot read {path}: {err.strerror}") from err
    except EndOfFile:
        return  # the writer was killed: what came before is whole
    except RecordingError:
        raise
    except Exception as err:  # damaged bytes end in errors of all kinds
        raise RecordingError(f"{path} is no MCAP file or is damaged ({err!r})") from err
