"""A request is carried out once, however often it arrives."""

import asyncio
import logging

import pytest
from adm_core.errors import MissionError
from adm_nodes.common.errors import NotActiveError
from adm_nodes.common.service import OnceService

from adm_interfaces.msg import ReplyStatus
from adm_interfaces.srv import MakePlan


class Node:
    is_active = True
    sent = 0

    def count_message(self):
        self.sent += 1

    def get_logger(self):
        return logging.getLogger("test")


def ask(service, call):
    request = MakePlan.Request(call=call)
    return asyncio.run(service.answer(request, MakePlan.Response()))


def counting():
    calls = []

    def handler(request, response):
        calls.append(request.call)
        response.context_units = len(calls)

    return calls, handler


def test_the_same_number_is_answered_from_memory():
    calls, handler = counting()
    service = OnceService(Node(), handler)
    assert [ask(service, 5).context_units for _ in range(3)] == [1, 1, 1]
    assert ask(service, 6).context_units == 2
    assert calls == [5, 6]


def test_old_replies_are_forgotten():
    calls, handler = counting()
    service = OnceService(Node(), handler)
    for number in range(200):
        ask(service, number)
    ask(service, 199)
    assert len(calls) == 200
    assert len(service._replies) <= 64


def test_an_inactive_node_does_nothing_and_forgets():
    calls, handler = counting()
    node = Node()
    service = OnceService(node, handler)
    node.is_active = False
    assert ask(service, 1).status.code == ReplyStatus.INACTIVE
    assert calls == []
    node.is_active = True
    assert ask(service, 1).status.code == ReplyStatus.OK
    assert calls == [1]


@pytest.mark.parametrize("error", [MissionError("no"), ValueError("no"), KeyError("no")])
def test_an_exception_becomes_a_refusal_that_is_remembered(error):
    raised = []

    def handler(request, response):
        raised.append(request.call)
        raise error

    service = OnceService(Node(), handler)
    replies = [ask(service, 1), ask(service, 1)]
    assert [reply.status.code for reply in replies] == [ReplyStatus.REFUSED] * 2
    assert "no" in replies[0].status.message
    assert raised == [1]


def test_what_could_not_be_answered_may_be_tried_again():
    tries = []

    async def handler(request, response):
        tries.append(request.call)
        if len(tries) == 1:
            raise NotActiveError("not yet")

    service = OnceService(Node(), handler)
    assert ask(service, 1).status.code == ReplyStatus.INACTIVE
    assert ask(service, 1).status.code == ReplyStatus.OK
    assert tries == [1, 1]


def test_replies_count_as_messages():
    node = Node()
    service = OnceService(node, counting()[1])
    ask(service, 1)
    ask(service, 1)
    assert node.sent == 2
