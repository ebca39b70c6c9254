"""Operator fusion: put operators that can be computed together into functions of their own.

Before::

    fn (%x: Tensor[(10, 20), float32]) {
      %0 = add(%x, 1f);
      %1 = exp(%0);
      squeeze(%1)
    }

After::

    fn (%x: Tensor[(10, 20), float32]) {
      %0 = fn (%p0: Tensor[(10, 20), float32], Primitive=1) {
        squeeze(exp(add(%p0, 1f)))
      };
      %0(%x)
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish._support.collector import pause_collection
from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.analysis.function_types import function_type
from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Op, Tuple, TupleGetItem, Var
from relayish.ir.relay.function_attributes import PRIMITIVE, RESHAPE_ONLY, is_fused
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from relayish.op.declaration import properties
from relayish.pass_infra import PassContext, register_config_option, register_pass
from relayish.pass_infra.base.target import most_arguments
from relayish.passes.relay.fusion.graph import DynamicTypes, FusionGraph
from relayish.passes.relay.fusion.groups import FusionGroups

MAX_DEPTH: Final = 256
"""How many nodes are fused into one function unless the context says otherwise."""

register_config_option(
    "relay.FuseOps.max_depth",
    int,
    default=MAX_DEPTH,
    description="how many nodes may be fused into one function",
)
register_config_option(
    "relay.FuseOps.max_function_args",
    int,
    default=0,
    description="how many arguments a fused function may take, its result among them; 0 for all "
    "that the target allows",
)
register_config_option(
    "relay.FuseOps.link_params",
    bool,
    default=False,
    description="leave constants inside fused functions rather than pass them as arguments",
)


_MARKS: Final = {
    (True, True): DictAttrs({PRIMITIVE: 1, RESHAPE_ONLY: 1}),
    (True, False): DictAttrs({PRIMITIVE: 1}),
    (False, True): DictAttrs({PRIMITIVE: 0}),
    (False, False): DictAttrs({PRIMITIVE: 0}),
}
"""The attributes of a function, by whether an operator is called in it, and all are views."""


class _Kernel:
    """The function that becomes of one group, while its nodes are gathered."""

    def __init__(self, dynamic: DynamicTypes, *, typed: bool) -> None:
        self._dynamic = dynamic
        self._typed = typed
        self.params: dict[Expr, Var] = {}  # by the argument each stands for
        self._operands: list[Expr] = []  # what the arguments are images of
        self.has_call = False
        self.only_views = True

    def param(self, argument: Expr, operand: Expr) -> Var:
        """Return the parameter that stands for ``argument``, the image of ``operand``."""
        found = self.params.get(argument)
        if found is None:
            ty = operand.checked_type
            made = Var(f"p{len(self.params)}", ty, checked_type=ty if self._typed else None)
            found = self.params[argument] = made
            self._operands.append(operand)
            if self._dynamic.check(found.type_annotation):
                self.only_views = False
        return found

    def keep_order(self, root: Expr, evaluation: EvaluationOrder) -> None:
        """Let parameters come as ``root`` needed what they stand for, if several of these act."""
        params = dict(zip(self._operands, self.params.items(), strict=True))
        self.params = dict(
            [params[each] for each in evaluation.sort_operands(root, self._operands)]
        )

    def call(self, body: Expr, ret_type: Type | None) -> Call:
        """Return a call of the function with this body."""
        attrs = _MARKS[self.has_call, self.only_views]
        params = tuple(self.params.values())
        ty = function_type(params, ret_type) if self._typed else None
        func = Function(params, body, ret_type, attrs=attrs, span=body.span, checked_type=ty)
        known = ret_type if self._typed else None
        return Call(func, tuple(self.params), span=body.span, checked_type=known)


class _Fuser:
    """Builds the program in which every group is a function that is called."""

    def __init__(self, graph: FusionGraph, groups: FusionGroups, *, link_params: bool) -> None:
        self._graph = graph
        self._groups = groups
        self._link_params = link_params
        self._typed = graph.is_typed
        self._table = EXPRESSIONS.retain if graph.is_typed else EXPRESSIONS.rebuild
        self._evaluation = EvaluationOrder()
        self._kernels: dict[int, _Kernel] = {}
        self._images: dict[Node, Node] = {}

    def build(self, root: Expr) -> Expr:
        """Return the image of ``root``, the expression the graph is of."""
        images = self._images
        for index, node in enumerate(self._graph.order):
            if type(node) is Call:
                images[node] = self._image_of_call(index, node)
            elif type(node) is Tuple:
                images[node] = self._image_of_tuple(index, node)
            elif type(node) is TupleGetItem:
                images[node] = self._image_of_projection(index, node)
            else:  # nothing is fused through other kinds
                images[node] = self._rebuild(node)
        image = images[root]
        assert isinstance(image, Expr)
        return image

    def _rebuild(self, node: Node) -> Node:
        """Return a node that is in no function, over the images of its children."""
        if is_fused(node):
            return node
        image: Node = self._table[type(node)](node, self._images.get)
        return image

    def _image_of_call(self, index: int, call: Call) -> Node:
        op = call.op
        if type(op) is not Op or op in properties.non_computational:
            return self._rebuild(call)
        if op in properties.fusion_barrier:
            return self._images[call.args[0]]
        group = self._groups.root(index)
        kernel = self._kernel(group)
        kernel.has_call = True
        if op not in properties.view:
            kernel.only_views = False
        args = self._operands(call.args, group)
        ty = call.checked_type if self._typed else None
        image = Call(op, args, call.attrs, call.type_args, span=call.span, checked_type=ty)
        return self._call(kernel, image, call) if group == index else image

    def _image_of_tuple(self, index: int, tup: Tuple) -> Node:
        group = self._groups.root(index)
        if group == index:
            return self._rebuild(tup)
        ty = tup.checked_type if self._typed else None
        return Tuple(self._operands(tup.fields, group), span=tup.span, checked_type=ty)

    def _image_of_projection(self, index: int, item: TupleGetItem) -> Node:
        group = self._groups.root(index)
        whole = item.tuple_value
        if group == index and self._group_of(whole) != group:
            return self._rebuild(item)  # of a tuple that is made elsewhere
        (operand,) = self._operands((whole,), group)
        ty = item.checked_type if self._typed else None
        image = TupleGetItem(operand, item.index, span=item.span, checked_type=ty)
        return self._call(self._kernel(group), image, item) if group == index else image

    def _operands(self, operands: Sequence[Expr], group: int) -> tuple[Expr, ...]:
        """Return what stands for operands in the function of ``group``."""
        found: list[Expr] = []
        for operand in operands:
            image = self._images[operand]
            assert isinstance(image, Expr)
            inside = self._group_of(operand) == group
            if not inside and not (self._link_params and type(image) is Constant):
                image = self._kernel(group).param(image, operand)
            found.append(image)
        return tuple(found)

    def _call(self, kernel: _Kernel, body: Expr, root: Expr) -> Call:
        if self._graph.may_act and len(kernel.params) > 1:
            kernel.keep_order(root, self._evaluation)
        return kernel.call(body, root.checked_type)

    def _group_of(self, node: Node) -> int:
        return self._groups.root(self._graph.index[node])

    def _kernel(self, group: int) -> _Kernel:
        found = self._kernels.get(group)
        if found is None:
            found = self._kernels[group] = _Kernel(self._graph.dynamic, typed=self._typed)
        return found


def fuse_ops(
    expr: Expr,
    *,
    max_depth: int = MAX_DEPTH,
    max_function_args: int = 0,
    link_params: bool = False,
    fuse: bool = True,
) -> Expr:
    """Return ``expr`` with every call of an operator inside a primitive function.

    Operators come into one function where their patterns allow it and nothing outside needs what
    passes between them. What the function takes from outside becomes parameters ``p0``, ``p1``, …;
    scalar constants stay inside. The attribute ``Primitive`` is 1, or 0 without any call;
    ``relay.reshape_only`` marks functions that do nothing but give a tensor another shape.
    ``annotation.stop_fusion`` disappears, and nothing is fused across it. Operators that compute
    nothing themselves stay outside, those of ``qnn`` among them. Parameters come in the
    order in which the operators inside need them; where several arguments act, in the order in
    which they did before.

    Args:
        expr: A typed expression (``checked_type`` on every node). Functions that are primitive
            already, or another compiler's, are left alone.
        max_depth: How many nodes may be fused into one function.
        max_function_args: How many arguments one function may take, its result and unknown sizes
            among them; an operator that has more is not fused with others. 0 for any number.
        link_params: Leave tensor constants inside as well.
        fuse: Otherwise every operator has a function to itself.

    Returns:
        ``expr`` itself when no operator is called outside primitive functions.

    Complexity:
        ``n log n`` in distinct nodes and edges for any fixed ``max_depth``; no recursion.

    Source:
        Relay ``FuseOps``.
    """
    if is_fused(expr):
        return expr
    with pause_collection():  # the edges of the graph live until the end
        graph = FusionGraph(expr)
        groups = FusionGroups(graph, max_depth, max_function_args)
        if fuse:
            groups.fuse()
        return _Fuser(graph, groups, link_params=link_params).build(expr)


@register_pass("FuseOps", opt_level=0, required=("InferType",), infer_types=True, idempotent=True)
def fuse_ops_under(
    expr: Expr,
    mod: IRModule | None = None,
    *,
    ctx: PassContext,
    fuse_opt_level: int = -1,
    max_function_args: int = -1,
) -> Expr:
    """Operator fusion: put operators that can be computed together into functions of their own.

    What :func:`fuse_ops` does, as the context says: its options ``relay.FuseOps.max_depth``,
    ``relay.FuseOps.max_function_args`` and ``relay.FuseOps.link_params`` count, and at level 0
    nothing is fused. Without the second, a function takes as many arguments as the target allows:
    ``with Target("metal"):``.

    Args:
        expr: A typed expression.
        mod: The module it belongs to.
        ctx: The context of the pass.
        fuse_opt_level: The level that counts; -1 is that of the context.
        max_function_args: How many arguments a function may take; -1 is what the context says.

    Raises:
        PassError: If ``relay.FuseOps.max_depth`` is less than one, or
            the number of arguments is negative.
    """
    level = ctx.opt_level if fuse_opt_level == -1 else fuse_opt_level
    max_depth = ctx.get_config("relay.FuseOps.max_depth")
    assert isinstance(max_depth, int)
    if max_depth < 1:
        raise PassError(
            f"relay.FuseOps.max_depth is {max_depth}; expected how many operators may be "
            f"fused, 1 or more"
        )
    most = max_function_args
    if most == -1:
        configured = ctx.get_config("relay.FuseOps.max_function_args")
        assert isinstance(configured, int)
        most = configured or most_arguments()
    if most < 0:
        raise PassError(
            f"max_function_args is {most}; expected how many arguments a function "
            f"may take, 0 for any number"
        )
    link_params = ctx.get_config("relay.FuseOps.link_params") is True
    while True:
        image = fuse_ops(
            expr,
            max_depth=max_depth,
            max_function_args=most,
            link_params=link_params,
            fuse=level > 0,
        )
        if image is expr or not most:
            return image
        expr = infer_type(image, mod)  # functions have fewer arguments than what is in them
