"""Classic analyses of any language, from the roles of its kinds."""

from relayish._support.face import imported_names as _imported_names
from relayish.dataflow.analyses.aliases import Aliases
from relayish.dataflow.analyses.definite_initialisation import (
    DefiniteInitialisation,
    uninitialised_uses,
)
from relayish.dataflow.analyses.dominator_tree import (
    PointDominators,
    find_dominators,
    find_post_dominators,
)
from relayish.dataflow.analyses.dominators import Dominators, PostDominators
from relayish.dataflow.analyses.escape import Escape, may_have_escaped
from relayish.dataflow.analyses.expressions import AvailableExpressions, VeryBusyExpressions
from relayish.dataflow.analyses.liveness import Liveness
from relayish.dataflow.analyses.reaching_definitions import ReachingDefinitions
from relayish.dataflow.analyses.use_def import UseDefChains, find_use_def_chains
from relayish.dataflow.analyses.value_numbers import EXPRESSION_KEYS, ValueNumbers

__all__ = _imported_names(__name__)
