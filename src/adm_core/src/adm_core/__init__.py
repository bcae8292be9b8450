"""Dynamic-memory mission planning and multi-robot semantic search, free of ROS."""

import logging

__version__ = "0.1.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())
