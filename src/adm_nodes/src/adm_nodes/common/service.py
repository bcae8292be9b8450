"""Services that carry every request out once, however often it is sent."""

from __future__ import annotations

import inspect
import traceback
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Protocol

from adm_core.errors import AdmError
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.task import Future

from adm_interfaces.msg import ReplyStatus
from adm_nodes.common.errors import NotActiveError

#: Replies kept for requests that are sent again; a client has one request under way.
KEPT = 64


class Server(Protocol):
    """What :class:`OnceService` needs of its node."""

    @property
    def is_active(self) -> bool:
        """Whether requests may be carried out."""

    def count_message(self) -> None:
        """Count one message sent."""

    def get_logger(self) -> RcutilsLogger:
        """Return the node's logger."""


class OnceService:
    """Service callback around a handler: gate, memory of replies, and a net for exceptions.

    Parameters
    ----------
    node : Server
        Owner. While it is not active every request is answered INACTIVE, and forgotten.
    handler : callable
        ``handler(request, response)`` fills the response in; a function or a coroutine
        function. ValueError and AdmError become REFUSED with their text, anything else is
        logged with its trace and becomes REFUSED too; NotActiveError becomes INACTIVE.
    kept : int
        How many replies are kept; 0 for questions that may as well be answered anew, where
        replies are large.
    """

    def __init__(self, node: Server, handler: Callable[[Any, Any], Any], kept: int = KEPT) -> None:
        self._node = node
        self._handler = handler
        self._kept = kept
        self._replies: OrderedDict[int, Future] = OrderedDict()

    async def answer(self, request: Any, response: Any) -> Any:
        """Answer a request; one that is still being worked on is waited for."""
        self._node.count_message()
        if not self._node.is_active:
            return _with_status(response, ReplyStatus.INACTIVE, "the node is not active")
        if not request.call:  # a person's request has no number: each one counts
            return await self._carry_out(request, response)
        known = self._replies.get(request.call)
        if known is None:
            known = self._replies[request.call] = Future()
            while len(self._replies) > self._kept:
                self._replies.popitem(last=False)
            known.set_result(await self._carry_out(request, response))
        return await known

    async def _carry_out(self, request: Any, response: Any) -> Any:
        try:
            outcome = self._handler(request, response)
            if inspect.isawaitable(outcome):
                await outcome
            return _with_status(response, ReplyStatus.OK, "")
        except NotActiveError as err:
            self._replies.pop(request.call, None)  # nothing was done: it may be tried again
            return _with_status(response, ReplyStatus.INACTIVE, str(err))
        except (AdmError, ValueError) as err:
            self._node.get_logger().error(f"request refused: {err}")
            return _with_status(response, ReplyStatus.REFUSED, str(err))
        except Exception as err:
            self._node.get_logger().error(traceback.format_exc())
            return _with_status(response, ReplyStatus.REFUSED, f"{type(err).__name__}: {err}")


def _with_status(response: Any, code: int, message: str) -> Any:
    response.status.code = code
    response.status.message = message
    return response
