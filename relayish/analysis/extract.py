"""Extraction of single expressions and fused functions from a module."""

from __future__ import annotations

from relayish.analysis.variables import free_vars
from relayish.errors import FieldIndexError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, TupleGetItem
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS

_NUMBERED: frozenset[type[Node]] = frozenset({Call, Tuple, TupleGetItem})


def extract_intermediate_expr(mod: IRModule, expr_id: int) -> IRModule:
    """Return a module whose ``main`` computes one part of the ``main`` of ``mod``.

    Calls, tuples and projections are numbered from 0, children before parents, as they are in text
    where every one of them has a line of its own: ``%0 = ...``.

    Args:
        mod: A module with a ``main``.
        expr_id: The number of the part.

    Returns:
        A module of the same functions and types; the parameters of ``main`` are the free variables
        of the part, in order.

    Raises:
        FieldIndexError: If there is no such part.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``extract_intermdeiate_expr``, which leaves the other functions out.

    Example:
        >>> from relayish.text import parse
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: float32, %y: float32) { add(exp(%x), tanh(%y)) }''')
        >>> print(extract_intermediate_expr(mod, 1))
        #[version = "0.0.5"]
        def @main(%y: float32) {
          tanh(%y)
        }
    """
    numbered = [node for node in EXPRESSIONS.post_order(mod["main"]) if type(node) in _NUMBERED]
    if not 0 <= expr_id < len(numbered):
        raise FieldIndexError(
            f"@main has no expression {expr_id!r}; its calls, tuples and projections are numbered "
            f"from 0 to {len(numbered) - 1}"
        )
    expr = numbered[expr_id]
    assert isinstance(expr, Expr)
    return mod.with_function("main", Function(free_vars(expr), expr))


"""Relay's name, as it is spelt there."""


def extract_fused_functions(mod: IRModule) -> dict[str, Function]:
    """Return the different functions with the attribute ``Primitive`` in a module.

    These are what ``FuseOps`` makes; run it on ``mod`` before, and ``SimplifyInference`` before it.

    Returns:
        The functions by the number that :func:`~relayish.structural_hash` gives them, as text;
        where two that are different have the same, the later has a number behind it.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``extract_fused_functions``, which runs these passes itself.

    Example:
        >>> from relayish.text import parse
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: float32) {
        ...   %0 = fn (%a: float32, Primitive=1) { tanh(exp(%a)) };
        ...   %1 = fn (%b: float32, Primitive=1) { tanh(exp(%b)) };
        ...   %0(%1(%x))
        ... }''')
        >>> [len(function.params) for function in extract_fused_functions(mod).values()]
        [1]
    """
    found: dict[str, Function] = {}
    seen: set[Node] = set()
    for definition in mod.functions_of(Expr).values():
        for node in EXPRESSIONS.pre_order(definition):
            if type(node) is not Function or node in seen:
                continue
            seen.add(node)
            if is_primitive(node):
                _enter(node, found)
    return found


def _enter(function: Function, found: dict[str, Function]) -> None:
    stem = name = str(structural_hash(function))
    count = 0
    while name in found:
        if structural_equal(found[name], function):
            return
        count += 1
        name = f"{stem}_{count}"
    found[name] = function
