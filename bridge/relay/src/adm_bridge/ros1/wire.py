"""Frames between the two halves: a length, a kind, a channel, and bytes."""

from __future__ import print_function

import json
import socket
import struct

#: Spoken by both halves; another number is refused.
VERSION = 1

CONTROL = 0  # channel unused; JSON
DATA = 1  # channel is the topic's number; a serialized ROS 1 message
REQUEST = 2  # channel is the service's number; call number, then a serialized ROS 1 request
ANSWER = 3  # channel is the service's number; call number, success, then the response or a text

_HEAD = struct.Struct("<IBI")
_CALL = struct.Struct("<I")
_REPLY = struct.Struct("<I?")
_LONGEST = 256 << 20


class Closed(Exception):
    """The other half has gone."""


def send(sock, kind, channel, payload):
    """Write one frame; Closed if nobody reads any more."""
    try:
        sock.sendall(_HEAD.pack(len(payload), kind, channel))
        sock.sendall(payload)
    except (socket.error, OSError) as err:
        raise Closed(str(err))


def receive(sock):
    """Return kind, channel and payload (a bytearray) of the next frame; Closed at the end."""
    size, kind, channel = _HEAD.unpack(bytes(_exactly(sock, _HEAD.size)))
    if size > _LONGEST:
        raise Closed("a frame of {} bytes: the other end speaks something else".format(size))
    return kind, channel, _exactly(sock, size)


def _exactly(sock, size):
    data = bytearray(size)
    view, done = memoryview(data), 0
    while done < size:
        try:
            count = sock.recv_into(view[done:], size - done)
        except (socket.error, OSError) as err:
            raise Closed(str(err))
        if not count:
            raise Closed("the connection has ended")
        done += count
    return data


def prepare(sock):
    """Make a connected socket send at once and notice a machine that has vanished."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def pack_json(value):
    """Return the payload of a control frame."""
    return json.dumps(value).encode("utf-8")


def unpack_json(payload):
    """Return what a control frame holds."""
    return json.loads(bytes(payload).decode("utf-8"))


def pack_request(call, request):
    """Return the payload of a request."""
    return _CALL.pack(call) + bytes(request)


def unpack_request(payload):
    """Return the number of a call and its request."""
    return _CALL.unpack_from(payload)[0], payload[_CALL.size :]


def pack_answer(call, success, response):
    """Return the payload of an answer."""
    return _REPLY.pack(call, success) + bytes(response)


def unpack_answer(payload):
    """Return the number of a call, whether it succeeded, and the response or the reason."""
    call, success = _REPLY.unpack_from(payload)
    return call, success, payload[_REPLY.size :]
