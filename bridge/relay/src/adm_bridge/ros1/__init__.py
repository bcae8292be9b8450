"""The half of the relay that speaks ROS 1: standard library and rospy only, Python 2.7 and later.

Its files also run as scripts from wherever they lie (``python half.py host:port``), so that
neither this package nor anything else has to be installed where ROS 1 is.
"""
