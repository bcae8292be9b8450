"""Queues, frames and echoes of the relay, without any ROS."""

import ast
import socket
import threading
from pathlib import Path

import pytest
from adm_bridge.child import environment
from adm_bridge.echo import EchoGuard
from adm_bridge.link import Link
from adm_bridge.ros1 import wire
from adm_bridge.ros1.outbox import Outbox
from hypothesis import given
from hypothesis import strategies as st

ROS1_FILES = sorted((Path(wire.__file__).parent).glob("*.py"))


class TestOutbox:
    def test_channels_take_turns(self):
        box = Outbox({1: 10, 2: 10})
        for frame in ("a1", "a2", "a3"):
            box.put(1, frame)
        box.put(2, "b1")
        assert [box.get() for _ in range(4)] == ["a1", "b1", "a2", "a3"]

    @given(st.lists(st.tuples(st.sampled_from([1, 2, 3]), st.integers()), max_size=60))
    def test_a_full_channel_keeps_the_newest_and_counts_the_rest(self, puts):
        box = Outbox({1: 1, 2: 3, 3: 100})
        for channel, frame in puts:
            box.put(channel, (channel, frame))
        count = {key: [item for item in puts if item[0] == key] for key in (1, 2, 3)}
        kept = [item for key, depth in ((1, 1), (2, 3), (3, 100)) for item in count[key][-depth:]]
        got = [box.get() for _ in kept]
        assert sorted(got) == sorted(kept)
        assert sum(box.dropped.values()) == len(puts) - len(kept)
        for key in (1, 2, 3):  # in order within a channel
            assert [item for item in got if item[0] == key] == [
                item for item in kept if item[0] == key
            ]

    def test_what_has_no_channel_goes_first(self):
        box = Outbox({1: 5})
        box.put(1, "message")
        box.put_first("answer")
        assert [box.get(), box.get()] == ["answer", "message"]

    def test_closing_lets_a_waiting_reader_go(self):
        box, got = Outbox({1: 1}), []
        reader = threading.Thread(target=lambda: got.append(box.get()))
        reader.start()
        box.close()
        reader.join(10)
        assert got == [None]


class TestEchoGuard:
    def test_an_own_publication_is_known_by_number_and_time(self):
        guard = EchoGuard(iter(range(100, 200, 10)).__next__)
        guard.publish(lambda data: None, b"first")  # from 100 to 110
        assert guard.is_own({"source_timestamp": 105, "publication_sequence_number": 1})
        assert not guard.is_own({"source_timestamp": 105, "publication_sequence_number": 2})
        assert not guard.is_own({"source_timestamp": 111, "publication_sequence_number": 1})

    def test_without_numbers_time_decides(self):
        guard = EchoGuard(iter(range(100, 200, 10)).__next__)
        guard.publish(lambda data: None, b"first")
        assert guard.is_own({"source_timestamp": 100})
        assert not guard.is_own({"source_timestamp": 99})


@pytest.fixture
def sockets():
    pair = socket.socketpair()
    yield pair
    for sock in pair:
        sock.close()


class TestWire:
    @given(st.integers(0, 3), st.integers(0, 2**32 - 1), st.binary(max_size=3000))
    def test_a_frame_arrives_as_it_was_sent(self, kind, channel, payload):
        one, two = socket.socketpair()
        with one, two:
            wire.send(one, kind, channel, payload)
            assert wire.receive(two) == (kind, channel, payload)

    def test_the_end_of_the_other_half_is_told(self, sockets):
        sockets[0].sendall(b"\x05\x00\x00\x00\x01")
        sockets[0].close()
        with pytest.raises(wire.Closed):
            wire.receive(sockets[1])

    def test_another_protocol_is_not_taken_for_a_huge_frame(self, sockets):
        sockets[0].sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises(wire.Closed, match="something else"):
            wire.receive(sockets[1])

    def test_calls_and_answers_keep_their_number(self):
        assert wire.unpack_request(wire.pack_request(7, b"ask")) == (7, b"ask")
        assert wire.unpack_answer(wire.pack_answer(7, False, b"no")) == (7, False, b"no")


class TestLink:
    def test_a_newer_half_replaces_the_older_and_losses_are_counted_on(self):
        link = Link(
            ("127.0.0.1", 0), {"version": 1}, {0: 1}, lambda *frame: None, lambda text: None
        )
        try:
            assert not link.send(0, b"nobody there")
            first = socket.create_connection(link.address)
            assert wire.unpack_json(wire.receive(first)[2]) == {"version": 1}
            second = socket.create_connection(link.address)
            wire.receive(second)
            with pytest.raises(wire.Closed):
                wire.receive(first)
            assert link.send(0, b"hello")
            assert wire.receive(second) == (wire.DATA, 0, b"hello")
        finally:
            link.close()


def test_the_ros_1_half_sees_nothing_of_ros_2():
    outer = {
        "PATH": "/ws/bin",
        "PYTHONPATH": "/ws/lib",
        "LD_LIBRARY_PATH": "/ws/lib",
        "AMENT_PREFIX_PATH": "/ws",
        "ROS_MASTER_URI": "http://robot:11311",
        "ROS_IP": "10.0.0.2",
        "HOME": "/home/me",
    }
    inner = environment(outer)
    assert inner["ROS_MASTER_URI"] == "http://robot:11311"
    assert inner["ROS_IP"] == "10.0.0.2"
    assert not {"PYTHONPATH", "LD_LIBRARY_PATH", "AMENT_PREFIX_PATH"} & inner.keys()
    assert "/ws" not in inner["PATH"]


NEWER_THAN_2_7 = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.AsyncFunctionDef, ast.Nonlocal)


@pytest.mark.parametrize("path", ROS1_FILES, ids=lambda path: path.name)
def test_the_ros_1_half_is_written_for_old_pythons_too(path):
    tree = ast.parse(path.read_text("utf-8"), feature_version=(3, 8))
    nodes = list(ast.walk(tree))
    assert not [node.lineno for node in nodes if isinstance(node, NEWER_THAN_2_7)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    assert not [item.name for item in functions if item.returns or item.args.kwonlyargs]
    assert not [arg.arg for item in functions for arg in item.args.args if arg.annotation]
    assert not [node.lineno for node in nodes if isinstance(node, ast.Raise) and node.cause]
