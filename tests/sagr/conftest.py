"""Real DDS for the tests of the search nodes: the bench of the other nodes' tests."""

from nodes.conftest import MISSING, domain, fresh_kernels, said, spinning

__all__ = ["domain", "fresh_kernels", "said", "spinning"]

if MISSING:
    collect_ignore_glob = ["test_*.py"]
