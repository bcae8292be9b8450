"""A recording from its first to its last message, with a thread of its own."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType

import rclpy

from adm_nodes.common.runner import Spinner
from adm_nodes.recording.mcap_file import McapWriter, RecordingError
from adm_nodes.recording.recorder import Recorder, Selection


class Recording:
    """Record a domain while the context is open.

    Parameters
    ----------
    path : path
        New file.
    selection : Selection
        Which topics.
    context : rclpy.Context, optional
        Where the recorder lives; the default one.

    Attributes
    ----------
    writer : McapWriter
        Counts what was written.
    stopped : threading.Event
        Set when nothing can be written any more.
    failure : RecordingError or None
        Why; what was written before is whole.
    """

    def __init__(
        self, path: Path, selection: Selection, context: rclpy.Context | None = None
    ) -> None:
        self.failure: RecordingError | None = None
        self.stopped = threading.Event()
        self.writer = McapWriter(path)
        self._node = Recorder(self.writer, selection, self._fail, context=context)
        self._spinner = Spinner(self._node)

    def __enter__(self) -> Recording:
        self._spinner.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._spinner.join()
        self._node.destroy_node()
        try:
            self.writer.close()
        except RecordingError as err:
            self._fail(err)

    def _fail(self, err: RecordingError) -> None:
        self.failure = self.failure or err
        self.stopped.set()
