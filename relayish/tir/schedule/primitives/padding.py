"""``pad_einsum``: sums of products whose loops run a multiple of what is wanted."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.regions.regions import buffer_of
from relayish.tir.builders.expr import zero
from relayish.tir.builders.lower import REDUCE_INIT
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import (
    GE,
    Add,
    Cast,
    Expr,
    FloatImm,
    Mul,
    Or,
    const,
    integer_of,
)
from relayish.tir.ir.stmt import Block, For, IfThenElse, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.schedule.expressions import tidy
from relayish.tir.schedule.handles import BlockRV
from relayish.tir.schedule.holding import held
from relayish.tir.schedule.nests import only, require_plain, wrap
from relayish.tir.schedule.paths import put_beside
from relayish.tir.schedule.primitives.caching import nests_around
from relayish.tir.schedule.primitives.memory import require_temporary, scope_of, set_temporary
from relayish.tir.schedule.primitives.queries import block_name
from relayish.tir.schedule.reduction_steps import is_place
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.schedule.views import declare_around, redirect, uses_of
from relayish.tir.substitution import replace
from relayish.tir.verifier.dependences import quote


class PaddingSteps(Steps):
    """The method that pads sums of products."""

    def pad_einsum(self, block: BlockRV, padding: Sequence[int]) -> None:
        """Let the loops of a sum of products run a multiple of iterations.

        What is read and written has to be temporaries, as ``cache_read`` and ``cache_write`` make
        them: these become greater, and a block before the loops stores 0 where they were not. What
        is computed beyond the end of the result is not read.

        Integers are the same. So are floats where only dimensions of the result are padded. Where a
        dimension is padded that is summed over, 0 is added to sums; that is exact if each factor of
        the product is padded, so that no infinity and no NaN is multiplied by 0, and the sums begin
        with 0, so that none is -0, to which adding 0 would make 0.

        Args:
            block: A block that adds products of elements to what it has so far. Its variables are
                those of the loops around, which hold it, and what sets it to its first value. One
                that is padded tells indices alone, as the channels of a convolution do.
            padding: For each variable of the block, what its loop is to run a multiple of.

        Raises:
            ScheduleError: If the block is none of these, or what it uses is no temporary, or the
                result would not be the same.

        Source:
            TVM ``pad_einsum``.
        """
        self.apply("pad_einsum", block, list(padding))


class _Einsum(NamedTuple):
    """A sum of products.

    Attributes:
        realize: The block that adds.
        store: What it does.
        factors: What it multiplies.
        first: The block that sets it to its first value.
    """

    realize: ScheduleBlockRealize
    store: Store
    factors: tuple[Load, ...]
    first: ScheduleBlockRealize


@primitive("pad_einsum")
def pad_einsum(state: State, block: Ref, padding: Sequence[int]) -> None:
    """Pad the loops of a block, and the memory that it uses."""
    found = _einsum(state, block)
    variables = found.realize.schedule_block.iter_vars
    if len(padding) != len(variables) or any(each < 1 for each in padding):
        raise ScheduleError(
            f"{one_line(found.realize)} has {len(variables)} variables; found padding "
            f"{list(padding)}; expected a positive number for each"
        )
    loops = _loops(found, block, dict(zip(variables, padding, strict=True)))
    sizes: dict[Var, int] = {}
    for var, by in zip(variables, padding, strict=True):
        extent = integer_of(loops[var].extent) if var in loops else None
        if extent is not None and extent % by:
            sizes[loops[var].loop_var] = -(-extent // by) * by
    if not sizes:
        return
    values = dict(zip(variables, found.realize.iter_values, strict=True))
    extents = {
        var: integer_of(loop.extent) for var, loop in loops.items() if loop.loop_var in sizes
    }
    _check_plain(found, extents)
    _check_same(found, extents)
    nest = nests_around(block)[0]
    shapes = _shapes(found, values, sizes)
    for buffer in shapes:
        require_temporary(state, buffer, "cache_read and cache_write make one")
    image = _with_sizes(nest.stmt, sizes)
    state.replace(nest, image)
    read = dict.fromkeys([buffer_of(each) for each in found.factors])
    for buffer, shape in shapes.items():
        greater = _grow(state, buffer, shape)
        if buffer in read:
            put_beside(
                state, nest, nest.stmt, _zeros(state, buffer, greater), images={}, after=False
            )
    declare_around(state, block)


def _einsum(state: State, block: Ref) -> _Einsum:
    """Return what a block is, if it adds products."""
    realize = block.stmt
    assert isinstance(realize, ScheduleBlockRealize)
    store = only(realize.schedule_block.body)
    name = block_name(block) + REDUCE_INIT
    firsts = [each.stmt for each in state.named(name)]
    if isinstance(store, Store) and isinstance(store.value, Add) and is_place(store.value.a, store):
        factors = _factors(store.value.b)
        own = set(realize.schedule_block.iter_vars)
        if factors and own.intersection(store.indices) and len(firsts) == 1:
            [first] = firsts
            assert isinstance(first, ScheduleBlockRealize)
            return _Einsum(realize, store, factors, first)
    raise ScheduleError(
        f"{one_line(realize)} is no sum of products: {quote(store)}; expected a block that adds "
        f"products of elements, with a block {name!r}"
    )


def _factors(value: Expr) -> tuple[Load, ...] | None:
    """Return the elements whose product a value is; ``None`` if it is something else."""
    match value:
        case Load() if isinstance(value.tensor, Tensor) and isinstance(value.tensor.buffer, Buffer):
            return (value,)
        case Cast() if value.type.is_float == value.v.type.is_float:
            return _factors(value.v)
        case Mul():
            a, b = _factors(value.a), _factors(value.b)
            return None if a is None or b is None else (*a, *b)
    return None


def _loops(found: _Einsum, block: Ref, padding: Mapping[Var, int]) -> dict[Var, For]:
    """Return the loop of each variable of a block, if the loops hold nothing else.

    Of a variable that is not padded, and has one value, there is none.
    """
    around = {each.stmt.loop_var: each.stmt for each in block.loops() if isinstance(each.stmt, For)}
    nest = nests_around(block)[0]
    loops: dict[Var, For] = {}
    for var, value in zip(padding, found.realize.iter_values, strict=True):
        if padding[var] == 1 and integer_of(value) is not None:
            continue
        loop = around.get(value) if isinstance(value, Var) else None
        if loop is None or integer_of(loop.extent) is None or integer_of(loop.min) != 0:
            raise ScheduleError(
                f"{one_line(found.realize)} is given {one_line(value)}; expected the variable of a "
                f"loop from 0 on, of a known number of iterations, for each of its variables; pad "
                f"before loops are split and fused"
            )
        require_plain(loop, "pad_einsum")
        loops[var] = loop
    for stmt in _statements(nest.stmt):
        allowed = stmt in loops.values() or stmt is found.realize or stmt is found.first
        if not allowed and not isinstance(stmt, Block):
            raise ScheduleError(
                f"{one_line(stmt)} stands in the loops of {one_line(found.realize)} as well; "
                f"expected loops of it, and of what sets it to its first value, alone"
            )
    firsts = [*found.first.iter_values]
    told = [each in around or integer_of(each) is not None for each in firsts]
    if not _is_inside(nest.stmt, found.first) or not all(told):
        raise ScheduleError(
            f"{one_line(found.first)} stands elsewhere, or is given something else than variables "
            f"of loops; pad before decompose_reduction"
        )
    return loops


def _statements(root: Stmt) -> Iterable[Stmt]:
    pending = [root]
    while pending:
        stmt = pending.pop()
        yield stmt
        if not isinstance(stmt, ScheduleBlockRealize):
            pending += held(stmt)


def _is_inside(root: Stmt, stmt: Stmt) -> bool:
    return any(each is stmt for each in _statements(root))


def _check_plain(found: _Einsum, padded: Collection[Var]) -> None:
    """Raise unless each variable that is padded is, wherever it tells an index, all of it."""
    for each in (found.store, *found.factors):
        for index in each.indices:
            used = [var for var in PROGRAM.pre_order(index) if var in padded]
            if used and used != [index]:
                raise ScheduleError(
                    f"{quote(each)} has the index {one_line(index)}, where padding "
                    f"{one_line(used[0])} would reach elements that others are at; expected "
                    f"variables that are padded alone"
                )


def _check_same(found: _Einsum, extents: Mapping[Var, int | None]) -> None:
    """Raise unless results are the same if variables, which run so often, are padded."""
    for at, index in enumerate(found.store.indices):
        size = buffer_of(found.store).shape[at]
        if isinstance(index, Var) and index in extents and integer_of(size) != extents[index]:
            raise ScheduleError(
                f"{quote(found.store)} would store beyond the {extents[index]} places of dimension "
                f"{at}, which has {one_line(size)}; expected a result that ends where the loop "
                f"does, as cache_write makes it"
            )
    for var in [each for each in extents if each not in found.store.indices]:
        having = [each for each in found.factors if _ends_with(each, var, extents[var])]
        if not having:
            raise ScheduleError(
                f"no factor of {quote(found.store)} ends where {var.name} does, so that padding "
                f"would add products that are not 0; expected one, as cache_read makes it"
            )
        if found.store.value.type.is_float:
            _check_exact(found, var, [each for each in found.factors if each not in having])


def _ends_with(load: Load, var: Var, extent: int | None) -> bool:
    """Return whether an element that a variable tells is behind the end where that is."""
    pairs = zip(load.indices, buffer_of(load).shape, strict=True)
    return any(index is var and integer_of(size) == extent for index, size in pairs)


def _check_exact(found: _Einsum, var: Var, rest: Sequence[Load]) -> None:
    """Raise if adding products of floats that are padded may change a sum."""
    if rest:
        raise ScheduleError(
            f"{quote(rest[0])} may be infinite, or no number, and padding {var.name} would "
            f"multiply it by 0; expected that each factor of floats ends where the variable does"
        )
    first = only(found.first.schedule_block.body)
    value = first.value if isinstance(first, Store) else None
    if not (isinstance(value, FloatImm) and str(value.value) == "0.0"):
        raise ScheduleError(
            f"{one_line(first)} is no sum from 0 on, and may be -0, which is 0 after padding "
            f"{var.name} adds 0; expected sums of floats that begin with 0"
        )


def _shapes(
    found: _Einsum, values: Mapping[Var, Expr], sizes: Mapping[Var, int]
) -> dict[Buffer, tuple[Expr, ...]]:
    """Return the shapes of the buffers that become greater."""
    shapes: dict[Buffer, tuple[Expr, ...]] = {}
    uses: list[Load | Store] = [*found.factors, found.store]
    for each in uses:
        buffer = buffer_of(each)
        shape = list(shapes.get(buffer, buffer.shape))
        for at, index in enumerate(each.indices):
            loop_var = values.get(index)  # type: ignore[call-overload] # of any other, none
            size = sizes.get(loop_var, 0)
            known = integer_of(shape[at])
            if known is None or size > known:
                shape[at] = const(size, shape[at].type)
        if any(one is not other for one, other in zip(shape, buffer.shape, strict=True)):
            shapes[buffer] = tuple(shape)
    return shapes


def _with_sizes(nest: Stmt, sizes: Mapping[Var, int]) -> Stmt:
    """Return a nest whose loops run so often, and whose blocks know it."""
    images: dict[Node, Node] = {}
    for node in PROGRAM.pre_order(nest):
        if not isinstance(node, ScheduleBlockRealize):
            continue
        pairs = zip(node.schedule_block.iter_vars, node.iter_values, strict=True)
        for var, value in pairs:
            if isinstance(value, Var) and value in sizes and var.upper_bound is not None:
                end = const(sizes[value], var.upper_bound.type)
                images[var] = var.with_fields(upper_bound=end)
    return _with_extents(replace(nest, images), sizes)


def _with_extents(stmt: Stmt, sizes: Mapping[Var, int]) -> Stmt:
    if isinstance(stmt, Block):
        return stmt.with_fields(stmts=tuple([_with_extents(each, sizes) for each in stmt.stmts]))
    if not isinstance(stmt, For):
        return stmt
    extent = stmt.extent
    if stmt.loop_var in sizes:
        extent = const(sizes[stmt.loop_var], extent.type)
    return stmt.with_fields(extent=extent, body=_with_extents(stmt.body, sizes))


def _grow(state: State, buffer: Buffer, shape: tuple[Expr, ...]) -> Tensor:
    """Put a greater temporary in the place of one, and return a view of it."""
    image = buffer.with_fields(shape=shape)
    scope = scope_of(state, buffer)
    uses = uses_of(scope.stmt, buffer)
    tensors: dict[Tensor, Tensor] = {}
    for each in uses:
        assert isinstance(each.tensor, Tensor)
        tensors[each.tensor] = each.tensor.with_fields(shape=shape, buffer=image)
    state.replace(scope, redirect(scope.stmt, uses, tensors, tuple))
    set_temporary(state, buffer, image)
    declare_around(state, scope)
    return min(tensors.values(), key=lambda each: len(each.name))


def _zeros(state: State, buffer: Buffer, tensor: Tensor) -> Stmt:
    """Return loops that store 0 where memory was not before it became greater."""
    name = state.fresh_name(f"{tensor.name}_pad")
    variables = tuple([Var(f"i{at}", each.type) for at, each in enumerate(tensor.shape)])
    sizes = [*zip(buffer.shape, tensor.shape, strict=True)]
    grown = [at for at, (before, after) in enumerate(sizes) if before is not after]
    body: Stmt = Store(tensor, zero(tensor.dtype), variables)
    first = {grown[0]: buffer.shape[grown[0]]} if len(grown) == 1 else {}
    if not first:
        beyond: list[Expr] = [GE(variables[at], buffer.shape[at]) for at in grown]
        body = IfThenElse(functools.reduce(Or, beyond), Block((body,)))
    loops = []
    for at, each in enumerate(tensor.shape):
        low = first.get(at, const(0, each.type))
        var = Var(f"pad_ax{at}", each.type)
        loops.append(For(var, low, tidy(each - low), Block(())))
    block = ScheduleBlock(variables, (), (), name, body)
    return wrap(loops, ScheduleBlockRealize(tuple([each.loop_var for each in loops]), block))
