"""Contents of scopes, in order of evaluation: by placement, or as they stand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, Protocol

from relayish.dataflow.graph.control_flow import MAY_HAVE_CONTROL_FLOW, has_control_flow
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.scoping import RoleTraversal, Scope, has_parts, operands, recursive_operands

_NOTHING: Final[tuple[Node, ...]] = ()
_EVALUATED: Final = (Role.OPERAND, Role.SCOPE)
_EVALUATION: Final = RoleTraversal(Role.OPERAND, Role.SCOPE, Role.PART)


class Contents(Protocol):
    """What is evaluated in each scope of a program, in order."""

    is_tree: bool
    """Whether an operand belongs to the point of the node that it is an operand of."""

    def of_root(self, root: Node) -> Sequence[Node]:
        """Return what is evaluated where ``root`` is, that last."""

    def of_scope(self, node: Node, case: int, scope: Scope) -> Sequence[Node]:
        """Return what is evaluated in a scope of ``node``."""

    def given(self, node: Node, case: int, scope: Scope) -> Node | None:
        """Return what a scope gives, if that is not evaluated in it."""

    def before_binding(self, node: Node) -> Sequence[Node] | None:
        """Return the recursive operands of ``node``, with what is evaluated for them.

        Returns:
            ``None`` for a kind that has no such operands.
        """

    def shared(self, node: Node) -> Sequence[Node]:
        """Return what several scopes of ``node`` use of what it binds."""


class TreeContents:
    """Statements and expressions of a tree: each occurrence is evaluated where it stands."""

    is_tree = True

    def __init__(self, root: Node) -> None:
        order = _EVALUATION.post_order(root)
        kinds = {kind for kind in set(map(type, order)) if MAY_HAVE_CONTROL_FLOW[kind] is not False}
        self._carrying: set[Node] = set()
        """What has operands that have scopes that run, or such operands."""
        holds = ByKind(lambda kind: _may_hold(kind, kinds))
        carrying = self._carrying
        for node in order:
            if holds[type(node)] and any(
                o in carrying or has_control_flow(o) for o in operands(node)
            ):
                carrying.add(node)

    def of_root(self, root: Node) -> Sequence[Node]:
        return self._flatten((root,))

    def of_scope(self, node: Node, case: int, scope: Scope) -> Sequence[Node]:  # noqa: ARG002
        return self._flatten(scope.roots)

    def given(self, node: Node, case: int, scope: Scope) -> Node | None:  # noqa: ARG002
        return None

    def before_binding(self, node: Node) -> Sequence[Node] | None:  # noqa: ARG002
        return None

    def shared(self, node: Node) -> Sequence[Node]:  # noqa: ARG002
        return _NOTHING

    def _flatten(self, roots: Sequence[Node]) -> Sequence[Node]:
        """Return ``roots``, each after the operands below it that have scopes that run."""
        carrying = self._carrying
        if not carrying or carrying.isdisjoint(roots):
            return roots
        found: list[Node] = []
        for root in roots:
            stack: list[tuple[Node, bool]] = [(root, False)]
            while stack:
                node, is_done = stack.pop()
                if is_done or node not in carrying:
                    if node is root or has_control_flow(node):
                        found.append(node)
                    continue
                stack.append((node, True))
                stack += [(o, False) for o in reversed(operands(node))]
        return found


class PlacedContents:
    """Nodes of a dataflow graph: each is evaluated once in the scope that all its uses are in."""

    is_tree = False

    def __init__(self, root: Node) -> None:
        self._scopes = Scopes(root)
        self._contents: dict[int, list[Node]] = {}
        scope_of, contents, atoms = self._scopes.scope.get, self._contents, ATOMS
        for node in self._scopes.order:
            if type(node) in atoms or node.held_as_ not in _EVALUATED:
                continue
            number = scope_of(node)
            if number is None:
                continue
            if number in contents:
                contents[number].append(node)
            else:
                contents[number] = [node]
        if self._scopes.statement_scopes:
            self._merge_statements()

    def _merge_statements(self) -> None:
        """Put what statements of a block evaluate in order, with what several of them use."""
        place = {node: number for number, node in enumerate(self._scopes.order)}
        for block, statements in self._scopes.statement_scopes.items():
            merged = list(self._contents.get(block, ()))
            for number in statements:
                merged += self._contents.pop(number, ())
            self._contents[block] = sorted(merged, key=place.__getitem__)

    def of_root(self, root: Node) -> Sequence[Node]:
        return (root,) if type(root) in ATOMS else self._contents[OUTERMOST]

    def of_scope(self, node: Node, case: int, scope: Scope) -> Sequence[Node]:  # noqa: ARG002
        number = self._scopes.opened[node][case]
        found = self._contents.get(number, _NOTHING)
        before = self._count_before_binding(node, number)
        return found[before:] if before else found

    def given(self, node: Node, case: int, scope: Scope) -> Node | None:
        if scope.is_block:
            return None
        [root] = scope.roots
        if type(root) in ATOMS:
            return root
        return root if self._scopes.scope[root] != self._scopes.opened[node][case] else None

    def of_binding(
        self, node: Node, value: Node, body: Node
    ) -> tuple[Sequence[Node], Sequence[Node], Node | None]:
        """Return what is evaluated for a value, then for the body that knows it, and what is given.

        As :meth:`before_binding`, :meth:`of_scope` and :meth:`given` do, for a node like a let.
        """
        scope_of = self._scopes.scope
        number = self._scopes.opened[node][0]
        found = self._contents.get(number, _NOTHING)
        given = body if type(body) in ATOMS or scope_of[body] != number else None
        if type(value) in ATOMS or scope_of[value] != number:
            return _NOTHING, found, given
        if found[0] is value:
            return found[:1], found[1:], given
        count = found.index(value) + 1
        return found[:count], found[count:], given

    def of_branches(
        self, node: Node, roots: Sequence[Node]
    ) -> Iterator[tuple[Sequence[Node], Node | None]]:
        """Give what each scope of a node like an if evaluates, and what it gives.

        As :meth:`of_scope` and :meth:`given` do.
        """
        scope_of, contents = self._scopes.scope, self._contents
        for number, root in zip(self._scopes.opened[node], roots, strict=True):
            is_elsewhere = type(root) in ATOMS or scope_of[root] != number
            yield contents.get(number, _NOTHING), root if is_elsewhere else None

    def before_binding(self, node: Node) -> Sequence[Node] | None:
        if not recursive_operands(node):
            return None
        number = self._scope_around(node)
        found = self._contents.get(number, _NOTHING)
        return found[: self._count_before_binding(node, number)]

    def shared(self, node: Node) -> Sequence[Node]:
        number = self._scope_around(node)
        if number not in self._scopes.shared:
            return _NOTHING
        found = self._contents.get(number, _NOTHING)
        return found[self._count_before_binding(node, number) :]

    def _scope_around(self, node: Node) -> int:
        """Return the scope in which all scopes of ``node`` know what it binds."""
        inner = self._scopes.opened[node][0]
        around = self._scopes.tree.parent[inner]
        is_own = around in self._scopes.shared and around != self._scopes.scope[node]
        return around if is_own else inner

    def _count_before_binding(self, node: Node, number: int) -> int:
        """Return how much of what is evaluated in a scope is so before ``node`` binds variables."""
        scope_of, count = self._scopes.scope, 0
        for operand in recursive_operands(node):
            if type(operand) not in ATOMS and scope_of[operand] == number:
                count = max(count, self._contents[number].index(operand) + 1)
        return count


def contents_of(root: Node) -> Contents:
    """Return what the scopes of ``root`` evaluate, in order."""
    return TreeContents(root) if type(root).language_.is_tree else PlacedContents(root)


def _may_hold(kind: type[Node], held: Collection[type[Node]]) -> bool:
    """Return whether an operand of a node of class ``kind`` may be of one of some classes."""
    if has_parts(kind):
        return bool(held)
    families = tuple([f.kind for f in kind.fields_ if f.role is Role.OPERAND and f.kind])
    return any(issubclass(each, families) for each in held)
