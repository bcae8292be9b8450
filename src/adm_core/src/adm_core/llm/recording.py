"""Recordings: every exchange as one line of JSON, replayed by the digest of its request."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from pathlib import Path
from typing import Any, TextIO

from adm_core.errors import LlmError
from adm_core.llm.exchange import (
    Exchange,
    Failure,
    Json,
    Outcome,
    RawReply,
    request_sha256,
)

FORMAT = 1
#: Reply headers that a reader or a person may need; anything else could hold a secret.
_KEPT_HEADERS = ("content-type", "retry-after", "x-request-id")


class Recorder:
    """Open recording file; its first line says what the requests were made from.

    Parameters
    ----------
    path : path-like
        New file: an old recording is never overwritten.
    settings : dict
        Everything that shapes requests and decisions, so that a replay needs no options.

    Raises
    ------
    LlmError
        If the file exists or cannot be written.
    """

    def __init__(self, path: str | Path, settings: Json) -> None:
        try:
            self._file: TextIO = Path(path).open("x", encoding="utf-8")  # noqa: SIM115
        except FileExistsError:
            raise LlmError(f"recording {path} already exists; name another file") from None
        except OSError as err:
            raise LlmError(f"recording {path} cannot be written: {err.strerror}") from err
        self._write({"adm_llm_recording": FORMAT, "settings": settings})

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def add(self, route: str, body: Json, outcome: Outcome) -> None:
        """Write one exchange; it is in the file when this returns."""
        reply = outcome.reply
        self._write(
            {
                "sha256": request_sha256(route, body),
                "route": route,
                "request": body,
                "status": reply.status if reply else None,
                "headers": _kept(reply),
                "body": reply.body if reply else None,
                "failure": outcome.failure.value if outcome.failure else None,
                "detail": outcome.detail,
                "latency_s": round(outcome.latency_s, 6),
                "attempts": outcome.attempts,
            }
        )

    def _write(self, item: Json) -> None:
        self._file.write(json.dumps(item, separators=(",", ":")) + "\n")
        self._file.flush()


class RecordingExchange:
    """Exchange that writes down what another one does."""

    def __init__(self, inner: Exchange, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    def __call__(self, route: str, body: Json, budget_s: float) -> Outcome:
        """Pass the request on and record what came of it."""
        outcome = self._inner(route, body, budget_s)
        self._recorder.add(route, body, outcome)
        return outcome


class Replay:
    """Exchange that answers from a recording, each exchange once.

    Parameters
    ----------
    path : path-like
        File of a :class:`Recorder`.

    Attributes
    ----------
    settings : dict
        What the recording was made with.

    Raises
    ------
    LlmError
        If the file cannot be read or is no recording.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        lines = _read_lines(path)
        if not lines or lines[0].get("adm_llm_recording") != FORMAT:
            raise LlmError(f"{path} is no recording of format {FORMAT}")
        self.settings: Json = lines[0].get("settings") or {}
        self._left: dict[str, deque[int]] = defaultdict(deque)
        self._lines = lines[1:]
        self._used = [False] * len(self._lines)
        for number, line in enumerate(self._lines):
            self._left[str(line.get("sha256"))].append(number)

    @property
    def unused(self) -> int:
        """Number of recorded exchanges that nothing has asked for yet."""
        return self._used.count(False)

    def __call__(self, route: str, body: Json, budget_s: float) -> Outcome:
        """Return the recorded outcome of exactly this request.

        Raises
        ------
        LlmError
            If there is none (left).
        """
        digest = request_sha256(route, body)
        if not self._left[digest]:
            raise LlmError(self._miss(digest, body))
        number = self._left[digest].popleft()
        self._used[number] = True
        try:
            return _outcome(self._lines[number])
        except (AttributeError, LookupError, TypeError, ValueError) as err:
            raise LlmError(
                f"recording {self._path} is damaged: exchange {number + 1} holds no whole answer"
            ) from err

    def _miss(self, digest: str, body: Json) -> str:
        head = f"recording {self._path} has no answer left for request {digest[:12]}"
        if all(self._used):
            return f"{head}: all of its {len(self._lines)} exchanges are used up"
        number = self._used.index(False)
        place = _difference(self._lines[number].get("request"), body)
        return f"{head}; it differs from recorded exchange {number + 1} at {place}"


def _read_lines(path: str | Path) -> list[Json]:
    try:
        text = Path(path).read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    except OSError as err:
        raise LlmError(f"recording {path} cannot be read: {err.strerror}") from err
    except (ValueError, RecursionError) as err:
        raise LlmError(f"recording {path} is damaged: {err}") from err
    if not all(isinstance(line, dict) for line in lines):
        raise LlmError(f"recording {path} is damaged: a line is no object")
    return lines


def _outcome(line: Json) -> Outcome:
    reply = None
    if line["status"] is not None:
        reply = RawReply(line["status"], line["headers"], line["body"])
    failure = Failure(line["failure"]) if line["failure"] else None
    return Outcome(reply, failure, line["detail"], line["latency_s"], line["attempts"])


def _kept(reply: RawReply | None) -> dict[str, str]:
    if reply is None:
        return {}
    return {name: reply.headers[name] for name in _KEPT_HEADERS if name in reply.headers}


def _difference(old: Any, new: Any, path: str = "request") -> str:
    """Return the first place where two JSON values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                return _difference(old.get(name), new.get(name), f"{path}.{name}")
    if isinstance(old, list) and isinstance(new, list):
        for index, pair in enumerate(zip(old, new, strict=False)):
            if pair[0] != pair[1]:
                return _difference(*pair, f"{path}[{index}]")
        return f"{path}: {len(old)} items became {len(new)}"
    if isinstance(old, str) and isinstance(new, str):
        pairs = enumerate(zip(old, new, strict=False))
        at = next((index for index, (a, b) in pairs if a != b), min(len(old), len(new)))
        near = new[max(0, at - 30) : at + 30]
        return f"{path}, character {at}: ...{near!r}..."
    return path
