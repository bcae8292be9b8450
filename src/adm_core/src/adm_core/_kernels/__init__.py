"""Compiled loops. Private: every kernel has a public function that checks its input."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

from adm_core.errors import KernelImportError

#: Names of the kernels, one per ``.pyx`` file of this folder.
KERNELS = tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.pyx")))


def load_all() -> list[str]:
    """Import every kernel and return their module names.

    Raises
    ------
    KernelImportError
        If one is not compiled for this interpreter; the message says how to build it.
    """
    for name in KERNELS:
        _load(name)
    return [f"{__name__}.{name}" for name in KERNELS]


def __getattr__(name: str) -> ModuleType:
    """Load a kernel when it is first asked for, or say what to do if it is not compiled."""
    if name in KERNELS:
        return _load(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _load(name: str) -> ModuleType:
    try:
        return import_module(f"{__name__}.{name}")
    except ImportError as err:
        raise KernelImportError(
            f"compiled kernel '{name}' cannot be loaded ({err}); build it with "
            "'pip install src/adm_core' or 'make setup'"
        ) from err
