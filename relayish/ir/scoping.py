"""What a node evaluates, binds, reads and writes: told from the roles of its fields.

Everything here follows from declarations, so it holds of kinds that other packages declare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.field import Field, Shape
from relayish.ir.node import VARIABLES, Node
from relayish.ir.roles import Role, Runs
from relayish.ir.traversal import ByKind, Traversal

Nodes: TypeAlias = tuple[Node, ...]


class Scope(NamedTuple):
    """A piece of program that a node evaluates in a scope of its own.

    Attributes:
        roots: What is evaluated: one node, or the statements of a block in order.
        runs: How often, when the node is evaluated.
        binders: The variables that the node brings into scope there.
        is_block: Whether the roots are statements, which run one after the other.
    """

    roots: Nodes
    runs: Runs
    binders: Nodes
    is_block: bool = False


class RoleTraversal(Traversal):
    """Follows the fields that have one of some roles, whichever family they hold."""

    def __init__(self, *roles: Role) -> None:
        super().__init__(Node)
        self._roles = roles

    def fields(self, kind: type[Node]) -> list[Field]:
        return [f for f in kind.fields_ if f.role in self._roles and f.is_evaluated]


PROGRAM: Final = RoleTraversal(Role.OPERAND, Role.SCOPE, Role.BINDER, Role.PART)
"""All that is evaluated, and what it binds; annotations are not entered."""

_OPERANDS: Final = RoleTraversal(Role.OPERAND)
_PARTS: Final = RoleTraversal(Role.PART)


def operands(node: Node) -> Nodes:
    """Return what is evaluated before ``node``, in order, that of its parts included.

    Complexity:
        Linear in the number of operands and parts.
    """
    evaluated: Nodes = EVALUATED[type(node)](node)
    return evaluated


def operands_of(kind: type[Node]) -> Callable[[Any], Nodes]:  # Any: a node of that kind
    """Return the function that gives the operands of nodes of class ``kind``."""
    made: Callable[[Any], Nodes] = EVALUATED[kind]  # Any: as above
    return made


def parts(node: Node) -> Nodes:
    """Return the parts of ``node``, and those of these, in order.

    Complexity:
        Linear in the number of parts; no recursion.
    """
    found: list[Node] = []
    pending = _PARTS.children(node)[::-1]
    while pending:
        part = pending.pop()
        found.append(part)
        pending += _PARTS.children(part)[::-1]
    return tuple(found)


def _gather_operands(node: Node) -> Nodes:
    """Return the operands of a node that has parts."""
    found = _OPERANDS.children(node)
    for part in parts(node):
        found += _OPERANDS.children(part)
    return tuple(found)


def scopes(node: Node) -> tuple[Scope, ...]:
    """Return the scopes that ``node`` evaluates, in order, those of its parts included.

    Complexity:
        Linear in the number of scopes, parts and bound variables.

    Example:
        >>> from relayish.ir.relay.expr import Let, Var
        >>> x, y = Var("x"), Var("y")
        >>> scopes(Let(x, y, x)) == (Scope((x,), Runs.ONCE, (x,)),)
        True
    """
    made = _SCOPES[type(node)]
    return () if made is None else made(node)


def has_scopes(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` may evaluate scopes."""
    return _SCOPES[kind] is not None


def has_parts(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` may hold parts."""
    found: bool = _HAS_PARTS[kind]
    return found


def bound_by(node: Node) -> Nodes:
    """Return the variables that fields of ``node`` itself bind, in order.

    Variables that patterns bind are those of the patterns; see :func:`binders`. Type variables are
    not among them; see :func:`type_variables_bound_by`.
    """
    made = BOUND[type(node)]
    return () if made is None else made(node)


def type_variables_bound_by(node: Node) -> Nodes:
    """Return the variables for types, or other annotations, that ``node`` binds, in order."""
    made = TYPES_BOUND[type(node)]
    return () if made is None else made(node)


def binders(node: Node) -> Nodes:
    """Return the variables that ``node`` brings into scope, those inside of its patterns included.

    Complexity:
        Linear in the number of nodes in its binder fields; no recursion.
    """
    found: list[Node] = []
    for declared in node.fields_:
        if declared.role is Role.BINDER and declared.is_evaluated:
            for root in nodes_held(declared, node):
                found += variables_in(root)
    return tuple(found)


def variables_in(root: Node) -> list[Node]:
    """Return the variables that a binder field holds: ``root``, or those of the pattern it is."""
    found: list[Node] = []
    pending = [root]
    while pending:
        node = pending.pop()
        if type(node) in VARIABLES:
            found.append(node)
            continue
        push = _BINDING.push_all[type(node)]
        if push is not None:
            push(node, pending.append, pending.extend)
    return found


_BINDING: Final = RoleTraversal(Role.BINDER)


def rebuild_fields(node: Node, change: Callable[[Node, Field, Node], Node]) -> Any:  # Any: its kind
    """Return ``node`` with each node that a field of it, or of its parts, holds replaced.

    Args:
        node: A node of any kind.
        change: ``change(owner, field, held)`` returns what takes the place of ``held`` in ``field``
            of ``owner``: the node, or a part of it. It is called in order of declaration, the node
            before its parts, which is the order of :func:`scopes`.

    Returns:
        ``node`` itself where everything stayed.

    Complexity:
        Linear in the number of fields and of what they hold; no recursion.
    """
    owners: list[Node] = []
    changes: list[dict[str, object]] = []
    pending = [node]
    while pending:
        owner = pending.pop()
        owners.append(owner)
        fields = [f for f in owner.fields_ if f.kind is not None and f.compared]
        changes.append(
            {
                f.name: _changed(f, owner, partial(change, owner, f))
                for f in fields
                if f.role is not Role.PART
            }
        )
        pending += _PARTS.children(owner)[::-1]
    images: dict[Node, Node] = {}
    for owner, changed in zip(reversed(owners), reversed(changes), strict=True):
        parts = [f for f in owner.fields_ if f.role is Role.PART]
        changed.update({f.name: _changed(f, owner, images.__getitem__) for f in parts})
        images[owner] = owner.with_fields(**changed)
    return images[node]


def _changed(declared: Field, owner: Node, change: Callable[[Node], Node]) -> object:
    """Return the value of a field of ``owner`` with the nodes in it changed."""
    value = getattr(owner, declared.name)
    if declared.holds_many:
        return tuple([change(item) if isinstance(item, Node) else item for item in value])
    return None if value is None else change(value)


def free_variables(root: Node) -> Nodes:
    """Return the variables of ``root`` that nothing in it binds, in order of first occurrence.

    A variable that is bound anywhere in ``root`` is not free; a well-formed program uses it
    nowhere else.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    occurring, bound = collect_variables(root, PROGRAM)
    return tuple([var for var in occurring if var not in bound])


def collect_variables(
    root: Node | Sequence[Node], traversal: Traversal
) -> tuple[dict[Node, None], dict[Node, None]]:
    """Return the distinct variables of ``root`` and those of them with a binder, in order.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    occurring: dict[Node, None] = {}
    bound: dict[Node, None] = {}
    table, variables = BOUND, VARIABLES
    for node in traversal.pre_order(root):
        kind = type(node)
        if kind in variables:
            occurring[node] = None
            continue
        made = table[kind]
        if made is not None:
            for variable in made(node):
                bound[variable] = None
    return occurring, bound


def display_name(variable: Node) -> str:
    """Return what people call ``variable``: ``%x``, or what it consists of if it has no name."""
    hints = [getattr(variable, f.name) for f in variable.fields_ if f.hint]
    name = next((hint for hint in hints if isinstance(hint, str)), None)
    return repr(variable) if name is None else f"%{name}"


def nodes_held(declared: Field, node: Node) -> list[Node]:
    """Return the nodes that a field of ``node`` holds, in order."""
    value = getattr(node, declared.name)
    match declared.shape:
        case Shape.ONE:
            return [value]
        case Shape.OPTIONAL:
            return [] if value is None else [value]
        case Shape.MANY:
            return list(value)
        case _:
            return [item for item in value if isinstance(item, Node)]


def holding(fields: list[Field]) -> Callable[[Any], Nodes] | None:  # Any: a node of one kind
    """Return a function that gives the nodes in ``fields`` of a node; ``None`` for no fields."""
    if not fields:
        return None
    items = ", ".join(_ITEMS[f.shape].format(f=f"node.{f.name}") for f in fields)
    scope: dict[str, object] = {"Node": Node}
    exec(f"def held(node): return ({items},)", scope)  # noqa: S102 - built from declarations only
    made = scope["held"]
    assert callable(made)
    return made


_ITEMS: Final = {
    Shape.ONE: "{f}",
    Shape.OPTIONAL: "*(() if {f} is None else ({f},))",
    Shape.MANY: "*{f}",
    Shape.MIXED: "*[item for item in {f} if isinstance(item, Node)]",
}


def _nothing(_node: Node) -> Nodes:
    return ()


def _operands_of_kind(kind: type[Node]) -> Callable[[Any], Nodes]:  # Any: a node of that kind
    if any(f.role is Role.PART for f in kind.fields_):
        return _gather_operands
    return holding(_OPERANDS.fields(kind)) or _nothing


def _bound_by_kind(kind: type[Node]) -> Callable[[Any], Nodes] | None:  # Any: as above
    return holding(
        [
            f
            for f in kind.fields_
            if f.binder and f.is_evaluated and f.kind and f.kind.held_as_ is not Role.BINDER
        ]
    )


def _types_bound_by_kind(kind: type[Node]) -> Callable[[Any], Nodes] | None:  # Any: as above
    return holding([f for f in kind.fields_ if f.binder and not f.is_evaluated])


class Group(NamedTuple):
    """Scopes that know the same variables: those of a node, or of one part of it.

    Attributes:
        binders: The variables.
        seeing: Operands in which the variables are in scope as well.
        scopes: What each scope evaluates, how often, and whether that is a block.
    """

    binders: Nodes
    seeing: Nodes
    scopes: tuple[tuple[Nodes, Runs, bool], ...]


Layout: TypeAlias = Callable[[Any], tuple[Nodes, tuple[Group, ...]]]  # Any: a node of one kind
"""``layout(node)``: the operands in the scope around a node, and the scopes that it opens."""


def layout(kind: type[Node]) -> Layout | None:
    """Return how nodes of class ``kind`` divide into scopes; ``None`` where they open none."""
    made: Layout | None = _LAYOUTS[kind]
    return made


def _layout_of_kind(kind: type[Node]) -> Layout | None:
    roles = {f.role for f in kind.fields_}
    if Role.PART in roles:
        return _gather_layout
    if Role.SCOPE not in roles:
        return None
    outside = holding([f for f in kind.fields_ if _is_outside(f)]) or _nothing
    group = _group_of_kind(kind)
    return lambda node: (outside(node), (group(node),))


def _is_outside(declared: Field) -> bool:
    return declared.role is Role.OPERAND and not declared.sees_binders


def _group_of_kind(kind: type[Node]) -> Callable[[Any], Group]:  # Any: a node of that kind
    """Return what gives the scopes that nodes of a kind open themselves."""
    held = [f for f in kind.fields_ if f.role is Role.SCOPE]
    has_patterns = any(f.binder and f.kind and f.kind.held_as_ is Role.BINDER for f in kind.fields_)
    bound: Callable[[Any], Nodes] = binders  # Any: as above
    if not has_patterns:
        bound = _bound_by_kind(kind) or _nothing
    seeing = holding([f for f in kind.fields_ if f.sees_binders]) or _nothing
    each = [(holding([f]) or _nothing, f.runs or Runs.ONCE, f.block) for f in held]
    if len(held) == 1 and held[0].shape is Shape.ONE:
        ((roots, runs, block),) = each
        return lambda node: Group(bound(node), seeing(node), ((roots(node), runs, block),))

    def group(node: Node) -> Group:
        opened: list[tuple[Nodes, Runs, bool]] = []
        for roots, runs, block in each:
            held_by = roots(node)
            if block:
                opened.append((held_by, runs, block))
            else:
                opened += [((root,), runs, block) for root in held_by]
        return Group(bound(node), seeing(node), tuple(opened))

    return group


_GROUPS: Final = ByKind(_group_of_kind)


def _gather_layout(node: Node) -> tuple[Nodes, tuple[Group, ...]]:
    """Return the layout of a node that has parts."""
    outside: list[Node] = []
    groups: list[Group] = []
    pending = [node]
    while pending:
        part = pending.pop()
        for declared in part.fields_:
            if _is_outside(declared):
                outside += nodes_held(declared, part)
        group = _GROUPS[type(part)](part)
        if group.scopes:
            groups.append(group)
        else:
            outside += group.seeing
        pending += _PARTS.children(part)[::-1]
    return tuple(outside), tuple(groups)


Division: TypeAlias = Callable[[Any], tuple[Nodes, Nodes]]  # Any: a node of one kind
"""``divide(node)``: what evaluating the node evaluates once at most, and what any number of times.

The former are operands and scopes that run once or one of several, the latter scopes that run
repeatedly or are deferred.
"""


def division(kind: type[Node]) -> Division | None:
    """Return how nodes of class ``kind`` divide what they evaluate by how often they do.

    Returns:
        ``None`` where all is evaluated once at most, and the children of a node tell what.

    Example:
        >>> from relayish.ir.relay.expr import Function, If, Var
        >>> x = Var("x")
        >>> division(If) is None, division(Function)(Function((), x)) == ((), (x,))
        (True, True)
    """
    made: Division | None = _DIVISIONS[kind]
    return made


def _division_of_kind(kind: type[Node]) -> Division | None:
    if any(f.role is Role.PART for f in kind.fields_):
        return _divided
    often = [f for f in kind.fields_ if f.runs in _OFTEN]
    if not often:
        return None
    roles = (Role.OPERAND, Role.SCOPE)
    once = [f for f in kind.fields_ if f.role in roles and f.runs not in _OFTEN]
    first, again = holding(once) or _nothing, holding(often) or _nothing
    return lambda node: (first(node), again(node))


def _divided(node: Node) -> tuple[Nodes, Nodes]:
    """Divide what a node with parts evaluates."""
    once = list(operands(node))
    often: list[Node] = []
    for scope in scopes(node):
        (often if scope.runs in _OFTEN else once).extend(scope.roots)
    return tuple(once), tuple(often)


_OFTEN: Final = frozenset({Runs.REPEATEDLY, Runs.DEFERRED})


def _scopes_of_kind(kind: type[Node]) -> Callable[[Any], tuple[Scope, ...]] | None:  # Any: as above
    if layout(kind) is None:
        return None
    return _scopes_of_layout


def _scopes_of_layout(node: Node) -> tuple[Scope, ...]:
    lay_out = layout(type(node))
    assert lay_out is not None
    return tuple(
        [
            Scope(roots, runs, group.binders, is_block)
            for group in lay_out(node)[1]
            for roots, runs, is_block in group.scopes
        ]
    )


_LAYOUTS: Final = ByKind(_layout_of_kind)
_DIVISIONS: Final = ByKind(_division_of_kind)
EVALUATED: Final = ByKind(_operands_of_kind)
"""For each kind, the function that gives the operands of its nodes."""
BOUND: Final = ByKind(_bound_by_kind)
"""For each kind, the function that gives the variables its nodes bind, or ``None``."""
TYPES_BOUND: Final = ByKind(_types_bound_by_kind)
"""The same for variables for types, or other annotations."""
_SCOPES: Final = ByKind(_scopes_of_kind)
_HAS_PARTS: Final = ByKind(lambda kind: bool(_PARTS.fields(kind)))
