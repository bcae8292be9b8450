"""A set of markers that is replaced as a whole, without flicker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from visualization_msgs.msg import Marker, MarkerArray


class MarkerBoard:
    """Number markers, and delete those of the last set that are no more.

    A whole set is sent each time, so on a latched topic a late viewer sees all of it. Markers
    have no time: they hold until the next set.

    Parameters
    ----------
    frame_id : str
        Frame of all poses.
    """

    def __init__(self, frame_id: str) -> None:
        self._frame_id = frame_id
        self._shown: set[tuple[str, int]] = set()

    def replace(self, markers: Iterable[Marker]) -> MarkerArray:
        """Return the message that makes `markers` all that is shown."""
        numbers: Counter[str] = Counter()
        array = MarkerArray()
        shown = set()
        for marker in markers:
            marker.id = numbers[marker.ns]
            numbers[marker.ns] += 1
            marker.header.frame_id = self._frame_id
            shown.add((marker.ns, marker.id))
            array.markers.append(marker)
        array.markers += [self._deletion(*key) for key in sorted(self._shown - shown)]
        self._shown = shown
        return array

    def _deletion(self, kind: str, number: int) -> Marker:
        marker = Marker(ns=kind, id=number, action=Marker.DELETE)
        marker.header.frame_id = self._frame_id
        return marker
