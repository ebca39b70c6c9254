"""Random loop nests, and the dependences between their accesses found by running them."""

from __future__ import annotations

import itertools
from collections import defaultdict

from relayish import tir
from tests.support.tir_integers import evaluate

SIZE = 1600
HALF = 40
PRIMES = (7919, 104729, 1299709)
"""By these multiples of variables a value tells, mostly, in which iteration it was stored."""


class OutOfRange(Exception):
    """An index is not within its tensor."""


class Nest:
    """A random nest of loops over a few buffers.

    Args:
        rng: Where choices come from.
        kinds: What it may consist of, beside affine loops, loads and stores.

    Attributes:
        sizes: Scalars that tell how often loops run, from 0 to 4.
    """

    def __init__(self, rng, kinds):
        self.rng = rng
        self.kinds = kinds
        self.names = itertools.count()
        self.scalars = []
        self.sizes = [tir.Var("n", "int32", 0, 5)] if "symbolic" in kinds else []
        buffers = [tir.Buffer(name, (SIZE,), "int32") for name in "ab"]
        self.tensors = [tir.Tensor(b.name.upper(), (SIZE,), "int32", buffer=b) for b in buffers]
        if "views" in kinds:
            [a, _] = buffers
            self.tensors.append(tir.Tensor("A2", (HALF, HALF), "int32", buffer=a))
            self.tensors.append(tir.Tensor("A3", (20, 80), "int32", buffer=a))
            strided = tir.Buffer("s", (SIZE,), "int32", strides=(3, 40))
            self.tensors.append(tir.Tensor("S", (13, 10), "int32", buffer=strided))
        if "planes" in kinds:
            plane = tir.Buffer("p", (HALF, HALF), "int32")
            self.tensors.append(tir.Tensor("P", (HALF, HALF), "int32", buffer=plane))
        self.root = self.loop((), 1)

    def affine(self, variables, most=2):
        found = tir.const(self.rng.randint(-2, 3))
        for var in variables:
            if self.rng.random() < 0.6:
                found = found + var * self.rng.choice([-most, -1, 1, 1, 1, most])
        if "quotients" in self.kinds and variables and self.rng.random() < 0.4:
            kind = self.rng.choice((tir.Div, tir.Mod))
            found = found + kind(found, tir.const(self.rng.choice([2, 3, 4, -3])))
        if "choices" in self.kinds and variables and self.rng.random() < 0.3:
            other = self.rng.choice(variables) * 1
            match self.rng.randrange(3):
                case 0:
                    return tir.Min(found, other)
                case 1:
                    return tir.Max(found, other)
            return tir.Select(self.condition(variables), found, other)
        return found

    def indices(self, tensor, variables):
        found = tuple([self.affine(variables) for _ in tensor.shape])
        if len(found) == 1:
            return (found[0] + 60,) if self.rng.random() < 0.7 else (found[0] * 2 + 60,)
        return (found[0] + 6, found[1] + 4) if tensor.name == "S" else (found[0] + 9, found[1] + 14)

    def condition(self, variables):
        kind = self.rng.choice((tir.LT, tir.LE, tir.GT, tir.GE, tir.EQ, tir.NE))
        return kind(self.affine(variables[:1], 1), self.affine(variables[1:], 1))

    def fresh(self, prefix="i"):
        return tir.Var(f"{prefix}{next(self.names)}")

    def loop(self, variables, depth):
        var, rng = self.fresh(), self.rng
        start = tir.const(rng.randint(-1, 2))
        if variables and rng.random() < 0.3:
            start = start + rng.choice(variables)
        count = tir.const(rng.randint(0, 4) if rng.random() < 0.2 else rng.randint(2, 4))
        if variables and rng.random() < 0.2:
            count = count - rng.choice(variables)
        if self.sizes and rng.random() < 0.4:
            count = self.sizes[0] + rng.randint(-1, 1)
        if "steps" in self.kinds and rng.random() < 0.5:
            step = rng.choice([-2, -1, 1, 2, 3])
            limit = start + step * rng.randint(1, 4)
            kinds = (tir.LT, tir.LE) if step > 0 else (tir.GT, tir.GE)
            condition = rng.choice(kinds)(var, limit)
            if rng.random() < 0.3:
                flipped = {tir.LT: tir.GT, tir.LE: tir.GE, tir.GT: tir.LT, tir.GE: tir.LE}
                condition = flipped[type(condition)](limit, var)
            body = self.block((*variables, var), depth)
            return tir.PolyFor(var, start, condition, tir.const(step), body)
        return tir.For(var, start, count, self.block((*variables, var), depth))

    def block(self, variables, depth):
        rng, outer = self.rng, list(self.scalars)
        stmts = []
        single = "perfect" in self.kinds and rng.random() < 0.7
        for _ in range(1 if single else rng.randint(1, 2)):
            draw = rng.random()
            if depth < 3 and draw < (0.85 if single else 0.45):
                stmts.append(self.loop(variables, depth + 1))
            elif "branches" in self.kinds and draw < 0.6:
                condition = self.condition(variables)
                if rng.random() < 0.3:
                    kind = rng.choice((tir.And, tir.Or))
                    condition = kind(condition, tir.Not(self.condition(variables)))
                arms = [tir.Block((self.store(variables),)) for _ in range(rng.randint(1, 2))]
                stmts.append(tir.IfThenElse(condition, *arms))
            elif "scalars" in self.kinds and draw < 0.75:
                stmts.append(self.scalar(variables))
            elif "blocks" in self.kinds and draw < 0.9:
                own = tuple([self.fresh("v") for _ in range(rng.randint(1, 2))])
                values = tuple([self.affine(variables) for _ in own])
                inner = tir.ScheduleBlock(own, (), (), "B", self.store(own))
                stmts.append(tir.ScheduleBlockRealize(values, inner))
            else:
                stmts.append(self.store(variables))
        self.scalars = outer
        return tir.Block(tuple(stmts))

    def scalar(self, variables):
        if self.scalars and self.rng.random() < 0.5:
            return tir.Store(self.rng.choice(self.scalars), self.value(variables), ())
        var = self.fresh("x")
        made = tir.Let(var, self.value(variables))
        self.scalars.append(var)
        return made

    def store(self, variables):
        tensor = self.rng.choice(self.tensors)
        if "vectors" in self.kinds and len(tensor.shape) == 1 and self.rng.random() < 0.4:
            stride = self.rng.choice([1, 2, -1])
            index = tir.Ramp(self.indices(tensor, variables)[0], tir.const(stride), 3)
            return tir.Store(tensor, tir.Broadcast(self.value(variables), 3), (index,))
        value, indices = self.value(variables), self.indices(tensor, variables)
        if "sums" in self.kinds and self.rng.random() < 0.5:
            kind = self.rng.choice((tir.Add, tir.Max))
            value = kind(tir.Load(tensor, indices), value)
        elif "kept" in self.kinds:
            value = tir.Load(tensor, indices) * 3 + value
        return tir.Store(tensor, value, indices)

    def value(self, variables):
        rng = self.rng
        found = tir.const(1)
        if "distinct" in self.kinds:
            for var, prime in zip(variables, PRIMES, strict=False):
                found = found + var * prime
        for _ in range(rng.randint(0, 2)):
            found = found + self.load(variables)
        if self.scalars and rng.random() < 0.5:
            found = found + tir.Load(rng.choice(self.scalars), ())
        if "reductions" in self.kinds and rng.random() < 0.4:
            low = rng.randint(-1, 1)
            axis = tir.Var(f"k{next(self.names)}", "int32", low, low + rng.randint(0, 3))
            body = self.load((*variables, axis))
            found = found + tir.Reduce(tir.ReduceType.SUM, tir.const(0), body, (axis,))
        return found

    def load(self, variables):
        tensor = self.rng.choice(self.tensors)
        if "indirect" in self.kinds and len(tensor.shape) == 1 and self.rng.random() < 0.4:
            inner = tir.Load(tensor, self.indices(tensor, variables))
            return tir.Load(tensor, (tir.Mod(inner, tir.const(5)) + 60,))
        return tir.Load(tensor, self.indices(tensor, variables))


class Run:
    """What one run of a nest accesses, in order.

    Attributes:
        events: For each access, its node, whether it writes, the element, and the loops around with
            the iterations they were in.
    """

    def __init__(self, root, values=None):
        self.events = []
        self.memory = defaultdict(int)
        self.declared = {}
        self.run(root, dict(values or {}), ())

    def run(self, stmt, values, loops):
        match stmt:
            case tir.For():
                first = evaluate(stmt.min, values)
                for i in range(first, first + evaluate(stmt.extent, values)):
                    self.run(stmt.body, values | {stmt.loop_var: i}, (*loops, (stmt, i)))
            case tir.PolyFor():
                i, number = evaluate(stmt.init, values), 0
                while evaluate(stmt.condition, values | {stmt.iterator: i}):
                    self.run(stmt.body, values | {stmt.iterator: i}, (*loops, (stmt, number)))
                    i, number = i + evaluate(stmt.inc, values), number + 1
            case tir.Block():
                for each in stmt.stmts:
                    self.run(each, values, loops)
            case tir.IfThenElse():
                if evaluate(stmt.condition, values):
                    self.run(stmt.true_case, values, loops)
                elif stmt.false_case is not None:
                    self.run(stmt.false_case, values, loops)
            case tir.ScheduleBlockRealize():
                block = stmt.schedule_block
                given = [evaluate(value, values) for value in stmt.iter_values]
                inner = values | dict(zip(block.iter_vars, given, strict=True))
                self.run(block.body, inner, loops)
            case tir.Let():
                value = self.value(stmt.body, values, loops)
                self.declared[stmt.symbol] = object()
                self.access(stmt, True, self.declared[stmt.symbol], loops)
                self.memory[self.declared[stmt.symbol]] = value
            case tir.Store(tensor=tir.Var()):
                value = self.value(stmt.value, values, loops)
                self.access(stmt, True, self.declared[stmt.tensor], loops)
                self.memory[self.declared[stmt.tensor]] = value
            case tir.Store(indices=(tir.Ramp() as ramp,)):
                value = self.value(stmt.value.value, values, loops)
                base, step = evaluate(ramp.base, values), evaluate(ramp.stride, values)
                for lane in range(ramp.lanes):
                    element = self.element(stmt.tensor, [base + lane * step])
                    self.access(stmt, True, element, loops)
                    self.memory[element] = value
            case tir.Store():
                value = self.value(stmt.value, values, loops)
                indices = [self.value(index, values, loops) for index in stmt.indices]
                element = self.element(stmt.tensor, indices)
                self.access(stmt, True, element, loops)
                self.memory[element] = value
            case _:
                raise NotImplementedError(type(stmt))

    def value(self, expr, values, loops):
        match expr:
            case tir.Add():
                found = self.value(expr.a, values, loops) + self.value(expr.b, values, loops)
                return (found + 2**31) % 2**32 - 2**31
            case tir.Mul() if isinstance(expr.a, tir.Load):
                found = self.value(expr.a, values, loops) * evaluate(expr.b, values)
                return (found + 2**31) % 2**32 - 2**31
            case tir.Max():
                return max(self.value(expr.a, values, loops), self.value(expr.b, values, loops))
            case tir.Mod(a=tir.Load()):
                return abs(self.value(expr.a, values, loops)) % evaluate(expr.b, values)
            case tir.Load(tensor=tir.Var()):
                self.access(expr, False, self.declared[expr.tensor], loops)
                return self.memory[self.declared[expr.tensor]]
            case tir.Load():
                indices = [self.value(index, values, loops) for index in expr.indices]
                element = self.element(expr.tensor, indices)
                self.access(expr, False, element, loops)
                return self.memory[element]
            case tir.Reduce():
                found = self.value(expr.init, values, loops)
                [axis] = expr.reduce_axis
                span = range(axis.lower_bound.value, axis.upper_bound.value)
                for k in span:
                    found += self.value(expr.body, values | {axis: k}, loops)
                return found
        return evaluate(expr, values)

    def access(self, node, writes, element, loops):
        self.events.append((node, writes, element, loops))

    def element(self, tensor, indices):
        shape = [size.value for size in tensor.shape]
        strides = [stride.value for stride in tensor.buffer.strides]
        if not strides:
            strides = [shape[1], 1] if len(shape) == 2 else [1]
        for index, size in zip(indices, shape, strict=True):
            if not 0 <= index < size:
                raise OutOfRange
        offset = sum(i * s for i, s in zip(indices, strides, strict=True))
        return tensor.buffer, offset

    def dependences(self):
        """Return, for nodes and kind, the differences of iterations of the loops around both."""
        found = defaultdict(set)
        touching = defaultdict(list)
        for node, writes, element, loops in self.events:
            for other, wrote, around in touching[element]:
                if not (writes or wrote):
                    continue
                common = [(x[1], y[1]) for x, y in zip(around, loops, strict=False) if x[0] is y[0]]
                difference = tuple([late - early for early, late in common])
                if other is node and not any(difference):
                    continue
                kind = "output" if writes and wrote else "flow" if wrote else "anti"
                found[other, node, kind].add(difference)
            touching[element].append((node, writes, loops))
        return found


def draw(rng, kinds):
    """Return a random nest of which all indices are in range, and its dependences by running it."""
    while True:
        nest = Nest(rng, kinds)
        try:
            return nest.root, Run(nest.root).dependences()
        except OutOfRange:
            continue
