"""A private ROS 1 graph for tests: a master, and rospy processes of the system's Python."""

import json
import os
import queue
import socket
import subprocess
import threading
import time
from functools import cache
from pathlib import Path

PYTHON = "/usr/bin/python3"
NODE = Path(__file__).with_name("ros1_node.py")
MASTER = (
    "import sys, rosmaster; "
    "rosmaster.rosmaster_main(['rosmaster', '--core', '-p', sys.argv[1]], sys.stdout)"
)
_IMPORTS = "import rospy, rosmaster, actionlib, move_base_msgs.msg, tf2_msgs.msg, nav_msgs.srv"


def clean_environment(**more):
    """Return an environment without ROS 2."""
    home = os.environ.get("HOME", "/")
    return {"PATH": "/usr/bin:/bin", "HOME": home, "PYTHONDONTWRITEBYTECODE": "1", **more}


@cache
def missing():
    """Return why ROS 1 cannot be used here; empty if it can."""
    try:
        done = subprocess.run(
            [PYTHON, "-c", _IMPORTS], env=clean_environment(), capture_output=True, text=True
        )
    except OSError as err:
        return str(err)
    return "" if done.returncode == 0 else "no ROS 1 here: run scripts/ros1"


def free_port():
    """Return a TCP port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Master:
    """A rosmaster at a port of its own, which it keeps over restarts."""

    def __init__(self, log):
        self.port, self._log = free_port(), log
        self.uri = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        """Start, and wait until it listens."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [PYTHON, "-c", MASTER, str(self.port)],
                env=self.environment(),
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"rosmaster does not listen: {self._log.read_text()}")

    def stop(self):
        """Kill it: nobody is told."""
        self._process.kill()
        self._process.wait()

    def environment(self):
        """Return the environment of the nodes of this graph."""
        logs = str(self._log.parent)
        return clean_environment(ROS_MASTER_URI=self.uri, ROS_IP="127.0.0.1", ROS_LOG_DIR=logs)


class Node:
    """A rospy process that does what lines of JSON tell it; see ros1_node.py."""

    def __init__(self, master, name):
        self._answers = queue.Queue()
        self.heard = []
        self._process = subprocess.Popen(
            [PYTHON, str(NODE), name],
            env=master.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        self.ask(do="hello")

    def _read(self):
        for line in self._process.stdout:
            item = json.loads(line)
            if "heard" in item:
                self.heard.append(item)
            else:
                self._answers.put(item)

    def ask(self, timeout=30.0, **command):
        """Give a command and return its answer."""
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        answer = self._answers.get(timeout=timeout)
        assert "error" not in answer, answer["error"]
        return answer

    def messages(self, topic):
        """Return the messages heard on a topic so far."""
        return [item["message"] for item in list(self.heard) if item["heard"] == topic]

    def kill(self):
        """End the process without a word to the master."""
        self._process.kill()
        self._process.wait()

    def close(self):
        """End the process, which says good-bye to the master."""
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()


def full_text(folder, package, name):
    """Return the definition of a message with all that it is made of, as genmsg writes it."""
    parts, queue_, seen = [], [(package, name)], set()
    while queue_:
        kind = queue_.pop(0)
        if kind in seen:
            continue
        seen.add(kind)
        text = (folder / kind[0] / "msg" / f"{kind[1]}.msg").read_text("utf-8")
        parts.append(f"MSG: {kind[0]}/{kind[1]}\n{text}" if parts else text)
        for line in text.split("\n"):
            word = line.split("#")[0].split(" ")[0].removesuffix("[]")
            if (folder / package / "msg" / f"{word}.msg").exists():
                queue_.append((package, word))
    parts.append("MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n")
    return ("=" * 80 + "\n").join(parts)
