"""Classic analyses of any language, from the roles of its kinds."""

from relayish.dataflow.analyses.definite_initialisation import (
    DefiniteInitialisation,
    uninitialised_uses,
)
from relayish.dataflow.analyses.escape import Escape, may_have_escaped
from relayish.dataflow.analyses.liveness import Liveness
from relayish.dataflow.analyses.reaching_definitions import ReachingDefinitions
from relayish.dataflow.analyses.use_def import UseDefChains, find_use_def_chains

__all__ = [
    "DefiniteInitialisation",
    "Escape",
    "Liveness",
    "ReachingDefinitions",
    "UseDefChains",
    "find_use_def_chains",
    "may_have_escaped",
    "uninitialised_uses",
]
