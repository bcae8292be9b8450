"""What a scripted endpoint does with a request: answer, or fail in one of the known ways."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = {
    "ok": "answer as the model does",
    "text": "answer with the given text",
    "incomplete": "HTTP 200, cut at max_output_tokens or for the given reason",
    "status": "HTTP 200 with the given response status, as failed",
    "refusal": "HTTP 200 with a refusal",
    "http": "the given HTTP error, as 500",
    "429": "rate limit; the value is Retry-After in seconds",
    "401": "wrong key",
    "drip": "the answer byte by byte, the value is seconds between them",
    "hang": "silence for the given seconds, then the answer",
    "cut": "the connection closes in the middle of the body",
    "drop": "the connection closes without a word",
    "html": "HTTP 200 with a web page",
    "garbage": "HTTP 200 with bytes that are no JSON",
    "other": "HTTP 200 with JSON of some other API",
    "bare": "the answer without usage and request id",
}


@dataclass(frozen=True)
class Behaviour:
    """One entry of a script: a kind from :data:`KINDS` and its value."""

    kind: str
    value: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}")

    @property
    def seconds(self) -> float:
        """The value as seconds."""
        return float(self.value or 0)


OK = Behaviour("ok")


def parse_script(text: str) -> list[Behaviour]:
    """Return the behaviours of ``kind[:value]`` words between commas, as ``429:1,http:500,ok``."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    return [Behaviour(*word.split(":", 1)) for word in words]
