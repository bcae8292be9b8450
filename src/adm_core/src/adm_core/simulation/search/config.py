"""The one place where worlds, start poses and targets of the search experiments are fixed.

Every number has its reason here, and every doubt a row in ``SENSITIVITY``. The paper (SAGR,
section IV) fixes sensor and cycle and says that there are small, medium and large apartments
for 2, 3 and 4 robots; it gives neither sizes nor start poses nor how targets are drawn.

Sizes
    An apartment of 56, 64 or 80 cells a side is what makes complete methods need about the
    steps that the paper reports; 100 cells a side are already far above. This is calibration
    on the paper's absolute steps, not evidence for any method. Sides vary by 15 % so that a
    table is not about one shape.
Rooms
    14, 18 and 24 rooms in a square of the nominal size, hence rooms of 9 to 20 cells a side
    (2 to 5 m) like those of flats; doors of 3 cells (0.75 m) are the narrowest that keep a
    cell free on both sides of the middle.
Starts
    All robots begin side by side at one end of the spine corridor, as a team is unloaded at
    an entrance, and look anywhere. Starts spread over the floor would hide what coordination
    is worth: ``random_starts`` shows how much.
Targets
    The type is drawn uniformly from five, so that common rooms do not decide a table; the
    cell uniformly from the cells of that type at least 40 steps from every robot and not in
    sight at the start. Without the rule one target in fifteen is found within ten steps by
    any method.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from adm_core.config import Config, param

#: Side of a cell in metres: the paper's range of 10 cells is then 2.5 m.
CELL_M = 0.25
#: Room types that are searched for, as the names of a scenario spell them.
TARGET_TYPES = ("kitchen", "bedroom", "bathroom", "office", "living room")


class Scale(NamedTuple):
    """Nominal side of a world in cells, its rooms, its robots, the chance of a cross corridor."""

    side: int
    rooms: int
    robots: int
    cross: float


SCALES = {
    "small": Scale(56, 14, 2, 0.0),
    "medium": Scale(64, 18, 3, 0.5),
    "large": Scale(80, 24, 4, 1.0),
}


@dataclass(frozen=True)
class ScenarioConfig(Config):
    """How search scenarios are drawn, and what the robots of all methods see."""

    side_jitter: float = param(0.15, "largest change of each side, as a share", min=0.0, max=0.3)
    starts: str = param(
        "corridor_end", "where the robots begin", choices=("corridor_end", "random")
    )
    target_steps: int = param(40, "least steps from every robot to the target", unit="cells", min=0)
    furniture: bool = param(True, "put furniture into the rooms")
    fov_deg: float = param(60.0, "field of view of each robot", unit="deg", min=1.0, max=360.0)
    range_cells: float = param(10.0, "range of sight", unit="cells", min=0.0, max=1000.0)
    near_cells: float = param(
        2.0, "seen in every direction up to here", unit="cells", min=0.0, max=1000.0
    )
    free_turns: bool = param(False, "turning on the spot, to look around, costs no step")

    @property
    def fov_rad(self) -> float:
        """Field of view in radians."""
        return math.radians(self.fov_deg)


#: Rows of the sensitivity table: what happens if one choice had been another.
SENSITIVITY = {
    "random_starts": replace(ScenarioConfig(), starts="random"),
    "fov_90": replace(ScenarioConfig(), fov_deg=90.0),
    "free_turns": replace(ScenarioConfig(), free_turns=True),
}
