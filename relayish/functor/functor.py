"""The engine of all functors: dispatch, memo and depth for nodes of any family.

A :class:`Functor` dispatches, a ``Visitor`` walks, a ``Mutator`` rebuilds. ``ExprVisitor``,
``TypeMutator``, ``PatternFunctor``, … are these for one family of nodes.

Kinds whose handler a class does not override are walked and rebuilt on an explicit stack, in the
order the natural recursion would take. Only overridden handlers are called. What they visit by hand
nests, and goes on on further thread stacks as deep as the program goes (``_support.segments``);
:meth:`Functor.visit` is where levels are counted. A class that overrides ``visit`` itself is called
for every node, and nests as its own code does.

No kind of node is known here. The default handlers that ``super().visit_<kind>(node)`` finds are
made for every kind that is declared, whenever that is.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any, ClassVar, Final, Generic, NoReturn, Self, TypeVar, cast

from relayish._support.segments import IDLE, Levels, descend, has_room
from relayish.errors import DeclarationError, DispatchError, FieldError, indefinite
from relayish.functor.memo import Finished, Memo, Table, begin
from relayish.functor.misfits import family_of, misfit, no_node
from relayish.functor.notes import find_failure, is_noted, note_visit
from relayish.functor.vtable import (
    Handler,
    check_handlers,
    default_handler,
    find_handler,
    is_default,
)
from relayish.ir.kinds.one_line import one_line, show_found
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING, ByKind, Traversal

N = TypeVar("N", bound=Node)
R = TypeVar("R")

OVERRIDDEN: Final = "overridden"
_HOOKS: Final = frozenset({"visit_children"})


class Functor(Generic[N, R]):
    """Dispatches ``visit(node, *args)`` to the handler of the node's kind; has no handlers itself.

    Results are kept in ``memo_map`` by node, so each node is handled once, unless extra arguments
    are given: then a result depends on them, and every visit calls the handler. A visit that none
    of its handlers asked for begins with nothing but what was put into ``memo_map`` by hand.
    """

    family: ClassVar[type[Node]] = Node
    """The family of nodes it serves; the kinds of its language may have handlers."""
    traversal: ClassVar[Traversal] = EVERYTHING
    memo_map: Table  # of results, of the type each functor declares
    visit_counter: MutableMapping[Node, int] | None
    """How often each node was reached, where that is counted: in visitors."""
    visit_limit: int = 1
    """How often a node that is reached repeatedly is handled, where that is counted."""
    remembers: ClassVar[bool] = False
    """Whether what one visit found out counts for the next, as for questions about one program."""

    _levels: Levels | None  # None: no visit is going on, and the next one begins anew
    _handlers: ClassVar[ByKind]
    _memo: ClassVar[type[dict[Node, Any]]] = dict  # Any: as above
    _steps: ByKind  # what a visit calls: the handler of the node's kind, or the loop
    _images: ByKind | None = None  # the kinds that may take the place of one, if checked
    _intercepts: bool = False  # whether the class overrides visit, so sees every visit

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        if "family" in cls.__dict__ and "traversal" not in cls.__dict__:
            cls.traversal = Traversal(cls.family, evaluated=True)
        families = (cls.family, *cls.traversal.families)
        if check_handlers(cls, Functor, "visit_", families, ("node",), _HOOKS):
            cls._memo = Memo
        cls._intercepts = not is_default(cls.visit)
        cls._tabulate()

    def __new__(cls, *_args: object, **_options: object) -> Self:
        self = super().__new__(cls)
        self.memo_map = cls._memo()
        self.visit_counter = None
        self.visit_limit = cls.visit_limit
        self._levels = IDLE if cls.remembers else None
        self._steps, self._images = cls._steps, cls._images  # of the class, but found sooner
        self._intercepts = cls._intercepts
        return self

    @classmethod
    def _tabulate(cls) -> None:
        """Make the tables of the class; those of its bases do not know its handlers."""
        cls._handlers = ByKind(lambda kind: find_handler(cls, "visit_", kind) or cls._missing(kind))
        cls._steps = cls._handlers

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        """Return what serves a kind that has no handler: here, something that says so."""
        if not issubclass(kind, Node):
            raise no_node(cls, cls.family, kind)

        def refuse(self: Functor[N, R], node: Node, *_args: object) -> R:
            raise DispatchError(
                f"{type(self).__name__} has no handler for {kind.__name__}, met at "
                f"{one_line(node)}; "
                f"define visit_{kind.visit_name}() or visit_node()"
            )

        return refuse

    @default_handler
    def visit(self, node: N, *args: Any) -> R:  # Any: whatever the handlers take
        """Return what the handler of the node's kind returns, from the memo where it is known.

        The memo is that of one visit from outside, and of those that its handlers ask for: each
        begins with what was put into ``memo_map`` (and ``visit_counter``) by hand, and leaves
        behind what it found out, to be read. A class that says ``remembers = True`` goes on with
        that: for functors that are asked about many parts of one program, and answer alike
        whenever they are asked. An object serves one thread at a time.

        Raises:
            DispatchError: If the functor has no handler for the kind of ``node``.
            EndlessRecursionError: If the handlers visit without end.
        """
        levels = self._levels
        step: Callable[..., R]
        result: R
        if levels is None:
            result = self._begin_visit(Functor.visit, node, args)
            return result
        counter = self.visit_counter
        try:
            if args:
                step = self._handlers[type(node)]
            elif counter is None:
                memo = self.memo_map
                result = memo.get(node)  # type: ignore[assignment]
                if result is not None or node in memo:
                    return result
                step = self._steps[type(node)]
            elif node in counter and (self.visit_limit == 1 or counter[node] >= self.visit_limit):
                counter[node] += 1
                memo = self.memo_map
                return memo.get(node) if memo else None  # type: ignore[return-value]
            else:
                step = self._steps[type(node)]
        except TypeError:
            if isinstance(node, Node):
                raise
            # a list cannot even be looked up
            raise no_node(type(self), self.family, type(node)) from None
        depth = levels.depth
        if depth >= levels.limit and not (has_room(levels) or self._ends_at(node, levels)):
            result = descend(self, Functor.visit, node, args)
            return result
        levels.depth = depth + 1
        try:
            if not args:
                if counter is not None:
                    counter[node] = 1 if self.visit_limit == 1 else counter[node] + 1
                result = step(self, node)
            elif len(args) == 1:  # spelt out: f(*args) would cross C at every level
                return step(self, node, args[0])
            elif len(args) == 2:
                return step(self, node, args[0], args[1])
            else:
                return step(self, node, *args)
        finally:
            levels.depth = depth
        if counter is None or result is not None:
            if self._images is not None and type(result) not in self._images[type(node)]:
                self._refuse(node, result)
            self.memo_map[node] = result
        return result

    def _ends_at(self, node: Node, levels: Levels) -> bool:
        """Return whether nothing nests at ``node``, a leaf of no handler: it needs no room."""
        if levels.depth > levels.limit or find_handler(type(self), "visit_", type(node)):
            return False
        return not self.traversal.children(node)

    def _begin_visit(
        self, work: Callable[..., Any], subject: object, args: tuple[object, ...]
    ) -> Any:  # Any: whatever is returned
        """Return what ``work(self, subject, *args)`` returns, as one visit from outside.

        What it found out is left to be read; ``docs/adr/0009-memo.md`` says what the next keeps.
        """
        if self.remembers:  # then no visit begins anew, if the class says so
            raise DeclarationError(
                f"an object of {type(self).__name__} was told to remember; write remembers = True "
                f"in a class: it is looked at when a functor is made"
            )
        memo, given = begin(self.memo_map, self._memo())
        self.memo_map = memo
        try:
            return descend(self, work, subject, args)
        finally:
            self.memo_map = Finished(self.memo_map, memo, given)

    def _note_failure(self, error: Exception) -> None:
        """Say on ``error``, which leaves a visit, which node was being handled, and by whom."""
        if is_noted(error):
            return
        failure = find_failure(error, Functor)
        if failure is not None:
            found, node = failure
            told = found._misfit(node) if isinstance(error, FieldError) else ""  # noqa: SLF001
            note_visit(error, node, told)

    def _misfit(self, node: Node) -> str:
        """Say which image of a child ``node`` cannot hold; ``""`` for none."""
        return misfit(node, self.traversal, self.memo_map, type(self), type(self._handling))

    @property
    def _handling(self) -> object:
        """What has the handlers that errors are about."""
        return self

    def _refuse(self, node: Node, image: object) -> NoReturn:
        """Raise for an image that cannot stand for ``node``."""
        raise DispatchError(
            f"{type(self._handling).__name__} returned {show_found(image)} for {one_line(node)}; "
            f"its handler for {type(node).__name__} must return "
            f"{family_of(type(node)).__name__}, the node itself where nothing changes"
        )


def tables_of(
    owner: type[Functor[Any, Any]], pushes: Any, loop: Handler, leaf: Handler
) -> tuple[ByKind, ByKind]:  # Any: functors and tables of all kinds
    """Return how the engine takes each node class: in its loop, and where a visit begins.

    The first says how to go on from a node: a push, ``None`` for a leaf, or that the class handles
    it. The second says what a visit calls: the handler, the loop, or ``leaf`` for a leaf.
    """

    def push_of(kind: type[Node]) -> object:
        if not owner.traversal.accepts(kind):
            owner._handlers[kind]  # noqa: SLF001 - raises, naming what was met
            raise DispatchError(
                f"{owner.__name__}.visit got {indefinite(kind)}; expected {owner.family.__name__}"
            )
        if owner._intercepts or find_handler(owner, "visit_", kind) is not None:  # noqa: SLF001
            return OVERRIDDEN
        found: object = pushes[kind]
        return found

    pushed = ByKind(push_of)

    def step_of(kind: type[Node]) -> Handler | None:
        push = pushed[kind]
        if push is OVERRIDDEN:
            return cast("Handler", owner._handlers[kind])  # noqa: SLF001
        return leaf if push is None else loop

    return pushed, ByKind(step_of)
