"""``adm bridge check``: what is missing for the bridge, seen from this machine."""

from __future__ import annotations

from adm_bridge.check.report import Report, joined
from adm_bridge.definitions import Definitions
from adm_bridge.entries import BridgeConfig
from adm_bridge.pairs import Pairs

__all__ = ["Report", "check"]


def check(config: BridgeConfig, pairs: Pairs, side: str, seconds: float) -> Report:
    """Look at one side or both.

    Parameters
    ----------
    config : BridgeConfig
    pairs : Pairs
    side : str
        ros1, ros2 or both. The ROS 1 side needs nothing of ROS 1 on this machine: its master and
        nodes are asked over the network.
    seconds : float
        How long to look at each side.

    Returns
    -------
    Report
    """
    from adm_bridge.run import share

    definitions = Definitions(pairs, share)
    reports = []
    if side != "ros2":
        from adm_bridge.check.ros1 import Ros1Check
        from adm_bridge.check.tcpros import Master

        reports.append(Ros1Check(config, definitions, Master(), seconds).run())
    if side != "ros1":
        from adm_bridge.check.ros2 import Ros2Check

        reports.append(Ros2Check(config, definitions, seconds).run())
    return joined(reports)
