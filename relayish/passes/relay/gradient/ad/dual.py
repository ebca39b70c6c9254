"""Values beside the references in which their gradients are collected, while a program is written.

In the program that is written, a tensor ``v`` is a pair ``(v, r)`` of its value and a reference to
its gradient; tuples, functions and data hold such pairs in place of tensors. Much of this is known
already while it is written: a :class:`Dual` is what is known of one value, and writes down the rest
when it is asked for, at the end of the scope it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence

from relayish._support.graph import fold_tree, walk_tree
from relayish.errors import GradientError
from relayish.ir.relay.expr import Expr, RefCreate, Tuple, TupleGetItem, Var
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.passes.relay.gradient.ad.bindings import Bindings, Names
from relayish.passes.relay.gradient.ad.rules import call_of


class Scope(Bindings):
    """A scope that is being written, with the reference to its back-propagator."""

    __slots__ = ("back",)

    def __init__(self, names: Names, back: Var) -> None:
        super().__init__(names)
        self.back = back


class Dual:
    """What is known of one value: at least one of ``atom``, ``value`` and ``fields``.

    Attributes:
        scope: Where what is written down about it belongs.
        ty: The type of the value in the original program.
        atom: It as a whole, as one variable or constant.
        value: Its value, without references to gradients.
        ref: For tensors, the reference to its gradient; gradients of what has none are dropped.
        fields: For tuples, what is known of the fields.
    """

    __slots__ = ("atom", "fields", "ref", "scope", "ty", "value")

    def __init__(
        self,
        scope: Scope,
        ty: Type | None,
        *,
        atom: Expr | None = None,
        value: Expr | None = None,
        ref: Expr | None = None,
        fields: Sequence[Dual] | None = None,
    ) -> None:
        self.scope = scope
        self.ty = ty
        self.atom = atom
        self.value = value
        self.ref = ref
        self.fields = None if fields is None else tuple(fields)


def make_collecting(scope: Scope, ty: Type, value: Expr) -> Dual:
    """Return ``value``, a tensor or nested tuple of them, with new references, all to zeros.

    Complexity:
        Linear in the fields; no recursion.
    """
    root = Dual(scope, ty, value=value)
    for dual in walk_tree(root, list_known_fields):
        assert dual.value is not None
        if isinstance(dual.ty, TupleType):
            parts = enumerate(dual.ty.fields)
            dual.fields = tuple(
                [Dual(scope, t, value=scope.push(TupleGetItem(dual.value, i), t)) for i, t in parts]
            )
        else:
            dual.ref = scope.push(RefCreate(call_of("zeros_like", dual.value)))
    return root


def atom_of(dual: Dual) -> Expr:
    """Return a variable for the whole value, references included.

    Complexity:
        Constant for each part not written down before; no recursion.
    """
    return fold_tree(dual, lambda part: list_known_fields(part) if part.atom is None else (), _atom)


def _atom(dual: Dual, fields: list[Expr]) -> Expr:
    """Return a variable for the whole of which the fields, if any are known, have these."""
    if dual.atom is None and dual.fields is not None:
        dual.atom = dual.scope.push(Tuple(tuple(fields)))
    elif dual.atom is None:
        assert dual.value is not None
        if dual.ref is None:
            dual.ref = dual.scope.push(RefCreate(call_of("zeros_like", dual.value)))
        dual.atom = dual.scope.push(Tuple((dual.value, dual.ref)))
    return dual.atom


def split(dual: Dual) -> None:
    """See to it that value and reference of a tensor are known one by one."""
    if dual.value is None:
        assert dual.atom is not None
        dual.value = dual.scope.push(TupleGetItem(dual.atom, 0), dual.ty)
        dual.ref = dual.scope.push(TupleGetItem(dual.atom, 1))


def list_known_fields(dual: Dual) -> tuple[Dual, ...]:
    """Return what is known of the fields one by one; nothing is written down."""
    return dual.fields or ()


def fields_of(dual: Dual) -> tuple[Dual, ...]:
    """Return the fields of a tuple."""
    if dual.fields is None:
        assert isinstance(dual.ty, TupleType)
        scope, atom = dual.scope, atom_of(dual)
        dual.fields = tuple(
            [
                Dual(scope, ty, atom=scope.push(TupleGetItem(atom, index)))
                for index, ty in enumerate(dual.ty.fields)
            ]
        )
    return dual.fields


def field_of(dual: Dual, index: int) -> Dual | None:
    """Return field ``index`` where the fields are known one by one, else ``None``."""
    if dual.fields is None or not 0 <= index < len(dual.fields):
        return None
    return dual.fields[index]


def tensors_of(dual: Dual) -> list[Dual]:
    """Return the tensors in a nested tuple, in order, each with value and reference known.

    Raises:
        GradientError: If there is something else in it.

    Complexity:
        Linear in the fields; no recursion.
    """
    if isinstance(dual.ty, TensorType):
        split(dual)
        return [dual]
    found: list[Dual] = []
    for part in walk_tree(dual, lambda d: fields_of(d) if isinstance(d.ty, TupleType) else ()):
        if isinstance(part.ty, TensorType):
            split(part)
            found.append(part)
        elif not isinstance(part.ty, TupleType):
            shown = "unknown type" if part.ty is None else str(part.ty)
            raise GradientError(
                f"a value of type {shown} stands where tensors, or tuples of them, are expected"
            )
    return found
