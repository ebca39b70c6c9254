"""Reading the text of core; rules are generators, so programs of any depth are read."""

from __future__ import annotations

import re
from typing import Any, Final

from relayish._support.trampoline import Rule
from relayish.core.ir.constant import Constant
from relayish.core.ir.definition import Entry, FuncDecl, FuncEntry, GlobalVariable, StructDef
from relayish.core.ir.expr import Intconst, Ldc
from relayish.core.ir.language import CORE
from relayish.core.ir.stmt import Block
from relayish.core.ir.symbol import Global, Preg, Var
from relayish.core.ir.type import Type, as_type
from relayish.core.text.forms import forms_of
from relayish.core.text.own_text import OwnReader, has_own_text, own_text_of
from relayish.errors import FieldError
from relayish.ir.domains.language import languages
from relayish.ir.fields.field import Field, Shape
from relayish.ir.nodes.node import Node, node_kinds
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.storage import intern
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.registration.packages import load_packages
from relayish.text.literals import DOTTED, STRING, read_scalar, unquote
from relayish.text.reader import Reader
from relayish.text.source import ATTRIBUTE, BLANK, OPERAND, unquote_name
from relayish.text.tables import FAMILY_WORDS
from relayish.text.values_reader import attribute_value, family_value

_TYPE: Final = re.compile(
    rf"{BLANK}(?:(?P<quoted>{STRING})|(?P<plain>(?:struct\s+[\w.]+|\w+)(?:\*|\[[\d, ]+\])*))"
)
_GLOBAL: Final = re.compile(rf"{BLANK}@({DOTTED}|{STRING})")
_OPEN: Final = re.compile(rf"{BLANK}([A-Za-z_]\w*)\(", re.ASCII)
_SIMPLE: Final = re.compile(
    rf"{BLANK}(?:(?:([A-Za-z_]\w*)\()?(%[A-Za-z0-9_]+)(?(1)\))|(\d{{1,9}}))(?=[,)\]])", re.ASCII
)
"""What most fields hold: a name, the load of one, a number."""
_SHARED: Final = re.compile(rf"{BLANK}(%\d+){BLANK}=")


class _Names:
    """What names stand for in the definition that is being read."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.globals: dict[str, Type] = {}
        self._mark = len(reader.hidden_locals)
        self._declared: set[str] = set()

    def declare(self, kind: type[Var | Preg]) -> Any:  # Any: of that kind
        """Read a variable or register where it is declared, with its type."""
        reader = self.reader
        found = reader.match(OPERAND)
        if found is not None and found.lastgroup == "local" and found["local"] in reader.env:
            known = reader.env[found["local"]]
            if isinstance(known, kind) and not reader.text.startswith(":", found.end()):
                reader.pos = found.end()
                return known  # it stands in the tables twice, as it may in a faulty program
        start = reader.skip()
        binder = reader.binder("with its type")
        if binder.key in self._declared:
            reader.fail(f"{binder.key} is declared twice; rename one of them", start)
        self._declared.add(binder.key)
        reader.expect(":", f"before the type of {binder.key}")
        given = read_type(reader)
        made = kind(name=binder.name, type=given, span=reader.span(start, reader.pos))
        reader.bind(binder.key, made)
        return made

    def leave(self) -> None:
        """Forget what the definition declared."""
        self.reader.leave(self._mark)


def read_type(reader: Reader) -> Type:
    """Read a type, in quotes or, where it is that of no function, without."""
    at = reader.skip()
    found = reader.match(_TYPE)
    if found is None:
        reader.fail(
            f'expected a type such as int32, float32* or "(int32) -> bool"; {reader.found()}'
        )
    reader.pos = found.end()
    spelt = found["plain"]
    try:
        return as_type(unquote(found["quoted"]) if spelt is None else spelt)
    except FieldError as error:
        raise reader.error(str(error), at) from error


def _global_name(reader: Reader) -> Global:
    """Read ``@name: type``."""
    start = reader.skip()
    found = reader.match(_GLOBAL)
    if found is None:
        reader.fail(f"expected a name of the module, such as @f; {reader.found()}")
    reader.pos = found.end()
    name = unquote_name(f"@{found[1]}")
    reader.expect(":", f"before the type of @{name}")
    return Global(name, read_type(reader), span=reader.span(start, reader.pos))


def _attributes(reader: Reader) -> Rule:
    return (yield attribute_value(reader)) if reader.word("with") else None


# Definitions, each from behind its word


def read_function(reader: Reader, start: int) -> Rule:
    """``(%x: type, ...) -> type with {attributes} { tables, statements }``."""
    names = _Names(reader)
    reader.expect("(", "before the formals of a function")
    formals = [names.declare(Var) for _ in reader.until(")", "or ',' after a formal")]
    result = read_type(reader) if reader.take("->") else as_type("void")
    attrs = yield _attributes(reader)
    reader.expect("{", "before the body of a function")
    first = reader.pos - 1
    local: list[Var] = []
    pregs: list[Preg] = []
    while True:
        if reader.word("var"):
            local += _list(reader, names, Var)
        elif reader.word("reg"):
            pregs += _list(reader, names, Preg)
        elif reader.word("global"):
            named = _global_name(reader)
            names.globals[named.name] = named.type
            while reader.take(","):
                named = _global_name(reader)
                names.globals[named.name] = named.type
        elif reader.word("share"):
            yield _share(reader, names)
        else:
            break
    body = yield _block(reader, names, first)
    names.leave()
    span = reader.span(start, reader.pos)
    return FuncEntry(tuple(formals), tuple(local), tuple(pregs), body, result, attrs, span=span)


def _list(reader: Reader, names: _Names, kind: type[Var | Preg]) -> list[Any]:  # Any: of the kind
    found = [names.declare(kind)]
    while reader.take(","):
        found.append(names.declare(kind))
    return found


def _share(reader: Reader, names: _Names) -> Rule:
    """``%0 = node``, which ``%0`` stands for from here on."""
    found = reader.match(_SHARED)
    if found is None:
        reader.fail(f"expected a number and what it stands for, %0 = ...; {reader.found()}")
    reader.pos = found.end()
    made = yield _node(reader, names)
    reader.bind(found[1], made)


def read_declaration(reader: Reader, start: int) -> Rule:
    """``type with {attributes}``."""
    at = reader.skip()
    given = read_type(reader)
    attrs = yield _attributes(reader)
    return _build(reader, FuncDecl, {"type": given, "attrs": attrs}, start, at)


def read_variable(reader: Reader, start: int) -> Rule:
    """``const type with {attributes} = node``."""
    is_const = reader.word("const")
    at = reader.skip()
    given = read_type(reader)
    attrs = yield _attributes(reader)
    names = _Names(reader)
    init = None
    if reader.take("="):
        while reader.word("share"):
            yield _share(reader, names)
        init = yield _node(reader, names)
    names.leave()
    values = {"type": given, "init": init, "is_const": is_const, "attrs": attrs}
    return _build(reader, GlobalVariable, values, start, at)


def read_struct(reader: Reader, start: int) -> Rule:
    """``{"field": type, ...}``."""
    yield from ()
    reader.expect("{", "before the fields of a structure")
    fields = []
    for _ in reader.until("}", "or ',' after a field"):
        found = reader.match(OPERAND)
        if found is None or found["string"] is None:
            reader.fail(f"expected the name of a field in quotes; {reader.found()}")
        reader.pos = found.end()
        name = unquote(found["string"])
        reader.expect(":", f"before the type of field {name!r}")
        fields.append((name, read_type(reader)))
    return StructDef(tuple(fields), span=reader.span(start, reader.pos))


def read_entry(reader: Reader, start: int) -> Rule:
    """``@function: type program``."""
    yield from ()
    function = _global_name(reader)
    is_program = reader.word("program")
    return Entry(function, is_program, span=reader.span(start, reader.pos))


# Nodes


def _block(reader: Reader, names: _Names, start: int) -> Rule:
    """Statements up to and including the closing brace."""
    stmts: list[Node] = []
    while not reader.take("}"):
        stmts.append((yield _node(reader, names)))
    return _build(reader, Block, {"stmts": tuple(stmts)}, start, start)


def _node(reader: Reader, names: _Names) -> Rule:
    """A node: a statement, an expression, or what else a field holds."""
    found = _OPEN.match(reader.text, reader.pos)
    kind = None if found is None else CORE.kinds.get(found[1])
    if found is not None and kind is not None and not has_own_text(kind):
        reader.pos = found.end()
        return (yield _fields(reader, names, kind, found.start(1)))
    start = reader.skip()
    if reader.take("{"):
        return (yield _block(reader, names, start))
    negative = reader.take("-")
    found = reader.match(OPERAND)
    if found is None or found["mark"] or found["string"]:
        reader.fail(f"expected a statement or an expression; {reader.found()}", start)
    reader.pos = found.end()
    if found["number"]:
        return _number(reader, found, negative, start)
    if negative:
        reader.fail(f"expected a number after '-'; {reader.found()}", start)
    if found["local"]:
        return reader.local(found["local"], start)
    if found["globalvar"]:
        return _named(reader, names, unquote_name(found["globalvar"]), start)
    name = unquote_name(found["name"])
    if name in ("True", "False"):
        return Intconst(int(name == "True"), "bool", span=reader.span(start, reader.pos))
    family = FAMILY_WORDS.get(name)
    if family is not None:
        return (yield family_value(reader, name, family))
    own = own_text_of(name)
    if own is not None:
        given: Any = OwnReader(  # Any: it stands for the reader
            reader, lambda: _node(reader, names), lambda field: _value(reader, names, field)
        )
        return (yield own(given, start))
    kind = _kind(reader, name, start)
    reader.expect("(", f"before the fields of {kind.visit_name}")
    return (yield _fields(reader, names, kind, start))


def _simple(reader: Reader) -> Node | None:
    """Read what most fields hold: a name in scope, a small number, or ``kind(%name)``."""
    found = _SIMPLE.match(reader.text, reader.pos)
    if found is None:
        return None
    visit, local, digits = found.groups()
    end = found.end()
    if digits is not None:
        reader.pos = end
        return Intconst(int(digits), span=reader.span(found.start(3), end))
    named = reader.env.get(local)
    if named is None or visit is None:
        reader.pos = end if named is not None else reader.pos
        return named
    kind = CORE.kinds.get(visit)
    first = None if kind is None else next(iter(forms_of(kind).plain), None)
    if kind is None or first is None or first.holds_many:
        return None
    reader.pos = end
    return _build(reader, kind, {first.name: named}, found.start(1), found.start(1))


def _number(reader: Reader, found: re.Match[str], negative: bool, start: int) -> Node:
    try:
        value = read_scalar(found["digits"], found["suffix"], negative)
    except ValueError as error:
        raise reader.error(str(error), start) from error
    span = reader.span(start, reader.pos)
    if value.dtype.kind == "f":
        return Ldc(Constant(value, span=span), span=span)
    return Intconst(int(value), as_type(value.dtype), span=span)


def _named(reader: Reader, names: _Names, name: str, start: int) -> Global:
    given = names.globals.get(name)
    if given is None:
        known = ", ".join([f"@{each}" for each in names.globals]) or "none"
        reader.fail(
            f"@{name} has no type here; declare it before the statements, global @{name}: type; "
            f"declared are {known}",
            start,
        )
    return Global(name, given, span=reader.span(start, reader.pos))


def _kind(reader: Reader, name: str, at: int) -> type[Node]:
    """Return the kind of a name, with its language where that is not core."""
    language, _, visit = name.rpartition(".")

    def find() -> type[Node] | None:
        found = languages().get(language or CORE.name)
        return None if found is None else found.kinds.get(visit)

    kind = find()
    if kind is None:
        for _ in load_packages(name):
            kind = find()
            if kind is not None:
                break
    if kind is None:
        known = [each.removeprefix(f"{CORE.name}.") for each in node_kinds()]
        reader.unknown("kind of node", name, known, at)
    return kind


def _fields(reader: Reader, names: _Names, kind: type[Node], start: int) -> Rule:
    """The fields of a node, in parentheses and behind them, of which it is made."""
    forms = forms_of(kind)
    values: dict[str, object] = {}
    place = 0
    while not reader.take(")"):
        found = ATTRIBUTE.match(reader.text, reader.pos)
        at = reader.pos
        if found is not None:
            at = reader.skip()
            reader.pos = found.end()
            field = _field_named(reader, kind, unquote_name(found[1]), at)
        elif place < len(forms.plain):
            field = forms.plain[place]
            place += 1
        else:
            reader.fail(f"{kind.visit_name} has {len(forms.plain)} fields; found another one", at)
        if field.name in values:
            reader.fail(f"field {field.name} of {kind.visit_name} is given twice", at)
        made = None if field.kind is None else _simple(reader)
        values[field.name] = (yield _value(reader, names, field)) if made is None else made
        if not reader.take(","):
            reader.expect(")", "or ',' after a field")
            break
    if forms.blocks:
        yield _blocks(reader, names, kind, values)
    return _build(reader, kind, values, start, start)


def _field_named(reader: Reader, kind: type[Node], name: str, at: int) -> Field:
    named = {field.name: field for field in forms_of(kind).plain}
    if name not in named:
        reader.unknown(f"field of {kind.visit_name}:", name, named, at)
    return named[name]


def _value(reader: Reader, names: _Names, field: Field) -> Rule:
    """Return the rule for the value of a field."""
    if field.kind is None:
        return attribute_value(reader, enums=field.enums)
    if field.holds_many:
        return _items(reader, names, field)
    if field.shape is Shape.OPTIONAL and reader.word("None"):
        return _nothing()
    return _node(reader, names)


def _nothing() -> Rule:
    yield from ()


def _items(reader: Reader, names: _Names, field: Field) -> Rule:
    reader.expect("[", f"before the items of {field.name}")
    items: list[object] = []
    for _ in reader.until("]", f"or ',' after an item of {field.name}"):
        if reader.take("="):
            items.append((yield attribute_value(reader, enums=field.enums)))
        else:
            items.append((yield _node(reader, names)))
    return tuple(items)


def _blocks(
    reader: Reader,
    names: _Names,
    kind: type[Node],
    values: dict[str, object],
) -> Rule:
    """The blocks behind the parentheses; those after the first stand behind a word."""
    forms = forms_of(kind)
    for place, field in enumerate(forms.blocks):
        if place and not reader.word(forms.word):
            return
        start = reader.skip()
        if reader.word("as"):
            values[field.name] = yield _node(reader, names)
            continue
        reader.expect("{", f"before the {field.name} of {kind.visit_name}")
        values[field.name] = yield _block(reader, names, start)


def _build(
    reader: Reader, kind: type[Node], values: dict[str, object], start: int, at: int
) -> Node:
    spans = dict.fromkeys(_SPANS[kind], reader.span(start, reader.pos))
    try:
        made: Node = kind(**spans, **values)
    except (FieldError, TypeError) as error:
        raise reader.error(str(error), at) from error
    return intern(made)


_SPANS: Final = ByKind(lambda kind: [f.name for f in kind.fields_ if Span in f.accepts])
