"""What a simulator knows, as messages; apart from the conversions that every node uses."""

from __future__ import annotations

from adm_core.simulation.recycling import Ghost, Visit, WorldFacts

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common.conversions import pose_from_msg, pose_to_msg

__all__ = ["WorldFacts", "facts_from_reply", "fill_facts"]


def fill_facts(response: srvs.GetWorldFacts.Response, facts: WorldFacts) -> None:
    """Write the facts into a reply."""
    response.delivered = facts.delivered
    response.visits = [
        msgs.VainVisit(
            step=item.step, pose=pose_to_msg(item.pose), label=item.label, ghost=item.ghost
        )
        for item in facts.visits
    ]
    response.ghosts = [
        msgs.GhostReport(step=item.step, label=item.label, pose=pose_to_msg(item.pose))
        for item in facts.ghosts
    ]


def facts_from_reply(reply: srvs.GetWorldFacts.Response) -> WorldFacts:
    """Return the facts of a reply."""
    return WorldFacts(
        reply.delivered,
        tuple(
            Visit(item.step, pose_from_msg(item.pose), item.label, item.ghost)
            for item in reply.visits
        ),
        tuple(Ghost(item.step, item.label, pose_from_msg(item.pose)) for item in reply.ghosts),
    )
