"""Build script; all metadata is in setup.cfg."""

from setuptools import setup

setup(python_requires=">=3.10")  # here, not in setup.cfg: colcon cannot parse it there
