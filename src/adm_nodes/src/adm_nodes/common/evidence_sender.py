"""Evidence of a mission, sent in order; what did not arrive is had by asking."""

from __future__ import annotations

from adm_core.memory.records import EvidenceBatch

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, qos
from adm_nodes.common.lifecycle import AdmNode

#: Batches in one answer, so that it stays small.
_MOST = 200


class EvidenceSender:
    """Publishes batches on ``evidence`` and serves all of a mission as ``get_evidence``.

    Parameters
    ----------
    node : AdmNode
        Owner, being set up.
    """

    def __init__(self, node: AdmNode) -> None:
        self._sent: list[EvidenceBatch] = []
        self._publish = node.add_publisher(msgs.EvidenceBatch, "evidence", qos.EVIDENCE)
        node.add_service(srvs.GetEvidence, "get_evidence", self._on_get)

    def send(self, batch: EvidenceBatch) -> None:
        """Publish a batch and keep it."""
        self._sent.append(batch)
        self._publish(conversions.batch_to_msg(batch))

    def forget(self) -> None:
        """Begin another mission."""
        self._sent.clear()

    def _on_get(
        self, request: srvs.GetEvidence.Request, response: srvs.GetEvidence.Response
    ) -> None:
        wanted = [item for item in self._sent if request.first <= item.seq <= request.last]
        response.batches = [conversions.batch_to_msg(item) for item in wanted[:_MOST]]
