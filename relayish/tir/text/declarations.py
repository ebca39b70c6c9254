"""Reading the section of details: its lines, and what they say of names."""

from __future__ import annotations

import re
from typing import Any, Final

from relayish._support.trampoline import Rule
from relayish.text.source import BLANK
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.operators import IntImm
from relayish.tir.ir.target import UNKNOWN_TARGET, Target
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.type import Type
from relayish.tir.text.calls import member
from relayish.tir.text.expressions import read_expression
from relayish.tir.text.names import VarClass
from relayish.tir.text.notes_reader import Word, read_key, read_value
from relayish.tir.text.operations import OPERATION, operation
from relayish.tir.text.reader import Reader
from relayish.tir.text.section import default_buffer
from relayish.tir.text.spelling import NAME, TYPE, read_name, read_type, spell_name
from relayish.tir.text.statements import anything

SECTION: Final = re.compile(r"^#\[details\][ \t\r]*$", re.MULTILINE)
_ENTRY: Final = re.compile(r"^(?=[^\s/])", re.MULTILINE)
_PLACE: Final = re.compile(r"(\d{1,9}):(\d{1,9}):[ \t]*")
_GROUP: Final = re.compile(
    rf"function[ ]+({NAME})(?:[ ]+at[ ]+(\d+):(\d+))?:[ \t\r]*$", re.MULTILINE
)
_LINE: Final = re.compile(
    rf"{BLANK}(?:(?P<word>tensor|buffer|var|each)[ ]+(?P<name>{NAME}):"
    rf"[ ]*(?P<type>{TYPE})(?P<shape>\[)?"
    r"|(?P<node>%\d+)[ ]*=)"
)
_BOUNDS: Final = re.compile(rf"{BLANK}in{BLANK}\[")
_UNDEFINED: Final = re.compile(rf"{BLANK}undefined(?=[,) ])")


def open_section(reader: Reader) -> tuple[int, int]:
    """Take note of what the section says of places, and of the names of each function.

    Returns:
        Where the lines stand that speak of names of all functions, and where these end.
    """
    found = SECTION.search(reader.text, reader.end)
    if found is None:
        return reader.end, reader.end
    entries = [entry.start() for entry in _ENTRY.finditer(reader.text, found.end())]
    first, at = found.end(), (*entries, len(reader.text))[0]  # what is indented before is read too
    ends = [*entries[1:], len(reader.text)][: len(entries)]
    key, common = "", None
    for entry, end in zip(entries, ends, strict=True):
        place = _PLACE.match(reader.text, entry)
        group = _GROUP.match(reader.text, entry)
        if place is None and group is None:
            at = end
            continue
        if key:
            reader.groups[key] = (first, at)
        elif common is None:
            common = (first, at)
        key = ""
        first, at = end if group is None else group.end(), end
        if place is not None:
            offset = _offset(reader, int(place[1]), int(place[2]), entry)
            if offset in reader.notes:
                reader.fail(f"the section speaks of {place[1]}:{place[2]} twice; join them", entry)
            reader.notes[offset] = place.end()
        elif group is not None:
            key = read_name(group[1])
            if group[2]:
                key = f"{key} at {group[2]}:{group[3]}"
            if key in reader.groups:
                reader.fail(f"the section speaks of function {key} twice; join them", entry)
    if key:
        reader.groups[key] = (first, at)
    return (first, at) if common is None else common


def _offset(reader: Reader, line: int, column: int, entry: int) -> int:
    starts = reader.starts
    if not 1 <= line < len(starts):
        reader.fail(f"the section speaks of line {line}; there are {len(starts) - 1}", entry)
    offset = starts[line - 1] + column - 1
    if offset >= entry:
        reader.fail(f"the section speaks of {line}:{column}, which does not stand before it", entry)
    return offset


def names(reader: Reader, first: int, end: int) -> Rule:
    """Lines about names, up to ``end``."""
    reader.pos = first
    before, reader.limit = reader.limit, len(reader.text)
    while reader.skip() < end:
        found = reader.match(_LINE)
        if found is None:
            reader.fail(
                f"expected a line of the section: 'tensor A: float32[16]', 'buffer _A: "
                f"float32[16]', 'var n: int64', 'each i: int64', '%0 = ...' or '3:5: key=value'; "
                f"{reader.found()}"
            )
        start = found.start(found.lastgroup or 0)
        reader.pos = found.end()
        if found["node"] is not None:
            yield from _node(reader, found["node"], start)
            continue
        name = read_name(found["name"])
        at = found.start("name")
        dtype = read_type(found["type"])
        word = found["word"]
        if word in ("tensor", "buffer") and found["shape"] is None:
            reader.fail(f"expected the shape of {word} {name}, '{dtype}[16]'; {reader.found()}")
        if found["shape"] is not None and word in ("var", "each"):
            reader.fail(
                f"{word} {name} is a scalar and has no shape; leave it out", found.end() - 1
            )
        if word != "each" and name in reader.names.known:
            reader.fail(f"{name} is declared twice; leave one out", at)
        _WORDS[word](reader, name, dtype, at)
        _expect_end(reader)
    reader.limit = before


def _expect_end(reader: Reader) -> None:
    at = reader.skip()
    if at < len(reader.text) and reader.text[at - 1] != "\n":
        reader.fail(f"expected ',' or the end of the line; {reader.found()}")


def _node(reader: Reader, spelt: str, start: int) -> Rule:
    if spelt in reader.nodes:
        reader.fail(f"{spelt} is defined twice; number them anew", start)
    mark = len(reader.hidden)
    if reader.match(OPERATION) is not None:
        reader.nodes[spelt] = operation(reader)
    else:
        reader.nodes[spelt] = yield anything(reader)
    reader.leave(mark)
    _expect_end(reader)


def _expressions(reader: Reader, close: str, what: str) -> tuple[Any, ...]:  # Any: nodes
    where = f"or ',' behind {what}"
    return tuple([read_expression(reader, what) for _ in reader.until(close, where)])


_LISTS: Final = ("strides", "axis", "reduce_axis", "domain", "new_indices")
_OPERANDS: Final = ("elem_offset", "operation")


def _fields(reader: Reader) -> dict[str, Any]:  # Any: whatever the fields hold
    """Read ``, key=value`` up to the end of the line."""
    fields: dict[str, Any] = {}
    while reader.take(","):
        if reader.word("inline"):
            fields["inline"] = True
            continue
        key, at = read_key(reader)
        if key in fields:
            reader.fail(f"{key} is given twice; leave one out", at)
        if key in _LISTS:
            reader.expect("[", f"behind {key}=")
            fields[key] = _expressions(reader, "]", f"an item of {key}")
        elif key == "buffer":
            fields[key] = _buffer_word(reader)
        elif key in _OPERANDS:
            fields[key] = read_expression(reader, f"the {key}")
        else:
            fields[key] = read_value(reader)
    return fields


def _buffer_word(reader: Reader) -> object:
    """Read the buffer of a tensor, of which the tensor may be the first to speak."""
    word = read_value(reader)
    if isinstance(word, Word) and word.spelt[0] != "%":
        return word
    return reader.resolve(word, "a buffer", reader.pos)


def _tensor(reader: Reader, name: str, dtype: Type, at: int) -> None:
    shape = _expressions(reader, "]", "the size of a dimension")
    fields = _fields(reader)
    is_inline = fields.pop("inline", False)
    buffer = fields.pop("buffer", None)
    called = fields.pop("name", name)
    if buffer is None and not is_inline:
        buffer = Word(default_buffer(spell_name(name)), at)
    if isinstance(buffer, Word):
        other = read_name(buffer.spelt)
        buffer = reader.known(other)
        if buffer is None:
            buffer = Buffer(other, shape, dtype, span=reader.span(at, reader.pos))
            reader.names.known[other] = buffer
    _refuse_unknown(reader, Tensor, fields, "tensor", at)
    made = Tensor(called, shape, dtype, buffer, **fields)
    reader.names.known[name] = made


def _buffer(reader: Reader, name: str, dtype: Type, at: int) -> None:
    shape = _expressions(reader, "]", "the size of a dimension")
    fields = _fields(reader)
    called = fields.pop("name", name)
    _refuse_unknown(reader, Buffer, fields, "buffer", at)
    if not isinstance(fields.get("target", UNKNOWN_TARGET), Target):
        reader.fail("expected target=Target<linux,x86,64>", at)
    if "memory_type" in fields:
        word = fields["memory_type"]
        fields["memory_type"] = member(reader, MemoryType, word, MemoryType.HEAP, at)
    reader.names.known[name] = Buffer(called, shape, dtype, **fields)


def _refuse_unknown(reader: Reader, kind: Any, fields: dict[str, Any], what: str, at: int) -> None:
    known = [f.name for f in kind.fields_ if f.name not in ("shape", "dtype", "span", "type")]
    for key in fields:
        if key not in known:
            reader.unknown(f"detail of a {what}:", key, known, at)


def _bounds(reader: Reader) -> tuple[Any, Any]:  # Any: expressions, or None
    found = reader.match(_BOUNDS)
    if found is None:
        return None, None
    reader.pos = found.end()
    bounds = []
    for mark in (",", ")"):
        undefined = reader.match(_UNDEFINED)
        if undefined is None:
            bounds.append(read_expression(reader, "a bound"))
        else:
            reader.pos = undefined.end()
            bounds.append(None)
        reader.expect(mark, "in the bounds of a variable, [0, 16)")
    return bounds[0], bounds[1]


def _var(reader: Reader, name: str, dtype: Type, at: int) -> None:
    low, high = _bounds(reader)
    fields = _fields(reader)
    called = fields.pop("name", name)
    is_reduce_axis, tag = fields.pop("is_reduce_axis", False), fields.pop("tag", "")
    _refuse_unknown(reader, _NoFields, fields, "variable", at)
    span = reader.span(at, reader.pos)
    made = Var(called, dtype, low, high, is_reduce_axis, tag, span=span)
    reader.names.known[name] = made


class _NoFields:
    fields_ = ()


def _each(reader: Reader, name: str, dtype: Type, at: int) -> None:
    low, high = _bounds(reader)
    fields = _fields(reader)
    is_reduce_axis, tag = fields.pop("is_reduce_axis", False), fields.pop("tag", "")
    _refuse_unknown(reader, _NoFields, fields, "variable", at)
    for bound in (low, high):
        if bound is not None and not isinstance(bound, IntImm):
            reader.fail(f"the bounds of each {name} are numbers; declare others as 'var'", at)
    reader.names.classes[name] = VarClass(dtype, low, high, is_reduce_axis, tag)


_WORDS: Final = {"tensor": _tensor, "buffer": _buffer, "var": _var, "each": _each}
