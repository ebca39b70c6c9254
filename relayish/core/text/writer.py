"""Writing the text of core: a statement a line, operators by name, blocks in braces.

.. code-block:: text

    def @sum = core_func (%n: int32) -> int32 {
      var %i: int32, %s: int32
      global @table: int32[8]
      st(%s, 0)
      do_loop(%i, 0, lt(ld(%i), ld(%n)), add(ld(%i), 1)) {
        st(%s, add(ld(%s), ild(array(lda(@table), [ld(%i)]))))
      }
      retv(ld(%s))
    }

What is used in several places, and is not small, has a line of its own before the statements,
``share %0 = ...``, and so has a variable that is in no table of the function.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from relayish._support import hooks
from relayish.core.ir.definition import Entry, FuncDecl, FuncEntry, GlobalVariable, StructDef
from relayish.core.ir.expr import Intconst, Ldc, integer_range
from relayish.core.ir.family import Definition
from relayish.core.ir.language import CORE
from relayish.core.ir.stmt import Block
from relayish.core.ir.symbol import Global, Preg, Var
from relayish.core.ir.type import Type
from relayish.core.text.forms import forms_of
from relayish.core.text.own_text import OwnWriter, has_own_text
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.field import Field
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.values.literal import spell_scalar
from relayish.text.generic_form import assemble, find_repeated, is_default, spell_leaf
from relayish.text.line_notes import LineKind, LineNotes, Place, after_comment, before_comment
from relayish.text.literals import quote, spell_local, spell_name
from relayish.text.metadata_writer import MetadataWriter
from relayish.text.names import Names
from relayish.text.tables import family_of, keyword_of
from relayish.text.values_writer import ValueContext, spell_key, spell_value
from relayish.text.writer import DEEPEST, INDENTS

SMALL: Final = 12
"""How many nodes that occur several times are written out each time."""


class Printer(ValueContext, Protocol):
    """The printer of a module, or what stands for it.

    Attributes:
        notes: What is to be said about lines.
    """

    notes: LineNotes | None


class Brief:
    """What values are referred to by in text that only people read."""

    def __init__(self) -> None:
        self.metadata = MetadataWriter(readable=True)
        self.notes: LineNotes | None = None

    def operand(self, node: Node) -> str:
        """Return how a node is referred to."""
        return repr(node)

    def family_text(self, item: Node) -> str:
        """Return the text of a node of a family with a grammar of its own."""
        return repr(item)


class _Piece(NamedTuple):
    """A node to be written, and how far it is indented."""

    node: Node
    depth: int


class _Writer:
    """Writes one definition, or one node.

    Args:
        context: The printer of the module, or what stands for it: what values are referred to by.
        brief: Leave out the lines that declare what is in no table, which only reading needs.
    """

    def __init__(self, context: Printer, *, brief: bool = False) -> None:
        self._context = context
        self._brief = brief
        self._names = Names()
        self._texts: dict[Node, str] = {}
        self._globals: dict[str, Global] = {}
        self._written: Counter[Node] = Counter()
        self._said = ""

    def node(self, root: Node) -> str:
        """Return the text of a node that is no definition."""
        lines = "".join(self._header(root, declares=False))
        return lines + self._assemble(root, 0)

    def function(self, func: FuncEntry) -> str:
        """Return the text of a function from behind its word."""
        params = ", ".join([self._declare(var) for var in func.formals])
        result = "" if func.result.is_void else f" -> {spell_type(func.result)}"
        lines = []
        for word, symbols in (("var", func.locals), ("reg", func.pregs)):
            if symbols:
                lines.append(f"  {word} {', '.join([self._declare(each) for each in symbols])}\n")
        lines += self._header(func.body, declares=True)
        lines += self._lines_of(func.body)
        inside = "\n" + "".join(lines) if lines else ""
        return f" ({params}){result}{self.attributes(func.attrs)} {{{inside}}}"

    def attributes(self, attrs: DictAttrs | None) -> str:
        """Return what stands in the head of a definition for its attributes."""
        return "" if attrs is None else f" with {spell_value(attrs, self._context)}"

    # Names

    def _declare(self, symbol: Var | Preg) -> str:
        if symbol in self._texts:
            return self._texts[symbol]  # twice in the tables, which the verifier refuses
        return f"{self._name(symbol)}: {spell_type(symbol.type)}"

    def _name(self, symbol: Var | Preg) -> str:
        plain = symbol.name and not symbol.name[0].isdigit()
        hint = symbol.name if plain else f"r{symbol.name}"
        made = self._texts[symbol] = f"%{spell_local(self._names.take(hint))}"
        return made

    def _header(self, root: Node, *, declares: bool) -> Iterator[str]:
        """Yield the lines of what is used in a definition but in none of its tables."""
        order = EVERYTHING.post_order(root)
        for node in order:
            if isinstance(node, Global):
                self._globals.setdefault(node.name, node)
            elif self._brief and isinstance(node, Var | Preg) and node not in self._texts:
                self._name(node)
        if declares and self._globals:
            named = [f"{_at(g.name)}: {spell_type(g.type)}" for g in self._globals.values()]
            yield f"  global {', '.join(named)}\n"
        elif not self._brief:
            self._globals.clear()
        shared = find_repeated((root,), EVERYTHING, _Small(order))
        count = 0
        for node in order:
            if node not in self._texts and (node in shared or type(node) in VARIABLES):
                text = self._assemble(node, 1)
                self._texts[node] = f"%{count}"
                count += 1
                yield f"  share {self._texts[node]} = {text}\n"

    # Nodes

    def _assemble(self, node: Node, depth: int) -> str:
        expand: Callable[[Any], str | Iterator[object]] = self._expand  # Any: pieces
        root: Any = _Piece(node, depth)  # Any: it stands for the node
        return assemble(root, expand)

    def _expand(self, piece: _Piece) -> str | Iterator[object]:
        node, depth = piece
        named = self._texts.get(node)
        if named is not None:
            return named
        if isinstance(node, Global):
            known = self._globals.get(node.name)
            if known is not None and known.type == node.type:
                return _at(node.name)
        literal = spell_literal(node)
        if literal is not None:
            return literal
        if isinstance(node, Block):
            return self._block(node, depth)
        family = family_of(type(node))
        if family is not None and not family.entered:
            return f"{family.word}({self._context.family_text(node)})"
        if has_own_text(type(node)):
            pieces = OwnWriter(self._context).pieces(node)
            return iter([_Piece(p, depth) if isinstance(p, Node) else p for p in pieces])
        return self._node(node, depth)

    def _lines_of(self, body: Block) -> Iterator[str]:
        """Yield the statements of a function, each with all that is in it."""
        for piece in self._lines(body, 1):
            yield piece if isinstance(piece, str) else self._assemble(*piece)

    def _block(self, block: Block, depth: int) -> Iterator[object]:
        if not block.stmts:
            yield "{}"
            return
        yield "{\n"
        yield from self._lines(block, depth + 1)
        yield f"{INDENTS[min(depth, DEEPEST)]}}}"

    def _lines(self, block: Block, depth: int) -> Iterator[str | _Piece]:
        """Yield the statements of a block, each on a line, and what is to be said about them."""
        indent, notes = INDENTS[min(depth, DEEPEST)], self._context.notes
        for stmt in block.stmts:
            place = None
            if notes is not None:
                place = Place(LineKind.VALUE, stmt, again=self._written[stmt])
                self._written[stmt] += 1
                text = notes.before(place, self._texts.get)
                if text and text != self._said:  # what was just said is not said again
                    yield f"{indent}{before_comment(text)}\n"
                self._said = ""
            yield indent
            yield _Piece(stmt, depth)
            yield "\n"
            if notes is not None and place is not None:
                self._said = notes.after(place, self._texts.get)
                yield f"{indent}{after_comment(self._said)}\n" if self._said else ""

    def _node(self, node: Node, depth: int) -> Iterator[object]:
        forms = forms_of(type(node))
        pieces: list[object] = [forms.head]
        between, left_out = "", False
        for field in forms.plain:
            value = getattr(node, field.name)
            if is_default(field, value):
                left_out = True
                continue
            pieces.append(f"{between}{spell_key(field.name)}=" if left_out else between)
            between = ", "
            if field.kind is None:
                pieces.append(spell_leaf(field, value, self._context))
            elif isinstance(value, tuple):
                pieces += self._items(field, value, depth)
            else:
                pieces.append("None" if value is None else _Piece(value, depth))
        pieces.append(")")
        values = [getattr(node, field.name) for field in forms.blocks]
        while len(values) > 1 and is_default(forms.blocks[len(values) - 1], values[-1]):
            values.pop()
        for place, value in enumerate(values):
            pieces.append(f" {forms.word} " if place else " ")
            pieces.append("as " if value in self._texts else "")
            pieces.append(_Piece(value, depth))
        return iter(pieces)

    def _items(self, field: Field, items: tuple[object, ...], depth: int) -> list[object]:
        pieces: list[object] = ["["]
        for place, item in enumerate(items):
            pieces.append(", " if place else "")
            if isinstance(item, Node):
                pieces.append(_Piece(item, depth))
            else:
                pieces.append(f"= {spell_leaf(field, item, self._context)}")
        return [*pieces, "]"]


class _Small:
    """Tells which nodes are written out each time: small ones, and what has a short text."""

    def __init__(self, order: Iterable[Node]) -> None:
        self._sizes: dict[Node, int] = {}
        sizes = self._sizes
        for node in order:
            total = 1 + sum([sizes[child] for child in EVERYTHING.children(node)])
            sizes[node] = min(total, SMALL + 1)

    def __call__(self, node: Node) -> bool:
        return self._sizes[node] <= SMALL


def spell_literal(node: Node) -> str | None:
    """Return the text of a node that is written as a number or truth value; ``None`` for others."""
    if isinstance(node, Intconst):
        given = node.rtype
        if not (given.is_integer or given.is_bool):
            return None
        low, high = integer_range(given)
        if type(node.value) is not int or not low <= node.value <= high:
            return None
        if given.is_bool:
            return str(bool(node.value))
        suffix = "" if given == "int32" else f"{given[0]}{given.bits}"
        return f"{node.value}{suffix}" if suffix in _SUFFIXES else None
    if isinstance(node, Ldc) and isinstance(node.constant.data, np.floating):
        return spell_scalar(node.constant.data)
    return None


_SUFFIXES: Final = frozenset(["", "i8", "i16", "i64", "u8", "u16", "u32", "u64"])
"""What stands behind integers of a type, none behind those of ``int32``."""


def spell_type(given: Type) -> str:
    """Return a type where the grammar asks for one: as it is, or quoted, as of functions."""
    return given if PLAIN_TYPE.fullmatch(given) else quote(given)


PLAIN_TYPE: Final = re.compile(r"(?:struct [\w.]+|\w+)(?:\*|\[[\d, ]+\])*")
"""Types that need no quotes."""


def _at(name: str) -> str:
    return f"@{spell_name(name)}"


def definition_text(definition: Node, context: Printer, *, brief: bool = False) -> str:
    """Return the text of a definition from behind its word."""
    writer = _Writer(context, brief=brief)
    match definition:
        case FuncEntry():
            return writer.function(definition)
        case FuncDecl():
            return f" {spell_type(definition.type)}{writer.attributes(definition.attrs)}"
        case GlobalVariable():
            const = " const" if definition.is_const else ""
            init = "" if definition.init is None else f" = {writer.node(definition.init)}"
            attrs = writer.attributes(definition.attrs)
            return f"{const} {spell_type(definition.type)}{attrs}{init}"
        case StructDef():
            fields = [f"{quote(name)}: {spell_type(held)}" for name, held in definition.fields]
            return f" {{{', '.join(fields)}}}"
        case Entry():
            function = definition.function
            program = " program" if definition.is_program else ""
            return f" {_at(function.name)}: {spell_type(function.type)}{program}"
        case _:
            raise AssertionError(definition)


def print_node(node: Node) -> str:
    """Return what ``str`` shows: the text, without what only reading needs."""
    word = keyword_of(type(node))
    if word is not None and isinstance(node, Definition):
        return word + definition_text(node, Brief(), brief=True)
    return _Writer(Brief(), brief=True).node(node)


def annotated_text(thing: Any, notes: LineNotes) -> str:  # Any: a definition, or a module
    """Return the text of a definition or a module with comments around statements."""
    return hooks.annotators["relay"](thing, notes)


hooks.printers[CORE.name] = print_node
hooks.annotators[CORE.name] = annotated_text
