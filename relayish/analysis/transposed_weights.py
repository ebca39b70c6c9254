"""Transposed weights: variables that fully connected layers transpose on the way."""

from __future__ import annotations

from typing import Any, Final

from relayish.ir.relay.expr import Call, Expr, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType

_DENSE: Final = intern_op("nn.dense")
_TRANSPOSE: Final = intern_op("transpose")


def transposed_weight(call: Call) -> Var | None:
    """Return the variable that ``call`` multiplies by transposed, if it does so.

    It is a matrix by its annotation: ``nn.dense(x, transpose(w, axes=[1, 0]))``.
    """
    weight = call.args[1] if call.op is _DENSE else None
    if type(weight) is not Call or weight.op is not _TRANSPOSE or type(weight.args[0]) is not Var:
        return None
    ty = weight.args[0].type_annotation
    axes: Any = None if weight.attrs is None else weight.attrs.get("axes")  # Any: of the attribute
    swapped = not axes or [axis % 2 for axis in axes] == [1, 0]
    return weight.args[0] if isinstance(ty, TensorType) and len(ty.shape) == 2 and swapped else None


def search_fc_transpose(expr: Expr) -> list[str]:
    """Return the names of the variables that fully connected layers transpose, each once.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``analysis.search_fc_transpose``.

    Example:
        >>> from relayish import nn, transpose, var
        >>> x, w = var("x", shape=(1, 3)), var("w", shape=(3, 4))
        >>> search_fc_transpose(nn.dense(x, transpose(w, axes=(1, 0))))
        ['w']
    """
    calls = [node for node in EXPRESSIONS.post_order(expr) if type(node) is Call]
    found = [weight for call in calls if (weight := transposed_weight(call)) is not None]
    return list(dict.fromkeys(weight.name_hint for weight in found))
