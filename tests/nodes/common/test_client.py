"""Requests that survive lost answers, inactive servers and the end of their client."""

import threading
import time

import pytest
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.errors import RefusedError, StoppedError

from adm_interfaces.msg import ReplyStatus
from adm_interfaces.srv import Retrieve


class Server:
    """Service that does with each request what its script says; None: no answer at all."""

    def __init__(self, spinning, *script):
        self.numbers = []
        self.script = list(script)
        spinning.node.create_service(Retrieve, "retrieve", self.answer)

    def answer(self, request, response):
        self.numbers.append(request.call)
        code = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if code is None:
            raise RuntimeError("an answer that is lost")
        response.status.code = code
        response.status.message = "no" if code else ""
        return response


@pytest.fixture
def client(spinning):
    spinning.node.count_message = lambda: None
    made = ResendingClient(spinning.node, Retrieve, "retrieve")
    yield made
    made.close()


def test_an_answer_comes_back(spinning, client):
    server = Server(spinning, ReplyStatus.OK)
    assert client.call(Retrieve.Request()).status.code == ReplyStatus.OK
    assert client.call(Retrieve.Request()).status.code == ReplyStatus.OK
    assert server.numbers[1] == server.numbers[0] + 1


def test_a_lost_answer_is_asked_for_again_with_the_same_number(spinning, client):
    server = Server(spinning, None, ReplyStatus.OK)
    assert client.call(Retrieve.Request()).status.code == ReplyStatus.OK
    assert len(server.numbers) == 2
    assert len(set(server.numbers)) == 1


def test_a_request_waits_for_its_server(spinning, client):
    answer = client.call_async(Retrieve.Request())
    time.sleep(0.3)
    assert not answer.done()
    Server(spinning, ReplyStatus.OK)
    spinning.wait(answer.done)


def test_an_inactive_server_is_asked_again(spinning, client):
    server = Server(spinning, ReplyStatus.INACTIVE, ReplyStatus.INACTIVE, ReplyStatus.OK)
    client.call(Retrieve.Request())
    assert len(server.numbers) == 3
    assert len(set(server.numbers)) == 1


def test_a_refusal_is_raised_with_its_reason(spinning, client):
    Server(spinning, ReplyStatus.REFUSED)
    with pytest.raises(RefusedError, match="retrieve: no"):
        client.call(Retrieve.Request())


def test_closing_ends_the_wait(spinning, client):
    raised = []

    def wait():
        try:
            client.call(Retrieve.Request())
        except StoppedError as err:
            raised.append(err)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    client.close()
    thread.join(5.0)
    assert raised
    with pytest.raises(StoppedError):
        client.call(Retrieve.Request())


def test_two_clients_never_use_the_same_numbers(spinning, client):
    server = Server(spinning, ReplyStatus.OK)
    other = ResendingClient(spinning.node, Retrieve, "retrieve")
    for item in (client, other, client, other):
        item.call(Retrieve.Request())
    other.close()
    assert len(set(server.numbers)) == 4
