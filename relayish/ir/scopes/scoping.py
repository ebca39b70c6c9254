"""Operands, scopes, binders and free variables: told from the roles of fields.

Everything here follows from declarations, so it holds of kinds that other packages declare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.generate import compile_function
from relayish.ir.fields.roles import CHILD_ROLES, Role, Runs
from relayish.ir.nodes.getters import Nodes, NodesGetter, compile_getter, scope_fields
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind, Traversal


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


PROGRAM: Final = RoleTraversal(*CHILD_ROLES)
"""All that is evaluated, and what it binds; annotations are not entered."""

PATTERNS: Final = RoleTraversal(Role.BINDER)
"""What patterns consist of."""

_PARTS: Final = RoleTraversal(Role.PART)


def parts(node: Node) -> Nodes:
    """Return the parts of ``node``, and those of these, in order.

    Complexity:
        Linear in the number of parts; no recursion.
    """
    found: list[Node] = []
    pending = _PARTS.children(node)
    if not any(map(has_parts, map(type, pending))):
        return tuple(pending)
    pending.reverse()
    while pending:
        part = pending.pop()
        found.append(part)
        pending += _PARTS.children(part)[::-1]
    return tuple(found)


def has_parts(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` may hold parts."""
    return _PARTS.push[kind] is not None


def _with_parts(of_one: ByKind) -> ByKind:
    """Return ``of_one`` extended to parts: results for a node, then for each of its parts."""

    def of_all(node: Node) -> tuple[Any, ...]:  # Any: as of_one says
        found = [*of_one[type(node)](node)]
        for part in parts(node):
            found += of_one[type(part)](part)
        return tuple(found)

    return ByKind(lambda kind: of_all if has_parts(kind) else of_one[kind])


def _getters_by_kind(fields: Callable[[type[Node]], Iterable[Field]]) -> ByKind:
    """Return, by kind, the getter of the nodes in some fields of a node and of its parts."""
    return _with_parts(ByKind(lambda kind: compile_getter(fields(kind))))


def operands(node: Node) -> Nodes:
    """Return what is evaluated before ``node``, in order, that of its parts included.

    Complexity:
        Linear in the number of operands and parts.
    """
    found: Nodes = _OPERANDS[type(node)](node)
    return found


def operands_of(kind: type[Node]) -> NodesGetter:
    """Return the function that gives the operands of nodes of class ``kind``."""
    made: NodesGetter = _OPERANDS[kind]
    return made


def outer_operands(node: Node) -> Nodes:
    """Return the operands that are evaluated in the scope around ``node``: mostly all.

    The rest are :func:`recursive_operands`.
    """
    found: Nodes = _OUTER_OPERANDS[type(node)](node)
    return found


def recursive_operands(node: Node) -> Nodes:
    """Return the operands in which what ``node`` binds is in scope, as it is in its scopes."""
    found: Nodes = _RECURSIVE_OPERANDS[type(node)](node)
    return found


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
    found: tuple[Scope, ...] = _SCOPES[type(node)](node)
    return found


def has_scopes(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` may evaluate scopes."""
    found: bool = _HAS_SCOPES[kind]
    return found


def scope_roots(node: Node) -> Nodes:
    """Return what the scopes of ``node`` evaluate, in order."""
    found: Nodes = _SCOPE_ROOTS[type(node)](node)
    return found


def evaluated(node: Node) -> Nodes:
    """Return all that ``node`` evaluates: operands, then what is in its scopes."""
    return operands(node) + scope_roots(node)


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
    found: Nodes = _BINDERS[type(node)](node)
    return found


def variables_in(root: Node) -> list[Node]:
    """Return the variables that a binder field holds: ``root``, or those of the pattern it is."""
    found: list[Node] = []
    pending = [root]
    while pending:
        node = pending.pop()
        if type(node) in VARIABLES:
            found.append(node)
            continue
        push = PATTERNS.push_all[type(node)]
        if push is not None:
            push(node, pending.append, pending.extend)
    return found


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


SplitByRunCount: TypeAlias = Callable[[Any], tuple[Nodes, Nodes]]  # Any: a node of one kind
"""``split(node)``: what evaluating the node evaluates once at most, and what any number of times.

The former are operands and scopes that run once or one of several, the latter scopes that run
repeatedly or are deferred.
"""


def split_by_run_count(kind: type[Node]) -> SplitByRunCount | None:
    """Return the function that splits what nodes of class ``kind`` evaluate by how often it runs.

    Returns:
        ``None`` where all children of a node are evaluated once at most.

    Example:
        >>> from relayish.ir.relay.expr import Function, If, Var
        >>> x = Var("x")
        >>> split_by_run_count(If) is None
        True
        >>> split_by_run_count(Function)(Function((), x)) == ((), (x,))
        True
    """
    made: SplitByRunCount | None = _RUN_COUNT_SPLITS[kind]
    return made


def _run_count_split_of_kind(kind: type[Node]) -> SplitByRunCount | None:
    if not has_parts(kind) and not _run_often(kind):
        return None
    once, often = _ONCE[kind], _OFTEN[kind]
    return lambda node: (once(node), often(node))


def _run_often(kind: type[Node]) -> list[Field]:
    return [f for f in kind.fields_ if f.runs in (Runs.REPEATEDLY, Runs.DEFERRED)]


def _run_once(kind: type[Node]) -> list[Field]:
    often = _run_often(kind)
    return [f for f in kind.fields_ if f.role in (Role.OPERAND, Role.SCOPE) and f not in often]


def _bound_by_kind(kind: type[Node]) -> NodesGetter | None:
    found = [f for f in scope_fields(kind).binders if not f.holds_patterns]
    return compile_getter(found) if found else None


def _types_bound_by_kind(kind: type[Node]) -> NodesGetter | None:
    found = [f for f in kind.fields_ if f.binder and not f.is_evaluated]
    return compile_getter(found) if found else None


def _binders_of_kind(kind: type[Node]) -> NodesGetter:
    found = scope_fields(kind).binders
    held = compile_getter(found)
    if not any(f.holds_patterns for f in found):
        return held
    return lambda node: tuple([var for root in held(node) for var in variables_in(root)])


def _scopes_of_kind(kind: type[Node]) -> Callable[[Any], tuple[Scope, ...]]:  # Any: of that kind
    fields = scope_fields(kind).scopes
    if not fields:
        return lambda _: ()
    known: dict[str, object] = {"Scope": Scope, "Node": Node, "binders": _BINDERS[kind]}
    items = ""
    for f in fields:
        known[f"runs_{f.name}"] = f.runs or Runs.ONCE
        roots, each = (_BLOCK_SCOPES if f.block else _SCOPES_OF_FIELDS)[f.shape]
        scope = f"Scope({roots}, runs_{f.name}, bound, {f.block})"
        items += each.format(scope=scope, f=f"node.{f.name}").format(f=f"node.{f.name}") + ", "
    bound = "binders(node)" if scope_fields(kind).binders else "()"
    lines = [f"bound = {bound}", f"return ({items})"]
    made: Callable[[Any], tuple[Scope, ...]] = compile_function("scopes(node)", lines, known)
    return made


_SCOPES_OF_FIELDS: Final = {
    Shape.ONE: ("({f},)", "{scope}"),
    Shape.OPTIONAL: ("({f},)", "*(() if {f} is None else ({scope},))"),
    Shape.MANY: ("(each,)", "*[{scope} for each in {f}]"),
    Shape.MIXED: ("(each,)", "*[{scope} for each in {f} if isinstance(each, Node)]"),
}
"""By how a field holds nodes: the roots of a scope, and the scopes, where each is one."""

_BLOCK_SCOPES: Final = {
    Shape.ONE: ("({f},)", "{scope}"),
    Shape.OPTIONAL: ("(() if {f} is None else ({f},))", "{scope}"),
    Shape.MANY: ("tuple({f})", "{scope}"),
    Shape.MIXED: ("tuple([each for each in {f} if isinstance(each, Node)])", "{scope}"),
}
"""The same, where they are the statements of one block."""


_OPERANDS: Final = _getters_by_kind(RoleTraversal(Role.OPERAND).fields)
_OUTER_OPERANDS: Final = _getters_by_kind(lambda kind: scope_fields(kind).outside)
_RECURSIVE_OPERANDS: Final = _getters_by_kind(lambda kind: scope_fields(kind).recursive)
_SCOPE_ROOTS: Final = _getters_by_kind(lambda kind: scope_fields(kind).scopes)
_HAS_SCOPES: Final = ByKind(lambda kind: has_parts(kind) or bool(scope_fields(kind).scopes))
_SCOPES: Final = _with_parts(ByKind(_scopes_of_kind))
_BINDERS: Final = ByKind(_binders_of_kind)
_ONCE: Final = _getters_by_kind(_run_once)
_OFTEN: Final = _getters_by_kind(_run_often)
_RUN_COUNT_SPLITS: Final = ByKind(_run_count_split_of_kind)
BOUND: Final = ByKind(_bound_by_kind)
"""For each kind, the function that gives the variables its nodes bind, or ``None``."""
TYPES_BOUND: Final = ByKind(_types_bound_by_kind)
"""The same for variables for types, or other annotations."""
