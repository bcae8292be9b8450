"""The ROS 2 end of the connection between the halves."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Mapping

from adm_bridge.ros1 import wire
from adm_bridge.ros1.outbox import Outbox


class Link:
    """Listens for the ROS 1 half and talks to one at a time; a newer one replaces it.

    Parameters
    ----------
    address : (str, int)
        Where to listen; port 0 picks a free one.
    plan : dict
        What the ROS 1 half is told first.
    depths : mapping of int to int
        Longest queue per channel.
    take : callable
        Gets kind, channel and payload of every frame, in the reader's thread.
    log : callable
        Gets lines for people.
    """

    def __init__(
        self,
        address: tuple[str, int],
        plan: dict,
        depths: Mapping[int, int],
        take: Callable[[int, int, bytearray], None],
        log: Callable[[str], None],
    ) -> None:
        self._plan, self._depths, self._take, self._log = plan, dict(depths), take, log
        self._dropped = dict.fromkeys(depths, 0)
        self._outbox: Outbox | None = None
        self._sock: socket.socket | None = None
        self._lock = threading.Lock()
        self._server = socket.create_server(address)
        self.address: tuple[str, int] = self._server.getsockname()[:2]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def connected(self) -> bool:
        """Whether a ROS 1 half is there."""
        return self._outbox is not None

    def send(self, channel: int, payload: bytes | memoryview) -> bool:
        """Queue a message; False if there is no ROS 1 half to send it to."""
        outbox = self._outbox
        if outbox is None:
            return False
        outbox.put(channel, (wire.DATA, channel, payload))
        return True

    def request(self, channel: int, payload: bytes) -> bool:
        """Queue a call; False if there is no ROS 1 half to send it to."""
        outbox = self._outbox
        if outbox is None:
            return False
        outbox.put_first((wire.REQUEST, channel, payload))
        return True

    def dropped(self) -> dict[int, int]:
        """Return how many messages full queues have cost, per channel."""
        outbox = self._outbox
        now = outbox.dropped if outbox else {}
        return {key: value + now.get(key, 0) for key, value in self._dropped.items()}

    def close(self) -> None:
        """Stop listening and let the ROS 1 half go."""
        self._server.close()
        self._replace(None, None)

    # -- threads --------------------------------------------------------------------------------

    def _accept(self) -> None:
        while True:
            try:
                sock, peer = self._server.accept()
            except OSError:  # closed
                return
            wire.prepare(sock)
            outbox = Outbox(self._depths)
            outbox.put_first((wire.CONTROL, 0, wire.pack_json(self._plan)))
            self._replace(sock, outbox)
            self._log(f"ROS 1 half connected from {peer[0]}")
            threading.Thread(target=self._write, args=(sock, outbox), daemon=True).start()
            threading.Thread(target=self._read, args=(sock, outbox), daemon=True).start()

    def _read(self, sock: socket.socket, outbox: Outbox) -> None:
        try:
            while True:
                self._take(*wire.receive(sock))
        except wire.Closed as err:
            if self._outbox is outbox:
                self._log(f"ROS 1 half is gone ({err})")
                self._replace(None, None)

    def _write(self, sock: socket.socket, outbox: Outbox) -> None:
        while (frame := outbox.get()) is not None:
            try:
                wire.send(sock, *frame)
            except wire.Closed:
                return

    def _replace(self, sock: socket.socket | None, outbox: Outbox | None) -> None:
        with self._lock:
            old_sock, old_outbox = self._sock, self._outbox
            self._sock, self._outbox = sock, outbox
        if old_outbox is not None:
            for channel, count in old_outbox.dropped.items():
                self._dropped[channel] += count
            old_outbox.close()
        if old_sock is not None:
            end(old_sock)


def end(sock: socket.socket) -> None:
    """Close a socket on which another thread may be waiting."""
    with contextlib.suppress(OSError):  # the other end was faster
        sock.shutdown(socket.SHUT_RDWR)
    sock.close()
