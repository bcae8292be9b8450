"""The clock for whatever must go on while simulated time stands still."""

from rclpy.clock import Clock, ClockType

#: Heartbeats, resends and watchdogs run on it; with `use_sim_time` a node's own clock may stop.
STEADY = Clock(clock_type=ClockType.STEADY_TIME)
