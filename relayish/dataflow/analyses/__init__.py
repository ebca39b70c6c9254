"""Classic analyses of any language, from the roles of its kinds."""

from relayish.dataflow.analyses.definite_initialisation import (
    DefiniteInitialisation,
    uninitialised_uses,
)
from relayish.dataflow.analyses.liveness import Liveness
from relayish.dataflow.analyses.reaching_definitions import ReachingDefinitions
from relayish.dataflow.analyses.use_def import UseDefChains, find_use_def_chains

__all__ = [
    "DefiniteInitialisation",
    "Liveness",
    "ReachingDefinitions",
    "UseDefChains",
    "find_use_def_chains",
    "uninitialised_uses",
]
