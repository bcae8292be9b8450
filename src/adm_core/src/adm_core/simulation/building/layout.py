"""Draw a floor plan: a spine corridor, rooms on both sides, doors, rooms behind rooms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from adm_core.errors import ConfigError
from adm_core.simulation.building.plan import MODULE_M, Door, FloorPlan, Rect, Room

#: Least width of a room, and least depth of one at a corridor and of one behind another.
MIN_WIDTH, MIN_FRONT, MIN_BACK = 9, 9, 8
#: Rooms at the corridor get narrower than this only where rooms behind them are not enough.
GOOD_WIDTH = 13
#: From the first length on a building may have a cross corridor, from the second it has one.
MAY_CROSS, MUST_CROSS = 72, 100


@dataclass(frozen=True)
class LayoutRules:
    """What to draw, lengths in modules.

    Attributes
    ----------
    corridor, door : int
        Widths of the corridors and of the doors.
    rooms : int or None
        Number of rooms besides corridors; None takes one for each `m2_per_room`.
    m2_per_room : float
        Floor area of the whole building per room.
    side_doors : float
        Share of neighbours at the corridor that are joined by a door of their own.
    back_doors : float
        The same for neighbours that both lie behind another room.
    arm_doors : bool
        Whether a room behind another one has a door to a cross corridor that it lies at.
    cross : float or None
        Chance of a cross corridor where there is room for one; None takes it from the length
        of the building.
    max_depth : int or None
        Where a room would be deeper than this there are two, one behind the other, and the
        spine keeps near enough to the middle for two to do. The number of rooms is then met
        as nearly as this allows. At least 17, the depth of the smallest two rooms.
    """

    corridor: int = 7
    door: int = 4
    rooms: int | None = None
    m2_per_room: float = 20.0
    side_doors: float = 0.15
    back_doors: float = 0.0
    arm_doors: bool = False
    cross: float | None = None
    max_depth: int | None = None

    def __post_init__(self) -> None:
        least = MIN_FRONT + MIN_BACK
        if self.max_depth is not None and self.max_depth < least:
            raise ValueError(f"max_depth must be >= {least}, got {self.max_depth}")


def draw_plan(width: int, height: int, rules: LayoutRules, rng: np.random.Generator) -> FloorPlan:
    """Draw a plan. Every room has a way to the spine, for it is made with its door.

    Parameters
    ----------
    width, height : int
        Outer size in modules; the spine runs along the longer side.
    rules : LayoutRules
    rng : Generator
        The only source of chance.

    Raises
    ------
    ConfigError
        The building is too small, or the number of rooms does not fit.
    """
    if height > width:
        return draw_plan(height, width, rules, rng).turned()
    least = 2 * MIN_FRONT + rules.corridor + 4
    if height < least:
        raise ConfigError(
            f"a building must be at least {least * MODULE_M:g} m along both sides, "
            f"got {width * MODULE_M:g} x {height * MODULE_M:g} m"
        )
    drawing = _Drawing(width, height, rules, rng)
    drawing.add_corridors()
    drawing.add_rooms()
    return FloorPlan(width, height, tuple(drawing.rooms), tuple(drawing.doors))


class _Drawing:
    """A plan under construction, its spine along x."""

    def __init__(
        self, width: int, height: int, rules: LayoutRules, rng: np.random.Generator
    ) -> None:
        self.width, self.height, self.rules, self.rng = width, height, rules, rng
        self.rooms: list[Room] = []
        self.doors: list[Door] = []

    def add_corridors(self) -> None:
        """Lay the spine and, in long buildings, a cross corridor of two arms."""
        wide = self.rules.corridor
        spare = self.height - 4 - wide - 2 * MIN_FRONT
        y0 = 2 + MIN_FRONT + round(spare * self.rng.uniform(0.35, 0.65))
        if self.rules.max_depth is not None:
            deepest = 2 * self.rules.max_depth + 1
            y0 = min(max(y0, self.height - 2 - wide - deepest), deepest + 2)
        y1 = y0 + wide
        self.rooms.append(Room(Rect(1, y0, self.width - 1, y1), "corridor"))
        x0 = round(self.width * self.rng.uniform(0.35, 0.65)) - wide // 2
        x1 = x0 + wide
        by_length = (self.width - MAY_CROSS) / (MUST_CROSS - MAY_CROSS)
        chance = by_length if self.rules.cross is None else self.rules.cross
        roomy = min(x0 - 2, self.width - 2 - x1) >= MIN_WIDTH
        if self.rng.random() < chance and roomy:
            below, above = Rect(x0, 1, x1, y0 - 1), Rect(x0, y1 + 1, x1, self.height - 1)
            for arm, wall in ((below, y0 - 1), (above, y1)):
                self.doors.append(Door(Rect(x0, wall, x1, wall + 1), (0, len(self.rooms))))
                self.rooms.append(Room(arm, "corridor"))

    def add_rooms(self) -> None:
        """Cut the blocks beside the corridors into rooms and give each its door."""
        blocks = list(self._blocks())
        slices, backs = self._counts(blocks)
        for block, count, behind in zip(blocks, slices, backs, strict=True):
            fronts = []
            with_back = self._choose(count, behind)
            for index, rect in enumerate(self._slices(block, count)):
                fronts.append(len(self.rooms))
                self._add_suite(rect, index in with_back)
            self._add_side_doors(fronts, self.rules.side_doors)
            if self.rules.back_doors:
                backs_of = [self._back_of(front) for front in fronts]
                self._add_side_doors(backs_of, self.rules.back_doors)
        if self.rules.arm_doors:
            self._add_arm_doors()

    def _blocks(self) -> Iterator[Rect]:
        """Yield the rectangles that corridors and outer walls leave over."""
        spine, *arms = (room.rect for room in self.rooms)
        ends = [1, *(x for arm in arms[:1] for x in (arm.x0 - 1, arm.x1 + 1)), self.width - 1]
        for x0, x1 in zip(ends[::2], ends[1::2], strict=True):
            yield Rect(x0, 1, x1, spine.y0 - 1)
            yield Rect(x0, spine.y1 + 1, x1, self.height - 1)

    def _counts(self, blocks: list[Rect]) -> tuple[list[int], list[int]]:
        """Return the rooms at the corridor, and those behind them, of each block."""
        good = sum(_most_slices(block, GOOD_WIDTH) for block in blocks)
        narrow = [_most_slices(block, MIN_WIDTH) for block in blocks]
        limit = sum(narrow) + sum(_places_behind(narrow, blocks))
        wanted = self._wanted(len(blocks), limit)
        if self.rules.max_depth is not None:
            return _split_deep(blocks, wanted, self.rules.max_depth)
        total = max(len(blocks), min(wanted, good))
        slices = _share_out(total, blocks)
        while wanted - total > sum(_places_behind(slices, blocks)):
            total += 1
            slices = _share_out(total, blocks)
        owners = np.repeat(np.arange(len(blocks)), _places_behind(slices, blocks))
        chosen = owners[sorted(self._choose(owners.size, wanted - total))]
        return slices, np.bincount(chosen, minlength=len(blocks)).tolist()

    def _wanted(self, least: int, most: int) -> int:
        """Return the number of rooms, refused if it is given and cannot be."""
        area = self.width * self.height * MODULE_M**2
        usual = round(area / self.rules.m2_per_room * self.rng.uniform(0.85, 1.15))
        if self.rules.rooms is None:
            return min(max(least, usual), most)
        if not least <= self.rules.rooms <= most:
            raise ConfigError(
                f"rooms must be {least} to {most} in this building of {self.width * MODULE_M:g} x "
                f"{self.height * MODULE_M:g} m, got {self.rules.rooms}"
            )
        return self.rules.rooms

    def _choose(self, size: int, count: int) -> set[int]:
        """Return `count` of the numbers below `size`."""
        return set(np.argsort(self.rng.random(size), kind="stable")[:count].tolist())

    def _slices(self, block: Rect, count: int) -> Iterator[Rect]:
        """Cut a block along x into `count` rooms of unequal widths."""
        spare = block.width - (count - 1) - count * MIN_WIDTH
        weights = np.cumsum(0.5 + self.rng.random(count))
        extra = np.floor(spare * weights / weights[-1] + 0.5).astype(int)
        x0 = block.x0
        for width in np.diff(extra, prepend=0).tolist():
            yield Rect(x0, block.y0, x0 + MIN_WIDTH + width, block.y1)
            x0 += MIN_WIDTH + width + 1

    def _add_suite(self, rect: Rect, has_back: bool) -> None:
        """Add a room with its door to the spine, and maybe a room behind it."""
        front, back = self._split(rect) if has_back else (rect, None)
        index = len(self.rooms)
        self.rooms.append(Room(front))
        self._add_door(0, index)
        if back is not None:
            self.rooms.append(Room(back, is_back=True))
            self._add_door(index, index + 1)

    def _split(self, rect: Rect) -> tuple[Rect, Rect]:
        """Split a deep room into the part at the spine and the part behind it."""
        spare = rect.height - 1 - MIN_FRONT - MIN_BACK
        depth = MIN_BACK + round(spare * 0.6 * self.rng.random())
        if self.rules.max_depth is not None:
            depth = max(min(depth, self.rules.max_depth), rect.height - 1 - self.rules.max_depth)
        if rect.y1 < self.rooms[0].rect.y0:
            wall = rect.y0 + depth
            return replace(rect, y0=wall + 1), replace(rect, y1=wall)
        wall = rect.y1 - depth - 1
        return replace(rect, y1=wall), replace(rect, y0=wall + 1)

    def _add_side_doors(self, row: Sequence[int | None], share: float) -> None:
        """Join some neighbours of a row, so that doors do not always form a tree."""
        for left, right in pairwise(row):
            if left is not None and right is not None and self.rng.random() < share:
                self._add_door(left, right)

    def _back_of(self, front: int) -> int | None:
        """Return the room behind room `front`, which is the one added after it."""
        behind = front + 1
        return behind if behind < len(self.rooms) and self.rooms[behind].is_back else None

    def _add_arm_doors(self) -> None:
        """Open the rooms behind others that lie at a cross corridor to it."""
        for arm, corridor in enumerate(self.rooms[1:3], 1):
            if corridor.type != "corridor":
                return
            for index, room in enumerate(self.rooms):
                rect, least = corridor.rect, self.rules.door + 2
                touch = room.rect.x1 + 1 == rect.x0 or rect.x1 + 1 == room.rect.x0
                shared = min(room.rect.y1, rect.y1) - max(room.rect.y0, rect.y0)
                if room.is_back and touch and shared >= least:
                    self._add_door(arm, index)

    def _add_door(self, first: int, second: int) -> None:
        """Open a door somewhere in the wall that two rooms share."""
        a, b = self.rooms[first].rect, self.rooms[second].rect
        low, high = max(a.x0, b.x0), min(a.x1, b.x1)
        if low < high:
            wall, start = min(a.y1, b.y1), self._door_start(low, high)
            rect = Rect(start, wall, start + self.rules.door, wall + 1)
        else:
            wall = min(a.x1, b.x1)
            start = self._door_start(max(a.y0, b.y0), min(a.y1, b.y1))
            rect = Rect(wall, start, wall + 1, start + self.rules.door)
        self.doors.append(Door(rect, (first, second)))

    def _door_start(self, low: int, high: int) -> int:
        """Return where a door begins that keeps a module away from the corners."""
        return int(self.rng.integers(low + 1, high - self.rules.door))


def _most_slices(block: Rect, width: int) -> int:
    """Return how many rooms of `width` with walls between them fit side by side."""
    return max(1, (block.width + 1) // (width + 1))


def _places_behind(slices: list[int], blocks: list[Rect]) -> list[int]:
    """Return how many rooms of each block are deep enough to be split in two."""
    return [
        count if block.height > MIN_FRONT + MIN_BACK else 0
        for block, count in zip(blocks, slices, strict=True)
    ]


def _split_deep(blocks: list[Rect], wanted: int, max_depth: int) -> tuple[list[int], list[int]]:
    """Return rooms at the corridor and behind them, two for one in blocks that are too deep."""
    most = sum(_most_slices(block, MIN_WIDTH) for block in blocks)
    total = len(blocks)
    while True:
        slices = _share_out(total, blocks)
        backs = [
            count if block.height > max_depth else 0
            for count, block in zip(slices, blocks, strict=True)
        ]
        if sum(slices) + sum(backs) >= wanted or total >= most:
            return slices, backs
        total += 1


def _share_out(total: int, blocks: list[Rect]) -> list[int]:
    """Give every block one room, and each further one to where rooms are widest."""
    counts = [1] * len(blocks)
    for _ in range(total - len(blocks)):
        widths = [
            block.width / (count + 1) if count < _most_slices(block, MIN_WIDTH) else 0.0
            for block, count in zip(blocks, counts, strict=True)
        ]
        counts[widths.index(max(widths))] += 1
    return counts
