"""A real actionlib server named move_base, steered by lines of JSON; for the system's Python.

    ros1_move_base.py SKEW_S    its clock runs that many seconds ahead of this machine's

{"do": "finish", "how": "succeed" | "abort", "text"}    end the goal under way
{"do": "foreign", "id", "x"}                            somebody else sends a goal
{"do": "cancel_all", "ahead_s"}                         somebody else cancels; a stamp ahead of now
{"do": "state"}                                         ids accepted so far, and the one under way
"""

import json
import sys
import threading
import time

_real_time = time.time
_SKEW_S = float(sys.argv[1])
time.time = lambda: _real_time() + _SKEW_S  # before rospy: its clock is a robot's, not ours

import actionlib  # noqa: E402
import rospy  # noqa: E402
from actionlib_msgs.msg import GoalID  # noqa: E402
from geometry_msgs.msg import PoseStamped  # noqa: E402
from move_base_msgs.msg import MoveBaseAction, MoveBaseActionGoal, MoveBaseFeedback  # noqa: E402


class Server:
    def __init__(self):
        self.accepted = []
        self.current = None
        self.ending = None
        self.lock = threading.Lock()
        self.goals = rospy.Publisher("move_base/goal", MoveBaseActionGoal, queue_size=5)
        self.cancels = rospy.Publisher("move_base/cancel", GoalID, queue_size=5)
        self.current_goal = rospy.Publisher("move_base/current_goal", PoseStamped, queue_size=5)
        rospy.Subscriber("move_base_simple/goal", PoseStamped, self.on_simple)
        self.server = actionlib.SimpleActionServer(
            "move_base", MoveBaseAction, execute_cb=self.execute, auto_start=False
        )
        self.server.start()

    def on_simple(self, pose):
        message = MoveBaseActionGoal()
        message.header.stamp = rospy.Time.now()
        message.goal.target_pose = pose
        self.goals.publish(message)

    def execute(self, goal):
        with self.lock:
            self.ending = None
            self.current = self.server.current_goal.get_goal_id().id
            self.accepted.append(self.current)
        self.current_goal.publish(goal.target_pose)
        feedback = MoveBaseFeedback()
        feedback.base_position.header.frame_id = "map"
        feedback.base_position.pose.orientation.w = 1.0
        while not rospy.is_shutdown():
            if self.server.is_preempt_requested():
                self.server.set_preempted(text="preempted")
                break
            if self.ending is not None:
                how, text = self.ending
                (self.server.set_succeeded if how == "succeed" else self.server.set_aborted)(
                    text=text
                )
                break
            feedback.base_position.pose.position.x += 0.01
            self.server.publish_feedback(feedback)
            time.sleep(0.05)
        with self.lock:
            self.current = None

    def finish(self, how, text=""):
        self.ending = how, text
        return {}

    def foreign(self, id, x):
        message = MoveBaseActionGoal()
        message.goal_id.id = id
        message.goal_id.stamp = rospy.Time.now()
        message.goal.target_pose.header.frame_id = "map"
        message.goal.target_pose.pose.position.x = x
        message.goal.target_pose.pose.orientation.w = 1.0
        self.goals.publish(message)
        return {}

    def cancel_all(self, ahead_s=None):
        stamp = rospy.Time(0) if ahead_s is None else rospy.Time.now() + rospy.Duration(ahead_s)
        self.cancels.publish(GoalID(stamp=stamp))
        return {}

    def state(self):
        with self.lock:
            return {"accepted": list(self.accepted), "current": self.current}


def main():
    rospy.init_node("move_base", disable_signals=True)
    server = Server()
    for line in sys.stdin:
        command = json.loads(line)
        answer = getattr(server, command.pop("do"))(**command)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


main()
