"""The engine of all functors: dispatch, memo and depth for nodes of any family.

:class:`Functor` dispatches, :class:`Visitor` walks, :class:`Mutator` rebuilds. ``ExprVisitor``,
``TypeMutator``, ``PatternFunctor``, … are these for one family of nodes.

Kinds whose handler a class does not override are walked and rebuilt on an explicit stack, in the
order the natural recursion would take. Only overridden handlers are called. What they visit by hand
nests, and goes on on further thread stacks as deep as the program goes (``_support.segments``). A
class that overrides ``visit`` itself is called for every node, and nests as its own code does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar, cast

from relayish._support.segments import IDLE, Levels, descend
from relayish.errors import DispatchError
from relayish.functor.vtable import (
    Handler,
    VTable,
    check_handler_names,
    default_handler,
    find_handler,
    is_default,
)
from relayish.ir.node import Node
from relayish.ir.traversal import EVERYTHING, Push, Rebuild, Traversal

N = TypeVar("N", bound=Node)
M = TypeVar("M", bound=Node)
R = TypeVar("R")

OVERRIDDEN: Final = "overridden"
_HOOKS: Final = frozenset({"visit_children", "visit_clause", "visit_pattern", "visit_type"})


class Functor(Generic[N, R]):
    """Dispatches ``visit(node, *args)`` to the handler of the node's kind; has no handlers itself.

    Results are kept in ``memo_map`` by node, so each node is handled once, unless extra arguments
    are given: then a result depends on them, and every visit calls the handler.
    """

    family: ClassVar[type[Node]] = Node
    """The family of nodes it serves; the kinds of its language may have handlers."""
    traversal: ClassVar[Traversal] = EVERYTHING
    memo_map: dict[Node, Any]  # Any: results, of the type each functor declares

    _levels: Levels
    _handlers: ClassVar[VTable]
    _intercepts: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        if "family" in cls.__dict__ and "traversal" not in cls.__dict__:
            cls.traversal = Traversal(cls.family, evaluated=True)
        families = (cls.family, *cls.traversal.families)
        check_handler_names(cls, Functor, "visit_", families, _HOOKS)
        cls._intercepts = not is_default(cls.visit)
        cls._tabulate()

    def __new__(cls, *_args: object, **_options: object) -> Functor[N, R]:
        self = super().__new__(cls)
        self.memo_map = {}
        self._levels = IDLE
        return self

    @classmethod
    def _tabulate(cls) -> None:
        """Make the tables of the class; those of its bases do not know its handlers."""
        cls._handlers = VTable(lambda kind: find_handler(cls, "visit_", kind) or cls._missing(kind))

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        """Return what serves a kind that has no handler: here, something that says so."""
        if not issubclass(kind, Node):
            raise DispatchError(
                f"{cls.__name__}.visit got a {kind.__name__}; expected a node ({_kind(cls.family)})"
            )

        def refuse(self: Functor[N, R], node: Node, *_args: object) -> R:
            raise DispatchError(
                f"{type(self).__name__} has no handler for {kind.__name__}, met at {node!r}; "
                f"define visit_{kind.visit_name}() or visit_node()"
            )

        return refuse

    @default_handler
    def visit(self, node: N, *args: Any) -> R:  # Any: whatever the handlers take
        """Return what the handler of the node's kind returns, from the memo where it is known.

        Raises:
            DispatchError: If the functor has no handler for the kind of ``node``.
            EndlessRecursionError: If the handlers visit without end.
        """
        if not args and node in self.memo_map:
            return cast("R", self.memo_map[node])
        levels = self._levels
        if levels.depth >= levels.limit:
            subject = None if args else node
            return cast("R", descend(self, subject, Functor.visit, self, node, *args))
        handler = self._handlers[type(node)]
        levels.depth += 1
        try:
            if not args:
                result = self.memo_map[node] = handler(self, node)
            elif len(args) == 1:  # spelt out: f(*args) would cross C at every level
                result = handler(self, node, args[0])
            elif len(args) == 2:
                result = handler(self, node, args[0], args[1])
            else:
                result = handler(self, node, *args)
        finally:
            levels.depth -= 1
        return cast("R", result)


def _kind(family: type[Node]) -> str:
    return family.__name__


class Visitor(Functor[N, Any]):
    """Visits every distinct node once, in pre-order; overridden handlers decide what is below them.

    A handler that does not visit the children of its node prunes them; ``visit_children`` or
    ``super().visit_<kind>(node)`` visits them. ``visit_counter`` counts how often each node was
    reached; results that handlers return are kept in ``memo_map``.

    Complexity:
        Linear in the number of distinct nodes and edges.
    """

    visit_counter: dict[Node, int]
    _push: ClassVar[VTable]

    def __new__(cls, *args: object, **options: object) -> Visitor[N]:
        self = cast("Visitor[N]", super().__new__(cls, *args, **options))
        self.visit_counter = defaultdict(int)
        return self

    @classmethod
    def _tabulate(cls) -> None:
        super()._tabulate()
        push = cls.traversal.push_all
        cls._push = VTable(lambda kind: _step(cls, kind, push))

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        if not cls.traversal.accepts(kind):
            return super()._missing(kind)
        return Visitor.visit_children

    @default_handler
    def visit(self, node: N, *args: Any) -> Any:  # Any: whatever the handlers take and return
        """Visit ``node`` unless it was visited before; return what its handler returned."""
        if args:
            return Functor.visit(self, node, *args)
        if node in self.visit_counter:
            self.visit_counter[node] += 1
            return self.memo_map.get(node)
        levels = self._levels
        if levels.depth >= levels.limit:
            return descend(self, node, Visitor.visit, self, node)
        if self._push[type(node)] is not OVERRIDDEN:
            self._walk(node)
            return None
        self.visit_counter[node] = 1
        levels.depth += 1
        try:
            result = self._handlers[type(node)](self, node)
        finally:
            levels.depth -= 1
        if result is not None:
            self.memo_map[node] = result
        return result

    def _walk(self, root: Node) -> None:
        """Visit what is below ``root``, calling handlers where the class overrides them."""
        counter, table, levels = self.visit_counter, self._push, self._levels
        stack = [root]
        pop, append, extend = stack.pop, stack.append, stack.extend
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
                levels.depth += 1
                try:
                    result = self._handlers[type(node)](self, node)
                finally:
                    levels.depth -= 1
                if result is not None:
                    self.memo_map[node] = result
                continue
            push(node, append, extend)

    def visit_children(self, node: Node) -> object:
        """Visit the children of ``node`` in order, each through ``visit``; return ``None``."""
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

    _push: ClassVar[VTable]
    _rebuild: ClassVar[VTable]
    _images: ClassVar[VTable]  # for each kind of node, the kinds that may take its place

    @classmethod
    def _tabulate(cls) -> None:
        super()._tabulate()
        push = cls.traversal.push
        cls._push = VTable(lambda kind: _step(cls, kind, push))
        cls._rebuild = VTable(cls.traversal.rebuild.__getitem__)
        cls._images = VTable(lambda kind: _family_of(kind).kinds)

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        if not cls.traversal.accepts(kind):
            return super()._missing(kind)
        return Mutator.mutate_children

    @default_handler
    def visit(self, node: N, *args: Any) -> N:  # Any: whatever the handlers take
        """Return the image of ``node``; the same image whenever the same node is visited.

        Raises:
            DispatchError: If a handler returns something that cannot stand for its node.
            EndlessRecursionError: If the handlers visit without end.
        """
        if args:
            return Functor.visit(self, node, *args)
        image = self.memo_map.get(node)
        if image is not None:
            return cast("N", image)
        levels = self._levels
        if levels.depth >= levels.limit:
            return cast("N", descend(self, node, Mutator.visit, self, node))
        if self._push[type(node)] is not OVERRIDDEN:
            self._mutate(node)
            return cast("N", self.memo_map[node])
        levels.depth += 1
        try:
            image = self._checked(node, self._handlers[type(node)](self, node))
        finally:
            levels.depth -= 1
        self.memo_map[node] = image
        return cast("N", image)

    mutate = visit

    def _mutate(self, root: Node) -> None:
        """Put the images of ``root`` and of what is below it into the memo."""
        memo, table, rebuild, levels = self.memo_map, self._push, self._rebuild, self._levels
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
                levels.depth += 1
                try:
                    memo[node] = self._checked(node, self._handlers[type(node)](self, node))
                finally:
                    levels.depth -= 1
            else:
                append(node)
                append(None)
                push(node, memo, append)

    def _checked(self, node: Node, image: object) -> Node:
        if type(image) in self._images[type(node)]:
            return cast("Node", image)
        found = "None" if image is None else f"{image!r} ({type(image).__name__})"
        raise DispatchError(
            f"{type(self).__name__} returned {found} for {node!r}; its handler for "
            f"{type(node).__name__} must return {_kind(_family_of(type(node)))}, "
            f"the node itself where nothing changes"
        )

    def mutate_children(self, node: M) -> M:
        """Return ``node`` with each child replaced by its image, each through ``visit``."""
        rebuild: Rebuild | None = self.traversal.rebuild[type(node)]
        if rebuild is None:
            return node
        images: dict[Node, Node] = {}
        for child in self.traversal.children(node):
            images[child] = self.visit(cast("N", child))
        return cast("M", rebuild(node, images.get))

    def mutate_all(self, nodes: Sequence[N]) -> tuple[N, ...]:
        """Return the images of ``nodes``; the same tuple when none of them changed."""
        images = []
        changed = not isinstance(nodes, tuple)
        for node in nodes:
            image = self.visit(node)
            images.append(image)
            changed = changed or image is not node
        return tuple(images) if changed else cast("tuple[N, ...]", nodes)


def _step(owner: type[Functor[Any, Any]], kind: type[Node], push: Any) -> object:  # Any: tables
    """Return how the engine takes nodes of class ``kind``: a push, ``None``, or the handler."""
    if not owner.traversal.accepts(kind):
        owner._handlers[kind]  # noqa: SLF001 - raises, naming what was met
        raise DispatchError(
            f"{owner.__name__}.visit got a {kind.__name__}; expected {_kind(owner.family)}"
        )
    if owner._intercepts or find_handler(owner, "visit_", kind) is not None:  # noqa: SLF001
        return OVERRIDDEN
    followed: Push | None = push[kind]
    return followed


def _family_of(kind: type[Node]) -> type[Node]:
    """Return the outermost class below ``Node`` that ``kind`` belongs to, such as ``Expr``."""
    return kind.__mro__[kind.__mro__.index(Node) - 1]
