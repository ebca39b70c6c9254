"""Where each part of a program is written.

What is used as an operand gets a line of its own, ``%n = ...;``, in the innermost block that holds
all of its uses. Which fields open blocks is told by their roles: the branches of an ``if``, the
body of a function or a loop, the arm of a match, what follows a ``let``. A node's block is the
innermost scope that its uses have in common; since users are placed before what they use, that is
one walk in reverse topological order.

This is :class:`relayish.ir.scopes.Scopes` with what only a text asks: which nodes are used once,
where any expression may stand, and so need no line; what stands in attributes; where variables of
other languages are declared; and in which order all that is written. Both walk the same roles and
share the tree of scopes; a walk of its own beside this one would cost a third of printing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from enum import IntEnum
from typing import Any, Final

from relayish.ir.attrs import Attrs, DictAttrs
from relayish.ir.field import REQUIRED, Field, Shape
from relayish.ir.held import holding
from relayish.ir.node import ATOMS, VARIABLES, Node
from relayish.ir.roles import Role
from relayish.ir.scope_tree import ScopeTree
from relayish.ir.span import Span
from relayish.ir.traversal import ByKind, Traversal
from relayish.text.tables import LEAVES, PLACES, family_of

OUTERMOST: Final = 0
"""The block around all others."""


class Position(IntEnum):
    """How a node is used: where its text may stand."""

    OPERAND = 0  # on a line of its own
    VALUE = 1  # where it is used: behind the = of a let, or in a field of the generic form
    TAIL = 2  # as the result of a block
    DEFINITION = 3  # as a definition of a module


class Plan:
    """The block of every node, and the nodes that get a line of their own, block by block.

    Args:
        roots: The nodes to write, each with its position in the outermost block.
        free: Variables that are declared at the beginning, though something binds them.

    Attributes:
        lines: For each block, the nodes that get a line of their own in it, in order.
        position: How nodes used once, at a place that takes any expression, are used.
        opened: For each node that opens blocks, their numbers; see :func:`block_fields`. Where
            several know the same variables, the first number is that of a block around them,
            whose lines stand in the one of them that is written first; else it is -1.
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
        self.home: dict[Node, int] = {}
        self.atoms: list[Node] = []
        given = list(roots)
        order = _post_order([root for root, _ in given])
        for root, position in given:
            self.use(root, OUTERMOST, position)
        place, spreads = self.place, _SPREAD
        for node in reversed(order):
            scope = place.get(node)
            if scope is not None:
                spreads[type(node)](self, node, scope)
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
            self.place[child] = self.tree.common_ancestor(before, scope)
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

    def use_operands(self, children: Iterable[Node], scope: int) -> None:
        """Note the uses of nodes as operands."""
        for child in children:
            if type(child) not in LEAVES:
                self.use_operand(child, scope)

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
            before = self.home.get(child)
            known = scope if before is None else self.tree.common_ancestor(before, scope)
            self.home[child] = known
        self.use_operand(child, scope)

    # Kinds that are told by their roles

    def _write_atoms_in_place(self, order: Iterable[Node], roots: Iterable[Node]) -> None:
        """Let atoms that are used once be written where they are used."""
        atoms = set(self.atoms)
        uses: Counter[Node] = Counter(roots)
        for node in order:
            uses.update([c for c in children_of(node) if c in atoms])
        for node in self.atoms:
            if uses[node] < 2:
                self.position.setdefault(node, Position.VALUE)


def children_of(node: Node) -> list[Node]:
    """Return the nodes that are written inside of ``node``, those in attributes included."""
    found = TEXT.children(node)
    for name in _LEAF_WITH_NODES[type(node)]:
        found += nodes_in(getattr(node, name))
    return found


class _Written(Traversal):
    """Follows what is written as pieces of the program; not what has a grammar of its own."""

    def fields(self, kind: type[Node]) -> list[Field]:
        if _is_apart(kind):
            return []
        return [
            f
            for f in kind.fields_
            if f.kind is not None and is_written(f) and not _is_apart(f.kind)
        ]


def is_written(declared: Field) -> bool:
    """Return whether a field is part of the text: all that comparison looks at, and notes."""
    if declared.compared or declared.default is REQUIRED:
        return declared.accepts != (Span,)
    return declared.shape is Shape.LEAF and not declared.inferred and Span not in declared.accepts


def _is_apart(kind: type[Node]) -> bool:
    family = family_of(kind)
    return family is not None and not family.entered


def block_fields(kind: type[Node]) -> tuple[Field, ...]:
    """Return the fields that are written as blocks, for what the node binds is in scope there."""
    found: tuple[Field, ...] = _BLOCK_FIELDS[kind]
    return found


def _block_fields(kind: type[Node]) -> tuple[Field, ...]:
    return tuple(f for f in kind.fields_ if f.role is Role.SCOPE or f.sees_binders)


Spread = Callable[[Plan, Any, int], None]  # Any: a node of one kind


def _spread_of_kind(kind: type[Node]) -> Spread:
    """Return what places the parts of nodes of a kind, generated from the roles of its fields."""
    if PLACES.knows(kind):
        return PLACES[kind]
    if kind in VARIABLES:
        return _spread_variable
    if _is_apart(kind):
        return _spread_apart
    is_pattern = kind.held_as_ is Role.BINDER
    blocks, lines = block_fields(kind), list[str]()
    for declared in TEXT.fields(kind):
        if declared in blocks:
            continue
        use = "if type(child) not in leaves: plan.use_operand(child, scope)"
        if declared.role is Role.BINDER:
            use = "plan.bind(child, scope)"
        elif declared.role is not Role.OPERAND and not is_pattern:
            use = "plan.use(child, scope, in_place)"
        lines += _for_each(declared, use)
    for declared in kind.fields_:
        outside = declared.kind is not None and _is_apart(declared.kind) and is_written(declared)
        if outside and declared.role is not Role.BINDER:
            lines += _for_each(declared, "plan.apart.append(child)")
    for name in _LEAF_WITH_NODES[kind]:
        lines.append(f"if node.{name} is not None: plan.use_operands(inside(node.{name}), scope)")
    if blocks:
        lines += _open_blocks(blocks, has_binder=any(f.role is Role.BINDER for f in kind.fields_))
    if is_pattern:
        lines.append("plan.position[node] = in_place")
    if kind in ATOMS and is_flat(kind):
        lines.append("plan.atoms.append(node)")
    source = "\n    ".join(["def spread(plan, node, scope):", *(lines or ["pass"])])
    known = {"in_place": Position.VALUE, "at_end": Position.TAIL, "leaves": LEAVES}
    scope: dict[str, object] = {**known, "inside": nodes_in, "Node": Node}
    exec(source, scope)  # noqa: S102 - the source is built from declarations only
    made = scope["spread"]
    assert callable(made)
    return made


def _for_each(declared: Field, use: str) -> list[str]:
    """Return the lines that do something with each node in a field, called ``child``."""
    match declared.shape:
        case Shape.ONE:
            return [f"child = node.{declared.name}", use]
        case Shape.OPTIONAL:
            return [f"child = node.{declared.name}", "if child is not None:", f"    {use}"]
        case Shape.MANY:
            return [f"for child in node.{declared.name}:", f"    {use}"]
        case _:
            lines = [f"for child in node.{declared.name}:", "    if isinstance(child, Node):"]
            return [*lines, f"        {use}"]


def _open_blocks(blocks: tuple[Field, ...], *, has_binder: bool) -> list[str]:
    """Return the lines that open a block for each of these fields and place what is in it."""
    around = "around = plan.open(scope)" if has_binder and len(blocks) > 1 else "around = scope"
    lines = [around]
    for index, declared in enumerate(blocks):
        position = "in_place" if declared.shape is Shape.MANY else "at_end"
        lines.append(f"block{index} = plan.open(around)")
        lines += _for_each(declared, f"plan.use(child, block{index}, {position})")
    numbers = ", ".join([f"block{index}" for index in range(len(blocks))])
    first = "around" if around != "around = scope" else "-1"
    return [*lines, f"plan.opened[node] = ({first}, {numbers})"]


def _spread_variable(plan: Plan, node: Node, scope: int) -> None:
    """Place what the declaration of a variable names; a free one is declared on a line."""
    del scope
    home = plan.home.get(node)
    if home is None or node in plan.free:
        home = plan.place[node] = OUTERMOST
        plan.position.pop(node, None)
    else:
        plan.position[node] = Position.VALUE
    for child in TEXT.children(node):
        if type(child) not in LEAVES:
            if is_flat(type(child)) and type(child) not in VARIABLES:
                plan.use(child, home, Position.VALUE)
            else:
                plan.use_operand(child, home)
    for name in _LEAF_WITH_NODES[type(node)]:
        plan.use_operands(nodes_in(getattr(node, name)), home)
    plan.apart += _APART[type(node)](node)


def _spread_apart(plan: Plan, node: Node, scope: int) -> None:
    """Take note of a type, say, in a field that may hold any node."""
    del scope
    plan.apart.append(node)
    plan.position[node] = Position.VALUE


def is_flat(kind: type[Node]) -> bool:
    """Return whether nodes of a kind hold none that are pieces of the program."""
    return not TEXT.fields(kind) and not _LEAF_WITH_NODES[kind]


def _apart_of_kind(kind: type[Node]) -> Callable[[Any], tuple[Node, ...]]:  # Any: as above
    followed = TEXT.fields(kind)
    fields = [f for f in kind.fields_ if is_written(f) and f not in followed and f.kind is not None]
    return holding(fields)


def _leaf_with_nodes(kind: type[Node]) -> tuple[str, ...]:
    """Return the names of the fields without role whose values may hold nodes nonetheless."""
    if _is_apart(kind):
        return ()
    return tuple(f.name for f in kind.fields_ if f.kind is None and _may_hold_nodes(f))


def _may_hold_nodes(declared: Field) -> bool:
    if not is_written(declared):
        return False
    if not declared.accepts:
        return declared.convert is None
    return any(issubclass(a, (Attrs, tuple, Node)) and a is not Span for a in declared.accepts)


TEXT: Final = _Written(Node)
"""What is written as pieces of a program."""
_SPREAD: Final = ByKind(_spread_of_kind)
_APART: Final = ByKind(_apart_of_kind)
_BLOCK_FIELDS: Final = ByKind(_block_fields)
_LEAF_WITH_NODES: Final = ByKind(_leaf_with_nodes)


def _post_order(roots: list[Node]) -> list[Node]:
    """Return the distinct nodes that are no leaves, operands before users, attributes included."""
    order: list[Node] = []
    seen: set[Node] = set()
    stack: list[Any] = list(reversed(roots))  # Any: nodes, and None before a node to be finished
    pop, append, finish, enter = stack.pop, stack.append, order.append, seen.add
    push_children, leaves = _PUSH, LEAVES
    while stack:
        node = pop()
        if node is None:
            finish(pop())
            continue
        kind = type(node)
        if node in seen or kind in leaves:
            continue
        enter(node)
        append(node)
        append(None)
        push = push_children[kind]
        if push is not None:
            push(node, seen, append)
    return order


def _push_of_kind(kind: type[Node]) -> Callable[..., None] | None:
    """Return what puts the children of a node on a stack, those in attributes undermost."""
    if not _LEAF_WITH_NODES[kind]:
        return TEXT.push[kind]
    lines = ["def push(node, seen, append):"]
    for name in _LEAF_WITH_NODES[kind]:
        lines.append(f"if node.{name} is not None:")
        lines.append(f"    for child in inside(node.{name}): append(child)")
    for declared in reversed(TEXT.fields(kind)):
        backwards = f"node.{declared.name}[::-1]"
        each = _for_each(declared, "if child not in seen: append(child)")
        lines += [line.replace(f"in node.{declared.name}:", f"in {backwards}:") for line in each]
    scope: dict[str, object] = {"inside": nodes_in, "Node": Node}
    exec("\n    ".join(lines), scope)  # noqa: S102 - the source is built from declarations only
    made = scope["push"]
    assert callable(made)
    return made


_PUSH: Final = ByKind(_push_of_kind)
_SIMPLE: Final[frozenset[type]] = frozenset({int, float, str, bool, type(None)})


def nodes_in(root: object) -> list[Node]:
    """Return the nodes that are no leaves in attributes, or another value, in order."""
    found: list[Node] = []
    if type(root) in _SIMPLE:
        return found
    values: list[Any] = [root]  # Any: values of attributes
    entered: set[int] = set()
    if isinstance(root, Attrs):
        values = [value for _, value in root.items() if type(value) not in _SIMPLE]
        if not values:
            return found
        values.reverse()
    while values:
        value = values.pop()
        if isinstance(value, Node):
            if type(value) not in LEAVES and family_of(type(value)) is None:
                found.append(value)
        elif isinstance(value, tuple) and id(value) not in entered:
            entered.add(id(value))  # the root keeps it alive
            values += [item for item in reversed(value) if type(item) not in _SIMPLE]
        elif isinstance(value, DictAttrs):
            values += [item for _, item in value.items()][::-1]
    return found
