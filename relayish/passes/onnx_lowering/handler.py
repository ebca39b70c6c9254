"""The lowering that domains of ONNX bring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from relayish.domain import Handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import OperatorError
from relayish.ir.domain import Domain
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, Tuple
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.onnx.calls import captures_of, count_outputs, graphs_of, inputs_of, is_absent
from relayish.onnx.op_names import onnx_domain_of
from relayish.onnx.operators import identity_of
from relayish.passes.lowering.context import LowerCtx
from relayish.passes.onnx_lowering import (  # noqa: F401 - they register rules
    elementwise,
    indexing,
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
        self._left: set[Expr] = set()
        self.onnx_domain = onnx_domain_of(self.domain.name)

    def any_operator(self, visitor: Dispatch, node: Call) -> Expr:
        """Return what a call becomes by its rule; itself, rebuilt, where there is none."""
        image = cast("Call", visitor.visit_by_default(node))
        identity = identity_of(node.op)
        assert identity is not None
        if (identity.domain, identity.name) == ("", "If"):
            if not _has_ranks(self.known.type_of(node)):
                return self._leave(visitor, node, image, "its branches give different ranks")
            return _lower_if(image, self.known.type_of(inputs_of(node)[0]))
        rule = RULES.get((identity.domain, identity.name))
        if rule is None:
            return self._leave(visitor, node, image, f"no rule lowers {identity}")
        try:
            self._check_inputs(node)
            found = rule(OnnxNode(node, image, identity, self.known))
        except Unlowered as reason:
            return self._leave(visitor, node, image, str(reason))
        except OperatorError as error:
            return self._leave(visitor, node, image, f"Relay's operators refuse it: {error}")
        return _as_results(found, count_outputs(node.attrs))

    def _leave(self, visitor: Dispatch, node: Call, image: Expr, reason: str) -> Expr:
        """Note that a call stays."""
        self._left.add(node)
        return cast("LowerCtx", visitor.context).leave(node, image, reason)

    def _check_inputs(self, node: Call) -> None:
        """Refuse inputs of which Relay has no operators."""
        for place, each in enumerate(inputs_of(node)):
            ty = self.known.type_of(each)
            if isinstance(ty, TensorType) and ty.dtype == "string":
                raise Unlowered("Relay has no tensors of strings")
            if not isinstance(ty, TensorType) and not is_absent(each):
                raise Unlowered(f"the rank of its input {place} is not known")
            giver = self.known.giver_of(each)
            if giver in self._left and not isinstance(each.checked_type, TensorType):
                raise Unlowered(f"its input {place} is of a node that stays, of whose type only "
                                f"values tell the rank")  # fmt: skip


def _as_results(found: Expr | Sequence[Expr], count: int) -> Expr:
    """Return what a rule gave as a call of so many results would be used."""
    if isinstance(found, Expr):
        return found if count == 1 else Tuple([found])
    return found[0] if count == 1 else Tuple(found[:count])


def _has_ranks(ty: Type | None) -> bool:
    """Return whether all results are tensors of known rank."""
    parts = ty.fields if isinstance(ty, TupleType) else (ty,)
    return all(isinstance(each, TensorType) for each in parts)


def _as_branch(graph: Expr, captures: Sequence[Expr]) -> Expr:
    """Return what a graph computes from what it captures."""
    if type(graph) is not Function:
        return Call(graph, captures)
    branch = graph.body
    for param, captured in zip(reversed(graph.params), reversed(captures), strict=True):
        branch = Let(param, captured, branch)
    return branch


def _lower_if(call: Call, ty: Type | None) -> Expr:
    """Return a branch of Relay's for a node with two graphs."""
    graphs = graphs_of(call)
    captures = captures_of(call)
    branches = [_as_branch(graphs[name], captures) for name in ("then_branch", "else_branch")]
    (condition,) = inputs_of(call)
    if not isinstance(ty, TensorType) or ty.shape:  # ONNX takes any tensor of one element
        condition = build("reshape", condition, ())
    return If(condition, branches[0], branches[1])


Assembly = Callable[[LowerCtx], Sequence[Handler]]
"""What handlers a visitor of lowering is assembled from."""
