"""How much each property test tries: small in `make test`, full in `make verify`.

``ADM_TEST_SIZE=full`` chooses the second column.
"""

import os

FULL = os.environ.get("ADM_TEST_SIZE", "small") == "full"

#: Name of a property to the number of examples (small, full).
TABLE = {
    "frontiers": (300, 10_000),
    "clusters": (300, 10_000),
    "clusters_deep": (60, 2_000),
    "visibility": (150, 5_000),
    "distance": (60, 3_400),
    "attention": (300, 10_000),
    "llm_outputs": (2_000, 100_000),
    "memory": (150, 5_000),
    "episodes": (6, 100),  # seeds of Table I
    "robust_episodes": (6, 1_000),  # the same for the profile robust
    "long_episodes": (1, 20),
    "rooms": (150, 10_000),
    "assignment": (150, 3_400),
    "tours": (60, 2_000),
    "tracker": (60, 2_000),
    "flights": (12, 500),  # surveys with faults drawn at random
    "kill_9": (6, 200),
    "node_kills": (6, 100),
    "navigator": (150, 5_000),
    "navigator_stories": (3, 4),  # events after the first goal, all sequences of them
    "node_load_s": (3, 10),  # seconds; benchmarks/node_load.py has the long one
    "search": (2, 100),  # scenarios of the search table
}


def examples(name: str) -> int:
    """Return the number of examples of a property test."""
    return TABLE[name][FULL]
