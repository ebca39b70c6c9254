"""Classic analyses of any language, from the roles of its kinds."""

from relayish.dataflow.analyses.liveness import Liveness

__all__ = ["Liveness"]
