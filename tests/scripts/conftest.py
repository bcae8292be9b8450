"""A copy of the scripts in a folder of its own, and commands that stand in for the system's."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: No index: whatever would be downloaded fails at once.
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}


class Sandbox:
    """A checkout without anything built, on a machine of which the test decides what it has."""

    def __init__(self, folder):
        self.root = folder / "checkout"
        self.commands = folder / "bin"
        self.commands.mkdir()
        for name in ("scripts", "requirements"):
            shutil.copytree(ROOT / name, self.root / name)
        (self.root / "src").mkdir()
        shutil.copy(ROOT / "colcon.meta", self.root)
        self.env = {"HOME": str(folder), "PATH": f"{self.commands}:{os.environ['PATH']}", **OFFLINE}

    def command(self, name, script):
        """Put a shell script before the machine's command of that name."""
        path = self.commands / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def only(self, *names):
        """Hide every command of the machine but these."""
        for name in names:
            (self.commands / name).symlink_to(shutil.which(name))
        self.env["PATH"] = str(self.commands)

    def run(self, *command, **env):
        """Run a command in the checkout and return its completed process, output in one piece."""
        return subprocess.run(
            command,
            cwd=self.root,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def setup(self, **env):
        """Run scripts/setup."""
        return self.run("scripts/setup", **env)


@pytest.fixture
def sandbox(tmp_path):
    return Sandbox(tmp_path)
