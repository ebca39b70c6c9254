"""The grammar of patterns: ``_``, ``%x``, ``(p, p)``, ``Cons(p, p)``, ``Nil``."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.adt import (
    Constructor,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.text.node_reader import node_form
from relayish.text.relay.lexer import TYPE
from relayish.text.relay.reader import Reader
from relayish.text.relay.type_parser import simple_type, type_
from relayish.text.rules import Rule
from relayish.text.source import plain_name
from relayish.text.tables import NODE, Read
from relayish.text.values_reader import meta


def pattern(reader: Reader) -> Rule:
    """A pattern; the variables it binds come into scope."""
    at = reader.skip()
    if reader.text.startswith("%", at):
        return (yield _variable(reader))
    found = reader.match(TYPE)
    if found is None:
        reader.fail(f"expected a pattern: _, %x, (p, p) or a constructor; {reader.found()}")
    reader.pos = found.end()
    if found["label"]:
        return (yield _labelled(reader, found["label"], found["defined"] is not None, at))
    if found["mark"]:
        fields, comma = yield _items(reader)
        if len(fields) == 1 and not comma:
            return fields[0]
        return PatternTuple(fields, span=reader.span(at, reader.pos))
    word = found["name"]
    rule = PATTERN_WORDS.get(word)
    if rule is not None:
        made = yield rule(reader, at)
        if isinstance(made, Pattern):
            return made
        reader.fail(f"expected a pattern; found {type(made).__name__}", at)
    if word == "_":
        return PatternWildcard(span=reader.span(at, reader.pos))
    return (yield _constructor(reader, word, at))


def _variable(reader: Reader) -> Rule:
    binder = reader.binder("in a pattern")
    annotation = None
    if reader.take(":"):
        annotation = simple_type(reader) or (yield type_(reader))
    var = reader.make_var(binder, annotation)
    reader.bind(binder.key, var)
    return PatternVar(var, span=reader.span(binder.at, reader.pos))


def _labelled(reader: Reader, label: str, defined: bool, at: int) -> Rule:
    if defined:
        made = yield pattern(reader)
        reader.pattern_labels[label] = made
        return made
    known = reader.pattern_labels.get(label)
    if known is None:
        reader.fail(f"pattern #{label} is used before #{label}=... defines it", at)
    return known


def _items(reader: Reader) -> Rule:
    items: list[Pattern] = []
    comma = False
    while not reader.take(")"):
        items.append((yield pattern(reader)))
        comma = reader.take(",")
        if not comma:
            reader.expect(")", "after a pattern")
            break
    return tuple(items), comma


def _constructor(reader: Reader, word: str, at: int) -> Rule:
    found: object
    if word == "meta":
        found = meta(reader, at)
    elif reader.take("::"):
        inner, _ = reader.name_here("a constructor")
        found = reader.constructors.get(f"{plain_name(word)}::{inner}")
    else:
        name = plain_name(word)
        found = reader.constructors.get(name)
        if found is None and name in reader.constructors:
            found = reader.callee(name, at).expr  # raises: the name is ambiguous
    if not isinstance(found, Constructor):
        reader.unknown("constructor", word, reader.constructors, at)
    patterns: tuple[Pattern, ...] = ()
    if reader.take("("):
        patterns, _ = yield _items(reader)
    return PatternConstructor(found, patterns, span=reader.span(at, reader.pos))


PATTERN_WORDS: Final[dict[str, Read]] = {NODE: node_form}
"""The rules of patterns that begin with a word."""
