"""Files that are either whole or not there, and YAML that is read or refused in one line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: What constructors of YAML raise besides its own errors, for a tag that does not fit its value.
ODD_TAGS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def write_atomic(path: Path, pieces: Iterable[Any]) -> None:
    """Write `pieces`, bytes or buffers, one after the other to `path`.

    The file is replaced only when all of them are written: a process that is killed
    half-way leaves the old file. Missing folders are made.

    Raises
    ------
    OSError
        The file or its folder cannot be written; nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as stream:
            for piece in pieces:
                stream.write(piece)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def parse_yaml(text: str) -> Any:
    """Return what one YAML document holds; nothing is None.

    Raises
    ------
    ValueError
        If the text is not YAML, too deeply nested, or has a tag whose value does not fit it; one
        line that begins with the line of the mistake, where that is known.
    """
    import yaml  # the commands that read no file need not wait for it

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{where}{err.problem or err.context}") from err
    except RecursionError as err:
        raise ValueError("too deeply nested") from err
    except (yaml.YAMLError, *ODD_TAGS) as err:
        raise ValueError(one_line(str(err)) or type(err).__name__) from err


def one_line(text: str) -> str:
    """Return a text without line breaks."""
    return " ".join(text.split())


def visible(text: str) -> str:
    """Return a text that does nothing to a terminal: what cannot be seen is spelled out.

    Line breaks stay; other control characters, marks of writing direction and half characters
    become their escapes. Text from files, maps and models goes through this on its way out.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )
