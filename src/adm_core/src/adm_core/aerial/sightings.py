"""What is in a drone's picture, in the map frame, with covariance: from pixels to evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adm_core.aerial.estimate import Pose3, Whereabouts
from adm_core.aerial.tags import SeenTag
from adm_core.aerial.view import AerialCamera
from adm_core.manipulation.certainty import place_confidence
from adm_core.manipulation.colour import Picture, SegmentationConfig, segment
from adm_core.manipulation.perception import ContainerKind
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.types import Pose2D

Floats = npt.NDArray[np.float64]

_PIXEL_SIGMA = 1.5
#: From above a container is small: little may be opened away.
SEGMENTATION = SegmentationConfig(open_px=3, close_px=5, min_area_px=30)


@dataclass(frozen=True)
class Sighting:
    """Something in a picture.

    Attributes
    ----------
    label : str
        Class.
    place : (float, float)
        x, y in the map frame, metres.
    covariance : float64[2, 2]
        Of the place: the drone's own, its sway and the pixels, square metres.
    confidence : float
        How sure the detector is, in [0, 1].
    entity_id : str
        Identity, where a tag gives one.
    """

    label: str
    place: tuple[float, float]
    covariance: Floats
    confidence: float
    entity_id: str = ""


@dataclass(frozen=True)
class Observer:
    """What is looked for, and how sure one is of it.

    Attributes
    ----------
    camera : AerialCamera
        The drone's camera.
    kinds : tuple of ContainerKind
        Containers by colour.
    tagged : mapping of int to str
        Tags that are containers, and their class.
    confidence : float
        Of a whole spot; a spot that the picture cuts counts half.
    attitude_rad : float
        Standard deviation of roll and pitch.
    segmentation : SegmentationConfig
        Morphology and least area.
    """

    camera: AerialCamera
    kinds: tuple[ContainerKind, ...] = ()
    tagged: Mapping[int, str] | None = None
    confidence: float = 0.85
    attitude_rad: float = 0.0
    segmentation: SegmentationConfig = SEGMENTATION

    def look(
        self, picture: Picture, known: Whereabouts, tags: Sequence[SeenTag] = ()
    ) -> list[Sighting]:
        """Return what a picture shows, seen from an estimated place; empty if nothing.

        Parameters
        ----------
        picture : uint8[rows, cols, 3]
            Blue, green, red.
        known : Whereabouts
            Where the drone was.
        tags : sequence of SeenTag
            Tags in the picture.
        """
        found = []
        for kind in self.kinds:
            for blob in segment(picture, kind.label, kind.ranges, self.segmentation):
                sure = self.confidence * (0.5 if blob.cut else 1.0)
                found.append(self._sighting(kind.label, blob.centre, kind.height_m, known, sure))
        for tag in tags:
            label = (self.tagged or {}).get(tag.id)
            if label is not None:
                name = f"tag{tag.id}"
                found.append(self._sighting(label, tag.centre, 0.0, known, self.confidence, name))
        return [item for item in found if item is not None]

    def _sighting(
        self,
        label: str,
        pixel: npt.ArrayLike,
        height_m: float,
        known: Whereabouts,
        confidence: float,
        entity_id: str = "",
    ) -> Sighting | None:
        """Return a spot's place; half-way up where it is a body, since that is its middle."""
        level = height_m / 2
        place = self.camera.on_floor(known.pose, pixel, level)[0]
        if not np.isfinite(place).all():
            return None
        covariance = self._covariance(np.asarray(pixel, np.float64), level, known)
        return Sighting(
            label, (float(place[0]), float(place[1])), covariance, confidence, entity_id
        )

    def _covariance(self, pixel: Floats, level: float, known: Whereabouts) -> Floats:
        """Return the covariance of a spot's place by first-order propagation."""
        pose = known.pose
        place = self.camera.on_floor(pose, pixel, level)[0]
        arm = place - np.array([pose.x, pose.y])
        own = np.array([[1.0, 0.0, -arm[1]], [0.0, 1.0, arm[0]]])  # by x, y, yaw of the drone
        beside = np.stack([pixel, pixel + np.array([1.0, 0.0]), pixel + np.array([0.0, 1.0])])
        spots = self.camera.on_floor(pose, beside, level)
        by_pixel = (spots[1:] - spots[0]).T
        if not np.isfinite(by_pixel).all():
            by_pixel = np.eye(2) * (pose.z / self.camera.model.fx)
        sway = by_pixel * self.camera.model.fx * self.attitude_rad  # a turn shifts the picture
        spread = own @ known.covariance @ own.T + sway @ sway.T
        return spread + _PIXEL_SIGMA**2 * by_pixel @ by_pixel.T


def report(
    sightings: Sequence[Sighting],
    camera: AerialCamera,
    pose: Pose3,
    stamp: float,
    source_id: str,
    tolerance_m: float,
    map_id: str = "",
    frame_id: str = "map",
    seq: int = 0,
) -> EvidenceBatch:
    """Return the evidence of one picture; what it covered and did not show counts, too.

    A detection's confidence is multiplied by how likely its place is right, so that a drone
    that is lost convinces nobody.

    Parameters
    ----------
    sightings : sequence of Sighting
        What was seen.
    camera, pose : AerialCamera, Pose3
        From where.
    stamp : float
        When, seconds of mission time.
    source_id : str
        Name of the drone.
    tolerance_m : float
        A place that is off by less is right.
    """
    detections = tuple(
        Detection(
            item.label,
            Pose2D(*item.place),
            item.confidence * place_confidence(item.covariance, tolerance_m),
            item.entity_id,
        )
        for item in sightings
    )
    area = camera.footprint(pose)
    return EvidenceBatch(seq, Source.REMOTE, source_id, stamp, detections, frame_id, map_id, area)
