"""Raising: calls of Relay's operators become calls of operators of ONNX.

Before::

    nn.relu(nn.dense(%x, %weight))

After::

    %0 = onnx::Gemm_13(%x, %weight, transB=1);
    onnx::Relu_14(%0)
"""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

from relayish.errors import PassError
from relayish.functor import post_order_rewrite
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, If, Let
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.renaming import replace_nodes
from relayish.onnx.operator_sets import canonical_domain
from relayish.pass_infra import register_pass
from relayish.passes.onnx.raising import (  # noqa: F401 - they register rules
    arithmetic,
    deformable,
    dynamic,
    elementwise,
    indexing,
    lowered,
    networks,
    normalisation,
    ordering,
    quantised,
    resizing,
    sampling,
    shapes,
    signal,
    sparse,
    suppression,
)
from relayish.passes.onnx.raising.control import Branches
from relayish.passes.onnx.raising.rule import Unraised
from relayish.passes.onnx.raising.write_call import CallWriter, Templates
from relayish.passes.onnx.rewrite.engine.parts import opsets_of
from relayish.passes.utility.erase_type import erase_carried_types

_USUAL_OPSET: Final = 17


@register_pass(
    "RaiseToOnnx", opt_level=0, required=("InferType",), infer_types=True, idempotent=True
)
def raise_to_onnx(
    expr: Expr, *, mod: IRModule | None = None, opset: int | None = None, keep: bool = False
) -> Expr:
    """Raising: write calls of Relay's operators with those of ONNX, as far as it has them.

    Args:
        expr: A well-formed expression, whose types are known.
        mod: The module that it is in.
        opset: The version of ONNX's operator set that it is for; if none is said, the one that the
            function or the module is of, such as that of the model it was read from, else 17.
        keep: Whether calls that ONNX has nothing for are kept, and not refused.

    Returns:
        ``expr`` itself where it calls nothing of Relay's.

    What ONNX has an operator for, but not for these element types in this version, is computed in
    a type that gives the same, and cast.

    Raises:
        PassError: If a call cannot be written, naming it and the reason.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    version = _find_opset(expr, mod) if opset is None else opset
    raised = post_order_rewrite(expr, _Raise(version, _find_templates(mod, version), keep=keep))
    return expr if raised is expr else _without_inferred_types(raised)


_TEMPLATES: Final[WeakKeyDictionary[IRModule, dict[int, Templates]]] = WeakKeyDictionary()
"""What was made of calls in the functions of a module, by version."""


def _find_templates(mod: IRModule | None, opset: int) -> Templates:
    return {} if mod is None else _TEMPLATES.setdefault(mod, {}).setdefault(opset, {})


def _find_opset(expr: Expr, mod: IRModule | None) -> int:
    """Return the version of ONNX's operator set that a function, or its module, says it is of."""
    attrs = None if mod is None else mod.attrs
    function = expr if isinstance(expr, Function) else Function((), expr)
    told = opsets_of(function, attrs)
    found = [told[domain] for domain in told if canonical_domain(domain) == ""]
    return found[0] if found else _USUAL_OPSET


def _without_inferred_types(expr: Expr) -> Expr:
    """Return an expression that carries no types, and whose variables have those of parameters.

    What was inferred of calls of Relay may be more than types alone tell of calls of ONNX.
    """
    variables: dict[Node, Node] = {
        each.var: each.var.with_fields(type_annotation=None)
        for each in EXPRESSIONS.post_order(expr)
        if type(each) is Let
    }
    erased = replace_nodes(expr, variables) if variables else expr
    assert isinstance(erased, Expr)
    return erase_carried_types(erased)


class _Raise(CallWriter):
    """Writes what can be written; what cannot is kept, or refused."""

    def __init__(self, opset: int, templates: Templates, *, keep: bool) -> None:
        super().__init__(opset, templates)
        self._keep: Final = keep
        self._branches: Final = Branches(opset)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        try:
            made = super().rewrite_call(pre, post)
        except Unraised as reason:
            return self._leave(pre, post, str(reason))
        return made if made is post or pre.span is None else made.with_fields(span=pre.span)

    def _leave(self, pre: Expr, post: Expr, reason: str) -> Expr:
        if not self._keep:
            raise PassError(
                f"{one_line_at(pre)} cannot be written with operators of ONNX: {reason}; keep such "
                f"calls with RaiseToOnnx{{keep=true}}"
            )
        return post

    def rewrite_if(self, pre: If, post: If) -> Expr:
        try:
            return self._branches.write(pre, post)
        except Unraised as reason:
            return self._leave(pre, post, str(reason))
