"""Ways to drive the base somewhere, behind one interface; see docs/navigation.md."""

from adm_nodes.navigation.protocol import NavFeedback as NavFeedback
from adm_nodes.navigation.protocol import NavGoal as NavGoal
from adm_nodes.navigation.protocol import Navigator as Navigator
from adm_nodes.navigation.protocol import NavOutcome as NavOutcome
from adm_nodes.navigation.protocol import NavResult as NavResult
from adm_nodes.navigation.protocol import NavTask as NavTask
