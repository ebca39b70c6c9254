"""Random programs whose shapes come as arguments: computed, or only known when the program runs.

A program is determined by its seed and size. Sizes are constants, shapes of what there is plus
constants, at times by way of variables, or, if ``unknown`` is true, parameters as well.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np

from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Expr, Function, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.op.builders.builder import Namespace

__all__ = ["SizedProgram", "random_sizes"]

op = Namespace("")
MOST = 200
"""So many elements a tensor may have."""


class SizedProgram(NamedTuple):
    """A module, the arguments of its ``main``, and whether sizes are among them."""

    mod: IRModule
    args: list[np.ndarray]
    is_open: bool


class _Known(NamedTuple):
    expr: Expr
    shape: tuple[int, ...]


def random_sizes(seed: int, size: int = 12, *, unknown: bool = True) -> SizedProgram:
    """Return a random program of about ``size`` calls of operators that take sizes."""
    return _Maker(seed, size, unknown=unknown).program()


class _Maker:
    def __init__(self, seed: int, size: int, *, unknown: bool) -> None:
        self.random = random.Random(f"sizes {seed} {size} {unknown}")
        self.rng = np.random.default_rng(seed)
        self.unknown = unknown
        self.is_open = False
        self.params: list[Var] = []
        self.args: list[np.ndarray] = []
        self.bindings: list[tuple[Var, Expr]] = []
        self.pool = [self.parameter((2, 3)), self.parameter((2, 2, 3))]
        kinds = [getattr(self, name) for name in dir(self) if name.startswith("make_")]
        for _ in range(size):
            made = self.random.choice(kinds)(self.random.choice(self.pool))
            if made is not None and np.prod(made.shape) <= MOST:
                self.pool.append(_Known(self.named(made.expr), made.shape))

    def program(self) -> SizedProgram:
        body: Expr = Tuple([known.expr for known in self.pool[-4:]])
        for name, value in reversed(self.bindings):
            body = Let(name, value, body)
        return SizedProgram(
            IRModule({"main": Function(self.params, body)}), self.args, self.is_open
        )

    def named(self, expr: Expr) -> Expr:
        if self.random.random() < 0.6:
            return expr
        name = Var(f"v{len(self.bindings)}")
        self.bindings.append((name, expr))
        return name

    def parameter(self, shape: tuple[int, ...]) -> _Known:
        value = np.asarray(self.rng.normal(0, 1, shape), "float32")
        return _Known(self.given(value), shape)

    def given(self, value: np.ndarray) -> Var:
        self.params.append(var(f"p{len(self.params)}", shape=value.shape, dtype=str(value.dtype)))
        self.args.append(value)
        return self.params[-1]

    def sizes(self, *wanted: int, dtype: str = "int32") -> Expr:
        """Return a vector of these numbers."""
        numbers = np.asarray(wanted, dtype)
        like = [known for known in self.pool if len(known.shape) == len(wanted)]
        draw = self.random.random()
        if self.unknown and draw < 0.1:
            self.is_open = True
            return self.given(numbers)
        if like and draw < 0.7:
            known = self.random.choice(like)
            shape = op.shape_of(known.expr, dtype=dtype)
            return self.named(op.add(shape, const(numbers - known.shape, dtype)))
        return self.named(const(numbers, dtype))

    def number(self, wanted: int) -> Expr:
        return self.named(op.squeeze(self.sizes(wanted), axis=[0]))

    def make_reshape(self, known: _Known) -> _Known:
        shape = list(known.shape)
        self.random.shuffle(shape)
        if self.random.random() < 0.3:
            shape = [shape[0], int(np.prod(shape[1:], dtype=int))]
        return _Known(op.dyn.reshape(known.expr, self.sizes(*shape)), tuple(shape))

    def make_tile(self, known: _Known) -> _Known:
        reps = [self.random.choice((1, 1, 2)) for _ in known.shape]
        shape = tuple(size * rep for size, rep in zip(known.shape, reps, strict=True))
        return _Known(op.dyn.tile(known.expr, self.sizes(*reps)), shape)

    def make_broadcast(self, known: _Known) -> _Known:
        shape = (self.random.choice((1, 2)), *known.shape)
        return _Known(op.dyn.broadcast_to(known.expr, self.sizes(*shape)), shape)

    def make_slice(self, known: _Known) -> _Known | None:
        if not known.shape or 0 in known.shape:
            return None
        begin = [self.random.randrange(size) for size in known.shape]
        end = [self.random.randint(b + 1, s) for b, s in zip(begin, known.shape, strict=True)]
        step = [1] * len(begin)
        cut = op.dyn.strided_slice(
            known.expr, self.sizes(*begin), self.sizes(*end), self.sizes(*step)
        )
        return _Known(cut, tuple(e - b for b, e in zip(begin, end, strict=True)))

    def make_zeros(self, known: _Known) -> _Known:
        zeros = op.dyn.zeros(self.sizes(*known.shape, dtype="int64"), dtype="float32")
        return _Known(op.add(zeros, known.expr), known.shape)

    def make_ones(self, known: _Known) -> _Known:
        return _Known(op.dyn.ones(self.sizes(*known.shape), dtype="float32"), known.shape)

    def make_full(self, known: _Known) -> _Known:
        return _Known(op.dyn.full(const(2.5), self.sizes(*known.shape)), known.shape)

    def make_expanded(self, known: _Known) -> _Known:
        axis = self.random.randint(0, len(known.shape))
        wider = (*known.shape[:axis], 1, *known.shape[axis:])
        return _Known(op.dyn.expand_dims(known.expr, self.number(axis)), wider)

    def make_squeezed(self, known: _Known) -> _Known:
        axis = self.random.randint(0, len(known.shape))
        wider = op.expand_dims(known.expr, axis=axis)
        return _Known(op.dyn.squeeze(wider, self.sizes(axis)), known.shape)

    def make_topk(self, known: _Known) -> _Known | None:
        if not known.shape or known.shape[-1] < 1:
            return None
        count = self.random.randint(1, known.shape[-1])
        pair = op.dyn.topk(known.expr, self.number(count))
        pair = getattr(pair, "tuple_value", pair)
        return _Known(TupleGetItem(self.named(pair), 0), (*known.shape[:-1], count))

    def make_one_hot(self, known: _Known) -> _Known:
        indices = op.cast(known.expr, dtype="int32")
        depth = self.random.choice((1, 3))
        hot = op.dyn.one_hot(indices, const(1.0), const(0.0), self.number(depth))
        return _Known(hot, (*known.shape, depth))

    def make_padded(self, known: _Known) -> _Known | None:
        if not known.shape:
            return None
        widths = [(self.random.choice((0, 1)), self.random.choice((0, 1))) for _ in known.shape]
        flat = self.sizes(*[width for pair in widths for width in pair])
        matrix = op.reshape(flat, newshape=(len(widths), 2))
        shape = tuple(s + a + b for s, (a, b) in zip(known.shape, widths, strict=True))
        return _Known(op.dyn.nn.pad(known.expr, matrix, const(0.5)), shape)

    def make_resized(self, known: _Known) -> _Known | None:
        if len(known.shape) != 4 or 0 in known.shape:
            return None
        wanted = [self.random.randint(1, 4) for _ in "HW"]
        resized = op.dyn.image.resize2d(
            known.expr, self.sizes(*wanted), const([0.0] * 4), method="nearest_neighbor"
        )
        return _Known(resized, (*known.shape[:2], *wanted))

    def make_dense(self, known: _Known) -> _Known | None:
        if len(known.shape) != 1 or not known.shape[0]:
            return None
        places = const(np.arange(known.shape[0]).astype("int32"))
        length = known.shape[0] + 2
        dense = op.dyn.sparse_to_dense(places, known.expr, const(0.0), self.sizes(length))
        return _Known(dense, (length,))

    def make_sum(self, known: _Known) -> _Known:
        return _Known(op.add(known.expr, op.sum(known.expr)), known.shape)
