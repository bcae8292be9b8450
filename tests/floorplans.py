"""The real floor plans with room labels, one file each."""

from data import ROOT

FOLDER = ROOT / "floorplans"
GDC_3, GDC_3NE = (FOLDER / f"utexas_gdc/{name}/{name}.yaml" for name in ("3", "3ne"))
FARO = FOLDER / "tmcl/Faro/floor.config"
APT_SMALL, APT_MULTI = (FOLDER / f"houseexpo/apt_{name}.json" for name in ("small", "multi"))
PLANS = (GDC_3, GDC_3NE, FARO, APT_SMALL, APT_MULTI)

missing = [str(path) for path in PLANS if not path.is_file()]
assert not missing, f"no floor plans {missing}: set ADM_TEST_DATA"
