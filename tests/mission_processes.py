"""``adm up recycling --nodes process`` as a user runs it, for tests that signal its processes."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

COMMAND = [sys.executable, "-m", "adm_core.cli", "up", "recycling", "--nodes", "process"]


class Run:
    """``adm up recycling --nodes process`` in a process group of its own."""

    def __init__(self, folder, *options):
        self.folder = folder
        (folder / "latest" / "processes.json").unlink(missing_ok=True)  # of the run before
        self.process = subprocess.Popen(
            [*COMMAND, "--runs", str(folder), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.pids = self._await(self._read_pids)

    def _read_pids(self):
        path = self.folder / "latest" / "processes.json"
        text = path.read_text() if path.exists() else ""
        return json.loads(text) if text.endswith("\n") else None

    def _await(self, probe, timeout=180.0):
        deadline = time.monotonic() + timeout
        while not (found := probe()):
            assert self.process.poll() is None, self.process.stdout.read()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return found

    def rows(self, table):
        """Return how many rows of the audit log others can read now."""
        with sqlite3.connect(f"file:{self.folder}/latest/audit.sqlite?mode=ro", uri=True) as log:
            try:
                return log.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
            except sqlite3.OperationalError:
                return 0

    def await_steps(self, count):
        path = self.folder / "latest" / "audit.sqlite"
        self._await(lambda: path.exists() and self.rows("pose") >= count)

    def send(self, name, number):
        os.kill(self.pids[name], number)

    def finish(self, timeout=60.0):
        """Wait for the end; return exit code, summary and what was printed."""
        printed, _ = self.process.communicate(timeout=timeout)
        path = self.folder / "latest" / "summary.json"
        summary = json.loads(path.read_text()) if path.exists() else None
        return self.process.returncode, summary, printed

    def kill(self, name):
        """End a node as the kernel would; return whether there was one to end."""
        self.pids = self._read_pids() or self.pids
        try:
            self.send(name, signal.SIGKILL)
        except ProcessLookupError:  # it died before and has not been started again yet
            return False
        return True

    def alive(self):
        """Return the nodes whose processes still exist."""
        return [name for name, pid in self.pids.items() if exists(pid)]

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


def exists(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
