"""Messages reach the worker in order, one thread only reads them, and a wait always ends."""

import threading

import pytest
from adm_nodes.common.errors import StoppedError
from sagr_nodes.mailbox import Mailbox


@pytest.fixture
def complaints():
    return []


@pytest.fixture
def mail(complaints):
    box = Mailbox(complaints.append)
    box.open()
    return box


def test_messages_are_taken_in_order_while_somebody_waits(mail):
    got = []
    for number in range(5):
        mail.put(got.append, number)
    assert mail.wait(lambda: len(got) == 5, 1.0)
    assert got == [0, 1, 2, 3, 4]


def test_a_message_wakes_whoever_waits(mail):
    got = []
    threading.Timer(0.05, lambda: mail.put(got.append, 1)).start()
    assert mail.wait(lambda: bool(got), 10.0)


def test_a_wait_ends_with_its_time(mail):
    assert not mail.wait(lambda: False, 0.01)


def test_closing_ends_every_wait_and_messages_are_kept(mail):
    got = []
    threading.Timer(0.05, mail.close).start()
    with pytest.raises(StoppedError):
        mail.wait(lambda: False)
    mail.put(got.append, 1)
    with pytest.raises(StoppedError):
        mail.wait(lambda: bool(got), 0.01)
    mail.open()
    assert mail.wait(lambda: got == [1], 1.0)


def test_others_messages_are_left_in_their_order(mail):
    mine, others = [], []
    for number in range(3):
        mail.put(others.append, number)
        mail.put(mine.append, number)
    take = mine.append
    assert mail.wait(lambda: len(mine) == 3, 1.0, [take])
    assert others == []
    assert mail.wait(lambda: others == [0, 1, 2], 1.0)


def test_a_refused_message_is_told_and_the_next_one_taken(mail, complaints):
    def refuse(message):
        raise ValueError(f"{message} is none")

    got = []
    mail.put(refuse, "this")
    mail.put(got.append, 2)
    assert mail.wait(lambda: got == [2], 1.0)
    assert complaints == ["message refused: this is none"]
