"""Multiply-accumulate counts: how much a network multiplies, and how many layers it has."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.analysis.infer_type import infer_type
from relayish.errors import FieldError, OperatorError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, Let, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.declaration.properties import mac_count
from relayish.op.declaration.registry import get_op


def get_total_mac_number(expr: Expr | IRModule) -> int:
    """Return how many multiplications, each with its addition, the calls of ``expr`` take.

    Convolutions, transposed ones as well, and products of matrices count, see
    :data:`~relayish.op.declaration.properties.mac_count`; every call counts once, however often it
    is evaluated.

    Args:
        expr: An expression, typed or not; of a module ``main`` is taken.

    Raises:
        OperatorError: If the sizes of such a call are not known.
        TypeInferenceError: If ``expr`` carries no types and none can be told.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``GetTotalMacNumber``, which takes typed expressions only and counts convolutions over
        two axes, ``nn.dense`` and ``nn.batch_matmul``.

    Example:
        >>> from relayish.text import parse
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: Tensor[(8, 16), float32], %w: Tensor[(4, 16), float32]) {
        ...   nn.dense(%x, %w, units=None)
        ... }''')
        >>> get_total_mac_number(mod["main"])
        512
    """
    typed = infer_type(expr)["main"] if isinstance(expr, IRModule) else infer_type(expr)
    total = 0
    for node in EXPRESSIONS.pre_order(typed):
        if type(node) is not Call:
            continue
        rule = mac_count.get(node.op)
        if rule is None:
            continue
        types = [arg.checked_type for arg in node.args]
        known = tuple([ty for ty in types if ty is not None])
        if len(known) < len(types) or node.checked_type is None:
            raise OperatorError(
                f"cannot count multiplications of a call that carries no types: {quote(node)}; run "
                f"InferType, which leaves no expression without"
            )
        total += rule(node.attrs, known, node.checked_type)
    return total


def count_layers(expr: Expr | IRModule, valid_ops: Iterable[str]) -> int:
    """Return how many calls of ``valid_ops`` the longest chain of calls has.

    A call follows on another if one of its arguments is made of that one's result, in tuples,
    through variables of lets and branches, or otherwise. The body of a function that is called
    where it stands follows on the arguments.

    Args:
        expr: A function; of a module ``main`` is taken.
        valid_ops: Names of operators.

    Raises:
        FieldError: If ``expr`` is no function, or ``valid_ops`` a single name.
        UnknownNameError: If an operator is not declared.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``count_layers``, which misses chains that share a part visited before.

    Example:
        >>> from relayish.text import parse
        >>> func = parse('''#[version = "0.0.5"]
        ... def @main(%x: Tensor[(4, 4), float32]) {
        ...   %0 = nn.dense(%x, %x, units=None);
        ...   %1 = nn.relu(%0);
        ...   add(nn.dense(%1, %x, units=None), %x)
        ... }''')["main"]
        >>> count_layers(func, ["nn.dense"])
        2
    """
    function = expr["main"] if isinstance(expr, IRModule) else expr
    if not isinstance(function, Function):
        raise FieldError(f"layers are counted in a function; found {function!r}")
    if isinstance(valid_ops, str):
        raise FieldError(f"valid_ops are several names; found {valid_ops!r}; write [{valid_ops!r}]")
    counted = {get_op(name) for name in valid_ops}
    depths: dict[Node, int] = {}
    values: dict[Node, Node] = {}
    for node in EXPRESSIONS.pre_order(function):
        if type(node) is Let:
            values[node.var] = values.get(node.value, node.value)
    for node in EXPRESSIONS.post_order(function):
        if type(node) is Var:
            continue  # the depth of what it stands for is asked where it is used
        below = [depths.get(values.get(n, n), 0) for n in EXPRESSIONS.children(node)]
        depth = max(below, default=0)
        if type(node) is Call and node.op in counted:
            depth += 1
        elif type(node) is Call and type(node.op) is not Op:
            depth = below[0] + max(below[1:], default=0)
        depths[node] = depth
    return depths[function]
