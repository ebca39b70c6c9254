"""Writing the text of the loop IR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter

from relayish._support import hooks
from relayish.errors import FieldError, UnknownKindError
from relayish.ir.modules.module import AnyModule
from relayish.ir.modules.module import Module as DefinitionModule
from relayish.text.line_notes import LineNotes
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.language import TIR
from relayish.tir.text import statement_forms as _statements  # noqa: F401 - completes the table
from relayish.tir.text.names import Frame
from relayish.tir.text.section import DETAILS, section_lines
from relayish.tir.text.spelling import spell_name
from relayish.tir.text.writer import BREAK, Line, Piece, TextPlan, TooLargeError, Writer


def astext(node: IrNode, *, details: bool = True) -> str:
    """Return the text of a program of loops, which parses back to the same.

    Args:
        node: A function, module, statement, expression or operation.
        details: Write the section after it, too, that tells what CINN's forms do not. Without, the
            text is for people; reading it gives what can be told.

    Raises:
        FieldError: If an attribute holds a value that has no text.

    Complexity:
        Linear in the number of distinct nodes: expressions that are shared so often that the text
        would be much larger have a line of their own in the section. Indentation stops growing at
        some depth. No recursion.

    Source:
        CINN ``IrPrinter``.

    Example:
        >>> from relayish import tir
        >>> i, n = tir.Var("i"), tir.Var("n", "int64")
        >>> print(astext(tir.For(i, 0, tir.Cast("int32", n), tir.Block(()))))
        serial for (i, 0, int32(n))
        {
        <BLANKLINE>
        }
        <BLANKLINE>
        #[details]
        var n: int64
    """
    if not isinstance(node, IrNode):
        raise FieldError(
            f"{node!r} ({type(node).__name__}) is no node of the loop IR; expected a function, "
            f"module, statement or expression"
        )
    return write_program([node], details=details)


def write_program(
    roots: Sequence[IrNode], *, details: bool = True, notes: LineNotes | None = None
) -> str:
    """Return the text of one node, or of several functions, with one section behind them all.

    What ``notes`` say about statements stands in comments around these.
    """
    plan = TextPlan(roots)
    while True:
        before = plan.size()
        is_strict = isinstance(roots[0], (LoweredFunc, Module))
        writer = Writer(plan, is_strict=is_strict, exact=details)
        writer.in_module = len(roots) > 1
        writer.notes = notes
        try:
            program = writer.write(_between(roots))
            groups = section_lines(writer)
        except TooLargeError:
            plan.compact()
            continue
        if plan.size() == before:
            break
        plan.share_parts()
    text = "".join(program.pieces)
    if not details:
        return text
    section = _Section(program)
    counts = Counter([frame.name for frame in groups])
    for frame, lines in groups.items():
        if lines and frame is not writer.frames[0]:
            row, column = section.places[frame]
            again = f" at {row}:{column}" if counts[frame.name] > 1 else ""
            section.add_text(f"function {spell_name(frame.name)}{again}:")
        for line in lines:
            section.add(line)
    return text + section.finish()


def _between(roots: Sequence[IrNode]) -> list[Piece]:
    pieces: list[Piece] = []
    for root in roots:
        pieces += ["\n", BREAK, root] if pieces else [root]
    return pieces


class _Section:
    """The section, and what is noted of places in what was written before."""

    def __init__(self, program: Line) -> None:
        self._pieces: list[str] = []
        self._notes: list[str] = []
        self.places: dict[Frame, tuple[int, int]] = {}
        self._row, self._column = 1, 1
        self._pass(program)
        self._row += 2
        self._column = 1

    def add_text(self, text: str) -> None:
        """Add a line."""
        self._pieces += ["\n", text]
        self._row += 1

    def add(self, line: Line) -> None:
        """Add a line about a name."""
        self._row += 1
        self._column = 1
        self._pieces.append("\n")
        self._pieces += line.pieces
        self._pass(line)

    def _pass(self, line: Line) -> None:
        """Turn what is noted of pieces into lines about places."""
        row, column = self._row, self._column
        pieces, at = line.pieces, 0
        marks: list[tuple[int, str | Frame]] = [*line.marks, *line.functions]
        marks.sort(key=itemgetter(0))
        for index, mark in marks:
            between = "".join(pieces[at:index])
            row, column, at = *_advance(row, column, between), index
            if isinstance(mark, Frame):
                self.places[mark] = (row, column)
            else:
                self._notes.append(f"{row}:{column}: {mark}")
        self._row, self._column = _advance(row, column, "".join(pieces[at:]))

    def finish(self) -> str:
        """Return the section, or nothing if there is nothing to tell."""
        if not self._pieces and not self._notes:
            return ""
        return "".join(["\n\n", DETAILS, *self._pieces, *_each_line(self._notes)])


def _advance(row: int, column: int, text: str) -> tuple[int, int]:
    breaks = text.count("\n")
    if not breaks:
        return row, column + len(text)
    return row + breaks, len(text) - text.rindex("\n")


def _each_line(lines: Iterable[str]) -> list[str]:
    return [f"\n{line}" for line in lines]


def print_node(thing: IrNode) -> str:
    """Return what ``str`` shows: the program, without the section."""
    try:
        return astext(thing, details=False)
    except UnknownKindError:
        return repr(thing)


def annotated_text(thing: IrNode | Sequence[IrNode] | AnyModule, notes: LineNotes) -> str:
    """Return the text of a node, of functions, or of a module of these, with comments.

    They stand around statements. It parses back.
    """
    if isinstance(thing, DefinitionModule):
        thing = [func for func in thing.functions.values() if isinstance(func, IrNode)]
    return write_program([thing] if isinstance(thing, IrNode) else thing, notes=notes)


hooks.printers[TIR.name] = print_node
hooks.annotators[TIR.name] = annotated_text
