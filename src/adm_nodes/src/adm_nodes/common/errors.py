"""What can go wrong between nodes."""

from adm_core.errors import MissionError


class NotActiveError(Exception):
    """The node cannot answer now; the same request may be sent again."""


class RefusedError(MissionError):
    """A node refused a request, with its reason."""


class DeadlineError(MissionError):
    """A node has not answered for longer than it may."""


class StoppedError(Exception):
    """The wait for an answer was given up because the node is being deactivated."""
