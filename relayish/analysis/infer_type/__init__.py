"""Type inference over the whole language.

``unifier`` makes types equal, ``solver`` lets wait what cannot be told yet, ``environment`` knows
the types of variables, ``rule`` is where packages say what their kinds of expressions demand and
``inferencer`` says it of Relay's, ``annotate`` puts the types on the nodes and ``program`` does all
this for a module, function by function. ``signature`` says which types functions of other languages
have, ``wider`` which types stand for others, ``surroundings`` what errors quote of programs
without spans.
"""

from __future__ import annotations

from relayish.analysis.infer_type.environment import PATTERN_TYPE_RULES
from relayish.analysis.infer_type.program import infer_type, infer_type_local
from relayish.analysis.infer_type.rule import TYPE_RULES, Inference
from relayish.analysis.infer_type.signature import SIGNATURES
from relayish.analysis.infer_type.wider import WIDER_TYPES

__all__ = [
    "PATTERN_TYPE_RULES",
    "SIGNATURES",
    "TYPE_RULES",
    "WIDER_TYPES",
    "Inference",
    "infer_type",
    "infer_type_local",
]
