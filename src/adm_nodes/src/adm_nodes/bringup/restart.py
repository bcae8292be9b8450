"""How often, and how soon, a node that has died is started again; no ROS in it."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass

from adm_core.config import Config, param


@dataclass(frozen=True)
class RestartConfig(Config):
    """When a dead node is started again, and when it is given up."""

    restarts: int = param(
        10, "restarts of one node within the window before it is given up; 0: none at all", min=0
    )
    window_s: float = param(60.0, "length of the window", unit="s", min=1.0)
    backoff_s: float = param(0.2, "wait before the first restart in a window", unit="s", min=0.0)
    backoff_max_s: float = param(5.0, "longest wait; each one is twice the last", unit="s", min=0.0)


class RestartPolicy:
    """Decide about restarts, node by node.

    Parameters
    ----------
    config : RestartConfig
        Limits.
    """

    def __init__(self, config: RestartConfig) -> None:
        self._config = config
        self._recent: dict[str, deque[float]] = defaultdict(deque)
        self.counts: dict[str, int] = defaultdict(int)

    def delay_s(self, name: str, now: float) -> float | None:
        """Return how long to wait before `name` is started again; None: it is given up.

        Parameters
        ----------
        name : str
            Node that has died.
        now : float
            Monotonic seconds.
        """
        recent, limit = self._recent[name], self._config.restarts
        while recent and recent[0] <= now - self._config.window_s:
            recent.popleft()
        if len(recent) >= limit:
            return None
        wait = self._config.backoff_s * 2.0 ** len(recent)
        recent.append(now)
        self.counts[name] += 1
        return min(wait, self._config.backoff_max_s)
