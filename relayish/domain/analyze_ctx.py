"""The context of an analysis: where a visit is, and what is done where no handler says."""

from __future__ import annotations

from typing import Any, NoReturn, Self

from relayish.domain.dispatch import Dispatch, Handle
from relayish.domain.steps import CALLED, ByOperator
from relayish.domain.surroundings import Surroundings
from relayish.domain.traced import Traced
from relayish.errors import DispatchError, FieldIndexError
from relayish.functor.notes import is_noted, note_visit
from relayish.functor.vtable import default_handler
from relayish.ir.kinds.one_line import one_line
from relayish.ir.kinds.opcode import place_of
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.blocks import is_block, is_statement_of


class AnalyzeCtx(Traced):
    """The context of a visit that reads a program: the stack of parents, and default handling.

    Its driver, configuration and traces are those of :class:`~relayish.domain.driver.Traced`.

    A user's context derives from it, or from :class:`TransformCtx`, and holds what the handlers
    read and fill. It serves any number of visits, one after the other or one within another.

    Source:
        AIR ``ANALYZE_CTX``.
    """

    _emitted = 0
    """How many statements were put into blocks: none, in an analysis."""
    _reenters = False
    """Whether handlers may visit a node within a visit of it, as recursive functions are run."""
    _parents: list[Node]
    _surroundings: Surroundings

    def __new__(cls, *args: object, **options: Any) -> Self:  # Any: what a user's context takes
        self = super().__new__(cls, *args, **options)
        self._parents = []
        self._surroundings = Surroundings()
        return self

    def parent(self, index: int) -> Node | None:
        """Return an ancestor of the node being handled: 0 is that node, 1 what holds it.

        Returns:
            ``None`` past the node that the visit began with.

        Raises:
            FieldIndexError: If ``index`` is negative, or no number.
        """
        _check_index("parent", index, "the node being handled")
        return self._parents[-1 - index] if index < len(self._parents) else None

    @property
    def parents(self) -> tuple[Node, ...]:
        """The node being handled and what holds it, the outermost first."""
        return tuple(self._parents)

    def parent_block(self) -> Node | None:
        """Return the innermost block that the node being handled is in, or ``None``.

        Complexity:
            Linear in the distance to it. Loops and blocks around are known from one question to the
            next: it takes looking at what was entered since, and at whether the rest is the same.
        """
        for node in self._parents[-2::-1]:
            if is_block(type(node)):
                return node
        return None

    def parent_loop(self, index: int = 0) -> Node | None:
        """Return a loop around the node being handled: 0 is the innermost; ``None`` past the last.

        A loop has a scope that runs repeatedly; a node is in it if it is in such a scope.

        Raises:
            FieldIndexError: If ``index`` is negative, or no number.
        """
        _check_index("parent_loop", index, "the innermost loop")
        loops = self._surroundings.of(self._parents).loops
        return self._parents[loops[-1 - index]] if index < len(loops) else None

    @property
    def loop_level(self) -> int:
        """How many loops the node being handled is in; 0: none."""
        return len(self._surroundings.of(self._parents).loops)

    def parent_stmt(self) -> Node | None:
        """Return the innermost statement that the node being handled is or is in, or ``None``."""
        parents = self._parents
        for position in range(len(parents) - 1, -1, -1):
            above = parents[position - 1] if position else None
            if is_statement_of(above, parents[position]):
                return parents[position]
        return None

    @property
    def indent(self) -> int:
        """How many blocks the node being handled is in: what printed lines are indented by."""
        return len(self._surroundings.of(self._parents).blocks)

    @default_handler
    def handle_node(self, visitor: Dispatch, node: Node) -> Any:  # Any: as contexts want
        """Visit the children of ``node`` in order; return ``None``.

        A context that overrides it is asked for every node that no handler has a method for.

        Complexity:
            Nodes below that no method handles use no Python stack.
        """
        steps = visitor.steps.push
        push = steps[type(node)]
        if push.__class__ is ByOperator:
            push = push.entries[push.callee(node)]
        if push is None:
            return
        if push is CALLED:
            for child in entry_of(visitor.steps.children, node)(node):
                visitor.visit(child)
            return
        memo, parents = visitor.memo_map, self._parents
        base = len(parents)
        stack: list[Any] = []  # Any: nodes, below each how often handlers had looked around
        pop, append, extend, enter = stack.pop, stack.append, stack.extend, parents.append
        try:
            push(node, append, extend)
            while stack:
                child = pop()
                if child.__class__ is int:
                    left = parents.pop()
                    if child != visitor.looks and visitor.by_place[type(left)]:
                        del memo[left]
                    continue
                if child in memo:
                    continue
                push = steps[type(child)]
                if push.__class__ is ByOperator:
                    push = push.entries[push.callee(child)]
                if push is None:
                    memo[child] = None
                elif push is CALLED:
                    visitor.visit(child)
                else:
                    memo[child] = None
                    enter(child)
                    append(visitor.looks)
                    push(child, append, extend)
        except Exception as error:
            note_failure(error, parents)
            for unfinished in parents[base:]:
                memo.pop(unfinished, None)
            raise
        finally:
            del parents[base:]

    @default_handler
    def handle_block(self, visitor: Dispatch, node: Node) -> Any:  # Any: as above
        """Visit the statements of a block in order; as any other node, unless overridden."""
        return self.handle_node(visitor, node)

    def handle_unknown_domain(self, visitor: Dispatch, node: Node) -> Any:  # Any: as above
        """Do what is to be done with a node whose domain no handler serves: here, refuse it.

        ``return self.handle_node(visitor, node)`` walks such nodes as any others.

        Raises:
            DispatchError: Naming the domain.
        """
        _refuse_domain(visitor, node)

    def keep(self, node: Node) -> Any:  # Any: as above
        """Return what is the result for a node that nobody looks at: ``None``, in an analysis."""

    def _is_called(self, kind: type[Node]) -> bool:  # noqa: ARG002 - contexts that transform do
        """Return whether default handling of nodes of ``kind`` takes a call of its own."""
        return False

    def _complete(self, step: Handle) -> Handle:
        """Return what is called in place of a handler: the handler."""
        return step

    def _step_for(self, kind: type[Node], step: Handle) -> Handle:  # noqa: ARG002 - as above
        """Return what is called for nodes of ``kind`` that ``step`` handles."""
        return step

    def _leave_out(self, visitor: Dispatch, node: Node, image: Any) -> None:  # Any: as above
        """Take note that ``image``, what visiting ``node`` returned, is not kept in the memo."""

    def _take(self, node: Node, image: Any) -> Any:  # noqa: ARG002 - as above; Any: as above
        """Return what visiting ``node`` returns, of which a handler made a list or ``REMOVED``."""
        return image


def entry_of(table: Any, node: Node) -> Any:  # Any: entries of all sorts
    """Return the entry for ``node`` of a table of a visitor."""
    found = table[type(node)]
    return found.entries[found.callee(node)] if found.__class__ is ByOperator else found


def _check_index(what: str, index: object, first: str) -> None:
    """Refuse what is no number of a parent."""
    if not isinstance(index, int) or index < 0:
        raise FieldIndexError(f"{what}({index!r}): expected 0, {first}, or more")


def note_failure(error: Exception, parents: list[Node]) -> None:
    """Say on ``error``, unless it says so already, which node was being handled."""
    if parents and not is_noted(error):
        note_visit(error, parents[-1])


def _refuse_domain(visitor: Dispatch, node: Node) -> NoReturn:
    """Raise for a node of a domain that no handler serves."""
    domain, operator = place_of(node)
    served = ", ".join(sorted(visitor.handlers)) or "none"
    raise DispatchError(
        f"no handler serves the domain {domain.name!r} of {operator.name!r}, met at "
        f"{one_line(node)}; the visitor has handlers for {served}: give it one more, such as "
        f"DefaultHandler({domain.name!r}), or override handle_unknown_domain of its context"
    )
