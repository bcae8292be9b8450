"""Topics and services of the ROS 1 half: what rospy hears and says for the ROS 2 half."""

import struct
import sys
import threading
from collections import deque

import rospy
import wire

_SEQ = struct.Struct("<I")


class Ports(object):
    """Every topic and service of one plan, as long as one ROS 2 half is there."""

    def __init__(self, plan, outbox):
        self.closed = False
        self._topics = dict((topic["id"], TopicPort(topic, outbox)) for topic in plan["topics"])
        self._services = dict((item["id"], ServicePort(item, outbox)) for item in plan["services"])

    def take(self, kind, channel, payload):
        """Do what a frame of the ROS 2 half asks."""
        if kind == wire.DATA:
            self._topics[channel].publish(payload)
        elif kind == wire.REQUEST:
            self._services[channel].call(payload)

    def counts(self, dropped):
        """Return the counters of every topic, by the topic's number (JSON wants texts)."""
        return dict(
            (str(channel), dict(port.counts, dropped=dropped[channel]))
            for channel, port in self._topics.items()
        )

    def close(self):
        """Let go of every topic."""
        self.closed = True
        for port in list(self._topics.values()) + list(self._services.values()):
            port.close()


class TopicPort(object):
    """One topic, both ways, bytes only."""

    def __init__(self, topic, outbox):
        self._id, self._md5, self._outbox = topic["id"], topic["md5"], outbox
        self._has_header = topic["has_header"]
        self._own = rospy.get_caller_id()
        self._sent = 0
        self._strangers = set()
        self.counts = {"received": 0, "published": 0, "echoes": 0, "mismatched": 0, "problem": ""}
        raw = raw_message(topic["type"], topic["md5"], topic["definition"])
        self._raw = raw
        self._publisher = rospy.Publisher(topic["name"], raw, queue_size=topic["queue_size"])
        self._subscriber = rospy.Subscriber(
            topic["name"], rospy.AnyMsg, self._hear, buff_size=1 << 18
        )

    def _hear(self, message):
        header = message._connection_header
        if header["callerid"] == self._own:
            self.counts["echoes"] += 1
        elif header["md5sum"] != self._md5:
            self._refuse(header)
        else:
            self.counts["received"] += 1
            self._outbox.put(self._id, (wire.DATA, self._id, message._buff))

    def _refuse(self, header):
        self.counts["mismatched"] += 1
        self.counts["problem"] = "{} sends {} with md5 {}, here it is {}".format(
            header["callerid"], header.get("type"), header["md5sum"], self._md5
        )
        if header["callerid"] not in self._strangers:
            self._strangers.add(header["callerid"])
            sys.stderr.write("relay, ROS 1: " + self.counts["problem"] + "\n")

    def publish(self, payload):
        """Publish bytes; a leading header gets the running number that roscpp would write."""
        if self._has_header:
            self._sent += 1
            _SEQ.pack_into(payload, 0, self._sent & 0xFFFFFFFF)
        message = self._raw()
        message._buff = payload
        try:
            self._publisher.publish(message)
            self.counts["published"] += 1
        except rospy.ROSException:  # the node is being shut down
            pass

    def close(self):
        """Unregister."""
        self._subscriber.unregister()
        self._publisher.unregister()


def raw_message(kind, md5, definition):
    """Return a message class whose instances are bytes, announced as a message of that type."""
    fields = {"_type": kind, "_md5sum": md5, "_full_text": definition, "_has_header": False}
    return type("Raw", (rospy.AnyMsg,), fields)


class ServicePort(object):
    """One ROS 1 server, called from ROS 2. A slow one delays the calls of its own service only."""

    def __init__(self, service, outbox):
        self._id, self._outbox = service["id"], outbox
        self._request = raw_message(service["type"] + "Request", "*", "")
        response = raw_message(service["type"] + "Response", "*", "")
        fields = {
            "_type": service["type"],
            "_md5sum": "*",
            "_request_class": self._request,
            "_response_class": response,
        }
        self._proxy = rospy.ServiceProxy(service["name"], type("RawService", (object,), fields))
        self._calls, self._ready, self._open = deque(), threading.Condition(), True
        thread = threading.Thread(target=self._work)
        thread.daemon = True
        thread.start()

    def call(self, payload):
        """Let a call wait for its turn."""
        with self._ready:
            self._calls.append(wire.unpack_request(payload))
            self._ready.notify()

    def close(self):
        """End after the call that is under way."""
        with self._ready:
            self._open = False
            self._ready.notify()

    def _work(self):
        while True:
            with self._ready:
                while self._open and not self._calls:
                    self._ready.wait(1.0)
                if not self._open:
                    return
                number, body = self._calls.popleft()
            answer = wire.pack_answer(number, *self._ask(body))
            self._outbox.put_first((wire.ANSWER, self._id, answer))

    def _ask(self, body):
        request = self._request()
        request._buff = body
        try:
            return True, self._proxy.call(request)._buff
        except (rospy.ServiceException, rospy.ROSException) as err:
            return False, str(err).encode("utf-8")
