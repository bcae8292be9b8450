import sys

import pytest
from adm_core.errors import KernelImportError

from adm_core import _kernels


def test_every_kernel_loads():
    assert _kernels.load_all() == [f"adm_core._kernels.{name}" for name in _kernels.KERNELS]
    assert "distance" in _kernels.KERNELS


def forget(monkeypatch, name):
    """Make the kernel `name` look as if it had never been compiled."""
    monkeypatch.delattr(_kernels, name, raising=False)
    monkeypatch.setitem(sys.modules, f"adm_core._kernels.{name}", None)


def test_a_missing_kernel_says_how_to_build_it(monkeypatch):
    forget(monkeypatch, "distance")
    with pytest.raises(KernelImportError, match=r"distance.*pip install src/adm_core"):
        _kernels.load_all()


def test_importing_a_missing_kernel_says_how_to_build_it(monkeypatch):
    forget(monkeypatch, "distance")
    with pytest.raises(ImportError, match=r"distance.*pip install src/adm_core"):
        from adm_core._kernels import distance  # noqa: F401


def test_a_name_that_is_no_kernel_is_an_ordinary_mistake():
    with pytest.raises(AttributeError, match="teleport"):
        _ = _kernels.teleport
