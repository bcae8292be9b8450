"""Nodes as processes of their own: kernels, parameters, signals, the supervisor's pipe."""

import os
import signal
import subprocess
import sys

import pytest
from adm_core.errors import KernelImportError
from adm_nodes.common import qos
from adm_nodes.common.runner import SUPERVISED, check_kernels
from adm_nodes.manager import ORDER

from adm_core import _kernels
from adm_interfaces.msg import NodeStatus


def start(name, *args, **more):
    command = [sys.executable, "-m", f"adm_nodes.{name}", *args]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )


@pytest.fixture
def heartbeats(spinning):
    """Return the last heartbeat of every node."""
    seen = {}

    def note(message):
        seen[message.node] = message

    spinning.node.create_subscription(NodeStatus, "node_status", note, qos.STATUS)
    return seen


def test_every_node_loads_the_kernels_and_ends_on_ctrl_c(spinning, heartbeats):
    processes = {name: start(name) for name in ORDER}
    try:
        spinning.wait(lambda: set(heartbeats) == set(ORDER), timeout=60.0)
        for name, process in processes.items():
            assert heartbeats[name].pid == process.pid
            assert heartbeats[name].state == "unconfigured"
            loaded = {kernel.rsplit(".", 1)[1] for kernel in heartbeats[name].kernels}
            assert loaded == set(_kernels.KERNELS)
            process.send_signal(signal.SIGINT)
        for process in processes.values():
            printed, _ = process.communicate(timeout=10.0)
            assert process.returncode == 0, printed
            assert "Traceback" not in printed
    finally:
        for process in processes.values():
            process.kill()


def test_a_supervised_node_ignores_ctrl_c_and_ends_with_its_supervisor(spinning, heartbeats):
    theirs, ours = os.pipe()
    process = start("memory", SUPERVISED, str(theirs), pass_fds=(theirs,))
    os.close(theirs)
    try:
        spinning.wait(lambda: "memory" in heartbeats, timeout=60.0)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        os.close(ours)
        assert process.wait(10.0) == 0
    finally:
        process.kill()


def test_a_parameter_out_of_range_is_one_line_and_exit_code_2(domain):
    process = start("memory", "--ros-args", "-p", "attention.k:=0")
    printed, _ = process.communicate(timeout=60.0)
    assert process.returncode == 2
    assert "cannot start" in printed and "attention.k" in printed
    assert "Traceback" not in printed


def test_reference_kernels_are_refused(monkeypatch):
    check_kernels()
    monkeypatch.setitem(sys.modules, "adm_core._kernels.reference_distance", _kernels)
    with pytest.raises(KernelImportError, match="reference_distance"):
        check_kernels()


def test_security_that_cannot_be_had_is_a_refusal_and_no_open_node(domain, tmp_path):
    secured = {"ENABLE": "true", "STRATEGY": "Enforce", "KEYSTORE": str(tmp_path)}
    env = os.environ | {f"ROS_SECURITY_{name}": value for name, value in secured.items()}
    process = start("planner", "--ros-args", "--enclave", "/planner", env=env)
    printed, _ = process.communicate(timeout=60.0)
    assert process.returncode == 2
    assert "cannot start: " in printed and "SECURITY ERROR" in printed
    assert "Traceback" not in printed
