"""Quality of service of a recorded topic, as the text that rosbag2 keeps, and back."""

from __future__ import annotations

from collections.abc import Iterable

import yaml
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

#: Deep enough that a burst of evidence survives until the disk has taken it.
DEPTH = 2000

_KEEPS = DurabilityPolicy.TRANSIENT_LOCAL
_RELIABLE = ReliabilityPolicy.RELIABLE
_FOREVER = {"sec": 9223372036, "nsec": 854775807}


def to_listen(offered: Iterable[QoSProfile]) -> QoSProfile:
    """Return a profile that matches every publisher, as strict as the least of them."""
    offers = list(offered)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=DEPTH,
        reliability=_least(offers, "reliability", _RELIABLE, ReliabilityPolicy.BEST_EFFORT),
        durability=_least(offers, "durability", _KEEPS, DurabilityPolicy.VOLATILE),
    )


def _least(offers: list[QoSProfile], policy: str, strict: int, lax: int) -> int:
    return strict if all(getattr(offer, policy) == strict for offer in offers) else lax


def to_text(profile: QoSProfile) -> str:
    """Return the profile as rosbag2 writes it beside a topic."""
    fields = {
        "history": "keep_last",
        "depth": profile.depth,
        "reliability": "reliable" if profile.reliability == _RELIABLE else "best_effort",
        "durability": "transient_local" if profile.durability == _KEEPS else "volatile",
        "deadline": _FOREVER,
        "lifespan": _FOREVER,
        "liveliness": "automatic",
        "liveliness_lease_duration": _FOREVER,
        "avoid_ros_namespace_conventions": False,
    }
    return yaml.safe_dump([fields], sort_keys=False)


def to_offer(text: str) -> QoSProfile:
    """Return what to publish a recorded topic with; of several offers, the first.

    Text that cannot be read gives a reliable, volatile profile. Numbers instead of words are
    what rosbag2 of Humble writes.
    """
    try:
        fields = yaml.safe_load(text)[0]
    except (yaml.YAMLError, TypeError, IndexError, KeyError):
        fields = {}
    if not isinstance(fields, dict):
        fields = {}
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=_depth(fields.get("depth")),
        reliability=ReliabilityPolicy.BEST_EFFORT
        if fields.get("reliability") in ("best_effort", int(ReliabilityPolicy.BEST_EFFORT))
        else _RELIABLE,
        durability=_KEEPS
        if fields.get("durability") in ("transient_local", int(_KEEPS))
        else DurabilityPolicy.VOLATILE,
    )


def _depth(value: object) -> int:
    return value if isinstance(value, int) and 1 <= value <= DEPTH else DEPTH
