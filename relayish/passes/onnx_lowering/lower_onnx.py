"""Lowering of models: operators of ONNX become Relay's.

Before::

    let %y = onnx::Conv_11(%x, %w, %b, pads=[1, 1, 1, 1]);
    onnx::Relu_14(%y)

After::

    %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=8, kernel_size=[3, 3]);
    let %y = nn.bias_add(%0, %b);
    nn.relu(%y)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from relayish.analysis.infer_type import infer_type
from relayish.domain import Visitor
from relayish.ir.domain import list_domains
from relayish.ir.relay.expr import Constant, Expr, Let
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from relayish.onnx.op_names import ONNX
from relayish.pass_infra import register_pass
from relayish.passes.lowering.context import LowerCtx, Unlowerable
from relayish.passes.lowering.module import lower_module
from relayish.passes.lowering.relay import LowerRelay
from relayish.passes.onnx_lowering.handler import LowerOnnxOperators


@register_pass("LowerOnnx", opt_level=0, idempotent=True)
def lower_onnx(
    mod: IRModule,
    *,
    unlowerable: Unlowerable = "keep",
    suffix: str = "",
    check: bool = True,
) -> IRModule:
    """Lowering: write operators of ONNX as Relay's.

    The domains of ONNX bring a handler each (``LowerOnnxOperators``), which asks the rules that are
    registered for its operators. What depends on the values of inputs, such as the shape that a
    ``Reshape`` gives, is lowered where these are known.

    Args:
        mod: A model, as :func:`~relayish.frontend.from_onnx` reads it.
        unlowerable: ``"keep"`` leaves what Relay's operators cannot express, ``"refuse"`` raises.
        suffix: What is put behind the names of lowered functions, if anything.
        check: Whether to check types and scopes of what was made.

    Returns:
        ``mod`` itself when there are no such calls.

    Raises:
        PassError: See :func:`~relayish.passes.lowering.module.lower_module`.

    Complexity:
        Linear in the number of distinct nodes; a call becomes a number of nodes that depends on
        its operator, and for recurrent layers on the number of steps.
    """
    typed = infer_type(mod)
    known = Known(typed)

    def assemble(context: LowerCtx) -> Visitor[LowerCtx]:
        handlers = [
            LowerOnnxOperators(name, known) for name in list_domains() if _is_onnx(name.name)
        ]
        return Visitor(context, *handlers, LowerRelay())

    return lower_module(typed, assemble, unlowerable=unlowerable, suffix=suffix, check=check).module


def _is_onnx(domain: str) -> bool:
    return domain == ONNX or domain.startswith(f"{ONNX}.")


class Known:
    """What type inference and constants tell of the values of a module."""

    def __init__(self, mod: IRModule) -> None:
        self._values: Final[dict[Expr, Expr]] = {}
        for function in mod.functions.values():
            for each in EXPRESSIONS.post_order(function):
                if type(each) is Let:
                    self._values[each.var] = each.value

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type that was inferred."""
        return expr.checked_type

    def value_of(self, expr: Expr) -> NDArray[Any] | None:  # Any: of whatever element type
        """Return the value of a constant, by whatever variable it is called."""
        while expr in self._values:
            expr = self._values[expr]
        if type(expr) is Constant and isinstance(expr.data, (np.ndarray, np.generic)):
            return np.asarray(expr.data)
        return None
