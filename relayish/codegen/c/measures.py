"""Measures of networks whose sizes arguments tell: a function of loops that computes them.

It is given the sizes and tells how much memory the network needs, the shapes of what it takes and
gives, and where in the memory buffers stand. Nothing wraps around: sizes with which a dimension
would be no integer of 32 bits, or a tensor would have too many elements, are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from relayish.codegen.c.arena import ALIGNMENT, Arena
from relayish.codegen.c.context import Fault
from relayish.errors import EvaluationError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.renaming import replace_nodes
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.builders.stmt import as_block
from relayish.tir.builders.tensor import placeholder
from relayish.tir.interpreter.access import constant
from relayish.tir.interpreter.run import evaluate
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import DeviceAPI
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Add, Cast, Div, Expr, IntImm, Max, Mod, Mul, Sub, const
from relayish.tir.ir.stmt import Block, Let
from relayish.tir.ir.tensor import Buffer, Store, Tensor, Var
from relayish.tir.ir.traversal import NODES
from relayish.tir.ir.type import INT32, INT64

LARGEST: Final = (1 << 31) - 1
"""The largest dimension: loops count by integers of 32 bits."""

MOST_ELEMENTS: Final = 1 << 32
"""So many elements a tensor of an open size has at most: times a dimension, it wraps not around."""


class Measures(NamedTuple):
    """What tells the measures of a network.

    Attributes:
        func: Given the sizes, each an integer of 64 bits, it fills memory with the numbers: the
            bytes of the arena; each dimension of all inputs, then of all outputs; for each slot of
            the arena where it begins.
        length: How many numbers these are.
        faults: What is wrong, by the node of ``func`` that finds it.
    """

    func: LoweredFunc
    length: int
    faults: Mapping[Node, Fault]

    def of(self, *sizes: int) -> list[int]:
        """Return the numbers for sizes.

        Raises:
            EvaluationError: If they are too large, or one is 0.
        """
        values: dict[Var, int] = {}
        numbers: list[int] = []
        for var, size in zip(self.func.args, sizes, strict=False):
            assert isinstance(var, Var)
            values[var] = self._within(var, size, var)
        for stmt in as_block(self.func.body).stmts:
            if isinstance(stmt, Let):
                assert stmt.body is not None
                value = int(evaluate(stmt.body, values))
                values[stmt.symbol] = self._within(stmt.symbol, value, stmt)
            elif isinstance(stmt, Store):
                numbers.append(int(evaluate(stmt.value, values)))
        return numbers

    def _within(self, var: Var, value: int, node: Node) -> int:
        low, end = var.lower_bound, var.upper_bound
        if low is not None and end is not None:
            least, most = constant(low), constant(end)
            if least is None or most is None or not least <= value < most:
                raise self.faults[node].error()
        return value


def measure(
    name: str,
    sizes: Mapping[Var, str],
    ports: Sequence[Buffer],
    arena: Arena,
    functions: Sequence[LoweredFunc],
) -> Measures:
    """Return what tells the measures of a network.

    Args:
        name: What the function is called.
        sizes: The sizes, each with which dimension it is.
        ports: The inputs, then the outputs.
        arena: Where the rest stands.
        functions: Those whose tensors are of these sizes.

    Complexity:
        Linear in the number of distinct nodes of sizes.
    """
    made = _Measuring(sizes)
    known = {func.name: func for func in functions}
    for func in functions:
        made.check(func, {})
        for call in nodes_reached(func.body):
            if isinstance(call, Call) and call.name in known:
                callee = known[call.name]
                made.check(callee, dict(zip(callee.args, call.read_args, strict=False)))
    for port in ports:
        made.count(port)
    numbers = [made.length(size) for port in ports for size in port.shape]
    begin, begins = const(arena.size, "int64"), []
    for slot in arena.slots:
        begins.append(begin)
        begin = made.held(Add(begin, made.bytes_of(slot)))
    numbers = [Max(begin, const(ALIGNMENT, "int64")), *numbers, *begins]
    told = placeholder("told", (len(numbers),), "int64")
    made.stmts += [Store(told, each, (const(at),)) for at, each in enumerate(numbers)]
    assert isinstance(told.buffer, Buffer)
    args = (*made.wide.values(), told.buffer)
    func = LoweredFunc(name, args, Block(tuple(made.stmts)), device_api=DeviceAPI.HOST)
    return Measures(func, len(numbers), made.faults)


_HELD: Final = (Buffer, Tensor)
_EXACT: Final = (Add, Sub, Mul)
"""What may wrap around."""


class _Measuring:
    """Writes the statements: what is computed has a name, and is in range."""

    def __init__(self, sizes: Mapping[Var, str]) -> None:
        self.wide: dict[Node, Var] = {}
        self.stmts: list[Stmt] = []
        self.faults: dict[Node, Fault] = {}
        self._made: dict[object, Expr] = {}
        self._seen: dict[Node, Expr] = {}
        self._names = NameSupply(taken=[each.name for each in sizes])
        self._listed = ", ".join([each.name for each in sizes])
        for size, where in sizes.items():
            wide = Var(size.name, INT64, const(1, "int64"), const(LARGEST + 1, "int64"))
            self.wide[size] = self._seen[size] = wide
            found = f"size {size.name}, {where}, is less than 1 or more than {LARGEST}"
            self.faults[wide] = Fault(EvaluationError, found, None)

    def check(self, func: LoweredFunc, given: Mapping[Node, Node]) -> None:
        """Write what finds sizes that are too large for what a function computes of them alone.

        Args:
            func: The function.
            given: What its sizes are, if not these.
        """
        reached = [*nodes_reached(func.body)]
        held = [each for each in (*func.args, *func.temp_bufs, *reached) if isinstance(each, _HELD)]
        roots = [size for each in held for size in each.shape]
        roots += [each for each in reached if isinstance(each, _EXACT)]
        told: dict[Node, bool] = {}
        for node in NODES.post_order(roots):
            children = NODES.children(node)
            told[node] = (
                given.get(node, node) in self.wide
                if isinstance(node, Var)
                else isinstance(node, (*_EXACT, Div, Mod, IntImm)) and all(map(told.get, children))
            )
            if told[node] and isinstance(node, _EXACT) and node.type == INT32:
                self.dimension(replace_nodes(node, given, traversal=NODES))

    def dimension(self, size: Expr) -> Expr:
        """Return what computes a dimension with integers of 64 bits."""
        for node in NODES.post_order(size, lambda each: each not in self._seen):
            if node not in self._seen:
                assert isinstance(node, Expr)
                self._seen[node] = self._widened(node)
        return self._seen[size]

    def _widened(self, node: Expr) -> Expr:
        known = constant(node)
        if known is not None:
            return self._made.setdefault(known, const(known, "int64"))
        held = node.with_fields(dtype=INT64) if isinstance(node, Cast) else node
        made: Expr = NODES.rebuild[type(node)](held, self._seen.get)
        key = (type(node), *[self._seen[each] for each in NODES.children(node)])
        if made.type != INT64:  # a condition: it stands where it is used
            return self._made.setdefault(key, made)
        return self._named(key, made, (-LARGEST - 1, LARGEST), f"{node} is more than {LARGEST}")

    def _named(self, key: object, value: Expr, within: tuple[int, int], found: str) -> Expr:
        """Return a variable that holds a value, which is in range."""
        if key not in self._made:
            low, high = (const(each, "int64") for each in (within[0], within[1] + 1))
            var = self._made[key] = Var(self._names.fresh_name("t"), INT64, low, high)
            self.stmts.append(Let(var, value))
            told = f"sizes ({self._listed}) are too large: {found}"
            self.faults[self.stmts[-1]] = Fault(EvaluationError, told, None)
        return self._made[key]

    def held(self, value: Expr) -> Expr:
        """Return a variable that holds a value."""
        var = Var(self._names.fresh_name("t"), INT64)
        self.stmts.append(Let(var, value))
        return var

    def length(self, size: Expr) -> Expr:
        """Return a dimension where one that is negative is 0."""
        known = constant(size)
        if known is not None:
            return const(max(known, 0), "int64")
        return Max(self.dimension(size), const(0, "int64"))

    def bytes_of(self, buffers: Sequence[Buffer]) -> Expr:
        """Return how many bytes the largest of some buffers takes, aligned."""
        found: Expr | None = None
        for buffer in buffers:
            width = const(buffer.dtype.numpy.itemsize, "int64")
            taken = Mul(self.count(buffer), width)
            found = taken if found is None else self.held(Max(found, taken))
        assert found is not None
        rounded = Div(Add(found, const(ALIGNMENT - 1, "int64")), const(ALIGNMENT, "int64"))
        return Mul(rounded, const(ALIGNMENT, "int64"))

    def count(self, buffer: Buffer) -> Expr:
        """Return how many elements a buffer has, which are not too many."""
        known = [constant(size) for size in buffer.shape]
        number = math.prod([max(each, 0) for each in known if each is not None])
        count = self._made.setdefault(number, const(number, "int64"))
        shown = ", ".join(map(str, buffer.shape))
        found = f"a tensor of shape ({shown}) has more than {MOST_ELEMENTS} elements"
        for size, each in zip(buffer.shape, known, strict=True):
            if each is None:
                key = ("count", count, self.dimension(size))
                product = Mul(count, self.length(size))
                count = self._named(key, product, (0, MOST_ELEMENTS), found)
        return count
