"""The programs of the bench as relayish nodes, the same as those of ``tight``."""

from __future__ import annotations

from relayish.dataflow_pattern import (
    Found,
    RuleSet,
    is_constant,
    is_expr,
    is_op,
    is_tuple,
    is_tuple_get_item,
    rule,
    wildcard,
)
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar, If, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TypeVar, scalar_type
from relayish.op.declaration.registry import get_op

ADD, MULTIPLY = get_op("add"), get_op("multiply")


def dag(size: int) -> Expr:
    x: Expr
    y: Expr
    x, y = Var("x"), Var("y")
    for _ in range(size):
        x, y = y, Call(ADD, (y, x))
    return y


def foldable(size: int) -> Expr:
    one = Constant(1)
    e: Expr = one
    for _ in range(size):
        e = Call(ADD, (e, one))
    return Call(ADD, (e, Var("x")))


def tenth_foldable(size: int) -> Expr:
    one, y = Constant(1), Var("y")
    e: Expr = Var("x")
    for i in range(size):
        e = Call(ADD, (e, Call(ADD, (one, one)) if i % 10 == 0 else y))
    return e


def rewritable(size: int) -> Expr:
    zero, one, y = Constant(0), Constant(1), Var("y")
    x: Expr = Var("x")
    for _ in range(size // 4):
        x = Call(ADD, (x, zero))
        x = Call(MULTIPLY, (x, one))
        x = Call(ADD, (x, y))
        x = Call(MULTIPLY, (x, y))
    return x


def duplicated(size: int) -> Expr:
    x: Expr = Var("x")
    y = Var("y")
    for _ in range(size // 4):
        p, q = Call(ADD, (x, y)), Call(ADD, (x, y))
        x = Call(ADD, (Call(MULTIPLY, (p, q)), y))
    return x


def half_dead(size: int) -> Expr:
    x, y = Var("x"), Var("y")
    bindings: list[tuple[Var, Expr]] = []
    for _ in range(size // 2):
        live, dead = Var("l"), Var("d")
        bindings.append((live, Call(ADD, (x, y))))
        bindings.append((dead, Call(MULTIPLY, (live, y))))
        x = live
    e: Expr = x
    for var, value in reversed(bindings):
        e = Let(var, value, e)
    return e


FLOAT, BOOL = scalar_type("float32"), scalar_type("bool")


def typed_dag(size: int) -> Function:
    """``dag`` as a function whose parameters are annotated."""
    a, b = Var("x", FLOAT), Var("y", FLOAT)
    x: Expr = a
    y: Expr = b
    for _ in range(size):
        x, y = y, Call(ADD, (y, x))
    return Function((a, b), y)


def late_dag(size: int) -> Function:
    """``dag`` as a closure whose parameters get their types when it is called, at the end."""
    a, b, closure = Var("x"), Var("y"), Var("f")
    x: Expr = a
    y: Expr = b
    for _ in range(size):
        x, y = y, Call(ADD, (y, x))
    one = Constant(1.0)
    return Function((), Let(closure, Function((a, b), y), Call(closure, (one, one))))


def polymorphic(size: int) -> Function:
    """A chain of lets that call a polymorphic function, at two types in turn."""
    kind, twin = TypeVar("t"), Var("same")
    given = Var("a", kind)
    same = Function((given,), given, None, (kind,))
    value: Expr = Constant(1.0)
    bound = []
    for index in range(size // 2):
        var, other = Var("x"), Var("y")
        bound.append((var, Call(twin, (value,))))
        bound.append((other, Call(twin, (Tuple((var,)),) if index % 2 else (var,))))
        value = var
    body: Expr = value
    for var, called in reversed(bound):
        body = Let(var, called, body)
    return Function((), Let(twin, same, body))


def recursive(size: int) -> IRModule:
    """Global functions without result types: each calls itself and the next; ten nodes a
    function."""
    count = max(1, size // 10)
    names = [GlobalVar(f"f{index}") for index in range(count)]
    functions: dict[GlobalVar | str, Expr] = {}
    one = Constant(1.0)
    for index, name in enumerate(names):
        x, c = Var("x", FLOAT), Var("c", BOOL)
        following = names[min(index + 1, count - 1)]
        again = Call(name, (Call(ADD, (x, one)), c))
        other = Call(ADD, (Call(following, (x, c)), Call(MULTIPLY, (x, x))))
        stop: Expr = other if following is not name else x
        functions[name] = Function((x, c), If(c, again, stop))
    return IRModule(functions)


def twenty_rules() -> RuleSet:
    """Return rules as a simplifier has them: two for units, and eighteen for other operators."""
    x, y, z = wildcard(), wildcard(), wildcard()
    zero, one, constant = is_expr(Constant(0)), is_expr(Constant(1)), is_constant()
    twice = ("negative", "nn.relu", "cast", "reshape", "transpose", "clip")
    patterns = [
        x + zero,
        x * one,
        x - zero,
        x / one,
        x - x,
        is_op("exp")(is_op("log")(x)),
        is_op("log")(is_op("exp")(x)),
        *[is_op(name)(is_op(name)(x)) for name in twice],
        is_op("add")(is_op("negative")(x), y),
        is_op("sqrt")(x) * is_op("sqrt")(y),
        is_op("divide")(constant, is_op("sqrt")(x)),
        is_op("nn.bias_add")(is_op("nn.conv2d")(x, y), z),
        (is_op("tanh") | is_op("sigmoid"))(is_op("negative")(x)),
        is_tuple_get_item(is_tuple(), 0),
        is_op("maximum")(x, x),
    ]
    assert len(patterns) == 20

    def operand(expr: Expr, found: Found) -> Expr:
        return found[x] if x in found else expr  # noqa: SIM401 - found is no dict

    return RuleSet([rule(pattern)(operand) for pattern in patterns])
