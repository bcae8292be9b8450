"""Build script: compiles every kernel in ``_kernels``; all metadata is in setup.cfg."""

import os
from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("src/adm_core/_kernels")
SOURCES = sorted(KERNELS.glob("*.pyx"))
# A changed header or declaration rebuilds every kernel: they are few and compile in seconds.
SHARED = sorted(path.as_posix() for path in [*KERNELS.glob("*.h"), *KERNELS.glob("*.pxd")])

#: A build for tests: indices are checked, and it compiles in half the time.
CHECKED = os.environ.get("ADM_CHECK_BOUNDS") == "1"
# -ffp-contract=off: the same sums on every processor, whether or not it fuses multiply and add.
FLAGS = ["-O1" if CHECKED else "-O3", "-ffp-contract=off"]


def directives() -> dict[str, bool]:
    """Return the directives that override the kernels' own."""
    if CHECKED:
        return {"boundscheck": True, "wraparound": False, "initializedcheck": True}
    return {}


def extension(source: Path) -> Extension:
    """Return the extension module of one kernel file."""
    kernel = Extension(
        f"adm_core._kernels.{source.stem}",
        [source.as_posix()],
        depends=SHARED,
        extra_compile_args=FLAGS,
    )
    kernel.cython_directives = directives()
    return kernel


setup(
    ext_modules=[extension(source) for source in SOURCES],
    python_requires=">=3.10",  # here, not in setup.cfg: colcon cannot parse it there
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
