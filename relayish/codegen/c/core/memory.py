"""Handlers that write loads, stores and addresses of core as C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from relayish.codegen.c.core.context import CoreCtx, Part, Place
from relayish.codegen.c.core.declarations import base_of, element_of, value_type
from relayish.codegen.c.core.expressions import Expressions
from relayish.codegen.c.text import CText, cast, infix
from relayish.core.ir import memory as mem
from relayish.core.ir.expr import Intconst
from relayish.core.ir.family import Expr
from relayish.core.ir.memory import type_of
from relayish.core.ir.symbol import Global
from relayish.core.ir.type import Type
from relayish.dataflow.lattice.interval import Interval
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError, OutOfBoundsError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node


class Accesses(Expressions):
    """Writes loads, stores and addresses.

    What is accessed by the address of a symbol, and indices, is accessed as that symbol: ``a[i]``.
    Other addresses are asked for what they are of.
    """

    # Symbols

    def handle_ld(self, visitor: Dispatch, node: mem.Ld) -> CText:
        made: CText = visitor.context.load(node.symbol, node.type, node)
        return made

    def handle_ldp(self, visitor: Dispatch, node: mem.Ldp) -> CText:
        made: CText = visitor.context.load(node.preg, node.type, node)
        return made

    def handle_ldf(self, visitor: Dispatch, node: mem.Ldf) -> CText:
        ctx: CoreCtx = visitor.context
        return ctx.load_part(self._field(ctx, node.symbol, node.field_name, node.type), node)

    def handle_ldpf(self, visitor: Dispatch, node: mem.Ldpf) -> CText:
        ctx: CoreCtx = visitor.context
        return ctx.load_part(self._field(ctx, node.preg, node.field_name, node.type), node)

    def handle_ldo(self, visitor: Dispatch, node: mem.Ldo) -> CText:
        ctx: CoreCtx = visitor.context
        return ctx.load_part(Part(ctx.place(node.symbol), node.type, str(node.offset)), node)

    def handle_st(self, visitor: Dispatch, node: mem.St) -> None:
        ctx: CoreCtx = visitor.context
        ctx.store(node.symbol, ctx.text(visitor, node.value), node.value.type)

    def handle_stp(self, visitor: Dispatch, node: mem.Stp) -> None:
        ctx: CoreCtx = visitor.context
        ctx.store(node.preg, ctx.text(visitor, node.value), node.value.type)

    def handle_stf(self, visitor: Dispatch, node: mem.Stf) -> None:
        ctx: CoreCtx = visitor.context
        value = ctx.text(visitor, node.value)
        ctx.store_part(self._field(ctx, node.symbol, node.field_name, node.value.type), value)

    def handle_stpf(self, visitor: Dispatch, node: mem.Stpf) -> None:
        ctx: CoreCtx = visitor.context
        value = ctx.text(visitor, node.value)
        ctx.store_part(self._field(ctx, node.preg, node.field_name, node.value.type), value)

    def handle_sto(self, visitor: Dispatch, node: mem.Sto) -> None:
        ctx: CoreCtx = visitor.context
        value = ctx.text(visitor, node.value)
        ctx.store_part(Part(ctx.place(node.symbol), node.value.type, str(node.offset)), value)

    @staticmethod
    def _field(ctx: CoreCtx, symbol: Any, name: str, held: Type) -> Part:  # Any: a symbol
        place, types = ctx.place(symbol), ctx.program.types
        offset = types.layout.offset_of(symbol.type, name)
        called = f"{place.name}.{types.field(symbol.type, name)}" if held.is_scalar else None
        return Part(place, held, str(offset), called)

    # Addresses

    def handle_lda(self, visitor: Dispatch, node: mem.Lda) -> CText:
        ctx: CoreCtx = visitor.context
        symbol = node.symbol
        if isinstance(symbol, Global) and symbol.type.is_function:
            at = ctx.program.addressed[ctx.program.resolve(symbol.name)]
            cell = f"self->functions[{at}]"
            return self.address_once(ctx, node, cell, "NULL", str(at), "FUNCTION_PIECE")
        address = ctx.place(symbol).address
        if address is None:
            raise CodegenError(
                f"{quote(node)} takes an address that nothing in the function announces; write it "
                f"as core.Lda where the function is made"
            )
        return CText(address)

    def handle_array(self, visitor: Dispatch, node: mem.Array) -> CText:
        ctx: CoreCtx = visitor.context
        address = ctx.text(visitor, node.address)
        size = ctx.size_of(node.type.pointee)
        return _plus(address, _times(self._number_of(visitor, node), size))

    @staticmethod
    def _number_of(visitor: Dispatch, node: mem.Array) -> CText:
        """Return the number of an element, row by row, in 64 bits without a sign."""
        ctx: CoreCtx = visitor.context
        held = mem.pointee_of(node.address)
        shape: Sequence[int] = held.shape if held.is_array else (1,)
        at = CText("0")
        for index, size in zip(node.indices, shape, strict=True):
            at = _plus(_times(at, size), _unsigned(index, ctx.text(visitor, index)))
        return at

    def handle_idname(self, visitor: Dispatch, node: mem.Idname) -> CText:  # noqa: ARG002
        """Refuse the name of a symbol, which has no value; what takes names looks at the node."""
        raise CodegenError(f"{quote(node)} is the name of a symbol, which has no value")

    # Memory

    def handle_ild(self, visitor: Dispatch, node: mem.Ild) -> CText:
        ctx: CoreCtx = visitor.context
        element = self._element(visitor, node.address, node.type)
        if element is not None:
            self._check_range(ctx, element, node)
            return ctx.load_part(element.part, node)
        address = ctx.text(visitor, node.address)
        held = node.type
        name = CText(ctx.names.fresh("t"))
        ctx.line(f"{value_type(held)} {name.text};")
        read = ctx.helper("read", element_of(held) if held.is_scalar else "piece")
        size = "" if held.is_scalar else f"{ctx.size_of(held)}, "
        ctx.fail_with(f"{read}(&self->machine, {address.text}, {size}&{name.text})", node)
        return name

    def handle_ist(self, visitor: Dispatch, node: mem.Ist) -> None:
        ctx: CoreCtx = visitor.context
        element = self._element(visitor, node.address, node.value.type)
        if element is None or element.part.place.is_const:  # the machine refuses to write these
            self._store_at(visitor, node, node.value.type)
            return
        value = ctx.text(visitor, node.value)
        self._check_range(ctx, element, node)
        ctx.store_part(element.part, value)

    def _store_at(self, visitor: Dispatch, node: mem.Ist, held: Type) -> None:
        """Write a store at an address, which fails before the value does if it is of nothing."""
        ctx: CoreCtx = visitor.context
        address = ctx.hold(node.address, ctx.text(visitor, node.address), "address")
        machine = f"&self->machine, {address.text}"
        before = len(ctx.lines)
        value = ctx.text(visitor, node.value)
        lines = ctx.lines[before:]
        if lines:
            del ctx.lines[before:]
            found = ctx.names.fresh("piece")
            ctx.line(f"struct piece *{found};")
            ctx.fail_with(f"{ctx.helper('reach', 'piece')}({machine}, &{found})", node)
            ctx.lines += lines
        write = ctx.helper("write", element_of(held) if held.is_scalar else "piece")
        size = "" if held.is_scalar else f"{ctx.size_of(held)}, "
        ctx.fail_with(f"{write}({machine}, {size}{value.text})", node)

    def _element(self, visitor: Dispatch, address: Expr, held: Type) -> _Element | None:
        """Return the part of a symbol that an address is of; ``None``: it is not told by one.

        Indices are computed; that they are in range is still to be checked.
        """
        ctx: CoreCtx = visitor.context
        arrays: list[mem.Array] = []
        inner = address
        while isinstance(inner, mem.Array):
            arrays.insert(0, inner)
            inner = inner.address
        if not isinstance(inner, mem.Lda) or type_of(inner.symbol).is_function:
            return None
        place = ctx.place(inner.symbol)
        if not arrays:
            return _Element(Part(place, held, name=ctx.name_of(place, held)), None)
        whole, size = ctx.size_of(place.type), ctx.size_of(held)
        is_of_scalars = held.is_scalar and place.type.is_array and place.type.element == held
        if is_of_scalars and len(arrays) == 1:
            return self._numbered(visitor, arrays[0], place, held)
        offset = CText("0")
        for array in arrays:
            step = ctx.size_of(array.type.pointee)
            offset = _plus(offset, _times(self._number_of(visitor, array), step))
        offset = _held(ctx, offset, "uint64_t", "offset")
        return _Element(Part(place, held, offset.text), _beyond(offset, whole - size))

    def _numbered(self, visitor: Dispatch, array: mem.Array, place: Place, held: Type) -> _Element:
        """Return an element of an array of scalars."""
        ctx: CoreCtx = visitor.context
        _, count = base_of(place.type)
        if len(array.indices) == 1:
            index = array.indices[0]
            at = ctx.text(visitor, index)
            beyond = None
            if not Interval(0, count - 1).covers(ctx.interval(index)):
                at = ctx.hold(index, at, "i")
                beyond = _beyond(_unsigned(index, at), count - 1)
        else:
            at = _held(ctx, self._number_of(visitor, array), "uint64_t", "i")
            beyond = _beyond(at, count - 1)
        if place.held is not None:
            at = _held(ctx, at, "int64_t", "i")
        offset = _times(at if at.text.isdigit() else cast("int64_t", at), ctx.size_of(held))
        part = Part(place, held, offset.text, f"{place.name}[{at.text}]")
        return _Element(part, beyond)

    @staticmethod
    def _check_range(ctx: CoreCtx, element: _Element, node: Node) -> None:
        if element.beyond is not None:
            place = element.part.place
            ctx.fail_if(
                element.beyond,
                OutOfBoundsError,
                f"bytes beyond the memory of {place.name.removeprefix('self->')} are accessed",
                node,
            )


class _Element(NamedTuple):
    """A part of a symbol, and the text that holds where it lies beyond the symbol, if it may."""

    part: Part
    beyond: str | None


def _beyond(at: CText, last: int) -> str | None:
    if at.text.isdigit():
        return None if int(at.text) <= last else "true"
    return infix(">", at, CText(str(last))).text


def _held(ctx: CoreCtx, made: CText, type_: str, hint: str) -> CText:
    return made if made.is_name else ctx.declare(type_, hint, made.text)


def _unsigned(index: Expr, made: CText) -> CText:
    """Return an index in 64 bits without a sign; a negative one is beyond everything."""
    if isinstance(index, Intconst) and index.value >= 0:
        return CText(str(index.value))
    return made if index.type == "uint64" else cast("uint64_t", made)


def _times(a: CText, b: int) -> CText:
    if a.text.isdigit():
        return CText(str(int(a.text) * b))
    return a if b == 1 else infix("*", a, CText(str(b)))


def _plus(a: CText, b: CText) -> CText:
    if a.text.isdigit() and b.text.isdigit():
        return CText(str(int(a.text) + int(b.text)))
    if "0" in (a.text, b.text):
        return b if a.text == "0" else a
    return infix("+", a, b)
