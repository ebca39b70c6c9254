"""Type inference over the whole language.

``unifier`` makes types equal, ``solver`` lets wait what cannot be told yet, ``environment`` knows
the types of variables, ``rule`` is where packages say what their kinds of expressions demand and
``inferencer`` says it of Relay's, ``annotate`` puts the types on the nodes and ``program`` does all
this for a module, function by function. ``signature`` says which types functions of other languages
have, ``wider`` which types stand for others, ``surroundings`` what errors quote of programs
without spans.
"""

from __future__ import annotations

from relayish.analysis.infer_type.program import infer_type, infer_type_local
from relayish.analysis.infer_type.rule import Inference, register_type_rule
from relayish.analysis.infer_type.signature import register_signature
from relayish.analysis.infer_type.wider import register_wider_type

__all__ = [
    "Inference",
    "infer_type",
    "infer_type_local",
    "register_signature",
    "register_type_rule",
    "register_wider_type",
]
