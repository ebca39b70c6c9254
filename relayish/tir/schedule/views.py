"""Memory that takes the place of other: accesses redirected to it, and copies of parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import show_found
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.analysis.regions.regions import (
    access_regions,
    accessed_part,
    accesses,
    buffer_of,
)
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.operators import Expr, const, integer_of
from relayish.tir.ir.stmt import Block, For, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor, Var
from relayish.tir.schedule.expressions import tidy
from relayish.tir.schedule.nests import wrap
from relayish.tir.schedule.state import Ref, State
from relayish.tir.substitution import substitute
from relayish.tir.verifier.dependences import quote

N = TypeVar("N", bound=Node)

MEMORY_TYPES: Final[Mapping[str, MemoryType]] = {
    "global": MemoryType.HEAP,
    "shared": MemoryType.GPU_SHARED,
    "local": MemoryType.GPU_LOCAL,
    **{each.value: each for each in MemoryType},
}
"""Where memory is, by CINN's words for it and by the values of the enumeration."""


def memory_type_of(word: str) -> MemoryType:
    """Return where memory is that a step calls ``word``.

    Raises:
        ScheduleError: If nothing is called so.
    """
    found = MEMORY_TYPES.get(word)
    if found is None:
        known = ", ".join([repr(each) for each in MEMORY_TYPES])
        raise ScheduleError(f"no memory is called {show_found(word)}; expected one of {known}")
    return found


def uses_of(root: Node, buffer: Buffer, memory: Collection[Node] = ()) -> list[Load | Store]:
    """Return the accesses to a buffer, all of which have its shape.

    Args:
        root: Where they are.
        buffer: The buffer.
        memory: What uses it in another way, and may: what gives it memory.

    Raises:
        ScheduleError: If it is used in another way, as by a call or as an array of another shape.
    """
    found = [each for each in accesses(root) if not isinstance(each, ScheduleBlockRealize)]
    uses = [each for each in found if buffer_of(each) is buffer]
    for each in uses:
        if not has_shape(each, buffer.shape):
            raise ScheduleError(
                f"{quote(each)} sees {buffer.name} as an array of another shape; expected uses of "
                f"it by its own indices"
            )
    known = {id(each) for each in uses}
    for node in nodes_reached(root):
        if (
            isinstance(node, (BufferRange, Tensor, ScheduleBlock))
            or id(node) in known
            or node in memory
        ):
            continue
        held = PROGRAM.children(node)
        if any(each is buffer or is_view(each, buffer) for each in held):
            raise ScheduleError(
                f"{quote(node)} uses {buffer.name} as a whole; expected loads and stores of its "
                f"elements, which can be given other memory"
            )
    return uses


def is_view(node: Node, buffer: Buffer) -> bool:
    """Return whether a node is a tensor that looks at a buffer."""
    return isinstance(node, Tensor) and node.buffer is buffer


def has_shape(access: Load | Store, shape: Sequence[Expr]) -> bool:
    """Return whether an access is through a tensor of a shape, by as many indices."""
    tensor = access.tensor
    assert isinstance(tensor, Tensor)
    return len(access.indices) == len(shape) == len(tensor.shape) and all(
        one is other or (integer_of(one) is not None and integer_of(one) == integer_of(other))
        for one, other in zip(tensor.shape, shape, strict=True)
    )


class Part(NamedTuple):
    """A part of an array: from where on, and how many elements, in each dimension."""

    first: tuple[Expr, ...]
    shape: tuple[Expr, ...]

    def indices(self, of_whole: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return the indices in the part for those in the whole."""
        return tuple([_less(*pair) for pair in zip(of_whole, self.first, strict=True)])

    def outer(self, of_part: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return the indices in the whole for those in the part."""
        pairs = zip(of_part, self.first, strict=True)
        return tuple([each if _is_zero(low) else tidy(each + low) for each, low in pairs])


def _less(index: Expr, low: Expr) -> Expr:
    if _is_zero(low):
        return index
    return index - low if integer_of(low) is None else tidy(index - low)


def _is_zero(expr: Expr) -> bool:
    return integer_of(expr) == 0


def part_of(
    found: Sequence[Load | Store], root: Node, context: Context, *, may_be_outside: bool = False
) -> Part:
    """Return the part that accesses in ``root`` touch, all of which is there for certain.

    Args:
        found: Accesses through tensors of one shape.
        root: A statement; what is bound in it does not tell where the part is.
        context: What is known where it runs.
        may_be_outside: Whether nothing is there yet, so that a part may be more than there is.
    """
    tensor = found[0].tensor
    assert isinstance(tensor, Tensor)
    first: list[Expr] = []
    shape: list[Expr] = []
    for var, size in zip(accessed_part(found, root), tensor.shape, strict=True):
        low, high = var.lower_bound, var.upper_bound
        assert low is not None
        assert high is not None
        extent = tidy(high - low)
        count, whole = integer_of(extent), integer_of(size)
        inside = (
            count is not None
            and count > 0
            and not any(e.indices[0].type.lanes > 1 for e in found if e.indices)
        )
        if inside and whole is not None and not may_be_outside:
            found_low, found_high = interval_of(low, context).low, interval_of(high, context).high
            inside = found_low >= 0 and found_high <= whole
        inside = inside and (whole is None or count is None or count <= whole)
        first.append(low if inside else const(0, size.type))
        shape.append(extent if inside else size)
    return Part(tuple(first), tuple(shape))


def redirect(
    root: N,
    uses: Sequence[Load | Store],
    tensors: Mapping[Tensor, Tensor],
    at: Callable[[Sequence[Expr]], tuple[Expr, ...]],
    more: Mapping[Any, Node] = MappingProxyType({}),  # Any: nodes
) -> N:
    """Return ``root`` with accesses that are made to other tensors, by other indices.

    Blocks in it that say which parts they access say so of what they access then.

    Args:
        root: A statement.
        uses: Accesses in it.
        tensors: What each of their tensors becomes.
        at: Makes of indices those of the new tensor.
        more: What else is replaced, as by :func:`substitute`.
    """
    images: dict[Any, Node] = dict(more)  # Any: nodes
    for each in uses:
        assert isinstance(each.tensor, Tensor)
        tensor, indices = tensors[each.tensor], at(each.indices)
        if isinstance(each, Load):
            images[each] = Load(tensor, indices)
        else:
            images[each] = each.with_fields(tensor=tensor, indices=indices)
    found = substitute(root, images)
    blocks = [each for each in PROGRAM.pre_order(found) if isinstance(each, ScheduleBlock)]
    return substitute(found, {each: declared_anew(each) for each in blocks if declares(each)})


def declare_around(state: State, ref: Ref) -> None:
    """Let the blocks around a place say what they access now, if they have said so before."""
    for outer in ref.ancestors():
        stmt = outer.stmt
        if isinstance(stmt, ScheduleBlockRealize) and declares(stmt.schedule_block):
            block = declared_anew(stmt.schedule_block)
            state.replace(outer, stmt.with_fields(schedule_block=block))


def declares(block: ScheduleBlock) -> bool:
    """Return whether a block says which parts of buffers it accesses."""
    return bool(block.read_buffers or block.write_buffers)


def declared_anew(block: ScheduleBlock) -> ScheduleBlock:
    """Return a block that says which parts of buffers it accesses."""
    found = access_regions(block)
    return block.with_fields(read_buffers=found.reads, write_buffers=found.writes)


def like(tensor: Tensor, name: str, shape: Sequence[Expr], kind: MemoryType) -> Tensor:
    """Return a tensor over memory of its own, whose elements are those of another's type."""
    buffer = Buffer(f"_{name}", tuple(shape), tensor.dtype, memory_type=kind)
    return Tensor(name, tuple(shape), tensor.dtype, buffer)


def copy_nest(name: str, target: Tensor, source: Tensor, part: Part, *, into: bool) -> Stmt:
    """Return loops that copy a part of one tensor to another, or back.

    Args:
        name: That of the block.
        target: What is written.
        source: What is read.
        part: Of the greater of the two, the part that the other one has.
        into: Whether ``target`` is the part; else ``source`` is.
    """
    loops: list[For] = []
    variables: list[Var] = []
    for at, extent in enumerate(part.shape):
        var = Var(f"cache_ax{at}", extent.type)
        loops.append(For(var, const(0, extent.type), extent, _NOTHING))
        variables.append(Var(f"i{at}", extent.type, const(0, extent.type), extent))
    inner, outer = tuple(variables), part.outer(variables)
    load = Load(source, outer if into else inner)
    store = Store(target, load, inner if into else outer)
    block = ScheduleBlock(tuple(variables), (), (), name, store)
    values = tuple([each.loop_var for each in loops])
    return wrap(loops, ScheduleBlockRealize(values, block))


_NOTHING: Final = Block(())
