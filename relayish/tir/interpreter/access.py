"""Loads and stores: where an element is, whether it is in range, and what it holds."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from relayish.errors import EvaluationError, OutOfBoundsError, UnsupportedError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.tir.interpreter import failures
from relayish.tir.interpreter.compiler import RULES, Compiler, each, require, require_index
from relayish.tir.interpreter.memory import Array, Memory, row_major, size_of
from relayish.tir.ir.operation import ComputeOp
from relayish.tir.ir.operators import Expr, IntImm, UIntImm
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var

Names = Generator[Node, str, str]


def constant(expr: Expr | None) -> int | None:
    """Return the value of a literal; nothing said is 0."""
    if expr is None:
        return 0
    return expr.value if isinstance(expr, (IntImm, UIntImm)) else None


class Layout:
    """Where the elements of a view are: texts or integers for its sizes, strides and offset."""

    __slots__ = ("is_inside", "offset", "shape", "strides")

    def __init__(self, shape: Sequence[Any], strides: Sequence[Any], offset: Any) -> None:
        self.shape = tuple(shape)
        self.strides = tuple(strides)
        self.offset = offset
        self.is_inside = False


def _sizes(exprs: Sequence[Expr]) -> Generator[Node, str, list[Any]]:
    """Compile sizes; those that are literals stay integers."""
    found: list[Any] = []
    for expr in exprs:
        known = constant(expr)
        found.append((yield expr) if known is None else known)
    return found


def layout_of(c: Compiler, tensor: Tensor, buffer: Buffer) -> Generator[Node, str, Layout]:
    """Compile where the elements of a view of ``buffer`` are."""
    known = c.layouts.get(tensor)
    if isinstance(known, Layout):
        return known
    require(
        tensor.dtype == buffer.dtype,
        lambda: (
            f"tensor {tensor.name} of type {tensor.dtype} looks at buffer {buffer.name} of "
            f"type {buffer.dtype}; the element types must agree"
        ),
    )
    shape = yield from _sizes(tensor.shape)
    strides = yield from _sizes(buffer.strides)
    offset = constant(buffer.elem_offset)
    at: Any = offset
    if offset is None:
        assert buffer.elem_offset is not None
        at = yield buffer.elem_offset
    if buffer.strides:
        require(
            len(shape) == len(strides),
            lambda: (
                f"tensor {tensor.name} has {len(shape)} dimensions, and buffer {buffer.name} "
                f"has strides for {len(strides)}"
            ),
        )
    elif all(isinstance(size, int) for size in shape):
        strides = list(row_major(shape))
    else:
        strides = _row_major_text(c, shape)
    made = Layout(shape, strides, at)
    whole = [constant(size) for size in buffer.shape]
    steps = [constant(step) for step in buffer.strides]
    numbers = [*shape, *strides, at, *whole, *steps]
    if all(isinstance(number, int) for number in numbers):
        c.layouts[tensor] = made
        size = size_of(whole, steps, at)  # type: ignore[arg-type] # they are integers
        last = at + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
        made.is_inside = all(step >= 0 for step in strides) and at >= 0 and last < size
    return made


def _row_major_text(c: Compiler, shape: Sequence[Any]) -> list[Any]:
    steps: list[Any] = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        a, b = steps[axis + 1], shape[axis + 1]
        known = isinstance(a, int) and isinstance(b, int)
        steps[axis] = a * b if known else c.unit.assign(f"{a} * {b}")
    return steps


def _view(node: Load | Store) -> tuple[Tensor, Buffer]:
    tensor = node.tensor
    assert isinstance(tensor, Tensor)
    buffer = tensor.buffer
    require(
        isinstance(buffer, Buffer),
        lambda: f"tensor {tensor.name} looks at {buffer}, which is no buffer",
    )
    assert isinstance(buffer, Buffer)
    return tensor, buffer


def _require_rank(tensor: Tensor, indices: Sequence[Expr]) -> None:
    require(
        len(indices) == len(tensor.shape),
        lambda: (
            f"tensor {tensor.name} has {len(tensor.shape)} dimensions and is given "
            f"{len(indices)} indices"
        ),
    )
    for index in indices:
        require_index(index)
    lanes = {index.type.lanes for index in indices} - {1}
    require(
        len(lanes) < 2,
        lambda: (
            f"indices of {tensor.name} have {' and '.join(map(str, sorted(lanes)))} lanes; "
            f"vectors beside each other have as many"
        ),
    )


def in_tuple(names: Sequence[Any]) -> str:
    """Return the text of a tuple."""
    return f"({', '.join(map(str, names))}{',' if len(names) == 1 else ''})"


def check_range(c: Compiler, name: str, indices: Sequence[str], shape: Sequence[Any]) -> None:
    """Add lines that raise unless scalar indices are in range."""
    if not shape:
        return
    tests = [f"0 <= {at} < {size}" for at, size in zip(indices, shape, strict=True)]
    failed = f"outside({c.unit.capture(name)}, {in_tuple(indices)}, {in_tuple(shape)})"
    c.unit.line(f"if not ({' and '.join(tests)}): {failed}")


def _position(
    c: Compiler, name: str, indices: Sequence[str], layout: Layout, buffer: Buffer, data: str
) -> str:
    """Add lines that find the position of an element in memory, and return its name."""
    unit = c.unit
    check_range(c, name, indices, layout.shape)
    terms = [
        at if step == 1 else f"{at} * {step}"
        for at, step in zip(indices, layout.strides, strict=True)
        if step != 0
    ]
    if layout.offset != 0 or not terms:
        terms.append(str(layout.offset))
    text = " + ".join(terms)
    at = text if text.isidentifier() or text.isdigit() else unit.assign(text)
    if not layout.is_inside:
        who = f"{unit.capture(name)}, {in_tuple(indices)}, {unit.capture(buffer.name)}"
        unit.line(f"if not 0 <= {at} < len({data}): beyond({who}, {at}, len({data}))")
    return at


def _load(c: Compiler, load: Load) -> Names:
    if isinstance(load.tensor, Var):
        _require_no_index(load, load.tensor)
        return (yield load.tensor)
    require(
        isinstance(load.tensor, Tensor),
        lambda: f"{one_line(load)} loads from {one_line(load.tensor)}, which is no tensor",
    )
    assert isinstance(load.tensor, Tensor)
    if load.tensor.buffer is None:
        return (yield from _load_inline(c, load, load.tensor))
    tensor, buffer = _view(load)
    indices = yield from each(load.indices)
    _require_rank(tensor, load.indices)
    layout = yield from layout_of(c, tensor, buffer)
    unit = c.unit
    unit.node = load
    if load.type.lanes > tensor.dtype.lanes:
        where = f"{in_tuple(indices)}, {in_tuple(layout.shape)}, {in_tuple(layout.strides)}"
        name, memory = unit.capture(tensor.name), c.memory(buffer)
        return unit.assign(f"{unit.capture(gather)}({memory}, {name}, {where}, {layout.offset})")
    data, mask = c.data(buffer)
    at = _position(c, tensor.name, indices, layout, buffer, data)
    if mask is not None:
        unit.line(f"if not {mask}[{at}]: unread({unit.capture(tensor.name)}, {in_tuple(indices)})")
    found = f"{data}[{at}]"  # numpy has integers of fewer bits from elsewhere, as scalars
    return unit.assign(f"int({found})" if tensor.dtype.is_narrow else found)


def _require_no_index(node: Load | Store, var: Var) -> None:
    zero = len(node.indices) == 1 and constant(node.indices[0]) == 0
    if node.indices and not zero:
        raise OutOfBoundsError(
            f"{one_line(node)} has indices, and {var.name} is a scalar; its only index is 0"
        )


def _load_inline(c: Compiler, load: Load, tensor: Tensor) -> Names:
    """Compile an element of a tensor that is computed where it is used."""
    operation = tensor.operation
    if not isinstance(operation, ComputeOp) or len(operation.body) != 1:
        made = "nothing" if operation is None else f"a {type(operation).__name__}"
        raise UnsupportedError(
            f"tensor {tensor.name} has no buffer, and comes from {made}; expected a buffer, or a "
            f"ComputeOp with one body"
        )
    if operation in c.inlining:
        raise EvaluationError(f"tensor {tensor.name} is computed of itself; give it a buffer")
    indices = yield from each(load.indices)
    _require_rank(tensor, load.indices)
    body = operation.body[0]
    require(
        body.type == tensor.dtype and len(operation.axis) == len(indices),
        lambda: (
            f"tensor {tensor.name} of type {tensor.dtype} is computed by a {body.type} for "
            f"{len(operation.axis)} axes"
        ),
    )
    shape = yield from _sizes(tensor.shape)
    sizes = [size for size in shape if isinstance(size, str)]
    params = _names("p", len(indices))
    passed = iter(_names("n", len(sizes)))
    limits = [size if isinstance(size, int) else next(passed) for size in shape]
    version, unit = c.inlined.get(tensor, (-1, c.unit))
    if version != c.version:
        version = c.version
        c.inlining[operation] = None
        try:
            with (
                c.new_unit([*params, *_names("n", len(sizes))]) as unit,
                c.bound_all(operation.axis, params),
            ):
                unit.node = load
                check_range(c, tensor.name, params, limits)
                made = yield body
                unit.line(f"return {made}")
        finally:
            del c.inlining[operation]
            c.version = version
        c.inlined[tensor] = version, unit
    c.unit.node = load
    if load.type == tensor.dtype:
        return c.unit.assign(c.call(unit, [*indices, *sizes]))
    lanes = c.unit.name("k")
    lane, made = c.unit.name("v"), c.unit.name()
    dtype = c.unit.capture(tensor.dtype.numpy)
    vectors = [index.type.is_vector for index in load.indices]
    chosen = [f"int({at}[{lane}])" if v else at for at, v in zip(indices, vectors, strict=True)]
    c.unit.line(f"{lanes} = []")
    with c.indented(f"for {lane} in range({c.unit.capture(load.type.lanes)}):", loops=1):
        c.unit.line(f"{lanes}.append({c.call(unit, [*chosen, *sizes])})")
    c.unit.line(f"{made} = {c.unit.capture(np.array)}({lanes}, {dtype})")
    return made


def _names(prefix: str, number: int) -> list[str]:
    return [f"{prefix}{at}" for at in range(number)]


def _store(c: Compiler, store: Store) -> Names:
    value = yield store.value
    if isinstance(store.tensor, Var):
        return _store_variable(c, store, store.tensor, value)
    require(
        isinstance(store.tensor, Tensor),
        lambda: f"a Store goes to {one_line(store.tensor)}, which is no tensor",
    )
    assert isinstance(store.tensor, Tensor)
    if store.tensor.buffer is None:
        raise UnsupportedError(
            f"tensor {store.tensor.name} has no buffer, so nothing can be stored to it"
        )
    tensor, buffer = _view(store)
    indices = yield from each(store.indices)
    _require_rank(tensor, store.indices)
    lanes = max([index.type.lanes for index in store.indices], default=1)
    expected = tensor.dtype.with_lanes(lanes) if lanes > 1 else tensor.dtype
    require(
        store.value.type == expected,
        lambda: (
            f"a value of type {store.value.type} is stored to {tensor.name}; expected {expected}"
        ),
    )
    layout = yield from layout_of(c, tensor, buffer)
    unit = c.unit
    unit.node = store
    if lanes > 1:
        where = f"{in_tuple(indices)}, {in_tuple(layout.shape)}, {in_tuple(layout.strides)}"
        name, memory = unit.capture(tensor.name), c.memory(buffer)
        unit.line(f"{unit.capture(scatter)}({memory}, {name}, {where}, {layout.offset}, {value})")
        return "None"
    data, mask = c.data(buffer)
    at = _position(c, tensor.name, indices, layout, buffer, data)
    unit.line(f"{data}[{at}] = {value}")
    if mask is not None:
        unit.line(f"{mask}[{at}] = 1")
    return "None"


def _store_variable(c: Compiler, store: Store, var: Var, value: str) -> str:
    _require_no_index(store, var)
    require(
        store.value.type == var.type,
        lambda: (
            f"variable {var.name} of type {var.type} is given a value of type {store.value.type}"
        ),
    )
    binding = c.binding_of(var)
    if not binding.is_assigned or binding.slot is None:
        raise EvaluationError(
            f"{var.name} is stored to, and is an index or argument; declare a variable with Let"
        )
    c.unit.line(f"{c.slot(binding.slot)} = {value}")
    return "None"


def _positions(
    memory: Memory,
    name: str,
    indices: Sequence[Any],
    layout: tuple[Sequence[int], Sequence[int], int],
) -> tuple[Array, Array, Array]:
    """Return the elements of memory, and the positions and index vectors of some of them."""
    array = memory.given
    shape, strides, offset = layout
    rows = np.stack(np.broadcast_arrays(*[np.asarray(at, np.int64) for at in indices]))
    limits = np.asarray(shape, np.int64)[:, None]
    wrong = np.flatnonzero(((rows < 0) | (rows >= limits)).any(axis=0))
    if wrong.size:
        failures.outside(name, rows[:, wrong[0]].tolist(), shape)
    at = offset + (rows * np.asarray(strides, np.int64)[:, None]).sum(axis=0)
    beyond = np.flatnonzero((at < 0) | (at >= len(array)))
    if beyond.size:
        lane = beyond[0]
        failures.beyond(name, rows[:, lane].tolist(), memory.name, int(at[lane]), len(array))
    return array, at, rows


def gather(
    memory: Memory,
    name: str,
    indices: Sequence[Any],
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int,
) -> Array:
    """Return the elements at vectors of indices."""
    array, at, rows = _positions(memory, name, indices, (shape, strides, offset))
    if memory.mask is not None:
        empty = np.flatnonzero(np.frombuffer(memory.mask, np.uint8)[at] == 0)
        if empty.size:
            failures.unread(name, rows[:, empty[0]].tolist())
    found: Array = array[at]
    return found


def scatter(
    memory: Memory,
    name: str,
    indices: Sequence[Any],
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int,
    value: Array,
) -> None:
    """Store the lanes of a vector, one after the other, at vectors of indices."""
    array, at, _ = _positions(memory, name, indices, (shape, strides, offset))
    array[at] = value
    if memory.mask is not None:
        np.frombuffer(memory.mask, np.uint8)[at] = 1


RULES.register(Load, _load)
RULES.register(Store, _store)
