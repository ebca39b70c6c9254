"""The lowering that domains of ONNX bring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from relayish.domain import Handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import OperatorError
from relayish.ir.domain import Domain
from relayish.ir.relay.expr import Call, Expr, Function, If, Tuple
from relayish.ir.relay.type import TensorType, Type
from relayish.onnx.calls import captures_of, count_outputs, graphs_of, inputs_of, is_absent
from relayish.onnx.op_names import onnx_domain_of
from relayish.onnx.operators import identity_of
from relayish.passes.lowering.context import LowerCtx
from relayish.passes.onnx_lowering import (  # noqa: F401 - they register rules
    elementwise,
    networks,
    recurrent,
    reductions,
    shapes,
)
from relayish.passes.onnx_lowering.rule import RULES, Known, OnnxNode, Unlowered, build


class LowerOnnxOperators(Handler):
    """Lowers operators of one domain of ONNX by the rules registered for it.

    A target that has other operators derives from it, gives ``handle_<operator>_<version>`` for
    those, and is assembled in its place.

    Args:
        domain: The domain, as ``"onnx"``.
        known: What is known of values, such as their types.
    """

    def __init__(self, domain: str | Domain, known: Known) -> None:
        super().__init__(domain)
        self.known = known
        self.onnx_domain = onnx_domain_of(self.domain.name)

    def any_operator(self, visitor: Dispatch, node: Call) -> Expr:
        """Return what a call becomes by its rule; itself, rebuilt, where there is none."""
        image = cast("Call", visitor.visit_by_default(node))
        identity = identity_of(node.op)
        assert identity is not None
        context = cast("LowerCtx", visitor.context)
        if (identity.domain, identity.name) == ("", "If"):
            return _lower_if(image, self.known.type_of(inputs_of(node)[0]))
        rule = RULES.get((identity.domain, identity.name))
        if rule is None:
            return context.leave(node, image, f"no rule lowers {identity}")
        try:
            self._check_inputs(node)
            found = rule(OnnxNode(node, image, identity, self.known))
        except Unlowered as reason:
            return context.leave(node, image, str(reason))
        except OperatorError as error:
            return context.leave(node, image, f"Relay's operators refuse it: {error}")
        return _as_results(found, count_outputs(node.attrs))

    def _check_inputs(self, node: Call) -> None:
        """Refuse inputs of which Relay has no operators."""
        for place, each in enumerate(inputs_of(node)):
            ty = self.known.type_of(each)
            if isinstance(ty, TensorType) and ty.dtype == "string":
                raise Unlowered("Relay has no tensors of strings")
            if not isinstance(ty, TensorType) and not is_absent(each):
                raise Unlowered(f"the rank of its input {place} is not known")


def _as_results(found: Expr | Sequence[Expr], count: int) -> Expr:
    """Return what a rule gave as a call of so many results would be used."""
    if isinstance(found, Expr):
        return found if count == 1 else Tuple([found])
    return found[0] if count == 1 else Tuple(found[:count])


def _lower_if(call: Call, ty: Type | None) -> Expr:
    """Return a branch of Relay's for a node with two graphs."""
    graphs = graphs_of(call)
    captures = captures_of(call)
    branches = [
        Call(graphs[name], captures) if isinstance(graphs[name], Function) else graphs[name]
        for name in ("then_branch", "else_branch")
    ]
    (condition,) = inputs_of(call)
    if not isinstance(ty, TensorType) or ty.shape:  # ONNX takes any tensor of one element
        condition = build("reshape", condition, ())
    return If(condition, branches[0], branches[1])


Assembly = Callable[[LowerCtx], Sequence[Handler]]
"""What handlers a visitor of lowering is assembled from."""
