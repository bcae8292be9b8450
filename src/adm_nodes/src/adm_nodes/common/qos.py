"""Quality of service, by purpose; topics choose a profile, never single policies."""

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy


def _profile(depth: int, *, kept: bool = False, reliable: bool = True) -> QoSProfile:
    """Return a profile with a bounded queue; `kept`: the last `depth` for late subscribers."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if kept else DurabilityPolicy.VOLATILE,
    )


#: Mission, map, records, result: whoever comes late gets the last one.
LATCHED = _profile(1, kept=True)

#: Evidence: every batch counts, and a memory that comes late must get what it missed. The
#: depth covers long missions; a bound, so that a dead subscriber never blocks a sensor.
EVIDENCE = _profile(2000, kept=True)

#: Status, changes, heartbeats: only the present counts, and a few may queue up. The last ones are
#: kept, so that a recorder or a viewer that finds the topic a moment late misses nothing.
STATUS = _profile(50, kept=True)

#: Services: a request that is lost is sent again, so the queue stays short.
SERVICE = _profile(10)

#: Static transforms: every broadcaster keeps its own last message, so several are wanted.
LATCHED_MANY = _profile(100, kept=True)

#: What comes over a bridge or from a foreign driver: fits whatever the other side offers, and only
#: the newest counts. Whoever needs certainty has a dialogue (see adm_nodes.navigation.move_base).
FOREIGN = _profile(10, reliable=False)

#: Commands to a foreign node. The bridge takes them best-effort in any case; other receivers may
#: insist on reliable. Never kept: a command that comes late is worse than none.
COMMAND = _profile(10)

#: Changes of a map: applied in order, so none may be lost while everybody keeps up; whoever does
#: not asks for the whole map. A bound, so that a slow reader never holds the sender up.
MAP_UPDATES = _profile(100)

#: What robots of a team tell each other: a restarted one gets the last word of every other.
TEAM = _profile(20, kept=True)
