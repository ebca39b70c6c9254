"""Reading statements, functions and modules: rules that nest without Python's stack."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from relayish._support.trampoline import Rule
from relayish.errors import indefinite
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.text.literals import STRING, read_int, unquote
from relayish.text.source import BLANK
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import (
    NO_BIND,
    NO_VECTORIZE,
    ArgumentIO,
    BindInfo,
    DeviceAPI,
    ForType,
    LLVMForLoopMeta,
    UnrollMode,
    VectorizeInfo,
)
from relayish.tir.ir.function import CudaAxisInfo, LoweredFunc, Module
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import (
    Alloc,
    Block,
    For,
    Free,
    IfThenElse,
    Let,
    PolyFor,
    ScheduleBlock,
    ScheduleBlockRealize,
)
from relayish.tir.ir.target import UNKNOWN_TARGET, Target
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor, Var
from relayish.tir.text.attrs import WORDS
from relayish.tir.text.calls import Note, attributes, member
from relayish.tir.text.expressions import read_expression
from relayish.tir.text.numbers import adapt
from relayish.tir.text.reader import Names, Reader
from relayish.tir.text.spelling import KEYWORDS, NAME, TYPE, read_name, read_type

_START: Final = re.compile(
    rf"{BLANK}(?:(?P<open>\{{)"
    r"|(?P<loop>(?:(?:serial|parallel|unroll|default|vectorize\[[^\]\n]*\]"
    r"|thread_bind\[[^\]\n]*\])[ \t]+)?for|(?:parallel[ \t]+)?poly_for)[ \t]*\("
    r"|(?P<branch>if)[ \t]*\("
    rf"|(?P<block>(?:bare[ \t]+)?ScheduleBlock)\((?P<title>{NAME})\)"
    r"|(?P<memory>alloc|free)\("
    rf"|(?P<function>function)[ \t]+(?P<called>{NAME})[ \t]*\("
    rf"|(?P<module>Module)[ \t]+(?P<named>{NAME})[ \t]*\{{"
    rf"|(?P<type>{TYPE})[ \t]+(?P<symbol>{NAME})(?:(?P<value>[ \t]*=(?!=))"
    r"|(?=[ \t]*(?:[\r\n}/]|$))))"
)
_VECTORIZE: Final = re.compile(r"vectorize\[(-?\d{1,9})\]")
_AXIS: Final = re.compile(r"thread_bind\[(blockIdx|threadIdx)\.([xyz])\]")
_BIND: Final = re.compile(
    rf"{BLANK}((?:{NAME}(?:{BLANK},{BLANK}{NAME})*)?{BLANK})={BLANK}axis\.bind\("
)
_BUFFERS: Final = re.compile(rf"{BLANK}(read|write)_buffers\(")
_ATTRS: Final = re.compile(rf"{BLANK}attrs\(")
_ATTR: Final = re.compile(
    rf"{BLANK}({NAME}):(?:({STRING})|(-?\d++)(?=[,)])|(-?[\d.]++(?:[eE][-+]?\d++)?|-?inf|-?nan)(?=[,)])"
    rf"|({WORDS}))"
)
_NAMES: Final = re.compile(NAME)


def anything(reader: Reader) -> Rule:
    """A function, a module, a statement or an expression."""
    made = yield from _simple_or_nested(reader, "a function, a statement or an expression")
    return made


def statement(reader: Reader, where: str) -> Rule:
    """A statement."""
    at = reader.skip()
    made = yield from _simple_or_nested(reader, f"a statement {where}")
    if not isinstance(made, Stmt):
        reader.fail(
            f"expected a statement {where}; found {indefinite(type(made))}, which only has a "
            f"value; store it, A[i] = ..., or leave it out",
            at,
        )
    return made


def _simple_or_nested(reader: Reader, what: str) -> Rule:
    found = reader.match(_START)
    if found is not None:
        group = found.lastgroup
        if group == "value":
            group = "type"
        elif group in ("symbol", "title", "called", "named"):
            group = {"symbol": "type", "title": "block", "called": "function", "named": "module"}[
                group
            ]
        assert group is not None
        start = found.start(group)
        if group == "type":
            if found["type"] not in KEYWORDS:
                reader.pos = found.end()
                return _let(reader, found, start)
        elif group == "memory":
            reader.pos = found.end()
            return _memory(reader, found["memory"], start)
        else:
            reader.pos = found.end()
            return (yield _RULES[group](reader, found, start))
    start = reader.skip()
    value = read_expression(reader, what)
    if isinstance(value, Load) and reader.take("="):
        return _store(reader, value, start)
    return value


def _store(reader: Reader, place: Load, start: int) -> Store:
    value = read_expression(reader, "the value that is stored")
    value = adapt(reader, value, place.tensor)
    span = reader.span(start, reader.pos)
    return Store(place.tensor, value, place.indices, span=span)


def _let(reader: Reader, found: re.Match[str], start: int) -> Let:
    dtype = read_type(found["type"])
    name, at = read_name(found["symbol"]), found.start("symbol")
    end = found.end("symbol")
    here, reader.pos = reader.pos, end
    symbol = reader.make_variable(name, at, dtype)
    reader.pos = here
    value = None
    if found["value"]:
        value = adapt(reader, read_expression(reader, f"the value of {name}"), symbol)
    else:
        reader.pos = end
    reader.bind(name, symbol)
    return Let(symbol, value, span=reader.span(start, reader.pos))


def _memory(reader: Reader, word: str, start: int) -> Alloc | Free:
    note: Note = (reader.note_at(start) if reader.notes else None) or {}
    destination = read_expression(reader, f"a buffer in {word}(...)")
    if word == "free":
        reader.expect(")", "behind the buffer that is freed")
        reader.refuse_rest(note, "a free", start)
        return Free(destination, span=reader.span(start, reader.pos))
    extents: list[Expr] = []
    if reader.take(","):
        where = "or ',' behind the size of a dimension"
        extents = [
            read_expression(reader, "the size of a dimension") for _ in reader.until(")", where)
        ]
    else:
        reader.expect(")", "or ',' behind the buffer that is allocated")
    condition, body = note.pop("condition", None), note.pop("body", None)
    reader.refuse_rest(note, "an alloc", start)
    reader.sizes.setdefault(destination, tuple(extents))
    return Alloc(
        destination,
        tuple(extents),
        None if condition is None else reader.resolve(condition, "a condition", start),
        None if body is None else reader.resolve(body, "a statement", start),
        span=reader.span(start, reader.pos),
    )


def _block(reader: Reader, found: re.Match[str], start: int) -> Rule:
    del found
    mark = len(reader.hidden)
    stmts = []
    while not reader.take("}"):
        if reader.skip() >= reader.limit:
            reader.fail("this block is not closed; end it with '}'", start)
        stmts.append((yield statement(reader, "or '}' in a block")))
    reader.leave(mark)
    return Block(tuple(stmts), span=reader.span(start, reader.pos))


def _branch(reader: Reader, found: re.Match[str], start: int) -> Rule:
    del found
    condition = read_expression(reader, "the condition of an if")
    reader.expect(")", "behind the condition of an if")
    yes = yield _arm(reader, "then")
    no = None
    if reader.word("else"):
        no = yield _arm(reader, "else")
    return IfThenElse(condition, yes, no, span=reader.span(start, reader.pos))


def _arm(reader: Reader, which: str) -> Rule:
    reader.expect("{", f"before the {which} case of an if")
    mark = len(reader.hidden)
    made = yield statement(reader, f"in the {which} case of an if")
    reader.leave(mark)
    if not reader.take("}"):
        reader.fail(
            f"expected '}}' behind the {which} case of an if; {reader.found()}: it is one "
            f"statement; put several into braces of their own"
        )
    return made


# Loops


def _head(reader: Reader, word: str, start: int) -> tuple[ForType, VectorizeInfo, BindInfo]:
    """Return what stands before a loop."""
    kind = _KINDS.get(word.split(maxsplit=1)[0] if " " in word or "\t" in word else "")
    if kind is not None:
        return kind, NO_VECTORIZE, NO_BIND
    if word.startswith("vectorize"):
        found = _VECTORIZE.match(word)
        if found is None:
            reader.fail("expected the number of lanes in vectorize[16]", start)
        return ForType.VECTORIZED, VectorizeInfo(0, int(found[1])), NO_BIND
    if word.startswith("thread_bind[invalid info]"):
        return ForType.GPU_THREAD, NO_VECTORIZE, NO_BIND
    if word.startswith("thread_bind"):
        found = _AXIS.match(word)
        if found is None:
            reader.fail(
                "expected an index of the device in thread_bind[...]: blockIdx or threadIdx, "
                "then .x, .y or .z",
                start,
            )
        kind = ForType.GPU_THREAD if found[1] == "threadIdx" else ForType.GPU_BLOCK
        return kind, NO_VECTORIZE, BindInfo(kind, "xyz".index(found[2]))
    kind = ForType.SERIAL if word == "poly_for" else ForType.GPU_LANE
    return kind, NO_VECTORIZE, NO_BIND


_KINDS: Final = {
    "serial": ForType.SERIAL,
    "parallel": ForType.PARALLEL,
    "unroll": ForType.UNROLLED,
    "default": ForType.DEFAULT,
}


def _loop(reader: Reader, found: re.Match[str], start: int) -> Rule:
    word = found["loop"]
    for_type, lanes, axis = _head(reader, word, start)
    note: Note = (reader.note_at(start) if reader.notes else None) or {}
    name, at = reader.read_name_here("the variable of a loop")
    var = reader.make_variable(name, at)
    is_poly = word.endswith("poly_for")
    form = "poly_for (i, first, condition, step)" if is_poly else "for (i, first, extent)"
    bounds = []
    mark = len(reader.hidden)
    for count in range(3 if is_poly else 2):
        reader.expect(",", f"in {form}")
        if count and is_poly:
            reader.bind(name, var)
        bounds.append(read_expression(reader, f"an operand of {form}"))
    reader.expect(")", f"behind {form}")
    reader.bind(name, var)
    given_type, lanes, axis, api = _loop_note(reader, note, (for_type, lanes, axis), start)
    metadata = None if is_poly else _metadata(reader, note, start)
    reader.refuse_rest(note, "a loop", start)
    body = yield statement(reader, "as the body of a loop")
    reader.leave(mark)
    span = reader.span(start, reader.pos)
    if is_poly:
        first, condition, step = bounds
        shared = (given_type, api, lanes, axis)
        return PolyFor(var, first, condition, step, body, *shared, span=span)
    first, extent = bounds
    return For(var, first, extent, body, given_type, api, lanes, axis, metadata, span=span)


Told = tuple[ForType, VectorizeInfo, BindInfo]


def _loop_note(
    reader: Reader, note: Note, told: Told, start: int
) -> tuple[ForType, VectorizeInfo, BindInfo, DeviceAPI]:
    for_type, lanes, axis = told
    if not note:
        return for_type, lanes, axis, DeviceAPI.UNK
    flags = note.pop("for_type", int(for_type))
    if not isinstance(flags, int) or not 0 <= flags <= int(_ALL_FLAGS):
        reader.fail(f"for_type= is a sum of flags, 0 to {int(_ALL_FLAGS)}; found {flags!r}", start)
    given = note.pop("vectorize_info", None)
    if given is not None:
        lanes = VectorizeInfo(*_numbers(reader, given, 2, "vectorize_info=[level, factor]", start))
    given = note.pop("bind_info", None)
    if given is not None:
        if not isinstance(given, tuple) or len(given) != 3:
            reader.fail(f"expected bind_info=[flags, axis, device]; found {given!r}", start)
        kind, offset = _numbers(reader, given[:2], 2, "bind_info=[flags, axis, device]", start)
        axis = BindInfo(ForType(kind), offset, member(reader, DeviceAPI, given[2], None, start))
    api = member(reader, DeviceAPI, note.pop("device_api", None), DeviceAPI.UNK, start)
    return ForType(flags), lanes, axis, api


_ALL_FLAGS: Final = sum(ForType)


def _numbers(reader: Reader, given: object, count: int, form: str, start: int) -> list[int]:
    if not isinstance(given, tuple) or len(given) != count or {type(n) for n in given} - {int}:
        reader.fail(f"expected {form}; found {given!r}", start)
    return list(given)


def _metadata(reader: Reader, note: Note, start: int) -> LLVMForLoopMeta | None:
    given = note.pop("metadata", None)
    if given is None:
        return None
    if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[1], bool):
        reader.fail(f"expected metadata=[unroll mode, true or false]; found {given!r}", start)
    return LLVMForLoopMeta(member(reader, UnrollMode, given[0], None, start), given[1])


# Schedule blocks


def _schedule_block(reader: Reader, found: re.Match[str], start: int) -> Rule:
    name = read_name(found["title"])
    note: Note = (reader.note_at(start) if reader.notes else None) or {}
    attrs = attributes(reader, note, start)
    reader.refuse_rest(note, "a schedule block", start)
    reader.expect("{", f"behind ScheduleBlock({name})")
    mark = len(reader.hidden)
    iter_vars, values = _binding(reader)
    ranges: dict[str, tuple[BufferRange, ...]] = {}
    while (known := reader.match(_BUFFERS)) is not None:
        word = known[1]
        if word in ranges or (word == "read" and "write" in ranges):
            reader.fail(
                f"{word}_buffers stands here twice, or behind write_buffers; write "
                f"read_buffers(...) and then write_buffers(...), each once",
                known.start(1),
            )
        reader.pos = known.end()
        ranges[word] = _read_ranges(reader, word)
    shown = _read_attrs(reader)
    body = yield statement(reader, "as the body of a schedule block")
    reader.leave(mark)
    if not reader.take("}"):
        reader.fail(
            f"expected '}}' behind the body of ScheduleBlock({name}); {reader.found()}: it is one "
            f"statement; put several into braces of their own"
        )
    span = reader.span(start, reader.pos)
    made = ScheduleBlock(
        iter_vars,
        ranges.get("read", ()),
        ranges.get("write", ()),
        name,
        body,
        shown if attrs is None else attrs,
        span=span,
    )
    if found["block"] != "ScheduleBlock":
        return made
    return ScheduleBlockRealize(values, made, span=span)


def _binding(reader: Reader) -> tuple[tuple[Var, ...], tuple[Expr, ...]]:
    """Read ``i0, i1 = axis.bind(a, b)``, if that is there, and bring the variables into scope."""
    found = reader.match(_BIND)
    if found is None:
        return (), ()
    variables, names = [], []
    for word in _NAMES.finditer(reader.text, found.start(1), found.end(1)):
        name = read_name(word[0])
        reader.pos = word.end()
        variables.append(reader.make_variable(name, word.start()))
        names.append(name)
    reader.pos = found.end()
    value = "a value in axis.bind(...)"
    values = [read_expression(reader, value) for _ in reader.until(")", f"or ',' behind {value}")]
    for name, var in zip(names, variables, strict=True):
        reader.bind(name, var)
    return tuple(variables), tuple(values)


def _read_ranges(reader: Reader, word: str) -> tuple[BufferRange, ...]:
    ranges = []
    for _ in reader.until(")", f"or ',' in {word}_buffers(...)"):
        at = reader.skip()
        made = read_expression(reader, f"a range such as _A[i(0:16)] in {word}_buffers(...)")
        if not isinstance(made, BufferRange):
            reader.fail(
                f"expected a range of a buffer in {word}_buffers(...), such as _A[i(0:16)]; found "
                f"{indefinite(type(made))}; names of buffers begin with _, unless the section "
                f"declares them",
                at,
            )
        ranges.append(made)
    return tuple(ranges)


def _read_attrs(reader: Reader) -> DictAttrs | None:
    found = reader.match(_ATTRS)
    if found is None:
        return None
    reader.pos = found.end()
    values: dict[str, object] = {}
    for _ in reader.until(")", "or ',' behind an attribute"):
        item = reader.match(_ATTR)
        if item is None:
            reader.fail(
                f'expected an attribute such as key:1, key:a_name or key:"text"; {reader.found()}'
            )
        reader.pos = item.end()
        name, text, integer, number, words = item.groups()
        if name in values:
            reader.fail(f"attribute {name} is given twice; leave one out", item.start(1))
        try:
            values[read_name(name)] = (
                unquote(text)
                if text is not None
                else read_int(integer)
                if integer is not None
                else float(number)
                if number is not None
                else words
            )
        except ValueError as error:
            reader.fail(str(error), item.start(1))
    return DictAttrs(values)


# Functions, modules


def _function(reader: Reader, found: re.Match[str], start: int) -> Rule:
    name = read_name(found["called"])
    outer, was_strict = reader.names, reader.is_strict
    reader.is_strict = True
    here = reader.pos
    yield from enter_function(reader, name, start)
    reader.pos = here
    mark = len(reader.hidden)
    where = "or ',' behind an argument of a function"
    args = [_parameter(reader) for _ in reader.until(")", where)]
    body = yield statement(reader, "as the body of a function")
    note: Note = (reader.note_at(start) if reader.notes else None) or {}
    bufs = reader.resolve_all(note.pop("temp_bufs", ()), "buffers", start)
    given = note.pop("args_io", ())
    if not isinstance(given, tuple):
        reader.fail(f"args_io= is a list of input and output; found {given!r}", start)
    made = LoweredFunc(
        name,
        tuple(args),
        body,
        bufs,
        tuple([member(reader, ArgumentIO, item, None, start) for item in given]),
        member(reader, DeviceAPI, note.pop("device_api", None), DeviceAPI.UNK, start),
        _axis_info(reader, note, start),
        attributes(reader, note, start),
        span=reader.span(start, reader.pos),
    )
    reader.refuse_rest(note, "a function", start)
    reader.leave(mark)
    reader.names, reader.is_strict = outer, was_strict
    return made


def enter_function(reader: Reader, name: str, start: int) -> Rule:
    """Let names be those of a function, of which the section may speak."""
    line, column = reader.locate(start)
    for key in (f"{name} at {line}:{column}", name):
        if key in reader.groups:
            first, end = reader.groups.pop(key)
            reader.names = Names(start)
            yield from reader.read_names(reader, first, end)
            return
    if reader.is_module:
        reader.names = Names(start)


def _parameter(reader: Reader) -> Any:  # Any: a variable or a buffer
    name, at = reader.read_name_here("an argument of a function, a variable or a buffer")
    known = reader.known(name)
    if isinstance(known, Tensor):
        reader.fail(
            f"{name} is a tensor; a function is given buffers, such as _{name}, and variables", at
        )
    if isinstance(known, Buffer) or (known is None and name[:1] == "_"):
        return reader.buffer(name, at)
    var = reader.make_variable(name, at)
    reader.bind(name, var)
    return var


def _axis_info(reader: Reader, note: Note, start: int) -> CudaAxisInfo | None:
    given = note.pop("cuda_axis_info", None)
    if given is None:
        return None
    form = "cuda_axis_info=[[x, y, z], [x, y, z]]"
    if not isinstance(given, tuple) or len(given) != 2:
        reader.fail(f"expected {form}; found {given!r}", start)
    grid, block = (_numbers(reader, sizes, 3, form, start) for sizes in given)
    return CudaAxisInfo((grid[0], grid[1], grid[2]), (block[0], block[1], block[2]))


def _module(reader: Reader, found: re.Match[str], start: int) -> Rule:
    was_module, reader.is_module = reader.is_module, True
    note: Note = (reader.note_at(start) if reader.notes else None) or {}
    functions = []
    while not reader.take("}"):
        item = reader.match(_START)
        if item is None or item["function"] is None:
            reader.fail(f"expected a function, or '}}', in a module; {reader.found()}")
        reader.pos = item.end()
        functions.append((yield _function(reader, item, item.start("function"))))
    target = note.pop("target", UNKNOWN_TARGET)
    if not isinstance(target, Target):
        reader.fail(f"expected target=Target<linux,x86,64>; found {target!r}", start)
    made = Module(
        read_name(found["named"]),
        target,
        reader.resolve_all(note.pop("buffers", ()), "buffers", start),
        tuple(functions),
        reader.resolve_all(note.pop("submodules", ()), "modules", start),
        span=reader.span(start, reader.pos),
    )
    reader.refuse_rest(note, "a module", start)
    reader.is_module = was_module
    return made


_RULES: Final[dict[str, Callable[[Reader, re.Match[str], int], Rule]]] = {
    "open": _block,
    "loop": _loop,
    "branch": _branch,
    "block": _schedule_block,
    "function": _function,
    "module": _module,
}
