"""Who goes where: rounds of optimal assignment and the order of visits."""

from adm_core.assignment.rounds import Rounds as Rounds
from adm_core.assignment.rounds import assign_rounds as assign_rounds
from adm_core.assignment.tours import order_open_path as order_open_path
