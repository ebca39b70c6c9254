"""Aims: where values are wanted, so that they are computed there from the start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.codegen.c.ordering.leaves import Layouts
from relayish.ir.relay.expr import Expr, Tuple, Var
from relayish.ir.relay.type import Type
from relayish.tir.ir.tensor import Tensor


class Aim:
    """Where the value of an expression is wanted.

    Attributes:
        places: Memory for each of its tensors; ``None`` where any will do.
        type: Its type, where more is known of it than of the expression.
        is_last: Whether the value is that of the function.
    """

    __slots__ = ("is_last", "places", "type")

    def __init__(
        self,
        places: Sequence[Tensor | None] | None,
        ty: Type | None = None,
        *,
        is_last: bool = False,
    ) -> None:
        self.places: Final = places
        self.type: Final = ty
        self.is_last: Final = is_last


ANYWHERE: Final = Aim(None)


def aims_of(
    bindings: Sequence[tuple[Var, Expr]], last: Expr, aim: Aim, layouts: Layouts
) -> dict[Var, Aim]:
    """Return where values of bindings are wanted that a block gives."""
    if aim.places is None:
        return {}
    values = dict(bindings)
    found: dict[Var, Aim] = {}
    at = 0
    for field in last.fields if isinstance(last, Tuple) else (last,):
        count = len(layouts.of(field.checked_type, field))
        var: Expr | None = field
        while isinstance(var, Var) and isinstance(values.get(var), Var):
            var = values[var]
        if isinstance(var, Var) and var in values:
            found.setdefault(var, Aim(aim.places[at : at + count], var.type_annotation))
        at += count
    return found
