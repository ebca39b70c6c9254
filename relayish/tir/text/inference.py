"""Inference of tensors and buffers that the section of details says nothing of.

The rank of a tensor is how many indices it is used with. Its shape is what the loops around these
uses reach: one more than the greatest value of each index, by intervals. Its elements have the type
of what they are combined with, or stored; where nothing tells that, ``float32``. A buffer called
``_A`` is that of the tensor ``A``; one that is allocated has the sizes it is allocated with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final, TypeAlias

from relayish._support.graph import find_root
from relayish.dataflow.lattice import interval as arithmetic
from relayish.dataflow.lattice.interval import AnyIntegers, Interval, Strict
from relayish.dataflow.lattice.symbols import BOTTOM
from relayish.ir.nodes.node import Node
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.operators import Expr, IntImm, UIntImm, const
from relayish.tir.ir.stmt import For, Let, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.ir.traversal import NODES
from relayish.tir.ir.type import FLOAT32, INT32, Type
from relayish.tir.text.reader import UNKNOWN, Reader, Unknown

_Rule: TypeAlias = Callable[[Any, list[Interval]], Interval | None]  # Any: a node of one kind


def infer(reader: Reader, roots: Sequence[Node]) -> dict[tuple[int, str], Tensor | Buffer]:
    """Return what the tensors and buffers are that were made up, by function and name.

    Raises:
        ParseError: If the program does not tell that of one of them.
    """
    tensors = {t: u for t, u in reader.unknown_things.items() if isinstance(t, Tensor)}
    buffers = {b: u for b, u in reader.unknown_things.items() if isinstance(b, Buffer)}
    shapes = _shapes(reader, roots, tensors)
    types = _types(reader, roots, tensors)
    given: dict[tuple[int, str], Tensor | Buffer] = {}
    for tensor, unknown in tensors.items():
        key = (unknown.frame, f"_{unknown.name}")
        buffer = tensor.buffer
        if buffer in buffers:
            buffer = given[key] = Buffer(key[1], shapes[tensor], types[tensor])
        given[unknown.frame, unknown.name] = Tensor(
            unknown.name, shapes[tensor], types[tensor], buffer
        )
    for made, unknown in buffers.items():
        if (unknown.frame, unknown.name) in given:
            continue
        buffer = made
        sizes = reader.sizes.get(buffer, ()) or buffer.shape
        if not sizes or not all(type(size) is IntImm for size in sizes):
            _fail_missing(reader, unknown, "the shape and the type", "buffer")
        given[unknown.frame, unknown.name] = Buffer(unknown.name, sizes)
    return given


def _fail_missing(reader: Reader, unknown: Unknown, what: str, kind: str) -> None:
    use = f"no tensor {unknown.name[1:]} is used" if kind == "buffer" else "its uses do not tell"
    reader.fail(
        f"{what} of {kind} {unknown.name} cannot be told, for {use}; add a section, a line "
        f"'#[details]' and then a line '{kind} {unknown.name}: float32[16]' with its type and "
        f"shape",
        unknown.at,
    )


# Shapes


def _shapes(
    reader: Reader, roots: Sequence[Node], tensors: dict[Tensor, Unknown]
) -> dict[Tensor, tuple[Expr, ...]]:
    ranges: dict[Var, Interval] = {}
    reach: dict[Tensor, list[int | None]] = {}
    for node in _in_order(roots):
        if isinstance(node, For):
            first, extent = _interval(node.min, ranges), _interval(node.extent, ranges)
            if first is not None and extent is not None:
                ranges[node.loop_var] = Interval(first.low, first.high + max(extent.high, 1) - 1)
        elif isinstance(node, ScheduleBlockRealize):
            for var, value in zip(node.schedule_block.iter_vars, node.iter_values, strict=False):
                found = _interval(value, ranges)
                if found is not None:
                    ranges[var] = found
        elif isinstance(node, Reduce):
            for axis in node.reduce_axis:
                _add_bounds(axis, ranges)
        elif isinstance(node, (Load, Store)) and node.tensor in tensors:
            assert isinstance(node.tensor, Tensor)
            _add_use(reader, tensors[node.tensor], node.indices, ranges, reach, node.tensor)
    shapes: dict[Tensor, tuple[Expr, ...]] = {}
    for tensor, unknown in tensors.items():
        if tensor.shape and tensor not in reach:
            shapes[tensor] = tensor.shape
            continue
        sizes = reach.get(tensor)
        if sizes is None or None in sizes:
            _fail_missing(reader, unknown, "the shape", "tensor")
        shapes[tensor] = tuple([const(size) for size in sizes or ()])
    return shapes


def _in_order(roots: Sequence[Node]) -> list[Node]:
    return [node for root in roots for node in NODES.pre_order(root)]


def _add_bounds(axis: Var, ranges: dict[Var, Interval]) -> None:
    low, high = axis.lower_bound, axis.upper_bound
    first = Interval(0, 0) if low is None else _interval(low, ranges)
    last = None if high is None else _interval(high, ranges)
    if first is not None and last is not None:
        ranges[axis] = Interval(first.low, max(first.low, last.high - 1))


def _add_use(
    reader: Reader,
    unknown: Unknown,
    indices: tuple[Expr, ...],
    ranges: dict[Var, Interval],
    reach: dict[Tensor, list[int | None]],
    tensor: Tensor,
) -> None:
    found = [_interval(index, ranges) for index in indices]
    sizes: list[int | None] = [None if f is None else max(f.high + 1, 1) for f in found]
    before = reach.setdefault(tensor, sizes)
    if len(before) != len(sizes):
        reader.fail(
            f"tensor {unknown.name} is used with ranks of {len(before)} and {len(sizes)}; give it "
            f"as many indices as it has dimensions everywhere, or two names",
            unknown.at,
        )
    reach[tensor] = [
        old if new is None else new if old is None else max(old, new)
        for old, new in zip(before, sizes, strict=True)
    ]


def _interval(root: Node, ranges: dict[Var, Interval]) -> Interval | None:
    """Return the least and the greatest value of an integer expression, where numbers tell."""
    found: dict[Node, Interval | None] = {}
    for node in NODES.post_order(root, enter=lambda n: type(n) in _RULES):
        if isinstance(node, (IntImm, UIntImm)):
            found[node] = Interval(node.value, node.value)
        elif isinstance(node, Var):
            found[node] = ranges.get(node)
        else:
            found[node] = _apply_rule(node, found)
    return found[root]


def _apply_rule(node: Node, found: Mapping[Node, Interval | None]) -> Interval | None:
    rule = _RULES.get(type(node))
    if rule is None:
        return None
    operands: list[Interval] = []
    for child in NODES.children(node):
        known = found[child]
        if known is None:
            return None
        operands.append(known)
    return rule(node, operands)


def _fold(op: Strict[AnyIntegers]) -> _Rule:
    def rule(_: Node, operands: list[Interval]) -> Interval | None:
        total: AnyIntegers = reduce(op, operands) if operands else BOTTOM
        return None if total is BOTTOM else total

    return rule


def _ramp(ramp: ops.Ramp, operands: list[Interval]) -> Interval:
    base, stride = operands
    return arithmetic.add(base, arithmetic.mul(stride, Interval(0, ramp.lanes - 1)))


_RULES: Final[dict[type[Node], _Rule]] = {
    ops.Add: _fold(arithmetic.add),
    ops.Sum: _fold(arithmetic.add),
    ops.Sub: _fold(arithmetic.sub),
    ops.Mul: _fold(arithmetic.mul),
    ops.Product: _fold(arithmetic.mul),
    ops.Min: _fold(arithmetic.smaller),
    ops.Max: _fold(arithmetic.larger),
    ops.Div: _fold(arithmetic.div),
    ops.Mod: _fold(arithmetic.mod),
    ops.Minus: lambda _, operands: arithmetic.scale(operands[0], -1),
    ops.Cast: lambda cast, operands: operands[0] if cast.dtype.is_integer else None,
    ops.Broadcast: lambda _, operands: operands[0],
    ops.Ramp: _ramp,
}


# Types


def _types(
    reader: Reader, roots: Sequence[Node], tensors: dict[Tensor, Unknown]
) -> dict[Tensor, Type]:
    numbers: dict[object, int] = {tensor: number for number, tensor in enumerate(tensors)}
    parent = list(range(len(numbers)))
    told: dict[int, tuple[Type, bool]] = {}
    kinds: dict[Node, object] = {}
    """Of each expression its type, or the tensor whose type it has."""

    def say(thing: object, found: Type, *, is_sure: bool) -> None:
        root = find_root(parent, numbers[thing])
        before = told.get(root)
        if before is None or (is_sure and not before[1]):
            told[root] = (found, is_sure)
        elif is_sure and before[1] and before[0].scalar != found.scalar:
            unknown = next(u for t, u in tensors.items() if find_root(parent, numbers[t]) == root)
            reader.fail(
                f"the elements of tensor {unknown.name} are used as {before[0]} and as {found}; "
                f"declare its type in the section, 'tensor {unknown.name}: float32[16]'",
                unknown.at,
            )

    def equate(a: object, b: object, *, is_sure: tuple[bool, bool]) -> None:
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            first, second = find_root(parent, numbers[a]), find_root(parent, numbers[b])
            known, other = told.pop(first, None), told.pop(second, None)
            parent[first] = second
            for each in (known, other):
                if each is not None:
                    say(a, each[0], is_sure=each[1])
        elif isinstance(a, Tensor) and isinstance(b, Type):
            say(a, b, is_sure=is_sure[1])
        elif isinstance(b, Tensor) and isinstance(a, Type):
            say(b, a, is_sure=is_sure[0])

    for node in NODES.post_order(list(roots)):
        if isinstance(node, Store):
            place, value = node.tensor, node.value
            equate(
                place if place in tensors else place.type,
                kinds[value],
                is_sure=(True, not _is_plain(value)),
            )
        elif isinstance(node, Let) and node.body is not None:
            equate(node.symbol.type, kinds[node.body], is_sure=(True, True))
        if isinstance(node, Expr):
            kinds[node] = _kind_of(node, kinds, tensors, equate)
    roots_of = {tensor: find_root(parent, numbers[tensor]) for tensor in tensors}
    return {t: told.get(root, (FLOAT32, False))[0].scalar for t, root in roots_of.items()}


def _kind_of(
    node: Any,  # Any: an expression
    kinds: dict[Node, object],
    tensors: dict[Tensor, Unknown],
    equate: Any,  # Any: a function
) -> object:
    """Return the type of an expression, or the tensor whose type it has."""
    if isinstance(node, Load):
        return node.tensor if node.tensor in tensors else node.type
    if isinstance(node, (ops.BinaryOpNode, ops.Select)):
        a, b = NODES.children(node)[-2:]
        equate(kinds[a], kinds[b], is_sure=(not _is_plain(a), not _is_plain(b)))
        if isinstance(node, ops.PredicateNode):
            return node.type
        return kinds[b] if isinstance(kinds[b], Tensor) and _is_plain(a) else kinds[a]
    if node.type == UNKNOWN:
        children = [c for c in NODES.children(node) if isinstance(kinds.get(c), Tensor)]
        return kinds[children[0]] if children else node.type
    return node.type


def _is_plain(node: Node) -> bool:
    """Return whether a literal's text tells no type, so that its type is no more than likely."""
    return isinstance(node, IntImm) and node.dtype == INT32
