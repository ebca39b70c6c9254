"""Operators of ONNX that were not lowered, refused where loops are to be made of them."""

from __future__ import annotations

from typing import Any

from relayish.domain import Handler
from relayish.domain.dispatch import Dispatch
from relayish.domain.tasks import handler_of
from relayish.errors import TypeInferenceError, UnlowerableError
from relayish.ir.domains.domain import list_domains
from relayish.ir.kinds.one_line import quote
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import is_absent
from relayish.onnx.op_names import identity_of, is_onnx_domain
from relayish.passes.onnx.lowering.lower_onnx import find_left


def refusing_handlers() -> list[Handler]:
    """Return handlers of the domains of ONNX for which nobody registered one that makes loops."""
    return [
        OnnxToLoops(domain)
        for domain in list_domains()
        if is_onnx_domain(domain.name) and handler_of("loops", domain.name) is None
    ]


class OnnxToLoops(Handler):
    """Refuses operators of a domain of ONNX for the reasons for which they were not lowered."""

    def any_operator(self, visitor: Dispatch, node: Any) -> Any:  # noqa: ARG002 - Any: as the base
        """Refuse a call.

        Raises:
            UnlowerableError: Always: which operator, where, and why.
        """
        raise UnlowerableError(f"{quote(node)} cannot be written as loops: {why_it_stays(node)}")


def why_it_stays(call: Call) -> str:
    """Return why a call of an operator of ONNX, with types, is not lowered."""
    args: list[Expr] = [
        each
        if isinstance(each, (Constant, Function)) or is_absent(each)
        else Var("input", each.checked_type)
        for each in call.args
    ]
    variables = tuple([each for each in args if isinstance(each, Var)])
    alone = Function(variables, call.with_fields(args=tuple(args), checked_type=None))
    try:
        left = find_left(IRModule({"main": alone}))
    except TypeInferenceError as error:
        return f"it is ill typed: {error}"
    is_it = [each.reason for each in left if each.call.op == call.op]  # type: ignore[attr-defined]
    return is_it[0] if is_it else f"nothing lowers {identity_of(call.op)}"
