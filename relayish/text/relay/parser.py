"""Reading Relay text, format 0.0.5: modules, expressions and types."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from relayish._support import hooks
from relayish._support.collector import pause_collection
from relayish._support.trampoline import Rule, run
from relayish.errors import FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Pattern, TypeData
from relayish.ir.relay.expr import Expr, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import GlobalTypeVar, Type
from relayish.text.metadata_reader import SECTION, Given, Metadata, MetadataError
from relayish.text.relay import families as _families  # noqa: F401 - completes the tables
from relayish.text.relay import metadata as _metadata  # noqa: F401 - likewise
from relayish.text.relay import metadata_nodes as _metadata_nodes  # noqa: F401 - likewise
from relayish.text.relay.expr_parser import expression
from relayish.text.relay.lexer import GLOBAL, MODULE_ATTRS, VERSION
from relayish.text.relay.pattern_parser import pattern
from relayish.text.relay.reader import Reader
from relayish.text.relay.statement_parser import block, function, read_free_declarations
from relayish.text.relay.type_parser import type_, type_definition
from relayish.text.source import Source, unquote_name
from relayish.text.values_reader import attributes

FORMAT_VERSION: Final = "0.0.5"


def parse(
    text: str,
    source_name: str = "from_string",
    init_module: IRModule | None = None,
    init_meta_table: Given | None = None,
    *,
    allow_unknown_ops: bool = False,
) -> IRModule:
    """Read a module.

    Args:
        text: Relay text; it begins with the line ``#[version = "0.0.5"]``.
        source_name: What errors and spans call the text; the name of its file, say.
        init_module: A module that the text adds to: it may use what is defined there.
        init_meta_table: What ``meta[key][index]`` stands for, by key, where the text has no such
            section of its own: ``{"relay.Constant": [relay.const(1)]}``.
        allow_unknown_ops: Take a name that no operator is declared under for an operator
            nonetheless; its attributes are then :class:`DictAttrs`.

    Returns:
        The module, with all of ``init_module``. Every expression, type and pattern carries its
        span; globals are one node a name; types are not inferred.

    Raises:
        ParseError: If the text does not follow the grammar, or names what is not there. It says
            where, and shows the line.

    Complexity:
        Linear in the length of the text, however deep it nests.

    Source:
        Relay ``tvm.relay.parse``, whose text format this is.

    Example:
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: Tensor[(2), float32]) { %x }
        ... ''')
        >>> mod["main"].params[0].name_hint
        'x'
    """
    reader = _make_reader(text, source_name, init_meta_table, unknown_ops=allow_unknown_ops)
    _version(reader, required=True)
    with pause_collection():  # all that is made stays
        made = run(_module(reader, IRModule() if init_module is None else init_module))
    assert isinstance(made, IRModule)
    return made


fromtext = parse


def parse_node(
    text: str, source_name: str = "from_string", *, allow_unknown_ops: bool = False
) -> Node:
    """Read a node of any language: an expression, or one in the generic form. See :func:`parse`.

    The header of modules may stand before it. Types and patterns have :func:`parse_type` and
    :func:`parse_pattern`, unless they are in the generic form.

    Example:
        >>> parse_node("node if(cond=True, true_branch={ 1 }, false_branch={ 2 })")
        If(cond=<Constant>, true_branch=<Constant>, false_branch=<Constant>)
    """
    _, made = _read(text, source_name, lambda reader: block(reader, ""), allow_unknown_ops)
    assert isinstance(made, Node)
    return made


def parse_expr(
    text: str, source_name: str = "from_string", *, allow_unknown_ops: bool = False
) -> Expr:
    """Read an expression; the header of modules may stand before it. See :func:`parse`.

    Example:
        >>> parse_expr("(1, 2f).0")
        TupleGetItem(tuple_value=<Tuple>, index=0)
    """
    reader, made = _read(text, source_name, lambda reader: block(reader, ""), allow_unknown_ops)
    return reader.expr(made, len(reader.text))


def parse_type(text: str, source_name: str = "from_string") -> Type:
    """Read a type, or a type definition. See :func:`parse`.

    Example:
        >>> parse_type("Tensor[(1, ?), int8]").dtype
        'int8'
    """
    _, made = _read(text, source_name, partial(_read_alone, type_definitions=True))
    assert isinstance(made, Type)
    return made


def parse_pattern(text: str, source_name: str = "from_string") -> Pattern:
    """Read a pattern. See :func:`parse`."""
    _, made = _read(text, source_name, partial(_read_alone, type_definitions=False))
    assert isinstance(made, Pattern)
    return made


def _read(
    text: str, name: str, rule: Callable[[Reader], Rule], unknown_ops: bool = True
) -> tuple[Reader, object]:
    """Read what is no module, before which the header of one may stand nonetheless."""
    reader = _make_reader(text, name, unknown_ops=unknown_ops)
    _version(reader, required=False)
    return reader, run(rule(reader))


def _make_reader(text: str, name: str, given: Given | None = None, *, unknown_ops: bool) -> Reader:
    if not isinstance(text, str):
        raise FieldError(f"Relay text is a str; found {type(text).__name__}; decode bytes first")
    text = text.removeprefix("\ufeff")  # a byte order mark, which some editors write
    hooks.load_languages(text)
    program, metadata, at = text, None, len(text)
    if SECTION in text:
        at = text.rfind("\n" + SECTION) + 1
        if at or text.startswith(SECTION):
            program, metadata = text[:at], text[at + len(SECTION) :]
    try:
        return Reader(program, name, Metadata(metadata, given), unknown_ops=unknown_ops)
    except MetadataError as error:
        raise Source(text, name).error(str(error), at) from error


def _advice(text: str) -> str:
    """Return what to do about a text that is none of a module."""
    if _PATH.fullmatch(text):
        return f"that is the name of a file, which is read first: parse(Path({text!r}).read_text())"
    return "add that line, or use parse_expr for an expression"


_PATH: Final = re.compile(r"\S*\.(relay|txt)")


def _version(reader: Reader, *, required: bool) -> None:
    found = reader.match(VERSION)
    if found is None:
        if required:
            reader.fail(
                f'a module begins with #[version = "{FORMAT_VERSION}"]; {reader.found()}; '
                f"{_advice(reader.text)}"
            )
        return
    if found[1] != FORMAT_VERSION:
        reader.fail(
            f'text of version "{found[1]}" cannot be read; expected version "{FORMAT_VERSION}"',
            found.start(1),
        )
    reader.pos = found.end()


def _read_alone(reader: Reader, *, type_definitions: bool) -> Rule:
    yield read_free_declarations(reader)
    start = reader.skip()
    if not type_definitions:
        made: Any = yield pattern(reader)  # Any: a type or a pattern
    elif reader.word("extern"):
        reader.expect("type", "after extern")
        made = yield type_definition(reader, start, is_extern=True)
    elif reader.word("type"):
        made = yield type_definition(reader, start, is_extern=False)
    else:
        made = yield type_(reader)
    if reader.skip() < len(reader.text):
        reader.fail(f"expected the end of the text; {reader.found()}")
    return made


def _module(reader: Reader, known: IRModule) -> Rule:
    attrs = known.attrs
    found = reader.match(MODULE_ATTRS)
    if found is not None:
        reader.pos = found.end()
        attrs = DictAttrs((yield attributes(reader, ")")))
        reader.expect("]", "after the attributes of the module")
    functions: dict[GlobalVar | str, Node] = {var: known[var] for var in known}
    types = dict(known.type_definitions)
    for var in known:
        reader.globals[var.name_hint] = var
    for data in types.values():
        reader.define_type(data)
    yield from _read_early_types(reader, types)
    while True:
        yield read_free_declarations(reader)
        start = reader.skip()
        if start >= len(reader.text):
            break
        if reader.word("def"):
            yield _definition(reader, start, functions)
        elif reader.word("type"):
            yield _type(reader, start, types, is_extern=False)
        elif reader.word("extern"):
            reader.expect("type", "after extern")
            yield _type(reader, start, types, is_extern=True)
        else:
            reader.fail(f"expected def, type or extern type; {reader.found()}")
    _check_types(reader)
    return IRModule(functions, types, attrs)


_TYPE_LINE: Final = re.compile(r"^[ \t]*(?:extern[ \t]+)?type\b(?![ \t]*[=(])", re.MULTILINE)
_FIRST_DEF: Final = re.compile(r"^[ \t]*def\b", re.MULTILINE)
_NESTING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|//[^\n]*|/\*|[{}]', re.DOTALL)


def _read_early_types(reader: Reader, types: dict[GlobalTypeVar, TypeData]) -> Rule:
    """Read the type definitions that stand behind functions, whose constructors these may use."""
    if "type" not in reader.text:  # a hundred times sooner known than by the pattern
        return
    first = _FIRST_DEF.search(reader.text, reader.pos)
    if first is None or _TYPE_LINE.search(reader.text, first.end()) is None:
        return
    here, depth, pieces = reader.pos, 0, list[tuple[int, int]]()
    reader.pos = first.start()
    while (found := _NESTING.search(reader.text, reader.pos)) is not None:
        if depth == 0:
            line = _TYPE_LINE.search(reader.text, reader.pos, found.start() + 1)
            if line is not None:
                start = reader.pos = line.start()
                reader.skip()
                is_extern = reader.word("extern")
                reader.expect("type", "after extern")
                yield _type(reader, start, types, is_extern=is_extern)
                pieces.append((start, reader.pos))
                continue
        mark = found[0]
        reader.pos = found.start() if mark == "/*" else found.end()
        reader.skip()
        depth += {"{": 1, "}": -1}.get(mark, 0)
    text = reader.text
    for start, end in pieces:  # read already: blank them out, which moves nothing
        blank = re.sub(r"[^\n]", " ", text[start:end])
        text = text[:start] + blank + text[end:]
    reader.text, reader.pos = text, here


def _type(
    reader: Reader, start: int, types: dict[GlobalTypeVar, TypeData], *, is_extern: bool
) -> Rule:
    data = yield type_definition(reader, start, is_extern)
    if data.header in types:
        reader.fail(f"type {data.header.name_hint} is defined twice; rename one", start)
    types[data.header] = data


def _definition(reader: Reader, start: int, functions: dict[GlobalVar | str, Node]) -> Rule:
    found = reader.match(GLOBAL)
    if found is None:
        reader.fail(f"expected a name such as @main after def; {reader.found()}")
    reader.pos = found.end()
    name, at = unquote_name(found[1]), found.start(1)
    key = reader.global_var(name, at)
    if key in functions:
        reader.fail(f"@{name} is defined twice; rename one", at)
    reader.global_uses.pop(name, None)
    mark = len(reader.hidden_locals)
    if reader.take("="):
        value = yield expression(reader)
        reader.take(";")
    else:
        value = yield function(reader, start)
    reader.leave(mark)
    functions[key] = value


def _check_types(reader: Reader) -> None:
    """Raise an error about the first type that is used and not defined."""
    known = [name for name in reader.types if name not in reader.type_uses]
    for name, at in reader.type_uses.items():
        reader.unknown("type", name, known, at)
