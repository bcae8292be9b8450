"""The bridge files of this workspace."""

from __future__ import annotations

import re
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from adm_bridge.entries import BridgeConfigError

#: Names that no namespace changes: tf is one tree for all, and reports name their robot themselves.
GLOBAL = ("tf", "tf_static", "robot_reports")
_NAME = re.compile(
    rf"^(\s*-?\s*\{{?\s*(?:topic|service):\s*)/(?!(?:{'|'.join(GLOBAL)})\b)", re.MULTILINE
)


def default_config() -> Path:
    """Return the built bridge file; BridgeConfigError if there is none."""
    return _shared("bridge.yaml")


def default_rules() -> Path:
    """Return the built mapping rules; BridgeConfigError if there are none."""
    return _shared("mapping_rules.yaml")


def _shared(name: str) -> Path:
    try:
        return Path(get_package_share_directory("adm_bridge_config")) / name
    except PackageNotFoundError as err:
        raise BridgeConfigError(f"{name} is not built: name a file") from err


def in_namespace(text: str, namespace: str) -> str:
    """Return a bridge file with its topics and services under a namespace, comments kept.

    parameter_bridge cannot rename, so the ROS 2 side sees the longer names, too: start the nodes
    in the same namespace.
    """
    prefix = "/" + namespace.strip("/") + "/"
    return _NAME.sub(lambda found: found[1] + prefix, text)
