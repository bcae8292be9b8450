# The ROS 1 side: our catkin packages and the ROS 1 half of the relay.
#   docker build -f bridge/containers/noetic.Dockerfile -t adm-noetic .
FROM ros:noetic-ros-base
RUN apt-get update && apt-get install -y --no-install-recommends \
        ros-noetic-actionlib ros-noetic-move-base-msgs ros-noetic-tf2-msgs \
        ros-noetic-topic-tools ros-noetic-trajectory-msgs \
    && rm -rf /var/lib/apt/lists/*
COPY bridge/noetic /catkin/src
RUN . /opt/ros/noetic/setup.sh && cd /catkin && catkin_make --only-pkg-with-deps adm_msgs
COPY bridge/relay/src/adm_bridge/ros1 /relay
ENV PYTHONUNBUFFERED=1
# The image's entry point has sourced /opt/ros/noetic. Where the ROS 2 half listens is the argument.
CMD ["python3", "/relay/half.py", "127.0.0.1:9091"]
