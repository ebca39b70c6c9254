"""Branches: an ``If`` of Relay as a node with two graphs, which capture what they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.analysis.variables import free_vars
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Function, If, Tuple, TupleGetItem, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.scopes.renaming import make_fresh_variables, replace_nodes
from relayish.onnx.calls import make_call
from relayish.onnx.operator_sets import identify
from relayish.onnx.operators import find_operator
from relayish.passes.onnx.raising.rule import Unraised

_DEEPEST: Final = 25
"""How deep graphs stand in graphs at most: a file holds few more."""
_MOST_NODES: Final = 20_000
"""So many nodes, or twice those there are, are written in graphs at most."""


class Branches:
    """Writes the branches of one expression, inner ones first."""

    def __init__(self, opset: int) -> None:
        identity = identify("If", opset)
        self._op: Final = find_operator(identity.name, identity.since_version)
        self._depths: Final[dict[Node, int]] = {}
        """How deep graphs stand in the nodes that were made."""
        self._sizes: Final[dict[Node, int]] = {}
        """How many nodes they are, each as often as it stands in a graph."""
        self._is_too_deep = False
        self._order: Final = EvaluationOrder()

    def write(self, pre: If, post: If) -> Expr:
        """Return a call of ONNX's ``If``.

        Args:
            pre: The branch, typed.
            post: What it became, with branches that hold no ``If`` any more.

        Raises:
            Unraised: If it gives or uses something else than tensors, or stands around too many
                others.

        Complexity:
            Linear in the nodes of both branches, which stand in so many others at most.
        """
        count = _count_tensors(pre.checked_type)
        before = (pre.true_branch, pre.false_branch)
        branches = (post.true_branch, post.false_branch)
        free = {each: free_vars(each) for each in {*before, *branches}}
        known = {var: _count_captured(var) for each in before for var in free[each]}
        if self._order.order_dependent(branches):
            raise Unraised("its branches act, and graphs of ONNX only compute")
        depth, size = self._measure(branches)
        counts = {var: known.get(var) for each in branches for var in free[each]}
        graphs = [_close(each, counts, pre.checked_type) for each in branches]
        made = make_call(
            self._op,
            [post.cond],
            outputs=count,
            graphs={"then_branch": graphs[0], "else_branch": graphs[1]},
            captures=[each for var, count in counts.items() for each in _fields(var, count)],
            span=pre.span,
        )
        self._depths[made], self._sizes[made] = depth, size
        return Tuple([made]) if count == 1 and isinstance(pre.checked_type, TupleType) else made

    def _measure(self, branches: Sequence[Expr]) -> tuple[int, int]:
        """Return how deep graphs stand in a node with these branches, and how many nodes it is."""
        if self._is_too_deep:
            raise Unraised(f"branches stand in one another more than {_DEEPEST} deep")
        nodes = [each for root in branches for each in EXPRESSIONS.post_order(root)]
        depth = 1 + max(self._depths.get(each, 0) for each in nodes)
        size = sum(self._sizes.get(each, 1) for each in nodes)
        if depth > _DEEPEST:
            self._is_too_deep = True
            return self._measure(branches)
        if size > max(_MOST_NODES, 2 * len(nodes)):
            raise Unraised(
                f"what its branches share would stand in each, {size:,} nodes in all; bind it "
                f"before them by ToANormalForm"
            )
        return depth, size


def _count_tensors(ty: Type | None) -> int:
    if isinstance(ty, TensorType):
        return 1
    fields = ty.fields if isinstance(ty, TupleType) else ()
    if fields and all(isinstance(each, TensorType) for each in fields):
        return len(fields)
    raise Unraised("it gives something else than tensors")


def _count_captured(var: Expr) -> int | None:
    """Return how many tensors are in a tuple that a graph uses, ``None`` for a tensor.

    Raises:
        Unraised: If it is something else, or a variable of another language.
    """
    ty = var.checked_type if isinstance(var, Var) else None
    if isinstance(ty, TensorType):
        return None
    if isinstance(ty, TupleType) and all(isinstance(each, TensorType) for each in ty.fields):
        return len(ty.fields)
    raise Unraised("its branches use something else than tensors, such as functions")


def _fields(var: Var, count: int | None) -> list[Expr]:
    """Return a variable of a tensor, or the fields of one of a tuple."""
    return [var] if count is None else [TupleGetItem(var, field) for field in range(count)]


def _close(branch: Expr, counts: Mapping[Var, int | None], ty: Type | None) -> Function:
    """Return a branch as a graph that is given what it uses, and says the type of its results.

    onnx does not find out that of a constant that is one. What the branch shares with others stands
    in the graph once more, and binds variables of its own there.

    Args:
        branch: What it computes.
        counts: What it uses: variables of tensors, and of tuples of so many.
        ty: The type of what it computes.
    """
    params = {var: [Var(var.name_hint) for _ in _fields(var, n)] for var, n in counts.items()}
    images: dict[Node, Node] = {
        var: params[var][0] if n is None else Tuple(tuple(params[var])) for var, n in counts.items()
    }
    held = EXPRESSIONS.post_order(branch) if any(counts.values()) else ()
    for node in held:
        made = images.get(node.tuple_value) if isinstance(node, TupleGetItem) else None
        if type(made) is Tuple and isinstance(node, TupleGetItem):
            images[node] = made.fields[node.index]
    body = replace_nodes(branch, make_fresh_variables(branch, images))
    assert isinstance(body, Expr)
    given = tuple([each for some in params.values() for each in some])
    return Function(given, body, ret_type=ty)
