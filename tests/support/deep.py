"""Programs nested as deep as one likes, in every way a program can be nested.

Every builder takes the number of levels and, if wanted, the innermost expression, so that two
programs may differ in one leaf only. All but ``function_nest`` (a closure) evaluate to what the
leaf evaluates to, ``call_chain`` to that plus the number of levels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import relayish as relay
from relayish.ir.relay.op import intern_op


def call_chain(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``add(add(leaf, 1), 1)`` and so on."""
    add, one = intern_op("add"), relay.Constant(1)
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        expr = relay.Call(add, (expr, one))
    return expr


def let_body(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``let x0 = leaf; let x1 = x0; ...; xn``."""
    value = leaf or relay.Constant(0)
    variables = [relay.Var(f"x{level}") for level in range(levels)]
    expr: relay.Expr = variables[-1] if variables else value
    for level in reversed(range(levels)):
        expr = relay.Let(variables[level], variables[level - 1] if level else value, expr)
    return expr


def let_value(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``let x = { let x = { ... leaf }; x }; x``."""
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        var = relay.Var("x")
        expr = relay.Let(var, expr, var)
    return expr


def tuple_nest(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``(((leaf,),),)``; evaluates to a tuple as deep."""
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        expr = relay.Tuple((expr,))
    return expr


def projection_nest(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``((leaf,).0,).0``."""
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        expr = relay.TupleGetItem(relay.Tuple((expr,)), 0)
    return expr


def ref_nest(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``ref_read(ref(ref_read(ref(leaf))))``."""
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        expr = relay.RefRead(relay.RefCreate(expr))
    return expr


def if_cond(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``if (if (leaf) {True} else {False}) {True} else {False}``; the leaf is a truth value."""
    expr = leaf or relay.Constant(True)
    for _ in range(levels):
        expr = relay.If(expr, relay.Constant(True), relay.Constant(False))
    return expr


def if_true(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``if (True) { if (True) { leaf } else { 0 } } else { 0 }``."""
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        expr = relay.If(relay.Constant(True), expr, relay.Constant(0))
    return expr


def if_false(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``if (False) { 0 } else { if (False) { 0 } else { leaf } }``."""
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        expr = relay.If(relay.Constant(False), relay.Constant(0), expr)
    return expr


def function_nest(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``fn (x) { fn (x) { leaf } }``, every parameter a variable of its own."""
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        expr = relay.Function((relay.Var("x"),), expr)
    return expr


def match_nest(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``match (match (leaf) { x => x }) { x => x }``."""
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        var = relay.Var("x")
        expr = relay.Match(expr, (relay.Clause(relay.PatternVar(var), var),))
    return expr


def match_clause(levels: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``match (0) { _ => match (0) { _ => leaf } }``."""
    expr = leaf or relay.Constant(0)
    for _ in range(levels):
        expr = relay.Match(relay.Constant(0), (relay.Clause(relay.PatternWildcard(), expr),))
    return expr


DEEP_NESTS: Final[dict[str, Callable[..., relay.Expr]]] = {
    builder.__name__: builder
    for builder in (
        call_chain,
        let_body,
        let_value,
        tuple_nest,
        projection_nest,
        ref_nest,
        if_cond,
        if_true,
        if_false,
        function_nest,
        match_nest,
        match_clause,
    )
}
"""Every way of nesting by name; each takes ``(levels, leaf=None)``."""


def type_nest(levels: int, leaf: relay.Type | None = None) -> relay.Type:
    """``(((leaf,),),)``, a tuple type."""
    ty = leaf or relay.TensorType((), "float32")
    for _ in range(levels):
        ty = relay.TupleType((ty,))
    return ty


def pattern_nest(levels: int, leaf: relay.Pattern | None = None) -> relay.Pattern:
    """``(((leaf,),),)``, a pattern of tuples."""
    pattern = leaf or relay.PatternWildcard()
    for _ in range(levels):
        pattern = relay.PatternTuple((pattern,))
    return pattern


def doublings(count: int, leaf: relay.Expr | None = None) -> relay.Expr:
    """``e = e + e``, ``count`` times: few nodes, ``2 ** count`` paths."""
    add = intern_op("add")
    expr = leaf or relay.Constant(1)
    for _ in range(count):
        expr = relay.Call(add, (expr, expr))
    return expr
