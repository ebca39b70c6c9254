"""Rules of loads and stores: the places they access, and their indices."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.kinds.one_line import one_line
from relayish.ir.verification.rules import VERIFY_RULES, Report, count_of
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.verifier.rules import is_index, is_numeric
from relayish.tir.verifier.violation import Rule, typed


@VERIFY_RULES.register(Load)
def check_load(load: Load, report: Report) -> None:
    """An element is loaded by as many indices as there are dimensions, or a scalar by none."""
    place = load.tensor
    _check_address(load, place, load.indices, report)
    if isinstance(place, Tensor) and place.buffer is None and place.operation is None:
        report(
            Rule.MEMORY,
            load,
            f"{one_line(load)} loads from tensor {place.name}, which has neither a buffer nor "
            f"an operation; give it one of them",
        )


@VERIFY_RULES.register(Store)
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
                f"{one_line(access)} has {count_of(len(indices), 'index', 'indices')}, and tensor "
                f"{target.name} has {count_of(rank, 'dimension')}; give each "
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


def _spell(target: Expr) -> str:
    return f"tensor {target.name}" if isinstance(target, Tensor) else one_line(target)
