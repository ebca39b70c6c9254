"""Programs of any size whose types are found out late, or are deep, or are many.

Each builder takes how many of something there shall be. They are what type inference could take
quadratic time for: chains of unknown types, deep types with something unknown inside, wide tuples
of which one field after the other becomes known, functions that refer to one another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from relayish.ir.relay.adt import Clause, Match, Pattern, PatternTuple, PatternVar, PatternWildcard
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any, SizeVar, TensorType, TypeVar
from tests.support.random_exprs import CONS, LIST, NIL, call

NUMBER: Final = TensorType((), "int32")
VECTOR: Final = TensorType((3,), "float32")
TRUE: Final = Constant(True)


def zero() -> Constant:
    return Constant(0)


def vector() -> Constant:
    return Constant(np.zeros(3, "float32"))


def applied(function: Function, *args: Expr) -> Expr:
    return Call(function, args)


def bound(variables: list[Var], values: list[Expr], body: Expr) -> Expr:
    for var, value in zip(reversed(variables), reversed(values), strict=True):
        body = Let(var, value, body)
    return body


def wrappers(count: int) -> Expr:
    """``let f1 = fn (x) { f0(x) }; ...``, without annotations, called once."""
    names = [Var(f"f{i}") for i in range(count)]
    values: list[Expr] = []
    for i in range(count):
        x = Var("x")
        values.append(Function((x,), Call(names[i - 1], (x,)) if i else x))
    return bound(names, values, Call(names[-1], (zero(),)))


def handed_down(count: int) -> Expr:
    """``(fn (x0) { (fn (x1) { ... })(x0) })(0)``: all parameters are one unknown type."""
    params = [Var(f"x{i}") for i in range(count + 1)]
    expr: Expr = params[count]
    for i in reversed(range(count)):
        expr = Call(Function((params[i + 1],), expr), (params[i],))
    return applied(Function((params[0],), expr), zero())


def curried(count: int) -> Expr:
    """``(fn (x) { fn (x) { ... } })(0)(0)...``: a deep type of unknown parameters."""
    expr: Expr = zero()
    for _ in range(count):
        expr = Function((Var("x"),), expr)
    for _ in range(count):
        expr = Call(expr, (zero(),))
    return expr


def curried_branches(count: int) -> Expr:
    """Two curried functions as the branches of an if, which is called."""
    one: Expr = zero()
    other: Expr = zero()
    for _ in range(count):
        one, other = Function((Var("x"),), one), Function((Var("y"),), other)
    expr: Expr = If(TRUE, one, other)
    for _ in range(count):
        expr = Call(expr, (zero(),))
    return expr


def open_tuples(count: int) -> Expr:
    """``match ((match ((x,)) { v => v },)) { v => v }`` of an unknown ``x``: deep open types."""
    x = Var("x")
    expr: Expr = x
    for _ in range(count):
        var = Var("v")
        expr = Match(Tuple((expr,)), (Clause(PatternVar(var), var),))
    return applied(Function((x,), expr), zero())


def open_tuples_through_closures(count: int) -> Expr:
    x = Var("x")
    expr: Expr = x
    for _ in range(count):
        param = Var("p")
        expr = applied(Function((param,), param), Tuple((expr,)))
    return applied(Function((x,), expr), zero())


def open_tuples_through_polymorphism(count: int) -> Expr:
    ty, x, same = TypeVar("t"), Var("x"), Var("same")
    param = Var("p", ty)
    expr: Expr = x
    for _ in range(count):
        expr = Call(same, (Tuple((expr,)),))
    body = Let(same, Function((param,), param, ty, (ty,)), expr)
    return applied(Function((x,), body), zero())


def pending_lets(count: int) -> Expr:
    """``let y1 = x + x; let y2 = y1 + y1; ...`` of an unknown ``x``: relations solved late."""
    x = Var("x")
    names = [Var(f"y{i}") for i in range(count)]
    values: list[Expr] = [call("add", v, v) for v in [x, *names[:-1]]]
    return applied(Function((x,), bound(names, values, names[-1])), zero())


def pending_projections(count: int) -> Expr:
    x, data = Var("x"), zero()
    expr: Expr = x
    value: Expr = data
    for _ in range(count):
        expr, value = TupleGetItem(expr, 0), Tuple((value,))
    return applied(Function((x,), expr), value)


def pending_reads(count: int) -> Expr:
    x = Var("x")
    expr: Expr = x
    value: Expr = zero()
    for _ in range(count):
        expr, value = RefRead(expr), RefCreate(value)
    return applied(Function((x,), expr), value)


def pending_on_one(count: int) -> Expr:
    x = Var("x")
    sums = tuple(call("add", x, x) for _ in range(count))
    return applied(Function((x,), Tuple(sums)), zero())


def fields_known_one_by_one(count: int) -> Expr:
    """A concatenation of a chain of pending results, the last one first."""
    x = Var("x")
    chain: list[Expr] = [x]
    for _ in range(count):
        chain.append(call("add", chain[-1], chain[-1]))
    fields = Tuple(tuple(reversed(chain)))
    return applied(Function((x,), call("concatenate", fields, axis=0)), vector())


def wide_projections(count: int) -> Expr:
    whole = Var("t")
    projections = Tuple(tuple(TupleGetItem(whole, i) for i in range(count)))
    return applied(Function((whole,), projections), Tuple(tuple(zero() for _ in range(count))))


def wide_match(count: int) -> Expr:
    """Many clauses for a tuple of unknown fields."""
    x = Var("x")
    clauses = []
    for _ in range(count):
        var = Var("v")
        clauses.append(Clause(PatternTuple((PatternVar(var), PatternWildcard())), var))
    return applied(Function((x,), Match(x, tuple(clauses))), Tuple((zero(), zero())))


def deep_pattern(count: int) -> Expr:
    x, var = Var("x"), Var("v")
    pattern: Pattern = PatternVar(var)
    value: Expr = zero()
    for _ in range(count):
        pattern, value = PatternTuple((pattern,)), Tuple((value,))
    return applied(Function((x,), Match(x, (Clause(pattern, var),))), value)


def equal_parameters(count: int) -> Expr:
    """``if (..) { if (..) { x0 } else { x1 } } else { x2 } ...``: all of one unknown type."""
    params = tuple(Var(f"x{i}") for i in range(count))
    expr: Expr = params[0]
    for param in params[1:]:
        expr = If(TRUE, expr, param)
    return applied(Function(params, expr), *(zero() for _ in params))


def equal_sizes(count: int) -> Expr:
    """The same of vectors, each of a named size of its own."""
    params = tuple(Var(f"x{i}", TensorType((SizeVar(f"n{i}"),), "float32")) for i in range(count))
    expr: Expr = params[0]
    for param in params[1:]:
        expr = If(TRUE, expr, param)
    return Function(params, expr)


def equal_deep_types(count: int) -> Expr:
    """Two tuples as deep as there are ifs that join them."""
    one, other = Var("a"), Var("b")
    values: list[Expr] = [zero(), zero()]
    for _ in range(count):
        values = [Tuple((value,)) for value in values]
    expr: Expr = one
    for _ in range(count):
        expr = If(TRUE, expr, other)
    return bound([one, other], values, expr)


def widened(count: int) -> Expr:
    """Parameters found to be three long, and then of any length."""
    any_vector = Var("x", TensorType((Any(),), "float32"))
    expr: Expr = zero()
    for _ in range(count):
        param, first = Var("u"), Var("first")
        body = Let(first, If(TRUE, param, vector()), If(TRUE, param, any_vector))
        expr = Let(Var("z"), applied(Function((param,), body), vector()), expr)
    return Function((any_vector,), expr)


def recursive_lets(count: int) -> Expr:
    expr: Expr = zero()
    for _ in range(count):
        name, x = Var("f"), Var("x")
        function = Function((x,), If(TRUE, x, Call(name, (x,))))
        expr = Let(name, function, Call(name, (expr,)))
    return expr


def polymorphic_wrappers(count: int) -> Expr:
    names = [Var(f"f{i}") for i in range(count)]
    values: list[Expr] = []
    for i in range(count):
        ty = TypeVar("t")
        x = Var("x", ty)
        values.append(Function((x,), Call(names[i - 1], (x,)) if i else x, None, (ty,)))
    return bound(names, values, Call(names[-1], (zero(),)))


def chain_of_globals(count: int) -> IRModule:
    return _globals(count, lambda x, following: x if following is None else Call(following, (x,)))


def cycle_of_globals(count: int) -> IRModule:
    first = GlobalVar("f0")
    return _globals(count, lambda x, next_: If(TRUE, x, Call(next_ or first, (x,))), first)


def cycle_of_unannotated_globals(count: int) -> IRModule:
    """All parameters are of one type, which the last function tells."""
    first = GlobalVar("f0")

    def body(x: Var, following: GlobalVar | None) -> Expr:
        if following is None:
            return If(TRUE, If(TRUE, x, zero()), Call(first, (x,)))
        return If(TRUE, zero(), Call(following, (x,)))

    return _globals(count, body, first, annotated=False)


def _globals(
    count: int,
    body: Callable[[Var, GlobalVar | None], Expr],
    first: GlobalVar | None = None,
    *,
    annotated: bool = True,
) -> IRModule:
    names = [first or GlobalVar("f0"), *(GlobalVar(f"f{i}") for i in range(1, count))]
    functions: dict[GlobalVar | str, Expr] = {}
    for i, name in enumerate(names):
        x = Var("x", NUMBER if annotated else None)
        functions[name] = Function((x,), body(x, names[i + 1] if i + 1 < count else None))
    return IRModule(functions)


def long_list(count: int) -> IRModule:
    expr: Expr = Call(NIL, ())
    for _ in range(count):
        expr = Call(CONS, (Constant(0.0), expr))
    return IRModule({"main": Function((), expr)}, {LIST.header: LIST})


def lists_of_lists(count: int) -> IRModule:
    expr: Expr = Constant(0.0)
    for _ in range(count):
        expr = Call(CONS, (expr, Call(NIL, ())))
    return IRModule({"main": Function((), expr)}, {LIST.header: LIST})


OPEN_PROGRAMS: Final[dict[str, Callable[[int], Expr | IRModule]]] = {
    builder.__name__: builder
    for builder in (
        wrappers,
        handed_down,
        curried,
        curried_branches,
        open_tuples,
        open_tuples_through_closures,
        open_tuples_through_polymorphism,
        pending_lets,
        pending_projections,
        pending_reads,
        pending_on_one,
        fields_known_one_by_one,
        wide_projections,
        wide_match,
        deep_pattern,
        equal_parameters,
        equal_sizes,
        equal_deep_types,
        widened,
        recursive_lets,
        polymorphic_wrappers,
        chain_of_globals,
        cycle_of_globals,
        cycle_of_unannotated_globals,
        long_list,
        lists_of_lists,
    )
}
"""Every builder by name."""
