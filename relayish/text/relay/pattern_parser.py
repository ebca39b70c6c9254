"""The grammar of patterns: ``_``, ``%x``, ``(p, p)``, ``Cons(p, p)``, ``Nil``."""

from __future__ import annotations

from typing import Final

from relayish._support.trampoline import Rule
from relayish.ir.relay import adt
from relayish.text.node_reader import node_form
from relayish.text.relay.lexer import TYPE
from relayish.text.relay.reader import Reader
from relayish.text.relay.type_parser import simple_variable, variable
from relayish.text.source import unquote_name
from relayish.text.tables import NODE, Read
from relayish.text.values_reader import meta


def pattern(reader: Reader) -> Rule:
    """A pattern; the variables it binds come into scope."""
    at = reader.skip()
    if reader.text.startswith("%", at):
        binder = reader.binder("in a pattern")
        var = simple_variable(reader, binder) or (yield variable(reader, binder))
        reader.bind(binder.key, var)
        return adt.PatternVar(var, span=reader.span(binder.at, reader.pos))
    found = reader.match(TYPE)
    if found is None:
        reader.fail(f"expected a pattern: _, %x, (p, p) or a constructor; {reader.found()}")
    reader.pos = found.end()
    if found["label"]:
        return (yield reader.read_labelled("pattern", pattern, found, at))
    if found["mark"]:
        fields = yield reader.items(")", "after a pattern", pattern)
        return adt.PatternTuple(fields, span=reader.span(at, reader.pos))
    word = found["name"]
    rule = PATTERN_WORDS.get(word)
    if rule is not None:
        made = yield rule(reader, at)
        if isinstance(made, adt.Pattern):
            return made
        reader.fail(f"expected a pattern; found {type(made).__name__}", at)
    if word == "_":
        return adt.PatternWildcard(span=reader.span(at, reader.pos))
    return (yield _constructor(reader, word, at))


def _constructor(reader: Reader, word: str, at: int) -> Rule:
    found: object
    if word == "meta":
        found = meta(reader, at)
    elif reader.take("::"):
        inner, _ = reader.name_here("a constructor")
        found = reader.constructors.get(f"{unquote_name(word)}::{inner}")
    else:
        name = unquote_name(word)
        found = reader.constructors.get(name)
        if found is None and name in reader.constructors:
            found = reader.callee(name, at).expr  # raises: the name is ambiguous
    if not isinstance(found, adt.Constructor):
        reader.unknown("constructor", word, reader.constructors, at)
    patterns: tuple[adt.Pattern, ...] = ()
    if reader.take("("):
        patterns = yield reader.items(")", "after a pattern", pattern)
    return adt.PatternConstructor(found, patterns, span=reader.span(at, reader.pos))


PATTERN_WORDS: Final[dict[str, Read]] = {NODE: node_form}
"""The rules of patterns that begin with a word."""
