"""Settings of every test run."""

from hypothesis import settings
from sizes import FULL

# The small run repeats the same examples, so that it says something about the change at hand; the
# full run looks for new ones.
settings.register_profile("repeatable", derandomize=True, database=None)
if not FULL:
    settings.load_profile("repeatable")
