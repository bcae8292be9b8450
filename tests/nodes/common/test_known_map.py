"""Which life of the map a mission belongs to, also after a restart."""

from adm_core.memory.audit import AuditLog
from adm_nodes.common.known_map import KnownMap


def test_the_first_map_is_the_missions_and_every_later_one_another():
    known = KnownMap(None)
    assert [known.is_another(name) for name in ("m1", "m1", "m2", "m2", "m1")] == [
        False,
        False,
        True,
        False,
        True,
    ]


def test_a_restart_remembers_the_map(tmp_path):
    with AuditLog(tmp_path / "audit.sqlite") as log:
        assert not KnownMap(log).is_another("m1")
    with AuditLog(tmp_path / "audit.sqlite") as log:
        assert not KnownMap(log).is_another("m1")
        assert KnownMap(log).is_another("m2")
