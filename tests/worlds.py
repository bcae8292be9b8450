"""Small missions and memories that many tests use."""

from adm_core.grid.terrain import Terrain
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.memory.static import Mission, Station
from adm_core.simulation.layout import open_field
from adm_core.types import Cell, Pose2D


def field(side: int = 6) -> Terrain:
    """Return an open grid of `side` x `side` cells of one metre."""
    return Terrain.for_robot(open_field(side), 0.0, diagonal=False)


def at(row: int, col: int) -> Pose2D:
    """Return the centre of a cell of :func:`field`."""
    return Pose2D(col + 0.5, row + 0.5, 0.0)


def mission(side: int = 6, expected: int = 2, budget: int = 100) -> Mission:
    """Return a mission with a can station at one corner and a bottle station at the other."""
    return Mission(
        goal="bring the containers to their stations",
        map_id="m",
        stations=(
            Station("station_A", at(0, 0), ("can",)),
            Station("station_B", at(side - 1, side - 1), ("bottle",)),
        ),
        expected=expected,
        budget_steps=budget,
        step_m=1.0,
        robot_radius_m=0.0,
        diagonal=False,
        view_m=1.0,
    )


class Reports:
    """Source of evidence batches with running numbers."""

    def __init__(self) -> None:
        self.seq = 0

    def __call__(
        self,
        *seen: tuple[str, Cell, float],
        stamp: float = 0.0,
        source: Source = Source.REMOTE,
        **more: object,
    ) -> EvidenceBatch:
        """Return a batch of (label, cell, confidence)."""
        self.seq += 1
        detections = tuple(Detection(label, at(*cell), q) for label, cell, q in seen)
        return EvidenceBatch(self.seq, source, "test", stamp, detections, **more)
