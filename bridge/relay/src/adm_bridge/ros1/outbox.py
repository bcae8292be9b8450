"""What waits to be sent: a bounded queue per channel, served in turn."""

import threading
from collections import deque


class Outbox(object):
    """Frames for one connection.

    Each channel holds at most so many frames, as `queue_size` of its topic says; where one more
    comes, the oldest is dropped and counted. Channels take turns, so a flood of images delays no
    command by more than one frame. Frames put without a channel are never dropped and go first.
    """

    def __init__(self, depths):
        self._lock = threading.Condition()
        self._queues = dict((channel, deque()) for channel in depths)
        self._depths = dict(depths)
        self._turns = deque()
        self._urgent = deque()
        self._closed = False
        self.dropped = dict((channel, 0) for channel in depths)

    def put(self, channel, frame):
        """Let a frame wait in its channel; the oldest one makes room."""
        with self._lock:
            queue = self._queues[channel]
            if not queue:
                self._turns.append(channel)
            elif len(queue) >= self._depths[channel]:
                queue.popleft()
                self.dropped[channel] += 1
            queue.append(frame)
            self._lock.notify()

    def put_first(self, frame):
        """Let a frame go before all that wait in channels."""
        with self._lock:
            self._urgent.append(frame)
            self._lock.notify()

    def get(self):
        """Wait for a frame and return it; None once the box is closed."""
        with self._lock:
            while not (self._urgent or self._turns or self._closed):
                self._lock.wait(1.0)  # Python 2 hears no signal in a wait without limit
            if self._closed:
                return None
            if self._urgent:
                return self._urgent.popleft()
            channel = self._turns.popleft()
            frame = self._queues[channel].popleft()
            if self._queues[channel]:
                self._turns.append(channel)
            return frame

    def close(self):
        """Let whoever waits go; what still lies here is lost."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
