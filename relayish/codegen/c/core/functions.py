"""Functions of core as C: their heads, where their symbols are, and what ends them."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.codegen.c.context import DEEPEST_NEST, too_deep
from relayish.codegen.c.core.context import CoreCtx, Part, Place
from relayish.codegen.c.core.declarations import base_of, value_type
from relayish.codegen.c.core.facts import Facts
from relayish.codegen.c.core.program import Program
from relayish.codegen.c.core.symbols import Symbols, symbols_of
from relayish.codegen.c.text import CText
from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Expr, Symbol
from relayish.core.ir.memory import type_of
from relayish.core.ir.stmt import Block
from relayish.domain import assemble
from relayish.domain.handler import Handler
from relayish.errors import EndlessRecursionError, EvaluationError, LifetimeError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM

MOST_STACK = 4096
"""How many bytes a variable of the function's own stack may have."""

MOST_FRAME = 1 << 18
"""How many bytes such variables of a function may have together, with their marks."""


def _head(program: Program, name: str, func: FuncEntry, names: Sequence[str]) -> str:
    params = ["struct program *self"]
    params += [f"{value_type(f.type)} {n}" for f, n in zip(func.formals, names, strict=True)]
    if func.result.is_scalar:
        params.append(f"{value_type(func.result)} *result")
    elif not func.result.is_void:
        params += ["uint8_t *result", "uint8_t *result_held"]
    return f"int32_t {program.names[name]}({', '.join(params)})"


def write_function(
    program: Program,
    name: str,
    *,
    keeps_whole: bool,
    recurs: bool,
    handlers: Sequence[Handler | type[Handler]] = (),
) -> tuple[str, list[str]]:
    """Return the head of a function of C, and the lines of its body.

    Args:
        program: What all functions share.
        name: The name of the function.
        keeps_whole: As of :func:`symbols_of`.
        recurs: Whether it may be called while it runs.
        handlers: What takes the place of the handlers of their domains.

    Raises:
        CodegenError: If C cannot say it.
    """
    func: FuncEntry = program.definitions[name]
    _refuse_deep(func)
    ctx = CoreCtx(program)
    visitor = assemble("c", ctx, *handlers)
    ctx.facts = Facts(func)
    symbols = symbols_of(func, keeps_whole=keeps_whole)
    places: dict[Symbol, Place] = {}
    left = MOST_FRAME
    for symbol in _symbols(func):
        place = places[symbol] = _place(ctx, symbol, symbols, left)
        left -= 0 if place.is_heap else 2 * ctx.size_of(place.type)
    ctx.places.update(places)
    large = [place for place in places.values() if place.is_heap]
    entered = [places[each] for each in symbols.addressed if each in symbols.exposed]
    ctx.has_cleanup = bool(large or entered or recurs)
    params = [_parameter(ctx, places[each]) for each in func.formals]
    for symbol, place in places.items():
        _declare(ctx, place, symbol in func.formals, symbol in symbols.read)
    if recurs:
        ctx.fail_if(
            f"{ctx.helper('is_too_deep', 'piece')}(&self->machine)",
            EndlessRecursionError,
            f"function {name} is called within too many calls; expected fewer: is there one that "
            f"ends?",
            func,
        )
    _check_memory(ctx, large, func)
    for formal, param in zip(func.formals, params, strict=True):
        _take(ctx, places[formal], param)
    for symbol in symbols.addressed:
        _enter(ctx, places[symbol], func)
    ctx.run(visitor, func.body)
    _end(ctx, large, entered, recurs=recurs)
    return _head(program, name, func, params), ctx.lines


def _symbols(func: FuncEntry) -> list[Symbol]:
    return [*func.formals, *func.locals, *func.pregs]


def _refuse_deep(func: FuncEntry) -> None:
    """Raise where blocks stand too deep in one another for compilers, before all else."""
    deepest: dict[Node, int] = {}
    pending: list[tuple[Node, int]] = [(func.body, 0)]
    while pending:
        node, depth = pending.pop()
        depth += isinstance(node, Block)
        if depth > DEEPEST_NEST:
            raise too_deep(node)
        if isinstance(node, Expr) or deepest.get(node, 0) >= depth:
            continue
        deepest[node] = depth
        pending += [(each, depth) for each in PROGRAM.children(node)]


def _place(ctx: CoreCtx, symbol: Symbol, symbols: Symbols, left: int) -> Place:
    """Return where a symbol is, where the stack of the function has room for so many bytes."""
    held = type_of(symbol)
    hint = getattr(symbol, "name", "") or "r"
    name = ctx.names.fresh(hint)
    if symbol not in symbols.in_memory:
        assert ctx.facts is not None
        flag = ctx.names.fresh(f"{hint}_is_set") if symbol in ctx.facts.doubtful else None
        return Place(name, held, is_memory=False, flag=flag)
    marks = None if symbol in symbols.whole else ctx.names.fresh(f"{hint}_held")
    address = ctx.names.fresh(f"{hint}_address") if symbol in symbols.exposed else None
    size = ctx.size_of(held)
    is_heap = not held.is_scalar and (size > MOST_STACK or 2 * size > left)
    name = f"(*{name})" if is_heap and not held.is_array else name
    return Place(name, held, is_memory=True, held=marks, address=address, is_heap=is_heap)


def _is_parameter(ctx: CoreCtx, place: Place) -> bool:
    """Return whether a formal is the parameter of C itself, which memory holds as variables do."""
    types = ctx.program.types
    held = place.type
    return held.is_scalar and (not place.is_memory or types.memory_type(held) == value_type(held))


def _parameter(ctx: CoreCtx, place: Place) -> str:
    """Return what a parameter is called."""
    return place.name if _is_parameter(ctx, place) else ctx.names.fresh("given")


def _declare(ctx: CoreCtx, place: Place, is_formal: bool, is_read: bool) -> None:
    """Write the declaration of a symbol, and of what is noted of it; memory begins as zeros."""
    types, size = ctx.program.types, ctx.size_of(place.type)
    if place.is_heap:
        base, _ = base_of(place.type)
        name = place.name.removeprefix("(*").removesuffix(")")
        ctx.line(f"{types.memory_type(base)} *const {name} = calloc({size}, 1);")
        if place.held is not None:
            ctx.line(f"uint8_t *const {place.held} = calloc({size}, 1);")
    elif not (is_formal and _is_parameter(ctx, place)):
        is_plain = place.type.is_scalar
        declared = types.declare(place.type, place.name)
        if not place.is_memory:
            declared = f"{value_type(place.type)} {place.name}"
        ctx.line(f"{declared} = {'0' if is_plain else '{0}'};")
    if place.held is not None and not place.is_heap:
        ctx.line(f"uint8_t {place.held}[{size}] = {{0}};")
    if place.flag is not None:
        ctx.line(f"bool {place.flag} = false;")
    if place.address is not None:
        ctx.line(f"uint64_t {place.address} = 0;")
    if not is_read:
        ctx.line(f"(void){place.name};")


def _check_memory(ctx: CoreCtx, large: Sequence[Place], func: FuncEntry) -> None:
    for place in large:
        name = place.name.removeprefix("(*").removesuffix(")")
        tests = [f"!{each}" for each in (name, place.held) if each is not None]
        ctx.fail_if(" || ".join(tests), LifetimeError, f"there is no memory for {name}", func)


def _take(ctx: CoreCtx, place: Place, param: str) -> None:
    """Write that a formal takes what is given."""
    if not _is_parameter(ctx, place):
        name = place.name if place.type.is_scalar else None
        ctx.store_part(Part(place, place.type, name=name), CText(param))
    elif place.held is not None:
        ctx.line(f"memset({place.held}, 1, {ctx.size_of(place.type)});")


def _enter(ctx: CoreCtx, place: Place, func: FuncEntry) -> None:
    """Write that memory has an address; where nobody learns it, its number is that of nothing."""
    if place.address is None:
        ctx.line("++self->machine.last;")
        return
    enter = ctx.helper("enter", "piece")
    given = f"{place.data()}, {place.marks()}, {ctx.size_of(place.type)}, VARIABLE_PIECE"
    ctx.line(f"{place.address} = {enter}(&self->machine, {given});")
    ctx.fail_if(f"!{place.address}", EvaluationError, "there are no more addresses", func)


def _end(ctx: CoreCtx, large: Sequence[Place], entered: Sequence[Place], *, recurs: bool) -> None:
    """Write the end of a function, which gives back memory, and what is noted before all else."""
    text = "\n".join(ctx.lines)
    if ctx.has_cleanup:
        if "goto done" in text:
            ctx.lines.append("done:")
        for place in entered:
            ctx.line(f"{ctx.helper('leave', 'piece')}(&self->machine, {place.address});")
        for place in large:
            for name in (place.name.removeprefix("(*").removesuffix(")"), place.held):
                if name is not None:
                    ctx.line(f"free({name});")
        if recurs:
            ctx.line("--self->machine.depth;")
        ctx.lines.insert(0, "  int32_t status = 0;")
        ctx.line("return status;")
    elif not text.endswith("\n  return 0;"):
        ctx.line("return 0;")
    if "failed = " in text:
        ctx.lines.insert(0, "  int32_t failed;")
    if not any("self" in line for line in ctx.lines):
        ctx.lines.insert(0, "  (void)self;")
