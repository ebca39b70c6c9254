"""Compound types: how they are taken apart and put together, from fields of declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.generate import compile_function
from relayish.ir.nodes.getters import compile_getter
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.type import FuncType, PrimExpr, TensorType, Type, TypeCall
from relayish.ir.scopes.scoping import type_variables_bound_by
from relayish.op.types.fields import Dimension

Parts: TypeAlias = tuple[Type, ...]
Sizes: TypeAlias = tuple[Dimension, ...]


class Compound(NamedTuple):
    """What types of one kind are made of.

    Attributes:
        parts: The types in a type, those that it binds aside.
        make: The type with other parts, as many of them.
        is_alike: Whether two types have as many parts each, and agree in all that is no part, no
            size and no variable they bind.
        bound: The type variables that a type binds.
        sizes: The dimensions in a type; ``None`` for kinds that have none.
        with_sizes: The type with other dimensions, as many of them.
    """

    # Any: a type of the kind
    parts: Callable[[Any], Parts]
    make: Callable[[Any, Parts], Type]
    is_alike: Callable[[Any, Any], bool]
    bound: Callable[[Any], tuple[Any, ...]] | None = None
    sizes: Callable[[Any], Sizes] | None = None
    with_sizes: Callable[[Any, Sizes], Type] | None = None


def _compound_of_kind(kind: type[Node]) -> Compound | None:
    """Return what types of class ``kind`` are made of; ``None`` for those made of nothing."""
    if kind in _PARTICULAR:
        return _PARTICULAR[kind]
    if kind in ATOMS or not issubclass(kind, Type):
        return None
    held = [f for f in kind.fields_ if f.compared and not f.hint]
    bound = [f for f in held if f.binder]
    types = [f for f in held if not f.binder and f.kind is not None and issubclass(f.kind, Type)]
    sizes = [f for f in held if f.kind is not None and issubclass(f.kind, PrimExpr)]
    rest = [f for f in held if f not in (*bound, *types, *sizes)]
    parts: Any = compile_getter(types)  # Any: types, as the fields say
    return Compound(
        parts,
        _maker(types),
        _agreement([*types, *sizes, *bound], rest),
        type_variables_bound_by if bound else None,
        _sizes_in(sizes) if sizes else None,
        _maker(sizes, items="int") if sizes else None,
    )


def _list_none(_: Type) -> Parts:
    return ()


def _maker(fields: list[Field], items: str = "") -> Callable[[Any, Any], Type]:
    """Return what replaces all that ``fields`` hold; numbers are items too where that is said."""
    if not fields:
        return lambda ty, _: ty
    lines = ["start = 0"]
    for declared in fields:
        name = declared.name
        lines.append(f"held = ty.{name}")
        if declared.shape is Shape.ONE:
            lines.append(f"{name} = new[start]; start += 1")
        elif declared.shape is Shape.OPTIONAL:
            lines.append(f"{name} = None if held is None else new[start]")
            lines.append("start += held is not None")
        elif declared.shape is Shape.MANY or items:
            lines.append(f"{name} = new[start:start + len(held)]; start += len(held)")
        else:
            lines.append("given = iter(new[start:])")
            lines.append(
                f"{name} = tuple([next(given) if isinstance(i, Node) else i for i in held])"
            )
            lines.append("start += sum([isinstance(i, Node) for i in held])")
    changes = ", ".join([f"{f.name}={f.name}" for f in fields])
    lines.append(f"return ty.with_fields({changes})")
    made: Callable[[Any, Any], Type] = compile_function("make(ty, new)", lines, {"Node": Node})
    return made


def _sizes_in(fields: list[Field]) -> Callable[[Any], Sizes]:
    """Return what gives the dimensions in ``fields``, numbers among them."""

    def sizes(ty: Type) -> Sizes:
        found: list[Any] = []  # Any: a dimension
        for declared in fields:
            value = getattr(ty, declared.name)
            if declared.holds_many:
                found += value
            elif value is not None:
                found.append(value)
        return tuple(found)

    return sizes


def _agreement(counted: list[Field], rest: list[Field]) -> Callable[[Any, Any], bool]:
    """Return what tells whether types hold as much in some fields, and the same in others."""
    compared = [(f.name, _agreement_of(f)) for f in counted if f.shape is not Shape.ONE]
    compared += [(f.name, structural_equal) for f in rest]

    def is_alike(one: Type, other: Type) -> bool:
        for name, agrees in compared:
            ours, theirs = getattr(one, name), getattr(other, name)
            if ours is not theirs and not agrees(ours, theirs):
                return False
        return True

    return is_alike


def _agreement_of(declared: Field) -> Callable[[Any, Any], bool]:
    """Return what tells whether two values of a field hold as much, at the same places."""
    if declared.shape is Shape.OPTIONAL:
        return lambda ours, theirs: (ours is None) is (theirs is None)
    if declared.shape is Shape.MIXED and issubclass(declared.kind or Node, Type):
        return _differ_in_nodes_only
    return lambda ours, theirs: len(ours) == len(theirs)


def _differ_in_nodes_only(ours: tuple[object, ...], theirs: tuple[object, ...]) -> bool:
    """Return whether two tuples hold nodes at the same places, and the same values elsewhere."""
    if len(ours) != len(theirs):
        return False
    return all(
        isinstance(b, Node) if isinstance(a, Node) else structural_equal(a, b)
        for a, b in zip(ours, theirs, strict=True)
    )


def _has_same_definition(one: TypeCall, other: TypeCall) -> bool:
    # definitions go by their names
    return len(one.args) == len(other.args) and structural_equal(one.func, other.func)


_PARTICULAR: Final[dict[type[Node], Compound | None]] = {
    TensorType: None,  # has a rule of its own, and is by far the commonest
    FuncType: Compound(
        lambda ty: (*ty.arg_types, ty.ret_type),
        lambda ty, parts: ty.with_fields(arg_types=parts[:-1], ret_type=parts[-1]),
        lambda one, other: len(one.arg_types) == len(other.arg_types),
        lambda ty: ty.type_params,
    ),
    TypeCall: Compound(
        lambda ty: ty.args, lambda ty, parts: ty.with_fields(args=parts), _has_same_definition
    ),
}
"""Relay's types of which not every field that holds types is a part, or is compared."""

COMPOUND: Final = ByKind(_compound_of_kind)
"""The kinds of types that are made of something, each with its :class:`Compound`, or ``None``."""
