"""Simulated world in a process of its own, which outlives the robot's brain.

Speaks JSON lines over a Unix socket. It answers a command number that it knows with the answer
it gave, without acting again, and keeps a ledger of every pick and delivery on disk: what a test
holds against a brain that was killed and resumed.

Start it with ``python -m adm_core.missions.world_process --socket S --ledger L --mission JSON``.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import sys
from io import BufferedRWPair
from pathlib import Path
from typing import Any

from adm_core.config import build
from adm_core.errors import MissionError
from adm_core.memory.records import EvidenceBatch
from adm_core.planning.plain import (
    command_from_plain,
    command_to_plain,
    report_from_plain,
    report_to_plain,
)
from adm_core.planning.ports import Command, Primitive, WorldReport
from adm_core.simulation.recycling import Ghost, Visit, WorldFacts
from adm_core.types import Pose2D


class WorldServer:
    """Answer numbered commands of one brain after another.

    Parameters
    ----------
    world : NumberedWorld
        The world to act in; asked for each number once, in order.
    ledger : path-like
        File that gets one JSON line per successful pick and delivery.
    """

    def __init__(self, world: Any, ledger: str | Path) -> None:
        self._world = world
        self._ledger = Path(ledger)
        self._answers: list[dict[str, Any]] = []

    def serve(self, path: str | Path) -> None:
        """Serve connections on a Unix socket, one at a time, until killed."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(path))
            listener.listen()
            while True:
                connection, _ = listener.accept()
                with connection, connection.makefile("rwb") as stream:
                    self._serve(stream)

    def _serve(self, stream: BufferedRWPair) -> None:
        try:
            for line in stream:
                stream.write(json.dumps(self._answer(json.loads(line))).encode() + b"\n")
                stream.flush()
        except (OSError, ValueError):
            return  # the brain died in the middle of a line: wait for the next one

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request.get("ask") == "facts":
            return _facts_to_plain(self._world.facts())
        number = request["number"]
        if number > len(self._answers):
            return {"error": f"command {number} skips {len(self._answers)}"}
        if number == len(self._answers):
            command = command_from_plain(request["command"])
            report, batches = self._world.act(number, command)
            self._note(number, command, report)
            self._answers.append(report_to_plain(report, batches))
        return self._answers[number]

    def _note(self, number: int, command: Command | None, report: WorldReport) -> None:
        counted = (Primitive.PICK, Primitive.PLACE)
        if command is None or command.primitive not in counted or not report.success:
            return
        line = {"number": number, "action": command.primitive.value, "at": list(report.robot)}
        with self._ledger.open("a") as ledger:
            ledger.write(json.dumps(line) + "\n")
            ledger.flush()
            os.fsync(ledger.fileno())


class RemoteWorld:
    """Client of :class:`WorldServer`: the NumberedWorld of a brain in another process."""

    forgets = False

    def __init__(self, path: str | Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(str(path))
        except OSError as err:
            raise MissionError(f"no world answers at {path}: {err.strerror}") from err
        self._stream = self._socket.makefile("rwb")

    def act(self, number: int, command: Command | None) -> tuple[WorldReport, list[EvidenceBatch]]:
        """Carry out command `number` once; a repeated number repeats the answer."""
        return report_from_plain(
            self._ask({"number": number, "command": command_to_plain(command)})
        )

    def facts(self) -> WorldFacts:
        """Return the truth about the mission so far."""
        return _facts_from_plain(self._ask({"ask": "facts"}))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()
        self._socket.close()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            self._stream.write(json.dumps(request).encode() + b"\n")
            self._stream.flush()
            answer = json.loads(self._stream.readline())
        except (OSError, ValueError) as err:
            raise MissionError("the world has gone away") from err
        if not isinstance(answer, dict):
            raise MissionError("the world answers with something else than an object")
        if "error" in answer:
            raise MissionError(f"the world refuses: {answer['error']}")
        return answer


def _facts_to_plain(facts: WorldFacts) -> dict[str, Any]:
    return {
        "delivered": facts.delivered,
        "visits": [[item.step, list(item.pose), item.label, item.ghost] for item in facts.visits],
        "ghosts": [[item.step, item.label, list(item.pose)] for item in facts.ghosts],
    }


def _facts_from_plain(plain: dict[str, Any]) -> WorldFacts:
    return WorldFacts(
        plain["delivered"],
        tuple(Visit(step, Pose2D(*pose), *rest) for step, pose, *rest in plain["visits"]),
        tuple(Ghost(step, label, Pose2D(*pose)) for step, label, pose in plain["ghosts"]),
    )


def main(argv: list[str] | None = None) -> int:
    """Serve a mission's world until a signal ends it."""
    from adm_core.missions.recycling import LocalWorld, prepare
    from adm_core.missions.setup import MissionConfig

    parser = argparse.ArgumentParser(description="a simulated world in a process of its own")
    parser.add_argument("--socket", required=True, help="Unix socket to serve on")
    parser.add_argument("--ledger", required=True, help="file that notes picks and deliveries")
    parser.add_argument("--mission", default="{}", help="mission parameters as JSON")
    args = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    world = LocalWorld(prepare(build(MissionConfig, json.loads(args.mission))))
    WorldServer(world, args.ledger).serve(args.socket)
    return 0


if __name__ == "__main__":
    sys.exit(main())
