"""Where real maps and floor plans for tests are: ``$ADM_TEST_DATA`` or ``../shared/data``."""

import os
from pathlib import Path

ROOT = Path(os.environ.get("ADM_TEST_DATA") or Path(__file__).parents[2] / "shared" / "data")


def maps() -> list[Path]:
    """Return the map_server files; an empty list if there is no test data."""
    return sorted((ROOT / "maps").glob("*/*.yaml"))
