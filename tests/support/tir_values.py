"""Random expressions of the loop IR: well typed, in range, and without faults unless asked for.

What an index may be is known by intervals while a program is generated, so that every access is in
range by construction; what cannot be known is clamped.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np

from relayish import tir
from relayish.tir import Expr, Type, as_type

INTS = ("int32", "int32", "int32", "int64", "int8", "uint8", "uint32")
FLOATS = ("float32", "float32", "float64", "float16")
COMPARISONS = (tir.LT, tir.LE, tir.GT, tir.GE, tir.EQ, tir.NE)
MATH = ("exp", "sqrt", "floor", "ceil", "trunc", "tanh", "cos", "sin")
LANES = (2, 3, 4, 8)


@dataclass(frozen=True)
class Known:
    """An ``int32`` expression whose value lies in ``[low, high]``."""

    expr: Expr
    low: int
    high: int


@dataclass(frozen=True)
class View:
    """A tensor over a buffer that may be used; ``shape`` are least sizes, where they vary."""

    tensor: tir.Tensor
    shape: tuple[int, ...]
    writable: bool = True


@dataclass
class Scope:
    """What statements and expressions may use at some place."""

    known: list[Known] = field(default_factory=list)
    scalars: list[tir.Var] = field(default_factory=list)  # readable, and stored to
    constants: list[tir.Var] = field(default_factory=list)  # readable only
    views: list[View] = field(default_factory=list)
    shared: list[Expr] = field(default_factory=list)  # held by several places as one object

    def inner(self) -> Scope:
        """Return a scope in which all of this is known, and more may be."""
        lists = (self.known, self.scalars, self.constants, self.views, self.shared)
        return Scope(*map(list, lists))


class ValueGenerator:
    """Draws expressions; ``features`` says which kinds, ``faulty`` whether they may fault."""

    def __init__(self, seed: object, features: Collection[str], *, faulty: bool = False) -> None:
        self.random = random.Random(f"tir {seed}")
        self.features = features
        self.faulty = faulty
        self.cost = 0.0
        self.times = 1.0  # how often the place being generated may run
        self.names: dict[str, int] = {}

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def unique(self, name: str) -> str:
        """Return a name that no other thing of the program has."""
        count = self.names[name] = self.names.get(name, -1) + 1
        return f"{name}_{count}" if count else name

    # indices

    def index(self, scope: Scope, low: int, high: int, depth: int = 2) -> Expr:
        """An ``int32`` expression that lies in ``[low, high]``."""
        if self.faulty and self.chance(0.01):
            return tir.const(self.random.choice((low - 1, high + 1)))
        draw = self.random.random()
        fitting = [k for k in scope.known if low <= k.low and k.high <= high]
        if fitting and draw < 0.45:
            return self.random.choice(fitting).expr
        if not scope.known or draw < 0.55 or depth == 0:
            return tir.const(self.random.randint(low, high))
        if draw < 0.92:
            found = self.affine(scope)
            return self.wrapped(found, low, high)
        value = self.value(scope, as_type("int32"), 1)
        return tir.Max(tir.Min(value, tir.const(high)), tir.const(low))

    def affine(self, scope: Scope) -> Known:
        """A linear form of one or two known expressions, with its interval."""
        first = self.random.choice(scope.known)
        found = self.scaled(first)
        if self.chance(0.4):
            other = self.scaled(self.random.choice(scope.known))
            found = Known(found.expr + other.expr, found.low + other.low, found.high + other.high)
        if self.chance(0.4):
            by = self.random.randint(-3, 3)
            found = Known(found.expr + by, found.low + by, found.high + by)
        if self.chance(0.15):
            by = self.random.choice((2, 3, 4))
            low, high = int(found.low / by), int(found.high / by)
            found = Known(found.expr / by, low, high)
        return found

    def scaled(self, known: Known) -> Known:
        if self.chance(0.6):
            return known
        by = self.random.choice((-1, 2, 3, 4, -2))
        low, high = sorted((known.low * by, known.high * by))
        if by == -1 and self.chance(0.5):
            return Known(-known.expr, low, high)
        return Known(known.expr * by if self.chance(0.5) else by * known.expr, low, high)

    def wrapped(self, known: Known, low: int, high: int) -> Expr:
        """``known`` itself where it is in ``[low, high]``, else moved, clamped or reduced to it."""
        if low <= known.low and known.high <= high:
            return known.expr
        if known.high - known.low <= high - low and self.chance(0.7):
            by = self.random.randint(low - known.low, high - known.high)
            return known.expr + by if by >= 0 or self.chance(0.5) else known.expr - (-by)
        size = high - low + 1
        if self.chance(0.5):
            if known.low >= 0:
                reduced: Expr = known.expr % size
            else:
                reduced = (known.expr % size + size) % size
            return reduced + low if low else reduced
        return tir.Max(tir.Min(known.expr, tir.const(high)), tir.const(low))

    def indices(self, scope: Scope, view: View) -> tuple[Expr, ...]:
        return tuple([self.index(scope, 0, size - 1) for size in view.shape])

    def vector_indices(self, scope: Scope, view: View, lanes: int) -> tuple[Expr, ...]:
        """Indices of which one at least is a vector of ``lanes`` in range."""
        at = self.random.randrange(len(view.shape))
        found = []
        for dim, size in enumerate(view.shape):
            if dim != at and self.chance(0.8):
                found.append(self.index(scope, 0, size - 1))
                continue
            found.append(self.vector_index(scope, size, lanes))
        return tuple(found)

    def vector_index(self, scope: Scope, size: int, lanes: int) -> Expr:
        strides = [s for s in (1, 1, 2, -1, 0) if abs(s) * (lanes - 1) < size]
        stride = self.random.choice(strides)
        reach = stride * (lanes - 1)
        base = self.index(scope, max(0, -reach), size - 1 - max(0, reach))
        if stride == 0 and self.chance(0.5):
            return tir.Broadcast(base, lanes)
        return tir.Ramp(base, tir.const(stride), lanes)

    # values

    def value(self, scope: Scope, ty: Type, depth: int) -> Expr:
        """An expression of ``ty``, a scalar or vector of numbers or truth values."""
        self.cost += self.times * ty.lanes
        shared = [expr for expr in scope.shared if expr.type == ty]
        if shared and self.chance(0.4):
            return self.random.choice(shared)
        if depth <= 0 or self.chance(0.15):
            return self.leaf(scope, ty)
        rules = self.rules(ty)
        return self.random.choice(rules)(scope, ty, depth - 1)

    def rules(self, ty: Type) -> list[Callable[[Scope, Type, int], Expr]]:
        if ty.is_bool:
            found = [self.comparison, self.comparison, self.connective, self.negation]
        else:
            found = [self.arithmetic] * 5 + [self.extremum, self.division, self.minus]
            found += [self.nary] if "nary" in self.features else []
        found += [self.select, self.cast, self.leaf_at]
        if ty.is_vector:
            found += [self.broadcast] + [self.ramp] * (ty.is_integer and not ty.is_bool)
        elif "reduce" in self.features and self.times < 40:
            found.append(self.reduction)
        if ty.is_float and "call" in self.features:
            found.append(self.call)
        return found

    def leaf_at(self, scope: Scope, ty: Type, _depth: int) -> Expr:
        return self.leaf(scope, ty)

    def leaf(self, scope: Scope, ty: Type) -> Expr:
        """A load, a scalar, an index or a literal, of type ``ty``."""
        fitting = [v for v in scope.views if v.tensor.dtype == ty.scalar]
        if fitting and self.chance(0.6):
            view = self.random.choice(fitting)
            if ty.is_scalar:
                return tir.Load(view.tensor, self.indices(scope, view))
            if view.shape and view.tensor.buffer is not None:
                return tir.Load(view.tensor, self.vector_indices(scope, view, ty.lanes))
        if ty.is_vector:
            return self.broadcast(scope, ty, 0)
        variables = [v for v in (*scope.scalars, *scope.constants) if v.dtype == ty]
        if variables and self.chance(0.5):
            var = self.random.choice(variables)
            return tir.Load(var, ()) if self.chance(0.3) and var in scope.scalars else var
        if scope.known and not ty.is_bool and self.chance(0.6):
            found = self.random.choice(scope.known).expr
            return found if ty == found.type else tir.Cast(ty, found)
        return self.literal(ty)

    def literal(self, ty: Type) -> Expr:
        if ty.is_bool:
            return tir.const(self.chance(0.5), ty)
        if ty.is_float:
            near = (0.0, 1.0, -1.5, 0.5, 3.25, -0.0, 100.0, 1 / 3)
            odd = (float("inf"), float("nan"), float("-inf"), 6e4)
            return tir.const(self.random.choice(odd if self.chance(0.08) else near), ty)
        bounds = np.iinfo(ty.numpy)
        low, high = int(bounds.min), int(bounds.max)
        if self.chance(0.1):
            return tir.const(self.random.choice((low, high)), ty)
        return tir.const(self.random.randint(max(low, -9), min(high, 9)), ty)

    def other_type(self, ty: Type) -> Type:
        names = ("bool", *INTS, *FLOATS)
        return as_type(self.random.choice(names)).with_lanes(ty.lanes)

    def arithmetic(self, scope: Scope, ty: Type, depth: int) -> Expr:
        kind = self.random.choice((tir.Add, tir.Sub, tir.Mul))
        a = self.value(scope, ty, depth)
        return kind(a, a if self.chance(0.05) else self.value(scope, ty, depth))

    def extremum(self, scope: Scope, ty: Type, depth: int) -> Expr:
        kind = self.random.choice((tir.Min, tir.Max))
        return kind(self.value(scope, ty, depth), self.value(scope, ty, depth))

    def division(self, scope: Scope, ty: Type, depth: int) -> Expr:
        kind = self.random.choice((tir.Div, tir.Mod))
        if ty.is_float and self.chance(0.2):
            kind = tir.FracOp
        return kind(self.value(scope, ty, depth), self.divisor(scope, ty, depth))

    def divisor(self, scope: Scope, ty: Type, depth: int) -> Expr:
        """A value that is not zero where it is an integer, unless the program may fault."""
        if ty.is_float or (self.faulty and self.chance(0.2)):
            return self.value(scope, ty, depth)
        if self.chance(0.6):
            choices = (1, 2, 3, 4, 7, 8) if ty.is_uint else (1, 2, 3, 4, 7, 8, -1, -2, -3)
            return tir.const(self.random.choice(choices), ty)
        found = self.value(scope, ty, depth)
        one = tir.const(1, ty)
        if self.chance(0.5):
            return tir.Max(found, one)
        return tir.Select(tir.EQ(found, tir.const(0, ty)), one, found)

    def minus(self, scope: Scope, ty: Type, depth: int) -> Expr:
        return tir.Minus(self.value(scope, ty, depth))

    def nary(self, scope: Scope, ty: Type, depth: int) -> Expr:
        kind = self.random.choice((tir.Sum, tir.Product))
        count = self.random.choice((1, 2, 3))
        return kind(tuple([self.value(scope, ty, depth - 1) for _ in range(count)]))

    def comparison(self, scope: Scope, ty: Type, depth: int) -> Expr:
        of = self.other_type(ty)
        kind = self.random.choice(COMPARISONS)
        return kind(self.value(scope, of, depth), self.value(scope, of, depth))

    def connective(self, scope: Scope, ty: Type, depth: int) -> Expr:
        kind = self.random.choice((tir.And, tir.Or))
        return kind(self.value(scope, ty, depth), self.value(scope, ty, depth))

    def negation(self, scope: Scope, ty: Type, depth: int) -> Expr:
        return tir.Not(self.value(scope, ty, depth))

    def select(self, scope: Scope, ty: Type, depth: int) -> Expr:
        condition = self.value(scope, as_type("bool").with_lanes(ty.lanes), depth)
        return tir.Select(condition, self.value(scope, ty, depth), self.value(scope, ty, depth))

    def cast(self, scope: Scope, ty: Type, depth: int) -> Expr:
        of = self.other_type(ty)
        value = self.value(scope, of, depth)
        if not of.is_float or ty.is_float or ty.is_bool:
            return tir.Cast(ty, value)
        low = tir.const(0 if ty.is_uint else -100, of)  # first, so that it stands for a NaN
        return tir.Cast(ty, tir.Min(tir.Max(value, low), tir.const(100, of)))

    def call(self, scope: Scope, ty: Type, depth: int) -> Expr:
        if ty.element == "float16" or ty.is_vector:
            return self.leaf(scope, ty)
        return tir.Call(ty, self.random.choice(MATH), (self.value(scope, ty, depth),))

    def broadcast(self, scope: Scope, ty: Type, depth: int) -> Expr:
        return tir.Broadcast(self.value(scope, ty.scalar, depth), ty.lanes)

    def ramp(self, scope: Scope, ty: Type, depth: int) -> Expr:
        base, stride = self.value(scope, ty.scalar, depth), self.value(scope, ty.scalar, 0)
        return tir.Ramp(base, stride, ty.lanes)

    def reduction(self, scope: Scope, ty: Type, depth: int) -> Expr:
        """A reduction over axes of its own; ``init`` is mostly not the identity."""
        kinds = ("ALL", "ANY") if ty.is_bool else ("SUM", "SUB", "MUL", "DIV", "MAX", "MIN")
        kind = tir.ReduceType[self.random.choice(kinds)]
        inside, axes, trips = scope.inner(), [], 1
        for _ in range(self.random.choice((1, 1, 2))):
            low = self.random.choice((0, 0, 1, -2))
            extent = self.random.choice((0, 1, 2, 3))
            name = self.unique("r")
            axes.append(tir.Var(name, "int32", tir.const(low), tir.const(low + extent), True))
            inside.known.append(Known(axes[-1], low, low + max(extent, 1) - 1))
            trips *= extent
        init = self.value(scope, ty, 0)
        times = self.times
        self.times *= trips
        body = self.value(inside, ty, min(depth, 1))
        if kind is tir.ReduceType.DIV and not ty.is_float:
            body = self.divisor(inside, ty, 0)
        self.times = times
        return tir.Reduce(kind, init, body, tuple(axes))
