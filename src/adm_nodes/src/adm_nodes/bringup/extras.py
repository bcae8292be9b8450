"""Nodes beside those that a mission needs; none of the others depends on them."""

from __future__ import annotations

from adm_nodes.bringup.spec import NodeSpec
from adm_nodes.common.run_config import ExtrasConfig

#: Draws a search.
SEARCH_VIEWER = NodeSpec("sagr_nodes.search_viewer:SearchViewerNode", respawn=True)


def extra_nodes(
    extras: ExtrasConfig, viewers: tuple[NodeSpec, ...], audit: str = ""
) -> tuple[NodeSpec, ...]:
    """Return the extra nodes that were asked for; they come first in a stack, to miss nothing.

    Parameters
    ----------
    extras : ExtrasConfig
        What was asked for.
    viewers : tuple of NodeSpec
        Who draws this kind of mission.
    audit : str
        File of the audit log, whose size diagnostics report; empty: none.
    """
    told = {"audit": audit}
    diagnostics = NodeSpec("adm_nodes.diagnostics:DiagnosticsNode", parameters=told, respawn=True)
    return (
        *((diagnostics,) if extras.diagnostics else ()),
        *(viewers if extras.view else ()),
    )
