"""The grammar of expressions, by operator precedence on an explicit stack.

Calls, parentheses and binary operators nest on a list inside one rule, so a nest of them costs one
small list a level. What has a block (``if``, ``fn``, ``match``, ``{ }``) is a rule of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from relayish._support.trampoline import Rule
from relayish.errors import FieldError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.nodes.node import Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.type import Type
from relayish.ir.values.value import as_value
from relayish.text.literals import NUMBER, read_scalar, unquote
from relayish.text.relay.lexer import AFTER, NONE, STATEMENT
from relayish.text.relay.reader import Reader
from relayish.text.relay.type_parser import type_list
from relayish.text.source import ATTRIBUTE, META, OPERAND, unquote_name
from relayish.text.tables import RESERVED, WORDS, is_reserved
from relayish.text.values_reader import attribute_value, meta

_BINARY: Final = {
    "*": ("relay::multiply", 12),
    "/": ("relay::divide", 12),
    "+": ("relay::add", 10),
    "-": ("relay::subtract", 10),
    "<": ("relay::less", 8),
    "<=": ("relay::less_equal", 8),
    ">": ("relay::greater", 8),
    ">=": ("relay::greater_equal", 8),
    "==": ("relay::equal", 7),
    "!=": ("relay::not_equal", 7),
}
_AFTER_MINUS: Final = re.compile(rf"(?P<more>-*+){NUMBER}")


class _Open:
    """A call or parenthesis whose end is not reached, or an operator that waits for an operand."""

    __slots__ = ("attrs", "callee", "close", "comma", "items", "precedence", "start", "type_args")

    def __init__(self, start: int, callee: object = None, precedence: int = 0) -> None:
        self.start = start
        self.callee = callee
        self.precedence = precedence  # 0 for calls and parentheses
        self.items: list[Node] = []
        self.comma = False
        self.attrs: dict[str, object] | _Whole | None = None
        self.type_args: tuple[Type, ...] = ()


class _Whole:
    """Attributes given as a whole, by ``meta[...]``."""

    __slots__ = ("attrs",)

    def __init__(self, attrs: Attrs | None) -> None:
        self.attrs = attrs


_REFERENCES: Final[dict[str, tuple[type[relay.Expr], int]]] = {
    "ref": (relay.RefCreate, 1),
    "ref_read": (relay.RefRead, 1),
    "ref_write": (relay.RefWrite, 2),
}
_LITERALS: Final[dict[str, bool | None]] = {"True": True, "False": False, NONE: None}
RESERVED.update(
    {"let", "if", "else", "fn", "match", "meta", "free_var", "free_type", "def", "extern"}
    | {*_REFERENCES, *_LITERALS, "_"}
    | {f"{word}f{width}" for word in ("inf", "nan") for width in ("", "16", "32", "64")}
)


def expression(reader: Reader) -> Rule:  # noqa: PLR0915 - the states of one loop
    """An expression."""
    stack: list[_Open] = []
    while True:  # an operand is expected
        found = OPERAND.match(reader.text, reader.pos) or reader.match(OPERAND)
        if found is None:
            reader.fail(f"expected an expression; {reader.found()}")
        kind = found.lastgroup
        assert kind is not None
        start = found.start(kind)
        reader.pos = found.end()
        value: Any  # Any: an expression, or a callee that is none by itself (ref)
        if kind == "local":
            value = reader.local(found["local"], start)
        elif kind == "name":
            word = found["name"]
            rule = WORDS.get(word)
            if rule is not None:
                found = None  # what a rule that waits holds, the collector looks through
                value = yield rule(reader, start)
            elif word in _REFERENCES:
                value = word
            elif word == "meta" and stack and _takes_attrs(reader, start, stack[-1]):
                value = None
            else:
                value = _word(reader, word, start)
        elif kind != "mark":
            value = _LEAVES[kind](reader, found, start, negative=False)
        elif found["mark"] == "{":
            value = yield WORDS["{"](reader, start)
        elif found["mark"] == "(":
            if reader.take(")"):
                value = relay.Tuple((), span=reader.span(start, reader.pos))
            else:
                stack.append(_Open(start))
                if STATEMENT.match(reader.text, reader.pos) is None:
                    continue
                start = reader.skip()
                value = yield WORDS["let"](reader, start)  # or another statement
        else:
            number = _AFTER_MINUS.match(reader.text, reader.pos)
            if number is None:
                stack.append(_Open(start, "-", 20))
                while reader.text.startswith("-", reader.pos):  # all at once, or it is quadratic
                    stack.append(_Open(reader.pos, "-", 20))
                    reader.pos += 1
                continue
            reader.pos = number.end()
            value = _number(reader, number, start, negative=len(number["more"]) % 2 == 0)

        while True:  # a value is complete; see what follows it
            after = reader.match(AFTER)
            if after is not None and value is not None:
                word = after.lastgroup or ""
                if word == "index":
                    value = _project(reader, value, after, start)
                    continue
                if word in ("mark", "types"):
                    reader.pos = after.end()
                    top = _Open(start, value)
                    if after["mark"] != "(":
                        top.type_args = yield type_list(reader, "]")
                        if word == "types":
                            reader.expect("*/", "after the type arguments of a call")
                            if _is_whole(reader, value):
                                value = _close_call(reader, top)
                                continue
                        reader.expect("(", "after the type arguments of a call")
                    if (yield from _read_attrs(reader, top)):
                        value = _close_call(reader, top)
                        continue
                    stack.append(top)
                    break
            if type(value) is str:
                reader.fail(f"expected '(' after {value}; {reader.found()}")
            precedence, binary = 0, ""
            if after is not None and after["binary"] and value is not None:
                binary = after["binary"]
                precedence = _BINARY[binary][1]
            while stack and stack[-1].precedence >= max(precedence, 1):
                value, start = _reduce(reader, stack.pop(), value)
            if after is not None and precedence:
                reader.pos = after.end()
                waiting = _Open(start, binary, precedence)
                waiting.items.append(value)
                stack.append(waiting)
                break
            if not stack:
                return value
            top = stack[-1]
            if value is not None:
                top.items.append(value)
            top.comma = reader.take(",")
            if not top.comma:
                reader.expect(")", "or ',' after an item")
            elif top.callee is not None:
                if not (yield from _read_attrs(reader, top)):
                    break
            elif not reader.take(")"):
                break
            stack.pop()
            start = top.start
            value = _close_call(reader, top) if top.callee is not None else _close(reader, top)


def _read_attrs(reader: Reader, top: _Open) -> Rule:
    """Read the attributes at the position; return whether the call ends behind them."""
    while True:
        if reader.take(")"):
            return True
        found = reader.match(ATTRIBUTE)
        if found is None:
            return False
        name = unquote_name(found[1])
        if top.attrs is None:
            top.attrs = {}
        if isinstance(top.attrs, _Whole) or name in top.attrs:
            reader.fail(f"attribute {name} is given twice", found.start(1))
        reader.pos = found.end()
        top.attrs[name] = yield attribute_value(reader)
        if not reader.take(","):
            reader.expect(")", "or ',' after an attribute")
            return True


def _takes_attrs(reader: Reader, start: int, top: _Open) -> bool:
    """Read ``meta[...]`` if it stands for the attributes of the call ``top``; else stay."""
    here = reader.pos
    if top.callee is None or top.precedence or reader.match(META) is None:
        return False
    made = meta(reader, start)
    if made is not None and not isinstance(made, Attrs):
        reader.pos = here
        return False
    if top.attrs is not None:
        reader.fail("attributes are given twice", start)
    top.attrs = _Whole(made)
    return True


def _project(reader: Reader, value: object, after: re.Match[str], start: int) -> relay.Expr:
    at = after.start("index")
    if isinstance(value, str):
        reader.fail(f"{value} is no value to project from; call it: {value}(...)", at)
    if after.end() - at > 12:  # no tuple is that long
        reader.fail("a projection this far does not exist", at)
    reader.pos = after.end()
    span = reader.span(start, reader.pos)
    return relay.TupleGetItem(reader.expr(value, start), int(after["index"]), span=span)


def _reduce(reader: Reader, top: _Open, value: Any) -> tuple[relay.Expr, int]:  # Any: the operand
    if value is None:
        reader.fail("attributes are no operand; write each as name=value", top.start)
    if reader.is_mixed:
        value = reader.expr(value, top.start)
    if top.callee == "-" and not top.items:
        return _operator(reader, "relay::negative", (value,), top.start), top.start
    name, _ = _BINARY[str(top.callee)]
    left = reader.expr(top.items[0], top.start)
    return _operator(reader, name, (left, value), top.start), top.start


def _operator(reader: Reader, name: str, args: tuple[relay.Expr, ...], start: int) -> relay.Expr:
    callee = reader.callee(name, start)
    attrs = reader.make_attrs(callee, {}, start)
    return relay.Call(callee.expr, args, attrs, span=reader.span(start, reader.pos))


def _close(reader: Reader, top: _Open) -> Node:
    if len(top.items) == 1 and not top.comma:
        return top.items[0]  # parentheses that only group
    return relay.Tuple(_operands(reader, top), span=reader.span(top.start, reader.pos))


def _close_call(reader: Reader, top: _Open) -> relay.Expr:
    span = reader.span(top.start, reader.pos)
    if isinstance(top.callee, str):
        return _close_reference(reader, top, top.callee)
    callee = top.callee
    if not isinstance(callee, relay.Expr):
        callee = reader.expr(callee, top.start)
    attrs: Attrs | None
    if isinstance(top.attrs, _Whole):
        attrs = top.attrs.attrs
    else:
        attrs = reader.make_attrs(reader.callee_of(callee), top.attrs or {}, top.start)
    args: Any = _operands(reader, top) if reader.is_mixed else tuple(top.items)  # Any: as known
    return relay.Call(callee, args, attrs, top.type_args, span=span)


def _operands(reader: Reader, top: _Open) -> tuple[relay.Expr, ...]:
    """Return the items of a call or tuple, which must be expressions of Relay."""
    if reader.is_mixed:
        return tuple([reader.expr(item, top.start) for item in top.items])
    return tuple(top.items)  # type: ignore[arg-type]  # there are no others


def _close_reference(reader: Reader, top: _Open, word: str) -> relay.Expr:
    kind, arity = _REFERENCES[word]
    if len(top.items) != arity or top.attrs is not None:
        reader.fail(f"{word} takes {arity} argument(s); found {len(top.items)}", top.start)
    return kind(*_operands(reader, top), span=reader.span(top.start, reader.pos))


def _word(reader: Reader, word: str, start: int) -> Node:
    if word in _LITERALS and (word != NONE or word not in reader.constructors):
        return relay.Constant(as_value(_LITERALS[word]), span=reader.span(start, reader.pos))
    if word == "meta":
        made = meta(reader, start)
        if isinstance(made, Node):
            return made
        reader.fail(f"expected an expression; the metadata has {type(made).__name__} here", start)
    if is_reserved(word) and word not in _LITERALS:
        reader.fail(f"expected an expression; found the keyword {word!r}", start)
    named = reader.callee(word, start).expr
    if type(named) is Constructor and not named.inputs:
        return _without_fields(reader, named, start)
    return named


def _without_fields(reader: Reader, constructor: Constructor, start: int) -> relay.Expr:
    """``Nil`` is the value ``Nil()``, and ``Nil::`` what builds it."""
    if reader.text.startswith("::", reader.pos):
        reader.pos += 2
        return constructor
    span = reader.span(start, reader.pos)
    after = reader.match(AFTER)
    if after is not None and (after["mark"] or after["types"]):
        return constructor  # its call follows
    return relay.Call(constructor, (), span=span)


def _is_whole(reader: Reader, callee: object) -> bool:
    """Return whether a call with type arguments ends behind them: the value ``Nil``."""
    if type(callee) is not Constructor or callee.inputs:
        return False
    return not reader.text.startswith("(", reader.pos)


def _number(reader: Reader, found: re.Match[str], start: int, *, negative: bool) -> relay.Expr:
    try:
        value = read_scalar(found["digits"], found["suffix"], negative)
        return relay.Constant(value, span=reader.span(start, reader.pos))
    except (ValueError, FieldError) as error:
        reader.fail(str(error), start)


def _string(reader: Reader, found: re.Match[str], start: int, *, negative: bool) -> relay.Expr:
    del negative
    return relay.Constant(unquote(found["string"]), span=reader.span(start, reader.pos))


def _global(reader: Reader, found: re.Match[str], start: int, *, negative: bool) -> relay.Expr:
    del negative
    return reader.global_var(unquote_name(found["globalvar"]), start)


_LEAVES: Final[dict[str, Callable[..., relay.Expr]]] = {
    "number": _number,
    "string": _string,
    "globalvar": _global,
}
