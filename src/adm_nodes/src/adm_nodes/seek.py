"""Seek: ask a team for a search, print its progress, end with its result as the exit code."""

from __future__ import annotations

import queue
import sys
from dataclasses import dataclass
from typing import Any, TextIO

from adm_core.config import Config, param
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future

from adm_interfaces.action import RunSearch
from adm_nodes.common import params
from adm_nodes.watch import run_to_the_end

#: Ends that are a success: the target, or everything that can be reached.
_WELL = ("found", "done", "done_except_unreachable")


@dataclass(frozen=True)
class SeekConfig(Config):
    """Goal of a search, as in the action RunSearch."""

    text: str = param("explore", "'explore', or a sentence such as 'find the cup in the kitchen'")
    object: str = param("", "kind of object; with it or room_type given, the text is not read")
    room_type: str = param("", "room type in which it is expected")
    budget_steps: int = param(20_000, "end after", unit="steps", min=1)
    again: bool = param(False, "begin anew whenever everything is explored, until cancelled")


class Seek(Node):
    """Send one goal as soon as somebody takes it.

    Parameters
    ----------
    heard : queue
        Gets every feedback, and the result or None if the goal was rejected.
    text, object, room_type, budget_steps, again : see SeekConfig

    Actions
    -------
    run_search : RunSearch, called
    """

    def __init__(self, heard: queue.SimpleQueue[Any], **kwargs: Any) -> None:
        super().__init__("seek", **kwargs)
        params.declare(self, SeekConfig)
        config = params.read(self, SeekConfig)
        self._goal = RunSearch.Goal(
            text=config.text,
            object=config.object,
            room_type=config.room_type,
            budget_steps=config.budget_steps,
            again=config.again,
        )
        self._heard = heard
        self._client = ActionClient(self, RunSearch, "run_search")
        self._waiting = self.create_timer(0.2, self._ask)

    def _ask(self) -> None:
        if not self._client.server_is_ready():
            return
        self._waiting.cancel()
        sent = self._client.send_goal_async(
            self._goal, feedback_callback=lambda message: self._heard.put(message.feedback)
        )
        sent.add_done_callback(self._on_answer)

    def _on_answer(self, sent: Future) -> None:
        if not sent.result().accepted:
            self._heard.put(None)
            return
        ended = sent.result().get_result_async()
        ended.add_done_callback(lambda future: self._heard.put(future.result().result))


def follow(heard: queue.SimpleQueue[Any], stream: TextIO) -> int:
    """Print what is heard until the search ends; return 0 if it ended well, else 1."""
    plan = None
    while True:
        message = heard.get()
        if message is None:
            print("the search was rejected; the log of node search says why", file=stream)
            return 1
        if isinstance(message, RunSearch.Result):
            print(_closing_line(message), file=stream, flush=True)
            return 0 if message.state in _WELL else 1
        if message.plan != plan:  # once per coordination, not per step
            plan = message.plan
            known = f"{100 * message.known_share:.1f} % known"
            print(f"step {message.steps:4d}  {known}; {plan}", file=stream, flush=True)


def _closing_line(result: RunSearch.Result) -> str:
    detail = f" ({result.detail})" if result.detail else ""
    where = f" at ({result.target.x:.2f}, {result.target.y:.2f})" if result.state == "found" else ""
    return (
        f"search {result.state}{detail}{where} after {result.steps} steps and "
        f"{result.coordinations} coordinations; decisions {result.decision_sha256[:16]}"
    )


def main() -> int:
    """Seek once; 130 if interrupted."""
    return run_to_the_end(Seek, follow, sys.stdout)


if __name__ == "__main__":
    raise SystemExit(main())
