"""Unification: unknown types and named dimensions take values, the rest must agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relayish.analysis.infer_type.compound import COMPOUND, Compound, Parts
from relayish.analysis.infer_type.wider import find_wider
from relayish.errors import TypeInferenceError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.type import (
    Any,
    FuncType,
    IncompleteType,
    PrimOp,
    SizeVar,
    TensorType,
    Type,
    TypeVar,
)
from relayish.op.types.dimension import ANY, compare, show_type
from relayish.op.types.fields import Dimension

ENDLESS: Final = "the type would contain itself"
_PARTS_LOOKED_AT: Final = 32


class Unifier:
    """What is known so far about unknown types and named dimensions."""

    def __init__(self) -> None:
        self._value: dict[Type, Type] = {}
        self._size: dict[Dimension, Dimension] = {}
        self.closed: set[Type] = set()
        """Types of which all is known, as they are written."""
        self._final: dict[Type, Type] = {}
        self._faulty: set[Type] = set()
        self._joins: dict[tuple[Type, Type], Type] = {}
        """What compound types of which all is known have become."""
        self.widened = False
        """Whether what was known of a type turned out to be true of some dimensions only."""
        self.endless = False
        """Whether a type that contains itself has been resolved."""

    def faulty(self) -> IncompleteType:
        """Return a type that agrees with every other: that of what was reported as an error."""
        made = IncompleteType()
        self._faulty.add(made)
        return made

    @property
    def has_faults(self) -> bool:
        """Whether errors were found, here or in definitions that are used."""
        return bool(self._faulty)

    def is_faulty(self, ty: Type) -> bool:
        """Return whether the type itself, not a part of it, is that of an error."""
        return self.find(ty) in self._faulty

    def find(self, ty: Type) -> Type:
        """Return what is known of ``ty`` at its head."""
        if type(ty) is not IncompleteType:
            return ty
        found = self._value.get(ty, ty)
        if found is ty or type(found) is not IncompleteType:  # as most are
            return found
        root = self._root(ty)
        return self._value.get(root, root)

    def assign(self, unknown: Type, found: Type) -> None:
        """Make two types equal; see :class:`relayish.op.declaration.relation.TypeReporter`."""
        self.unify(unknown, found)

    def unify(self, left: Type, right: Type) -> Type:
        """Make two types equal and return the one they are now.

        Where one side has a dimension of unknown size the result has it too, as in Relay.

        Raises:
            TypeInferenceError: If they cannot be equal; what was found out before stays.

        Complexity:
            Linear in the distinct pairs of parts; no recursion.
        """
        if left is right:
            return left
        one, other = self.find(left), self.find(right)
        if type(one) is IncompleteType and other in self.closed and one not in self._faulty:
            self._value[one] = other  # it contains nothing unknown
            self.notice(one, other)
            return other
        simple = self._joins.get((one, other)) or self._unify_simple(one, other)
        if simple is not None:
            return self._bind_unknowns((left, right), simple)
        images: dict[tuple[Type, Type], Type] = {}
        entered: dict[tuple[Type, Type], tuple[Type, Type]] = {}
        stack: list[tuple[Type, Type] | None] = [(left, right)]
        while stack:
            pair = stack.pop()
            if pair is None:
                pair = stack.pop()
                assert pair is not None
                joined = self._join(*entered[pair], images)
                images[pair] = self._bind_unknowns(pair, joined)
                continue
            if pair in images or pair in entered:  # the latter where types contain themselves
                continue
            one, other = self.find(pair[0]), self.find(pair[1])
            simple = self._joins.get((one, other)) or self._unify_simple(one, other)
            if simple is not None:
                images[pair] = self._bind_unknowns(pair, simple)
                continue
            one, other = entered[pair] = self._align(one, other)
            parts = COMPOUND[type(one)].parts
            stack += [pair, None]
            stack += [
                part
                for part in zip(parts(one), parts(other), strict=True)
                if part[0] is not part[1]
            ]
        return images[left, right]

    def _unify_simple(self, one: Type, other: Type) -> Type | None:
        """Return the type both become where no parts have to be looked at."""
        if one is other:
            return one
        if one in self._faulty or other in self._faulty:
            faulty, sound = (one, other) if one in self._faulty else (other, one)
            return self._bind(sound, faulty) if type(sound) is IncompleteType else sound
        if type(one) is IncompleteType:
            return self._bind(one, other)
        if type(other) is IncompleteType:
            return self._bind(other, one)
        if type(one) is not type(other):
            wider = find_wider(one, other)
            if wider is None:
                raise mismatch(self, one, other)
            return wider
        if isinstance(one, TensorType) and isinstance(other, TensorType):
            return self._tensor(one, other)
        if COMPOUND[type(one)] is None:
            if structural_equal(one, other):  # names go by what they say
                return one
            raise mismatch(self, one, other)
        return None

    def _align(self, one: Type, other: Type) -> tuple[Type, Type]:
        """Return two compound types of one kind, in terms of the same type variables.

        Both have as many parts then.
        """
        compound = COMPOUND[type(one)]
        if isinstance(one, FuncType) and isinstance(other, FuncType):
            one, other = self._rename_alike(one, other)
        if not compound.is_alike(one, other):
            raise mismatch(self, one, other)
        if compound.bound is not None and not isinstance(one, FuncType):
            values = dict(zip(compound.bound(other), compound.bound(one), strict=True))
            parts = [substitute(self.resolve(part), values) for part in compound.parts(other)]
            other = compound.make(other, tuple(parts))
        return one, other

    def _rename_alike(self, one: FuncType, other: FuncType) -> tuple[FuncType, FuncType]:
        """Return both with the type variables of the one that has fewer.

        What the other has more of becomes unknown: it is used as one of its instances.
        """
        if not one.type_params and not other.type_params:
            return one, other
        if len(one.type_constraints) != len(other.type_constraints):
            raise mismatch(self, one, other)
        if len(one.type_params) > len(other.type_params):
            two, first = self._rename_alike(other, one)
            return first, two
        values: dict[TypeVar, Type] = {p: IncompleteType(p.kind) for p in other.type_params}
        values.update(zip(other.type_params, one.type_params, strict=False))
        known = self.resolve(other)
        assert isinstance(known, FuncType)
        arg_types = tuple(substitute(ty, values) for ty in known.arg_types)
        ret_type = substitute(known.ret_type, values)
        return one, FuncType(arg_types, ret_type, one.type_params, one.type_constraints)

    def _join(self, one: Type, other: Type, images: dict[tuple[Type, Type], Type]) -> Type:
        """Return the type two compound types became, from what their parts did."""
        compound = COMPOUND[type(one)]
        before, others = compound.parts(one), compound.parts(other)
        after = tuple(images.get(pair, pair[0]) for pair in zip(before, others, strict=True))
        same = all(self.find(a) is self.find(b) for a, b in zip(before, after, strict=True))
        joined = one if same else compound.make(one, after)
        if compound.sizes is not None:
            joined = self._join_sizes(joined, other, compound)
        if self._is_all_known(one, before) and self._is_all_known(other, others):
            self._joins[one, other] = joined
        return joined

    def _join_sizes(self, one: Type, other: Type, compound: Compound) -> Type:
        """Return ``one`` with the dimensions that it and ``other`` have in common."""
        assert compound.sizes is not None
        assert compound.with_sizes is not None
        before, others = compound.sizes(one), compound.sizes(other)
        sizes = [self._dimension(a, b) for a, b in zip(before, others, strict=True)]
        known = tuple([size for size in sizes if size is not None])
        if len(known) < len(sizes):
            raise mismatch(self, one, other)
        return one if known == before else compound.with_sizes(one, known)

    def is_told(self, ty: Type) -> bool:
        """Return whether nothing in ``ty`` is unknown, as far as a look at its parts can tell."""
        compound = None if type(ty) is TensorType else COMPOUND[type(ty)]
        if compound is None:
            return self._is_known_leaf(ty)
        return ty in self.closed or self._is_all_known(ty, compound.parts(ty))

    def _is_all_known(self, ty: Type, parts: Parts) -> bool:
        """Return whether nothing in ``ty`` is unknown, if its compound parts were asked before."""
        closed = self.closed
        if ty not in closed and all(p in closed or self._is_known_leaf(p) for p in parts):
            if self._size and self._resolve_sizes(ty) is not ty:
                return False
            closed.add(ty)
        return ty in closed

    def _is_known_leaf(self, ty: Type) -> bool:
        kind = type(ty)
        if kind is not TensorType and (kind is IncompleteType or COMPOUND[kind] is not None):
            return False
        return not self._size or self._resolve_sizes(ty) is ty

    def _bind_unknowns(self, pair: tuple[Type, Type], joined: Type) -> Type:
        """Let the unknowns of ``pair`` stand for what both sides became."""
        for side in pair:
            if type(side) is not IncompleteType:
                continue
            root = self._root(side)
            if self._value.get(root, joined) is not joined:
                self._value[root] = joined
                self.widened = True
                self._final.clear()  # what was put together with the value before
        return joined

    def _root(self, unknown: Type) -> Type:
        """Return the unknown that stands for all that are the same; shorten the way to it."""
        value, root = self._value, unknown
        found = value.get(root)
        while type(found) is IncompleteType:
            root, found = found, value.get(found)
        while unknown is not root:
            following = value[unknown]
            value[unknown] = root
            unknown = following
        return root

    def _bind(self, unknown: IncompleteType, ty: Type) -> Type:
        if (
            COMPOUND[type(ty)] is not None
            and not self.is_told(ty)
            and self._is_seen_in(unknown, ty)
        ):
            raise TypeInferenceError(f"{ENDLESS}: it is part of {self.show(ty)}")
        self._value[unknown] = ty
        self.notice(unknown, ty)
        return ty

    def _is_seen_in(self, unknown: IncompleteType, ty: Type) -> bool:
        """Return whether ``unknown`` is one of those parts of ``ty`` that are looked at.

        To look at all of them each time would take quadratic time on deep types; a type that
        contains itself further down is noticed when it is resolved.
        """
        seen: set[Type] = set()
        stack = [ty]
        for _ in range(_PARTS_LOOKED_AT):
            if not stack:
                return False
            part = self.find(stack.pop())
            if part is unknown:
                return True
            compound = COMPOUND[type(part)]
            if compound is not None and part not in self.closed and part not in seen:
                seen.add(part)
                stack.extend(compound.parts(part)[:_PARTS_LOOKED_AT])
        return False

    def notice(self, unknown: IncompleteType, ty: Type) -> None:
        """Take notice that ``unknown`` is ``ty`` from now on."""

    def _tensor(self, one: TensorType, other: TensorType) -> TensorType:
        if one.dtype != other.dtype or len(one.shape) != len(other.shape):
            raise mismatch(self, one, other)
        if one.shape == other.shape:
            return one
        shape = [self._dimension(a, b) for a, b in zip(one.shape, other.shape, strict=True)]
        known = [size for size in shape if size is not None]
        if len(known) < len(shape):
            raise mismatch(self, one, other)
        found = tuple(known)
        if found == one.shape:
            return one
        return other if found == other.shape else TensorType(found, one.dtype)

    def _dimension(self, left: Dimension, right: Dimension) -> Dimension | None:
        """Return the size two dimensions have in common, or ``None`` if they differ."""
        one, other = self._size_of(left), self._size_of(right)
        if one == other and not isinstance(one, Any):
            return one
        if isinstance(one, Any) or isinstance(other, Any):
            return ANY
        for name, size in ((one, other), (other, one)):
            if isinstance(name, SizeVar):
                self._size[name] = size
                self._reopen()
                return size
        if compare(one, other) is False:
            return None
        return other if isinstance(other, int) else one

    def _reopen(self) -> None:
        """Forget which types are known: named dimensions in them are something else now."""
        self.closed.clear()
        self._final.clear()
        self._joins.clear()

    def _size_of(self, size: Dimension) -> Dimension:
        sizes, found = self._size, size
        while found in sizes:
            found = sizes[found]
        while size is not found:
            following = sizes[size]
            sizes[size] = found  # the next time the way is shorter
            size = following
        return found

    def is_closed(self, ty: Type) -> bool:
        """Return whether nothing in ``ty`` is unknown, or known under another name."""
        return self.resolve(ty) is ty and ty in self.closed

    def forget_sizes(self) -> None:
        """Let named dimensions be unknown again: what was found of them held in one definition."""
        if self._size:
            self._size.clear()
            self._reopen()

    def resolve(self, ty: Type, done: dict[Type, Type] | None = None) -> Type:
        """Return ``ty`` with what is known put in; itself where it says all there is to know.

        The result is in ``closed`` if no part of it is unknown.

        Args:
            ty: Any type.
            done: What was resolved since types were last made equal, and is filled; with it types
                with unknown parts, too, are looked into once however often they are asked for.

        Complexity:
            Linear in the distinct types it is made of, constant when asked again; no recursion.
        """
        closed, final = self.closed, self._final
        ty = self.find(ty)
        if ty in closed or type(ty) is IncompleteType:
            return ty
        done = {} if done is None else done
        entered: set[Type] = set()
        stack: list[Type | None] = [ty]
        while stack:
            part = stack.pop()
            if part is None:
                part = stack.pop()
                assert part is not None
                done[part] = self._assemble(part, done)
            elif part in closed or part in done:
                continue
            elif part in final:
                done[part] = final[part]
            elif type(part) is IncompleteType:
                value = self.find(part)
                if type(value) is IncompleteType:
                    done[part] = value
                else:
                    stack += [part, None, value]
            elif part in entered:
                self.endless = True
            elif type(part) is not TensorType and (compound := COMPOUND[type(part)]) is not None:
                entered.add(part)
                stack += [part, None]
                stack.extend(compound.parts(part))
            else:
                found = done[part] = self._resolve_sizes(part)
                closed.add(found)
        return done[ty]

    def _assemble(self, ty: Type, done: dict[Type, Type]) -> Type:
        if type(ty) is IncompleteType:
            value = self.find(ty)
            return done.get(value, value)
        compound = COMPOUND[type(ty)]
        before = compound.parts(ty)
        after = tuple([done.get(part, part) for part in before])
        same = all(a is b for a, b in zip(before, after, strict=True))
        made = ty if same else compound.make(ty, after)
        if compound.sizes is not None:
            made = self._resolve_sizes(made)
        if all(part in self.closed for part in after):
            self.closed.add(made)
            self._final[ty] = made
        return made

    def _resolve_sizes(self, ty: Type) -> Type:
        if not self._size:
            return ty
        if isinstance(ty, TensorType):
            shape = tuple(self._resolve_dimension(size) for size in ty.shape)
            return ty if shape == ty.shape else ty.with_fields(shape=shape)
        compound = COMPOUND[type(ty)]
        if compound is None or compound.sizes is None:
            return ty
        before = compound.sizes(ty)
        sizes = tuple([self._resolve_dimension(size) for size in before])
        return ty if sizes == before else compound.with_sizes(ty, sizes)

    def _resolve_dimension(self, size: Dimension) -> Dimension:
        found = self._size_of(size)
        if not isinstance(found, PrimOp):
            return found
        args = tuple(self._size_of(arg) for arg in found.args)
        return found if args == found.args else found.with_fields(args=args)

    def show(self, ty: Type) -> str:
        """Return ``ty`` for a message, with what is known of it."""
        return show_type(self.resolve(ty))


def mismatch(unifier: Unifier, one: Type, other: Type) -> TypeInferenceError:
    """Return the error that two types are not equal."""
    return TypeInferenceError(f"{unifier.show(one)} is not {unifier.show(other)}")


def unknowns(ty: Type) -> list[IncompleteType]:
    """Return the unknown types in ``ty``, each once; no recursion."""
    if isinstance(ty, IncompleteType):
        return [ty]
    found: dict[IncompleteType, None] = {}
    seen: set[Type] = set()
    stack = [ty]
    while stack:  # asked for every argument of a call: a shared search takes a tenth longer
        part = stack.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, IncompleteType):
            found[part] = None
        elif type(part) is not TensorType and (compound := COMPOUND[type(part)]) is not None:
            stack.extend(compound.parts(part))
    return list(found)


def substitute(ty: Type, values: Mapping[TypeVar, Type]) -> Type:
    """Return ``ty`` with type variables replaced; itself where it has none of them.

    Complexity:
        Linear in the distinct types it is made of; no recursion.
    """
    images: dict[Type, Type] = {var: values[var] for var in values}
    stack: list[Type | None] = [ty]
    while stack:
        part = stack.pop()
        if part is None:
            part = stack.pop()
            assert part is not None
            compound = COMPOUND[type(part)]
            before = compound.parts(part)
            after = tuple([images[item] for item in before])
            images[part] = part if after == before else compound.make(part, after)
        elif part in images:
            continue
        elif type(part) is not TensorType and (compound := COMPOUND[type(part)]) is not None:
            stack += [part, None]
            stack.extend(compound.parts(part))
        else:
            images[part] = part
    return images[ty]
