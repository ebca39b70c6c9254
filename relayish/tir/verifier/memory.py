"""Rules of tensors and buffers: that they fit, and their shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from relayish.ir.nodes.node import Node
from relayish.ir.verification.rules import VERIFY_RULES, Report, count_of
from relayish.tir.ir.operation import ComputeOp
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.stmt import Alloc, Free
from relayish.tir.ir.tensor import Buffer, BufferRange, Tensor, Var
from relayish.tir.ir.type import Type
from relayish.tir.verifier.rules import is_index, is_numeric, is_truth_value
from relayish.tir.verifier.violation import Rule, typed


@VERIFY_RULES.register(Tensor)
def check_tensor(tensor: Tensor, report: Report) -> None:
    """A tensor has a shape of integers, axes for each dimension, and elements of its buffer's."""
    _check_sizes(tensor, f"tensor {tensor.name}", tensor.shape, report)
    if not (is_numeric(tensor.dtype) or tensor.dtype.is_pointer or _is_structure(tensor.dtype)):
        report(
            Rule.MEMORY,
            tensor,
            f"tensor {tensor.name} holds elements of type {tensor.dtype}; expected a type that "
            f"memory holds",
        )
    rank = len(tensor.shape)
    for name, held in (("axis", tensor.axis), ("domain", tensor.domain)):
        if held and len(held) != rank:
            report(
                Rule.OPERATION,
                tensor,
                f"tensor {tensor.name} has {count_of(rank, 'dimension')}, and {name} "
                f"says {len(held)}; give each dimension one, or leave it out",
            )
    buffer = tensor.buffer
    if buffer is None:
        _check_inline(tensor, report)
        return
    if not isinstance(buffer, Buffer):
        report(
            Rule.MEMORY,
            tensor,
            f"tensor {tensor.name} looks at {typed(buffer)} ({type(buffer).__name__}); expected a "
            f"Buffer",
        )
        return
    if buffer.dtype.scalar != tensor.dtype.scalar:
        report(
            Rule.MEMORY,
            tensor,
            f"tensor {tensor.name} has elements of type {tensor.dtype}, and buffer {buffer.name} "
            f"of type {buffer.dtype}; let both have one type",
        )
    _check_fit(tensor, buffer, report)


def _check_inline(tensor: Tensor, report: Report) -> None:
    """Report a tensor whose computation gives elements of another type, or for other indices."""
    operation = tensor.operation
    if not isinstance(operation, ComputeOp):
        return
    if len(operation.axis) != len(tensor.shape):
        report(
            Rule.OPERATION,
            tensor,
            f"tensor {tensor.name} has {count_of(len(tensor.shape), 'dimension')}, and "
            f"its computation {count_of(len(operation.axis), 'axis', 'axes')}; give each dimension "
            f"one",
        )
    for body in operation.body:
        if len(operation.body) == 1 and body.type != tensor.dtype:
            report(
                Rule.OPERATION,
                tensor,
                f"tensor {tensor.name} has elements of type {tensor.dtype}, and is computed as "
                f"{typed(body)}; cast what is computed",
            )


def _check_fit(tensor: Tensor, buffer: Buffer, report: Report) -> None:
    """Report a tensor whose last element is certain to lie outside of its buffer."""
    if buffer.strides and len(buffer.strides) != len(tensor.shape):
        report(
            Rule.MEMORY,
            tensor,
            f"buffer {buffer.name} has {count_of(len(buffer.strides), 'stride')}, and "
            f"tensor {tensor.name} {count_of(len(tensor.shape), 'dimension')}; a view "
            f"has a dimension for each stride",
        )
        return
    shape, room = _numbers(tensor.shape), _numbers(buffer.shape)
    strides = _numbers(buffer.strides)
    if shape is None or room is None or strides is None or not buffer.shape or 0 in shape:
        return
    if strides:
        last = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
        held = sum((size - 1) * stride for size, stride in zip(room, strides, strict=False))
        needed, has = last + 1, held + 1
    else:
        needed, has = math.prod(shape), math.prod(room)
    if needed > has:
        report(
            Rule.MEMORY,
            tensor,
            f"tensor {tensor.name} of shape {_shape(shape)} reaches {needed} elements far, and "
            f"buffer {buffer.name} of shape {_shape(room)} has {has}; make the buffer larger, or "
            f"the tensor smaller",
        )


@VERIFY_RULES.register(Buffer)
def check_buffer(buffer: Buffer, report: Report) -> None:
    """A buffer has sizes, strides and an offset of integers, which agree."""
    named = f"buffer {buffer.name}"
    _check_sizes(buffer, named, buffer.shape, report)
    if not (is_numeric(buffer.dtype) or buffer.dtype.is_pointer or _is_structure(buffer.dtype)):
        report(
            Rule.MEMORY,
            buffer,
            f"{named} holds elements of type {buffer.dtype}; expected a type that memory holds",
        )
    if buffer.strides and buffer.shape and len(buffer.strides) != len(buffer.shape):
        report(
            Rule.MEMORY,
            buffer,
            f"{named} has {count_of(len(buffer.shape), 'dimension')} and "
            f"{count_of(len(buffer.strides), 'stride')}; give each dimension one, or none",
        )
    offset = () if buffer.elem_offset is None else (buffer.elem_offset,)
    for name, held in (("a stride", buffer.strides), ("the offset", offset)):
        for value in held:
            if not is_index(value.type):
                report(
                    Rule.MEMORY,
                    buffer,
                    f"{name} of {named} is {typed(value)}; expected int32 or int64",
                )
    start = _number(buffer.elem_offset)
    factor = buffer.offset_factor
    if factor < 0 or buffer.data_alignment < 0:
        report(
            Rule.MEMORY,
            buffer,
            f"{named} has the offset factor {factor} and the alignment {buffer.data_alignment}; "
            f"expected numbers that are not negative",
        )
    elif start is not None and factor > 0 and start % factor:
        report(
            Rule.MEMORY,
            buffer,
            f"the offset of {named} is {start}, which is no multiple of its offset factor "
            f"{factor}; correct one",
        )


@VERIFY_RULES.register(BufferRange)
def check_buffer_range(given: BufferRange, report: Report) -> None:
    """A part of a buffer has bounds in some of its dimensions at most."""
    buffer = given.buffer
    if not isinstance(buffer, Buffer):
        report(
            Rule.REGION,
            given,
            f"a region is a part of {typed(buffer)} ({type(buffer).__name__}); expected a Buffer",
        )


@VERIFY_RULES.register(Var)
def check_var(variable: Var, report: Report) -> None:
    """The bounds of a variable are of its type."""
    for name, bound in (("lower", variable.lower_bound), ("upper", variable.upper_bound)):
        if bound is not None and bound.type != variable.dtype:
            report(
                Rule.TYPE,
                variable,
                f"the {name} bound of {typed(variable)} is {typed(bound)}; both must have one "
                f"type: cast the bound",
            )


@VERIFY_RULES.register(Alloc)
def check_alloc(alloc: Alloc, report: Report) -> None:
    """A buffer is allocated, with its own shape if one is given, where a truth value holds."""
    buffer = alloc.destination
    if not isinstance(buffer, Buffer):
        report(
            Rule.MEMORY,
            alloc,
            f"Alloc is given {typed(buffer)} ({type(buffer).__name__}); expected a Buffer",
        )
        return
    _check_sizes(alloc, f"the memory of buffer {buffer.name}", alloc.extents, report)
    if alloc.extents and len(alloc.extents) != len(buffer.shape):
        report(
            Rule.MEMORY,
            alloc,
            f"Alloc gives buffer {buffer.name} "
            f"{count_of(len(alloc.extents), 'extent')}, and it has "
            f"{count_of(len(buffer.shape), 'dimension')}; give each dimension one, "
            f"or none",
        )
    elif alloc.extents:
        given, shape = _numbers(alloc.extents), _numbers(buffer.shape)
        if given is not None and shape is not None and given != shape:
            report(
                Rule.MEMORY,
                alloc,
                f"Alloc gives buffer {buffer.name} the shape {_shape(given)}, and it has the shape "
                f"{_shape(shape)}; give the same, or none",
            )
    if alloc.condition is not None and not is_truth_value(alloc.condition.type):
        report(
            Rule.TYPE,
            alloc,
            f"the condition of Alloc is {typed(alloc.condition)}; expected one truth value: "
            f"compare the number with 0",
        )


@VERIFY_RULES.register(Free)
def check_free(free: Free, report: Report) -> None:
    """A buffer is freed."""
    if not isinstance(free.destination, Buffer):
        report(
            Rule.MEMORY,
            free,
            f"Free is given {typed(free.destination)} ({type(free.destination).__name__}); "
            f"expected a Buffer",
        )


def _check_sizes(node: Node, named: str, sizes: Sequence[Expr], report: Report) -> None:
    for size in sizes:
        if not is_index(size.type):
            report(
                Rule.MEMORY,
                node,
                f"a dimension of {named} is {typed(size)}; expected int32 or int64: cast it",
            )
        elif isinstance(size, IntImm) and size.value < 0:
            report(
                Rule.MEMORY,
                node,
                f"a dimension of {named} is {size.value}; a size is 0 or more",
            )


def _number(size: Expr | None) -> int | None:
    return size.value if isinstance(size, IntImm) else None


def _numbers(sizes: Sequence[Expr]) -> list[int] | None:
    """Return what literal sizes say; ``None`` where one is not known."""
    found = [size.value for size in sizes if isinstance(size, IntImm)]
    return found if len(found) == len(sizes) else None


def _is_structure(given: Type) -> bool:
    """Return whether ``given`` is a structure that only C code knows."""
    return not given.is_numeric and given.element not in _NO_MEMORY


_NO_MEMORY: Final = frozenset(["void", "string"])


def _shape(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"
