"""A DDS domain of its own for each run, kept to this machine."""

from __future__ import annotations

import os
import random
import socket

#: Domains whose ports stay below the ephemeral ones of Linux; 0 is everybody's default.
_DOMAINS = range(1, 102)


def use_private_domain() -> int:
    """Choose a free domain and localhost discovery, unless the user set them; return the domain."""
    if "ROS_DOMAIN_ID" not in os.environ:
        os.environ["ROS_DOMAIN_ID"] = str(_free_domain())
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    return int(os.environ["ROS_DOMAIN_ID"])


def _free_domain() -> int:
    candidates = list(_DOMAINS)
    random.SystemRandom().shuffle(candidates)
    return next((number for number in candidates if _is_free(number)), candidates[0])


def _is_free(domain: int) -> bool:
    """Tell whether nobody listens at the port of the domain's first participant (RTPS 9.6.1.1)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("", 7410 + 250 * domain))
        except OSError:
            return False
    return True
