"""Contractions: nests that sum products for each element of a tensor, and what else they store."""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.dependences import parallel_loops
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.expr import Call, Reduce
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.operators import Add, Expr, Mul
from relayish.tir.ir.stmt import Block, For, IfThenElse
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var


class Contraction(NamedTuple):
    """A nest that computes sums of products.

    Attributes:
        loops: Those over elements, from the outermost; their iterations do not depend on another.
        start: What sets an element to its first value.
        sums: The loops over products, from the outermost.
        step: What adds a product.
        factors: Those of the product.
        rest: What is stored afterwards, of the element that is complete.
    """

    loops: tuple[For, ...]
    start: Store
    sums: tuple[For, ...]
    step: Store
    factors: tuple[Expr, Expr]
    rest: tuple[Store, ...]

    @property
    def memory(self) -> Buffer:
        """Where the sums are."""
        return buffer_of(self.step)

    @property
    def stores(self) -> tuple[Store, ...]:
        """All that it stores, in order."""
        return (self.start, self.step, *self.rest)


def contraction_of(root: Stmt) -> Contraction | None:
    """Return what a statement is as a contraction, if it is one.

    Complexity:
        That of the dependences of the nest, if it looks like one.
    """
    loops, stmts = perfect_nest(root)
    if not loops or len(stmts) < 2:
        return None
    start, nest, *rest = stmts
    sums, steps = perfect_nest(nest)
    if not isinstance(start, Store) or not sums or len(steps) != 1:
        return None
    step, after = steps[0], [each for each in rest if isinstance(each, Store)]
    if not isinstance(step, Store) or len(after) != len(rest):
        return None
    factors = _factors(start, step)
    if factors is None or not _are_elements(step, loops):
        return None
    found = Contraction(tuple(loops), start, tuple(sums), step, factors, tuple(after))
    if not all(is_fixed(each) for each in (*loops, *sums)) or not _reads_else(found):
        return None
    if _stays_with_elements(found):
        return found
    free = parallel_loops(root)
    return found if all(each in free for each in loops) else None


def forwarded(found: Contraction) -> frozenset[Buffer]:
    """Return the memory of which the rest of a contraction reads nothing but what it just stored.

    That is where the sums are, and, if it holds of all that the rest stores, that as well.
    """
    written = {buffer_of(each) for each in found.rest}
    known = {place_of(found.step)}
    for store in found.rest:
        for each in PROGRAM.pre_order(store.value):
            is_read = isinstance(each, Load) and isinstance(each.tensor, Tensor)
            if is_read and each.tensor.buffer in written and place_of(each) not in known:  # type: ignore[attr-defined, arg-type]
                return frozenset([found.memory])
        if place_of(store) is None:
            return frozenset([found.memory])
        known.add(place_of(store))
    return frozenset([found.memory, *written])


def perfect_nest(stmt: Stmt) -> tuple[list[For], tuple[Stmt, ...]]:
    """Return loops that hold nothing but the next one, and the statements of the last."""
    loops: list[For] = []
    while True:
        stmts = statements(stmt)
        if len(stmts) != 1 or not isinstance(stmts[0], For):
            return loops, stmts
        loops.append(stmts[0])
        stmt = stmts[0].body


def statements(stmt: Stmt) -> tuple[Stmt, ...]:
    """Return what a statement runs, blocks in blocks taken apart."""
    if not isinstance(stmt, Block):
        return (stmt,)
    pending, found = [*reversed(stmt.stmts)], []
    while pending:
        each = pending.pop()
        if isinstance(each, Block):
            pending += reversed(each.stmts)
        else:
            found.append(each)
    return tuple(found)


def only_stores(*stmts: Stmt) -> bool:
    """Return whether statements are stores, loops and branches alone; calls only compute values."""
    return all(
        isinstance(each, _PLAIN) or (isinstance(each, Call) and not effect_of(each) & ~Effect.READS)
        for each in PROGRAM.pre_order(list(stmts))
        if isinstance(each, Stmt)
    )


_PLAIN: Final = (For, Store, Block, IfThenElse)


def variables(expr: Expr) -> set[Node]:
    """Return the variables that an expression reads."""
    return {each for each in PROGRAM.pre_order(expr) if isinstance(each, Var)}


def is_fixed(loop: For) -> bool:
    """Return whether a loop runs from 0 on, a number of times that is known."""
    is_plain = loop.for_type == ForType.SERIAL and constant(loop.min) == 0
    return is_plain and (constant(loop.extent) or 0) > 0


def buffer_of(access: Load | Store) -> Buffer:
    """Return the memory that an access to an element is to."""
    assert isinstance(access.tensor, Tensor)
    assert isinstance(access.tensor.buffer, Buffer)
    return access.tensor.buffer


def _factors(start: Store, step: Store) -> tuple[Expr, Expr] | None:
    """Return the factors of the product that a step adds to what the start stores."""
    total = step.value
    if not isinstance(total, Add) or total.type.lanes != 1:
        return None
    product = total.b if isinstance(total.a, Load) and isinstance(total.b, Mul) else total.a
    held = total.a if product is total.b else total.b
    if not isinstance(product, Mul) or not isinstance(held, Load) or product.a is product.b:
        return None
    places = {place_of(each) for each in (start, step, held)}
    return (product.a, product.b) if len(places) == 1 and None not in places else None


def place_of(access: Load | Store) -> tuple[object, ...] | None:
    """Return what tells an element from others of its memory, of the plainest kind only."""
    if not is_whole(access.tensor):
        return None
    indices = [each if isinstance(each, Var) else constant(each) for each in access.indices]
    return None if None in indices else (buffer_of(access), *indices)


def is_whole(tensor: Expr) -> bool:
    """Return whether indices of a tensor are those of its memory, of sizes that are known."""
    if not isinstance(tensor, Tensor) or not isinstance(tensor.buffer, Buffer):
        return False
    if tensor.buffer.strides or tensor.buffer.elem_offset is not None:
        return False
    sizes = [constant(size) for size in (*tensor.shape, *tensor.buffer.shape)]
    return None not in sizes and sizes[: len(tensor.shape)] == sizes[len(tensor.shape) :]


def _are_elements(step: Store, loops: list[For]) -> bool:
    """Return whether each iteration of some loops has an element of its own."""
    mine = {each.loop_var for each in loops}
    places = [index for index in step.indices if index in mine]
    return len(places) == len(mine) == len(set(places))


def _stays_with_elements(found: Contraction) -> bool:
    """Return whether iterations plainly share nothing: each memory is used at one place of each."""
    places = {buffer_of(each): place_of(each) for each in found.stores}
    accesses = [
        each
        for each in PROGRAM.pre_order(list(found.stores))
        if isinstance(each, (Load, Store)) and isinstance(each.tensor, Tensor)
    ]
    return all(_are_elements(each, list(found.loops)) for each in found.stores) and all(
        place_of(each) is not None and place_of(each) == places[buffer_of(each)]
        for each in accesses
        if each.tensor.buffer in places
    )


def _reads_else(found: Contraction) -> bool:
    """Return whether factors read what nothing stores meanwhile, and the rest reads one sum."""
    written = {buffer_of(each) for each in found.stores}
    for each in PROGRAM.pre_order([*found.factors, found.start.value]):
        if isinstance(each, (Call, Reduce)):
            return False
        if isinstance(each, Load) and (
            not isinstance(each.tensor, Tensor) or each.tensor.buffer in written
        ):
            return False
    if any(buffer_of(each) is found.memory for each in found.rest):
        return False
    here = place_of(found.step)
    loads = [each for each in PROGRAM.pre_order(list(found.rest)) if isinstance(each, Load)]
    return all(
        isinstance(each.tensor, Tensor)
        and (each.tensor.buffer is not found.memory or place_of(each) == here)
        for each in loads
    )
