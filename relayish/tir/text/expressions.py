"""Reading expressions: what is open stands on a list, so any depth works.

Operators stand in parentheses, ``(a + b)``, so there is no precedence. An open parenthesis, call or
index is a frame, which is given each operand in it and returns its node when it is closed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from relayish.errors import suggest
from relayish.text.literals import STRING, unquote
from relayish.text.source import BLANK
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.lines import SIGNS
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Var
from relayish.tir.text.calls import SPECIAL, finish_call
from relayish.tir.text.forms import range_type
from relayish.tir.text.notes_reader import Word
from relayish.tir.text.numbers import adapt, read_half, read_infinite, read_number, read_truth
from relayish.tir.text.reader import Reader
from relayish.tir.text.spelling import (
    NAME,
    NUMBER,
    REDUCE_NAMES,
    TYPE,
    is_type_name,
    read_name,
    read_type,
)


class Frame:
    """What is open: a parenthesis, a call, an index.

    Attributes:
        resume: ``resume(reader, frame, value)``: takes an operand; returns the node when it is
            closed, else ``None``: the next operand follows.
        start: Where it begins.
        values: The operands so far.
        what: What is known about it otherwise.
    """

    __slots__ = ("resume", "start", "values", "what")

    def __init__(
        self,
        resume: Callable[[Reader, Frame, Any], Any],  # Any: nodes
        start: int,
        what: Any = None,  # Any: as each needs
    ) -> None:
        self.resume = resume
        self.start = start
        self.values: list[Any] = []
        self.what = what


_OPERAND: Final = re.compile(
    rf"{BLANK}(?:(?P<number>{NUMBER})"
    r"|(?P<minus>-\()"
    r"|(?P<paren>\()"
    r"|(?P<not>!)"
    rf"|(?P<string>{STRING})"
    r"|(?P<node>%\d+)"
    r"|cinn::common::raw_uint16_to_(?P<element>b?float16)\((?P<half>0x[0-9a-fA-F]{4})\)"
    rf"|_Buffer_<(?P<buffer>{TYPE}):"
    rf"|pod_value_to_(?P<pod>{TYPE})\("
    rf"|(?P<call>{TYPE})\("
    rf"|(?P<name>{NAME}))"
)
_INFIX: Final = re.compile(rf"{BLANK}(\)|\+|-(?!\()|\*|/|%|==|!=|<=|>=|<|>|-|(?:and|or)(?![\w.:]))")
_KINDS: Final[dict[str, type[ops.BinaryOpNode]]] = {
    sign: kind for kind, sign in SIGNS.items() if kind is not ops.FracOp
}
_REDUCTIONS: Final = {name: kind for kind, name in REDUCE_NAMES.items()}
_REDUCTION: Final = re.compile(rf"{BLANK}(\w+|&&|\|\|){BLANK},")
_LANES: Final = re.compile(rf"{BLANK}(-?\d+){BLANK}\)")


def read_expression(reader: Reader, what: str = "an expression") -> Any:  # Any: a node
    """Read an expression; ``what`` is what an error says was expected."""
    stack: list[Frame] = []
    text = reader.text
    while True:
        value = _operand(reader, stack, what)
        while value is not None:
            if text.startswith("[", reader.pos):
                value = _open_index(reader, stack, value, reader.begin)
                continue
            if not stack:
                return value
            frame = stack[-1]
            value = frame.resume(reader, frame, value)
            if value is not None:
                reader.begin = stack.pop().start
        what = "an operand"


def _operand(reader: Reader, stack: list[Frame], what: str) -> Any:  # Any: a node, or None
    """Read an operand, or open what one begins with, and return ``None``."""
    found = reader.match(_OPERAND)
    if found is None:
        reader.fail(f"expected {what}; {reader.found()}{_operand_advice(reader)}")
    group = found.lastgroup
    assert group is not None
    start = reader.begin = found.start(group)
    reader.pos = found.end()
    if group == "name":
        return _name(reader, found["name"], start)
    if group == "number":
        if found["digits"][-1] in "nf" and found["cast"] is None:
            return read_infinite(reader, found["digits"], start)
        return read_number(reader, found, start)
    if group == "paren":
        if not reader.take(")"):
            stack.append(Frame(_resume_paren, start))
            return None
        return _finish_paren(reader, Frame(_resume_paren, start))
    if group == "call":
        return _open_call(reader, stack, found["call"], start)
    if group == "not":
        stack.append(Frame(_resume_not, start))
        return None
    if group == "minus":
        stack.append(Frame(_resume_minus, start))
        return None
    if group == "string":
        return ops.StringImm(unquote(found["string"]), span=reader.span(start, reader.pos))
    if group == "node":
        return reader.node(found["node"], start)
    if group == "half":
        start = reader.begin = found.start("element") - len("cinn::common::raw_uint16_to_")
        return read_half(reader, found["element"], found["half"], start)
    if group == "pod":
        start = reader.begin = start - len("pod_value_to_")
        return _open_arguments(reader, stack, "pod_value_to_", start, read_type(found["pod"]))
    reader.begin = start - len("_Buffer_<")
    return _open_buffer(reader, stack, reader.begin)


def _operand_advice(reader: Reader) -> str:
    following = reader.text[reader.skip() : reader.pos + 1]
    if following == "-":
        return "; the negative of an expression is written -(x)"
    if following == '"':
        return "; this string is not closed on its line: end it with '\"'"
    if following in ("+", "*", "/", "%", "=", "<", ">"):
        return "; an operator stands between two operands, (a + b)"
    return ""


def _name(reader: Reader, spelt: str, start: int) -> Any:  # Any: a node
    """Return what a name stands for."""
    if spelt in ("true", "false"):
        return read_truth(reader, spelt, start)
    name = read_name(spelt)
    if reader.text.startswith("[", reader.pos):
        found = reader.address(name, start)
    else:
        found = reader.variable(name, start)
    return found


# Parentheses and signs


def _resume_paren(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    frame.values.append(value)
    found = reader.match(_INFIX)
    if found is None:
        reader.fail(f"expected an operator or ')' behind an operand; {reader.found()}")
    sign = found[1]
    reader.pos = found.end()
    if sign == ")":
        return _finish_paren(reader, frame)
    if frame.what is None:
        frame.what = sign
    elif frame.what != sign or sign not in "+*":
        reader.fail(
            f"expected ')' behind the second operand; found {sign!r}: only sums and products have "
            f"more operands than two; put (a {frame.what} b) into parentheses of its own",
            found.start(1),
        )
    return None


def _finish_paren(reader: Reader, frame: Frame) -> Any:  # Any: a node
    values, start = frame.values, frame.start
    kind = "sum" if frame.what in ("+", None) else "product"
    note = reader.note_at(start) if reader.notes else None
    told = None
    if note is not None:
        word = note.pop("kind", None)
        told = word.spelt if isinstance(word, Word) else None
        reader.refuse_rest(note, "an operator", start)
        allowed = {"+": ("sum",), "*": ("product",), "/": ("frac_op",), None: ("sum", "product")}
        if told not in allowed.get(frame.what, ()) or (len(values) < 2 and frame.what is not None):
            reader.fail(f"kind={told} is said of an operator that is none of that kind", start)
    span = reader.span(start, reader.pos)
    if len(values) == 2 and told is None:
        a, b = values
        a, b = adapt(reader, a, b), adapt(reader, b, a)
        return _KINDS[frame.what](a, b, span=span)
    if told == "frac_op":
        return ops.FracOp(*values, span=span)
    if (told or kind) == "sum":
        return ops.Sum(tuple(values), span=span)
    return ops.Product(tuple(values), span=span)


def _resume_not(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    return ops.Not(value, span=reader.span(frame.start, reader.pos))


def _resume_minus(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    reader.expect(")", "behind the operand of -(x)")
    return ops.Minus(value, span=reader.span(frame.start, reader.pos))


# Calls, and what is written like one


def _open_call(reader: Reader, stack: list[Frame], spelt: str, start: int) -> Any:  # Any: as above
    """Open a call, or whatever else begins with a name and a parenthesis."""
    opening = _FORMS.get(spelt)
    if opening is not None:
        return opening(reader, stack, start)
    if spelt[-1] == "*" and _is_operand(reader, spelt.rstrip("*")):
        reader.pos = start + len(spelt.rstrip("*"))  # an operator without blanks
        return _name(reader, spelt.rstrip("*"), start)
    if is_type_name(spelt) and spelt[0] != "#":
        return _open_arguments(reader, stack, "cast", start, read_type(spelt))
    if spelt in SPECIAL:
        return _open_arguments(reader, stack, spelt, start)
    prefix = "cinn_builtin_intrin_"
    if spelt.startswith(prefix):
        return _open_arguments(reader, stack, prefix, start, spelt.removeprefix(prefix))
    return _open_arguments(reader, stack, "call", start, spelt)


def _is_operand(reader: Reader, spelt: str) -> bool:
    name = read_name(spelt)
    return name in reader.scope or reader.known(name) is not None


def _open_arguments(
    reader: Reader,
    stack: list[Frame],
    form: str,
    start: int,
    what: Any = None,  # Any: a type or a name
) -> Any:  # Any: as above
    frame = Frame(_resume_arguments, start, (form, what))
    if reader.take(")"):
        return finish_call(reader, form, what, start, ())
    stack.append(frame)
    return None


def _resume_arguments(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    frame.values.append(value)
    if reader.take(","):
        return None
    reader.expect(")", "or ',' behind an argument")
    form, what = frame.what
    return finish_call(reader, form, what, frame.start, tuple(frame.values))


def _open_select(reader: Reader, stack: list[Frame], start: int) -> None:
    del reader
    stack.append(Frame(_resume_select, start))


def _resume_select(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    values = frame.values
    values.append(value)
    if len(values) < 3:
        reader.expect(",", "in select(condition, a, b)")
        return None
    reader.expect(")", "behind the third operand of select(condition, a, b)")
    condition, yes, no = values
    yes, no = adapt(reader, yes, no), adapt(reader, no, yes)
    return ops.Select(condition, yes, no, span=reader.span(frame.start, reader.pos))


def _open_ramp(reader: Reader, stack: list[Frame], start: int) -> None:
    del reader
    stack.append(Frame(_resume_ramp, start))


def _resume_ramp(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    frame.values.append(value)
    reader.expect(",", "in Ramp(base,stride,lanes)")
    if len(frame.values) < 2:
        return None
    lanes = _lanes(reader, "Ramp(base,stride,lanes)")
    base, stride = frame.values
    return ops.Ramp(base, stride, lanes, span=reader.span(frame.start, reader.pos))


def _open_broadcast(reader: Reader, stack: list[Frame], start: int) -> None:
    del reader
    stack.append(Frame(_resume_broadcast, start))


def _resume_broadcast(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    reader.expect(",", "in Broadcast(value,lanes)")
    lanes = _lanes(reader, "Broadcast(value,lanes)")
    return ops.Broadcast(value, lanes, span=reader.span(frame.start, reader.pos))


def _lanes(reader: Reader, where: str) -> int:
    found = reader.match(_LANES)
    if found is None or len(found[1]) > 9:
        reader.fail(f"expected the number of lanes and ')' in {where}; {reader.found()}")
    reader.pos = found.end()
    return int(found[1])


def _open_reduce(reader: Reader, stack: list[Frame], start: int) -> None:
    found = reader.match(_REDUCTION)
    if found is None or found[1] not in _REDUCTIONS:
        given = found[1] if found is not None else ""
        known = ", ".join(_REDUCTIONS)
        reader.fail(
            f"expected the kind of a reduction, one of {known}; {reader.found()}"
            f"{suggest(given, _REDUCTIONS)}"
        )
    reader.pos = found.end()
    note = reader.note_at(start) if reader.notes else None
    mark, axes = len(reader.hidden), []
    if note is not None:
        words = note.pop("axes", ())
        reader.refuse_rest(note, "a reduction", start)
        for word in words if isinstance(words, tuple) else ():
            if not isinstance(word, Word):
                reader.fail(f"the axes of a reduction are names; found {word!r}", start)
            name = read_name(word.spelt)
            axis = reader.make_variable(name, word.at)
            reader.bind(name, axis)
            axes.append(axis)
    stack.append(Frame(_resume_reduce, start, (_REDUCTIONS[found[1]], mark, tuple(axes))))


def _resume_reduce(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    kind, mark, axes = frame.what
    if not frame.values:
        frame.values.append(value)
        reader.leave(mark)
        reader.expect(",", "in Reduce(kind, body,init)")
        return None
    reader.expect(")", "behind the first value of Reduce(kind, body,init)")
    span = reader.span(frame.start, reader.pos)
    return Reduce(kind, value, frame.values[0], axes, span=span)


# Memory


def _open_index(
    reader: Reader,
    stack: list[Frame],
    address: Any,  # Any: a node
    begin: int,
) -> Any:  # Any: a node, or None
    """Open ``[`` behind what is loaded from, which begins at ``begin``."""
    reader.pos += 1
    note = reader.note_at(begin) if reader.notes else None
    is_named = isinstance(address, Buffer) and not reader.text.startswith("_Buffer_<", begin)
    if is_named or (note is not None and _kind(note) == "buffer_range"):
        return _open_range(reader, stack, address, begin, note or {})
    if note is not None:
        reader.refuse_rest(note, "a load", begin)
    if reader.take("]"):
        return Load(address, (), span=reader.span(begin, reader.pos))
    stack.append(Frame(_resume_index, begin, address))
    return None


def _kind(note: dict[str, object]) -> str:
    word = note.pop("kind", None)
    return word.spelt if isinstance(word, Word) else ""


def _resume_index(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    values = frame.values
    values.append(value)
    if reader.take(","):
        return None
    reader.expect("]", "or ',' behind an index")
    span = reader.span(frame.start, reader.pos)
    return Load(frame.what, tuple(values), span=span)


class _Ranges:
    """A range of a buffer that is being read."""

    __slots__ = ("at", "buffer", "made", "name", "types")

    def __init__(self, buffer: Expr, types: tuple[object, ...]) -> None:
        self.buffer = buffer
        self.types = types
        self.name = ""
        self.at = 0
        self.made: list[Var] = []


def _open_range(
    reader: Reader, stack: list[Frame], buffer: Expr, begin: int, note: dict[str, object]
) -> Any:  # Any: a node, or None
    note.pop("kind", None)
    types = note.pop("dtypes", ())
    reader.refuse_rest(note, "a range of a buffer", begin)
    ranges = _Ranges(buffer, types if isinstance(types, tuple) else ())
    if reader.take("]"):
        return _finish_range(reader, ranges, begin)
    frame = Frame(_resume_range, begin, ranges)
    stack.append(frame)
    _begin_range(reader, ranges)
    return _undefined(reader, frame)


def _begin_range(reader: Reader, ranges: _Ranges) -> None:
    ranges.name, ranges.at = reader.read_name_here("a variable with bounds, such as i(0:16)")
    reader.expect("(", "behind the variable of a range of a buffer, i(0:16)")


_UNDEFINED: Final = re.compile(rf"{BLANK}undefined(?={BLANK}[:)])")


def _undefined(reader: Reader, frame: Frame) -> Any:  # Any: a node, or None
    """Take the bounds that are not defined; return the range if it ends with them."""
    while (found := reader.match(_UNDEFINED)) is not None:
        reader.pos = found.end()
        made = _resume_range(reader, frame, None, again=True)
        if made is not None:
            return made
    return None


def _resume_range(
    reader: Reader,
    frame: Frame,
    value: Any,  # Any: as above
    *,
    again: bool = False,
) -> Any:  # Any: as above
    ranges, values = frame.what, frame.values
    values.append(value)
    if len(values) == 1:
        reader.expect(":", "between the bounds of a range, i(0:16)")
    else:
        reader.expect(")", "behind the bounds of a range, i(0:16)")
        ranges.made.append(_range_variable(reader, ranges, *values))
        values.clear()
        if not reader.take(","):
            reader.expect("]", "or ',' behind a dimension of a range of a buffer")
            return _finish_range(reader, ranges, frame.start)
        _begin_range(reader, ranges)
    return None if again else _undefined(reader, frame)


def _range_variable(reader: Reader, ranges: _Ranges, low: Expr | None, high: Expr | None) -> Var:
    known = reader.known(ranges.name)
    if isinstance(known, Var):
        return known
    place = len(ranges.made)
    told = ranges.types[place] if place < len(ranges.types) else None
    dtype = range_type(low, high) if told is None else reader.type_of(told, ranges.at)
    span = reader.span(ranges.at, reader.pos)
    return Var(ranges.name, dtype, low, high, span=span)


def _finish_range(reader: Reader, ranges: _Ranges, begin: int) -> BufferRange:
    span = reader.span(begin, reader.pos)
    return BufferRange(ranges.buffer, tuple(ranges.made), span=span)


def _open_tensor(reader: Reader, stack: list[Frame], start: int) -> Any:  # Any: as above
    name, at = reader.read_name_here("the name of a tensor, Tensor(A, [16])")
    reader.expect(",", "in Tensor(A, [16])")
    reader.expect("[", "in Tensor(A, [16])")
    frame = Frame(_resume_shape, start, (reader.tensor, name, at, "])"))
    return _open_shape(reader, stack, frame, "]")


def _open_buffer(reader: Reader, stack: list[Frame], start: int) -> Any:  # Any: as above
    frame = Frame(_resume_shape, start, (reader.buffer, None, start, ">("))
    return _open_shape(reader, stack, frame, ">")


def _open_shape(
    reader: Reader, stack: list[Frame], frame: Frame, close: str
) -> Any:  # Any: as above
    if reader.take(close):
        return _finish_shape(reader, frame)
    stack.append(frame)
    return None


def _resume_shape(reader: Reader, frame: Frame, value: Any) -> Any:  # Any: nodes
    frame.values.append(value)
    if reader.take(","):
        return None
    reader.expect(frame.what[3][0], "or ',' behind the size of a dimension")
    return _finish_shape(reader, frame)


def _finish_shape(reader: Reader, frame: Frame) -> Any:  # Any: a tensor or a buffer
    find, name, at, close = frame.what
    reader.expect(close[1], "behind the shape")
    if name is None:
        name, at = reader.read_name_here("the name of a buffer, _Buffer_<cinn_buffer_t*: 16>(_A)")
        reader.expect(")", "behind the name of a buffer")
    return find(name, at, tuple(frame.values))


_FORMS: Final[dict[str, Callable[[Reader, list[Frame], int], Any]]] = {  # Any: as above
    "select": _open_select,
    "Ramp": _open_ramp,
    "Broadcast": _open_broadcast,
    "Reduce": _open_reduce,
    "Tensor": _open_tensor,
}
