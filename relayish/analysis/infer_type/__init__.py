"""Type inference over the whole language.

``unifier`` makes types equal, ``solver`` lets wait what cannot be told yet, ``inferencer`` says
what each kind of expression demands, ``annotate`` puts the types on the nodes and ``program`` does
all this for a module, function by function.
"""

from __future__ import annotations

from relayish.analysis.infer_type.program import infer_type, infer_type_local

__all__ = ["infer_type", "infer_type_local"]
