"""Both modes of the interpreter: one result, bit for bit, and one error, on random programs."""

from __future__ import annotations

import random

import numpy as np
import pytest

from relayish import tir
from relayish.errors import RelayishError
from relayish.tir.interpreter.lanes import nest
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import arguments, random_func, same_bits

SEEDS = seeds(50)
NESTS = seeds(150)
PLANES = seeds(12)
PARTS = 5


@pytest.fixture(autouse=True)
def few_lanes(monkeypatch):
    """Let nests of a few iterations run in lockstep, and never give up trying."""
    monkeypatch.setattr(nest, "LEAST_LANES", 2)
    monkeypatch.setattr(nest, "MOST_FAILURES", 1_000_000)


def outcome(func, given, mode):
    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in given]
    try:
        tir.run(func, *copies, mode=mode)
    except RelayishError as error:
        return copies, type(error), str(error)
    return copies, None, ""


def assert_same(func, given):
    plain, fast = (outcome(func, given, mode) for mode in ("plain", "vectorised"))
    assert plain[1:] == fast[1:]
    assert all(map(same_bits, plain[0], fast[0]))


@pytest.mark.parametrize("faulty", [False, True], ids=["sound", "faulty"])
def test_random_functions_do_the_same_in_both_modes(faulty):
    for seed in SEEDS:
        func = random_func(seed, faulty=faulty)
        assert_same(func, arguments(func, seed))


DTYPES = ("int8", "int32", "int64", "uint8", "uint32", "float16", "float32", "float64", "bfloat16")


class Nests:
    """Draws nests over a few buffers with linear indices: dependences, guards, accumulations."""

    def __init__(self, seed):
        self.random = random.Random(f"nests {seed}")
        self.dtype = self.random.choice(DTYPES)
        self.tensors = []
        for at in range(3):
            shape = self.random.choice([(300,), (8, 9), (5, 4, 6)])
            sizes = tuple(map(tir.const, shape))
            buffer = tir.Buffer(f"_T{at}", sizes, self.dtype)
            self.tensors.append(tir.Tensor(f"T{at}", sizes, self.dtype, buffer))
        self.temp = tir.Tensor(
            "W", (tir.const(40),), self.dtype, tir.Buffer("_W", (tir.const(40),), self.dtype)
        )
        self.scalars = []
        self.latest = None

    def func(self):
        stmts = [self.loop([], self.random.randint(1, 3)) for _ in range(2)]
        args = tuple([t.buffer for t in self.tensors])
        return tir.LoweredFunc("f", args, tir.Block(tuple(stmts)), (self.temp.buffer,))

    def loop(self, around, depth):
        var = tir.Var(f"i{len(around)}", "int32")
        extent = self.random.choice([0, 1, 2, 3, 3, 4, 4])
        low = self.random.choice([0, 0, 0, 1, 2])
        inside = [*around, (var, low, extent)]
        before = self.latest
        stmts = [self.statement(inside, depth) for _ in range(self.random.randint(1, 3))]
        self.latest = before
        return tir.For(var, low, extent, tir.Block(tuple(stmts)))

    def statement(self, around, depth):
        choice = self.random.random()
        if depth > 0 and choice < 0.5:
            return self.loop(around, depth - 1)
        if choice < 0.65:
            other = None if self.random.random() < 0.5 else tir.Block((self.store(around),))
            return tir.IfThenElse(self.condition(around), tir.Block((self.store(around),)), other)
        if choice < 0.75:
            return self.with_scalar(around)
        return self.store(around)

    def with_scalar(self, around):
        x = tir.Var("x", self.dtype)
        declared = tir.Let(x, self.value(around, 1))
        self.scalars.append(x)
        stmts = [declared, self.store(around)]
        if self.random.random() < 0.6:
            stmts.insert(1, tir.Store(x, tir.Add(x, self.value(around, 1))))
            if self.random.random() < 0.5:
                stmts[1] = tir.IfThenElse(self.condition(around), tir.Block((stmts[1],)))
        self.scalars.pop()
        return tir.Block(tuple(stmts))

    def condition(self, around):
        var, low, extent = self.random.choice(around)
        bound = tir.const(self.random.randint(low, low + extent))
        kind = self.random.choice([tir.LT, tir.GE, tir.EQ, tir.NE])
        return kind(self.random.choice([var, var % 2]), bound)

    def access(self):
        tensor = self.random.choice([*self.tensors, self.tensors[0], self.temp])
        return tensor, [size.value for size in tensor.shape]

    def indices(self, around, sizes):
        if self.random.random() < 0.7:
            return self.spread(around, sizes)
        found = []
        for size in sizes:
            index, most = tir.const(self.random.choice([0, 0, 1])), 1
            for var, low, extent in self.random.sample(around, self.random.randint(0, len(around))):
                step = self.random.choice([1, 1, 1, 2, 3])
                if most + step * (low + extent) < size:
                    index, most = index + var * step, most + step * (low + extent)
            found.append(size - 1 - index if self.random.random() < 0.1 else index)
        return tuple(found)

    def spread(self, around, sizes):
        """Indices that tell iterations of some loops apart."""
        chosen = [entry for entry in around if self.random.random() < 0.8]
        found = [tir.const(0) for _ in sizes]
        used = [1] * len(sizes)
        for var, low, extent in chosen:
            axis = self.random.randrange(len(sizes))
            end = low + max(extent, 1)
            if used[axis] * end <= sizes[axis]:
                found[axis] = found[axis] + var * used[axis]
                used[axis] *= end
        return tuple(found)

    def load(self, around):
        if self.latest is not None and self.random.random() < 0.2:
            return tir.Load(*self.latest)
        tensor, sizes = self.access()
        if tensor is self.temp and self.random.random() < 0.8:
            tensor = self.tensors[0]
            sizes = [size.value for size in tensor.shape]
        return tir.Load(tensor, self.indices(around, sizes))

    def store(self, around):
        tensor, sizes = self.access()
        at = (
            self.spread(around, sizes)
            if self.random.random() < 0.7
            else self.indices(around, sizes)
        )
        self.latest = tensor, at
        value = self.value(around, 2)
        if self.random.random() < 0.4 and tensor is not self.temp:
            value = tir.Add(tir.Load(tensor, at), value)
        return tir.Store(tensor, value, at)

    def value(self, around, depth):
        choice = self.random.random()
        if depth == 0 or choice < 0.3:
            if self.scalars and self.random.random() < 0.5:
                return self.random.choice(self.scalars)
            if self.random.random() < 0.2:
                return tir.Cast(self.dtype, self.random.choice(around)[0])
            return self.load(around)
        kind = self.random.choice(
            [tir.Add, tir.Sub, tir.Mul, tir.Min, tir.Max, tir.Div, tir.Mod, tir.Select]
        )
        a, b = self.value(around, depth - 1), self.value(around, depth - 1)
        if kind is tir.Select:
            return tir.Select(self.condition(around), a, b)
        return kind(a, b)

    def given(self):
        generator = np.random.default_rng(self.random.randrange(2**32))
        shapes = [[size.value for size in t.shape] for t in self.tensors]
        return [
            generator.integers(1, 9, shape).astype(t.dtype.numpy)
            for t, shape in zip(self.tensors, shapes, strict=True)
        ]


@pytest.mark.parametrize("part", range(PARTS))
def test_random_nests_do_the_same_in_both_modes(part):
    for seed in NESTS[part::PARTS]:
        nests = Nests(seed)
        func = nests.func()
        assert_same(func, nests.given())


def test_random_nests_run_in_lockstep_often_enough_to_tell(monkeypatch):
    found = []
    attempt = nest.Nest.attempt
    monkeypatch.setattr(
        nest.Nest, "attempt", lambda self, *args: found.append(attempt(self, *args)) or found[-1]
    )
    drawn = NESTS[:40]
    for seed in drawn:
        nests = Nests(seed)
        outcome(nests.func(), nests.given(), "vectorised")
    assert found.count(True) > len(drawn) / 10
    assert found.count(False) > len(drawn) / 10


FUNCTIONS = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "exp",
    "exp10", "exp2", "floor", "log", "log10", "log2", "round", "rsqrt", "sigmoid", "sin", "sinh",
    "sqrt", "tan", "tanh", "trunc",
]  # fmt: skip


@each("dtype", ["float16", "float32", "float64", "bfloat16"])
@each("name", FUNCTIONS)
def test_function_of_mathematics_has_one_value_alone_and_among_others(name, dtype):
    n = 517
    sizes = (tir.const(n),)
    a = tir.Tensor("A", sizes, dtype, tir.Buffer("_A", sizes, dtype))
    b = tir.Tensor("B", sizes, dtype, tir.Buffer("_B", sizes, dtype))
    i = tir.Var("i")
    value = tir.Call(dtype, name, (a[i],))
    func = tir.LoweredFunc(
        "f", (a.buffer, b.buffer), tir.For(i, 0, n, tir.Block((tir.Store(b, value, (i,)),)))
    )
    points = np.random.default_rng(0).standard_normal(n) * 3
    given = points.astype(a.dtype.numpy)
    given[:6] = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-30]).astype(given.dtype)
    assert_same(func, [given, np.zeros_like(given)])


@each("kind", [tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Mod, tir.Min, tir.Max])
@each("dtype", ["float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "int8", "uint8"])
def test_operator_has_one_value_alone_and_among_others(kind, dtype):
    every = np.arange(256, dtype=np.uint8)
    one = tir.as_type(dtype).numpy
    if one.itemsize == 1:
        left, right = every.view(one), np.roll(every, 77).view(one)
    else:
        edges = np.array(
            [0, -0.0, 1, -1, 1e-40, 65504, 1e30, -1e30, np.inf, -np.inf, np.nan, 1 / 3]
        )
        with np.errstate(over="ignore"):
            left, right = (x.ravel().astype(one) for x in np.meshgrid(edges, edges))
    n = len(left)
    sizes = (tir.const(n),)
    a, b, c = (tir.Tensor(x, sizes, dtype, tir.Buffer(f"_{x}", sizes, dtype)) for x in "ABC")
    i = tir.Var("i")
    body = tir.Block((tir.Store(c, kind(a[i], b[i]), (i,)),))
    func = tir.LoweredFunc("f", (a.buffer, b.buffer, c.buffer), tir.For(i, 0, n, body))
    assert_same(func, [left, right, np.zeros_like(left)])


@each(
    "source",
    ["int8", "int32", "int64", "uint64", "float16", "float32", "float64", "bfloat16", "bool"],
)
@each(
    "target",
    ["int8", "int32", "int64", "uint64", "float16", "float32", "float64", "bfloat16", "bool"],
)
def test_cast_has_one_value_alone_and_among_others(source, target):
    generator = np.random.default_rng(0)
    raw = generator.integers(-(2**62), 2**62, 200) >> generator.integers(0, 62, 200)
    with np.errstate(over="ignore"):
        given = (raw if source.startswith(("int", "uint")) else raw / 256).astype(
            tir.as_type(source).numpy
        )
    if tir.as_type(source).is_float and tir.as_type(target).is_integer:
        given = np.clip(given.astype(np.float64), 0, 100).astype(given.dtype)
    sizes = (tir.const(200),)
    a = tir.Tensor("A", sizes, source, tir.Buffer("_A", sizes, source))
    b = tir.Tensor("B", sizes, target, tir.Buffer("_B", sizes, target))
    i = tir.Var("i")
    body = tir.Block((tir.Store(b, tir.Cast(target, a[i]), (i,)),))
    func = tir.LoweredFunc("f", (a.buffer, b.buffer), tir.For(i, 0, 200, body))
    assert_same(func, [given, np.zeros(200, b.dtype.numpy)])


class Planes(Nests):
    """Draws nests over one buffer, and another view of it, whose accesses differ by constants."""

    def __init__(self, seed):
        super().__init__(f"planes {seed}")
        sizes = tuple(map(tir.const, (5, 4, 6)))
        self.tensors[0] = tir.Tensor("T0", sizes, self.dtype, tir.Buffer("_T0", sizes, self.dtype))
        rows = tuple(map(tir.const, (20, 6)))
        self.view = tir.Tensor("V", rows, self.dtype, self.tensors[0].buffer)

    def access(self):
        tensor = self.view if self.random.random() < 0.1 else self.tensors[0]
        return tensor, [size.value for size in tensor.shape]

    def indices(self, around, sizes):
        left = [entry for entry in around if self.random.random() < 0.9]
        found = []
        for size in sizes:
            chosen = self.random.random() < 0.7 and left
            var, low, extent = left.pop(0) if chosen else (tir.const(0), 0, 1)
            most = max(size - low - extent, 0)
            found.append(var + self.random.randint(0, most))
        return tuple(found)

    spread = indices


def test_random_planes_of_one_buffer_do_the_same_in_both_modes():
    for seed in PLANES:
        planes = Planes(seed)
        func = planes.func()
        assert_same(func, planes.given())


@pytest.fixture
def attempts(monkeypatch):
    """Return how many iterations of which loops ran in lockstep, whenever a nest was tried."""
    found = []
    plan = nest.Nest._plan

    def planned(self, *given):
        made = plan(self, *given)
        found.append(sorted(loop.loop_var.name for loop in made.parallel))
        return made

    monkeypatch.setattr(nest.Nest, "_plan", planned)
    return found


def stencil(name):
    """Return a function over one buffer, and the loops of it that run in lockstep."""
    cube = tuple(map(tir.const, (4, 7, 8)))
    u = tir.Tensor("U", cube, "int32", tir.Buffer("_U", cube, "int32"))
    t, i, j = (tir.Var(x) for x in "tij")
    zero, one = tir.const(0), tir.const(1)
    around = {
        "constant planes": ((one, i, j), (zero, i - 1, j + 1), ["i", "j"]),
        "planes in turn": (((t + 1) % 2, i, j), (t % 2, i + 1, j - 1), ["i", "j"]),
        "the plane before": ((t + 1, i, j), (t, i - 1, j - 1), ["i", "j"]),
        "planes apart": ((t * 2, i, j), (t * 2 + 1, i - 1, j), ["i", "j", "t"]),
        "the row before": ((t, i, j), (t, i - 1, j + 1), ["j", "t"]),
        "planes in between": ((i, one, j), (i, zero, j + 1), ["i", "j"]),
        "columns apart": ((t, i, j), (t, i - 1, j - 1), ["j", "t"]),
        "a sum": ((t, zero, one), (t, i, j), ["t"]),
    }
    at, read, loops = around[name]
    first, count = (2, 2) if name == "a sum" else (1, 3) if name == "planes in between" else (1, 5)
    times = 2 if name == "planes apart" else 3
    stmt = tir.Store(u, u[at] + u[read], at)
    inner = tir.For(j, 1, 6, tir.Block((stmt,)))
    middle = tir.For(i, first, count, tir.Block((inner,)))
    body = tir.For(t, 0, times, tir.Block((middle,)))
    return tir.LoweredFunc("f", (u.buffer,), body), loops


STENCILS = (
    *("constant planes", "planes in turn", "the plane before", "planes apart"),
    *("the row before", "planes in between", "columns apart", "a sum"),
)


@pytest.mark.parametrize("name", STENCILS)
def test_planes_of_one_buffer_run_in_lockstep(attempts, name):
    func, loops = stencil(name)
    given = np.random.default_rng(0).integers(0, 9, (4, 7, 8)).astype(np.int32)
    assert_same(func, [given])
    assert attempts
    assert all(found == loops for found in attempts)


def test_inner_loop_that_goes_on_serially_is_in_any_iteration():
    cube, (i, s) = tir.Buffer("_W", (9,), "int32"), (tir.Var(x) for x in "is")
    w = tir.Tensor("W", (9,), "int32", cube)
    inner = tir.For(s, 0, 3, tir.Block((tir.Store(w, i * 10 + s, (i + s,)),)))
    func = tir.LoweredFunc("f", (cube,), tir.For(i, 0, 6, tir.Block((inner,))))
    assert_same(func, [np.zeros(9, np.int32)])


def test_index_that_goes_on_faster_on_one_side_ties_iterations_together():
    plane, (t, j) = tir.Buffer("_P", (9, 6), "int32"), (tir.Var(x) for x in "tj")
    p = tir.Tensor("P", (9, 6), "int32", plane)
    for write, read in ((t, t * 2), (t * 2, t)):
        stmt = tir.Store(p, p[read, j] * 3 + 1, (write, j))
        inner = tir.For(j, 0, 6, tir.Block((stmt,)))
        func = tir.LoweredFunc("f", (plane,), tir.For(t, 0, 4, tir.Block((inner,))))
        assert_same(func, [np.arange(54, dtype=np.int32).reshape(9, 6)])


def test_elements_that_several_indices_are_of_are_compared_by_where_they_are():
    memory, i = tir.Buffer("_S", (3, 9), "int32", strides=(1, 1)), tir.Var("i")
    s = tir.Tensor("S", (3, 9), "int32", memory)
    stmt = tir.Store(s, s[0, i] * 3 + 1, (tir.const(1), i))
    func = tir.LoweredFunc("f", (memory,), tir.For(i, 0, 8, tir.Block((stmt,))))
    assert_same(func, [np.arange(11, dtype=np.int32)])
