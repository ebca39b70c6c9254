"""Errors of attributes that were to be inferred first, as types are."""

from __future__ import annotations

import numpy as np

from relayish.errors import add_note, notes_of
from relayish.ir.nodes.node import node_kinds


def hint_of(error: BaseException) -> str | None:
    """Return what somebody should know who asked ``None`` for what an inferred type has.

    ``None`` for every other error, also where something else was ``None``; but of an array that is
    asked for ``numpy()``, as those of other libraries are, it is said that values are numpy's own.
    """
    if isinstance(error, AttributeError) and error.name in ("numpy", "asnumpy"):
        if isinstance(error.obj, (np.ndarray, np.generic)):
            return f"values are numpy's own, also constant.data: leave .{error.name}() out"
        return None
    if isinstance(error, AttributeError) and error.name == "value" and isinstance(error.obj, int):
        return "sizes are Python's own ints where they are known: leave .value out"
    if not isinstance(error, AttributeError) or error.name is None or error.obj is not None:
        return None
    if "'NoneType'" not in str(error):
        return None
    for kind in node_kinds().values():
        for declared in kind.fields_:
            if not declared.inferred or declared.kind is None:
                continue
            if any(error.name in held.__match_args__ for held in declared.kind.kinds):
                return (
                    f"if that was {declared.name}: it is None until types are inferred, and again "
                    f"where a rewrite made a node anew; run InferType first, or list it in "
                    f"required=; relay.type_of(expr) says of what a type is missing"
                )
    return None


def add_hint(error: BaseException) -> None:
    """Add to ``error``, once, the note that :func:`hint_of` gives."""
    hint = hint_of(error)
    if hint is not None and hint not in notes_of(error):
        add_note(error, hint)
