"""ROS 1 half of the relay: raw messages between a ROS 1 graph and the ROS 2 half.

    python3 half.py HOST:PORT [--once]

Connects to the ROS 2 half, which says what to bridge, and stays: when the ROS 2 half goes away it
lets go of every topic and connects again, which also brings every latched message anew; when the
master restarts it registers again and keeps the connections that live. With --once it ends with
the ROS 2 half instead. Exit code 3: another node has taken the name /ros_bridge.
"""

from __future__ import print_function

import argparse
import os
import socket
import sys
import threading
import time

import rospy
import wire
from graph import MasterWatch
from outbox import Outbox
from ports import Ports

NAME = "ros_bridge"  # the name by which bridges tell their own messages: never another one
TAKEN = 3


def main():
    """Serve one ROS 2 half after the other."""
    options = parse(sys.argv[1:])
    watch, parent = MasterWatch(NAME), os.getppid()
    while not watch.wait(1.0):
        say("no master at {}: waiting for it", os.environ.get("ROS_MASTER_URI", "(not set)"))
        if options.once and os.getppid() != parent:
            return 0
    rospy.init_node(NAME, argv=[sys.argv[0]], disable_signals=True)
    watch.start(log=say)
    while not rospy.is_shutdown():
        sock = connect(options.address)
        if sock is not None:
            serve(sock, watch)
        if options.once:
            break
        time.sleep(0.5)
    if rospy.is_shutdown():
        say("another node called /{} has taken this one's place", NAME)
        return TAKEN
    return 0


def parse(arguments):
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description="ROS 1 half of `adm bridge relay`")
    parser.add_argument("address", help="host:port where the ROS 2 half listens")
    parser.add_argument("--once", action="store_true", help="end when the ROS 2 half ends")
    options = parser.parse_args(arguments)
    host, _, port = options.address.rpartition(":")
    options.address = (host, int(port))
    return options


def connect(address):
    """Return a socket to the ROS 2 half; None if it is not there."""
    try:
        sock = socket.create_connection(address, 5.0)
    except (socket.error, OSError):
        return None
    sock.settimeout(None)
    wire.prepare(sock)
    return sock


def serve(sock, watch):
    """Bridge until the ROS 2 half is gone."""
    ports = outbox = None
    try:
        kind, _, payload = wire.receive(sock)
        plan = wire.unpack_json(payload)
        if kind != wire.CONTROL or plan["version"] != wire.VERSION:
            raise wire.Closed("it speaks version {}".format(plan.get("version")))
        outbox = Outbox(dict((topic["id"], topic["queue_size"]) for topic in plan["topics"]))
        ports = Ports(plan, outbox)
        start(write, sock, outbox)
        start(report, ports, outbox, watch)
        say("connected: {} topics, {} services", len(plan["topics"]), len(plan["services"]))
        while not rospy.is_shutdown():
            ports.take(*wire.receive(sock))
    except wire.Closed as err:
        say("the ROS 2 half is gone ({})", err)
    finally:
        sock.close()
        if outbox is not None:
            outbox.close()
        if ports is not None:
            ports.close()


def start(function, *arguments):
    """Run a function in a thread that does not outlive the process."""
    thread = threading.Thread(target=function, args=arguments)
    thread.daemon = True
    thread.start()


def write(sock, outbox):
    """Send what waits until the box is closed."""
    frame = outbox.get()
    while frame is not None:
        try:
            wire.send(sock, *frame)
        except wire.Closed:
            return
        frame = outbox.get()


def report(ports, outbox, watch):
    """Tell the ROS 2 half once a second how this half is doing; watch for the loss of our name."""
    while not ports.closed:
        facts = {"master": watch.state, "topics": ports.counts(outbox.dropped)}
        outbox.put_first((wire.CONTROL, 0, wire.pack_json(facts)))
        if rospy.is_shutdown():
            os._exit(TAKEN)  # the reader sits in a system call that nothing else ends
        time.sleep(1.0)


def say(text, *values):
    """Write a line to the standard error."""
    print("relay, ROS 1: " + text.format(*values), file=sys.stderr)
    sys.stderr.flush()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        pass
