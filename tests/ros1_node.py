"""A ROS 1 node for tests, steered by lines of JSON; runs under the system's Python with rospy only.

{"do": "advertise", "topic", "type", "latch", "text"}   text: definition of a type not installed
{"do": "publish", "topic", "message", "count"}          message: fields as nested JSON
{"do": "listen", "topic", "type", "text"}               answers come as {"heard", "message"}
{"do": "serve", "service", "type", "response", "fail", "delay"}
{"do": "connections", "topic"}                          how many subscribers a publisher has
"""

import json
import sys
import threading
import time

import genpy
import genpy.dynamic
import roslib.message
import rospy

PRINTING = threading.Lock()


def say(**item):
    with PRINTING:
        sys.stdout.write(json.dumps(item) + "\n")
        sys.stdout.flush()


def find_class(kind, text):
    if text:
        return genpy.dynamic.generate_dynamic(kind, text)[kind]
    return roslib.message.get_message_class(kind)


def to_json(value):
    if isinstance(value, genpy.Message):
        return {name: to_json(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, (genpy.Time, genpy.Duration)):
        return {"sec": value.secs, "nanosec": value.nsecs}
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value


def fill(message, values):
    """Set the fields of a message; names are compared without regard to case."""
    by_name = {name.lower(): item for name, item in values.items()}
    for name, kind in zip(message.__slots__, message._slot_types, strict=True):
        if name.lower() in by_name:
            setattr(message, name, value_of(getattr(message, name), kind, by_name[name.lower()]))
    return message


def value_of(old, kind, value):
    if isinstance(old, (genpy.Time, genpy.Duration)):
        return type(old)(value["sec"], value["nanosec"])
    if isinstance(old, genpy.Message):
        return fill(old, value)
    if kind.startswith("uint8["):
        return bytes(value)
    if kind.endswith("]") and value and isinstance(value[0], dict):
        inner = CLASSES.get(kind.split("[")[0]) or roslib.message.get_message_class(
            kind.split("[")[0]
        )
        return [fill(inner(), item) for item in value]
    return value


CLASSES = {}
PUBLISHERS = {}


class Commands:
    def hello(self):
        return {}

    def advertise(self, topic, type, latch=False, text=""):
        if text:
            CLASSES.update(genpy.dynamic.generate_dynamic(type, text))
        kind = CLASSES[type] if text else find_class(type, "")
        PUBLISHERS[topic] = rospy.Publisher(topic, kind, queue_size=100, latch=latch), kind
        return {"md5": kind._md5sum}

    def publish(self, topic, message, count=1, period=0.0):
        publisher, kind = PUBLISHERS[topic]
        filled = fill(kind(), message)
        for _ in range(count):
            publisher.publish(filled)
            time.sleep(period)
        return {}

    def connections(self, topic):
        return {"count": PUBLISHERS[topic][0].get_num_connections()}

    def listen(self, topic, type, text=""):
        rospy.Subscriber(
            topic,
            find_class(type, text),
            lambda message: say(heard=topic, message=to_json(message)),
            queue_size=100,
        )
        return {}

    def serve(self, service, type, response, fail=False, delay=0.0):
        kind = roslib.message.get_service_class(type)

        def answer(request):
            say(heard=service, message=to_json(request))
            time.sleep(delay)
            return None if fail else fill(kind._response_class(), response)

        rospy.Service(service, kind, answer)
        return {}


def main():
    rospy.init_node(sys.argv[1], disable_signals=True)
    commands = Commands()
    for line in sys.stdin:
        command = json.loads(line)
        try:
            say(**getattr(commands, command.pop("do"))(**command))
        except Exception as err:  # the test shows it
            say(error=repr(err))
    rospy.signal_shutdown("no more commands")


main()
