"""Operators of ONNX that were not lowered, refused where loops are to be made of them."""

from __future__ import annotations

from relayish.domain.tasks import handler_of
from relayish.errors import UnlowerableError
from relayish.ir.kinds.one_line import quote
from relayish.ir.kinds.opcode import domain_of
from relayish.ir.relay.expr import Call, Function
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import calls_onnx, graph_names
from relayish.passes.onnx.lowering.lower_onnx import find_left


def refuse_left(mod: IRModule, *, with_graphs: bool = False) -> None:
    """Raise for a call of an operator of ONNX that cannot be lowered.

    Operators of domains for which somebody registered a handler that makes loops are left to it.

    Args:
        mod: A module whose operators :func:`lower_onnx` has lowered.
        with_graphs: Whether to look at calls with graphs alone.

    Raises:
        UnlowerableError: Which operator, where, and why it was not lowered.
    """
    if not any(calls_onnx(func) for func in mod.functions_of(Function).values()):
        return
    for each in find_left(mod):
        call = each.call
        if with_graphs and not (isinstance(call, Call) and graph_names(call.attrs)):
            continue
        if handler_of("loops", domain_of(call).name) is None:
            raise UnlowerableError(f"{quote(call)} cannot be written as loops: {each.reason}")
