"""Random functions of blocks that are made of one another: maps, stencils, sums, updates, scans."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from relayish import tir
from relayish.tir.schedule.expressions import tidy


class Known(NamedTuple):
    """A tensor, and the part of it that has been written, as the least and the greatest index."""

    tensor: tir.Tensor
    box: tuple[tuple[int, int], ...]


_STAGES = ("map", "map", "stencil", "sum", "shift", "strided", "update", "scan", "sparse", "sparse")


class Chain:
    """Draws a function of blocks that are made of one another.

    Args:
        seed: What determines it.
    """

    def __init__(self, seed: object) -> None:
        self.random = random.Random(f"chain {seed}")
        self.count = 0
        self.temps: list[tir.Buffer] = []
        self.args: list[tir.Buffer] = []
        self.known: list[Known] = []
        self.dtype = self.random.choice(("int32", "float32"))

    def function(self) -> tir.LoweredFunc:
        """Return a function of a few blocks, some of them in a loop of time."""
        draw = self.random
        for _ in range(2):
            self.known.append(self.tensor(self.shape(), is_temp=False))
        stmts = [self.stage() for _ in range(draw.randint(2, 4))]
        if draw.random() < 0.15:
            time = tir.For(self.var("t"), 0, 2, tir.Block(tuple(stmts)))
            stmts = [time]
        body = tir.ScheduleBlock((), (), (), "root", tir.Block(tuple(stmts)))
        root = tir.Block((tir.ScheduleBlockRealize((), body),))
        used = set()
        for store in tir.collect_ir_nodes(root, lambda node: isinstance(node, tir.Store)):
            loads = tir.collect_ir_nodes(store.value, lambda node: isinstance(node, tir.Load))
            used |= {load.tensor.buffer for load in loads} - {store.tensor.buffer}
        args = [*self.args, *[each for each in self.temps if each not in used]]
        temps = [each for each in self.temps if each in used]
        return tir.LoweredFunc("f", tuple(args), root, tuple(temps))

    def shape(self) -> tuple[int, ...]:
        return tuple([self.random.randint(4, 9) for _ in range(self.random.choice((1, 1, 2)))])

    def var(self, name: str, **more: Any) -> tir.Var:
        self.count += 1
        return tir.Var(f"{name}{self.count}", "int32", **more)

    def tensor(self, shape: tuple[int, ...], *, is_temp: bool) -> Known:
        self.count += 1
        name = f"{'T' if is_temp else 'A'}{self.count}"
        buffer = tir.Buffer(f"_{name}", shape, self.dtype)
        (self.temps if is_temp else self.args).append(buffer)
        made = tir.Tensor(name, shape, self.dtype, buffer)
        return Known(made, tuple([(0, size - 1) for size in shape]))

    def stage(self) -> tir.Stmt:
        """Return a nest that stores a tensor, most of the time a new one."""
        draw = self.random
        source = draw.choice(self.known[-3:])
        kind = draw.choice(_STAGES)
        if kind == "sum" and len(source.box) == 2:
            return self.reduction(source)
        if kind == "update":
            return self.update(source)
        if kind == "scan":
            return self.scan()
        if kind == "sparse":
            return self.sparse(source)
        return self.mapped(source, kind)

    def mapped(self, source: Known, kind: str) -> tir.Stmt:
        """Elements made of those of a tensor that stand near, or of two tensors."""
        draw = self.random
        reach = 2 if kind == "stencil" else 0
        offset = draw.randint(0, 2) if kind == "shift" else 0
        stride = 2 if kind == "strided" else 1
        order = list(range(len(source.box)))
        if draw.random() < 0.3:
            draw.shuffle(order)
        sizes = []
        for axis in order:
            low, high = source.box[axis]
            sizes.append(max((high - low - reach) // stride + 1, 1))
            if (high - low - reach) < 0:
                return self.mapped(source, "map")
        start = [draw.choice((0, 0, 0, 1)) for _ in sizes]
        shape = tuple([s + o + offset for s, o in zip(sizes, start, strict=True)])
        made = self.tensor(shape, is_temp=draw.random() < 0.7)
        own = [self.var("v") for _ in sizes]
        box = tuple([(o + offset, o + offset + s - 1) for s, o in zip(sizes, start, strict=True)])

        def load(at: int) -> tir.Expr:
            index: list[tir.Expr] = [tir.const(0)] * len(own)
            for axis, var, first in zip(order, own, start, strict=True):
                low = source.box[axis][0]
                moved = at if axis == order[0] else 0
                index[axis] = (var - first) * stride + (low + moved)
            return tir.Load(source.tensor, tuple([self.simple(each) for each in index]))

        value = load(0) * self.number(3)
        for at in range(1, reach + 1):
            value = value + load(at)
        other = draw.choice(self.known)
        if draw.random() < 0.3 and self.fits(other, box):
            value = value + tir.Load(other.tensor, tuple([v + offset for v in own]))
        target = tuple([v + offset if offset else v for v in own])
        self.known.append(made._replace(box=box))
        return self.nest(made, own, list(zip(start, sizes, strict=True)), target, value)

    def fits(self, other: Known, box: tuple[tuple[int, int], ...]) -> bool:
        """Whether a part of a tensor is a part of what has been written of another."""
        return len(other.box) == len(box) and all(
            low >= first and high <= last
            for (low, high), (first, last) in zip(box, other.box, strict=True)
        )

    def simple(self, index: tir.Expr) -> tir.Expr:
        return tidy(index)

    def number(self, value: int) -> tir.Expr:
        return tir.const(value, self.dtype)

    def update(self, target: Known) -> tir.Stmt:
        """A tensor that changes in place, or takes elements of another."""
        draw = self.random
        own = [self.var("v") for _ in target.box]
        spans = [(low, high - low + 1) for low, high in target.box]
        other = draw.choice(self.known)
        factor, rest = draw.choice((-3, 2, 3, 5)), draw.randint(1, 9)
        value: tir.Expr = tir.Load(target.tensor, tuple(own)) * self.number(factor)
        value = value + self.number(rest)
        if draw.random() < 0.6 and self.fits(other, target.box):
            value = tir.Load(other.tensor, tuple(own)) * self.number(5)
        return self.nest(target, own, spans, tuple(own), value)

    def scan(self) -> tir.Stmt:
        """A tensor of which each element is made of the one before."""
        target = self.random.choice(self.known)
        own = [self.var("v") for _ in target.box]
        (low, high), *rest = target.box
        spans = [(low + 1, high - low), *[(a, b - a + 1) for a, b in rest]]
        before = tir.Load(target.tensor, (own[0] - 1, *own[1:]))
        value = before + tir.Load(target.tensor, tuple(own))
        return self.nest(target, own, spans, tuple(own), value)

    def sparse(self, source: Known) -> tir.Stmt:
        """Every other element of a tensor, of which nobody stores the others, and what needs it."""
        (low, high), *rest = source.box
        size = high - low + 1
        between = self.tensor((2 * size,), is_temp=True).tensor
        made = self.tensor((size,), is_temp=self.random.random() < 0.7)
        self.known.append(made)
        v, u, i = self.var("v"), self.var("u"), self.var("i")
        value = tir.Load(source.tensor, (v + low, *[tir.const(first) for first, _ in rest]))
        stores = [
            (v, tir.Store(between, value, (v * 2,))),
            (u, tir.Store(made.tensor, tir.Load(between, (u * 2,)), (u,))),
        ]
        blocks = [
            tir.ScheduleBlock((own,), (), (), store.tensor.name, store) for own, store in stores
        ]
        inner = [tir.ScheduleBlockRealize((i,), each) for each in blocks]
        return tir.For(i, 0, size, tir.Block(tuple(inner)))

    def reduction(self, source: Known) -> tir.Stmt:
        """Sums over one of the axes of a tensor, as ``lower`` makes them."""
        draw = self.random
        kept = draw.choice((0, 1))
        low, high = source.box[kept]
        first, last = source.box[1 - kept]
        made = self.tensor((high + 1,), is_temp=draw.random() < 0.7)
        self.known.append(made._replace(box=((low, high),)))
        i, k, u = self.var("i"), self.var("k"), self.var("u")
        v, r = self.var("v"), self.var("r", is_reduce_axis=True)
        begin = made.tensor.with_fields(name=made.tensor.name + "__reduce_init")
        init = tir.ScheduleBlock((u,), (), (), begin.name, tir.Store(begin, self.number(0), (u,)))
        index = (v, r) if kept == 0 else (r, v)
        value = tir.Load(made.tensor, (v,)) + tir.Load(source.tensor, index)
        step = tir.ScheduleBlock(
            (v, r), (), (), made.tensor.name, tir.Store(made.tensor, value, (v,))
        )
        inner = tir.For(
            k, first, last - first + 1, tir.Block((tir.ScheduleBlockRealize((i, k), step),))
        )
        body = tir.Block((tir.ScheduleBlockRealize((i,), init), inner))
        return tir.For(i, low, high - low + 1, body)

    def nest(
        self,
        target: Known,
        own: list[tir.Var],
        spans: list[tuple[int, int]],
        index: tuple[tir.Expr, ...],
        value: tir.Expr,
    ) -> tir.Stmt:
        self.count += 1
        name = f"{target.tensor.name}_{self.count}"
        block = tir.ScheduleBlock(tuple(own), (), (), name, tir.Store(target.tensor, value, index))
        loops = [self.var("i") for _ in own]
        stmt: tir.Stmt = tir.ScheduleBlockRealize(tuple(loops), block)
        nest = list(zip(loops, spans, strict=True))
        if self.random.random() < 0.2:
            self.random.shuffle(nest)
        for loop, (low, size) in nest:
            stmt = tir.For(loop, low, size, tir.Block((stmt,)))
        return stmt
