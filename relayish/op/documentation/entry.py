"""Reading the tables of documentation.

An entry is a line with the name of the operator and a sentence, and an indented line with the
shapes of its arguments and, after ``->``, of its result::

    nn.dense: Multiply vectors by the transpose of a matrix.
      data (..., k); weight (units, k) -> (..., units)

Several names before the sentence share one entry. Further indented lines are remarks. A line that
is indented further goes on with the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from relayish.op.documentation import arithmetic, image, neural, quantised, runtime, tensor
from relayish.op.documentation.attributes import ATTRIBUTES

_TABLES: Final = (arithmetic, image, neural, quantised, runtime, tensor)


class Entry(NamedTuple):
    """What is said of one operator.

    ``arguments`` maps the names of arguments to their shapes; ``result`` is the shape of the
    result, or what it is.
    """

    summary: str
    arguments: Mapping[str, str]
    result: str
    remarks: tuple[str, ...]


_ENTRIES: dict[str, Entry] = {}


def load_documentation() -> Mapping[str, Entry]:
    """Return what is said of operators, by name; read from the tables when first asked for."""
    if not _ENTRIES:
        for table in _TABLES:
            for names, entry in read_entries(table.TEXT):
                _ENTRIES.update(dict.fromkeys(names, entry))
    return MappingProxyType(_ENTRIES)


def find_undocumented(names: Iterable[str], attributes: Iterable[str] = ()) -> tuple[str, ...]:
    """Return those of ``names`` of operators and ``attributes`` of which nothing is said."""
    known = load_documentation()
    operators = [name for name in names if name not in known]
    return tuple(operators + [name for name in attributes if name not in ATTRIBUTES])


def read_entries(text: str) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Yield the names and the entry of each paragraph of a table."""
    paragraph: list[str] = []
    for line in [*text.strip("\n").splitlines(), ""]:
        if paragraph and not line.startswith("  "):
            yield _read(paragraph)
            paragraph = []
        if line.startswith("      "):
            paragraph[-1] += f" {line.strip()}"
        elif line.strip():
            paragraph.append(line.strip())


def _read(lines: list[str]) -> tuple[tuple[str, ...], Entry]:
    names, _, summary = lines[0].partition(": ")
    shapes, _, result = (lines[1] if len(lines) > 1 else "->").partition("->")
    described = [part.strip().partition(" ") for part in shapes.split(";") if part.strip()]
    arguments = {name: shape for name, _, shape in described}
    return tuple(names.split(", ")), Entry(summary, arguments, result.strip(), tuple(lines[2:]))
