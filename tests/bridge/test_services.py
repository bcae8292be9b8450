"""Servers in ROS 1, called from ROS 2."""

import threading

from nav_msgs.srv import GetPlan
from std_srvs.srv import Empty, Trigger


def call(ros2, kind, name, request=None, timeout=20.0):
    """Return the response; None if none came in time."""
    client = ros2.node.create_client(kind, name)
    assert client.wait_for_service(20.0)
    done, future = threading.Event(), client.call_async(request or kind.Request())
    future.add_done_callback(lambda _: done.set())
    answered = done.wait(timeout)
    ros2.node.destroy_client(client)
    return future.result() if answered else None


def test_a_ros_1_server_answers_a_ros_2_client(relay, robot, ros2):
    robot.ask(
        do="serve",
        service="/reset_map",
        type="std_srvs/Trigger",
        response={"success": True, "message": "wiped"},
    )
    response = call(ros2, Trigger, "/reset_map")
    assert (response.success, response.message) == (True, "wiped")


def test_request_and_response_keep_their_fields(relay, robot, ros2):
    plan = {"plan": {"poses": [{"header": {"frame_id": "map"}}, {"header": {"frame_id": "odom"}}]}}
    robot.ask(do="serve", service="/move_base/make_plan", type="nav_msgs/GetPlan", response=plan)
    request = GetPlan.Request(tolerance=0.25)
    request.goal.pose.position.x = 3.5
    response = call(ros2, GetPlan, "/move_base/make_plan", request)
    assert [item.header.frame_id for item in response.plan.poses] == ["map", "odom"]
    (heard,) = robot.messages("/move_base/make_plan")
    assert heard["tolerance"] == 0.25
    assert heard["goal"]["pose"]["position"]["x"] == 3.5


def test_a_failing_server_gives_no_answer_and_the_relay_goes_on(relay, robot, ros2):
    name = "/move_base/clear_costmaps"
    robot.ask(do="serve", service=name, type="std_srvs/Empty", response={}, fail=True)
    assert call(ros2, Empty, name, timeout=3.0) is None
    relay.wait_for(f"{name}: ")
    assert call(ros2, Trigger, "/reset_map").success
