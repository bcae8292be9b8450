"""YAML with the line of every value, so that a mistake can be pointed at."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import yaml

from adm_core.files import ODD_TAGS

#: Keys and indices from the root to a value.
Path = tuple[Any, ...]

_MOST_NODES, _DEEPEST = 20_000, 12  # far more than a mission needs; stops nested aliases


@dataclass(frozen=True)
class Mistake:
    """Something wrong at a line (from 1) of a file."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


@dataclass
class Marked:
    """A document, where its values and keys are, and keys that occur twice.

    Attributes
    ----------
    data : object
        The document as plain data.
    values, keys : dict of Path to int
        Lines of values, and of the keys that name them; lines count from 1.
    mistakes : list of Mistake
        Keys that occur twice, and other things that are no plain mapping.
    """

    data: Any = None
    values: dict[Path, int] = field(default_factory=dict)
    keys: dict[Path, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def line_of(self, path: Path) -> int:
        """Return the line of a value, or of the nearest thing around it that has one."""
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, 1)

    def line_of_key(self, path: Path) -> int:
        """Return the line of the key that names a value."""
        return self.keys.get(path) or self.line_of(path)


def load_marked(text: str) -> Marked:
    """Read one YAML document; syntax errors and keys that occur twice become mistakes."""
    marked = Marked()
    loader = None
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is not None:
            marked.data = _Reader(loader, marked).read(node, ())
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        line = mark.line + 1 if mark else 1
        marked.mistakes.append(Mistake(line, f"not YAML: {err.problem or err.context}"))
    except RecursionError:
        marked.mistakes.append(Mistake(1, "not YAML: too deeply nested"))
    except (yaml.YAMLError, *ODD_TAGS) as err:
        reason = (str(err) or type(err).__name__).splitlines()[0]
        marked.mistakes.append(Mistake(1, f"not YAML: {reason}"))
    finally:
        if loader is not None:
            loader.dispose()
    return marked


class _Reader:
    """Turns nodes into data and notes their lines."""

    def __init__(self, loader: yaml.SafeLoader, marked: Marked) -> None:
        self._loader = loader
        self._marked = marked
        self._left = _MOST_NODES

    def read(self, node: yaml.Node, path: Path) -> Any:
        self._left -= 1
        if self._left < 0 or len(path) > _DEEPEST:
            raise ValueError("too many or too deeply nested values")
        self._marked.values[path] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._loader.construct_object(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[Any, Any]:
        self._find_repeated(node)
        self._loader.flatten_mapping(node)
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = self._loader.construct_object(key_node)
            if not isinstance(key, Hashable):
                line = key_node.start_mark.line + 1
                self._marked.mistakes.append(Mistake(line, "a key must be a plain word"))
                continue
            here = (*path, key)
            self._marked.keys[here] = key_node.start_mark.line + 1
            found[key] = self.read(value_node, here)
        return found

    def _find_repeated(self, node: yaml.MappingNode) -> None:
        first: dict[str, int] = {}
        for key_node, _ in node.value:
            if isinstance(key_node, yaml.ScalarNode) and key_node.value != "<<":
                line = key_node.start_mark.line + 1
                if key_node.value in first:
                    text = f"key '{key_node.value}' occurs twice, first in line "
                    self._marked.mistakes.append(Mistake(line, f"{text}{first[key_node.value]}"))
                first.setdefault(key_node.value, line)
