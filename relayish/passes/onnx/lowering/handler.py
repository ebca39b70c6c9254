"""The lowering that domains of ONNX bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from relayish.analysis.infer_type import infer_type
from relayish.domain import Handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import OperatorError, TypeInferenceError
from relayish.ir.domains.domain import Domain
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Let, Tuple, Var
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.scopes.renaming import replace_nodes
from relayish.onnx.calls import captures_of, count_outputs, graphs_of, inputs_of, is_absent
from relayish.onnx.identity import Identity
from relayish.onnx.op_names import onnx_domain_of
from relayish.onnx.operators import identity_of
from relayish.onnx.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    may_be_alike,
)
from relayish.passes.onnx.lowering import (  # noqa: F401 - they register rules
    attending,
    batched_scan,
    casting,
    composed,
    elementwise,
    indexing,
    learning,
    networks,
    quantization,
    recurrent,
    reductions,
    sampled,
    shapes,
    signal,
    training,
    windows,
)
from relayish.passes.onnx.lowering.alike import Key, key_of_function
from relayish.passes.onnx.lowering.defined import by_definition, has_definition
from relayish.passes.onnx.lowering.lower_onnx_loops import is_loop
from relayish.passes.onnx.lowering.rule import (
    REASONS,
    RULES,
    Known,
    Lower,
    OnnxNode,
    Rule,
    Unlowered,
    build,
)
from relayish.passes.relay.lowering.context import LowerCtx


class LowerOnnxOperators(Handler):
    """Lowers operators of one domain of ONNX by the rules registered for it.

    A target that has other operators derives from it, gives ``handle_<operator>_<version>`` for
    those, and is assembled in its place.

    Args:
        domain: The domain, as ``"onnx"``.
        known: What is known of values, such as their types.
        lower: What lowers the definitions by which ONNX says what operators without a rule compute;
            without it these stay.
    """

    def __init__(self, domain: str | Domain, known: Known, lower: Lower | None = None) -> None:
        super().__init__(domain)
        self.known = known
        self._lower = lower
        self._left: set[Expr] = set()
        self._types: dict[Key, Type | None] = {}  # of results, by what is alike of functions
        self.onnx_domain = onnx_domain_of(self.domain.name)

    def any_operator(self, visitor: Dispatch, node: Call) -> Expr:
        """Return what a call becomes by its rule; itself, rebuilt, where there is none."""
        image = cast("Call", visitor.visit_by_default(node))
        identity = identity_of(node.op)
        assert identity is not None
        if (identity.domain, identity.name) == ("", "If"):
            return self._branch(visitor, node, image)
        rule = RULES.get((identity.domain, identity.name))
        reasons: list[str] = []
        for each in (rule, self._by_definition):
            if each is None:
                continue
            try:
                self._check_inputs(node)
                return self._by_rule(each, node, image, identity)
            except Unlowered as reason:
                reasons.append(str(reason))
            except OperatorError as error:
                reasons.append(f"Relay's operators refuse it: {error}")
        return self._leave(visitor, node, image, reasons[0])

    def _by_definition(self, node: OnnxNode) -> Expr:
        """Return what a node becomes by the definition of its operator."""
        identity = node.identity
        reason = None if identity.domain else REASONS.get(identity.name)
        if reason is not None:
            raise Unlowered(reason)
        if not has_definition(node):
            raise Unlowered(f"nothing says how {identity} is written with operators of Relay")
        return by_definition(node)

    def _branch(self, visitor: Dispatch, node: Call, image: Call) -> Expr:
        """Return what a node with two graphs becomes."""
        results = [
            _result(each.body) for each in graphs_of(node).values() if type(each) is Function
        ]
        first, *others = [self.known.type_of(result) for result in results] or [None]
        if not _has_ranks(self.known.type_of(node)):
            return self._leave(visitor, node, image, "its branches give different ranks")
        if any(each is not None and not may_be_alike(first, each) for each in others):
            return self._leave(visitor, node, image, "its branches give different shapes")
        if any(self._is_left(result) for result in results):
            self._left.add(node)  # or what it gives is of nodes that are
        return _lower_if(image, self.known.type_of(inputs_of(node)[0]))

    def _is_left(self, result: Expr) -> bool:
        """Return whether a result is of nodes that stay."""
        giver = self.known.giver_of(result)
        parts = giver.fields if type(giver) is Tuple else (giver,)
        return any(self.known.giver_of(each) in self._left for each in parts)

    def _by_rule(self, rule: Rule, node: Call, image: Call, identity: Identity) -> Expr:
        """Return what a rule makes of a call, if that has the type that the call has.

        The rule is given variables of the types of the inputs, so that what it made can be typed
        by itself, whatever they became.
        """
        stand_ins: dict[Node, Node] = {}
        variables: list[Var] = []

        def stand_in(old: Expr, new: Expr) -> Expr:
            if is_absent(new) or type(new) is Constant:
                return new
            variable = Var("input", self.known.type_of(old))
            variables.append(variable)
            stand_ins[variable] = new
            return variable

        inputs, captures = (
            [stand_in(old, new) for old, new in zip(part(node), part(image), strict=True)]
            for part in (inputs_of, captures_of)
        )
        given = [None if is_absent(each) else each for each in inputs]
        made = rule(OnnxNode(node, given, identity, self.known, captures, self._lower))
        found = _as_results(made, count_outputs(node.attrs))
        self._check_type(Function(tuple(variables), found), self.known.type_of(node))
        image_of_call = replace_nodes(found, stand_ins)
        assert isinstance(image_of_call, Expr)
        return image_of_call

    def _check_type(self, function: Function, expected: Type | None) -> None:
        """Refuse what has another type than the call that it stands for."""
        key = key_of_function(function)
        found = None if key is None else self._types.get(key)
        if found is None:
            try:
                found = infer_type(function).body.checked_type
            except TypeInferenceError as error:
                raise Unlowered(f"what its rule makes is ill typed: {error}") from error
            if key is not None:
                self._types[key] = found
        if expected is not None and not may_be_alike(found, expected):
            raise Unlowered(f"what its rule makes is of type {found}, and not of {expected}")

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
            if isinstance(ty, _NO_TENSORS):
                raise Unlowered(f"its input {place} is no tensor")
            if not isinstance(ty, TensorType) and not is_absent(each):
                raise Unlowered(f"the rank of its input {place} is not known")
            giver = self.known.giver_of(each)
            is_told = isinstance(each.checked_type, TensorType) or is_loop(giver)
            if giver in self._left and not is_told:
                raise Unlowered(f"its input {place} is of a node that stays, of whose type only "
                                f"values tell the rank")  # fmt: skip


_NO_TENSORS: Final = (MapType, OptionalType, SequenceType, SparseTensorType)


def _as_results(found: Expr | Sequence[Expr], count: int) -> Expr:
    """Return what a rule gave as a call of so many results would be used."""
    if isinstance(found, Expr):
        return found
    if len(found) < count:
        raise Unlowered(f"its rule gives {len(found)} results of {count}")
    return found[0] if count == 1 else Tuple(found[:count])


def _result(body: Expr) -> Expr:
    """Return what stands behind lets."""
    while type(body) is Let:
        body = body.body
    return body


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
