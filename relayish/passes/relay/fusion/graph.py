"""The data-flow graph of an expression: calls, tuples and projections with their uses.

Other expressions (lets, ifs, functions, those of other kinds, …) are nodes as well, but nothing is
fused through them: what they hold is used outside the graph.
"""

from __future__ import annotations

from typing import Final

from relayish.analysis.effect_rules import effect_of_op
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.getters import is_declaration
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Op, Tuple, TupleGetItem
from relayish.ir.relay.function_attributes import is_fused
from relayish.ir.relay.traversal import EXPRESSIONS, TYPES
from relayish.ir.relay.type import PrimExpr, TensorType, TupleType, Type
from relayish.op.declaration import properties
from relayish.op.declaration.properties import OpPattern

_SIMPLE: Final = frozenset({"int32", "int64", "float32", "float64", "bool"})


class FusionGraph:
    """Nodes in post-order, with their patterns and the edges to what uses them.

    ``patterns[i]`` says how node ``i`` fuses, ``outputs[i]`` holds the users of its value with the
    pattern of each edge, and ``outside[i]`` is true where something else uses it as well.
    """

    def __init__(self, root: Expr) -> None:
        self.order = EXPRESSIONS.post_order(root, lambda node: not is_fused(node))
        self.index = {node: index for index, node in enumerate(self.order)}
        count = len(self.order)
        self.patterns = [OpPattern.OPAQUE] * count
        self.outputs: list[list[tuple[int, OpPattern]]] = [[] for _ in range(count)]
        self.outside = [False] * count
        self.dynamic = DynamicTypes()
        self.may_act = False
        """Whether the value of anything in the program may depend on when it is evaluated."""
        self._tensors_only: dict[Node, bool] = {}
        self.use_outside(root)
        for index, node in enumerate(self.order):
            if type(node) is Call:
                _enter_call(self, index, node)
            elif type(node) is Tuple:
                _enter_tuple(self, index, node)
            elif type(node) is TupleGetItem:
                _enter_projection(self, index, node)
            elif type(node) is Constant:
                _enter_constant(self, index, node)
            else:  # through other kinds nothing is fused
                _enter_other(self, node)

    def use(self, child: Node, user: int, pattern: OpPattern) -> None:
        """Note that node ``user`` takes ``child``."""
        self.outputs[self.index[child]].append((user, pattern))

    def use_outside(self, child: Node) -> None:
        """Note that something takes ``child`` through which nothing is fused."""
        self.outside[self.index[child]] = True

    @property
    def is_typed(self) -> bool:
        """Whether all that may come into functions carries a type, which names do not.

        Complexity:
            Linear in distinct nodes and edges.
        """
        values: list[Expr] = []
        for node in self.order:
            if type(node) is Call:
                values += (node, *node.args)
            elif type(node) is Tuple:
                values += (node, *node.fields)
            elif type(node) is TupleGetItem:
                values += (node, node.tuple_value)
        return all(value.checked_type is not None for value in values)

    def holds_tensors_only(self, tup: Expr) -> bool:
        """Return whether all fields of ``tup`` are tensors; looks at each tuple once."""
        known = self._tensors_only.get(tup)
        if known is None:
            ty = tup.checked_type
            known = type(ty) is TupleType and all(type(part) is TensorType for part in ty.fields)
            self._tensors_only[tup] = known
        return known


class DynamicTypes:
    """Answers :meth:`check` for many types, looking at each once."""

    def __init__(self) -> None:
        self._known: dict[Node, bool] = {}

    def check(self, ty: Type | None) -> bool:
        """Return whether a type has a dimension that is no number.

        Complexity:
            Linear in the distinct parts of the type not looked at before; no recursion.
        """
        if type(ty) is TensorType:
            return any(isinstance(size, PrimExpr) for size in ty.shape)
        if ty is None:
            return False
        known = self._known
        for part in TYPES.post_order(ty, lambda part: part not in known):
            if part not in known:
                known[part] = _has_unknown_size(part) or any(
                    known[below] for below in TYPES.children(part)
                )
        return known[ty]


def _has_unknown_size(ty: Node) -> bool:
    return type(ty) is TensorType and any(isinstance(size, PrimExpr) for size in ty.shape)


def _enter_other(graph: FusionGraph, node: Node) -> None:
    if is_fused(node):
        return
    traits = node.traits_
    if traits.effect or traits.allocates or is_declaration(type(node)):
        graph.may_act = True
    for child in EXPRESSIONS.children(node):
        graph.use_outside(child)


def _enter_constant(graph: FusionGraph, index: int, constant: Constant) -> None:
    ty = constant.checked_type
    if type(ty) is TensorType and not ty.shape and ty.dtype in _SIMPLE:
        graph.patterns[index] = OpPattern.ELEMWISE


def _enter_call(graph: FusionGraph, index: int, call: Call) -> None:
    op = call.op
    pattern = OpPattern.OPAQUE
    if type(op) is Op:
        pattern = properties.pattern.get(op, OpPattern.OPAQUE)
        if not graph.may_act and effect_of_op(op):
            graph.may_act = True
        if op in properties.shape_from_values and graph.dynamic.check(call.checked_type):
            pattern = OpPattern.OPAQUE  # the shape is known only when the arguments are
        if op in properties.non_computational:
            pattern = OpPattern.OPAQUE  # it stays outside of functions
    else:
        graph.may_act = True
        graph.use_outside(op)
    graph.patterns[index] = pattern
    result = call.checked_type
    for arg in call.args:
        edge = pattern
        if edge is OpPattern.BROADCAST and _has_same_shape(result, arg.checked_type):
            edge = OpPattern.ELEMWISE
        graph.use(arg, index, edge)


def _enter_tuple(graph: FusionGraph, index: int, tup: Tuple) -> None:
    graph.patterns[index] = OpPattern.TUPLE
    for item in tup.fields:
        if type(item.checked_type) is TensorType:
            graph.use(item, index, OpPattern.INJECTIVE)
        else:
            graph.use_outside(item)


def _enter_projection(graph: FusionGraph, index: int, item: TupleGetItem) -> None:
    if not graph.holds_tensors_only(item.tuple_value):
        graph.use_outside(item.tuple_value)
        return
    graph.patterns[index] = OpPattern.INJECTIVE
    graph.use(item.tuple_value, index, OpPattern.INJECTIVE)


def _has_same_shape(one: Type | None, other: Type | None) -> bool:
    if type(one) is not TensorType or type(other) is not TensorType:
        return False
    if one.shape == other.shape:
        return True
    return len(one.shape) == len(other.shape) and all(map(_is_same_size, one.shape, other.shape))


def _is_same_size(one: int | PrimExpr, other: int | PrimExpr) -> bool:
    if isinstance(one, int) or isinstance(other, int):
        return one == other
    return structural_equal(one, other, map_free_vars=False)
