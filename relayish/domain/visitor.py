"""Visitors assembled from handlers: by domain, then by operator."""

from __future__ import annotations

from typing import Any, Final, Generic, Self, TypeVar

from relayish._support.segments import Levels, descend, has_room
from relayish.domain.analyze_ctx import AnalyzeCtx, note_failure
from relayish.domain.handler import Handler
from relayish.domain.removed import REMOVED
from relayish.domain.steps import ByOperator, Steps
from relayish.errors import DeclarationError, DuplicateNameError
from relayish.ir.kinds.one_line import show_found
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind

C = TypeVar("C", bound=AnalyzeCtx)


class Visitor(Generic[C]):
    """Calls, for a node, the handler of its operator: found by domain, then by operator.

    Handlers visit children through the visitor, so these may be of any domain. What a node of a
    graph's handler returned is what further visits of that node return: in one visit from outside
    it is handled once, with the parents of its first occurrence. In a language whose programs are
    trees, as core and the loop IR, one object may stand in several places, and is handled in each,
    unless no handler below it looks at anything but the nodes: neither at the context, nor at
    anything of its own. Then all places are alike.

    Args:
        context: Where a visit is, and what is done by default: an :class:`AnalyzeCtx`, a
            :class:`TransformCtx`, or one of the user's.
        handlers: For each domain at most one, a class that takes no arguments, or an object.
        occurrences: Whether a node is handled wherever it occurs, whatever its language, or once;
            by default as above. In programs that share much, that takes time exponential in their
            depth where handlers look at the context.

    Raises:
        DuplicateNameError: If two handlers serve one domain.
        DeclarationError: If something else is given in place of a context or a handler.

    Complexity:
        A visit takes constant time to find the handler, however many domains are served. Handlers
        that recurse in the natural way are carried on further stacks, to a million levels.

    Source:
        AIR ``VISITOR``.
    """

    occurrences: bool
    """Whether nodes of graphs, too, are handled wherever they occur."""
    handlers: dict[str, Handler]
    """By name of the domain that each serves."""

    def __new__(cls, *_given: object, occurrences: bool | None = None) -> Self:
        kind = _Unaware if cls is Visitor and occurrences is not None else cls
        return super().__new__(kind)  # type: ignore[return-value]  # a subclass of it

    def __init__(
        self, context: C, *handlers: Handler | type[Handler], occurrences: bool | None = None
    ) -> None:
        if not isinstance(context, AnalyzeCtx):
            raise DeclarationError(
                f"a Visitor is given {show_found(context)} as its context; expected an object of "
                f"AnalyzeCtx, TransformCtx or a class derived from one: Visitor(AnalyzeCtx(), ...)"
            )
        self._context = context
        self.occurrences = bool(occurrences)
        self.handlers = _by_domain(handlers)
        self.by_place = _ONCE if occurrences is not None else _BY_PLACE
        self.looks = 0
        self.memo_map: dict[Node, Any] = {}  # Any: results of all sorts
        self.steps: Final = Steps(self.handlers, context, notices=occurrences is None)
        self._levels: Levels | None = None

    @property
    def context(self) -> C:
        """Where the visit is, and what is done by default; whoever asks looks at the place."""
        self.looks += 1
        return self._context

    def visit(self, node: Any) -> Any:  # Any: nodes and results of all sorts
        """Return what the handler of the node's operator returns, from the memo where it is known.

        Raises:
            DispatchError: If nothing serves the operator, or ``node`` is no node.
            EndlessRecursionError: If the handlers visit without end.
        """
        levels = self._levels
        if levels is None:
            return self._begin(node)
        memo = self.memo_map
        try:
            if node in memo:
                return memo[node]
            step = self.steps.of_kind[type(node)]
        except TypeError:
            self._refuse(node)  # a list cannot even be looked up
            raise
        if step.__class__ is ByOperator:
            step = step.entries[step.callee(node)]
        if levels.depth >= levels.limit and not has_room(levels):
            again = (True,) if self._context._reenters else ()  # noqa: SLF001 - one machine
            return descend(self, Visitor._visit_within, node, again)
        context, looks = self._context, self.looks
        parents, emitted = context._parents, context._emitted  # noqa: SLF001 - one machine
        levels.depth += 1
        parents.append(node)
        try:
            result = step(self, node)
            if result is REMOVED or result.__class__ is list:
                result = context._take(node, result)  # noqa: SLF001 - as above
        except Exception as error:
            note_failure(error, parents)
            raise
        finally:
            levels.depth -= 1
            parents.pop()
        if context._emitted == emitted and (  # noqa: SLF001 - as above
            looks == self.looks or not self.by_place[type(node)]
        ):
            memo[node] = result
        else:
            context._leave_out(self, node, result)  # noqa: SLF001 - as above
        return result

    def _visit_within(self, node: Any, _again: bool = False) -> Any:
        # Any: as above
        return Visitor.visit(self, node)

    def forget(self) -> None:
        """Forget what was returned in this visit, so that handlers are called again.

        It is what a handler does that runs what is below it more than once, as an evaluation does.
        """
        self.memo_map.clear()

    def visit_by_default(self, node: Any) -> Any:  # Any: as above
        """Return what the context does with ``node``, the one being handled, by default.

        It is what a handler does that overrides a default one, and goes on with it.
        """
        context = self._context
        if self.steps.is_block[type(node)]:
            return context.handle_block(self, node)
        return context.handle_node(self, node)

    def _begin(self, node: Any) -> Any:  # Any: as above
        """Visit ``node`` from outside: nothing is known of it, or of what is below it."""
        self._refuse(node)
        context = self._context
        parents, emitted = context._parents, context._emitted  # noqa: SLF001 - one machine
        depth, before = len(parents), self.memo_map
        self.memo_map = _Forgetful(self) if self.occurrences else {}
        try:
            return descend(self, Visitor.visit, node, ())
        finally:
            del parents[depth:]
            self.memo_map = before
            if not depth:
                context._emitted = emitted  # noqa: SLF001 - as above

    def _refuse(self, node: object) -> None:
        """Raise, saying what was expected, unless ``node`` is a node."""
        if not isinstance(node, Node):
            self.steps.of_kind[type(node)]  # type: ignore[index]

    def _note_failure(self, error: Exception) -> None:
        """Do nothing: :meth:`visit` has said on ``error`` where it came up."""


class _Unaware(Visitor[C]):
    """A visitor that need not notice who asks for its context, which is found sooner."""

    context = None  # type: ignore[assignment]  # of each visitor its own

    def __init__(self, context: C, *handlers: Handler | type[Handler], occurrences: bool) -> None:
        super().__init__(context, *handlers, occurrences=occurrences)
        self.context = context


_BY_PLACE: Final = ByKind(lambda kind: kind.language_.is_tree)
_ONCE: Final = ByKind(lambda _kind: False)
"""By kind, whether a node is handled in each place where handlers look at the place."""


class _Forgetful(dict[Node, Any]):  # Any: results of all sorts
    """Keeps nothing, so that a node is handled wherever it occurs."""

    def __init__(self, visitor: Visitor[Any]) -> None:  # Any: with any context
        super().__init__()
        self._visitor = visitor

    def __setitem__(self, node: Node, result: object) -> None:
        self._visitor._context._leave_out(self._visitor, node, result)  # noqa: SLF001 - as above


def _by_domain(handlers: tuple[Handler | type[Handler], ...]) -> dict[str, Handler]:
    """Return the handlers by the name of the domain that each serves."""
    found: dict[str, Handler] = {}
    for given in handlers:
        made = given() if isinstance(given, type) and issubclass(given, Handler) else given
        if not isinstance(made, Handler):
            raise DeclarationError(
                f"a Visitor is given {show_found(given)} as a handler; expected an object of a "
                f"class derived from Handler, or such a class"
            )
        other = found.get(made.domain.name)
        if other is not None:
            raise DuplicateNameError(
                f"two handlers serve the domain {made.domain.name!r}: {other!r} and {made!r}; "
                f"leave one out, or derive one from the other"
            )
        found[made.domain.name] = made
    return found
