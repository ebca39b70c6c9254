"""Layout of values in memory: the tensors that a value of a type consists of, one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, NoReturn

from relayish._support.graph import components
from relayish.errors import CodegenError
from relayish.functor import TypeFunctor
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import (
    GlobalTypeVar,
    PrimExpr,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
)
from relayish.ir.scopes.renaming import replace_nodes


class Leaf(NamedTuple):
    """A tensor of which a value consists.

    Attributes:
        shape: Its sizes.
        dtype: Its element type.
        is_cell: Whether it is what a reference refers to, and shared with all who have that.
    """

    shape: tuple[int | PrimExpr, ...]
    dtype: str
    is_cell: bool = False


_TAG = Leaf((), "int32")


def closest(*types: Type | None) -> Type | None:
    """Return the first of some types of one value of which all sizes are known, else the first."""
    known = [ty for ty in types if ty is not None]
    return next((ty for ty in known if not _is_open(ty)), known[0] if known else None)


def _is_open(ty: Type) -> bool:
    tensors = [each for each in TYPES.post_order(ty) if isinstance(each, TensorType)]
    return any(isinstance(size, AnySize) for each in tensors for size in each.shape)


class Layouts(TypeFunctor[tuple[Leaf, ...]]):
    """Tells the tensors that a value consists of.

    A tuple consists of what its fields do. A value of a data type consists of the number of its
    constructor and the fields of *all* constructors, of which one's hold something. A reference is
    the tensors that it refers to.

    Args:
        mod: Where data types are defined.
    """

    def __init__(self, mod: IRModule) -> None:
        super().__init__()
        self._mod = mod
        self._endless: frozenset[GlobalTypeVar] | None = None
        self._known: dict[Type, tuple[Leaf, ...]] = {}

    def of(self, ty: Type | None, what: Expr) -> tuple[Leaf, ...]:
        """Return the tensors of a value of a type.

        Raises:
            CodegenError: If how many there are, or how large, is not known: which type, and why.
        """
        assert ty is not None
        found = self._known.get(ty)
        if found is None:
            try:
                found = self._known[ty] = self.visit(ty)
            except CodegenError as error:
                error.add_note(f"in the type {ty} of {what}")
                raise
        return found

    def visit_tensor_type(self, tensor: TensorType) -> tuple[Leaf, ...]:
        return (Leaf(tensor.shape, tensor.dtype),)

    def visit_tuple_type(self, ty: TupleType) -> tuple[Leaf, ...]:
        return tuple([leaf for field in ty.fields for leaf in self.visit(field)])

    def visit_ref_type(self, ty: RefType) -> tuple[Leaf, ...]:
        held = self.visit(ty.value)
        if any(leaf.is_cell for leaf in held):
            raise CodegenError(
                f"{ty} refers to references, and to which is known only when it runs"
            )
        return tuple([leaf._replace(is_cell=True) for leaf in held])

    def visit_type_call(self, ty: TypeCall) -> tuple[Leaf, ...]:
        return self._data(ty, ty.func, ty.args)

    def visit_global_type_var(self, ty: GlobalTypeVar) -> tuple[Leaf, ...]:
        return self._data(ty, ty, ())

    def visit_type(self, ty: Type) -> NoReturn:
        raise CodegenError(f"a value of type {ty} has no memory; expected tensors, or tuples, data "
                           f"types or references of these")  # fmt: skip

    # Data types

    def _data(self, ty: Type, header: Type, args: Sequence[Type]) -> tuple[Leaf, ...]:
        found = [_TAG]
        for fields in self._fields(ty, header, args).values():
            found += [leaf for field in fields for leaf in self.visit(field)]
        return tuple(found)

    def _fields(
        self, ty: Type, header: Type, args: Sequence[Type]
    ) -> Mapping[Constructor, Sequence[Type]]:
        """Return the types of the fields of each constructor."""
        assert isinstance(header, GlobalTypeVar)
        if header in self._recursive():
            raise CodegenError(
                f"a value of type {ty} holds values of its own type, so nobody knows its size"
            )
        definition = self._mod.type_definitions[header]
        images: dict[Node, Node] = dict(zip(definition.type_vars, args, strict=True))
        return {
            each: [_replaced(field, images) for field in each.inputs]
            for each in definition.constructors
        }

    def _recursive(self) -> frozenset[GlobalTypeVar]:
        if self._endless is None:
            named = {
                header: [
                    each
                    for constructor in definition.constructors
                    for field in constructor.inputs
                    for each in TYPES.post_order(field)
                    if isinstance(each, GlobalTypeVar)
                ]
                for header, definition in self._mod.type_definitions.items()
            }
            self._endless = frozenset(
                [
                    each
                    for group in components(named)
                    if len(group) > 1 or group[0] in named[group[0]]
                    for each in group
                ]
            )
        return self._endless

    def fields_of(
        self, ty: Type | None, constructor: Constructor
    ) -> tuple[int, list[tuple[Type, slice]]]:
        """Return the number of a constructor, and of each field its type and its tensors."""
        assert ty is not None
        header, args = (ty.func, ty.args) if isinstance(ty, TypeCall) else (ty, ())
        at = 1
        for number, (each, fields) in enumerate(self._fields(ty, header, args).items()):
            counts = [len(self.visit(field)) for field in fields]
            if each is constructor or each.name_hint == constructor.name_hint:
                ends = [*accumulate(counts, initial=at)]
                slices = [slice(a, b) for a, b in pairwise(ends)]
                return number, list(zip(fields, slices, strict=True))
            at += sum(counts)
        raise CodegenError(f"{ty} has no constructor {constructor.name_hint}")


def _replaced(ty: Type, images: Mapping[Node, Node]) -> Type:
    if not images:
        return ty
    made = replace_nodes(ty, images, traversal=EVERYTHING)
    assert isinstance(made, Type)
    return made
