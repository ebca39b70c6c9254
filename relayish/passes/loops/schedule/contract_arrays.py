"""Array contraction: temporaries lose the dimensions that loops around all their uses go through.

Before::

    for (i, 0, 8)
    {
      for (j, 0, 4)
      {
        T[i, j] = A[i, j] * 2
      }
      for (j, 0, 4)
      {
        B[i, j] = T[i, 3 - j]
      }
    }

After::

    for (i, 0, 8)
    {
      for (j, 0, 4)
      {
        T[0, j] = A[i, j] * 2
      }
      for (j, 0, 4)
      {
        B[i, j] = T[0, 3 - j]
      }
    }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import LinearForm, expr_of_form, interval_of_form
from relayish.tir.analysis.regions.filled import stores_before_it_reads
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr, const
from relayish.tir.ir.stmt import Block, For
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.plain_loops import is_fixed, only_stores, statements
from relayish.tir.substitution import substitute


@register_pass("ContractArrays", opt_level=0)
def contract_arrays(func: LoweredFunc) -> LoweredFunc:
    """Array contraction: let temporaries hold what one iteration of loops around them needs.

    Loops side by side of which none reads what another stored have temporaries of their own first.

    Where a loop that is run once holds all uses of a temporary, and iterations use parts of it that
    do not overlap, they have nothing to do with one another there, and use the same memory. What
    holds for it may hold for the next loop within. So a tile of an array is all that is left.

    Returns:
        ``func`` itself when each temporary needs all its dimensions.

    Complexity:
        Linear in the size of the function, for each loop that stands around all uses of a temporary
        and for each temporary that becomes several.

    Source:
        Gao, Olsen, Sarkar and Thekkath, "Collective loop fusion for array contraction".
    """
    held = [each for each in PROGRAM.pre_order(func) if isinstance(each, (Tensor, Buffer))]
    names = NameSupply(taken={each.name for each in held})
    uses = _Uses(func.body)
    for buffer in func.temp_bufs:
        separated = _separated(func, buffer, names, uses)
        if separated is not func:
            func, uses = separated, _Uses(separated.body)
    ranges = LoopRanges(PROGRAM.post_order(func.body))
    images: dict[Node, Node] = {}
    made: dict[Buffer, Buffer] = {}
    for buffer in func.temp_bufs:
        parts = _parts(func, buffer, ranges, uses)
        if not parts:
            continue
        made[buffer] = buffer.with_fields(shape=_shrunk(buffer.shape, parts))
        images.update(_images(uses.accesses(buffer), made[buffer], parts))
    if not made:
        return func
    temps = tuple([made.get(each, each) for each in func.temp_bufs])
    return func.with_fields(body=substitute(func.body, images), temp_bufs=temps)


class _Uses:
    """Where buffers are used in a body."""

    def __init__(self, body: Stmt) -> None:
        self._accesses: dict[Node | None, list[Load | Store]] = {}
        self._reshaped: set[Node | None] = set()
        """Buffers that are looked at in another shape."""
        self._users: dict[Stmt, dict[Node | None, list[Stmt]]] = {}
        if not only_stores(body):
            return
        for each in PROGRAM.pre_order(body):
            if isinstance(each, (Load, Store)) and isinstance(each.tensor, Tensor):
                buffer = each.tensor.buffer
                self._accesses.setdefault(buffer, []).append(each)
                sizes = [constant(size) for size in each.tensor.shape]
                shape = buffer.shape if isinstance(buffer, Buffer) else ()
                if None in sizes or sizes != [constant(size) for size in shape]:
                    self._reshaped.add(buffer)

    def accesses(self, buffer: Buffer) -> Sequence[Load | Store]:
        """Return the accesses of a buffer; none where it is used otherwise, or in another shape."""
        return () if buffer in self._reshaped else self._accesses.get(buffer, ())

    def users(self, stmt: Stmt, buffer: Buffer) -> Sequence[Stmt]:
        """Return the statements right in a block that use a buffer."""
        found = self._users.get(stmt)
        if found is None:
            found = self._users[stmt] = {}
            for each in statements(stmt):
                tensors = [held for held in PROGRAM.pre_order(each) if isinstance(held, Tensor)]
                for used in dict.fromkeys([tensor.buffer for tensor in tensors]):
                    found.setdefault(used, []).append(each)
        return found.get(buffer, ())


def _separated(func: LoweredFunc, buffer: Buffer, names: NameSupply, uses: _Uses) -> LoweredFunc:
    """Return a function in which loops that tell each other nothing by a buffer have their own."""
    if not uses.accesses(buffer):
        return func
    users: Sequence[Stmt] = [func.body]
    while len(users) == 1 and isinstance(users[0], (Block, For)):
        users = uses.users(users[0].body if isinstance(users[0], For) else users[0], buffer)
    if len(users) < 2:
        return func
    groups: list[list[Stmt]] = []
    for user in users:
        if not groups or stores_before_it_reads(user, buffer):
            groups.append([user])
        else:
            groups[-1].append(user)
    if not all(stores_before_it_reads(Block(tuple(each)), buffer) for each in groups):
        return func
    if _share(groups):
        return func
    images: dict[Node, Node] = {}
    made: list[Buffer] = []
    for group in groups[1:]:
        own = buffer.with_fields(name=names.fresh_name(buffer.name))
        made.append(own)
        tensors = [each for each in PROGRAM.pre_order(group) if isinstance(each, Tensor)]
        used = [each for each in tensors if each.buffer is buffer]
        called = {name: names.fresh_name(name) for name in {each.name: None for each in used}}
        views = {each: each.with_fields(name=called[each.name], buffer=own) for each in used}
        images.update({each: substitute(each, views) for each in group})
    temps = (*func.temp_bufs, *made)
    return func.with_fields(body=substitute(func.body, images), temp_bufs=temps)


def _share(groups: Sequence[Sequence[Stmt]]) -> bool:
    """Return whether a statement stands in several groups, so that no image of it fits all."""
    seen: set[Stmt] = set()
    for group in groups:
        own = {each for each in PROGRAM.pre_order(group) if isinstance(each, Stmt)}
        if not seen.isdisjoint(own):
            return True
        seen |= own
    return False


class _Part(NamedTuple):
    """What an iteration uses of a dimension.

    Attributes:
        size: How many elements.
        places: Which of these, by access.
    """

    size: int
    places: Mapping[Load | Store, LinearForm]


def _shrunk(sizes: Sequence[Expr], parts: Mapping[int, _Part]) -> tuple[Expr, ...]:
    return tuple([const(parts[at].size) if at in parts else size for at, size in enumerate(sizes)])


def _images(
    accesses: Sequence[Load | Store], small: Buffer, parts: Mapping[int, _Part]
) -> dict[Node, Node]:
    """Return what takes the place of the accesses of a buffer."""
    views: dict[Node, Tensor] = {}
    images: dict[Node, Node] = {}
    for each in accesses:
        tensor = each.tensor
        assert isinstance(tensor, Tensor)
        if tensor not in views:
            shape = _shrunk(tensor.shape, parts)
            views[tensor] = tensor.with_fields(shape=shape, buffer=small)
        places = [
            expr_of_form(parts[at].places[each], place.type) if at in parts else place
            for at, place in enumerate(each.indices)
        ]
        images[each] = each.with_fields(tensor=views[tensor], indices=tuple(places))
    return images


def _parts(func: LoweredFunc, buffer: Buffer, ranges: LoopRanges, uses: _Uses) -> dict[int, _Part]:
    """Return the dimensions of which a part is enough, by their numbers."""
    if buffer.strides or buffer.elem_offset is not None:
        return {}
    accesses = uses.accesses(buffer)
    if not accesses:
        return {}
    known: dict[int, Mapping[Load | Store, LinearForm | None]] = {
        at: {each: ranges.form(each.indices[at]) for each in accesses}
        for at in range(len(buffer.shape))
    }
    found: dict[int, _Part] = {}
    stmt: Stmt = func.body
    while True:
        users = uses.users(stmt, buffer)
        if len(users) != 1 or not isinstance(users[0], For) or not is_fixed(users[0]):
            break
        loop = users[0]
        parts = [(at, _part(places, loop.loop_var, ranges)) for at, places in known.items()]
        fitting = [(at, part) for at, part in parts if part is not None]
        if not fitting:
            break
        at, part = fitting[0]
        found[at] = part
        known[at] = part.places
        stmt = loop.body
    for at, size in enumerate(buffer.shape):
        rest = None if at in found else _used(known[at], ranges)
        if rest is not None and rest.size < (constant(size) or 0):
            found[at] = rest
    return found


def _used(forms: Mapping[Load | Store, LinearForm | None], ranges: LoopRanges) -> _Part | None:
    """Return what of a dimension is used at all: ``None``: it is not known."""
    places = {access: form for access, form in forms.items() if form is not None}
    if len(places) < len(forms):
        return None
    ends = [interval_of_form(each, ranges.context) for each in places.values()]
    low, high = min([each.low for each in ends]), max([each.high for each in ends])
    return _Part(high - low + 1, {each: form.shifted(-low) for each, form in places.items()})


def _part(
    forms: Mapping[Load | Store, LinearForm | None], var: Var, ranges: LoopRanges
) -> _Part | None:
    """Return what an iteration uses of a dimension, where that is no other's: ``None``: it may be.

    Args:
        forms: The places of accesses; ``None`` of one: not known.
        var: The variable of the loop.
        ranges: What is known of variables.
    """
    steps = {None if form is None else form.coefficient(var) for form in forms.values()}
    step = steps.pop()
    if steps or step is None or step < 1:
        return None
    left: dict[Load | Store, LinearForm] = {}
    for access, form in forms.items():
        assert form is not None
        left[access] = form.plus(Affine(0, {var: 1}), -step)
    ends = [interval_of_form(each, ranges.context) for each in left.values()]
    low, high = min([each.low for each in ends]), max([each.high for each in ends])
    if high - low >= step:
        return None
    return _Part(high - low + 1, {each: form.shifted(-low) for each, form in left.items()})
