"""Signatures of functions of C: arguments, memory that is shared, marks of elements that hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

from relayish._support.graph import components, post_order
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.regions.filled import Fills, filled_arguments, stored_first
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.interpreter.program import Function
from relayish.tir.ir.expr import Call, PrimitiveNode
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Parameter, Store, Tensor


class Signature(NamedTuple):
    """What a function of C is given, and what it may call.

    Attributes:
        name: Its name in C.
        func: What it computes.
        params: Its arguments, and behind them the memory that it shares with others.
        tracked: The buffers of which it is told, behind these, which elements hold something.
        written: Those that are stored to.
        callees: The functions that it knows, by name.
        is_aliased: Whether memory that is stored to may be given under two names.
        full: The temporaries of which each element is stored before it is read.
        is_counted: Whether it may be called while it runs, or calls such from there: it is told how
            much of the stack is left.
    """

    name: str
    func: LoweredFunc
    params: tuple[Parameter, ...]
    tracked: tuple[Buffer, ...]
    written: frozenset[Buffer]
    callees: Mapping[str, LoweredFunc]
    is_aliased: bool
    full: frozenset[Buffer]
    is_counted: bool


_Sets = dict[LoweredFunc, set[Buffer]]


def find_signatures(
    linked: Mapping[LoweredFunc, Function],
    names: Mapping[LoweredFunc, str],
    sharing: Collection[LoweredFunc] = (),
) -> dict[LoweredFunc, Signature]:
    """Return what each function is given.

    A buffer is tracked where some call gives it memory of which not all elements need hold
    something, or where whoever calls from outside may: it has gaps, or is shared.

    Args:
        linked: Functions with those that they know.
        names: What each is called in C.
        sharing: Those that may be given one piece of memory for several arguments.
    """
    callees = {func: _callees(function) for func, function in linked.items()}
    pairs = {func: list(_pairs(func, callees[func])) for func in linked}
    shared = _closed(
        {func: set(function.shared) & _used(func.body) for func, function in linked.items()},
        pairs,
        lambda inner, _: inner,
    )
    ordered = {
        func: [each for each in function.shared if each in shared[func]]
        for func, function in linked.items()
    }
    written = _closed({func: set(_stored(func)) for func in linked}, pairs, _through_arguments)
    fills = _Fills(callees, pairs, written)
    full = {func: stored_first(func, fills.of(func)) for func in linked}
    tracked = _tracked(linked, pairs, ordered, full)
    counted = _counted(pairs)
    aliased = _aliased(pairs, written, shared)
    made = {}
    for func in linked:
        params = (*func.args, *ordered[func])
        marked = [each for each in params if isinstance(each, Buffer) and each in tracked[func]]
        made[func] = Signature(
            names[func],
            func,
            params,
            tuple(marked),
            frozenset(written[func]),
            callees[func],
            func in aliased or func in sharing,
            full[func],
            func in counted,
        )
    return made


def _callees(function: Function) -> dict[str, LoweredFunc]:
    return {
        name: each.func for name, each in function.functions.items() if isinstance(each, Function)
    }


_Pairs = dict[LoweredFunc, list[tuple[LoweredFunc, dict[Buffer, Buffer]]]]


def _pairs(
    func: LoweredFunc, callees: Mapping[str, LoweredFunc]
) -> Iterator[tuple[LoweredFunc, dict[Buffer, Buffer]]]:
    """Yield each function that is called, with what its buffers stand for."""
    for each in PROGRAM.pre_order(func.body):
        if not isinstance(each, Call) or each.call_type is not CallType.CINN:
            continue
        callee = callees.get(each.name)
        if callee is None:
            continue
        found = {}
        for param, arg in zip(callee.args, (*each.read_args, *each.write_args), strict=False):
            buffer = _memory_of(arg)
            if isinstance(param, Buffer) and isinstance(buffer, Buffer):
                found[param] = buffer
        yield callee, found


_Through = Callable[[set[Buffer], Mapping[Buffer, Buffer]], set[Buffer]]


def _through_arguments(inner: set[Buffer], given: Mapping[Buffer, Buffer]) -> set[Buffer]:
    return {given.get(each, each) for each in inner}


def _closed(start: _Sets, pairs: _Pairs, through: _Through) -> _Sets:
    """Return sets that hold what those of the functions hold that are called."""
    found = {func: set(each) for func, each in start.items()}
    changed = True
    while changed:
        changed = False
        for func, calls in pairs.items():
            for callee, given in calls:
                new = through(found[callee], given) - found[func]
                found[func] |= new
                changed = changed or bool(new)
    return found


class _Fills:
    """Tells which arguments calls fill: the function stores each element before it reads one.

    Functions are asked that fill temporaries of others, and what they call. Of all it is assumed
    that they do, until one is found that need not: so functions that call one another are judged
    by what holds of each when it returns.
    """

    def __init__(
        self,
        callees: Mapping[LoweredFunc, Mapping[str, LoweredFunc]],
        pairs: _Pairs,
        written: _Sets,
    ) -> None:
        self._callees: Final = callees
        asked = {callee for func, calls in pairs.items() if func.temp_bufs for callee, _ in calls}
        pending = list(asked)
        while pending:
            new = {callee for callee, _ in pairs[pending.pop()]} - asked
            asked |= new
            pending += new
        self._found = {
            func: {each for each in func.args if isinstance(each, Buffer)} & written[func]
            for func in asked
        }
        changed = True
        while changed:
            changed = False
            for func, filled in self._found.items():
                still = filled_arguments(func, filled, self.of(func))
                changed = changed or len(still) < len(filled)
                self._found[func] = still

    def of(self, func: LoweredFunc) -> Fills:
        """Return what tells of the calls of a function which buffers they fill."""
        callees = self._callees[func]

        def fills(call: Call, buffer: Buffer) -> bool:
            if call.call_type is not CallType.CINN:  # it is given all of what it fills
                held = [_memory_of(arg) for arg in call.read_args]
                return buffer not in held and buffer in map(_memory_of, call.write_args)
            callee = callees.get(call.name)
            if callee is None:
                return False
            given = zip(callee.args, (*call.read_args, *call.write_args), strict=False)
            params = [param for param, arg in given if _memory_of(arg) is buffer]
            filled = self._found.get(callee, set())
            return len(params) == 1 and params[0] in filled

        return fills


def _memory_of(arg: Expr) -> Expr | None:
    return arg.buffer if isinstance(arg, Tensor) else arg


def _buffer_of(arg: Expr) -> Buffer | None:
    found = _memory_of(arg)
    return found if isinstance(found, Buffer) else None


def _tracked(
    linked: Mapping[LoweredFunc, Function],
    pairs: _Pairs,
    shared: Mapping[LoweredFunc, list[Buffer]],
    full: Mapping[LoweredFunc, frozenset[Buffer]],
) -> _Sets:
    found: _Sets = {
        func: {
            each
            for each in func.args
            if isinstance(each, Buffer) and (each.strides or each.elem_offset is not None)
        }.union(shared[func])
        for func in linked
    }
    partly = {func: set(func.temp_bufs) - full[func] for func in linked}
    changed = True
    while changed:
        changed = False
        for func, calls in pairs.items():
            for callee, given in calls:
                new = {
                    param
                    for param, buffer in given.items()
                    if buffer in partly[func] or buffer in found[func]
                }
                changed = changed or not new <= found[callee]
                found[callee] |= new
    return found


def _counted(pairs: _Pairs) -> set[LoweredFunc]:
    """Return the functions on cycles of calls, and those on ways from one such cycle to another."""
    callees = {func: [each for each, _ in calls] for func, calls in pairs.items()}
    groups = components(callees)
    on_cycles = {
        func for group in groups for func in group if len(group) > 1 or func in callees[func]
    }
    leading = set(on_cycles)  # what is called comes first
    for group in groups:
        leading.update([func for func in group if not leading.isdisjoint(callees[func])])
    reached = post_order(on_cycles, lambda func: callees[func])
    return leading.intersection(reached)


def _aliased(pairs: _Pairs, written: _Sets, shared: _Sets) -> set[LoweredFunc]:
    """Return the functions that some call gives memory that they store to under two names.

    What such a function calls may be given that as well.
    """
    found = {
        callee
        for calls in pairs.values()
        for callee, given in calls
        if _overlaps({**{each: each for each in shared[callee]}, **given}, written[callee])
    }
    pending = list(found)
    while pending:
        new = {callee for callee, _ in pairs[pending.pop()]} - found
        found |= new
        pending += new
    return found


def _overlaps(given: Mapping[Buffer, Buffer], written: set[Buffer]) -> bool:
    """Return whether a parameter that is stored to stands for the memory of another one."""
    stored = [buffer for param, buffer in given.items() if param in written]
    count = Counter(given.values())
    return any(count[each] > 1 for each in stored)


def _used(root: Node) -> set[Buffer]:
    return {each for each in nodes_reached(root) if isinstance(each, Buffer)}


def _stored(func: LoweredFunc) -> Iterator[Buffer]:
    for each in PROGRAM.pre_order(func.body):
        if isinstance(each, Store) and isinstance(each.tensor, Tensor):
            buffer = each.tensor.buffer
            if isinstance(buffer, Buffer):
                yield buffer
        elif isinstance(each, Call) and each.call_type is not CallType.CINN:
            yield from [buffer for arg in each.write_args if (buffer := _buffer_of(arg))]
        elif isinstance(each, PrimitiveNode):  # what it is written as may store to what it is given
            yield from _used(each)
