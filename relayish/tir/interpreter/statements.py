"""Statements as lines of Python: loops, branches, blocks, declarations and lifetimes."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

from relayish.errors import EvaluationError, LifetimeError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.tir.interpreter.access import constant
from relayish.tir.interpreter.compiler import (
    LIBRARY,
    RULES,
    Binding,
    Compiler,
    Opened,
    Place,
    each,
    require,
)
from relayish.tir.interpreter.expressions import assign_wrapped
from relayish.tir.interpreter.lanes.formula import UnsuitableError
from relayish.tir.interpreter.lanes.nest import Nest
from relayish.tir.interpreter.numbers import wrap
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.operators import Expr, integer_range
from relayish.tir.ir.tensor import Buffer, Var
from relayish.tir.ir.type import Type

Names = Generator[Node, str, str]

LONG: Final = 200
"""Blocks of more statements become a unit for each of them."""


def count(first: int, extent: int, given: Type) -> Iterator[int]:
    """Return ``extent`` integers of a type from ``first`` on; they wrap around."""
    _, high = integer_range(given)
    if first + extent - 1 <= high:
        return iter(range(first, first + extent))
    return (wrap(value, given) for value in range(first, first + extent))


def _require_loop_type(var: Var, *others: Expr) -> None:
    found = var.dtype
    require(
        found.is_integer and not found.is_bool and found.is_scalar,
        lambda: f"index {var.name} of a loop is of type {found}; expected an integer",
    )
    types = [other.type for other in others]
    require(
        all(other == found for other in types),
        lambda: (
            f"index {var.name} of type {found} of a loop goes by expressions of type "
            f"{' and '.join(map(str, types))}; all must have one type"
        ),
    )


def _for(c: Compiler, loop: stmts.For) -> Names:
    first = yield loop.min
    extent = yield loop.extent
    _require_loop_type(loop.loop_var, loop.min, loop.extent)
    attempt = attempt_in_lockstep(c, loop, first, extent)
    if attempt is None:
        return (yield from _serial(c, loop, first, extent))
    candidates, c.candidates = c.candidates, frozenset()
    with c.indented(f"if not {attempt}:"):
        yield from _serial(c, loop, first, extent)
    c.candidates = candidates
    return "None"


def _serial(c: Compiler, loop: stmts.For, first: str, extent: str) -> Names:
    local = c.unit.name("v")
    with c.indented(head_of(c, loop, local, first, extent), loops=1), c.bound(loop.loop_var, local):
        yield from run_body(c, loop.body)
    return "None"


def attempt_in_lockstep(c: Compiler, loop: stmts.For, first: str, extent: str) -> str | None:
    """Return the text that runs a loop in lockstep if it can, ``None`` if it never can."""
    if loop not in c.candidates:
        return None
    try:
        nest = Nest(loop)
        memories = [c.memory(buffer) for buffer in nest.buffers]
        free = [c.peek_variable(var) for var in nest.free]
    except (UnsuitableError, EvaluationError):
        return None
    given = f"{first}, {extent}, [{', '.join(memories)}], [{', '.join(free)}]"
    return f"{c.unit.capture(nest.attempt)}({given})"


def head_of(c: Compiler, loop: stmts.For, local: str, first: str, extent: str) -> str:
    """Return the line that begins a loop."""
    low, length = constant(loop.min), constant(loop.extent)
    high = integer_range(loop.loop_var.dtype)[1]
    if low is not None and length is not None and low + length - 1 <= high:
        end = c.unit.capture(low + length)
        return f"for {local} in range({f'{first}, ' if low else ''}{end}):"
    dtype = c.unit.capture(loop.loop_var.dtype)
    return f"for {local} in count({first}, {extent}, {dtype}):"


def run_body(c: Compiler, body: Node) -> Names:
    """Compile a statement with a scope of its own."""
    c.memo = {}
    with _block(c):
        yield body
    return "None"


def _poly_for(c: Compiler, loop: stmts.PolyFor) -> Names:
    local = c.unit.name("v")
    first = yield loop.init
    _require_loop_type(loop.iterator, loop.init, loop.inc)
    require(
        loop.condition.type.is_bool and loop.condition.type.is_scalar,
        lambda: f"the condition of a loop is of type {loop.condition.type}; expected bool",
    )
    c.unit.line(f"{local} = {first}")
    with c.indented("while True:", loops=1), c.bound(loop.iterator, local):
        c.memo = {}
        condition = yield loop.condition
        c.unit.line(f"if not {condition}: break")
        yield from run_body(c, loop.body)
        c.memo = {}
        step = yield loop.inc
        c.unit.node = loop
        following = assign_wrapped(c, f"{local} + {step}", loop.iterator.dtype)
        c.unit.line(f"{local} = {following}")
    return "None"


def _if_then_else(c: Compiler, branch: stmts.IfThenElse) -> Names:
    condition = yield branch.condition
    found = branch.condition.type
    require(
        found.is_bool and found.is_scalar,
        lambda: f"the condition of an IfThenElse is of type {found}; expected bool",
    )
    with c.indented(f"if {condition}:"):
        yield from run_body(c, branch.true_case)
    if branch.false_case is not None:
        with c.indented("else:"):
            yield from run_body(c, branch.false_case)
    return "None"


@contextmanager
def _block(c: Compiler) -> Iterator[None]:
    """Open a scope of declarations, and end what lives in it at its end."""
    opened, unit = Opened(c.unit), c.unit
    c.opened.append(opened)
    try:
        yield
    finally:
        c.opened.pop()
        for place in opened.places:
            unit.line(f"{c.memory_at(place)}.release()")
        for var, before in reversed(opened.variables):
            c.unbind(var, before)


def _run_block(c: Compiler, block: stmts.Block) -> Names:
    with _block(c):
        if len(block.stmts) > LONG:
            yield from _run_long_block(c, block)
            return "None"
        for stmt in block.stmts:
            c.memo = {}
            yield stmt
    return "None"


def _run_long_block(c: Compiler, block: stmts.Block) -> Names:
    """Compile each statement to a unit of its own, many of which share their code."""
    functions = []
    yields, height = False, 0
    for stmt in block.stmts:
        with c.new_unit() as unit:
            yield stmt
        functions.append(unit.finish(LIBRARY))
        yields, height = yields or unit.yields, max(height, unit.height)
    units = c.unit.capture(tuple(functions), "u")
    if not yields:
        c.unit.height = max(c.unit.height, height + 1)
        c.unit.line(f"for unit in {units}: unit(r)")
        return "None"
    c.unit.yields = True
    c.unit.line(f"for unit in {units}: yield unit(r)")
    return "None"


def _let(c: Compiler, let: stmts.Let) -> Names:
    symbol = let.symbol
    value = "None"
    if let.body is not None:
        value = yield let.body
        require(
            let.body.type == symbol.dtype,
            lambda: (
                f"{symbol.name} of type {symbol.dtype} is declared with a value of type "
                f"{let.body.type if let.body is not None else ''}"
            ),
        )
    binding = Binding(c.unit, c.unit.name("x"), -1)
    opened = c.opened[-1] if c.opened else None
    is_apart = opened is not None and opened.unit is not c.unit
    if symbol in c.stored or let.body is None or is_apart:
        binding.is_assigned, binding.slot = True, c.new_slot()
        binding.may_be_unset = let.body is None
        c.unit.line(f"{c.slot(binding.slot)} = {value}")
    else:
        c.unit.line(f"{binding.local} = {value}")
        binding.at = c.unit.reserve()
    before = c.bind(symbol, binding)
    if opened is not None:
        opened.variables.append((symbol, before))
    return "None"


def _destination(c: Compiler, node: stmts.Alloc | stmts.Free) -> tuple[Buffer, Place]:
    buffer = node.destination
    require(
        isinstance(buffer, Buffer), lambda: f"{one_line(node)} is of no buffer; expected a Buffer"
    )
    assert isinstance(buffer, Buffer)
    place = c.place_of(buffer)
    if place.is_given:
        raise LifetimeError(
            f"buffer {buffer.name} is given, not allocated here: it is an argument, or a buffer of "
            f"the module; Alloc and Free are for temporaries of the function"
        )
    return buffer, place


def _alloc(c: Compiler, alloc: stmts.Alloc) -> Names:
    buffer, place = _destination(c, alloc)
    condition = None
    if alloc.condition is not None:
        condition = yield alloc.condition
        require(
            alloc.condition.type.is_bool,
            lambda: f"the condition of an Alloc is of type {alloc.condition.type}; expected bool",  # type: ignore[union-attr]
        )
    extents = "None"
    if alloc.extents:
        names = yield from each(alloc.extents)
        extents = f"({', '.join(names)},)"
    sizes = yield from shape_of(buffer)
    c.unit.node = alloc
    memory = c.memory(buffer)
    guard = "" if condition is None else f"if {condition}: "
    c.unit.line(f"{guard}{memory}.allocate({sizes}, {extents})")
    if alloc.body is None:
        if c.opened:
            c.opened[-1].places.append(place)
        return "None"
    yield from run_body(c, alloc.body)
    c.unit.node = alloc
    c.unit.line(f"{guard}{memory}.release()")
    return "None"


def shape_of(buffer: Buffer) -> Names:
    """Compile the shape of a buffer, its strides and its offset, as one argument."""
    made = []
    for sizes in (buffer.shape, buffer.strides):
        names = yield from each(sizes)
        made.append(f"({', '.join(names)}{',' if len(names) == 1 else ''})")
    offset = "0"
    if buffer.elem_offset is not None:
        offset = yield buffer.elem_offset
    return f"({', '.join(made)}, {offset})"


def _free(c: Compiler, free: stmts.Free) -> str:
    buffer, _ = _destination(c, free)
    c.unit.line(f"{c.memory(buffer)}.free()")
    return "None"


def _realize(c: Compiler, realize: stmts.ScheduleBlockRealize) -> Names:
    block = realize.schedule_block
    require(
        len(block.iter_vars) == len(realize.iter_values),
        lambda: (
            f"block {block.name} has {len(block.iter_vars)} variables and is given "
            f"{len(realize.iter_values)} values"
        ),
    )
    names = []
    for var, value in zip(block.iter_vars, realize.iter_values, strict=True):
        made = yield value
        require(
            var.dtype == value.type,
            lambda: f"{var.name} of type {var.dtype} is given a value of type {value.type}",  # noqa: B023 - called at once
        )
        names.append(c.unit.assign(made))
    with c.bound_all(block.iter_vars, names):
        yield from run_body(c, block.body)
    return "None"


def _schedule_block(c: Compiler, block: stmts.ScheduleBlock) -> Names:
    require(
        not block.iter_vars,
        lambda: (
            f"block {block.name} stands without values for its variables; give it some by a "
            f"ScheduleBlockRealize"
        ),
    )
    yield from run_body(c, block.body)
    return "None"


LIBRARY["count"] = count
RULES.register(stmts.For, _for)
RULES.register(stmts.PolyFor, _poly_for)
RULES.register(stmts.IfThenElse, _if_then_else)
RULES.register(stmts.Block, _run_block)
RULES.register(stmts.Let, _let)
RULES.register(stmts.Alloc, _alloc)
RULES.register(stmts.Free, _free)
RULES.register(stmts.ScheduleBlockRealize, _realize)
RULES.register(stmts.ScheduleBlock, _schedule_block)
