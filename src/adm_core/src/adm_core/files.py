"""Files that are either whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any


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
