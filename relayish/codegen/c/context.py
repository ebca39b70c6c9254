"""The context of writing C: lines, names, what is known, and which checks may fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, TypeAlias

from relayish.codegen.c.dialect import C11, Dialect
from relayish.codegen.c.helpers import helper_name
from relayish.codegen.c.names import Names
from relayish.codegen.c.text import CText
from relayish.domain import AnalyzeCtx
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError, RelayishError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, operands

DEEPEST_TEXT: Final = 24
"""How deep operators stand in one another before a variable holds what they compute."""

DEEPEST_NEST: Final = 200
"""How deep blocks stand in one another: C asks for 127 of its compilers, clang stops at 256."""


MOST_SHOWN: Final = 8
"""So many numbers a check that fails tells at most."""

Shown: TypeAlias = tuple[str, str]
"""What a number is called, and its text in C."""


class Fault(NamedTuple):
    """Something that a check finds while a function runs; its status is its place in the list.

    Attributes:
        kind: The error that the interpreter raises.
        found: What was found, and what was expected.
        node: Where; ``None`` where what was found says it.
        shown: What numbers are called that the check tells besides.
    """

    kind: type[RelayishError]
    found: str
    node: Node | None
    shown: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.found if self.node is None else f"{self.found}, in {quote(self.node)}"

    def error(self, numbers: Sequence[int] = ()) -> RelayishError:
        """Return the error to raise, with the numbers that the check tells."""
        told = [f"{name} = {n}" for name, n in zip(self.shown, numbers, strict=False)]
        return self.kind(f"{self}, with {', '.join(told)}" if told else str(self))


def too_deep(node: Node) -> CodegenError:
    """Return the error for blocks that stand too deep in one another."""
    return CodegenError(
        f"{DEEPEST_NEST} blocks stand in one another around {quote(node)}, and compilers of C take "
        f"few more; put what is inside into a function of its own"
    )


class Source:
    """What the functions of a source share.

    Attributes:
        faults: What checks find, from status 1 on.
        helpers: The helpers that are used, by what they do and for which element type.
        taken: Names that functions have.
        calls_back: Whether functions of Python are called.
        tells: Whether checks that fail tell numbers: indices, and variables of loops.
        dialect: What it is written in.
        kernels: The functions that stand before all others, which only these call.
    """

    def __init__(
        self, taken: Iterable[str] = (), dialect: Dialect = C11, *, tells: bool = False
    ) -> None:
        self.faults: list[Fault] = []
        self.helpers: dict[tuple[str, str], None] = {}
        self.taken = frozenset(taken)
        self.calls_back = False
        self.tells = tells
        self.dialect = dialect
        self.kernels: list[str] = []


class CCtx(AnalyzeCtx):
    """What handlers that write C share: the function that is being written, and the source.

    Handlers of expressions return a :class:`CText` for an element, and may write lines before, for
    checks and loops; handlers of statements write lines, and return nothing. Both visit what they
    hold by :meth:`text` and :meth:`run`.

    Args:
        source: What all functions share.

    Attributes:
        source: The same.
        lines: The lines of the function that is being written.
        names: Those that are taken there.
        lane: The variable that counts the lanes of a vector, where an element of one is written.
        has_cleanup: Whether the function gives back memory before it returns.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines: list[str] = []
        self.names = Names(source.taken)
        self.lane: str | None = None
        self.has_cleanup = False
        self._depth = 1
        self._memo: dict[Node, CText] = {}
        self._shared: frozenset[Node] = frozenset()

    # Lines

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append(f"{'  ' * self._depth}{text}")

    @contextmanager
    def braces(self, head: str, node: Node, tail: str = "}") -> Iterator[None]:
        """Write what is written within as a block behind ``head``, with names of its own.

        Raises:
            CodegenError: If blocks stand too deep in one another for compilers.
        """
        if self._depth > DEEPEST_NEST:
            raise too_deep(node)
        self.line(f"{head} {{".lstrip())
        self._depth += 1
        self.names.enter()
        memo, self._memo = self._memo, dict(self._memo)
        try:
            yield
        finally:
            self._memo = memo
            self.names.leave()
            self._depth -= 1
        self.line(tail)

    def declare(self, type_: str, hint: str, value: str) -> CText:
        """Write a line that declares a constant, and return its name."""
        name = self.names.fresh(hint)
        self.line(f"const {type_} {name} = {value};")
        return CText(name)

    # Programs

    def text(self, visitor: Dispatch, expr: Node) -> CText:
        """Return the text of an expression, which is computed once where it is used repeatedly."""
        found = self._memo.get(expr)
        if found is not None:
            return found
        made: CText = visitor.visit(expr)
        if not made.is_name and (expr in self._shared or made.depth >= DEEPEST_TEXT):
            made = self.hold(expr, made)
        if expr in self._shared:
            self._memo[expr] = made
        return made

    def hold(self, expr: Node, made: CText, hint: str = "t") -> CText:
        """Return a variable that holds the value of an expression, unless its text is a name."""
        if made.is_name:
            return made
        return self.declare(self.value_type(expr), hint, made.text)

    def value_type(self, expr: Node) -> str:
        """Return the type of C of an element of an expression; contexts of languages say which.

        Raises:
            CodegenError: Always, here.
        """
        raise CodegenError(f"no type of C is known for {quote(expr)}")

    def run(self, visitor: Dispatch, stmt: Node) -> None:
        """Write the lines of a statement; what was computed before is computed anew in it."""
        self._memo, self._shared = {}, frozenset(self.shared_in(operands(stmt)))
        visitor.visit(stmt)

    def is_computed(self, node: Node) -> bool:  # noqa: ARG002 - contexts of languages say so
        """Return whether a node is an expression that is computed, and no mere name."""
        return False

    def shared_in(self, roots: Sequence[Node]) -> Iterator[Node]:
        """Yield the expressions that others of a statement use in several places."""
        seen: set[Node] = set()
        pending = list(roots)
        while pending:
            each = pending.pop()
            if not self.is_computed(each):
                continue
            if each in seen:
                yield each
                continue
            seen.add(each)
            pending += PROGRAM.children(each)

    @contextmanager
    def anew(self, *roots: Node) -> Iterator[None]:
        """Compute within anew what was computed before, and expressions that no statement shows."""
        memo, shared = self._memo, self._shared
        self._memo = {}
        self._shared = shared.union(self.shared_in(roots))
        try:
            yield
        finally:
            self._memo, self._shared = memo, shared

    # Checks and helpers

    def helper(self, does: str, element: str) -> str:
        """Return the name of a helper, which the source is to have."""
        self.source.helpers[does, element] = None
        return helper_name(does, element)

    def fail_if(
        self,
        test: str,
        kind: type[RelayishError],
        found: str,
        node: Node,
        numbers: Sequence[Shown] = (),
    ) -> None:
        """Write a line that ends the function with a status where ``test`` holds."""
        self.line(f"if ({test}) {self.failure(kind, found, node, numbers)}")

    def failure(
        self, kind: type[RelayishError], found: str, node: Node, numbers: Sequence[Shown] = ()
    ) -> str:
        """Return the statement that ends the function with a status, and tells some numbers."""
        told = dict([*self.around(), *numbers][-MOST_SHOWN:]) if self.source.tells else {}
        self.source.faults.append(Fault(kind, found, node, tuple(told)))
        status = str(len(self.source.faults))
        if told:
            status = f"{self.helper('fault', 'int64')}({', '.join([status, *told.values()])})"
        return self.leave(status)

    def around(self) -> Sequence[Shown]:
        """Return what is told of where a line is written; contexts of languages say so."""
        return ()

    def leave(self, status: str) -> str:
        """Return the statement that ends the function with a status that is known."""
        if not self.has_cleanup:
            return f"return {status};"
        return f"{{ status = {status}; goto done; }}"
