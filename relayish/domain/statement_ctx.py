"""The context of statements that are processed: others are put before and after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, Self

from relayish.domain.analyze_ctx import AnalyzeCtx
from relayish.domain.frame import Frame
from relayish.errors import DispatchError
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import describe, one_line, show_found
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.blocks import (
    holding_field,
)


class StatementCtx(AnalyzeCtx):
    """The context of a visit of blocks: handlers put statements around the one that they handle.

    What is put into a block, and when, is up to what derives from it.
    """

    _frames: list[Frame]

    def __new__(cls, *args: object, **options: object) -> Self:
        self = super().__new__(cls, *args, **options)
        self._frames = []
        return self

    def prepend(self, statements: Node | Sequence[Node]) -> None:
        """Put statements before the one that is being processed, behind those put there before.

        Args:
            statements: A statement of the language of the block, or several in order. Of a let,
                what it holds as its body does not matter.

        Raises:
            DispatchError: If no statement is being processed, or the node being handled is an
                operand in a graph, or is not run once whenever the statement is.
        """
        frame, given = self._place("prepend", statements)
        (frame.last if self._is_in_rest(frame) else frame.new).extend(given)
        self._emitted += 1

    def append(self, statements: Node | Sequence[Node]) -> None:
        """Put statements after the one that is being processed, behind those put there before.

        Args:
            statements: As for :meth:`prepend`.

        Raises:
            DispatchError: As :meth:`prepend`; and where what is processed is the value of a block,
                which comes last.
        """
        frame, given = self._place("append", statements)
        if frame.reach == 0 or self._is_in_rest(frame):
            raise DispatchError(
                f"append: {one_line(self._parents[-1])} is the value of its block, after which "
                f"nothing comes; prepend instead, or bind it to a variable: ToANormalForm does"
            )
        frame.after.extend(given)
        self._emitted += 1

    def _is_in_rest(self, frame: Frame) -> bool:
        """Return whether the handler of a chained statement visits by hand what comes after it."""
        if frame.awaited is None:
            return False
        return self._parents[frame.depth + 1 : frame.depth + 2] == [frame.awaited]

    def may_prepend(self, kind: type[Node]) -> bool:
        """Return whether :meth:`prepend` puts statements of ``kind`` before the node handled."""
        if not self._frames or kind not in self._frames[-1].kinds:
            return False
        frame = self._frames[-1]
        if frame.reach is not None:
            return len(self._parents) - 1 - frame.depth <= frame.reach
        return self._find_scope(frame) is None

    def _place(self, what: str, statements: object) -> tuple[Frame, Sequence[Node]]:
        """Return the frame of the statement that ``what`` puts ``statements`` around, and these."""
        if not self._frames:
            self._refuse_place(what)
        frame: Frame = self._frames[-1]
        given = [statements] if isinstance(statements, Node) else statements
        if not isinstance(given, (list, tuple)):
            raise DispatchError(f"{what} is given {show_found(statements)}; expected statements")
        for each in given:
            if type(each) not in frame.kinds:
                raise DispatchError(
                    f"{what} is given {show_found(each)}; expected a statement that may stand "
                    f"beside {describe(self._parents[frame.depth])}"
                )
        below = len(self._parents) - 1 - frame.depth
        if frame.reach is not None and below > frame.reach:
            self._refuse_place(what)
        scope = None if frame.reach is not None else self._find_scope(frame)
        if scope is not None:
            raise DispatchError(
                f"{what}: {one_line(self._parents[-1])} is evaluated in a scope of "
                f"{describe(scope)}, not once with it, so nothing can be put around that "
                f"statement for it"
            )
        return frame, given

    def _find_scope(self, frame: Frame) -> Node | None:
        """Return what holds the node being handled in a scope, below the statement of a frame."""
        for position in range(frame.depth, len(self._parents) - 1):
            parent, child = self._parents[position], self._parents[position + 1]
            held_as = holding_field(parent, child, Role.SCOPE)
            if held_as is not None and not held_as.block:
                return parent
        return None

    def _refuse_place(self, what: str) -> NoReturn:
        node = self._parents[-1] if self._parents else None
        shown = "nothing is being visited" if node is None else f"{one_line(node)} is no statement"
        raise DispatchError(
            f"{what}: {shown}: it stands in a graph, or is an operand, which have no order; bring "
            f"the program into blocks first, Relay's by ToANormalForm"
        )
