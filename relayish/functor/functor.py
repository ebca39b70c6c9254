"""The engine of all functors: dispatch, memo and depth for nodes of any family.

:class:`Functor` dispatches, :class:`Visitor` walks, :class:`Mutator` rebuilds. ``ExprVisitor``,
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

import sys
from collections import defaultdict
from collections.abc import Callable, MutableMapping, Sequence
from types import FrameType
from typing import Any, ClassVar, Final, Generic, NoReturn, TypeVar, cast

from relayish._support.segments import IDLE, Levels, descend, has_room
from relayish.errors import DeclarationError, DispatchError, FieldError, indefinite
from relayish.functor.memo import Finished, Memo, Table, begin
from relayish.functor.notes import find_failure, is_noted, note_visit
from relayish.functor.vtable import (
    Handler,
    check_handlers,
    default_handler,
    find_handler,
    install_default,
    is_default,
)
from relayish.ir.node import Node
from relayish.ir.one_line import one_line, show_found
from relayish.ir.traversal import EVERYTHING, ByKind, Traversal

N = TypeVar("N", bound=Node)
M = TypeVar("M", bound=Node)
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
    _intercepts: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        if "family" in cls.__dict__ and "traversal" not in cls.__dict__:
            cls.traversal = Traversal(cls.family, evaluated=True)
        families = (cls.family, *cls.traversal.families)
        if check_handlers(cls, Functor, "visit_", families, ("node",), _HOOKS):
            cls._memo = Memo
        cls._intercepts = not is_default(cls.visit)
        cls._tabulate()

    def __new__(cls, *_args: object, **_options: object) -> Functor[N, R]:
        self = super().__new__(cls)
        self.memo_map = cls._memo()
        self.visit_counter = None
        self.visit_limit = cls.visit_limit
        self._levels = IDLE if cls.remembers else None
        self._steps, self._images = cls._steps, cls._images  # of the class, but found sooner
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
            raise no_node(cls, kind)

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
                result = self.memo_map.get(node)  # type: ignore[assignment]
                if result is not None or node in self.memo_map:
                    return result
                step = self._steps[type(node)]
            elif node in counter and (self.visit_limit == 1 or counter[node] >= self.visit_limit):
                counter[node] += 1
                return self.memo_map.get(node)  # type: ignore[return-value]
            else:
                step = self._steps[type(node)]
        except TypeError:
            if isinstance(node, Node):
                raise
            raise no_node(type(self), type(node)) from None  # a list cannot even be looked up
        if levels.depth >= levels.limit and not has_room(levels):
            result = descend(self, Functor.visit, node, args)
            return result
        levels.depth += 1
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
            levels.depth -= 1
        if counter is None or result is not None:
            if self._images is not None and type(result) not in self._images[type(node)]:
                self._refuse(node, result)
            self.memo_map[node] = result
        return result

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
            misfit = _misfit(found, node) if isinstance(error, FieldError) else ""
            note_visit(error, node, misfit)

    @property
    def _handling(self) -> object:
        """What has the handlers that errors are about."""
        return self

    def _refuse(self, node: Node, image: object) -> NoReturn:
        """Raise for an image that cannot stand for ``node``."""
        raise DispatchError(
            f"{type(self._handling).__name__} returned {show_found(image)} for {one_line(node)}; "
            f"its handler for {type(node).__name__} must return "
            f"{_family_of(type(node)).__name__}, the node itself where nothing changes"
        )


def no_node(owner: type[Functor[Any, Any]], kind: type) -> DispatchError:  # Any: any functor
    """Return the error for visiting an object of class ``kind``."""
    several = "; visit its items one by one" if issubclass(kind, (list, tuple)) else ""
    return DispatchError(
        f"{owner.__name__}.visit got {indefinite(kind)}; "
        f"expected a node ({owner.family.__name__}){several}"
    )


def functor_at_work() -> Functor[Any, Any] | None:  # Any: over any family, with any results
    """Return the functor whose handlers or loop the caller was called by, the innermost.

    Where no visit is going on, it is the one a handler of which was called by hand.
    """
    at_work = Functor.visit.__code__
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - a record would cost each visit
    called_by_hand = None
    while frame is not None and frame.f_code is not at_work:
        if called_by_hand is None and frame.f_code.co_name.startswith("visit_"):
            called_by_hand = frame
        frame = frame.f_back
    if frame is None and called_by_hand is not None:
        first = called_by_hand.f_locals.get(called_by_hand.f_code.co_varnames[0])
        return first if isinstance(first, Functor) else None
    return None if frame is None else cast("Functor[Any, Any]", frame.f_locals["self"])


def within_a_visit(
    functor: Functor[Any, Any], work: Callable[..., None], subject: object, *args: object
) -> None:  # Any: over any family, with any results
    """Call ``work(functor, subject, *args)`` in a visit of ``functor``, a new one if need be."""
    if functor._levels is None:  # noqa: SLF001 - a property of functors, for this package
        functor._begin_visit(work, subject, args)  # noqa: SLF001
    else:
        work(functor, subject, *args)


def _tables(
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


class Visitor(Functor[N, Any]):
    """Visits every distinct node once, in pre-order; overridden handlers decide what is below them.

    A handler that does not visit the children of its node prunes them; ``visit_children`` or
    ``super().visit_<kind>(node)`` visits them. ``visit_counter`` counts how often each node was
    reached; results that handlers return are kept in ``memo_map``.

    Complexity:
        Linear in the number of distinct nodes and edges.
    """

    visit_counter: MutableMapping[Node, int]
    _push: ClassVar[ByKind]

    def __new__(cls, *args: object, **options: object) -> Visitor[N]:
        self = cast("Visitor[N]", super().__new__(cls, *args, **options))
        self.visit_counter = defaultdict(int)
        return self

    @classmethod
    def _tabulate(cls) -> None:
        super()._tabulate()
        cls._push, cls._steps = _tables(cls, cls.traversal.push_all, cls._walk, cls._leave)

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        if not cls.traversal.accepts(kind):
            return super()._missing(kind)
        return Visitor.visit_children

    def _begin_visit(
        self, work: Callable[..., Any], subject: object, args: tuple[object, ...]
    ) -> Any:  # Any: as the functor's
        counter, given = begin(self.visit_counter, defaultdict(int))
        self.visit_counter = counter
        try:
            return super()._begin_visit(work, subject, args)
        finally:
            self.visit_counter = Finished(self.visit_counter, counter, given)

    def _walk(self, root: Node) -> None:
        """Visit what is below ``root``, calling handlers where the class overrides them."""
        counter, table = self.visit_counter, self._push
        stack: list[Node] = []
        pop, append, extend = stack.pop, stack.append, stack.extend
        table[type(root)](root, append, extend)
        while stack:
            node = pop()
            if node in counter:
                counter[node] += 1
                continue
            counter[node] = 1
            push = table[type(node)]
            if push is None:
                continue
            if push is OVERRIDDEN:
                result = self._handlers[type(node)](self, node)
                if result is not None:
                    self.memo_map[node] = result
                continue
            push(node, append, extend)

    def _leave(self, node: Node) -> None:
        """Do nothing: below ``node``, a leaf, there is nothing to visit."""

    def visit_children(self, node: Node) -> object:
        """Visit the children of ``node`` in order, each through ``visit``; return ``None``."""
        if self._levels is None:
            self._begin_visit(Visitor.visit_children, node, ())
            return None
        for child in self.traversal.children(node):
            self.visit(cast("N", child))
        return None


class Mutator(Functor[N, N]):
    """Returns the program with each node replaced by what its handler returns for it.

    Kinds without a handler are rebuilt from the images of their children: the same object where
    nothing below changed, so that sharing survives and ``is`` tells whether anything changed.
    ``memo_map`` holds the image of every visited node; putting one in beforehand replaces a node.

    Complexity:
        Linear in the number of distinct nodes and edges.
    """

    _push: ClassVar[ByKind]
    _rebuild: ClassVar[ByKind]
    _images: ByKind

    @classmethod
    def _tabulate(cls) -> None:
        super()._tabulate()
        cls._push, cls._steps = _tables(cls, cls.traversal.push, cls._mutate, cls._keep)
        cls._rebuild = ByKind(cls.traversal.rebuild.__getitem__)
        cls._images = ByKind(lambda kind: _family_of(kind).kinds)

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        if not cls.traversal.accepts(kind):
            return super()._missing(kind)
        return Mutator.mutate_children

    def mutate(self, node: N, *args: Any) -> N:  # Any: as visit
        """Return what :meth:`visit` returns."""
        return self.visit(node, *args) if args else self.visit(node)

    def _mutate(self, root: Node) -> Node:
        """Put the images of ``root`` and of what is below it into the memo; return the first."""
        memo, table, rebuild, images = self.memo_map, self._push, self._rebuild, self._images
        get = memo.get
        stack: list[Node | None] = [root]
        pop, append = stack.pop, stack.append
        while stack:
            node = pop()
            if node is None:
                node = pop()
                assert node is not None
                memo[node] = rebuild[type(node)](node, get)
                continue
            if node in memo:
                continue
            push = table[type(node)]
            if push is None:
                memo[node] = node
            elif push is OVERRIDDEN:
                image = self._handlers[type(node)](self, node)
                if type(image) not in images[type(node)]:
                    self._refuse(node, image)
                memo[node] = image
            else:
                append(node)
                append(None)
                push(node, memo, append)
        return cast("Node", memo[root])

    def _keep(self, node: Node) -> Node:
        """Return ``node``: nothing below it, a leaf, can change."""
        return node

    def mutate_children(self, node: M) -> M:
        """Return ``node`` with each child replaced by its image, each through ``visit``."""
        if self._levels is None:
            return self._begin_visit(Mutator.mutate_children, node, ())  # type: ignore[no-any-return]
        images: dict[Node, Node] = {}
        for child in self.traversal.children(node):
            images[child] = self.visit(cast("N", child))
        return cast("M", self.traversal.rebuild[type(node)](node, images.get))

    def _begin_all(self, nodes: Sequence[N]) -> tuple[N, ...]:
        """Call :meth:`mutate_all` as one visit from outside; apart, so that its frame is small."""
        images: tuple[N, ...] = self._begin_visit(Mutator.mutate_all, nodes, ())
        return images

    def mutate_all(self, nodes: Sequence[N]) -> tuple[N, ...]:
        """Return the images of ``nodes``; the same tuple when none of them changed."""
        if self._levels is None:
            return self._begin_all(nodes)
        images = []
        changed = not isinstance(nodes, tuple)
        for node in nodes:
            image = self.visit(node)
            images.append(image)
            changed = changed or image is not node
        return tuple(images) if changed else cast("tuple[N, ...]", nodes)


def _family_of(kind: type[Node]) -> type[Node]:
    """Return the outermost class below ``Node`` that ``kind`` belongs to, such as ``Expr``."""
    return kind.__mro__[kind.__mro__.index(Node) - 1]


def _misfit(functor: Functor[Any, Any], node: Node) -> str:  # Any: over any family
    """Say which image of a child ``node`` cannot hold, and whence it comes; ``""`` for none."""
    for declared in functor.traversal.fields(type(node)):
        assert declared.kind is not None
        held = getattr(node, declared.name)
        for child in held if declared.holds_many else (held,):
            image = functor.memo_map.get(child, child)
            if isinstance(image, Node) and type(image) not in declared.kind.kinds:
                return (
                    f": {_source(functor, type(child))} {one_line(image)} for {one_line(child)}, "
                    f"in whose place only {indefinite(declared.kind)} can stand"
                )
    return ""


def _source(functor: Functor[Any, Any], kind: type[Node]) -> str:
    """Return whence images of nodes of class ``kind`` come, as a subject with its verb."""
    handling = type(functor._handling)  # noqa: SLF001 - a property of functors, for this file
    for owner, prefix in ((type(functor), "visit_"), (handling, "rewrite_")):
        handler = find_handler(owner, prefix, kind)
        if handler is not None:
            return f"{owner.__name__}.{handler.__name__} returned"
    return f"memo_map of {type(functor).__name__} holds"


@default_handler
def _visit_children(self: Visitor[Any], node: Node) -> object:
    """Visit the children of ``node``."""
    return self.visit_children(node)


@default_handler
def _mutate_children(self: Mutator[Any], node: Node) -> Node:
    """Return ``node`` with its children mutated."""
    return self.mutate_children(node)


install_default(Visitor, "visit_", _visit_children)
install_default(Mutator, "visit_", _mutate_children)
