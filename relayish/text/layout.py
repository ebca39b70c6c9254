"""Layout: the block in which each node of a program is written, and whether on a line of its own.

What is used as an operand gets a line of its own, ``%n = ...;``, in the innermost block that holds
all of its uses. Which fields open blocks is told by their roles: the branches of an ``if``, the
body of a function or a loop, the arm of a match, what follows a ``let``. A node's block is the
innermost scope that its uses have in common; since users are placed before what they use, that is
one walk in reverse topological order.

This is the analysis of :class:`relayish.ir.scopes.node_scopes.Scopes` with what only a text asks:
which nodes are used once, where any expression may stand, and so need no line; what stands in
attributes; where variables of other languages are declared; and in which order all that is written.
Both follow the same roles and share the tree of scopes; a walk of its own beside this one would
cost a third of printing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from enum import IntEnum
from typing import Any, Final, TypeAlias

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.field import REQUIRED, Field, Shape
from relayish.ir.fields.generate import compile_function, for_each
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import compile_getter, scope_fields
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.traversal import ByKind, PushAll, Traversal
from relayish.ir.scopes.scope_tree import ScopeTree
from relayish.text.tables import LAYOUTS, LEAVES, WHOLES, family_of

OUTERMOST: Final = 0
"""The block around all others."""


class Position(IntEnum):
    """How a node is used: where its text may stand."""

    OPERAND = 0  # on a line of its own
    VALUE = 1  # where it is used: behind the = of a let, or in a field of the generic form
    TAIL = 2  # as the result of a block
    DEFINITION = 3  # as a definition of a module


class Layout:
    """The block of every node, and the nodes that get a line of their own, block by block.

    Args:
        roots: The nodes to write, each with its position in the outermost block.
        free: Variables that are declared at the beginning, though something binds them.

    Attributes:
        lines: For each block, the nodes that get a line of their own in it, in order.
        position: How nodes used once, at a place that takes any expression, are used.
        opened: For each node that opens blocks, their numbers: of scopes, and of recursive
            operands, in order of declaration. Where several know the same variables, the first
            number is that of a block around them, whose lines stand in the one of them that is
            written first; else it is -1.
        apart: What is written by a grammar of its own, such as types, and not as variables are
            bound.

    Complexity:
        Linear in distinct nodes and edges, times the logarithm of the depth where nodes are shared
        between blocks.
    """

    def __init__(self, roots: Iterable[tuple[Node, Position]], free: Collection[Node] = ()) -> None:
        self.tree = ScopeTree()
        self.lines: list[list[Node]] = [[]]
        self.position: dict[Node, Position] = {}
        self.opened: dict[Node, tuple[int, ...]] = {}
        self.apart: list[Node] = []
        self.free = frozenset(free)
        self.place: dict[Node, int] = {}
        self.binding_scope: dict[Node, int] = {}
        self.atoms: list[Node] = []
        given = list(roots)
        order = PIECES.post_order([root for root, _ in given if type(root) not in LEAVES])
        for root, position in given:
            self.use(root, OUTERMOST, position)
        place, lay_out = self.place, _LAY_OUT
        for node in reversed(order):
            scope = place.get(node)
            if scope is not None:
                lay_out[type(node)](self, node, scope)
        if self.atoms:
            self._write_atoms_in_place(order, [root for root, _ in given])
        known, lines = self.position, self.lines
        for node in order:
            if node not in known:
                lines[place[node]].append(node)

    # For what says where its kind of node is written

    def use_operand(self, child: Node, scope: int) -> None:
        """Note the use of a node, no leaf, as an operand."""
        before = self.place.get(child)
        if before is None:
            self.place[child] = scope
            return
        if before != scope:
            self.place[child] = self.tree.find_common_ancestor(before, scope)
        self.position.pop(child, None)

    def use(self, child: Node, scope: int, position: Position) -> None:
        """Note the use of a node at a place that takes any expression."""
        if type(child) in LEAVES:
            return
        if child in self.place:
            self.use_operand(child, scope)
        else:
            self.position[child] = position
            self.place[child] = scope

    def open(self, scope: int) -> int:
        """Return a new block inside ``scope``."""
        self.lines.append([])
        return self.tree.open(scope)

    def bind(self, child: Node, scope: int) -> None:
        """Note that a variable, or a pattern with variables, is bound by a node in ``scope``."""
        kind = type(child)
        if kind in LEAVES:
            self.apart += _APART[kind](child)
            return
        if kind in VARIABLES:
            before = self.binding_scope.setdefault(child, scope)
            self.binding_scope[child] = self.tree.find_common_ancestor(before, scope)
        self.use_operand(child, scope)

    def _write_atoms_in_place(self, order: Iterable[Node], roots: Iterable[Node]) -> None:
        """Let atoms that are used once be written where they are used."""
        atoms = set(self.atoms)
        uses: Counter[Node] = Counter(roots)
        for node in order:
            uses.update([c for c in PIECES.children(node) if c in atoms])
        for node in self.atoms:
            if uses[node] < 2:
                self.position.setdefault(node, Position.VALUE)


class _Pieces(Traversal):
    """Follows what is written as pieces of the program, in attributes too.

    Neither leaves nor what has a grammar of its own are among these.
    """

    left_out = LEAVES

    def fields(self, kind: type[Node]) -> list[Field]:
        if _is_apart(kind) or kind in WHOLES:
            return []
        return [
            f
            for f in kind.fields_
            if f.kind is not None and is_written(f) and not _is_apart(f.kind)
        ]

    def _generate_push_all(self, kind: type[Node]) -> PushAll | None:
        lines = list[str]()
        for name in _ATTRIBUTES[kind]:
            lines += _write_for_attributes(name, "append(child)")
        for declared in reversed(self.fields(kind)):
            push = ["if type(child) not in leaves: append(child)"]
            lines += for_each(declared, push, backwards=True)
        if not lines:
            return None

        def generate() -> PushAll:
            made: PushAll = compile_function("push_all(node, append, extend)", lines, dict(_KNOWN))
            return made

        found: PushAll = self._plan("push_all", kind, generate, _ATTRIBUTES[kind])
        return found


def is_written(declared: Field) -> bool:
    """Return whether a field is part of the text: all that comparison looks at, and notes."""
    if declared.compared or declared.default is REQUIRED:
        return declared.accepts != (Span,)
    return declared.shape is Shape.LEAF and not declared.inferred and Span not in declared.accepts


def _is_apart(kind: type[Node]) -> bool:
    family = family_of(kind)
    return family is not None and not family.entered


LayOut: TypeAlias = Callable[[Layout, Any, int], None]  # Any: a node of one kind


def _lay_out_of_kind(kind: type[Node]) -> LayOut:
    return LAYOUTS[kind] if LAYOUTS.knows(kind) else lay_out_by_roles(kind)


def lay_out_by_roles(kind: type[Node]) -> LayOut:
    """Return what lays out the parts of nodes of a kind, generated from the roles of its fields."""
    if kind in VARIABLES:
        return _lay_out_variable
    if _is_apart(kind):
        return _lay_out_apart
    if kind in WHOLES:
        return _lay_out_whole
    is_pattern = kind.held_as_ is Role.BINDER
    blocks = scope_fields(kind).blocks
    lines = ["place = layout.place"]
    for declared in PIECES.fields(kind):
        if declared in blocks:
            continue
        use = _USE_OPERAND
        if declared.role is Role.BINDER:
            use = ["layout.bind(child, scope)"]
        elif declared.role is not Role.OPERAND and not is_pattern:
            use = ["layout.use(child, scope, in_place)"]
        lines += for_each(declared, use)
    for declared in kind.fields_:
        outside = declared.kind is not None and _is_apart(declared.kind) and is_written(declared)
        if outside and declared.role is not Role.BINDER:
            lines += for_each(declared, ["layout.apart.append(child)"])
    for name in _ATTRIBUTES[kind]:
        lines += _write_for_attributes(name, "layout.use_operand(child, scope)")
    if blocks:
        lines += _open_blocks(blocks, has_binder=any(f.binder for f in kind.fields_))
    if is_pattern:
        lines.append("layout.position[node] = in_place")
    if kind in ATOMS and is_flat(kind):
        lines.append("layout.atoms.append(node)")
    made: LayOut = compile_function("lay_out(layout, node, scope)", lines, dict(_KNOWN))
    return made


_USE_OPERAND: Final = [
    "if type(child) not in leaves:",
    "    before = place.get(child)",
    "    if before is None: place[child] = scope",
    "    elif before == scope: layout.position.pop(child, None)",
    "    else: layout.use_operand(child, scope)",
]


def _write_for_attributes(name: str, use: str) -> list[str]:
    """Return the lines that do something with each node in a field that holds attributes."""
    return [
        f"if node.{name} is not None:",
        f"    for child in nodes_in(node.{name}): {use}",
    ]


def _open_blocks(blocks: tuple[Field, ...], *, has_binder: bool) -> list[str]:
    """Return the lines that open a block for each of these fields and place what is in it."""
    around = "around = layout.open(scope)" if has_binder and len(blocks) > 1 else "around = scope"
    lines = [around]
    for index, declared in enumerate(blocks):
        position = "in_place" if declared.shape is Shape.MANY else "at_end"
        lines.append(f"block{index} = layout.open(around)")
        lines += for_each(declared, [f"layout.use(child, block{index}, {position})"])
    numbers = ", ".join([f"block{index}" for index in range(len(blocks))])
    first = "around" if around != "around = scope" else "-1"
    return [*lines, f"layout.opened[node] = ({first}, {numbers})"]


def _lay_out_variable(layout: Layout, node: Node, scope: int) -> None:
    """Place what the declaration of a variable names; a free one is declared on a line."""
    del scope
    known = layout.binding_scope.get(node)
    if known is None or node in layout.free:
        known = layout.place[node] = OUTERMOST
        layout.position.pop(node, None)
    else:
        layout.position[node] = Position.VALUE
    for child in PIECES.children(node):
        if is_flat(type(child)) and type(child) not in VARIABLES:
            layout.use(child, known, Position.VALUE)
        else:
            layout.use_operand(child, known)
    layout.apart += _APART[type(node)](node)


def _lay_out_apart(layout: Layout, node: Node, scope: int) -> None:
    """Take note of a type, say, in a field that may hold any node."""
    del scope
    layout.apart.append(node)
    layout.position[node] = Position.VALUE


def _lay_out_whole(layout: Layout, node: Node, scope: int) -> None:
    """Leave out what a node consists of, which has a text of its own."""
    del layout, node, scope


def is_flat(kind: type[Node]) -> bool:
    """Return whether nodes of a kind hold none that are pieces of the program."""
    return not PIECES.fields(kind) and not _ATTRIBUTES[kind]


def _compile_apart(kind: type[Node]) -> Callable[[Any], tuple[Node, ...]]:  # Any: as above
    followed = PIECES.fields(kind)
    fields = [f for f in kind.fields_ if is_written(f) and f not in followed and f.kind is not None]
    return compile_getter(fields)


def _attributes(kind: type[Node]) -> tuple[str, ...]:
    """Return the names of the fields without role whose values may hold nodes nonetheless."""
    if _is_apart(kind) or kind in WHOLES:
        return ()
    return tuple(f.name for f in kind.fields_ if f.kind is None and _may_hold_nodes(f))


def _may_hold_nodes(declared: Field) -> bool:
    if not is_written(declared):
        return False
    if not declared.accepts:
        return declared.convert is None
    return any(issubclass(a, (Attrs, tuple, Node)) and a is not Span for a in declared.accepts)


PIECES: Final = _Pieces(Node)
"""What is written as pieces of a program."""
_LAY_OUT: Final = LAYOUTS.derive(_lay_out_of_kind)
_APART: Final = ByKind(_compile_apart)
_ATTRIBUTES: Final = ByKind(_attributes)


_SIMPLE: Final[frozenset[type]] = frozenset({int, float, str, bool, type(None)})


def nodes_in(root: object) -> list[Node]:
    """Return the nodes that are no leaves in attributes, or another value, in order."""
    found: list[Node] = []
    if type(root) in _SIMPLE:
        return found
    values: list[Any] = [root]  # Any: values of attributes
    entered: set[int] = set()
    holds_nothing = _SIMPLE.issuperset
    while values:
        value = values.pop()
        if isinstance(value, DictAttrs) or (value is root and isinstance(value, Attrs)):
            inside = tuple([item for _, item in value.items()])
        elif isinstance(value, tuple) and id(value) not in entered:
            entered.add(id(value))  # the root keeps it alive
            inside = value
        else:
            if isinstance(value, Node) and type(value) not in LEAVES:
                found += [value] if family_of(type(value)) is None else []
            continue
        values += [
            item
            for item in inside[::-1]
            if type(item) not in _SIMPLE
            and (type(item) is not tuple or not holds_nothing(map(type, item)))
        ]
    return found


_KNOWN: Final[dict[str, object]] = {
    "Node": Node,
    "at_end": Position.TAIL,
    "in_place": Position.VALUE,
    "leaves": LEAVES,
    "nodes_in": nodes_in,
}
"""What generated functions refer to."""
