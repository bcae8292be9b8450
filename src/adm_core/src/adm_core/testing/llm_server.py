"""An HTTP server that enforces the request rules of two LLM APIs and fails on demand.

``python -m adm_core.testing.llm_server`` or ``adm llm serve-strict`` starts it alone; tests use
it as a context manager::

    with StrictLlmServer(script=[Behaviour("429", "1")]) as server:
        config = LlmConfig(mode="responses_strict", base_url=server.base_url)
"""

from __future__ import annotations

import argparse
import json
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from adm_core.testing.llm_behaviour import KINDS, OK, Behaviour, parse_script
from adm_core.testing.llm_model import MODELS, Model, Question, plan_as_policy
from adm_core.testing.llm_replies import chat_object, cut_to, response_object, tokens, usage
from adm_core.testing.llm_rules import (
    Rejection,
    check_chat,
    check_llama_cpp,
    check_responses,
    is_reasoning,
)

Json = dict[str, Any]

RESPONSES, CHAT = "/v1/responses", "/v1/chat/completions"
DIALECTS = ("openai", "llama_cpp")
_MAX_BODY = 2**22
_CACHE_LEAST, _CACHE_STEP = 1024, 128


@dataclass(frozen=True)
class Received:
    """A request that reached the server, and the HTTP status that it got."""

    route: str
    body: Any
    status: int


class StrictLlmServer:
    """Server on 127.0.0.1, in threads of its own.

    Parameters
    ----------
    script : iterable of Behaviour
        One per request to an API route; after the last every request is answered.
    model : Model
        Makes the answers.
    port : int
        0: a free one.
    key : str
        If given, the only bearer token that is let in.
    dialect : str
        ``openai``: both routes; ``llama_cpp``: the chat route alone, as llama-cpp-python has it.
    reasoning_tokens : int
        Hidden output tokens of reasoning models.

    Attributes
    ----------
    received : list of Received
        Requests to API routes so far.
    """

    def __init__(
        self,
        script: Iterable[Behaviour] = (),
        model: Model = plan_as_policy,
        port: int = 0,
        key: str = "",
        dialect: str = "openai",
        reasoning_tokens: int = 0,
    ) -> None:
        if dialect not in DIALECTS:
            raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}, got {dialect!r}")
        self.received: list[Received] = []
        self.stopping = threading.Event()
        self._script = deque(script)
        self._model = model
        self._key = key
        self._dialect = dialect
        self._reasoning = reasoning_tokens
        self._lock = threading.Lock()
        self._count = 0
        self._last_prompt = ""
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def base_url(self) -> str:
        """Address to give to clients."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> StrictLlmServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def serve_forever(self) -> None:
        """Serve in this thread until interrupted."""
        try:
            self._http.serve_forever()
        finally:
            self.stopping.set()
            self._http.server_close()

    # -- for the handler ----------------------------------------------------------------------

    def next_behaviour(self) -> Behaviour:
        """Return what to do with the next request."""
        with self._lock:
            return self._script.popleft() if self._script else OK

    def note(self, route: str, body: Any, status: int) -> None:
        """Write a request down."""
        with self._lock:
            self.received.append(Received(route, body, status))

    def rejection(self, route: str, authorization: str, body: Any) -> Rejection | None:
        """Return why a request is not let in, or None."""
        token = authorization.removeprefix("Bearer ").strip()
        if not authorization.startswith("Bearer ") or not token or self._key not in ("", token):
            return Rejection(401, "Incorrect API key provided.", None, "invalid_api_key")
        if route not in ((RESPONSES, CHAT) if self._dialect == "openai" else (CHAT,)):
            return Rejection(404, f"Not Found: {route}", None, None)
        if not isinstance(body, dict):
            return Rejection(400, "We could not parse the JSON body of your request.", None, None)
        if self._dialect == "llama_cpp":
            return check_llama_cpp(body)
        return check_responses(body) if route == RESPONSES else check_chat(body)

    def answer(self, route: str, body: Json, behaviour: Behaviour) -> Json:
        """Return the reply object of an accepted request."""
        question, prompt = _question(route, body)
        text = behaviour.value if behaviour.kind == "text" else self._model(question)
        with self._lock:
            self._count += 1
            number = self._count
            cached = _cached(self._last_prompt, prompt)
            self._last_prompt = prompt
        reasoning = self._reasoning if is_reasoning(body.get("model")) else 0
        limit = _output_limit(body)
        reason = None
        if tokens(text) + reasoning > limit:
            text, reason = cut_to(text, max(1, limit - reasoning)), "max_output_tokens"
        if behaviour.kind == "incomplete":
            text, reason = text[: len(text) // 2], behaviour.value or "max_output_tokens"
        used = None if behaviour.kind == "bare" else usage(prompt, text, cached, reasoning)
        make = _as_response if route == RESPONSES else _as_chat
        return make(number, body, text, used, behaviour, reason)


def _as_response(
    number: int, body: Json, text: str, used: Any, behaviour: Behaviour, reason: str | None
) -> Json:
    part: Json = {"type": "output_text", "text": text, "annotations": []}
    if behaviour.kind == "refusal":
        part = {"type": "refusal", "refusal": "I can't help with that."}
    status = "incomplete" if reason else "completed"
    if behaviour.kind == "status":
        status = behaviour.value or "failed"
    return response_object(number, body, part, used, status, reason)


def _as_chat(
    number: int, body: Json, text: str, used: Any, behaviour: Behaviour, reason: str | None
) -> Json:
    if behaviour.kind == "refusal":
        return chat_object(number, body, None, used, refusal="I can't help with that.")
    finish = {None: "stop", "max_output_tokens": "length"}.get(reason, reason)
    if behaviour.kind == "status":
        finish = behaviour.value or "tool_calls"
    return chat_object(number, body, text, used, str(finish))


def _question(route: str, body: Json) -> tuple[Question, str]:
    """Return what the model is asked, and everything that counts as input."""
    if route == RESPONSES:
        items = body["input"]
        messages = [{"role": "user", "content": items}] if isinstance(items, str) else items
        form = body.get("text", {}).get("format", {})
        schema, head = form.get("schema"), body.get("instructions") or ""
    else:
        messages, head = body["messages"], ""
        form = body.get("response_format", {})
        schema = form.get("schema") or form.get("json_schema", {}).get("schema")
    texts = [(item["role"], _text(item["content"])) for item in messages]
    turns = tuple(text for role, text in texts if role == "user")
    return Question(turns, schema), head + "".join(text for _, text in texts)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content)


def _cached(old: str, new: str) -> int:
    same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    count = tokens(new[:same])
    return count // _CACHE_STEP * _CACHE_STEP if count >= _CACHE_LEAST else 0


def _output_limit(body: Json) -> int:
    names = ("max_output_tokens", "max_completion_tokens", "max_tokens")
    return min((body[name] for name in names if isinstance(body.get(name), int)), default=10**6)


def _handler(server: StrictLlmServer) -> type[BaseHTTPRequestHandler]:
    """Return the request handler class bound to `server`."""
    return type("Handler", (_Handler,), {"double": server})


class _Handler(BaseHTTPRequestHandler):
    """Answers requests as the double that it belongs to says."""

    double: StrictLlmServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self._read_body()
        if self.double.stopping.is_set():  # kept-alive connections outlive the listening socket
            self.close_connection = True
            return
        behaviour = self.double.next_behaviour()
        refused = self.double.rejection(self.path, self.headers.get("Authorization", ""), body)
        scripted = _scripted_error(behaviour)
        status = refused.status if refused else scripted.status if scripted else 200
        self.double.note(self.path, body, status)
        if refused or scripted:
            wait = {"Retry-After": behaviour.value} if behaviour.kind == "429" else {}
            self._send(status, (refused or scripted).body(), behaviour, wait)  # type: ignore[union-attr]
        else:
            self._serve(body, behaviour)

    def do_GET(self) -> None:
        self._send(404, Rejection(404, f"Not Found: {self.path}").body(), OK, {})

    def log_message(self, *_: object) -> None:
        """Keep the terminal for the tests."""

    def _read_body(self) -> Any:
        length = int(self.headers.get("Content-Length") or 0)
        try:
            return json.loads(self.rfile.read(min(length, _MAX_BODY)))
        except ValueError:
            return None

    def _serve(self, body: Json, behaviour: Behaviour) -> None:
        kind = behaviour.kind
        if kind == "drop":
            self.close_connection = True
        elif kind == "html":
            self._send_bytes(200, b"<html><body>Sign in</body></html>", "text/html", behaviour)
        elif kind == "garbage":
            self._send_bytes(200, b"\xff\xfe{not json", "application/json", behaviour)
        elif kind == "other":
            self._send(200, {"object": "list", "data": []}, behaviour, {})
        else:
            if kind == "hang":
                self.double.stopping.wait(behaviour.seconds)
            self._send(200, self.double.answer(self.path, body, behaviour), behaviour, {})

    def _send(
        self, status: int, value: Json, behaviour: Behaviour, headers: dict[str, str]
    ) -> None:
        data = json.dumps(value).encode()
        self._send_bytes(status, data, "application/json", behaviour, headers)

    def _send_bytes(
        self,
        status: int,
        data: bytes,
        content_type: str,
        behaviour: Behaviour,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        if behaviour.kind != "bare":
            self.send_header("x-request-id", f"req_{len(self.double.received):06d}")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if behaviour.kind == "cut":
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
        elif behaviour.kind == "drip":
            self._drip(data, behaviour.seconds)
        else:
            self.wfile.write(data)

    def _drip(self, data: bytes, pause_s: float) -> None:
        for index in range(len(data)):
            if self.double.stopping.wait(pause_s):
                return
            try:
                self.wfile.write(data[index : index + 1])
                self.wfile.flush()
            except OSError:  # the client has given up
                self.close_connection = True
                return


def _scripted_error(behaviour: Behaviour) -> Rejection | None:
    if behaviour.kind == "429":
        return Rejection(429, "Rate limit reached.", None, "rate_limit_exceeded")
    if behaviour.kind == "401":
        return Rejection(401, "Incorrect API key provided.", None, "invalid_api_key")
    if behaviour.kind == "http":
        return Rejection(int(behaviour.value or 500), "The server had an error.", None, None)
    return None


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the server."""
    parser.add_argument("--port", type=int, default=8089, help="port on 127.0.0.1; 0: a free one")
    parser.add_argument("--key", default="", help="the only key that is let in; empty: any")
    parser.add_argument("--dialect", choices=DIALECTS, default="openai", help="whose rules")
    parser.add_argument("--answers", choices=MODELS, default="policy", help="who answers")
    kinds = "; ".join(f"{name}: {text}" for name, text in KINDS.items())
    parser.add_argument(
        "--script",
        type=parse_script,
        default=[],
        metavar="KIND[:VALUE],...",
        help=f"what to do with the first requests ({kinds})".replace("%", "%%"),
    )


def serve(args: argparse.Namespace) -> int:
    """Serve until interrupted; the address goes to standard output first."""
    server = StrictLlmServer(args.script, MODELS[args.answers], args.port, args.key, args.dialect)
    print(f"strict LLM server at {server.base_url} (stop with Ctrl-C)", flush=True)
    server.serve_forever()
    return 0


def main(argv: list[str] | None = None) -> int:
    """Run the server from the command line."""
    parser = argparse.ArgumentParser(prog="python -m adm_core.testing.llm_server")
    add_server_arguments(parser)
    try:
        return serve(parser.parse_args(argv))
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
