"""Reassociation: combine constants that are added, or multiplied, one after the other.

Before::

    let %y = Add_14(%x, 2f);
    let %z = Add_14(%y, 3f);

After::

    let %z = Add_14(%x, 5f);
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine import is_float
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule


@register_pass("CombineConstants", opt_level=2, idempotent=True)
def combine_constants(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Reassociation: combine constants that are added, or multiplied, one after the other.

    ``Add`` of ``Add``, ``Mul`` of ``Mul`` by constants, nothing else using what lies between,
    become one; ``Sub`` and ``Div`` of floats by a constant count as such. Integers are exact; of
    floats the result may differ by rounding, and where the combined constant leaves the range of
    the element type nothing is done.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and the elements of the constants.
    """
    return rewrite_function(func, RULES, mod)


Array = npt.NDArray[Any]  # Any: of whatever element type
_FAMILIES: Final = {"Add": "Add", "Sub": "Add", "Mul": "Mul", "Div": "Mul"}

_BFLOAT16_TINY: Final = 2.0**-126


@rule(*_FAMILIES)
def combine(call: Call, graph: Rewriter) -> Call | None:
    """Return one sum, or product, for two with constants."""
    outer = _read_term(call, graph)
    if outer is None or not graph.is_used_once(outer[0]):
        return None
    family = _FAMILIES[graph.operator(call) or ""]
    before = graph.producer(outer[0], *_FAMILIES)
    if before is None or _FAMILIES[graph.operator(before) or ""] != family:
        return None
    inner = _read_term(before, graph)
    if inner is None or inner[1].dtype != outer[1].dtype:
        return None
    number = _combine(inner[1], outer[1], family)
    if number is None or number.size > max(inner[1].size, outer[1].size):
        return None
    return graph.call(family, (inner[0], graph.emit_constant("constant", number)), like=call)


def _read_term(call: Call, graph: Rewriter) -> tuple[Expr, Array] | None:
    """Return a value, and the constant that is added to it, or that it is multiplied by."""
    if graph.version(call) < 7:
        return None
    lhs, rhs = inputs_of(call)
    array = graph.constant(rhs)
    operator = graph.operator(call)
    if array is None:
        array = graph.constant(lhs)
        return (rhs, array) if array is not None and operator in ("Add", "Mul") else None
    if operator in ("Add", "Mul"):
        return lhs, array
    if not is_float(array):
        return None
    if operator == "Sub":
        return lhs, -array
    wide = np.asarray(array, np.float64)
    if not wide.all():
        return None
    inverse = (1.0 / wide).astype(array.dtype)
    return (lhs, inverse) if _is_exact_inverse(inverse, wide) else None


def _is_exact_inverse(inverse: Array, wide: Array) -> bool:
    return bool((np.asarray(inverse, np.float64) * wide == 1.0).all())


def _combine(some: Array, others: Array, family: str) -> Array | None:
    if not is_float(some):
        if some.dtype.kind not in "iu":
            return None
        with np.errstate(over="ignore"):
            return np.asarray(some + others if family == "Add" else some * others)
    lhs, rhs = np.asarray(some, np.float64), np.asarray(others, np.float64)
    with np.errstate(all="ignore"):
        wide = lhs + rhs if family == "Add" else lhs * rhs
        image = np.asarray(wide.astype(some.dtype))
    told = np.abs(np.asarray(image, np.float64))
    least = float(np.finfo(some.dtype).tiny) if some.dtype.kind == "f" else _BFLOAT16_TINY
    is_normal = np.isfinite(told) & ((told >= least) | (wide == 0))
    return image if is_normal.all() else None


RULES: Final = OnnxRules((combine,))
