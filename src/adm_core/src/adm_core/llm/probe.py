"""Start-up check that an endpoint obeys a schema, with a question that invites prose."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.llm.client import LlmClient
from adm_core.llm.exchange import Completion, Failure, Prompt

#: A model that is free to write answers this in a sentence; a bound one cannot.
PROMPT = Prompt(
    "You are a friendly guide. Answer in one short English sentence.",
    (("question", '"Where do robots sleep?"'),),
    "adm_probe",
    {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["adm_probe_ok"]},
            "numbers": {"type": "array", "items": {"type": "integer"}, "maxItems": 2},
        },
        "required": ["kind", "numbers"],
        "additionalProperties": False,
    },
)

_NO_ANSWER = (
    Failure.TIMEOUT,
    Failure.CONNECTION,
    Failure.RATE_LIMITED,
    Failure.SERVER_ERROR,
    Failure.BAD_BODY,
)


@dataclass(frozen=True)
class ProbeReport:
    """What the probe found.

    Attributes
    ----------
    completion : Completion
        The answer.
    gaps : tuple of str
        What the endpoint does not report.
    """

    completion: Completion
    gaps: tuple[str, ...]

    @property
    def obeys(self) -> bool:
        """Whether the answer was bare JSON that obeys the schema."""
        return self.completion.failure is None

    def __str__(self) -> str:
        failure = self.completion.failure
        if failure is None:
            return "endpoint obeys the schema"
        why = f"({failure.value}: {self.completion.detail})"
        if failure in _NO_ANSWER:
            return f"endpoint gave no answer {why}"
        if failure is Failure.REJECTED:
            return f"endpoint refuses the request {why}"
        return f"endpoint does not obey the schema {why}"


def probe(client: LlmClient) -> ProbeReport:
    """Ask the probe's question once."""
    completion = client.complete(PROMPT, client.config.deadline_s)
    usage = completion.usage
    found = {
        "input tokens": usage.input_tokens,
        "cached tokens": usage.cached_tokens,
        "output tokens": usage.output_tokens,
        "reasoning tokens": usage.reasoning_tokens,
        "request id": completion.request_id or None,
    }
    return ProbeReport(completion, tuple(name for name, value in found.items() if value is None))
