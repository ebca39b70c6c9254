"""The printer's engine: texts, nodes and line breaks on a stack, names in scope, and places.

A form returns what a node is written as: pieces of text, nodes, line breaks. These go onto a
stack, so nothing recurses. What the text does not tell of a node is noted beside its place, and
stands in the section of details.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import GRAPH_NODES, Node
from relayish.text.line_notes import LineKind, LineNotes, Place, after_comment, before_comment
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.traversal import NODES
from relayish.tir.text.names import PLAIN, Frame, class_of, is_plain
from relayish.tir.text.spelling import looks_like_buffer, spell_name
from relayish.tir.text.values import spell_value

DEEPEST: Final = 24
"""Indentation does not grow beyond this many levels, or nests would take quadratic space."""
INDENTS: Final = tuple("\n" + "  " * depth for depth in range(DEEPEST + 1))

BREAK: Final = 0
"""A line break."""
IN: Final = 1
"""From here on, lines stand further to the right."""
OUT: Final = -1
"""From here on, lines stand further to the left."""


class Leave(int):
    """Take the variables out of scope that came into it since there were so many."""

    __slots__ = ()


class Enter:
    """From here on, a variable that was given a name before is in scope."""

    __slots__ = ("text", "var")

    def __init__(self, var: Var, text: str) -> None:
        self.var = var
        self.text = text


class LeaveFrame:
    """The end of a function of a module, whose names are its own."""

    __slots__ = ()


Piece: TypeAlias = "str | int | Enter | Leave | LeaveFrame | Node"
Form: TypeAlias = Callable[[Any, Any], Sequence[Piece]]
"""``form(writer, node)``: what a node is written as; Any: the writer, a node of the kind."""

FORMS: Final[KindTable[Form]] = KindTable("the text printer of loops", "relayish.tir.text.FORMS")
"""How nodes are written: ``form(writer, node)`` gives texts and nodes, in order."""

_NAMES: Final = frozenset({Var, Buffer, Tensor})
_FIRST_LIMIT: Final = 50_000
_GROWTH: Final = 4
_LARGE: Final = 10**9
_SMALL: Final = 6


class TooLargeError(Exception):
    """A program with sharing whose text would be far larger than the program is."""


class TextPlan:
    """What earlier attempts found out about a program, so that its text can be read back.

    Attributes:
        singular: Variables that one name stands for in all of the text.
        named: Nodes that have a line of their own in the section.
        shared: What several functions of a module refer to.
        is_compact: Whether what is used more than once is named wherever it may be.
    """

    def __init__(self, root: Sequence[Node]) -> None:
        self.root = root
        self.singular: dict[Var, None] = {}
        self.named: dict[Node, None] = {}
        self.shared: dict[Node, None] = {}
        self.is_compact = False

    def size(self) -> int:
        """Return how much is known; it only grows."""
        return len(self.singular) + len(self.named) + len(self.shared)

    def share_parts(self) -> None:
        """Say of what shared things consist of that it is shared."""
        if self.shared:
            self.shared.update(dict.fromkeys(NODES.post_order(list(self.shared))))

    def compact(self) -> None:
        """Give a line of its own to whatever is used more than once and is not small."""
        uses: dict[Node, int] = {}
        size: dict[Node, int] = {}
        for node in NODES.post_order(self.root):
            children = NODES.children(node)
            for child in children:
                uses[child] = uses.get(child, 0) + 1
            size[node] = min(1 + sum([size[child] for child in children]), _LARGE)
        for node, times in uses.items():
            if times > 1 and size[node] > _SMALL and type(node) not in _NAMES:
                self.named.setdefault(node)
        self.is_compact = True


class Line:
    """One entry of a text: the program, or a line of the section.

    Attributes:
        marks: What is noted of the node that begins with a piece.
        functions: The functions with names of their own that begin with a piece.
        referenced: The things with lines of their own that it refers to.
    """

    __slots__ = ("functions", "marks", "pieces", "referenced")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.marks: list[tuple[int, str]] = []
        self.functions: list[tuple[int, Frame]] = []
        self.referenced: dict[Node, None] = {}


class Writer:
    """Writes a program, and notes what is to stand in the section.

    Args:
        plan: What earlier attempts found out; this one adds to it.
        is_strict: Whether variables that nothing binds have to be declared.
        exact: Whether values that have no text are errors.
    """

    def __init__(self, plan: TextPlan, *, is_strict: bool, exact: bool) -> None:
        self.plan = plan
        self.is_strict = is_strict
        self.exact = exact
        self.in_module = False
        self.notes: LineNotes | None = None
        """What is to be said about statements, in comments around them."""
        self._written: Counter[Node] = Counter()
        self.line = Line()
        self.frame = Frame()
        self.frames: list[Frame] = [self.frame]
        self.entities: dict[Node, Frame] = {}
        """What the section may have to describe, and where that is known."""
        self.met: list[Node] = []
        """The same in order, variables again when they turn out to need a line."""
        self.declared: set[Node] = set()
        """The variables among these that have a line."""
        self.explicit: set[Node] = set()
        """Numbers that their neighbours would give another type."""
        self.texts: dict[Node, str] = {}
        """How variables, buffers, tensors and named nodes are referred to."""
        self.names: dict[Node, str] = {}
        """The names of these, where they are not their own."""
        self.scope: list[tuple[str, Node]] = []
        self._bound: set[Node] = set()
        self._met: set[Node] = set()
        self._numbers = 0
        self._count = 0
        self._limit = _FIRST_LIMIT
        for var in plan.singular:
            self._enter(var, self.frame)
            self._declare(var)
        for node in plan.shared:
            if type(node) in _NAMES and node not in self.texts:
                self._enter(node, self.frame)

    def start(self) -> None:
        """Begin a line, to which belongs what is noted and referred to from here on."""
        self.line = Line()

    def write(self, pieces: Sequence[Piece], depth: int = 0, defining: Node | None = None) -> Line:
        """Write pieces onto the line that was begun and return it.

        Args:
            pieces: What to write.
            depth: How far lines are indented, the first one excepted.
            defining: The named node that this is the text of.
        """
        line = self.line
        write = line.pieces.append
        stack: list[Any] = list(pieces[::-1])  # Any: pieces, told apart by their type
        forms, named, graph_nodes = FORMS, self.plan.named, GRAPH_NODES
        pop, push, extend = stack.pop, stack.append, stack.extend
        while stack:
            piece = pop()
            kind = type(piece)
            if kind is str:
                write(piece)
            elif kind is int:
                if piece:
                    depth += piece
                else:
                    write(INDENTS[min(depth, DEEPEST)])
            elif kind is Leave:
                self._leave(piece)
            elif kind is Enter:
                self.texts[piece.var] = piece.text
            elif kind is LeaveFrame:
                self.frame = self.frames[0]
            elif named and piece in named and piece is not defining:
                write(self.refer(piece))
            else:
                defining = None
                if self.notes is not None and (not line.pieces or line.pieces[-1][:1] == "\n"):
                    push(self._note_before(piece, INDENTS[min(depth, DEEPEST)]))
                self._count += 1
                if self._count > self._limit:
                    self._grow()
                if kind in graph_nodes:
                    self._meet(piece)
                made = forms[kind](self, piece)
                if len(made) == 1:
                    push(made[0])
                else:
                    extend(made[::-1])
        return line

    def _note_before(self, node: Node, line_break: str) -> str:
        """Write what is to be said before a statement; return what is to be said behind it.

        What was just said after another is not said again.
        """
        assert self.notes is not None
        place = Place(LineKind.VALUE, node, again=self._written[node])
        self._written[node] += 1
        text = self.notes.before(place, self.texts.get)
        pieces = self.line.pieces
        if text and pieces[-2:] != [f"{line_break}{after_comment(text)}", line_break]:
            pieces += [before_comment(text), line_break]
        text = self.notes.after(place, self.texts.get)
        return f"{line_break}{after_comment(text)}" if text else ""

    def _meet(self, node: Node) -> None:
        """Note a node whose sharing counts; met a second time, it gets a line of its own."""
        if node in self._met and node not in self.plan.named:
            self.plan.named[node] = None
        self._met.add(node)

    def _grow(self) -> None:
        """Allow for a larger text, unless it is far larger than the program."""
        if self.plan.is_compact:
            self._limit = _LARGE
        elif self._limit > _FIRST_LIMIT:
            raise TooLargeError
        else:
            distinct = len(NODES.post_order(self.plan.root))
            self._limit = max(_FIRST_LIMIT, _GROWTH * distinct) + 1

    def note(self, detail: str) -> None:
        """Note ``detail`` of the node that is about to be written."""
        self.line.marks.append((len(self.line.pieces), detail))

    def value(self, value: object) -> str:
        """Return the text of a value that is no node."""
        return spell_value(value, exact=self.exact)

    # Names

    def refer(self, node: Node) -> str:
        """Return how a variable, buffer, tensor, or a node with a line of its own is written."""
        found = self.texts.get(node)
        if found is None:
            if type(node) is Var:
                return self._refer_unbound(node)
            frame = self.frames[0] if node in self.plan.shared else self.frame
            found = self._enter(node, frame)
        frame = self.entities.get(node, self.frame)
        if frame is not self.frame and frame is not self.frames[0]:
            self.plan.shared.setdefault(node)
        if node in self.entities:
            self.line.referenced[node] = None
        return found

    def _enter(self, node: Any, frame: Frame) -> str:  # Any: what has a name, unless it is named
        """Give ``node`` a name that stands for it everywhere."""
        if type(node) in _NAMES:
            name = frame.reserve(node.name)
            if name != node.name:
                self.names[node] = name
            found = spell_name(name)
        else:
            self.plan.named.setdefault(node)
            found = f"%{self._numbers}"
            self._numbers += 1
        self.texts[node] = found
        self.entities[node] = frame
        self.met.append(node)
        return found

    def _declare(self, var: Var) -> None:
        if var not in self.declared:
            self.declared.add(var)
            self.met.append(var)

    def _refer_unbound(self, var: Var) -> str:
        """Return the text of a variable that is not in scope."""
        if var in self._bound:
            self.plan.singular.setdefault(var)
        found = self._enter(var, self.frames[0] if var in self.plan.shared else self.frame)
        self.line.referenced[var] = None
        if self.is_strict or not is_plain(var) or looks_like_buffer(found):
            self._declare(var)
        return found

    def refer_to_address(self, var: Var) -> str:
        """Return the text of a variable that is loaded or stored, where a tensor may stand."""
        found = self.refer(var)
        if var in self.entities:
            self._declare(var)
        return found

    def bind(self, var: Var, *, is_typed: bool = False) -> str:
        """Return the text of a variable where it is bound, and bring it into scope.

        Args:
            var: The variable.
            is_typed: Whether its type stands there too.
        """
        if var in self._bound or var in self.entities:
            self.plan.singular.setdefault(var)
            self._bound.add(var)
            return self.refer(var)
        self._bound.add(var)
        found = class_of(var)
        untyped = found._replace(dtype=PLAIN.dtype) if found is not None and is_typed else found
        if untyped is None or (is_typed and untyped.key() != PLAIN.key()):
            self.plan.singular.setdefault(var)
        found = None if is_typed else found
        name = self.frame.bind(var.name, found)
        text = self.texts[var] = spell_name(name)
        self.scope.append((name, var))
        return text

    def bind_later(self, var: Var, *, is_typed: bool = False) -> tuple[str, list[Piece]]:
        """Return the text of a variable where it is bound, and what brings it into scope."""
        text = self.bind(var, is_typed=is_typed)
        if var in self.entities:
            return text, []
        del self.texts[var]
        return text, [Enter(var, text)]

    def name_once(self, var: Var) -> str:
        """Return the text of a variable that is bound here and known nowhere."""
        if var in self._bound or var in self.texts:
            self.plan.singular.setdefault(var)
            self._bound.add(var)
            return self.refer(var)
        self._bound.add(var)
        return spell_name(self.frame.pick(var.name))

    def mark(self) -> Leave:
        """Return the piece that takes out of scope what comes into it from here on."""
        return Leave(len(self.scope))

    def _leave(self, mark: int) -> None:
        while len(self.scope) > mark:
            name, var = self.scope.pop()
            self.frame.leave(name)
            if var not in self.entities:
                del self.texts[var]

    def enter_function(self, name: str) -> LeaveFrame:
        """Let names be those of a function of a module; return the piece that ends that."""
        self.frame = Frame(name, self.frames[0])
        self.frames.append(self.frame)
        self.line.functions.append((len(self.line.pieces), self.frame))
        return LeaveFrame()
