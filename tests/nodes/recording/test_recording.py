"""A recording holds every message, byte for byte, and can be played and read elsewhere."""

import threading
from pathlib import Path

import pytest
from adm_nodes.common import qos
from adm_nodes.recording import definitions, profiles
from adm_nodes.recording.mcap_file import McapWriter, RecordingError, Topic, read
from adm_nodes.recording.player import Player, survey
from adm_nodes.recording.recorder import Selection
from adm_nodes.recording.session import Recording
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import String

from adm_interfaces.msg import EvidenceBatch, MissionStatus, PlanStep


def record_texts(path, texts, name="/words"):
    writer = McapWriter(path)
    writer.add_topic(
        Topic(name, "std_msgs/msg/String", "string data\n", profiles.to_text(qos.LATCHED))
    )
    for number, text in enumerate(texts):
        writer.add(name, 1_000_000 * (1 + number), serialize_message(String(data=text)))
    writer.close()
    return path


# -- definitions ----------------------------------------------------------------------------


def test_a_definition_holds_every_type_it_is_made_of():
    text = definitions.definition("adm_interfaces/msg/EvidenceBatch")
    heads = [line for line in text.splitlines() if line.startswith("MSG: ")]
    assert sorted(heads) == [
        "MSG: adm_interfaces/Detection",
        "MSG: adm_interfaces/Footprint",
        "MSG: adm_interfaces/PlanarPose",
    ]


def test_a_definition_is_read_by_another_implementation():
    typesys = pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.EMPTY)
    name = "adm_interfaces/msg/MissionStatus"
    store.register(typesys.get_types_from_msg(definitions.definition(name), name))
    sent = MissionStatus(step=7, held_id="e003", plan=[PlanStep(skill="grasp", target_id="e003")])
    read_back = store.deserialize_cdr(serialize_message(sent), name)
    assert (read_back.step, read_back.held_id, read_back.plan[0].skill) == (7, "e003", "grasp")


@pytest.mark.parametrize("name", ["std_msgs/String", "nowhere_msgs/msg/X", "std_msgs/msg/Nothing"])
def test_an_unknown_type_is_named(name):
    with pytest.raises(definitions.UnknownTypeError, match=name.split("/")[0]):
        definitions.message_class(name)


# -- profiles -------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", [qos.LATCHED, qos.STATUS, qos.EVIDENCE])
def test_a_profile_survives_as_text(profile):
    back = profiles.to_offer(profiles.to_text(profile))
    for policy in ("history", "depth", "reliability", "durability"):
        assert getattr(back, policy) == getattr(profile, policy)


@pytest.mark.parametrize("text", ["", "[]", "nonsense: [", "7", "- 3"])
def test_a_profile_that_cannot_be_read_is_reliable(text):
    assert profiles.to_offer(text).reliability == ReliabilityPolicy.RELIABLE


def test_a_listener_is_as_strict_as_the_laxest_publisher():
    lax = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    assert profiles.to_listen([qos.LATCHED]).durability == qos.LATCHED.durability
    assert profiles.to_listen([qos.LATCHED, lax]).durability == lax.durability
    assert profiles.to_listen([qos.LATCHED, lax]).reliability == ReliabilityPolicy.BEST_EFFORT


# -- files ----------------------------------------------------------------------------------


def test_a_file_holds_what_was_written_in_order(tmp_path):
    path = record_texts(tmp_path / "run.mcap", ["a", "b", "c"])
    found = [deserialize_message(item.data, String).data for item in read(path)]
    contents = survey(path)
    assert found == ["a", "b", "c"]
    assert contents.counts == {"/words": 3}
    assert contents.duration_s == pytest.approx(0.002)


def test_a_file_is_never_overwritten(tmp_path):
    path = record_texts(tmp_path / "run.mcap", ["a"])
    before = path.read_bytes()
    with pytest.raises(RecordingError, match="File exists"):
        McapWriter(path)
    assert path.read_bytes() == before


def test_a_killed_writer_leaves_all_that_was_flushed(tmp_path):
    path = tmp_path / "run.mcap"
    writer = McapWriter(path)
    writer.add_topic(Topic("/words", "std_msgs/msg/String", "string data\n", ""))
    writer.add("/words", 1, serialize_message(String(data="flushed")))
    writer.flush()
    writer.add("/words", 2, serialize_message(String(data="lost with the process")))
    killed = tmp_path / "killed.mcap"
    killed.write_bytes(path.read_bytes())  # what is on disk at this instant
    assert [item.stamp_ns for item in read(killed)] == [1]


@pytest.mark.parametrize("content", [b"", b"junk", b"\x89MCAP0\r\n" + b"\xff" * 64])
def test_what_is_no_recording_is_refused_or_empty(tmp_path, content):
    path = tmp_path / "run.mcap"
    path.write_bytes(content)
    try:
        assert list(read(path)) == []
    except RecordingError as err:
        assert "run.mcap" in str(err)


def test_every_damaged_byte_is_noticed_or_harmless(tmp_path):
    whole = record_texts(tmp_path / "whole.mcap", ["x" * 50]).read_bytes()
    sent, noticed = serialize_message(String(data="x" * 50)), 0
    path = tmp_path / "damaged.mcap"
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            found = [item.data for item in read(path)]
        except RecordingError:
            noticed += 1
        else:  # its end may be cut off, but nothing false is read
            assert found in ([], [sent])
    assert noticed > 10


def test_a_full_disk_is_told_with_its_reason():
    writer = McapWriter(Path("/dev/full"), mode="wb")
    with pytest.raises(RecordingError, match="No space left"):
        writer.flush()


# -- recording and playing ------------------------------------------------------------------


def test_latched_and_later_topics_are_recorded(spinning, tmp_path):
    early = spinning.node.create_publisher(String, "early", qos.LATCHED)
    early.publish(String(data="before the recording"))
    path = tmp_path / "run.mcap"
    with Recording(path, Selection(unwanted="rosout|parameter"), spinning.context) as recording:
        late = spinning.node.create_publisher(EvidenceBatch, "late", qos.EVIDENCE)
        for seq in range(50):
            late.publish(EvidenceBatch(seq=seq))
        spinning.wait(lambda: recording.writer.messages == 51)
    counts = survey(path).counts
    assert counts == {"/early": 1, "/late": 50}
    seqs = [
        deserialize_message(item.data, EvidenceBatch).seq
        for item in read(path)
        if item.topic.name == "/late"
    ]
    assert seqs == list(range(50))


def test_a_played_file_reaches_a_late_subscriber_of_a_latched_topic(spinning, tmp_path):
    path = record_texts(tmp_path / "run.mcap", ["first", "last"])
    player = Player(path, Selection(), False, context=spinning.context)
    player.play(float("inf"), lambda _: None)
    heard = []
    spinning.node.create_subscription(
        String, "/words", lambda item: heard.append(item.data), qos.LATCHED
    )
    spinning.wait(lambda: heard == ["last"])
    player.destroy_node()


def test_a_topic_that_others_publish_is_not_played(spinning, tmp_path):
    path = record_texts(tmp_path / "run.mcap", ["x"])
    spinning.node.create_publisher(String, "/words", 1)
    with pytest.raises(RecordingError, match="others publish in this domain, too: /words"):
        Player(path, Selection(), False, context=spinning.context)


def test_nothing_to_play_is_said(tmp_path):
    path = record_texts(tmp_path / "run.mcap", ["x"])
    with pytest.raises(RecordingError, match="no message of a selected topic"):
        Player(path, Selection(wanted="other"), False)


def test_recording_survives_a_failing_disk(spinning, tmp_path, monkeypatch):
    told = threading.Event()
    with Recording(tmp_path / "run.mcap", Selection(), spinning.context) as recording:

        def fail(*_):
            told.set()
            raise RecordingError("cannot write run.mcap: No space left on device")

        monkeypatch.setattr(recording.writer, "flush", fail)
        spinning.wait(told.is_set)
    assert "No space left" in str(recording.failure)
    assert recording.stopped.is_set()
