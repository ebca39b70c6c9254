"""Handlers that write loads and stores as C: where an element is, and whether it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from relayish.codegen.c.loops.context import LoopsCtx, Memory
from relayish.codegen.c.loops.expressions import Expressions
from relayish.codegen.c.text import CText, apply, cast, infix
from relayish.codegen.c.types import c_type
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError, LifetimeError, OutOfBoundsError, UninitialisedReadError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.scopes import bind
from relayish.tir.interpreter.access import constant
from relayish.tir.interpreter.memory import row_major, size_of
from relayish.tir.ir.operation import ComputeOp
from relayish.tir.ir.operators import Add, Broadcast, Expr, IntImm, Mul, Ramp, Sub, UIntImm
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var

_INT_ELEMENTS = 2**31 - 1


class Accesses(Expressions):
    """Writes loads and stores."""

    def handle_load(self, visitor: Dispatch, node: Load) -> CText:
        ctx: LoopsCtx = visitor.context
        tensor = node.tensor
        if isinstance(tensor, Var):
            return self.handle_var(visitor, tensor)
        assert isinstance(tensor, Tensor)
        if tensor.buffer is None:
            return self._inline(visitor, node, tensor)
        memory = ctx.memory(tensor.buffer, node)
        indices = [ctx.text(visitor, index) for index in node.indices]
        at = self.position(visitor, node, tensor, memory, indices)
        if memory.held is not None:
            ctx.fail_if(
                f"{memory.mark}!{self.element(ctx, memory.held, at, node).text}",
                UninitialisedReadError,
                f"an element of {tensor.name} is read before anything was stored to it",
                node,
            )
        made = self.element(ctx, memory.name, at, node)
        if c_type(tensor.dtype).is_packed:
            made = apply(ctx.helper("load", tensor.dtype.element), made)
        return made

    def element(self, ctx: LoopsCtx, name: str, at: CText, node: Load) -> CText:  # noqa: ARG002
        """Return what is held at a place of an array."""
        return CText(f"{name}[{at.text}]", depth=at.depth)

    def handle_store(self, visitor: Dispatch, node: Store) -> None:
        ctx: LoopsCtx = visitor.context
        lanes = node.value.type.lanes
        if lanes > 1:
            self._store_lanes(visitor, node, lanes)
            return
        value = ctx.text(visitor, node.value)
        if isinstance(node.tensor, Var):
            ctx.line(f"{ctx.place(node.tensor).text} = {value.text};")
            ctx.check_value(node.tensor, node.value, node)
            self._note_value(ctx, node.tensor)
            return
        at, memory = self._target(visitor, node)
        self._put(ctx, node, memory, at, value)

    @staticmethod
    def _note_value(ctx: LoopsCtx, var: Var) -> None:
        flag = ctx.unset.get(var)
        if flag is not None:
            ctx.line(f"{flag} = true;")

    def _target(self, visitor: Dispatch, node: Store) -> tuple[CText, Memory]:
        ctx: LoopsCtx = visitor.context
        tensor = node.tensor
        assert isinstance(tensor, Tensor)
        if tensor.buffer is None:
            raise CodegenError(f"{quote(node)} stores to a tensor without a buffer")
        memory = ctx.memory(tensor.buffer, node)
        indices = [ctx.text(visitor, index) for index in node.indices]
        at = self.position(visitor, node, tensor, memory, indices)
        return (
            at if at.is_name or not memory.held else ctx.declare("int64_t", "at", at.text)
        ), memory

    @staticmethod
    def _put(ctx: LoopsCtx, node: Store, memory: Memory, at: CText, value: CText) -> None:
        element = node.value.type
        if c_type(element).is_packed:
            value = apply(ctx.helper("store", element.element), value)
        ctx.line(f"{memory.name}[{at.text}] = {value.text};")
        if memory.held is not None:
            guard = f"if ({memory.held}) " if memory.is_given else ""
            ctx.line(f"{guard}{memory.held}[{at.text}] = 1;")

    def _store_lanes(self, visitor: Dispatch, node: Store, lanes: int) -> None:
        """Write a store of a vector: all lanes are computed, and in range, before one is stored."""
        ctx: LoopsCtx = visitor.context
        held, target = ctx.names.fresh("lanes"), node.tensor
        ctx.line(f"{c_type(node.value.type).value} {held}[{lanes}];")
        places = None
        if isinstance(target, Tensor) and not self._is_plain(ctx, node):
            places = ctx.names.fresh("places")
            ctx.line(f"int64_t {places}[{lanes}];")
        with self.each_lane(ctx, node, lanes):
            value = ctx.text(visitor, node.value)
            ctx.line(f"{held}[{ctx.lane}] = {value.text};")
            if places is not None:
                at, _ = self._target(visitor, node)
                ctx.line(f"{places}[{ctx.lane}] = {at.text};")
        with self.each_lane(ctx, node, lanes):
            value = CText(f"{held}[{ctx.lane}]")
            if isinstance(target, Var):
                ctx.line(f"{ctx.place(target).text}[{ctx.lane}] = {value.text};")
            elif places is None:
                at, memory = self._target(visitor, node)
                self._put(ctx, node, memory, at, value)
            else:
                assert isinstance(target, Tensor)
                place = CText(f"{places}[{ctx.lane}]")
                self._put(ctx, node, ctx.memory(target.buffer, node), place, value)
        if isinstance(target, Var):
            self._note_value(ctx, target)

    @staticmethod
    def _is_plain(ctx: LoopsCtx, node: Store) -> bool:
        """Return whether places of lanes need no check, and no store of another lane moves them."""
        tensor = node.tensor
        assert isinstance(tensor, Tensor)
        buffer = tensor.buffer
        if not isinstance(buffer, Buffer) or ctx.memory(buffer, node).may_be_missing:
            return False
        within = [each for index in node.indices for each in PROGRAM.pre_order(index)]
        return (
            all((node, axis) not in ctx.outside for axis in range(len(node.indices)))
            and _is_inside(tensor, buffer, _last_element(tensor, buffer))
            and all(isinstance(each, _PLAIN) for each in within)
        )

    @staticmethod
    @contextmanager
    def each_lane(ctx: LoopsCtx, node: Node, lanes: int) -> Iterator[None]:
        """Write within elements of a lane, for each lane of a vector."""
        before, lane = ctx.lane, ctx.names.fresh("lane")
        with ctx.braces(f"for (int32_t {lane} = 0; {lane} < {lanes}; ++{lane})", node):
            ctx.lane = lane
            yield
            ctx.lane = before

    # Elements

    def position(
        self,
        visitor: Dispatch,
        node: Load | Store,
        tensor: Tensor,
        memory: Memory,
        indices: Sequence[CText],
    ) -> CText:
        """Return where an element is in memory; checks of what may be wrong stand before it."""
        ctx: LoopsCtx = visitor.context
        buffer = tensor.buffer
        assert isinstance(buffer, Buffer)
        if memory.may_be_missing:
            ctx.fail_if(
                f"!{memory.name}",
                LifetimeError,
                f"{buffer.name} is used while it has no memory; use it while it is allocated",
                node,
            )
        shape = [self.size(visitor, size) for size in tensor.shape]
        indices = self._checked(ctx, node, tensor, indices, shape)
        known = [
            1 if axis in memory.dropped else constant(size)
            for axis, size in enumerate(tensor.shape)
        ]
        if buffer.strides:
            steps = [self.size(visitor, step) for step in buffer.strides]
        elif None not in known:
            steps = [CText(str(step)) for step in row_major([size or 0 for size in known])]
        else:
            steps = _row_major(shape)
        steps = [CText("0") if at in memory.dropped else step for at, step in enumerate(steps)]
        offset = CText("0")
        if buffer.elem_offset is not None:
            offset = self.size(visitor, buffer.elem_offset)
        last = _last_element(tensor, buffer)
        narrow = last is not None and last < _INT_ELEMENTS
        at = _sum_of(node, indices, steps, offset, narrow=narrow)
        if not _is_inside(tensor, buffer, last):
            at = ctx.declare("int64_t", "at", at.text)
            ctx.fail_if(
                f"{at.text} < 0 || {at.text} >= {memory.size.at(12)}",
                OutOfBoundsError,
                f"an element of {tensor.name} is none of buffer {buffer.name}; the view reaches "
                f"beyond its buffer",
                node,
            )
        elif memory.held is not None and not at.is_name:
            at = ctx.declare("int64_t", "at", at.text)
        return at

    @staticmethod
    def _checked(
        ctx: LoopsCtx,
        node: Load | Store,
        tensor: Tensor,
        indices: Sequence[CText],
        shape: Sequence[CText],
    ) -> list[CText]:
        """Write the checks of indices that may be out of range, and return what holds these."""
        doubtful = [axis for axis in range(len(indices)) if (node, axis) in ctx.outside]
        if not doubtful:
            return list(indices)
        held = [
            ctx.hold(index, text, "i") for index, text in zip(node.indices, indices, strict=True)
        ]
        tests = []
        for axis in doubtful:
            at, size = held[axis], shape[axis]
            tests.append(f"{at.text} < 0 || {at.text} >= {size.at(12)}")
        sizes = ", ".join([text.text for text in shape])
        ctx.fail_if(
            " || ".join(tests),
            OutOfBoundsError,
            f"an index is out of range of {tensor.name} of shape ({sizes})",
            node,
            [
                (f"index {axis}", held[axis].text)
                for axis in doubtful
                if node.indices[axis].type.is_scalar and not isinstance(node.indices[axis], Var)
            ],
        )
        return held

    @staticmethod
    def size(visitor: Dispatch, expr: Expr) -> CText:
        """Return the text of a size."""
        known = constant(expr)
        if known is not None:
            return CText(str(known))
        made: CText = visitor.context.text(visitor, expr)
        return made

    @classmethod
    def count(cls, visitor: Dispatch, buffer: Buffer) -> CText:
        """Return how many elements the memory of a buffer has, as text."""
        ctx: LoopsCtx = visitor.context
        known = _reach(buffer.shape, buffer)
        if known is not None:
            return CText(str(known))
        return _symbolic_count(visitor, ctx, cls, buffer)

    def _inline(self, visitor: Dispatch, node: Load, tensor: Tensor) -> CText:
        """Return an element of a tensor that is computed where it is used."""
        ctx: LoopsCtx = visitor.context
        operation = tensor.operation
        if not isinstance(operation, ComputeOp) or len(operation.body) != 1:
            raise CodegenError(
                f"tensor {tensor.name} has no buffer, and is no ComputeOp with one body; give it a "
                f"buffer"
            )
        indices = [ctx.text(visitor, index) for index in node.indices]
        shape = [self.size(visitor, size) for size in tensor.shape]
        indices = self._checked(ctx, node, tensor, indices, shape)
        held = [
            ctx.hold(index, text, axis.name)
            for index, text, axis in zip(node.indices, indices, operation.axis, strict=True)
        ]
        known = ctx.known
        for axis, index in zip(operation.axis, node.indices, strict=True):
            if index.type.is_vector:
                known = known.without((axis,)).with_range(axis, ctx.interval(index))
            else:
                known = bind(known, axis, index)
        body = operation.body[0]
        with ctx.bound(operation.axis, held), ctx.knowing(known), ctx.anew(body):
            made = ctx.text(visitor, body)
        return ctx.hold(node, made, tensor.name)


def _symbolic_count(visitor: Dispatch, ctx: LoopsCtx, cls: type[Accesses], buffer: Buffer) -> CText:
    """Return what holds how many elements memory has; none where a size is none."""
    known = [constant(size) for size in buffer.shape]
    sizes = [
        ctx.settle(c_type(size.type).value, "size", cls.size(visitor, size))
        for size in buffer.shape
    ]
    strides = [cls.size(visitor, step) for step in buffer.strides]
    wide = [
        size if number is not None else cast("int64_t", size)
        for size, number in zip(sizes, known, strict=True)
    ]
    reach = CText("1")
    for at, size in enumerate(wide):  # none is 0 where this is computed
        if strides:
            reach = infix("+", reach, infix("*", infix("-", size, CText("1")), strides[at]))
        elif reach.text == "1" and buffer.shape[at].type.bits <= 32:
            reach = size
        else:
            reach = apply(ctx.helper("elements", "int64"), reach, size)
    open_sizes = [
        f"{size.text} <= 0"
        for size, number in zip(sizes, known, strict=True)
        if number is None or number <= 0
    ]
    if open_sizes:
        reach = CText(f"({' || '.join(open_sizes)} ? 0 : {reach.text})")
    if buffer.elem_offset is not None:
        reach = infix("+", cls.size(visitor, buffer.elem_offset), reach)
    return ctx.settle("int64_t", "count", reach)


_PLAIN: Final = (Var, IntImm, UIntImm, Add, Sub, Mul, Ramp, Broadcast)
"""Kinds of which an index is made that cannot fail, and depends on no memory."""


def _row_major(shape: Sequence[CText]) -> list[CText]:
    steps = [CText("1")]
    for size in reversed(shape[1:]):
        wide = cast("int64_t", size)
        steps.insert(0, wide if steps[0].text == "1" else infix("*", wide, steps[0]))
    return steps[-len(shape) :] if shape else []


def _sum_of(
    node: Load | Store,
    indices: Sequence[CText],
    steps: Sequence[CText],
    offset: CText,
    *,
    narrow: bool,
) -> CText:
    wanted = [
        (index, step, expr)
        for index, step, expr in zip(indices, steps, node.indices, strict=True)
        if step.text != "0" and index.text != "0"
    ]
    is_single = len(wanted) == 1 and wanted[0][1].text == "1" and offset.text == "0"
    terms = []
    for index, step, expr in wanted:
        is_wide = narrow or is_single or expr.type.bits == 64
        wide = index if is_wide else cast("int64_t", index)
        terms.append(wide if step.text == "1" else infix("*", wide, step))
    if offset.text != "0" or not terms:
        terms.append(offset)
    made = terms[0]
    for term in terms[1:]:
        made = infix("+", made, term)
    return made


def _reach(shape: Sequence[Expr], buffer: Buffer) -> int | None:
    """Return how many elements of memory a view of a buffer takes, if all numbers are known."""
    sizes = [constant(size) for size in shape]
    steps = [constant(step) for step in buffer.strides]
    known = [each for each in (*sizes, *steps) if each is not None]
    offset = constant(buffer.elem_offset)
    if offset is None or len(known) < len(sizes) + len(steps):
        return None
    return size_of(known[: len(sizes)], known[len(sizes) :], offset)


def _last_element(tensor: Tensor, buffer: Buffer) -> int | None:
    """Return the last element that a view reaches, if that is known and no step goes back."""
    reach = _reach(tensor.shape, buffer)
    goes_back = any((constant(each) or 0) < 0 for each in (buffer.elem_offset, *buffer.strides))
    return None if reach is None or goes_back else reach - 1


def _is_inside(tensor: Tensor, buffer: Buffer, last: int | None) -> bool:
    """Return whether each element of a view is known to be one of its buffer."""
    if not buffer.strides and buffer.elem_offset is None and _are_same(tensor, buffer):
        return True
    whole = _reach(buffer.shape, buffer)
    return last is not None and whole is not None and last < whole


def _are_same(tensor: Tensor, buffer: Buffer) -> bool:
    if len(tensor.shape) != len(buffer.shape):
        return False
    return all(
        a is b or (constant(a) is not None and constant(a) == constant(b))
        for a, b in zip(tensor.shape, buffer.shape, strict=True)
    )
