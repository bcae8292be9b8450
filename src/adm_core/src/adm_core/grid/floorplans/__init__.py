"""Readers of floor plans with rooms: one value type, one entry for all kinds of files."""

from adm_core.grid.floorplans.load import load_floorplan as load_floorplan
from adm_core.grid.floorplans.plan import LabelledMap as LabelledMap
from adm_core.grid.floorplans.plan import PlanObject as PlanObject
