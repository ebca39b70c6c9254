"""Reading the text of the loop IR."""

from __future__ import annotations

from typing import Any

from relayish._support.trampoline import Rule, run
from relayish.errors import FieldError
from relayish.ir.nodes.node import Node
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.type import INT32
from relayish.tir.text.declarations import SECTION, names, open_section
from relayish.tir.text.inference import infer
from relayish.tir.text.numbers import fail_range
from relayish.tir.text.operations import OPERATION, operation
from relayish.tir.text.reader import Reader
from relayish.tir.text.statements import anything


def parse(text: str, source_name: str = "from_string") -> Any:  # Any: a node of the loop IR
    r"""Read a program of loops: a function, module, statement, expression or operation.

    Args:
        text: What :func:`astext` writes, or CINN's ``IrPrinter``: without the section of details,
            what can be told from the program is.
        source_name: What errors and spans call the text; the name of its file, say.

    Returns:
        The node, which is structurally equal to the one that was written. It carries spans.

    Raises:
        ParseError: If the text does not follow the grammar, names what is not there, or leaves out
            what cannot be told. It says where, and shows the line.

    Complexity:
        Linear in the length of the text, however deep it nests.

    Example:
        >>> loop = parse("serial for (i, 0, 16)\n{\n  A[i] = (A[i] + 1.0f)\n}")
        >>> loop.body.stmts[0].tensor.shape[0].value
        16
    """
    found = parse_all(text, source_name, most=1)
    return found[0]


def parse_all(
    text: str, source_name: str = "from_string", *, most: int | None = None, row: int = 0
) -> list[IrNode]:
    """Read one program, or several functions, one behind the other. See :func:`parse`.

    Args:
        text: The text.
        source_name: What errors call it.
        most: How many programs may be there.
        row: How many lines stand before it, in what it is a part of.
    """
    if not isinstance(text, str):
        raise FieldError(
            f"programs of loops are read from a str; found {type(text).__name__}; decode bytes "
            f"first"
        )
    text = text.removeprefix("\ufeff")  # a byte order mark, which some editors write
    reader, made = _read(text, source_name, most, row, {})
    if reader.unknown_things:
        given: Any = infer(reader, made)
        _, made = _read(text, source_name, most, row, given)
    return made


def _read(
    text: str, name: str, most: int | None, row: int, given: dict[Any, Any]
) -> tuple[Reader, list[IrNode]]:
    section = SECTION.search(text)
    end = len(text) if section is None else section.start()
    reader = Reader(text, name, end, row, names)
    reader.given = given
    first, last = open_section(reader)
    try:
        run(names(reader, first, last))
        reader.pos = 0
        made = run(_programs(reader, most))
    except FieldError as error:  # of the section, what no field of a node takes
        raise reader.error(str(error), max(0, reader.pos - 1)) from error
    for number, at in reader.wide.items():
        fail_range(reader, number.value, INT32, at)  # type: ignore[attr-defined]  # all are numbers
    for at in reader.notes:
        line, column = reader.locate(at)
        reader.fail(
            f"the section speaks of {line}:{column}, where no node begins that has details; "
            f"correct the place",
            at,
        )
    for key, (start, _) in reader.groups.items():
        reader.fail(f"the section speaks of function {key}, which is not there", start)
    return reader, made


def _programs(reader: Reader, most: int | None) -> Rule:
    made: list[Node] = []
    if reader.skip() >= reader.end:
        reader.fail("expected a function, a statement or an expression; found no program", 0)
    reader.is_module = most is None
    while True:
        if reader.match(OPERATION) is not None:
            made.append(operation(reader))
        else:
            made.append((yield anything(reader)))
        if reader.skip() >= reader.end:
            return made
        if len(made) == most or not isinstance(made[-1], LoweredFunc):
            advice = _advice(reader, made[-1])
            reader.fail(f"expected the end of the program; {reader.found()}; {advice}")


def _advice(reader: Reader, made: Node) -> str:
    if isinstance(made, LoweredFunc):
        return "one function is read here; put several into 'Module m { ... }'"
    if reader.text[reader.pos] in "+-*/%<>=!&|":
        return "an operation stands in parentheses, (a + b)"
    return "put several statements into braces"
