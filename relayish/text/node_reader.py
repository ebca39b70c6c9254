"""Reading the generic form, ``node kind(field=value, ...)``; see ``node_writer``."""

from __future__ import annotations

import re
from typing import Any, Final

from relayish._support.trampoline import Rule
from relayish.errors import FieldError, suggest
from relayish.ir.domains.language import find_kind
from relayish.ir.fields.field import REQUIRED, Field, Shape
from relayish.ir.fields.naming import name_field
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import is_declaration, scope_fields
from relayish.ir.nodes.node import VARIABLES, Node, node_kinds
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.storage import intern
from relayish.ir.nodes.traversal import ByKind
from relayish.text.generic_form import binds_types
from relayish.text.reader import Binder, Reader
from relayish.text.source import BLANK, OPERAND
from relayish.text.tables import FAMILY_WORDS, NODE, WORDS, family_of
from relayish.text.values_reader import attribute_name, attribute_value, family_value


class NodeReader(Reader):
    """Reads nodes of any kind in the generic form, and what rules of single kinds ask for."""

    # For the rules of single kinds

    def read_expression(self) -> Rule:
        """Read an expression."""
        return self.grammar.expression(self)

    def read_block(self, *variables: Node) -> Rule:
        """Read braces and what is in them, in which ``variables`` are in scope."""
        self.expect("{", "before a block")
        mark = len(self.hidden_locals)
        for var in variables:
            self.bind(self.keys[var], var)
        made = yield self.grammar.block(self, "}")
        self.leave(mark)
        return made

    def read_binder(self) -> Rule:
        """Read a variable where it is bound; it is in scope in the blocks it is named to."""
        mark = len(self.hidden_locals)
        made = yield variable(self)
        self.leave(mark)
        return made

    def read_value(self) -> Rule:
        """Read a value that is no node: a number, a string, a list, attributes."""
        return attribute_value(self)

    def read_field(self, kind: type[Node], name: str, *variables: Node) -> Rule:
        """Read the value of a field as it stands in the generic form, ``variables`` in scope."""
        (declared,) = [f for f in kind.fields_ if f.name == name]
        mark = len(self.hidden_locals)
        for var in variables:
            self.bind(self.keys[var], var)
        made = yield _field(self, declared, kind)
        self.leave(mark)
        return made


def node_form(reader: NodeReader, start: int) -> Rule:
    """``node kind(field=value, ...)``, from behind ``node``."""
    reader.is_mixed = True
    kind = _kind(reader)
    if kind in VARIABLES:
        reader.fail(
            f"{_name(reader, kind)} is a kind of variable, which is declared where it is bound, or "
            f"by free_var, and used as %x",
            start,
        )
    reader.expect("(", "before the fields of a node")
    return _fields(reader, kind, start)


def variable(reader: NodeReader) -> Rule:
    """A variable where it is bound, of whatever kind; it comes into scope."""
    reader.skip()
    start = reader.pos
    if not reader.word(NODE):
        binder = reader.binder("where one is bound")
        made = reader.bound_before(binder) if binder.again else None
        if made is None:
            made = yield reader.grammar.variable(reader, binder)
        reader.keys[made] = binder.key
        reader.bind(binder.key, made)
        return made
    kind = _kind(reader)
    if kind not in VARIABLES:
        reader.fail(f"{_name(reader, kind)} is no kind of variable", start)
    binder = reader.binder(f"behind {NODE} {_name(reader, kind)}")
    if reader.take("("):
        made = yield _fields(reader, kind, start, binder)
    else:
        made = _build(reader, kind, {}, {}, start, binder)
    reader.is_mixed = True
    reader.keys[made] = binder.key
    reader.bind(binder.key, made)
    return made


def declare_free(reader: NodeReader) -> Rule:
    """The variable behind ``free_var``, which is in scope from here on."""
    mark = len(reader.hidden_locals)
    made = yield variable(reader)
    ((key, _),) = reader.hidden_locals[mark:]
    reader.leave(mark)
    reader.env[key] = made


def _fields(reader: NodeReader, kind: type[Node], start: int, binder: Binder | None = None) -> Rule:
    """The fields of a node, up to and including the closing parenthesis, of which it is made."""
    known = _BY_NAME[kind]
    blocks = scope_fields(kind).blocks
    types = len(reader.hidden_types)
    is_pattern = kind.held_as_ is Role.BINDER  # what it binds is known to its owner
    bound: list[tuple[str, Node]] = []
    values: dict[str, object] = {}
    places: dict[str, int] = {}
    while not reader.take(")"):
        name, at = attribute_name(reader, "a field such as axis=1")
        declared = known.get(name)
        if declared is None:
            reader.unknown(f"field of {_name(reader, kind)}:", name, known, at)
        if name in values:
            reader.fail(f"field {name} of {_name(reader, kind)} is given twice; leave one out", at)
        mark = len(reader.hidden_locals)
        if declared in blocks:
            for key, var in bound:
                reader.bind(key, var)
        places[name] = reader.skip()
        made = _name_alone(reader, declared, kind)
        if made is None:
            made = yield _field(reader, declared, kind)
        values[name] = _check(reader, declared, kind, made, places[name])
        if declared in blocks:
            reader.leave(mark)
        elif declared.role is Role.BINDER and not is_pattern:
            bound += reader.suspend(mark)
        if not reader.take(","):
            reader.expect(")", "or ',' after a field")
            break
    reader.leave_types(types)
    if is_declaration(kind):
        for key, var in bound:
            reader.bind(key, var)
    return _build(reader, kind, values, places, start, binder)


_ALONE: Final = re.compile(rf"{BLANK}(%\w++){BLANK}(?=[,)])", re.ASCII)
_ALONE_IN_BLOCK: Final = re.compile(rf"{BLANK}\{{{BLANK}(%\w++){BLANK}\}}", re.ASCII)
"""What fields and blocks of most nodes hold: a name."""


def _name_alone(reader: NodeReader, declared: Field, kind: type[Node]) -> Node | None:
    """Read a field, or a block, that holds but a name in scope, or return ``None`` and stay."""
    if declared not in _MAY_BE_NAMED[kind]:
        return None
    pattern = _ALONE_IN_BLOCK if declared.role is Role.SCOPE else _ALONE
    found = pattern.match(reader.text, reader.pos)
    named = None if found is None else reader.env.get(found[1])
    if found is not None and named is not None:
        reader.pos = found.end()
    return named


def _may_be_named(kind: type[Node]) -> list[Field]:
    return [
        f
        for f in kind.fields_
        if f.kind is not None
        and f.shape in (Shape.ONE, Shape.OPTIONAL)
        and (f.role is Role.SCOPE or (f.role is Role.OPERAND and not f.recursive))
        and family_of(f.kind) is None
    ]


def _field(reader: NodeReader, declared: Field, kind: type[Node]) -> Rule:
    """Return the rule for the value of a field."""
    if declared.kind is None:
        return attribute_value(reader, enums=declared.enums)
    if declared.shape is Shape.MANY and declared in scope_fields(kind).blocks:
        return _statements(reader, declared, kind)
    if binds_types(declared):
        return _types_bound(reader, declared, kind)
    return _items(reader, declared, kind) if declared.holds_many else _item(reader, declared, kind)


def _items(reader: NodeReader, declared: Field, kind: type[Node]) -> Rule:
    where = _describe_place(reader, declared, kind)
    reader.expect("[", f"before the items of {where}")
    items: list[object] = []
    for index, _ in enumerate(reader.until("]", f"or ',' after an item of {where}")):
        at = reader.skip()
        made = yield _item(reader, declared, kind, index)
        items.append(_check(reader, declared, kind, made, at, index))
    return tuple(items)


def _item(reader: NodeReader, declared: Field, kind: type[Node], index: int = -1) -> Rule:
    """Return the rule for a node in a field, a block where it is a scope, or another value."""
    assert declared.kind is not None
    at = reader.skip()
    if declared.shape is Shape.OPTIONAL and reader.word("None"):
        return _read_nothing()
    is_block = declared in scope_fields(kind).blocks
    begins = "{" if is_block else ("(", "%")
    if declared.shape is Shape.MIXED and not reader.text.startswith(begins, at):
        return attribute_value(reader, enums=declared.enums)
    if is_block:
        if not reader.take("{"):
            reader.expect(
                "{", f"before the block of {_describe_place(reader, declared, kind, index)}"
            )
        return reader.grammar.block(reader, "}")
    family = family_of(declared.kind)
    if declared.role is Role.BINDER and (family is None or declared.kind in VARIABLES):
        found = reader.match(OPERAND)
        return variable(reader) if _is_variable(reader, found) else _expression(reader)
    if family is not None and declared.shape is not Shape.MIXED:
        return family.read(reader)
    return _expression(reader)


def _read_nothing() -> Rule:
    yield from ()


def _statements(reader: NodeReader, declared: Field, kind: type[Node]) -> Rule:
    """A block of statements, each of which is an item of the field."""
    where = _describe_place(reader, declared, kind)
    reader.expect("{", f"before the block of {where}")
    items: list[Node] = []
    while not reader.take("}"):
        at = reader.skip()
        made = yield reader.grammar.statement(reader)
        if made is not None:
            items.append(_check(reader, declared, kind, made, at, len(items)))
            if not reader.take(";"):
                reader.expect("}", f"or ';' after a statement of {where}")
                break
    return tuple(items)


def _types_bound(reader: NodeReader, declared: Field, kind: type[Node]) -> Rule:
    yield from ()
    family = family_of(declared.kind) if declared.kind is not None else None
    assert family is not None
    assert family.read_bound is not None
    at = reader.skip()
    read = family.read_bound(reader)
    if not declared.holds_many and len(read) != 1:
        reader.fail(
            f"{_describe_place(reader, declared, kind)} is one variable; found {len(read)}", at
        )
    return read if declared.holds_many else read[0]


def _check(
    reader: NodeReader, declared: Field, kind: type[Node], made: Any, at: int, index: int = -1
) -> Any:  # Any: a node, or another value
    """Return what was read for a field, or an item of one, if it may stand there."""
    held = declared.kind
    if held is not None and isinstance(made, Node) and type(made) not in held.kinds:
        where, found = _describe_place(reader, declared, kind, index), type(made).__name__
        reader.fail(f"{where} must be {held.__name__}; found {found}", at)
    return made


def _describe_place(reader: NodeReader, declared: Field, kind: type[Node], index: int = -1) -> str:
    return f"{_name(reader, kind)}.{declared.name}" + (f"[{index}]" if index >= 0 else "")


def _is_variable(reader: NodeReader, found: Any) -> bool:  # Any: a match, or none
    """Return whether a variable is declared at the position, and no pattern."""
    if found is None or found.lastgroup == "local":
        return True
    if found["name"] != NODE:
        return False
    here = reader.pos
    reader.pos = found.end()
    kind = _kind(reader)
    reader.pos = here
    return kind in VARIABLES


def _expression(reader: NodeReader) -> Rule:
    """Return the rule for a node where any may stand; some families have a grammar of their own."""
    found = reader.match(OPERAND)
    family = None if found is None else FAMILY_WORDS.get(found["name"] or "")
    if found is None or family is None:
        return reader.grammar.expression(reader)
    reader.pos = found.end()
    return family_value(reader, found["name"], family)


def _kind(reader: NodeReader) -> type[Node]:
    """Read the name of a kind, with its language or without."""
    name, at = reader.name_here(f"a kind of node after {NODE}")
    language, _, visit = name.rpartition(".")
    language = language or reader.grammar.language
    kind = find_kind(language, visit)
    if kind is not None:
        return kind
    own = reader.grammar.language + "."
    known = [each.removeprefix(own) for each in node_kinds()]
    raise reader.error(
        f"unknown kind of node {name}, for no package that is imported declares it"
        f"{suggest(name, known) or '; import the one that does'}",
        at,
    )


def _name(reader: NodeReader, kind: type[Node]) -> str:
    return kind.language_.qualified(kind.visit_name, reader.grammar.language)


def _build(
    reader: NodeReader,
    kind: type[Node],
    values: dict[str, object],
    places: dict[str, int],
    start: int,
    binder: Binder | None = None,
) -> Node:
    """Return the node with these fields, its span if it has one, and the name it is bound under."""
    hint = None if binder is None else name_field(kind)
    if binder is not None and hint is not None and hint.name not in values:
        values[hint.name], places[hint.name] = binder.name, binder.at
    required, spans = _REQUIRED[kind]
    given = {**dict.fromkeys(spans, reader.span(start, reader.pos)), **values}
    if not given.keys() >= required:
        missing = next(f.name for f in kind.fields_ if f.name in required - given.keys())
        name = _name(reader, kind)
        reader.fail(f"{name} lacks its field {missing!r}; write {missing}=...", start)
    try:
        made: Node = kind(**given)
    except FieldError as error:
        named = [re.match(rf"{kind.__name__}\.{re.escape(name)}\b", str(error)) for name in places]
        at = [place for place, found in zip(places.values(), named, strict=True) if found]
        raise reader.error(str(error), at[0] if at else start) from error
    return intern(made)


def _find_required(kind: type[Node]) -> tuple[frozenset[str], list[str]]:
    """Return the names of fields without a default, and of those for spans."""
    required = [f.name for f in kind.fields_ if f.default is REQUIRED]
    return frozenset(required), [f.name for f in kind.fields_ if Span in f.accepts]


_REQUIRED: Final = ByKind(_find_required)
_MAY_BE_NAMED: Final = ByKind(_may_be_named)
_BY_NAME: Final = ByKind(lambda kind: {f.name: f for f in kind.fields_})
WORDS[NODE] = node_form
