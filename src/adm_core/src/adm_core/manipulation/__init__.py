"""From pixels to a grasp: perception, visual servo, arm kinematics and grasp sequences.

Nothing here knows a simulator or a middleware: measurements and times are arguments, commands
are return values, so the same code moves the real robot.
"""
