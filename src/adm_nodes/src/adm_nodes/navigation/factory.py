"""Navigators by name, for nodes that leave the choice to a parameter."""

from __future__ import annotations

from dataclasses import dataclass, field

from adm_core.config import Config, param
from rclpy.node import Node

from adm_nodes.common import params
from adm_nodes.navigation.config import LocalisationConfig, MoveBaseConfig, Nav2Config
from adm_nodes.navigation.localisation import Localisation
from adm_nodes.navigation.map_watch import MapWatchConfig
from adm_nodes.navigation.move_base_topics import MoveBaseNavigator
from adm_nodes.navigation.protocol import Navigator

DRIVERS = ("move_base", "nav2", "simple_commander")


@dataclass(frozen=True)
class DriverConfig(Config):
    """What drives the base."""

    driver: str = param(
        "move_base",
        "move_base: ROS 1 over the bridge; nav2: NavigateToPose through an action client; "
        "simple_commander: the same through nav2_simple_commander",
        choices=DRIVERS,
    )


@dataclass(frozen=True)
class NavigationSetup:
    """Everything that a navigator is made of."""

    driver: DriverConfig = field(default_factory=DriverConfig)
    move_base: MoveBaseConfig = field(default_factory=MoveBaseConfig)
    nav2: Nav2Config = field(default_factory=Nav2Config)
    localisation: LocalisationConfig = field(default_factory=LocalisationConfig)
    map_watch: MapWatchConfig = field(default_factory=MapWatchConfig)


def declare_navigation(node: Node) -> None:
    """Declare the parameters of all navigators on a node."""
    params.declare(node, DriverConfig)
    params.declare(node, MoveBaseConfig, "move_base")
    params.declare(node, Nav2Config, "nav2")
    params.declare(node, LocalisationConfig, "localisation")
    params.declare(node, MapWatchConfig, "map_watch")


def read_navigation(node: Node) -> NavigationSetup:
    """Return what a node's parameters say; ConfigError if a value breaks a rule."""
    return NavigationSetup(
        params.read(node, DriverConfig),
        params.read(node, MoveBaseConfig, "move_base"),
        params.read(node, Nav2Config, "nav2"),
        params.read(node, LocalisationConfig, "localisation"),
        params.read(node, MapWatchConfig, "map_watch"),
    )


def make_localisation(node: Node, setup: NavigationSetup) -> Localisation:
    """Return what hears pose, scan and map on a node."""
    return Localisation(node, setup.localisation, setup.map_watch)


def make_navigator(node: Node, setup: NavigationSetup, localisation: Localisation) -> Navigator:
    """Return the navigator that a set-up names, on a node whose executor spins.

    Raises
    ------
    ValueError
        If the packages that it needs are not installed.
    """
    driver = setup.driver.driver
    if driver == "move_base":
        return MoveBaseNavigator(node, setup.move_base, localisation)
    try:
        if driver == "nav2":
            from adm_nodes.navigation.nav2 import Nav2Navigator

            return Nav2Navigator(node, setup.nav2, localisation)
        from adm_nodes.navigation.commander import CommanderNavigator

        return CommanderNavigator(setup.nav2, localisation=localisation)
    except ImportError as err:
        raise ValueError(
            f"driver must have its packages installed: {driver} lacks {err.name}"
        ) from err
