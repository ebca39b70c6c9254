"""Programs nested as deep as one likes, in every way a program can be nested.

Every builder takes the number of levels and, if wanted, the innermost expression, so that two
programs may differ in one leaf only. All but ``function_nest`` (a closure) evaluate to what the
leaf evaluates to, ``call_chain`` to that plus the number of levels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from relayish.ir.relay.adt import Clause, Match, Pattern, PatternTuple, PatternVar, PatternWildcard
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    RefCreate,
    RefRead,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType, TupleType, Type


def call_chain(levels: int, leaf: Expr | None = None) -> Expr:
    """``add(add(leaf, 1), 1)`` and so on."""
    add, one = intern_op("add"), Constant(1)
    expr = leaf or Constant(0)
    for _ in range(levels):
        expr = Call(add, (expr, one))
    return expr


def let_body(levels: int, leaf: Expr | None = None) -> Expr:
    """``let x0 = leaf; let x1 = x0; ...; xn``."""
    value = leaf or Constant(0)
    variables = [Var(f"x{level}") for level in range(levels)]
    expr: Expr = variables[-1] if variables else value
    for level in reversed(range(levels)):
        expr = Let(variables[level], variables[level - 1] if level else value, expr)
    return expr


def let_value(levels: int, leaf: Expr | None = None) -> Expr:
    """``let x = { let x = { ... leaf }; x }; x``."""
    expr = leaf or Constant(0)
    for _ in range(levels):
        var = Var("x")
        expr = Let(var, expr, var)
    return expr


def tuple_nest(levels: int, leaf: Expr | None = None) -> Expr:
    """``(((leaf,),),)``; evaluates to a tuple as deep."""
    expr = leaf or Constant(0)
    for _ in range(levels):
        expr = Tuple((expr,))
    return expr


def projection_nest(levels: int, leaf: Expr | None = None) -> Expr:
    """``((leaf,).0,).0``."""
    expr = leaf or Constant(0)
    for _ in range(levels):
        expr = TupleGetItem(Tuple((expr,)), 0)
    return expr


def ref_nest(levels: int, leaf: Expr | None = None) -> Expr:
    """``ref_read(ref(ref_read(ref(leaf))))``."""
    expr = leaf or Constant(0)
    for _ in range(levels):
        expr = RefRead(RefCreate(expr))
    return expr


def if_cond(levels: int, leaf: Expr | None = None) -> Expr:
    """``if (if (leaf) {True} else {False}) {True} else {False}``; the leaf is a truth value."""
    expr = leaf or Constant(True)
    for _ in range(levels):
        expr = If(expr, Constant(True), Constant(False))
    return expr


def if_true(levels: int, leaf: Expr | None = None) -> Expr:
    """``if (True) { if (True) { leaf } else { 0 } } else { 0 }``."""
    expr = leaf or Constant(0)
    for _ in range(levels):
        expr = If(Constant(True), expr, Constant(0))
    return expr


def if_false(levels: int, leaf: Expr | None = None) -> Expr:
    """``if (False) { 0 } else { if (False) { 0 } else { leaf } }``."""
    expr = leaf or Constant(0)
    for _ in range(levels):
        expr = If(Constant(False), Constant(0), expr)
    return expr


def function_nest(levels: int, leaf: Expr | None = None) -> Expr:
    """``fn (x) { fn (x) { leaf } }``, every parameter a variable of its own."""
    expr = leaf or Constant(0)
    for _ in range(levels):
        expr = Function((Var("x"),), expr)
    return expr


def match_nest(levels: int, leaf: Expr | None = None) -> Expr:
    """``match (match (leaf) { x => x }) { x => x }``."""
    expr = leaf or Constant(0)
    for _ in range(levels):
        var = Var("x")
        expr = Match(expr, (Clause(PatternVar(var), var),))
    return expr


def match_clause(levels: int, leaf: Expr | None = None) -> Expr:
    """``match (0) { _ => match (0) { _ => leaf } }``."""
    expr = leaf or Constant(0)
    for _ in range(levels):
        expr = Match(Constant(0), (Clause(PatternWildcard(), expr),))
    return expr


DEEP_NESTS: Final[dict[str, Callable[..., Expr]]] = {
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


def type_nest(levels: int, leaf: Type | None = None) -> Type:
    """``(((leaf,),),)``, a tuple type."""
    ty = leaf or TensorType((), "float32")
    for _ in range(levels):
        ty = TupleType((ty,))
    return ty


def pattern_nest(levels: int, leaf: Pattern | None = None) -> Pattern:
    """``(((leaf,),),)``, a pattern of tuples."""
    pattern = leaf or PatternWildcard()
    for _ in range(levels):
        pattern = PatternTuple((pattern,))
    return pattern


def doublings(count: int, leaf: Expr | None = None) -> Expr:
    """``e = e + e``, ``count`` times: few nodes, ``2 ** count`` paths."""
    add = intern_op("add")
    expr = leaf or Constant(1)
    for _ in range(count):
        expr = Call(add, (expr, expr))
    return expr
