"""Structural equality: alpha-equivalence of programs, their sharing included.

The rules are Relay's. Bound variables correspond by where they are bound, and so do variables in
their annotations: named dimensions, and type variables. A free variable is the same only as itself,
unless ``map_free_vars`` lets it correspond by first use. Sharing is
structure: calls, non-empty tuples, lets, ifs, functions and references correspond one to one, so
``add(s, s)`` is not ``add(s, t)`` with ``t`` a copy of ``s``; constants, projections, operators,
matches, patterns and types may be shared on one side and repeated on the other, unless they bind
type variables. Names of globals and constructors count; spans, inferred types, names of variables
and the type arguments of operator calls do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish._kernel import plan
from relayish.errors import RelayishError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.equality.comparison import COMPARISONS
from relayish.ir.equality.mismatch import Mismatch, Pair, find_mismatch
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.generate import compile_function
from relayish.ir.fields.roles import Role
from relayish.ir.modules.module import AnyModule, Module
from relayish.ir.modules.object_path import ObjectPath
from relayish.ir.nodes.node import GRAPH_NODES, NAMES, VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import PROGRAM
from relayish.ir.values.literal import is_same_literal

_Expand: TypeAlias = Callable[[Any, Any, Pair, Any, Callable[[Pair], None]], str | None]
"""Generated for each kind: pushes the fields of two nodes, or says why they differ already."""


class StructuralMismatchError(RelayishError, AssertionError, ValueError):
    """Two programs that should be the same are not."""


def structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> bool:
    """Return whether two nodes, modules or attribute values are structurally equal.

    Args:
        lhs: A node, module or attributes, or a sequence of these.
        rhs: What to compare with it.
        map_free_vars: Let free variables correspond by order of first use.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``StructuralEqual``.

    Example:
        >>> x, y = Var("x"), Var("y")
        >>> structural_equal(Function((x,), x), Function((y,), y))
        True
        >>> structural_equal(x, y), structural_equal(x, y, map_free_vars=True)
        (False, True)
    """
    return lhs is rhs or first_mismatch(lhs, rhs, map_free_vars) is None


def first_mismatch(lhs: object, rhs: object, map_free_vars: bool = False) -> Mismatch | None:
    """Return the first place where two programs differ, or ``None`` when they do not.

    See :func:`structural_equal`.
    """
    lhs, rhs = [tuple(each) if isinstance(each, list) else each for each in (lhs, rhs)]
    comparer = _Comparer(map_free_vars)
    found = comparer.compare(lhs, rhs)
    if found is None and comparer.has_renamed_annotations:
        return _Comparer(map_free_vars, enters_same_types=True).compare(lhs, rhs)
    return found


def get_first_structural_mismatch(
    lhs: object, rhs: object, map_free_vars: bool = False
) -> tuple[ObjectPath, ObjectPath] | None:
    """Return paths to the first place where two programs differ, or ``None``.

    Where one of two sequences is longer, the paths lead to the item that the other has not, and
    to the one that is missing there; so it is with entries of attributes and modules.

    Source:
        TVM ``get_first_structural_mismatch``.

    Example:
        >>> one, other = Tuple((Constant(1), Constant(2))), Tuple((Constant(1), Constant(3)))
        >>> left, right = get_first_structural_mismatch(one, other)
        >>> left, left.follow(one), right.follow(other)
        (<root>.fields[1].data, np.int32(2), np.int32(3))
    """
    found = first_mismatch(lhs, rhs, map_free_vars)
    return None if found is None else found.places


def assert_structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> None:
    """Raise :class:`StructuralMismatchError`, naming the first difference, unless equal."""
    found = first_mismatch(lhs, rhs, map_free_vars)
    if found is not None:
        raise StructuralMismatchError(f"not structurally equal at {found}")


class _Comparer:
    """Compares pairs from a stack; the top of the stack is the next pair in program order.

    Types that both sides hold are not entered: the variables in them correspond to themselves.
    Where variables in annotations turn out to correspond to others, that has to be seen to, by
    comparing once more.
    """

    def __init__(self, map_free_vars: bool, *, enters_same_types: bool = False) -> None:
        self._map_free_vars = map_free_vars
        self._enters_same_types = enters_same_types
        self.has_renamed_annotations = False
        self._image: dict[Node, Node] = {}
        self._preimage: dict[Node, Node] = {}
        self._class_of: dict[object, object] = {}
        self._on_the_right: dict[Node, object] = {}
        self._equated_tuples: set[tuple[int, int]] = set()
        self._stack: list[Pair] = []

    def compare(self, lhs: object, rhs: object) -> Mismatch | None:
        stack, image, preimage = self._stack, self._image, self._preimage
        pop, append, bind = stack.pop, stack.append, self._bind
        graph_nodes: dict[Any, Any] = _GRAPH_NODES  # Any: by class of nodes, or of values
        expand: dict[Any, _Expand] = _EXPAND  # Any: as above
        stack.append((lhs, rhs, None, "", -1))
        while stack:
            pair = pop()
            left, right, _, _, _ = pair
            kind: Any = type(left)  # Any: a class of nodes, or of values
            reason: str | None
            if type(right) is not kind:
                reason = "different kinds"
            elif (shares := graph_nodes[kind]) is True or (shares and shares(left)):
                known = image.get(left)  # type: ignore[call-overload]
                if known is None and right not in preimage:
                    image[left] = right  # type: ignore[index, assignment]
                    preimage[right] = left  # type: ignore[index, assignment]
                    reason = expand[kind](left, right, pair, bind, append)
                else:
                    reason = None if known is right else "shared on one side, copied on the other"
            else:
                reason = self._differ(kind, left, right, pair)
            if reason is not None:
                return find_mismatch(pair, reason)
        return None

    def _differ(self, kind: Any, lhs: Any, rhs: Any, pair: Pair) -> str | None:  # Any: of one kind
        """Return why a pair differs in itself, or push what it consists of and return ``None``."""
        if not issubclass(kind, Node):
            return self._differ_in_value(lhs, rhs, pair)
        if kind in VARIABLES:
            return self._differ_in_variable(lhs, rhs, pair)
        same = COMPARISONS[kind].same
        if same is not None:
            return None if same(lhs, rhs) else "different names"
        if self._equate(lhs, rhs):
            return None
        expand: _Expand = _EXPAND[kind]
        return expand(lhs, rhs, pair, self._bind, self._stack.append)

    def _equate(self, lhs: Node, rhs: Node) -> bool:
        """Take two nodes for equal from here on; return whether they were taken for it before.

        What is equal to one is equal to the other, so that nodes repeated on both sides are
        compared as often as there are nodes, not as there are pairs of them. A node that both sides
        hold is another one on the right, if it holds expressions: what is shared inside of it has
        to correspond like all else.
        """
        mirrored: object = rhs
        if self._enters_same_types or _HOLDS_PROGRAM[type(rhs)]:
            mirrored = self._on_the_right.setdefault(rhs, object())
        left, right = self._find(lhs), self._find(mirrored)
        self._class_of[left] = right
        return left is right

    def _find(self, node: object) -> object:
        above = self._class_of
        parent = above.get(node, node)
        while parent is not node:
            above[node] = grandparent = above.get(parent, parent)
            node, parent = grandparent, above.get(grandparent, grandparent)
        return node

    def _bind(self, lhs: Node, rhs: Node) -> None:
        """Let a bound variable correspond to another, unless either is taken already."""
        if lhs not in self._image and rhs not in self._preimage:
            self._image[lhs] = rhs
            self._preimage[rhs] = lhs

    def _differ_in_variable(self, lhs: Node, rhs: Node, pair: Pair) -> str | None:
        image = self._image.get(lhs)
        if image is None and rhs not in self._preimage:
            if lhs is not rhs:
                in_annotation = type(lhs).held_as_ is _ANNOTATION
                if not (self._map_free_vars or (in_annotation and _annotates_a_variable(pair))):
                    return "different free variables"
                self.has_renamed_annotations |= in_annotation
            self._bind(lhs, rhs)
        elif image is not rhs:
            return "different variables"
        if (lhs is rhs and not self._enters_same_types) or self._equate(lhs, rhs):
            return None
        for declared in type(lhs).fields_:
            if declared.compared and not declared.hint:
                name = declared.name
                left, right = getattr(lhs, name), getattr(rhs, name)
                if left is not None or right is not None:
                    self._stack.append((left, right, pair, name, -1))
        return None

    def _differ_in_value(self, lhs: object, rhs: object, pair: Pair) -> str | None:
        if isinstance(lhs, Module) and isinstance(rhs, Module):
            return self._differ_in_module(lhs, rhs, pair)
        if isinstance(lhs, Attrs) and isinstance(rhs, Attrs):
            if set(lhs.keys()) != set(rhs.keys()):
                return "different attributes"
            self._stack += [(v, rhs[k], pair, k, -1) for k, v in lhs.items()][::-1]
            return None
        if isinstance(lhs, tuple) and isinstance(rhs, tuple):
            if len(lhs) != len(rhs):
                return f"{len(lhs)} items against {len(rhs)}"
            key = (id(lhs), id(rhs))
            if key in self._equated_tuples:
                return None
            self._equated_tuples.add(key)
            items = enumerate(zip(lhs, rhs, strict=True))
            self._stack += [(a, b, pair, "", i) for i, (a, b) in items][::-1]
            return None
        return None if is_same_literal(lhs, rhs) else "different values"

    def _differ_in_module(self, lhs: AnyModule, rhs: AnyModule, pair: Pair) -> str | None:
        pairs: list[Pair] = []
        theirs = rhs.sections()
        for what, ours in lhs.sections().items():
            left, right = ours, theirs.get(what, {})
            if left.keys() != right.keys():
                odd = ", ".join(sorted(left.keys() ^ right.keys()))
                return f"different {what} ({odd} on one side only)"
            pairs += [(left[name], right[name], pair, name, -1) for name in left]
        pairs.append((lhs.attrs or None, rhs.attrs or None, pair, "attrs", -1))
        self._stack += reversed(pairs)
        return None


def _annotates_a_variable(pair: Pair) -> bool:
    """Return whether two things stand in the annotations of variables that correspond."""
    parent = pair[2]
    while parent is not None and type(parent[0]) not in VARIABLES:
        parent = parent[2]
    return parent is not None


def _is_graph_node(kind: type[Any]) -> bool | Callable[[Any], bool]:  # Any: of nodes, or of values
    """Return whether sharing of ``kind`` counts, or what tells it of one node.

    It does not where a node holds nothing and does nothing, as the empty tuple, or where
    something else decides alone.
    """
    if kind not in GRAPH_NODES or COMPARISONS[kind].same is not None:
        return False
    held = PROGRAM.fields(kind)
    acts = not kind.traits_.is_pure or kind.traits_.allocates
    if acts or any(f.shape is Shape.ONE for f in held):
        return True
    return lambda node: bool(PROGRAM.children(node))


_ANNOTATION: Final = Role.ANNOTATION
_GRAPH_NODES: Final = COMPARISONS.derive(_is_graph_node)
_HOLDS_PROGRAM: Final = ByKind(
    lambda kind: kind.held_as_ is not Role.ANNOTATION and PROGRAM.push[kind] is not None
)


def _generate_expand(kind: type[Node]) -> _Expand:
    """Generate the function that pushes the pairs of fields of two nodes of class ``kind``.

    Variables are bound before anything is pushed; binders are pushed last, so compared first.
    """
    comparison = COMPARISONS[kind]
    compared = [f for f in kind.fields_ if f.compared and f.name not in comparison.skipped]
    checks: list[str] = []
    pushes: list[list[str]] = []
    for declared in sorted(compared, key=lambda f: not f.binder):
        check, push = _expand_field(declared)
        checks += check
        pushes.append(push)
    if comparison.beside is not None:
        skipped = sorted(comparison.skipped)
        other = " or ".join(f"lhs.{name} is not rhs.{name}" for name in skipped) or "True"
        pushes.append(
            [
                f"if {other}:",
                "    found = beside(lhs, rhs)",
                "    if found: append((*found, parent, beside.__name__, -1))",
            ]
        )
    lines = checks + [line for push in reversed(pushes) for line in push]
    scope = {"names": NAMES, "beside": comparison.beside}
    signature = "expand(lhs, rhs, parent, bind, append)"

    def generate() -> _Expand:
        expand: _Expand = compile_function(signature, [*lines, "return None"], scope)
        return expand

    if comparison.beside is not None and not comparison.skipped:
        return generate()
    beside = comparison.skipped if comparison.beside is not None else ()
    fields = [(f.name, "leaf" if f.kind is None else f.shape.value, f.binder) for f in compared]
    fields = sorted(fields, key=lambda field: not field[2])
    fields += [(name, "skipped", False) for name in beside]
    expand: _Expand = plan("expand", kind, Node, fields, NAMES, generate)
    return expand


def _expand_field(declared: Field) -> tuple[list[str], list[str]]:
    """Return the lines that check and bind what a field holds, and those that push it."""
    name = declared.name
    read = f"left = lhs.{name}; right = rhs.{name}"
    if declared.shape is Shape.MANY:
        differ = f"f'{{len(lhs.{name})}} {name} against {{len(rhs.{name})}}'"
        checks = [f"if len(lhs.{name}) != len(rhs.{name}): return {differ}"]
        if declared.binder:
            checks.append(f"for pair in zip(lhs.{name}, rhs.{name}): bind(*pair)")
        push = f"    append((left[index], right[index], parent, {name!r}, index))"
        return checks, [read, "index = len(left)", "while index:", "    index -= 1", push]
    push = f"append((left, right, parent, {name!r}, -1))"
    if declared.binder and declared.shape is Shape.OPTIONAL:
        return [f"if lhs.{name} is not None and rhs.{name} is not None: {_bind(name)}"], [
            read,
            push,
        ]
    if declared.binder:
        return [_bind(name)], [read, push]
    if declared.kind is None:
        return [], [read, f"if left is not right: {push}"]
    return [], [read, f"if left is not right or type(left) not in names: {push}"]


def _bind(name: str) -> str:
    return f"bind(lhs.{name}, rhs.{name})"


_EXPAND: Final = COMPARISONS.derive(_generate_expand)
