"""API keys: read from a file or the environment when a client is made, shown to nobody."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from adm_core.errors import LlmError
from adm_core.llm.config import LlmConfig


class Key:
    """A secret that does not print itself."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Key(...)"

    def reveal(self) -> str:
        """Return the key, for the client library only."""
        return self._value

    def redact(self, text: str) -> str:
        """Return `text` without the key, should an endpoint echo it."""
        return text.replace(self._value, "[key]") if len(self._value) >= 8 else text


def find_key(config: LlmConfig, environment: Mapping[str, str]) -> Key:
    """Return the key of `config`: from its file, or from the environment.

    An endpoint of one's own may need none: then a placeholder goes out.

    Raises
    ------
    LlmError
        If the file cannot be read or is empty, the key could not stand in a request, or there
        is no key for the default endpoint.
    """
    if config.key_file:
        try:
            value = Path(config.key_file).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as err:
            raise LlmError(f"key file {config.key_file!r} cannot be read: {_reason(err)}") from err
        if not value:
            raise LlmError(f"key file {config.key_file} is empty")
        return _checked(value, f"key file {config.key_file}")
    value = environment.get(config.key_env, "").strip()
    if not value and not config.base_url:
        raise LlmError(
            f"mode {config.mode} needs a key: set {config.key_env} or give --key-file, or "
            "--base-url for a server of your own"
        )
    return _checked(value or "none", config.key_env)


def _checked(value: str, where: str) -> Key:
    """Return a key that can stand in a header of a request; say what is wrong without it."""
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise LlmError(f"{where}: the key must be one word of printable ASCII characters")
    return Key(value)


def _reason(err: Exception) -> str:
    """Return why a file cannot be read, without a piece of its content."""
    if isinstance(err, UnicodeDecodeError):
        return "no UTF-8 text"
    return getattr(err, "strerror", None) or str(err)
