"""Scoping of type variables: annotations mention them where they are bound, and bound ones only."""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import NodesGetter, compile_getter
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import Type, TypeVar
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.scoping import TYPES_BOUND, type_variables_bound_by


class Mention(NamedTuple):
    """A type variable in an annotation.

    Attributes:
        variable: The type variable.
        node: What is annotated.
        scope: The scope that it must be known in.
    """

    variable: Node
    node: Node
    scope: int


def find_misplaced_type_variable(
    scopes: Scopes, free: FreeTypeVariables, *, closed: bool
) -> Mention | None:
    """Return the first mention of a type variable that is not in scope; ``None`` if all are.

    Args:
        scopes: Those of the program.
        free: What is known of types already; programs that share types share it.
        closed: Whether type variables that nothing binds are misplaced, too.

    Complexity:
        Linear in the nodes of the program and of types not looked at before, times the type
        variables that are in scope and the functions that bind the same; no recursion.
    """
    mentions = _mentions(scopes, free)
    if not mentions:
        return None
    binding_scopes = _binding_scopes(scopes)
    ancestor = scopes.tree.find_common_ancestor
    for mention in mentions:
        known = binding_scopes.get(mention.variable)
        if known is None:
            if closed:
                return mention
        elif all(ancestor(mention.scope, scope) != scope for scope in known):
            return mention
    return None


def find_unbound_type_variable(data: TypeData) -> tuple[Constructor, Node] | None:
    """Return a constructor that mentions a type variable its definition does not bind, and that.

    Complexity:
        As above, in the nodes of the definition.
    """
    free, bound = FreeTypeVariables(), set(data.type_vars)
    for constructor in data.constructors:
        for given in constructor.inputs:
            for variable in free.of(given):
                if variable not in bound:
                    return constructor, variable
    return None


def _mentions(scopes: Scopes, free: FreeTypeVariables) -> list[Mention]:
    """Return what annotations say of type variables that they do not bind themselves."""
    found: list[Mention] = []
    annotations, known = _ANNOTATIONS, free.known
    for node in scopes.order:
        get = annotations[type(node)]
        if get is None:
            continue
        for annotation in get(node):
            mentioned = known[annotation] if annotation in known else free.of(annotation)
            if mentioned:
                scope = _scope_of_annotations(scopes, node)
                found += [Mention(variable, node, scope) for variable in mentioned]
    return found


def _scope_of_annotations(scopes: Scopes, node: Node) -> int:
    """Return the scope that what annotations of ``node`` mention must be known in."""
    around = scopes.scope.get(node, OUTERMOST)
    binds_types = TYPES_BOUND[type(node)] is not None
    return _inside(scopes, node) if binds_types and node in scopes.opened else around


def _binding_scopes(scopes: Scopes) -> dict[Node, list[int]]:
    """Return the scopes in which each type variable is known that nodes of the program bind.

    There may be several: copies of a function bind the same type variables.
    """
    found: dict[Node, list[int]] = {}
    for node in scopes.opened:
        for variable in type_variables_bound_by(node):
            found.setdefault(variable, []).append(_inside(scopes, node))
    return found


def _inside(scopes: Scopes, node: Node) -> int:
    """Return the scope around all those that ``node`` opens."""
    opened = scopes.opened[node]
    inside = opened[0] if opened else scopes.scope[node]
    for scope in opened[1:]:
        inside = scopes.tree.find_common_ancestor(inside, scope)
    return inside


class FreeTypeVariables:
    """The type variables of types that these do not bind themselves; each type looked at once."""

    def __init__(self) -> None:
        self.known: dict[Node, frozenset[Node]] = {}

    def of(self, root: Node) -> frozenset[Node]:
        """Return the free type variables of ``root``; types with the same have one set."""
        free = self.known
        if root in free:
            return free[root]
        for part in TYPES.post_order(root, lambda part: part not in free):
            if part in free:
                continue
            if type(part) is TypeVar:
                free[part] = frozenset((part,))
                continue
            mentioned = _NONE
            for child in TYPES.children(part):
                mentioned = _union(mentioned, free[child])
            bound = type_variables_bound_by(part)
            free[part] = mentioned.difference(bound) if bound and mentioned else mentioned
        return free[root]


def _union(one: frozenset[Node], other: frozenset[Node]) -> frozenset[Node]:
    """Return the union, as one of the two where that is all of it."""
    if one is other or other <= one:
        return one
    return other if one <= other else one | other


def _annotations_of_kind(kind: type[Node]) -> NodesGetter | None:
    """Return what gives the types in annotations of nodes of class ``kind``, bound ones aside."""
    if kind in NAMES:
        return None
    held = [f for f in kind.fields_ if f.role is Role.ANNOTATION and f.compared]
    types = [f for f in held if f.kind is not None and issubclass(f.kind, Type)]
    return compile_getter(types) if types else None


_NONE: Final[frozenset[Node]] = frozenset()
_ANNOTATIONS: Final = ByKind(_annotations_of_kind)
