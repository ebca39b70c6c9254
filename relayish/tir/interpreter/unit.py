"""Units: pieces of a program as Python functions, each line of which comes from one node.

A program becomes straight-line code in a few loops, one operation a line. Nests that are deeper
than Python allows, and long blocks, are cut into units that call each other. Where calls would nest
deeply, units are generators, which yield what they call to :func:`drive`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Final, NamedTuple

from relayish.errors import EvaluationError
from relayish.ir.nodes.node import Node

MAX_CALLS: Final = 24
"""How deep units call each other directly."""

MAX_UNDER_WAY: Final = 100_000
"""How many calls of generators may wait for each other."""


class Line(NamedTuple):
    """A line of a unit."""

    indent: int
    text: str
    node: Node | None


class Watched(NamedTuple):
    """A variable that errors show, and its local name in the lines from ``first`` up to ``end``."""

    var: Node
    local: str
    first: int
    end: int


class Unit:
    """A Python function in the making.

    Attributes:
        lines: Its lines.
        indent: Of the next line.
        loops: How many loops enclose it.
        height: How deep what it calls nests.
        yields: Whether it is a generator.
        watched: The variables that errors show.
        params: Its parameters beside the frame.
    """

    def __init__(self, params: tuple[str, ...] = ()) -> None:
        self.lines: list[Line | None] = []
        self.indent = 1
        self.loops = 0
        self.height = 0
        self.yields = False
        self.watched: list[Watched] = []
        self.params = params
        self.nodes: list[Node | None] = []
        self.node: Node | None = None
        self._start: list[str] = []
        self._starts: dict[object, str] = {}
        self._captured: dict[str, object] = {}
        self._names: dict[int, str] = {}
        self._count = 0
        self._function: FunctionType | None = None

    def line(self, text: str) -> None:
        """Add a line, for the node that is being compiled."""
        self.lines.append(Line(self.indent, text, self.node))

    def reserve(self) -> int:
        """Keep room for a line, which may stay empty, and return which it is."""
        self.lines.append(None)
        return len(self.lines) - 1

    def fill(self, at: int, like: int, text: str) -> None:
        """Put a line where room was kept, indented as the line ``like``."""
        self.lines[at] = Line(like, text, self.node)

    def name(self, prefix: str = "t") -> str:
        """Return a new name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def assign(self, text: str) -> str:
        """Add a line that gives a new name the value of an expression of Python."""
        made = self.name()
        self.line(f"{made} = {text}")
        return made

    def capture(self, value: object, prefix: str = "c") -> str:
        """Return the name by which the unit knows an object."""
        found = self._names.get(id(value))
        if found is None:
            found = self._names[id(value)] = f"{prefix}{len(self._captured)}"
            self._captured[found] = value
        return found

    def at_start(self, key: object, text: Callable[[], str]) -> str:
        """Return the name of what is computed when the unit begins, once for each key."""
        found = self._starts.get(key)
        if found is None:
            found = self._starts[key] = self.name("s")
            self._start.append(f" {found} = {text()}")
        return found

    def finish(self, library: dict[str, object]) -> FunctionType:
        """Return the function; the unit is complete then.

        Args:
            library: What its lines may name.
        """
        if self._function is not None:
            return self._function
        self.yields = self.yields or self.height >= MAX_CALLS
        lines = [line for line in self.lines if line is not None]
        text = [f"def unit({', '.join(('r', *self.params))}):", *self._start]
        self.nodes = [*[None] * (len(text) + 1), *[line.node for line in lines]]
        text += [" " * line.indent + line.text for line in lines]
        text.append(" return None")
        if self.yields:
            text.append(" yield")  # nothing reaches it; it makes a generator of the function
        code = _compile("\n".join(text))
        self._function = FunctionType(code, {**library, **self._captured, "__unit__": self})
        return self._function

    def line_numbers(self) -> dict[int, int]:
        """Return the number in the text of each line that was kept."""
        first = 2 + len(self._start)
        kept = [at for at, line in enumerate(self.lines) if line is not None]
        return {at: first + number for number, at in enumerate(kept)}


@lru_cache(maxsize=4096)
def _compile(text: str) -> CodeType:
    """Return the code of a unit; many units are the same but for what they capture."""
    made = compile(text, "<loop IR>", "exec")
    return next(found for found in made.co_consts if isinstance(found, CodeType))


Call = Generator[Any, Any, Any]  # Any: calls under way, and their values


def drive(root: Call, stack: list[Call]) -> Any:  # Any: what the unit returns
    """Run a unit that is a generator, and all that it calls, without Python's stack.

    Args:
        root: The unit, called.
        stack: Where the calls under way are kept, so that errors may say what they are.
    """
    stack.append(root)
    value: object = None
    while True:
        try:
            called = stack[-1].send(value)
        except StopIteration as stop:
            stack.pop()
            if not stack:
                return stop.value
            value = stop.value
        else:
            if len(stack) >= MAX_UNDER_WAY:
                called.close()
                raise EvaluationError(
                    f"more than {MAX_UNDER_WAY:,} calls are under way: functions call each other "
                    f"without end"
                )
            stack.append(called)
            value = None
