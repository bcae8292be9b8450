"""A follower ends with the sender's map whatever happens to the messages on the way."""

from dataclasses import dataclass

from adm_core.grid.stream import MapStream
from hypothesis import given
from hypothesis import strategies as st


@dataclass(frozen=True)
class Item:
    epoch: int
    seq: int
    content: int = 0


class Log:
    def __init__(self):
        self.applied = []
        self.stream = MapStream(self.applied.append, self.applied.append)

    @property
    def numbers(self):
        return [(item.epoch, item.seq) for item in self.applied]


def test_updates_are_applied_once_and_in_order():
    log = Log()
    assert log.stream.whole(Item(5, 0))
    assert [log.stream.update(Item(5, n)) for n in (1, 1, 3, 2, 3, 4)] == [
        True, False, False, True, False, True,
    ]  # fmt: skip
    assert log.numbers == [(5, 0), (5, 1), (5, 2), (5, 3), (5, 4)]
    assert not log.stream.is_behind


def test_a_gap_is_told_and_a_whole_map_closes_it():
    log = Log()
    log.stream.whole(Item(5, 0))
    log.stream.update(Item(5, 2))
    log.stream.update(Item(5, 4))
    assert log.stream.is_behind
    assert log.stream.whole(Item(5, 3))
    assert log.numbers == [(5, 0), (5, 3), (5, 4)]
    assert not log.stream.is_behind


def test_changes_that_come_before_their_map_wait_for_it():
    log = Log()
    log.stream.update(Item(7, 1))
    assert log.stream.is_behind and not log.applied
    log.stream.whole(Item(7, 0))
    assert log.numbers == [(7, 0), (7, 1)]


def test_a_sender_that_was_restarted_replaces_the_map_and_its_old_changes_are_ignored():
    log = Log()
    log.stream.whole(Item(7, 0))
    log.stream.whole(Item(8, 0))
    assert not log.stream.update(Item(7, 1))
    assert not log.stream.whole(Item(7, 4))
    assert log.numbers == [(7, 0), (8, 0)]
    assert not log.stream.is_behind


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 12)), max_size=60),
    st.lists(st.integers(0, 40), max_size=40),
)
def test_whatever_is_lost_repeated_or_reordered(messages, whole_at):
    """`messages` are (whole map?, number); a whole map n is the sum of the changes up to n."""
    state = []

    def replace(item):
        state[:] = range(item.seq + 1)

    def apply(item):
        assert item.seq == state[-1] + 1
        state.append(item.seq)

    stream = MapStream(replace, apply)
    for is_whole, seq in messages:
        (stream.whole if is_whole else stream.update)(Item(1, seq))
        assert state == list(range(stream.seq + 1))
    stream.whole(Item(1, 13))
    assert state == list(range(14)) and not stream.is_behind
