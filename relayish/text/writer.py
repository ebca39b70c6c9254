"""Printer of blocks, whatever the language: statements, names of variables, what is in scope.

Rules are generators as in the readers; what does not nest is written by plain functions. How a
node of some kind is written is told by :data:`~relayish.text.tables.TEXTS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Final

from relayish._support.trampoline import Rule
from relayish.errors import FieldError
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.naming import name_field
from relayish.ir.nodes.getters import is_declaration, scope_fields
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.text.generic_form import spell_leaf
from relayish.text.layout import Layout
from relayish.text.line_notes import (
    LineKind,
    LineNotes,
    Place,
    after_comment,
    before_comment,
    comment_behind,
)
from relayish.text.literals import spell_local
from relayish.text.metadata_writer import MetadataWriter
from relayish.text.names import Names
from relayish.text.tables import BRACKETED, FAMILIES, LEAVES, TEXTS, family_of

DEEPEST: Final = 24
"""Indentation does not grow beyond this many levels, or nests would take quadratic space."""
INDENTS: Final = tuple("  " * depth for depth in range(DEEPEST + 1))


class Line(str):
    """The text of a statement that is not the value of a graph temporary."""

    __slots__ = ()


class Writer(ABC):
    """Writes nodes onto ``out``.

    Args:
        language: The language whose kinds go by their visit names alone.
        annotate: Called with each node that has a line of its own, for a comment.
        readable: See :class:`MetadataWriter`.
        before: A writer that has found out, by writing the same thing, which variables are used
            outside of what binds them; these are declared at the beginning.
    """

    def __init__(
        self,
        language: str,
        annotate: Callable[[Any], str] | None,  # Any: a node of the caller's language
        readable: bool = False,
        before: Writer | None = None,
    ) -> None:
        self.out: list[str] = []
        self.metadata = MetadataWriter(readable)
        self.language = language
        self.layout = Layout(())
        self.notes: LineNotes | None = None
        """What is to be said about lines, in comments around them."""
        self.texts: dict[Node, str] = {}
        """How what is in scope is referred to: variables, temporaries, and leaves once met."""
        self.free: dict[Node, None] = {}
        self._annotate = annotate
        self._var_texts: dict[Node, str] = {}
        self._names = Names()
        self._temps = 0
        self._depth = 0
        self._bound: set[Node] = set()
        self._declared: set[Node] = set()
        self._known: dict[Node, list[Node]] = {}
        """For each node being written, what it binds."""
        self._around: set[Node] = set()
        """The nodes whose block around others is still to be written."""
        self._in_block: list[Node] = []
        """What leaves scope with the block that is being written."""
        for var in before.free if before is not None else ():
            self.add_free(var)

    def start(self, layout: Layout) -> None:
        """Take the layout of what is to be written."""
        self.layout = layout

    def must_declare(self) -> bool:
        """Return whether writing has to start anew, now that the free variables are known."""
        for var in self.free:
            if type(var) not in LEAVES and var not in self.layout.free:
                return True
            if var in self._bound and var not in self._declared:
                return True
        return False

    # For the rules of single kinds

    def write(self, text: str) -> None:
        """Append a piece of text."""
        self.out.append(text)

    def operand(self, node: Node) -> str:
        """Return how a node is referred to where it is used."""
        found = self.texts.get(node)
        if found is not None:
            return found
        leaf = LEAVES.get(type(node))
        if leaf is not None:
            return leaf(self, node)
        return self._write_in_place(node)

    def family_text(self, item: Node) -> str:
        """Return the text of a node of a family with a grammar of its own."""
        return FAMILIES[type(item)].write(self, item)

    def declare(self, node: Node, name: str) -> str:
        """Return the text of what a field of ``node`` binds, which is in scope in its blocks."""
        held = getattr(node, name)
        bound = self._known.setdefault(node, [])
        self.resume(bound)
        items = held if isinstance(held, tuple) else () if held is None else (held,)
        text = ", ".join([self.bind(item, bound) for item in items])
        self.suspend(bound)
        return text

    def block(self, node: Node, name: str) -> Rule:
        """Write the scope in a field of ``node``, in braces, with what ``node`` binds in scope."""
        (declared,) = [f for f in scope_fields(type(node)).blocks if f.name == name]
        return self.block_of(node, declared)

    def enter(self, depth: int) -> int:
        """Write at another depth from here on; return the one before."""
        before, self._depth = self._depth, depth
        return before

    # Blocks

    def statements(self, block: int, depth: int) -> Rule:
        """The lines of what is used as an operand in a block."""
        out, texts, indent, write = self.out, self.texts, INDENTS[depth], TEXTS
        noted = self.notes is not None
        for node in self.layout.lines[block]:
            made = write[type(node)](self, node, depth)
            if type(made) is Line:
                out.append(f"{indent}{made}\n")
                continue
            name = f"%{self._temps}"
            self._temps += 1
            place = self.note_before(LineKind.VALUE, node, indent) if noted else None
            if type(made) is str:
                out.append(f"{indent}{name} = {made}{self.comment(node)};\n")
            else:
                bracketed = type(node) in BRACKETED
                out.append(f"{indent}{name} = {'(' if bracketed else ''}")
                yield made
                out.append(f"{')' if bracketed else ''}{self.comment(node)};\n")
            texts[node] = name
            if noted:
                self.note_after(place, indent)

    def body(
        self, block: int | None, node: Node, depth: int, owner: Node | None = None, case: int = 0
    ) -> Rule:
        """The lines of a block, if they are not written yet, and its result ``node``.

        The block is that of scope ``case`` of ``owner``.
        """
        depth = min(depth, DEEPEST)
        indent = INDENTS[depth]
        around, self._in_block = self._in_block, []
        if block is not None and self.layout.lines[block]:
            yield self.statements(block, depth)
        place = self.note_before(LineKind.RESULT, node, indent, owner, case)
        self.out.append(indent)
        yield self.write_value(node, depth)
        self.out.append("\n")
        self.note_after(place, indent)
        self.leave(self._in_block)
        self._in_block = around

    def name_of(self, node: Node) -> str | None:
        """Return how a node is referred to here, or was where it was in scope."""
        return self.texts.get(node) or self._var_texts.get(node)

    def note_before(
        self, kind: LineKind, node: Node, indent: str, owner: Node | None = None, case: int = 0
    ) -> Place | None:
        """Write what is to be said before lines, and return what these are about.

        What was just said after others is not said again.
        """
        if self.notes is None:
            return None
        place = Place(kind, node, owner, case)
        text = self.notes.before(place, self.name_of)
        said = self.out[-1] if self.out else ""
        if text and said != f"{indent}{after_comment(text)}\n":
            self.out.append(f"{indent}{before_comment(text)}\n")
        return place

    def note_after(self, place: Place | None, indent: str) -> None:
        """Write what is to be said behind lines."""
        if place is None or self.notes is None:
            return
        text = self.notes.after(place, self.name_of)
        if text:
            self.out.append(f"{indent}{after_comment(text)}\n")

    def value_of(self, node: Node, depth: int) -> str | Rule:
        """Return the text of a node where any may stand, or the rule for all but its comment."""
        if node not in self.layout.position or type(node) in VARIABLES:
            return self.operand(node)
        made = TEXTS[type(node)](self, node, depth)
        return made + self.comment(node) if isinstance(made, str) else made

    def write_value(self, node: Node, depth: int) -> Rule:
        """Write a node where any may stand."""
        made = self.value_of(node, depth)
        yield made
        if type(made) is not str:
            self.out.append(self.comment(node))

    def comment(self, node: Node) -> str:
        """Return the comment behind a node that has a line of its own."""
        return "" if self._annotate is None else comment_behind(self._annotate(node))

    def block_of(self, node: Node, declared: Field) -> Rule:
        """Write a scope in braces; the items of one that holds other values too in a list."""
        out, index = self.out, scope_fields(type(node)).blocks.index(declared)
        block = self.layout.opened[node][index + 1]
        value: Any = getattr(node, declared.name)  # Any: as declared
        bound = self._known.get(node, [])
        self.resume(bound)
        depth = min(self._depth + 1, DEEPEST)
        outside = self.enter(depth)
        end = f"{INDENTS[min(outside, DEEPEST)]}}}"
        if declared.shape is Shape.MIXED:
            out.append("[")
            todo: int | None = block
            for place, item in enumerate(value):
                out.append(", " if place else "")
                if not isinstance(item, Node):
                    out.append(spell_leaf(declared, item, self))
                    continue
                out.append("{\n")
                yield self._write_around(node, depth)
                yield self.body(todo, item, depth, node, index)
                todo = None
                out.append(end)
            out.append("]")
        elif value is None:
            out.append("None")
        else:
            out.append("{\n")
            yield self._write_around(node, depth)
            if declared.shape is Shape.MANY:
                around, self._in_block = self._in_block, []
                yield self.statements(block, depth)
                for root in value:
                    noted = self.note_before(LineKind.VALUE, root, INDENTS[depth])
                    out.append(INDENTS[depth])
                    yield self.write_value(root, depth)
                    out.append(";\n")
                    self.note_after(noted, INDENTS[depth])
                self.leave(self._in_block)
                self._in_block = around
            else:
                yield self.body(block, value, depth, node, index)
            out.append(end)
        self.enter(outside)
        self.suspend(bound)

    def _write_around(self, node: Node, depth: int) -> Rule:
        """The lines that several blocks of a node have in common, in the first that is written."""
        around = self.layout.opened[node][0]
        if around >= 0 and node not in self._around:
            self._around.add(node)
            yield self.statements(around, depth)

    def forget(self, node: Node) -> None:
        """Say that a node is written; what it binds is known in the rest of the block at most."""
        bound = self._known.pop(node, [])
        self._around.discard(node)
        if bound and is_declaration(type(node)):
            self.resume(bound)
            self._in_block += bound
        else:
            self.leave(bound)

    def _write_in_place(self, node: Node) -> str:
        """Return the text of a node without a line of its own where it is used."""
        if type(node) in VARIABLES:
            self.add_free(node)
            return self.texts[node]
        family = family_of(type(node))
        if family is not None:
            text = self.family_text(node)
            return f"{family.word}({text})" if family.word else text
        made = TEXTS[type(node)](self, node, self._depth)
        if type(made) is str:
            return made
        raise FieldError(
            f"{node!r} ({type(node).__name__}) is written as a block, so it cannot stand in an "
            f"attribute or pattern; bind it to a variable, and use that there"
        )

    # Variables

    def add_free(self, var: Node) -> None:
        """Let ``var`` be declared at the beginning."""
        self.free[var] = None
        if var not in self._bound:
            self._declared.add(var)
        self.texts[var] = self.name(var)

    def name(self, var: Node) -> str:
        """Return the name of a variable."""
        text = self._var_texts.get(var)
        if text is None:
            hint = _HINTS[type(var)](var)
            text = self._var_texts[var] = f"%{spell_local(self._names.take(hint))}"
        return text

    def bind(self, var: Node, bound: list[Node]) -> str:
        """Bring ``var`` into scope and return its text there; note in ``bound`` what must leave."""
        again = var in self._bound or var in self._declared
        self._bound.add(var)
        text = self.binder(var, again=again)
        if var not in self.texts:
            bound.append(var)
            self.texts[var] = self._var_texts[var]  # which its binder has named
        return text

    @abstractmethod
    def binder(self, var: Node, *, again: bool) -> str:
        """Return the text of a variable where it is bound, unless it is bound ``again``."""

    def suspend(self, bound: Iterable[Node]) -> None:
        """Take variables out of scope until :meth:`resume`."""
        for var in bound:
            if var not in self.free:
                self.texts.pop(var, None)

    def resume(self, bound: Iterable[Node]) -> None:
        """Bring variables into scope again."""
        for var in bound:
            self.texts[var] = self.name(var)

    leave = suspend


def _hint_of_kind(kind: type[Node]) -> Callable[[Any], str]:  # Any: a variable of the kind
    declared = name_field(kind)
    return (lambda _var: kind.visit_name) if declared is None else attrgetter(declared.name)


_HINTS: Final = ByKind(_hint_of_kind)
"""For each kind of variables, the function that says what one would be called."""
