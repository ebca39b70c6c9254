"""Functions of the loop IR as functions of C: what they are given, their memory, their status."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Final

from relayish.codegen.c.context import DEEPEST_NEST, Fault, Source, too_deep
from relayish.codegen.c.loops.context import LoopsCtx, Memory
from relayish.codegen.c.loops.signatures import Signature
from relayish.codegen.c.loops.statements import LoopsToC, allocate
from relayish.codegen.c.text import CText
from relayish.codegen.c.types import c_type
from relayish.domain import Visitor, assemble
from relayish.domain.handler import Handler
from relayish.errors import CodegenError, EvaluationError
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.scopes import context_of
from relayish.tir.analysis.regions.filled import is_stored_first
from relayish.tir.analysis.regions.out_of_bounds import find_out_of_bounds
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Alloc, Block, For, Free, IfThenElse, PolyFor
from relayish.tir.ir.tensor import Buffer, Store, Var
from relayish.tir.ir.traversal import STATEMENTS

MOST_STACK = 4096
"""How many bytes a temporary of the function's own stack may have, unless it asks for more."""

MOST_FRAME = 1 << 18
"""How many bytes temporaries of a function's own stack may have together."""

MOST_COUNTED = 1 << 10
"""The same, of one that may be called while it runs."""

STACK = 1 << 22
"""How many bytes functions may take together that call one another: half of what threads have."""

HEAP_FOR_STACK = 512
"""So many bytes elsewhere count as one of the stack: 2 GB in all."""


def write_function(
    source: Source,
    signature: Signature,
    known: Mapping[LoweredFunc, Signature],
    handlers: Sequence[Handler | type[Handler]] = (),
) -> tuple[str, list[str]]:
    """Return the head of a function of C, and the lines of its body.

    Args:
        source: What all functions share.
        signature: What the function is given, which keeps the rules of the loop IR.
        known: The same of each function of the program.
        handlers: What takes the place of the handlers of their domains.

    Raises:
        CodegenError: If C cannot say it.
    """
    ctx, func = LoopsCtx(source), signature.func
    _refuse_deep(func)
    visitor = assemble("c", ctx, *handlers)
    ctx.functions = {name: known[callee] for name, callee in signature.callees.items()}
    ctx.known = context_of(func)
    found = find_out_of_bounds(func)
    ctx.outside = frozenset([(each.access, each.dimension) for each in found])
    params = _parameters(ctx, signature)
    ctx.function = signature.name
    ctx.left = ctx.names.fresh("left") if signature.is_counted else str(STACK)
    handler = _handler_of(visitor)
    moved = {
        each.destination for each in PROGRAM.pre_order(func.body) if isinstance(each, (Alloc, Free))
    }
    scoped = _of_scopes(func) if handler.has_stack else frozenset()
    temps: list[tuple[Buffer, Memory]] = []
    left = room = MOST_COUNTED if signature.is_counted else MOST_FRAME
    for buffer in func.temp_bufs:
        if handler.is_apart(buffer):
            continue
        memory = _of_scope(ctx, buffer, left) if buffer in scoped else None
        memory = memory or _temporary(
            ctx,
            buffer,
            left if handler.has_stack else 0,
            moves=buffer in moved,
            is_full=buffer in signature.full,
        )
        left -= _room(int(memory.size.text)) if memory.is_stack else 0
        temps.append((buffer, memory))
    ctx.memories.update(temps)
    ctx.has_cleanup = any(not memory.is_stack for _, memory in temps)
    apart = ctx.braces("", func) if ctx.has_cleanup else nullcontext()
    with apart:  # in C++ nobody jumps to the end over a declaration
        ctx.is_settling = not _changes_arguments(func)
        for arg in signature.params:
            if isinstance(arg, Var) and arg.dtype.is_integer:
                ctx.check_bounds(arg, f"argument {arg.name}", arg)
            elif isinstance(arg, Buffer):
                ctx.memories[arg].size = handler.count(visitor, arg)
        ctx.is_settling = False
        for buffer, memory in temps:
            if not memory.is_stack and buffer not in moved:
                allocate(ctx, memory, buffer, handler.count(visitor, buffer), buffer)
                memory.may_be_missing = False
        ctx.run(visitor, func.body)
    lines = _without_sizes(ctx.lines, [memory for _, memory in temps])
    ctx.lines = without_unused(lines)
    ctx.lines[:0] = [f"  (void){name};" for name in unused(params, ctx.lines)]
    arrays = [memory for _, memory in temps if memory.is_stack and not memory.is_scoped]
    for line in _only_filled(ctx.lines, arrays):
        ctx.line(line)
    _end(ctx, [memory for _, memory in temps if not memory.is_stack])
    if signature.is_counted:
        params.append(f"int32_t {ctx.left}")
        heap = sum([_bytes_of(buffer) for buffer, memory in temps if not memory.is_stack])
        _count(ctx, func, room - left + heap // HEAP_FOR_STACK)
    return f"int32_t {signature.name}({', '.join(params) or 'void'})", ctx.lines


def _changes_arguments(func: LoweredFunc) -> bool:
    """Return whether a function stores to a scalar that it is given."""
    stores = [each for each in PROGRAM.pre_order(func.body) if isinstance(each, Store)]
    return any(each.tensor in func.args for each in stores)


def without_unused(lines: Sequence[str]) -> list[str]:
    """Return lines without declarations of numbers that nothing behind uses."""
    used: set[str] = set()
    kept = []
    for line in reversed(lines):
        declared = _DECLARATION.fullmatch(line)
        if declared is not None and declared[1] not in used:
            continue
        used.update(_WORD.findall(line))
        if declared is not None:
            used.discard(declared[1])  # of another block, before, it is another one
        kept.append(line)
    return kept[::-1]


_DECLARATION: Final = re.compile(r" *(?:const )?\w+ (\w+) = .*;")


def _without_sizes(lines: Sequence[str], memories: Sequence[Memory]) -> list[str]:
    """Return lines without those that keep sizes of temporaries which nothing asks for."""
    names = {memory.size.text for memory in memories if not memory.size.text.isdigit()}
    if not names:
        return [*lines]
    kept = {each: word for each in lines if (word := _kept_in(each)) in names}
    used = {word for each in lines if each not in kept for word in _WORD.findall(each)}
    used |= {word for each in kept for word in _WORD.findall(each.partition("=")[2])}
    return [each for each in lines if each not in kept or kept[each] in used]


def _kept_in(line: str) -> str:
    """Return what a line assigns to, if that is all that it does."""
    return line.partition(" = ")[0].strip().removeprefix("int64_t ")


def _only_filled(lines: Sequence[str], memories: Sequence[Memory]) -> list[str]:
    """Return what uses arrays that are stored to and never read, of which compilers warn."""
    names = [memory.name for memory in memories]
    read: set[str] = set()
    for line in lines if names else ():
        stored = _STORE.fullmatch(line)
        if stored is not None:
            read.update(_WORD.findall(f"{stored[1]} {stored[2]}"))
        elif not _ARRAY.fullmatch(line):
            read.update(_WORD.findall(line))
    return [f"(void){name};" for name in names if name not in read]


_ARRAY: Final = re.compile(r" *\w+ \w+\[\d+\];")
_STORE: Final = re.compile(r" *\w+\[(.*)\] = (.*)")


def unused(params: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Return the names of parameters that no line uses, of which compilers warn."""
    used = set(_WORD.findall("\n".join(lines)))
    names = [_WORD.findall(each)[-1] for each in params]
    return [each for each in names if each not in used]


_WORD: Final = re.compile(r"\w+")


def _refuse_deep(func: LoweredFunc) -> None:
    """Raise where loops and branches stand too deep in one another for compilers, before all else.

    Raises:
        CodegenError: Naming the first that does.
    """
    pending: list[tuple[Stmt, int]] = [(func.body, 0)]
    while pending:
        stmt, depth = pending.pop()
        depth += isinstance(stmt, (For, PolyFor, IfThenElse))
        if depth > DEEPEST_NEST:
            raise too_deep(stmt)
        pending += [(each, depth) for each in STATEMENTS.children(stmt) if isinstance(each, Stmt)]


def _handler_of(visitor: Visitor[LoopsCtx]) -> LoopsToC:
    found = visitor.handlers["tir"]
    if not isinstance(found, LoopsToC):
        raise CodegenError(
            f"{found!r} writes the loop IR as C; expected a handler that derives from LoopsToC"
        )
    return found


def _parameters(ctx: LoopsCtx, signature: Signature) -> list[str]:
    """Return the parameters of a function, and bind what they stand for."""
    params, masks = [], []
    ctx.pointer = pointer = "*" if signature.is_aliased else "*restrict "
    for arg in signature.params:
        assert isinstance(arg, (Var, Buffer))
        held = c_type(arg.dtype)
        hint = arg.name.removeprefix("_") if isinstance(arg, Buffer) else arg.name
        name = ctx.names.fresh(hint)
        if isinstance(arg, Var):
            if not arg.dtype.is_scalar:
                raise CodegenError(
                    f"argument {arg.name} is a vector of type {arg.dtype}; give it in a buffer"
                )
            params.append(f"{held.value} {name}")
            ctx.bind(arg, CText(name))
            continue
        const = "" if arg in signature.written else "const "
        params.append(f"{const}{held.storage} {pointer}{name}")
        mask = None
        if arg in signature.tracked:
            mask = ctx.names.fresh(f"{hint}_held")
            masks.append(f"{const}uint8_t {pointer}{mask}")
        ctx.memories[arg] = Memory(name, mask, CText("0"), is_given=True)
    return [*params, *masks]


def count_of(buffer: Buffer) -> int | None:
    """Return how many elements a buffer without gaps has; ``None`` where arguments tell."""
    sizes = [constant(size) for size in buffer.shape]
    if buffer.strides or buffer.elem_offset is not None or None in sizes:
        return None
    return math.prod([max(size or 0, 0) for size in sizes])


def stands_on_stack(buffer: Buffer) -> bool:
    """Return whether a temporary is small enough for the stack, or asks for it."""
    count = count_of(buffer)
    is_small = count is not None and count * 8 <= MOST_STACK
    return is_small or buffer.memory_type in (MemoryType.STACK, MemoryType.GPU_LOCAL)


def _room(count: int) -> int:
    """Return how many bytes elements take at most, with the marks of which hold something."""
    return 9 * count


def _temporary(ctx: LoopsCtx, buffer: Buffer, left: int, *, moves: bool, is_full: bool) -> Memory:
    """Declare the memory of a temporary: an array if it is small, else a pointer.

    Args:
        ctx: The context.
        buffer: The temporary.
        left: How many bytes the stack of the function may still have.
        moves: Whether it is allocated and freed by statements.
        is_full: Whether each element is stored to before it is read.
    """
    held = c_type(buffer.dtype)
    hint = buffer.name.removeprefix("_")
    name = ctx.names.fresh(hint)
    mask = None if is_full else ctx.names.fresh(f"{hint}_held")
    count = count_of(buffer) or 0
    memory = Memory(name, mask, CText(str(count)), is_given=False)
    if count and stands_on_stack(buffer) and _room(count) <= left and not moves:
        memory.is_stack = True
        ctx.line(f"{held.storage} {name}[{count}];")
        if mask is not None:
            ctx.line(f"uint8_t {mask}[{count}] = {{0}};")
        return memory
    memory.may_be_missing = moves
    ctx.line(f"{held.storage} *restrict {name} = NULL;")
    if mask is not None:
        ctx.line(f"uint8_t *restrict {mask} = NULL;")
    length = ctx.names.fresh(f"{hint}_size")
    ctx.line(f"int64_t {length} = 0;")
    memory.size = CText(length)
    return memory


def _of_scopes(func: LoweredFunc) -> frozenset[Buffer]:
    """Return the temporaries that are stored to before they are read wherever they are allocated.

    These are allocated once, nothing before or around that uses them, and nothing frees them.
    """
    allocs: dict[Expr, list[tuple[Block, int]]] = {}
    named: Counter[Expr] = Counter()
    for node in PROGRAM.pre_order(func.body):
        if isinstance(node, (Alloc, Free)):
            named[node.destination] += 1
        if isinstance(node, Block):
            for at, stmt in enumerate(node.stmts):
                if isinstance(stmt, Alloc) and stmt.condition is None and stmt.body is None:
                    allocs.setdefault(stmt.destination, []).append((node, at))
    return frozenset(
        [
            buffer
            for buffer in func.temp_bufs
            if named[buffer] == len(allocs.get(buffer, ())) == 1
            and _is_of_scope(func, buffer, *allocs[buffer][0])
        ]
    )


def _is_of_scope(func: LoweredFunc, buffer: Buffer, block: Block, at: int) -> bool:
    """Return whether a buffer that a statement of a block allocates is used after it alone."""
    alloc = block.stmts[at]
    assert isinstance(alloc, Alloc)
    sizes = [constant(each) for each in buffer.shape]
    if alloc.extents and [constant(each) for each in alloc.extents] != sizes:
        return False
    before = PROGRAM.pre_order(func.body, lambda node: node is not block)
    outside = [*before, *PROGRAM.pre_order(list(block.stmts[:at]))]
    if any(each is buffer for each in outside):
        return False
    rest = block.with_fields(stmts=block.stmts[at + 1 :])
    return is_stored_first(rest, buffer, lambda *_: False)


def _of_scope(ctx: LoopsCtx, buffer: Buffer, left: int) -> Memory | None:
    """Return the memory of a temporary that is declared where it is allocated, if it is small."""
    count = count_of(buffer)
    if not count or not stands_on_stack(buffer) or _room(count) > left:
        return None
    name = ctx.names.fresh(buffer.name.removeprefix("_"))
    memory = Memory(name, None, CText(str(count)), is_given=False)
    memory.is_stack = memory.is_scoped = True
    return memory


def _count(ctx: LoopsCtx, func: LoweredFunc, taken: int) -> None:
    """Write the check that there is room on the stack for a call of a function, and take it."""
    cost = taken + _FRAME + _LINE * len(ctx.lines)
    source = ctx.source
    source.faults.append(
        Fault(
            EvaluationError,
            "functions call each other without end, or more often than the stack has room for",
            func,
        )
    )
    ctx.lines[:0] = [
        f"  if ({ctx.left} < {cost}) return {len(source.faults)};",
        f"  {ctx.left} -= {cost};",
    ]


def _bytes_of(buffer: Buffer) -> int:
    return (count_of(buffer) or 0) * buffer.dtype.numpy.itemsize


_FRAME: Final = 256
"""So many bytes of the stack a call takes."""

_LINE: Final = 16
"""So many more for each line: what it names may be kept."""


def _end(ctx: LoopsCtx, heap: Sequence[Memory]) -> None:
    """Write the end of a function, which gives back its memory."""
    if not ctx.has_cleanup:
        ctx.line("return 0;")
        return
    ctx.lines.insert(0, "  int32_t status = 0;")
    if any("goto done" in line for line in ctx.lines):
        ctx.lines.append("done:")
    for memory in heap:
        for name in (memory.name, memory.held):
            if name is not None:
                ctx.line(f"{ctx.source.dialect.memory}free({name});")
    ctx.line("return status;")
