import numpy as np
import pytest
from adm_core.grid.terrain import Terrain
from adm_core.memory.dynamic import DynamicMemory
from adm_core.memory.parameters import MemoryConfig
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.memory.static import Mission, Station
from adm_core.planning.plan import Step, triggering_change
from adm_core.types import GridMap, Pose2D

GRID = GridMap(np.zeros((10, 10), np.int8), 0.35)
MISSION = Mission(
    "bring them", GRID.map_id,
    (Station("A", Pose2D(0.2, 0.2), ("can",)), Station("B", Pose2D(3.0, 3.0), ("bottle",))),
    5, 100, 0.3, 0.0, True, 0.8,
)  # fmt: skip
PLACE = Pose2D(1.5, 1.5)
CONFIG = MemoryConfig(
    association="gated", report_sigma_m=0.08, revise_class=True, associate_onboard=True
)


def memory(config=CONFIG):
    found = DynamicMemory(MISSION, Terrain.for_robot(GRID, 0.0), config)
    found.observe(batch(Source.STATIC_PRIOR, 0.0, [("can", PLACE, 0.7)]), 0.0)
    return found


def batch(source, stamp, seen):
    detections = tuple(Detection(label, pose, sure) for label, pose, sure in seen)
    return EvidenceBatch(1, source, "somebody", stamp, detections, "map", MISSION.map_id)


def shifted(metres):
    return PLACE._replace(x=PLACE.x + metres)


def test_a_stronger_report_corrects_the_class_and_with_it_the_station():
    known = memory()
    changes = known.observe(batch(Source.ONBOARD, 1.0, [("bottle", shifted(0.03), 0.95)]), 1.0)
    (record,) = known.records()
    assert (record.id, record.label) == ("e001", "bottle")
    plan = (Step("navigate", "e001"), Step("grasp", "e001"), Step("deliver", "e001", "A"))
    change = triggering_change(changes, plan)
    assert change is not None and change.field == "label"
    assert MISSION.station_for(record.label).id == "B"


def test_reports_of_the_corrected_class_find_the_entity():
    known = memory()
    for stamp in (1.0, 2.0, 3.0):
        known.observe(batch(Source.ONBOARD, stamp, [("bottle", PLACE, 0.95)]), stamp)
    assert len(known.records()) == 1


def test_a_weaker_report_corrects_nothing():
    known = memory()
    known.observe(batch(Source.ONBOARD, 1.0, [("can", PLACE, 0.95)]), 1.0)
    known.observe(batch(Source.REMOTE, 1.5, [("bottle", PLACE, 0.6)]), 1.5)
    assert [item.label for item in known.records()] == ["can"]


@pytest.mark.parametrize(
    "seen",
    [
        [("bottle", shifted(0.30), 0.95)],
        [("bottle", shifted(0.1), 0.95), ("can", shifted(-0.1), 0.95)],
    ],
    ids=["elsewhere", "both are there"],
)
def test_another_thing_is_another_entity(seen):
    known = memory()
    known.observe(batch(Source.ONBOARD, 1.0, seen), 1.0)
    assert sorted(item.label for item in known.records()) == ["bottle", "can"]


def test_it_is_off_unless_asked_for():
    known = memory(MemoryConfig())
    known.observe(batch(Source.ONBOARD, 1.0, [("bottle", PLACE, 0.95)]), 1.0)
    assert sorted(item.label for item in known.records()) == ["bottle", "can"]


def test_an_own_sighting_beside_the_cell_is_the_same_thing():
    known = memory()
    known.observe(batch(Source.ONBOARD, 1.0, [("can", shifted(0.14), 0.95)]), 1.0)
    known.observe(batch(Source.ONBOARD, 2.0, [("can", shifted(0.2), 0.95)]), 2.0)
    assert len(known.records()) == 1
