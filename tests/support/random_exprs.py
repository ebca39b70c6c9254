"""Random programs, well-scoped, well-typed and free of faults by construction.

A program is determined by its seed and size. It evaluates without error, to numbers, tuples and
lists (never functions), in time linear in its size; effects occur only where they are let-bound,
so that hoisting and merging of shared nodes cannot reorder them.

Types are tuples while generating: ``("tensor", shape, dtype)``, ``("tuple", types)``, ``("ref",
type)``, ``("list",)`` and ``("fn", types, type, has_effect, cost)``.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import relayish as relay
from relayish.interpreter import evaluate, same_value
from relayish.op.declaration import properties, registry

__all__ = [
    "LIST",
    "random_arguments",
    "random_expr",
    "random_function",
    "random_module",
    "random_type",
    "same_value",
]

SHAPES = ((), (), (), (1,), (2,), (3,), (2, 3), (1, 3), (2, 1), (0,))
DTYPES = ("float32", "float32", "int32", "bool")
NAMES = ("x", "y", "x", "value", "a.b", "let", "if", "fn", "x y", "", "0", "x1", "é", "ref", '"')
FLOATS = (0.0, -0.0, 1.0, -1.5, math.nan, math.inf, -math.inf, 1 / 3, 1e-45, 3.4028235e38, 0.1)
INTS = (0, 1, -1, 2, 7, 2**31 - 1, -(2**31))
COST_LIMIT = 4_000
"""How many nodes one activation may evaluate, those of its callees included."""

_HEADER = relay.GlobalTypeVar("RandomList")
_ELEMENT = relay.TypeVar("a")
NIL = relay.Constructor("RandomNil", (), _HEADER)
CONS = relay.Constructor("RandomCons", (_ELEMENT, relay.TypeCall(_HEADER, (_ELEMENT,))), _HEADER)
LIST = relay.TypeData(_HEADER, (_ELEMENT,), (NIL, CONS))
"""The definition of the lists that occur in random programs."""

Ty = tuple[Any, ...]
FLOAT: Ty = ("tensor", (), "float32")
INT: Ty = ("tensor", (), "int32")
BOOL: Ty = ("tensor", (), "bool")
LIST_TYPE: Ty = ("list",)


def to_type(ty: Ty) -> relay.Type:
    """Return the type that ``ty`` stands for."""
    match ty[0]:
        case "tensor":
            return relay.TensorType(ty[1], ty[2])
        case "tuple":
            return relay.TupleType(tuple(to_type(item) for item in ty[1]))
        case "ref":
            return relay.RefType(to_type(ty[1]))
        case "list":
            return relay.TypeCall(_HEADER, (relay.TensorType((), "float32"),))
        case _:
            return relay.FuncType(tuple(to_type(item) for item in ty[1]), to_type(ty[2]))


def call(name: str, *args: relay.Expr, **values: object) -> relay.Call:
    """Return a call of the declared operator ``name``, with attributes if it takes any."""
    op = registry.get_op(name)
    kind = properties.attrs_type.get(op)
    return relay.Call(op, args, kind(**values) if kind is not None else None)


class Generator:
    """The state while one program is generated."""

    def __init__(self, seed: object, size: int) -> None:
        self.random = random.Random(f"relayish {seed} {size}")
        self.left = size
        self.pool: list[tuple[Ty, relay.Expr]] = []
        self.globals: list[tuple[Ty, relay.GlobalVar]] = []
        self.effects = 0
        self.cost = 0

    # Choices

    def name(self) -> str:
        return self.random.choice(NAMES)

    def var(self, ty: Ty, annotated: bool) -> relay.Var:
        return relay.Var(self.name(), to_type(ty) if annotated else None)

    def tensor_type(self) -> Ty:
        return ("tensor", self.random.choice(SHAPES), self.random.choice(DTYPES))

    def data_type(self, depth: int = 2) -> Ty:
        """Return the type of a value that can be compared."""
        kind = self.random.random()
        if depth and kind < 0.15:
            count = self.random.randrange(4)
            return ("tuple", tuple(self.data_type(depth - 1) for _ in range(count)))
        return LIST_TYPE if kind < 0.22 else self.tensor_type()

    # Leaves

    def number(self, dtype: str) -> Any:
        if dtype == "bool":
            return self.random.random() < 0.5
        if dtype == "int32":
            return self.random.choice(INTS)
        return self.random.choice(FLOATS)

    def constant(self, ty: Ty) -> relay.Expr:
        match ty[0]:
            case "tensor":
                _, shape, dtype = ty
                items = [self.number(dtype) for _ in range(math.prod(shape))]
                return relay.Constant(np.array(items, dtype).reshape(shape))
            case "tuple":
                return relay.Tuple(tuple(self.constant(item) for item in ty[1]))
            case "ref":
                return relay.RefCreate(self.constant(ty[1]))
            case "list":
                return relay.Call(NIL, ())
            case _:
                params = tuple(self.var(item, annotated=True) for item in ty[1])
                return relay.Function(params, self.constant(ty[2]), to_type(ty[2]))

    def known(self, ty: Ty) -> relay.Expr | None:
        """Return something in scope of type ``ty``: a variable, or a node to be shared."""
        # the last ones are the nearest; older ones make longer-lived sharing
        found = [expr for other, expr in self.pool if other == ty]
        return self.random.choice(found) if found else None

    # Expressions

    def expr(self, ty: Ty, depth: int = 0) -> relay.Expr:
        """Return an expression of type ``ty``."""
        self.cost += 1
        self.left -= 1
        if self.random.random() < (0.35 if self.left > 0 else 0.8):
            found = self.known(ty)
            if found is not None:
                return found
        if self.left <= 0 or depth > 25:
            return self.constant(ty)
        before = self.effects
        made = self.random.choice(self.rules(ty))(ty, depth + 1)
        if before == self.effects and self.random.random() < 0.7:
            self.pool.append((ty, made))
        return made

    def rules(self, ty: Ty) -> list[Callable[[Ty, int], relay.Expr]]:
        rules = [self.let, self.let, self.branch, self.project, self.apply, self.match_list]
        rules += [self.sequence, self.identity, self.match_tuple, self.call_known, self.call_known]
        own = {
            "tensor": [self.operator] * 14 + [self.loop, self.constant_of_other_type],
            "tuple": [self.tuple] * 8,
            "list": [self.cons] * 4,
            "ref": [self.ref] * 4,
            "fn": [self.function] * 12,
        }
        return rules + own[ty[0]]

    def scoped(self, ty: Ty, depth: int, known: list[tuple[Ty, relay.Expr]]) -> relay.Expr:
        """Return an expression in which ``known`` is in scope; what it shares stays inside."""
        mark = len(self.pool)
        self.pool += known
        made = self.expr(ty, depth)
        del self.pool[mark:]
        return made

    def let(self, ty: Ty, depth: int) -> relay.Expr:
        kind = self.random.random()
        bound = self.data_type()
        if kind < 0.2:
            bound = self.function_type()
        elif kind < 0.3:
            bound = ("ref", self.data_type(1))
        mark = len(self.pool)
        if bound[0] == "fn" and kind < 0.15:
            value, bound = self.closed_function(bound, depth)
        else:
            value = self.expr(bound, depth)
        del self.pool[mark:]
        var = self.var(bound, annotated=self.random.random() < 0.5)
        return relay.Let(var, value, self.scoped(ty, depth, [(bound, var)]))

    def branch(self, ty: Ty, depth: int) -> relay.Expr:
        cond = self.expr(BOOL, depth)
        return relay.If(cond, self.scoped(ty, depth, []), self.scoped(ty, depth, []))

    def project(self, ty: Ty, depth: int) -> relay.Expr:
        items = [self.data_type(0) for _ in range(self.random.randrange(3))]
        index = self.random.randrange(len(items) + 1)
        items.insert(index, ty)
        return relay.TupleGetItem(self.expr(("tuple", tuple(items)), depth), index)

    def tuple(self, ty: Ty, depth: int) -> relay.Expr:
        return relay.Tuple(tuple(self.expr(item, depth) for item in ty[1]))

    def cons(self, ty: Ty, depth: int) -> relay.Expr:
        return relay.Call(CONS, (self.expr(FLOAT, depth), self.expr(ty, depth)))

    def ref(self, ty: Ty, depth: int) -> relay.Expr:
        self.effects += 1  # a cell of one's own: shared or not makes a difference
        return relay.RefCreate(self.expr(ty[1], depth))

    def function_type(self) -> Ty:
        arity = self.random.randrange(3)
        return ("fn", tuple(self.data_type(1) for _ in range(arity)), self.data_type(1), False, 1)

    def function(self, ty: Ty, depth: int) -> relay.Expr:
        """Return a function literal of exactly this type: without effects, cheap."""
        _, params, result, _, _ = ty
        variables = tuple(self.var(item, annotated=True) for item in params)
        return relay.Function(variables, self.constant(result), to_type(result))

    def closed_function(self, ty: Ty, depth: int) -> tuple[relay.Function, Ty]:
        """Return a function that may use all that is in scope, and its type as it came out."""
        _, params, result, _, _ = ty
        variables = tuple(self.var(item, annotated=True) for item in params)
        effects, cost = self.effects, self.cost
        body = self.scoped(result, depth, list(zip(params, variables, strict=True)))
        spent, self.cost = self.cost - cost, cost + 1
        ret_type = to_type(result) if self.random.random() < 0.5 else None
        return relay.Function(variables, body, ret_type), (
            "fn",
            params,
            result,
            self.effects > effects,
            spent,
        )

    def helpers(
        self, most: int, size: int, prefix: str = "f"
    ) -> dict[relay.GlobalVar, relay.Function]:
        """Return fewer than ``most`` functions, which what is generated later may call."""
        made: dict[relay.GlobalVar, relay.Function] = {}
        for index in range(self.random.randrange(most)):
            self.left = size
            name = relay.GlobalVar(f"{prefix}{index}")
            made[name], ty = self.closed_function(self.function_type(), 0)
            self.globals.append((ty, name))
            self.cost = 0
        return made

    def main(self) -> relay.Function:
        """Return a closed function of tensors, tuples and lists."""
        params = [self.data_type() for _ in range(self.random.randrange(4))]
        variables = [self.var(ty, annotated=True) for ty in params]
        result = self.data_type()
        body = self.scoped(result, 0, list(zip(params, variables, strict=True)))
        return relay.Function(tuple(variables), body, to_type(result))

    def apply(self, ty: Ty, depth: int) -> relay.Expr:
        """Call a function literal."""
        params = tuple(self.data_type(1) for _ in range(self.random.randrange(3)))
        args = tuple(self.expr(item, depth) for item in params)
        made, (*_, cost) = self.closed_function(("fn", params, ty, False, 1), depth)
        self.cost += cost
        return relay.Call(made, args)

    def call_known(self, ty: Ty, depth: int) -> relay.Expr:
        """Call a function in scope, or a global one."""
        candidates = [
            (other, expr)
            for other, expr in [*self.pool, *self.globals]
            if other[0] == "fn" and other[2] == ty and self.cost + other[4] < COST_LIMIT
        ]
        if not candidates:
            return self.let(ty, depth)
        (_, params, _, has_effect, cost), callee = self.random.choice(candidates)
        args = tuple(self.expr(item, depth) for item in params)
        if self.cost + cost >= COST_LIMIT:
            return self.constant(ty)
        self.cost += cost
        if not has_effect:
            return relay.Call(callee, args)
        self.effects += 1
        var = self.var(ty, annotated=False)
        return relay.Let(var, relay.Call(callee, args), var)

    def identity(self, ty: Ty, depth: int) -> relay.Expr:
        """Call a polymorphic function."""
        variable = relay.TypeVar("t")
        param = relay.Var(self.name(), variable)
        function = relay.Function((param,), param, variable, (variable,))
        type_args = (to_type(ty),) if self.random.random() < 0.5 else ()
        return relay.Call(function, (self.expr(ty, depth),), None, type_args)

    def sequence(self, ty: Ty, depth: int) -> relay.Expr:
        """Make a reference or take one in scope, write it, read it."""
        refs = [(other, expr) for other, expr in self.pool if other[0] == "ref"]
        content = self.data_type(1)
        cell: relay.Expr = relay.Var(self.name())
        made: relay.Expr | None = None
        if refs and self.random.random() < 0.6:
            (_, content), cell = self.random.choice(refs)
        else:
            mark = len(self.pool)
            made = relay.RefCreate(self.expr(content, depth))
            del self.pool[mark:]
        self.effects += 1
        mark = len(self.pool)
        written = self.expr(content, depth)
        del self.pool[mark:]
        got, nothing = self.var(content, annotated=False), relay.Var(self.name())
        rest = self.scoped(ty, depth, [(content, got), (("ref", content), cell)])
        chain = relay.Let(
            nothing, relay.RefWrite(cell, written), relay.Let(got, relay.RefRead(cell), rest)
        )
        return chain if made is None else relay.Let(cell, made, chain)  # type: ignore[arg-type]

    def match_list(self, ty: Ty, depth: int) -> relay.Expr:
        data = self.expr(LIST_TYPE, depth)
        head, tail = self.var(FLOAT, annotated=True), self.var(LIST_TYPE, annotated=False)
        parts = (relay.PatternVar(head), relay.PatternVar(tail))
        full = relay.Clause(
            relay.PatternConstructor(CONS, parts),
            self.scoped(ty, depth, [(FLOAT, head), (LIST_TYPE, tail)]),
        )
        other = (
            relay.PatternWildcard()
            if self.random.random() < 0.5
            else relay.PatternConstructor(NIL, ())
        )
        return relay.Match(data, (full, relay.Clause(other, self.scoped(ty, depth, []))))

    def match_tuple(self, ty: Ty, depth: int) -> relay.Expr:
        items = (self.data_type(0), self.data_type(0))
        data = self.expr(("tuple", items), depth)
        var = self.var(items[0], annotated=False)
        pattern = relay.PatternTuple((relay.PatternVar(var), relay.PatternWildcard()))
        return relay.Match(
            data, (relay.Clause(pattern, self.scoped(ty, depth, [(items[0], var)])),)
        )

    def loop(self, ty: Ty, depth: int) -> relay.Expr:
        """Call a recursive function that counts down."""
        rounds = self.random.randrange(4)
        again, count, value = relay.Var(self.name()), self.var(INT, True), self.var(ty, True)
        cost = self.cost
        step = self.scoped(ty, depth, [(ty, value)])
        if cost + (self.cost - cost + 8) * rounds >= COST_LIMIT:
            rounds = 0
        self.cost += (self.cost - cost + 8) * rounds
        less = call("subtract", count, relay.Constant(1))
        body = relay.If(
            call("less", relay.Constant(0), count), relay.Call(again, (less, step)), value
        )
        function = relay.Function((count, value), body, to_type(ty))
        start = self.expr(ty, depth)
        return relay.Let(again, function, relay.Call(again, (relay.Constant(rounds), start)))

    def constant_of_other_type(self, ty: Ty, depth: int) -> relay.Expr:
        dtype = self.random.choice(("int8", "uint8", "int64", "float16", "float64", "int16"))
        shape = self.random.choice(SHAPES)
        items = [self.random.randrange(100) for _ in range(math.prod(shape))]
        other = relay.Constant(np.array(items, dtype).reshape(shape))
        if self.random.random() < 0.5 and ty == ("tensor", shape, "float32"):
            return call("cast", other, dtype="float32")
        return relay.TupleGetItem(relay.Tuple((other, self.expr(ty, depth))), 1)

    # Operators

    def operator(self, ty: Ty, depth: int) -> relay.Expr:
        dtype = ty[2]
        rules = [self.where, self.reshape, self.concatenate, self.transpose]
        if dtype == "bool":
            rules += [self.compare] * 5 + [self.logical] * 2
        else:
            rules += [self.arithmetic] * 8 + [self.unary] * 3 + [self.total]
        if dtype == "float32":
            rules += [self.clip, self.convert]
        return self.random.choice(rules)(ty, depth)

    def part_of(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return a shape that broadcasts to ``shape``."""
        shape = shape[self.random.randrange(len(shape) + 1) :]
        return tuple(1 if self.random.random() < 0.2 else size for size in shape)

    def two(self, shape: tuple[int, ...], dtype: str, depth: int) -> tuple[relay.Expr, relay.Expr]:
        """Return two operands that broadcast to ``shape``, one of them full."""
        parts = [shape, self.part_of(shape)]
        self.random.shuffle(parts)
        left, right = (self.expr(("tensor", part, dtype), depth) for part in parts)
        return left, right

    def arithmetic(self, ty: Ty, depth: int) -> relay.Expr:
        name = self.random.choice(("add", "subtract", "multiply", "maximum", "minimum"))
        if ty[2] == "float32" and self.random.random() < 0.15:
            name = "divide"
        return call(name, *self.two(ty[1], ty[2], depth))

    def compare(self, ty: Ty, depth: int) -> relay.Expr:
        name = self.random.choice(("less", "equal", "greater_equal", "not_equal"))
        return call(name, *self.two(ty[1], self.random.choice(("float32", "int32")), depth))

    def logical(self, ty: Ty, depth: int) -> relay.Expr:
        if self.random.random() < 0.3:
            return call("logical_not", self.expr(ty, depth))
        name = self.random.choice(("logical_and", "logical_or"))
        return call(name, *self.two(ty[1], "bool", depth))

    def unary(self, ty: Ty, depth: int) -> relay.Expr:
        names = ["negative", "abs"] + ["tanh", "sqrt", "exp"] * (ty[2] == "float32")
        return call(self.random.choice(names), self.expr(ty, depth))

    def where(self, ty: Ty, depth: int) -> relay.Expr:
        cond = self.expr(("tensor", ty[1], "bool"), depth)
        return call("where", cond, self.expr(ty, depth), self.expr(ty, depth))

    def clip(self, ty: Ty, depth: int) -> relay.Expr:
        return call("clip", self.expr(ty, depth), a_min=-2.5, a_max=self.random.choice((0.5, 6.0)))

    def convert(self, ty: Ty, depth: int) -> relay.Expr:
        source = self.random.choice(("int32", "bool"))
        return call("cast", self.expr(("tensor", ty[1], source), depth), dtype=ty[2])

    def reshape(self, ty: Ty, depth: int) -> relay.Expr:
        size = math.prod(ty[1])
        sources = [(size,), *(shape for shape in SHAPES if math.prod(shape) == size)]
        source = self.random.choice(sources)
        return call(
            "reshape", self.expr(("tensor", source, ty[2]), depth), newshape=ty[1], allowzero=True
        )

    def transpose(self, ty: Ty, depth: int) -> relay.Expr:
        rank = len(ty[1])
        axes = tuple(reversed(range(rank)))
        operand = self.expr(("tensor", ty[1][::-1], ty[2]), depth)
        return call("transpose", operand, axes=axes if self.random.random() < 0.5 else None)

    def concatenate(self, ty: Ty, depth: int) -> relay.Expr:
        _, shape, dtype = ty
        if not shape:
            return self.where(ty, depth)
        axis = self.random.randrange(len(shape))
        cut = self.random.randrange(shape[axis] + 1)
        parts = [
            self.expr(("tensor", (*shape[:axis], size, *shape[axis + 1 :]), dtype), depth)
            for size in (cut, shape[axis] - cut)
        ]
        return call("concatenate", relay.Tuple(tuple(parts)), axis=axis)

    def total(self, ty: Ty, depth: int) -> relay.Expr:
        _, shape, dtype = ty
        if len(shape) > 2:
            return self.unary(ty, depth)
        axis = self.random.randrange(len(shape) + 1)
        wide = (*shape[:axis], self.random.randrange(1, 3), *shape[axis:])
        operand = self.expr(("tensor", wide, dtype), depth)
        return call("sum", operand, axis=(axis,), keepdims=False, exclude=False)


def random_expr(seed: int, size: int = 40) -> relay.Expr:
    """Return a closed expression of roughly ``size`` nodes; see the module."""
    generator = Generator(seed, size)
    return generator.expr(generator.data_type())


def random_function(seed: int, size: int = 40) -> relay.Function:
    """Return a closed function of tensors, tuples and lists; call it with random_arguments."""
    return Generator(("function", seed), size).main()


def random_module(seed: int, size: int = 100) -> relay.IRModule:
    """Return a module with ``main``, functions it may call, and the definition of lists."""
    generator = Generator(("module", seed), size)
    helpers = generator.helpers(4, size // 5)
    generator.left = size - generator.random.randrange(size // 2 + 1)
    return relay.IRModule({**helpers, "main": generator.main()}, {_HEADER: LIST})


def random_arguments(function: relay.Expr, seed: int) -> tuple[Any, ...]:
    """Return values for the parameters of a random function."""
    assert isinstance(function, relay.Function)
    generator = Generator(("arguments", seed), 1)
    return tuple(_value(generator, param.type_annotation) for param in function.params)


def _value(generator: Generator, ty: relay.Type | None) -> Any:
    match ty:
        case relay.TensorType(shape, dtype):
            return evaluate(generator.constant(("tensor", shape, dtype)))
        case relay.TupleType(fields):
            return tuple(_value(generator, item) for item in fields)
        case relay.TypeCall():
            expr: relay.Expr = relay.Call(NIL, ())
            for _ in range(generator.random.randrange(3)):
                expr = relay.Call(CONS, (generator.constant(FLOAT), expr))
            return evaluate(expr)
        case _:
            raise AssertionError(f"random functions take no {ty!r}")


def random_type(seed: int, depth: int = 3) -> relay.Type:
    """Return a closed type of any kind there is syntax for."""
    return _type(random.Random(f"relayish type {seed}"), depth, ())


def _type(chance: random.Random, depth: int, variables: tuple[relay.TypeVar, ...]) -> relay.Type:
    kind = chance.randrange(9 if depth else 2)
    if kind == 0 and variables:
        return chance.choice(variables)
    if kind < 3:
        dtype = chance.choice(("float32", "int64", "bool", "uint8", "float16", "bfloat16"))
        return relay.TensorType(chance.choice(SHAPES), dtype)
    count = chance.randrange(4)
    if kind < 5:
        return relay.TupleType(tuple(_type(chance, depth - 1, variables) for _ in range(count)))
    if kind == 5:
        return relay.RefType(_type(chance, depth - 1, variables))
    if kind == 6:
        return relay.TypeCall(_HEADER, (_type(chance, depth - 1, variables),))
    own = tuple(relay.TypeVar(chance.choice("abc")) for _ in range(chance.randrange(3)))
    inner = (*variables, *own)
    args = tuple(_type(chance, depth - 1, inner) for _ in range(count))
    return relay.FuncType(args, _type(chance, depth - 1, inner), own)
