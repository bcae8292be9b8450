"""A node that decides in a thread of its own, so that it answers while it thinks."""

from __future__ import annotations

import threading
import traceback
from typing import Any

from adm_nodes.common.errors import StoppedError
from adm_nodes.common.lifecycle import AdmNode

from sagr_nodes.mailbox import Mailbox

_JOIN_S = 5.0


class WorkerNode(AdmNode):
    """Lifecycle node with a worker thread while it is active.

    Subclasses give messages to :attr:`mail` and override :meth:`work`, which is called again and
    again by the worker; nothing else touches their state while they are active.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._refused: set[str] = set()
        self._worker: threading.Thread | None = None
        self.mail = Mailbox(self.complain)
        super().__init__(name, **kwargs)

    def work(self) -> None:
        """Wait for something to do and do it; StoppedError ends the thread."""
        raise NotImplementedError

    def complain(self, text: str) -> None:
        """Log an error, each text once: senders repeat their mistakes at every step."""
        if text not in self._refused:
            self._refused.add(text)
            self.get_logger().error(text)

    def start(self) -> None:
        """Start the worker."""
        self.mail.open()
        self._worker = threading.Thread(target=self._run, daemon=True)
        self._worker.start()

    def stop(self) -> None:
        """End the worker, wherever it waits."""
        self.mail.close()
        if self._worker is not None:
            self._worker.join(_JOIN_S)
        self._worker = None

    def _run(self) -> None:
        while True:
            try:
                self.work()
            except StoppedError:
                return
            except Exception:  # one bad decision must not end the robot's part
                self.get_logger().error(traceback.format_exc())
