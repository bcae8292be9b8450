"""The ROS 1 master: is it there, and is it still the same one?"""

import socket
import threading
import time

import rosgraph
import rospy

try:
    from xmlrpc.client import Error as XmlRpcError
    from xmlrpc.client import ServerProxy
except ImportError:  # Python 2
    from xmlrpclib import Error as XmlRpcError  # type: ignore[no-redef]
    from xmlrpclib import ServerProxy  # type: ignore[no-redef]

_TROUBLE = (socket.error, OSError, XmlRpcError, rosgraph.MasterException)


class MasterWatch(object):
    """Notice a restarted master and register this node's topics with it again.

    A new master knows nobody. Connections between nodes outlive their master, so they are kept
    and only the registrations are made anew.
    """

    def __init__(self, name):
        self._master = rosgraph.Master("/" + name)
        self._identity = None
        self._log = None
        self.state = "absent"  # absent | up

    def wait(self, seconds):
        """Return whether the master answers within about so long."""
        end = time.time() + seconds
        while not self._ask():
            if time.time() > end:
                return False
            time.sleep(0.2)
        return True

    def start(self, log):
        """Watch from now on, in a thread."""
        self._log = log
        thread = threading.Thread(target=self._watch)
        thread.daemon = True
        thread.start()

    def _watch(self):
        while not rospy.is_shutdown():
            time.sleep(1.0)
            before, known = self.state, self._identity
            if not self._ask():
                if before == "up":
                    self._log("the master does not answer any more")
            elif self._identity != known:
                self._log("another master: registering again")
                register_again()
            elif before == "absent":
                self._log("the master answers again")

    def _ask(self):
        try:
            self._identity = (self._master.getPid(), self._run_id())
            self.state = "up"
        except _TROUBLE:
            self.state = "absent"
        return self.state == "up"

    def _run_id(self):
        try:
            return self._master.getParam("/run_id")
        except rosgraph.MasterError:  # a rosmaster without roslaunch has none
            return None


def register_again():
    """Tell the master every topic of this node, and connect to whoever publishes there."""
    own, uri = rospy.get_caller_id(), rospy.get_node_uri()
    master, node = rosgraph.Master(own), ServerProxy(uri)
    try:
        for topic, kind in node.getPublications(own)[2]:
            master.registerPublisher(topic, kind, uri)
        for topic, kind in node.getSubscriptions(own)[2]:
            publishers = master.registerSubscriber(topic, kind, uri)
            node.publisherUpdate("/master", topic, publishers)
    except _TROUBLE:
        pass  # it went away again: the watch sees the next one
