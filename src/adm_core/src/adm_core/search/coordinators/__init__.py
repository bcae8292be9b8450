"""Who divides the rooms among the robots: the built-in rule, a noisy form of it, a model."""

from adm_core.search.coordinators.assignment import Assignment as Assignment
from adm_core.search.coordinators.assignment import Context as Context
from adm_core.search.coordinators.assignment import Coordinator as Coordinator
from adm_core.search.coordinators.heuristic import TYPED as TYPED
from adm_core.search.coordinators.heuristic import HeuristicConfig as HeuristicConfig
from adm_core.search.coordinators.heuristic import HeuristicCoordinator as HeuristicCoordinator
from adm_core.search.coordinators.noisy import NoisyConfig as NoisyConfig
from adm_core.search.coordinators.noisy import NoisyCoordinator as NoisyCoordinator
