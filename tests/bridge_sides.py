"""The ROS 2 side of the bridge's tests: a node, the relay as a process, and message contents."""

import os
import signal
import subprocess
import sys
import time

import rclpy

ADM = "import sys; from adm_core.cli import main; sys.exit(main(sys.argv[1:]))"


def wait(condition, timeout=60.0, period=0.02):
    """Wait until `condition()` is true and return what it returned; else fail the test."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, "condition did not come true"
        time.sleep(period)
    return value


class Ros2:
    """A ROS 2 node that spins in a thread."""

    def __init__(self, domain):
        from adm_nodes.common.runner import Spinner

        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("test", context=self.context)
        self._spinner = Spinner(self.node).start()

    def listen(self, kind, topic, qos=10):
        """Return the list to which messages of a topic will be appended."""
        heard = []
        self.node.create_subscription(kind, topic, heard.append, qos)
        return heard

    def close(self):
        self._spinner.join()
        self.node.destroy_node()
        self.context.try_shutdown()


class RelayProcess:
    """`adm bridge relay` in a process of its own."""

    def __init__(self, master, domain, log, *options):
        environment = os.environ | {
            "ROS_MASTER_URI": master.uri,
            "ROS_IP": "127.0.0.1",
            "ROS_LOG_DIR": str(log.parent),
            "ROS_DOMAIN_ID": str(domain),
        }
        self.log = log
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-c", ADM, "bridge", "relay", *options],
                env=environment,
                stdout=file,
                stderr=file,
            )

    def wait_for(self, text, count=1):
        """Wait for a line of the log."""
        wait(lambda: self.process.poll() is not None or self.text().count(text) >= count)
        assert self.text().count(text) >= count, self.text()

    def text(self):
        return self.log.read_text("utf-8", "replace")

    def half(self):
        """Return the process id of the ROS 1 half."""
        found = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True
        )
        return int(found.stdout.split()[0])

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


def as_json(message):
    """Return a ROS 2 message as nested JSON, names in lower case."""
    if hasattr(message, "get_fields_and_field_types"):
        names = message.get_fields_and_field_types()
        return {name.lower(): as_json(getattr(message, name)) for name in names}
    if isinstance(message, (list, tuple)):
        return [as_json(item) for item in message]
    return message.tolist() if hasattr(message, "tolist") else message


def lowered(value):
    """Return JSON with names in lower case and without running numbers of headers."""
    if isinstance(value, dict):
        return {key.lower(): lowered(item) for key, item in value.items() if key != "seq"}
    return [lowered(item) for item in value] if isinstance(value, list) else value


def filled(kind, seed=1):
    """Return a ROS 2 message whose every field has a value of its own."""
    numbers = iter(range(seed, seed + 10_000))
    return _fill(kind(), numbers)


def _fill(message, numbers):
    for name, kind in message.get_fields_and_field_types().items():
        setattr(message, name, _value(getattr(message, name), kind, numbers))
    return message


def _value(old, kind, numbers):
    if hasattr(old, "get_fields_and_field_types"):
        return _fill(old, numbers)
    if isinstance(old, str):
        return f"text {next(numbers)} ä"
    if isinstance(old, bool):
        return True
    if isinstance(old, float):
        return next(numbers) + 0.5
    if isinstance(old, int):
        return next(numbers) % 120
    if kind.startswith("sequence<"):
        inner = kind[len("sequence<") : -1].split(",")[0]
        return [_item(inner, numbers) for _ in range(3)]
    return [_value(item.item() if hasattr(item, "item") else item, "", numbers) for item in old]


def _item(kind, numbers):
    if "/" in kind:
        package, name = kind.split("/")
        return _fill(getattr(__import__(f"{package}.msg", fromlist=[name]), name)(), numbers)
    samples = {"string": "", "boolean": False, "float": 0.0, "double": 0.0}
    return _value(samples.get(kind, 0), kind, numbers)
