"""Navigator node: drives the base of a robot, for everybody who speaks NavigateToPose."""

from __future__ import annotations

from typing import Any

from std_srvs.srv import Trigger

import adm_interfaces.msg as msgs
from adm_nodes.common import qos, runner
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.navigation.factory import (
    declare_navigation,
    make_localisation,
    make_navigator,
    read_navigation,
)
from adm_nodes.navigation.localisation import Localisation
from adm_nodes.navigation.map_watch import MapEpoch
from adm_nodes.navigation.move_base_topics import MoveBaseNavigator
from adm_nodes.navigation.protocol import Navigator


class NavigatorNode(AdmNode):
    """Shell around a navigator.

    Clients of Nav2 can thus drive a robot whose move_base lives behind a bridge. Watches the map
    and says when it was begun anew.

    Parameters
    ----------
    driver, move_base.*, nav2.*, localisation.*, map_watch.* : see docs/navigation.md
        What drives, and where the pose comes from.

    Topics
    ------
    map_epoch : MapEpoch, published, latched
        Which life of the map this is.
    move_base/*, scan, map, syscommand, pose : see MoveBaseNavigator, Localisation
        The robot.

    Services
    --------
    halt : std_srvs/Trigger, served
        Emergency stop of a move_base, whoever drives it; also while inactive.

    Actions
    -------
    navigate_to_pose : NavigateToPose, served
        While active, where nav2_msgs is installed; called instead with the other drivers.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("navigator", **kwargs)
        declare_navigation(self)
        self._localisation: Localisation | None = None
        self._navigator: Navigator | None = None
        self._server: Any = None

    def setup(self) -> None:
        """Connect to the robot; nothing moves yet."""
        setup = read_navigation(self)
        self._publish_epoch = self.add_publisher(msgs.MapEpoch, "map_epoch", qos.LATCHED)
        self._localisation = make_localisation(self, setup)
        self._localisation.listen(on_epoch=lambda epoch, _: self._tell_epoch(epoch))
        self._navigator = make_navigator(self, setup, self._localisation)
        if isinstance(self._navigator, MoveBaseNavigator):
            self._server = self._make_server(self._navigator)
            halt = self.create_service(Trigger, "halt", self._on_halt)
            self._releases.append(lambda: self.destroy_service(halt))

    def start(self) -> None:
        """Take goals."""
        assert self._localisation is not None
        self._tell_epoch(self._localisation.epoch)

    def stop(self) -> None:
        """Take no more goals, and cancel what is under way."""
        if self._server is not None:
            self._server.cancel_all()

    def reset(self) -> None:
        """Let go of the robot."""
        for part in (self._navigator, self._server, self._localisation):
            if part is not None:
                part.close()
        self._navigator = self._server = self._localisation = None

    def _make_server(self, navigator: Navigator) -> Any:
        try:
            from adm_nodes.navigation.navigate_to_pose import NavigateToPoseServer
        except ImportError as err:
            self.get_logger().warning(f"no action navigate_to_pose: {err.name} is not installed")
            return None
        return NavigateToPoseServer(self, navigator, is_open=lambda: self.is_active)

    def _on_halt(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        assert isinstance(self._navigator, MoveBaseNavigator)
        self._navigator.halt()
        response.success, response.message = True, "all goals of move_base were cancelled"
        return response

    def _tell_epoch(self, epoch: MapEpoch) -> None:
        self._publish_epoch(msgs.MapEpoch(map_id=epoch.map_id, reason=epoch.reason))


def main() -> int:
    """Run the node."""
    return runner.main(NavigatorNode)


if __name__ == "__main__":
    raise SystemExit(main())
