"""Whether two programs are the same, whatever their variables are called.

The rules are Relay's. Bound variables correspond by where they are bound. A free variable is the
same only as itself, unless ``map_free_vars`` lets it correspond by first use. Sharing is structure:
calls, non-empty tuples, lets, ifs, functions and references correspond one to one, so ``add(s, s)``
is not ``add(s, t)`` with ``t`` a copy of ``s``; constants, projections, operators, matches, patterns
and types may be shared on one side and repeated on the other. Names of globals and constructors
count; spans, inferred types, names of variables and the type arguments of operator calls do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.errors import RelayishError
from relayish.ir.adt import Constructor, TypeData
from relayish.ir.attrs import Attrs
from relayish.ir.expr import (
    Call,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    Var,
)
from relayish.ir.literal import same_literal
from relayish.ir.module import IRModule
from relayish.ir.node import Node
from relayish.ir.type import GlobalTypeVar, IncompleteType, SizeVar, TypeVar

VARIABLES: Final[frozenset[type[Node]]] = frozenset({Var, TypeVar, SizeVar, IncompleteType})
"""Kinds that stand for something bound elsewhere: they correspond, whatever they are called."""

_SHARED: Final[frozenset[type[Node]]] = frozenset(
    {Call, Let, If, Function, RefCreate, RefRead, RefWrite, Tuple}
)

_Path: TypeAlias = "tuple[_Path, str] | None"
_Pair: TypeAlias = tuple[object, object, _Path]


class Mismatch(NamedTuple):
    """The first place where two programs differ.

    ``path`` leads there from the root (``<root>.body.args[1].data``); ``lhs`` and ``rhs`` are what
    stands there; ``reason`` says what is wrong with them.
    """

    path: str
    lhs: object
    rhs: object
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}: {self.lhs!r} against {self.rhs!r}"


class StructuralMismatchError(RelayishError, AssertionError, ValueError):
    """Two programs that should be the same are not."""


def structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> bool:
    """Return whether two nodes, modules or attribute values are structurally equal.

    Args:
        lhs: A node, module or attributes.
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
    return _Comparer(map_free_vars).compare(lhs, rhs)


def assert_structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> None:
    """Raise :class:`StructuralMismatchError`, naming the first difference, unless equal."""
    found = first_mismatch(lhs, rhs, map_free_vars)
    if found is not None:
        raise StructuralMismatchError(f"not structurally equal at {found}")


class _Comparer:
    """Compares pairs from a stack; the top of the stack is the next pair in program order."""

    def __init__(self, map_free_vars: bool) -> None:
        self._map_free_vars = map_free_vars
        self._image: dict[Node, Node] = {}
        self._preimage: dict[Node, Node] = {}
        self._equated: set[tuple[Node, Node]] = set()
        self._stack: list[_Pair] = []

    def compare(self, lhs: object, rhs: object) -> Mismatch | None:
        stack = self._stack
        stack.append((lhs, rhs, None))
        while stack:
            left, right, path = stack.pop()
            reason = self._differ(left, right, path)
            if reason is not None:
                return Mismatch(_show(path), left, right, reason)
        return None

    def _differ(self, lhs: object, rhs: object, path: _Path) -> str | None:
        """Return why a pair differs in itself, or push what it consists of and return ``None``."""
        if not isinstance(lhs, Node):
            return self._differ_in_value(lhs, rhs, path)
        kind = type(lhs)
        if type(rhs) is not kind:
            return "different kinds"
        assert isinstance(rhs, Node)
        if kind in VARIABLES:
            return self._differ_in_variable(lhs, rhs, path)
        rule = _RULES.get(kind)
        if rule is not None:
            return None if rule(lhs, rhs) else "different names"
        if kind in _SHARED and not (kind is Tuple and not lhs.fields):  # type: ignore[attr-defined]
            image = self._image.get(lhs)
            if image is not None or rhs in self._preimage:
                return None if image is rhs else "shared on one side, copied on the other"
            self._image[lhs] = rhs
            self._preimage[rhs] = lhs
        elif (lhs, rhs) in self._equated:
            return None
        else:
            self._equated.add((lhs, rhs))
        return self._differ_in_fields(kind, lhs, rhs, path)

    def _differ_in_fields(
        self, kind: type[Node], lhs: Node, rhs: Node, path: _Path
    ) -> str | None:
        pushed: list[_Pair] = []
        for name, many, binder in _layout(kind):
            left, right = getattr(lhs, name), getattr(rhs, name)
            if name == "type_args" and type(lhs.op) is Op:  # type: ignore[attr-defined]
                continue
            if not many:
                if binder:
                    self._bind(left, right)
                pushed.append((left, right, (path, f".{name}")))
                continue
            if len(left) != len(right):
                return f"{len(left)} {name} against {len(right)}"
            if binder:
                for ours, theirs in zip(left, right, strict=True):
                    self._bind(ours, theirs)
            pushed += [
                (ours, theirs, (path, f".{name}[{index}]"))
                for index, (ours, theirs) in enumerate(zip(left, right, strict=True))
            ]
        if kind is TypeData:
            pushed += _constructor_inputs(lhs, rhs, path)
        self._stack += reversed(pushed)
        return None

    def _bind(self, lhs: Node, rhs: Node) -> None:
        """Let a bound variable correspond to another, unless either is taken already."""
        if lhs not in self._image and rhs not in self._preimage:
            self._image[lhs] = rhs
            self._preimage[rhs] = lhs
            self._stack_of_variable(lhs, rhs, (None, f"%{getattr(lhs, 'name_hint', '')}"))

    def _differ_in_variable(self, lhs: Node, rhs: Node, path: _Path) -> str | None:
        image = self._image.get(lhs)
        if image is not None or rhs in self._preimage:
            return None if image is rhs else "different variables"
        if lhs is not rhs and not self._map_free_vars:
            return "different free variables"
        self._image[lhs] = rhs
        self._preimage[rhs] = lhs
        self._stack_of_variable(lhs, rhs, path)
        return None

    def _stack_of_variable(self, lhs: Node, rhs: Node, path: _Path) -> None:
        if lhs is rhs:
            return
        for name in ("type_annotation", "may_share", "kind", "dtype"):
            if hasattr(lhs, name):
                self._stack.append((getattr(lhs, name), getattr(rhs, name), (path, f".{name}")))

    def _differ_in_value(self, lhs: object, rhs: object, path: _Path) -> str | None:
        if isinstance(rhs, Node):
            return "different kinds"
        if isinstance(lhs, IRModule) and isinstance(rhs, IRModule):
            return self._differ_in_module(lhs, rhs, path)
        if isinstance(lhs, Attrs) and isinstance(rhs, Attrs):
            if type(lhs) is not type(rhs) or set(lhs.keys()) != set(rhs.keys()):
                return "different attributes"
            self._stack += [(v, rhs[k], (path, f".{k}")) for k, v in lhs.items()][::-1]
            return None
        if isinstance(lhs, tuple) and isinstance(rhs, tuple) and type(lhs) is type(rhs):
            if len(lhs) != len(rhs):
                return f"{len(lhs)} items against {len(rhs)}"
            items = enumerate(zip(lhs, rhs, strict=True))
            self._stack += [(a, b, (path, f"[{i}]")) for i, (a, b) in items][::-1]
            return None
        return None if same_literal(lhs, rhs) else "different values"

    def _differ_in_module(self, lhs: IRModule, rhs: IRModule, path: _Path) -> str | None:
        pairs: list[_Pair] = []
        for what, ours, theirs in (
            ("types", lhs.type_definitions, rhs.type_definitions),
            ("functions", lhs.functions, rhs.functions),
        ):
            left: dict[str, Node] = {key.name_hint: value for key, value in ours.items()}  # type: ignore[attr-defined]
            right: dict[str, Node] = {key.name_hint: value for key, value in theirs.items()}  # type: ignore[attr-defined]
            if left.keys() != right.keys():
                odd = ", ".join(sorted(left.keys() ^ right.keys()))
                return f"different {what} ({odd} on one side only)"
            pairs += [(left[n], right[n], (path, f"[{n!r}]")) for n in left]
        if (lhs.attrs or None) is not None or (rhs.attrs or None) is not None:
            pairs.append((lhs.attrs, rhs.attrs, (path, ".attrs")))
        self._stack += reversed(pairs)
        return None


def _same_name(lhs: Any, rhs: Any) -> bool:  # Any: two nodes of one kind that has a name_hint
    return bool(lhs.name_hint == rhs.name_hint)


def _same_constructor(lhs: Constructor, rhs: Constructor) -> bool:
    return (
        lhs.name_hint == rhs.name_hint
        and lhs.belong_to.name_hint == rhs.belong_to.name_hint
        and len(lhs.inputs) == len(rhs.inputs)
    )


def _same_op(lhs: Op, rhs: Op) -> bool:
    return lhs is rhs or lhs.name == rhs.name


_RULES: Final[dict[type[Node], Callable[[Any, Any], bool]]] = {  # Any: two nodes of the key's kind
    GlobalVar: _same_name,
    GlobalTypeVar: _same_name,
    Constructor: _same_constructor,
    Op: _same_op,
}


def _constructor_inputs(lhs: Any, rhs: Any, path: _Path) -> list[_Pair]:  # Any: both TypeData
    return [
        (ours.inputs, theirs.inputs, (path, f".constructors[{index}].inputs"))
        for index, (ours, theirs) in enumerate(
            zip(lhs.constructors, rhs.constructors, strict=True)
        )
    ]


_LAYOUTS: dict[type[Node], tuple[tuple[str, bool, bool], ...]] = {}


def _layout(kind: type[Node]) -> tuple[tuple[str, bool, bool], ...]:
    """Return the compared fields of ``kind`` as (name, is a tuple of nodes, binds), binders first."""
    found = _LAYOUTS.get(kind)
    if found is None:
        fields = sorted((f for f in kind.fields_ if f.compared), key=lambda f: not f.binder)
        found = tuple((f.name, f.holds_many, f.binder) for f in fields)
        _LAYOUTS[kind] = found
    return found


def _show(path: _Path) -> str:
    steps: list[str] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return "<root>" + "".join(reversed(steps))
