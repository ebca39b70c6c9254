"""Output of programs for people: strings and elements in memory, and times."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.core.interpreter.machine import Machine, Value
from relayish.core.interpreter.memory import Piece
from relayish.core.ir.type import Type


def text_at(piece: Piece, offset: int) -> str:
    """Return the string that begins at a place, and ends before a zero byte."""
    data = bytes(piece.data)
    end = data.find(0, offset)
    return data[offset : len(data) if end < 0 else end].decode(errors="replace")


def elements_at(machine: Machine, address: int, held: Type, length: int) -> list[Value]:
    """Return the elements of a type at an address.

    Raises:
        EvaluationError: If they are not there, or one of them holds nothing.
    """
    piece, offset = machine.memory.at(address)
    size = machine.size_of(held)
    return [machine.show(piece, offset + at * size, held) for at in range(length)]


def line_of(title: str, shown: Sequence[Value]) -> str:
    """Return the line that shows elements under a title."""
    return f"{title}: {' '.join(map(str, shown))}"


def take_time(machine: Machine, remark: str) -> None:
    """Show the time since the last mark, which is set anew."""
    now = machine.clock()
    machine.output(f"{remark}: {now - machine.mark:.6f} s")
    machine.mark = now
