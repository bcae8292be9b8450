# The ROS 2 side: this workspace on a distribution.
#   docker build -f bridge/containers/jazzy.Dockerfile -t adm-jazzy .
FROM ros:jazzy-ros-base
SHELL ["/bin/bash", "-c"]
COPY . /adm
WORKDIR /adm
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3-venv python3-dev g++ make libgl1 libusb-1.0-0 \
    && rosdep update --rosdistro jazzy \
    && rosdep install --from-paths src bridge --ignore-src --rosdistro jazzy -r -y \
    && . /opt/ros/jazzy/setup.bash && scripts/setup \
    && rm -rf /var/lib/apt/lists/*
ENTRYPOINT ["/bin/bash", "-c", "set -e; . /opt/ros/jazzy/setup.bash; . /adm/scripts/env.sh; exec \"$@\"", "--"]
CMD ["adm", "bridge", "relay", "--no-ros1", "--listen", "127.0.0.1:9091"]
