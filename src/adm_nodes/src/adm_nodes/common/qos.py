"""Quality of service, by purpose; topics choose a profile, never single policies."""

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

#: Mission, map, records, result: whoever comes late gets the last one.
LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: Evidence: every batch counts, and a memory that comes late must get what it missed. The
#: depth covers long missions; a bound, so that a dead subscriber never blocks a sensor.
EVIDENCE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=2000,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: Status, changes, heartbeats: only the present counts, and a few may queue up. The last ones are
#: kept, so that a recorder or a viewer that finds the topic a moment late misses nothing.
STATUS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=50,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: Services: a request that is lost is sent again, so the queue stays short.
SERVICE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=10,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)

#: Static transforms: every broadcaster keeps its own last message, so several are wanted.
LATCHED_MANY = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: What comes over a bridge or from a foreign driver: fits whatever the other side offers, and only
#: the newest counts. Whoever needs certainty has a dialogue (see adm_nodes.navigation.move_base).
FOREIGN = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=10,
    reliability=ReliabilityPolicy.BEST_EFFORT,
    durability=DurabilityPolicy.VOLATILE,
)

#: Commands to a foreign node. The bridge takes them best-effort in any case; other receivers may
#: insist on reliable. Never kept: a command that comes late is worse than none.
COMMAND = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=10,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)

#: Changes of a map: applied in order, so none may be lost while everybody keeps up; whoever does
#: not asks for the whole map. A bound, so that a slow reader never holds the sender up.
MAP_UPDATES = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)

#: What robots of a team tell each other: a restarted one gets the last word of every other.
TEAM = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=20,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
