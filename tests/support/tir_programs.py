"""Random functions of the loop IR, arguments for them, and what makes two of them the same.

A function is determined by its seed and features. It ends, its accesses are in range and its
divisors are not zero, unless it is asked for with ``faulty``; a run evaluates a few thousand nodes.

``func = random_func(7)``, ``arguments(func, 0)``, ``same_result(func, pass_(func), seed=0)``.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from relayish import tir
from relayish.errors import RelayishError
from relayish.tir import Expr, LoweredFunc, Stmt, as_type
from tests.support.tir_statements import NOTES, StatementGenerator
from tests.support.tir_values import FLOATS, INTS, Known, Scope, View

FEATURES = frozenset(
    {
        "alias",  # several tensors look at one buffer
        "alloc",  # temporary buffers are allocated and freed in the middle
        "call",  # functions of mathematics are called
        "if",
        "inline",  # tensors without a buffer, which are computed where they are used
        "int64_loops",
        "let",  # scalars are declared, read and stored to
        "loop_kinds",  # parallel, vectorised, unrolled, bound loops
        "nary",  # Sum and Product
        "nested_block",
        "poly_for",
        "reduce",
        "root",  # a schedule block called root encloses all, sometimes
        "schedule_block",
        "scalar_buffer",  # buffers without dimensions
        "strided",  # buffers with strides and offsets
        "symbolic",  # sizes that are arguments
        "temp",  # temporary buffers
        "vector",  # Ramp, Broadcast, and what is computed of these
    }
)
"""What programs have by default."""

MORE = frozenset(
    {
        "rebinding",  # loops one after the other bind one and the same variable
        "same_names",  # variables have the same names
        "shared",  # one object stands in a loop and outside, in an arm and outside, in a bound
    }
)
"""What they have where it is asked for."""

SHAPES = ((5,), (3,), (1,), (8,), (2, 3), (3, 4), (4, 1), (2, 3, 2), (16,))


class FunctionGenerator(StatementGenerator):
    """Draws functions."""

    def function(self, size: int) -> LoweredFunc:
        self.budget, self.looped, self.waiting, self.views_of = size, [], [], {}
        scope = Scope()
        sizes = [self.size(scope) for _ in range(self.random.choice((0, 1, 2)))]
        sizes = sizes if "symbolic" in self.features else []
        self.sizes = frozenset(sizes)
        if not sizes:
            scope.known.clear()
        scalars = [self.scalar(scope) for _ in range(self.random.choice((0, 0, 1)))]
        if "shared" in self.features:
            scalars += [self.number(scope) for _ in range(2)]
        given = [self.buffer(f"A{at}", scope, given=True) for at in range(self.count(2, 4))]
        if "shared" in self.features:
            noted = tir.Buffer("_notes", (tir.const(NOTES),), "int32")
            self.notes = tir.Tensor("notes", noted.shape, "int32", noted)
            scalars.append(noted)
        for buffer in given:
            views = self.views(buffer)
            scope.views += views
        temps = [self.buffer(f"T{at}", scope, given=False) for at in range(self.count(0, 2))]
        temps = temps if "temp" in self.features else []
        start: list[Stmt] = []
        for buffer in temps:
            self.views_of[buffer] = views = self.views(buffer)
            if "alloc" in self.features and self.chance(0.6):
                self.waiting.append(views[0])
                continue
            start.append(self.fill(views[0], scope))
            scope.views += views
        if "inline" in self.features and self.chance(0.3):
            scope.views.append(self.inline_tensor(scope))
        rest = self.block(scope, size, 4)
        body: Stmt = tir.Block((*start, *rest.stmts))
        if "root" in self.features and self.chance(0.3):
            body = tir.Block((self.realize([], [], "root", body),))
        args = [*given, *scalars]
        self.random.shuffle(args)
        return LoweredFunc(self.unique("f"), (*sizes, *args), body, tuple(temps))

    def count(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def size(self, scope: Scope) -> tir.Var:
        """An argument that gives a size: of the bounds it is declared with."""
        low, high = 1, self.random.choice((1, 3, 6))
        var = tir.Var(self.unique("n"), "int32", tir.const(low), tir.const(high + 1))
        scope.known.append(Known(var, low, high))
        return var

    def number(self, scope: Scope) -> tir.Var:
        """An argument that is small, and may be negative."""
        var = tir.Var(self.unique("m"), "int32", tir.const(-3), tir.const(4))
        scope.known.append(Known(var, -3, 3))
        return var

    def scalar(self, scope: Scope) -> tir.Var:
        var = tir.Var(self.unique("a"), self.random.choice(("bool", *INTS, *FLOATS)))
        scope.constants.append(var)
        return var

    def buffer(self, name: str, scope: Scope, *, given: bool) -> tir.Buffer:
        dtype = self.random.choice(("bool", *INTS, *INTS, *FLOATS, *FLOATS))
        shape: list[Expr] = [tir.const(size) for size in self.random.choice(SHAPES)]
        if self.sizes and self.chance(0.3):
            shape[self.random.randrange(len(shape))] = self.random.choice(
                sorted_by_name(self.sizes)
            )
        if "scalar_buffer" in self.features and self.chance(0.05):
            shape = []
        strides: list[Expr] = []
        offset = None
        constant = all(isinstance(size, tir.IntImm) for size in shape)
        if "strided" in self.features and constant and shape and self.chance(0.2):
            offset = tir.const(self.random.choice((0, 1, 3)))
            if self.chance(0.7):
                strides = self.strides([size.value for size in shape])
        return tir.Buffer(
            f"_{self.unique(name)}",
            tuple(shape),
            dtype,
            tuple(strides),
            offset,
            memory_type=tir.MemoryType.HEAP if given else tir.MemoryType.AUTO,
        )

    def strides(self, shape: list[int]) -> list[Expr]:
        """Distances under which no two elements fall together, in some order of the axes."""
        order, step = list(range(len(shape))), self.random.choice((1, 2))
        self.random.shuffle(order)
        found = [0] * len(shape)
        for axis in order:
            found[axis] = step
            step *= shape[axis]
        return [tir.const(stride) for stride in found]

    def views(self, buffer: tir.Buffer) -> list[View]:
        """Tensors over ``buffer``: one of its own shape first, then others of other shapes."""
        own = tuple([least(size) for size in buffer.shape])
        name = buffer.name[1:]
        found = [View(tir.Tensor(name, buffer.shape, buffer.dtype, buffer), own)]
        if "alias" not in self.features:
            return found
        for _ in range(self.random.choice((0, 0, 1, 2))):
            shape = self.other_shape(own, whole=bool(buffer.strides))
            made = tir.Tensor(
                self.unique(f"{name}_view"), tuple(map(tir.const, shape)), buffer.dtype, buffer
            )
            if any(isinstance(size, tir.Var) for size in buffer.shape):
                continue
            found.append(View(made, shape))
        return found

    def other_shape(self, shape: tuple[int, ...], *, whole: bool) -> tuple[int, ...]:
        """The shape of a part of an array of ``shape``; ``whole``: in each dimension."""
        if whole or not shape:
            return tuple([self.random.randint(1, size) for size in shape])
        total = math.prod(shape)
        columns = self.random.randint(1, total)
        choices = [(total,), (self.random.randint(1, total),), (total // columns, columns), shape]
        return self.random.choice(choices)

    def inline_tensor(self, scope: Scope) -> View:
        shape = self.random.choice(SHAPES)
        dtype = self.random.choice((*INTS, *FLOATS))
        axis = [tir.Var(self.name(f"a{at}")) for at in range(len(shape))]
        inside = scope.inner()
        inside.known += [Known(a, 0, size - 1) for a, size in zip(axis, shape, strict=True)]
        inside.constants = [v for v in scope.constants if isinstance(v, tir.Var)]
        times, self.times = self.times, 40.0  # no reduction
        body = self.value(inside, as_type(dtype), 2)
        self.times, sizes = times, tuple(map(tir.const, shape))
        operation = tir.ComputeOp(tuple(axis), sizes, (body,), name="inline")
        made = tir.Tensor(self.unique("inline"), sizes, dtype, None, operation, tuple(axis))
        return View(made, shape, writable=False)


def random_func(
    seed: object,
    *,
    size: int = 12,
    without: Iterable[str] = (),
    more: Iterable[str] = (),
    faulty: bool = False,
) -> LoweredFunc:
    """Return a function of about ``size`` statements.

    Args:
        seed: What determines it.
        size: How many statements are drawn, loops and blocks included.
        without: Those of ``FEATURES`` that it has not.
        more: Those of ``MORE`` that it has beside.
        faulty: Whether indices may be out of range, and divisors zero.
    """
    assert FEATURES.issuperset(without)
    assert MORE.issuperset(more)
    features = FEATURES.difference(without).union(more)
    return FunctionGenerator(seed, features, faulty=faulty).function(size)


def least(size: Expr) -> int:
    """The least value of a size: an integer, or an argument of known bounds."""
    if isinstance(size, tir.IntImm):
        return size.value
    assert isinstance(size, tir.Var)
    assert isinstance(size.lower_bound, tir.IntImm)
    return size.lower_bound.value


def sorted_by_name(given: Iterable[tir.Var]) -> list[tir.Var]:
    return sorted(given, key=lambda var: var.name)


def arguments(func: LoweredFunc, seed: object = 0) -> list[Any]:
    """Return arguments for a function that was drawn: numpy arrays and numbers, in order."""
    draw = random.Random(f"arguments {seed}")
    sizes = {
        arg: draw.randint(arg.lower_bound.value, arg.upper_bound.value - 1)
        for arg in func.args
        if isinstance(arg, tir.Var) and isinstance(arg.upper_bound, tir.IntImm)
    }
    generator = np.random.default_rng(draw.randrange(2**32))
    made: list[Any] = []
    for arg in func.args:
        if isinstance(arg, tir.Var):
            made.append(sizes[arg] if arg in sizes else random_array(generator, arg.dtype, ())[()])
            continue
        shape = [sizes[size] if isinstance(size, tir.Var) else size.value for size in arg.shape]
        made.append(random_array(generator, arg.dtype, memory_shape(arg, shape)))
    return made


def memory_shape(buffer: tir.Buffer, shape: list[int]) -> tuple[int, ...]:
    """The shape of the memory of a buffer: its own, or flat where it has strides or an offset."""
    offset = 0 if buffer.elem_offset is None else buffer.elem_offset.value
    if not buffer.strides and not offset:
        return tuple(shape)
    strides = [stride.value for stride in buffer.strides]
    if not strides:
        return (offset + math.prod(shape),)
    reach = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    return (offset + reach + 1,)


def random_array(
    generator: np.random.Generator, dtype: tir.Type, shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    if dtype.is_bool:
        return np.asarray(generator.integers(0, 2, shape), bool)
    if dtype.is_integer:
        low, high = (0, 30) if dtype.is_uint else (-15, 16)
        return np.asarray(generator.integers(low, high, shape)).astype(dtype.numpy)
    values = np.asarray(generator.integers(-40, 41, shape) / 8)
    return values.astype(dtype.numpy)


def outcome(func: LoweredFunc, given: Sequence[Any], **options: Any) -> list[Any] | str:
    """Return the arguments as ``func`` leaves them, or the kind of error it ends in."""
    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in given]
    try:
        tir.run(func, *copies, **options)
    except RelayishError as exc:
        return type(exc).__name__
    return copies


def same_result(before: LoweredFunc, after: LoweredFunc, *, seeds: Iterable[object] = (0,)) -> bool:
    """Return whether two functions leave arguments alike, bit for bit, or both end in an error."""
    if before is after:
        return True
    for seed in seeds:
        expected, found = _expected(before, seed), outcome(after, arguments(before, seed))
        if isinstance(expected, str) or isinstance(found, str):
            if expected != found:
                return False
        elif not all(map(same_bits, expected, found)):
            return False
    return True


@functools.lru_cache(1024)
def _expected(func: LoweredFunc, seed: object) -> list[Any] | str:
    """What a function leaves, or ends in: what many passes make of it is compared with that."""
    return outcome(func, arguments(func, seed))


def same_bits(a: Any, b: Any) -> bool:
    """Return whether two arrays hold the same bits; any NaN is as good as another."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.tobytes() == b.tobytes():
        return True
    if a.dtype.kind in "biu":
        return False
    both = np.isnan(a) & np.isnan(b)
    return bool(np.all(both | ((a == b) & (np.signbit(a) == np.signbit(b)))))
