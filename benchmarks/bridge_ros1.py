"""The ROS 1 end of ``benchmarks/bridge.py``; runs under the Python that has rospy.

bridge_ros1.py publish TOPIC TYPE BYTES HZ SECONDS   (HZ 0: as fast as it goes)
bridge_ros1.py listen TOPIC TYPE                     one JSON list of delays in ms at the end
"""

import json
import sys
import time

import roslib.message
import rospy


def fill(kind, size):
    """Return a message with so many bytes of content."""
    message = roslib.message.get_message_class(kind)()
    if hasattr(message, "width"):
        message.width, message.height, message.step = 640, size // 640 // 3, 640 * 3
        message.encoding = "rgb8"
    if hasattr(message, "data"):
        message.data = bytes(size)
    return message


def publish(topic, kind, size, rate, seconds):
    """Publish stamped messages once somebody listens; print how many."""
    publisher = rospy.Publisher(topic, roslib.message.get_message_class(kind), queue_size=2)
    while not publisher.get_num_connections():
        time.sleep(0.05)
    time.sleep(1.0)
    message, count, begin = fill(kind, int(size)), 0, time.time()
    while time.time() - begin < float(seconds):
        message.header.stamp = rospy.Time.from_sec(time.time())
        publisher.publish(message)
        count += 1
        if float(rate):
            time.sleep(max(0.0, begin + count / float(rate) - time.time()))
    print(json.dumps(count), flush=True)
    time.sleep(2.0)  # what is under way still arrives


def listen(topic, kind):
    """Collect delays until standard input ends."""
    delays = []

    def heard(message):
        delays.append(1e3 * (time.time() - message.header.stamp.to_sec()))

    rospy.Subscriber(topic, roslib.message.get_message_class(kind), heard, buff_size=1 << 22)
    print("ready", flush=True)
    sys.stdin.read()
    print(json.dumps(delays), flush=True)


rospy.init_node("bench", anonymous=True, disable_signals=True)
{"publish": publish, "listen": listen}[sys.argv[1]](*sys.argv[2:])
rospy.signal_shutdown("done")
