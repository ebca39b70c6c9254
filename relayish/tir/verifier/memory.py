"""What accesses demand of tensors, tensors of buffers, and both of their shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.ir.node import Node
from relayish.ir.one_line import one_line
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.stmt import Alloc, Free
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor, Var
from relayish.tir.ir.type import Type
from relayish.tir.verifier.rules import (
    is_index,
    is_numeric,
    is_truth_value,
    register_verify_rule,
)
from relayish.tir.verifier.violation import Report, Rule, typed


@register_verify_rule(Load)
def check_load(load: Load, report: Report) -> None:
    """An element is loaded by as many indices as there are dimensions, or a scalar by none."""
    _check_address(load, load.tensor, load.indices, report)


@register_verify_rule(Store)
def check_store(store: Store, report: Report) -> None:
    """What is stored is of the element's type, with as many lanes as the indices have."""
    target, indices = store.tensor, store.indices
    _check_address(store, target, indices, report)
    if isinstance(target, Tensor) and target.buffer is None:
        report(
            Rule.MEMORY,
            store,
            f"a value is stored to tensor {target.name}, which is inline: it has no buffer; give "
            f"it one, or store to another tensor",
        )
    wanted = target.type
    if wanted.is_pointer and indices:
        return  # what an address points to has no type here
    for index in indices:
        lanes = index.type.lanes
        if lanes > 1:
            wanted = wanted.with_lanes(lanes)
            break
    value = store.value.type
    if value is wanted or value == wanted:
        return
    if not (is_numeric(wanted) or wanted.is_pointer):
        return  # a structure that only C code knows, and what it converts
    report(
        Rule.TYPE,
        store,
        f"{typed(store.value)} is stored to {_spell(target)}, where values of type {wanted} are; "
        f"{'broadcast' if value.lanes < wanted.lanes else 'cast'} the value",
    )


def _check_address(
    access: Load | Store, target: Expr, indices: Sequence[Expr], report: Report
) -> None:
    """Report unless ``target`` is a place, and ``indices`` lead to an element of it."""
    if isinstance(target, Tensor):
        rank = len(target.shape)
        if len(indices) != rank:
            report(
                Rule.INDEX,
                access,
                f"{one_line(access)} has {_count(len(indices), 'index', 'indices')}, and tensor "
                f"{target.name} has {_count(rank, 'dimension', 'dimensions')}; give each "
                f"dimension an index",
            )
    elif isinstance(target, Var):
        if not target.dtype.is_pointer and not _is_whole(indices):
            report(
                Rule.INDEX,
                access,
                f"{one_line(access)} has indices, and {typed(target)} is a scalar; drop them",
            )
    elif not target.type.is_pointer or isinstance(target, Buffer):
        report(
            Rule.MEMORY,
            access,
            f"{one_line(access)} accesses {typed(target)} ({type(target).__name__}); expected a "
            f"tensor or a scalar variable"
            + (": access a tensor on the buffer" if isinstance(target, Buffer) else ""),
        )
    lanes = 1
    for index in indices:
        found = index.type
        if is_index(found):
            continue
        if not is_index(found.scalar):
            report(
                Rule.INDEX,
                access,
                f"an index of {_spell(target)} is {typed(index)}; expected int32 or int64: cast it",
            )
        elif lanes not in (1, found.lanes):
            report(
                Rule.INDEX,
                access,
                f"indices of {_spell(target)} have {lanes} and {found.lanes} lanes; all vectors "
                f"among them must have as many",
            )
        lanes = max(lanes, found.lanes)
    if lanes > 1 and target.type.lanes > 1:
        report(
            Rule.INDEX,
            access,
            f"{_spell(target)} holds vectors of type {target.type} and is indexed by vectors; "
            f"index it by scalars",
        )


def _is_whole(indices: Sequence[Expr]) -> bool:
    """Return whether ``indices`` mean a scalar: none, or one that is 0, as CINN writes it."""
    if not indices:
        return True
    only = indices[0]
    return len(indices) == 1 and isinstance(only, IntImm) and only.value == 0


@register_verify_rule(Tensor)
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
                f"tensor {tensor.name} has {_count(rank, 'dimension', 'dimensions')}, and {name} "
                f"says {len(held)}; give each dimension one, or leave it out",
            )
    buffer = tensor.buffer
    if buffer is None:
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


def _check_fit(tensor: Tensor, buffer: Buffer, report: Report) -> None:
    """Report a tensor whose last element is certain to lie outside of its buffer."""
    if buffer.strides and len(buffer.strides) != len(tensor.shape):
        report(
            Rule.MEMORY,
            tensor,
            f"buffer {buffer.name} has {_count(len(buffer.strides), 'stride', 'strides')}, and "
            f"tensor {tensor.name} {_count(len(tensor.shape), 'dimension', 'dimensions')}; a view "
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
        needed, has = _product(shape), _product(room)
    if needed > has:
        report(
            Rule.MEMORY,
            tensor,
            f"tensor {tensor.name} of shape {_shape(shape)} reaches {needed} elements far, and "
            f"buffer {buffer.name} of shape {_shape(room)} has {has}; make the buffer larger, or "
            f"the tensor smaller",
        )


@register_verify_rule(Buffer)
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
            f"{named} has {_count(len(buffer.shape), 'dimension', 'dimensions')} and "
            f"{_count(len(buffer.strides), 'stride', 'strides')}; give each dimension one, or none",
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


@register_verify_rule(BufferRange)
def check_buffer_range(given: BufferRange, report: Report) -> None:
    """A part of a buffer has bounds in some of its dimensions at most."""
    buffer = given.buffer
    if not isinstance(buffer, Buffer):
        report(
            Rule.REGION,
            given,
            f"a region is a part of {typed(buffer)} ({type(buffer).__name__}); expected a Buffer",
        )


@register_verify_rule(Var)
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


@register_verify_rule(Alloc)
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
            f"{_count(len(alloc.extents), 'extent', 'extents')}, and it has "
            f"{_count(len(buffer.shape), 'dimension', 'dimensions')}; give each dimension one, "
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


@register_verify_rule(Free)
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


def _product(sizes: Sequence[int]) -> int:
    found = 1
    for size in sizes:
        found *= size
    return found


def _is_structure(given: Type) -> bool:
    """Return whether ``given`` is a structure that only C code knows."""
    return not given.is_numeric and given.element not in _NO_MEMORY


_NO_MEMORY: Final = frozenset(["void", "string"])


def _shape(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def _count(number: int, one: str, many: str) -> str:
    return f"{number or 'no'} {one if number == 1 else many}"


def _spell(target: Expr) -> str:
    return f"tensor {target.name}" if isinstance(target, Tensor) else one_line(target)
