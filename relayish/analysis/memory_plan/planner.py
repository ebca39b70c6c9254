"""Memory planning: tensors whose lives do not overlap share storage."""

from __future__ import annotations

from collections.abc import Iterator

from relayish.analysis.closed_functions import find_closed_functions
from relayish.analysis.memory_plan.buffers import Buffer, Origin
from relayish.analysis.memory_plan.live_ranges import LiveRanges, PassedOn
from relayish.analysis.memory_plan.plan import MemoryPlan, PlannedTensor, Storage
from relayish.analysis.memory_plan.storages import assign_storages
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS


def plan_memory(func: Function, mod: IRModule | None = None) -> MemoryPlan:
    """Memory planning: return which storage each tensor of ``func`` lives in, and how long.

    Lives follow from the order of evaluation and from what each value may hold on to: an operator
    makes new tensors, unless it is declared to give a view (``reshape``) or its operand itself
    (``on_device``); tuples, branches, closures and references hold on to what they are given.
    Tensors that are never there at the same time share storage, best fit first. Parameters and
    constants have storages of their own, and nothing comes after what the function gives. A tensor
    takes the place of an operand that is not needed later where its operator works element by
    element, or is declared to write in place, or where ``may_share`` asks for it.

    A function that is known and closed is planned as well, by itself, and counts while it is
    called; a primitive function is one operator. What calls of unknown functions give, of recursive
    ones, and kinds of other packages, is in no storage, as are tensors of unknown size:
    ``unplanned`` says so.

    Args:
        func: A typed function, in graph form or with lets, branches, matches and closures.
        mod: Where functions that it calls by name are found.

    Raises:
        UntypedError: If the type of a parameter or of a call was not inferred.

    Complexity:
        n log n in distinct nodes and operands; no recursion.

    Source:
        TVM ``GraphPlanMemory``; tensors and aliases as in RAF ``LivenessAnalysis``.

    Example:
        >>> import relayish as relay
        >>> x = relay.var("x", shape=(1024,))
        >>> y = x
        >>> for _ in range(8):
        ...     y = relay.nn.softmax(y)
        >>> plan = plan_memory(relay.analysis.infer_type(relay.Function((x,), y)))
        >>> plan.peak_before, plan.peak_freed, plan.peak_after
        (32768, 8192, 8192)
    """
    closed: set[Node] = set(_find_closed(func))
    plans: dict[Function, MemoryPlan] = {}
    passed_on: dict[Function, PassedOn | None] = {func: None}
    ranges = LiveRanges(func, closed, passed_on, mod, owns_parameters=True)
    pending: list[tuple[LiveRanges, Iterator[Function]]] = [(ranges, ranges.run())]
    while pending:
        ranges, run = pending[-1]
        callee = next(run, None)
        if callee is not None:
            if callee not in closed:
                closed.update(_find_closed(callee))
            passed_on[callee] = None
            inner = LiveRanges(callee, closed, passed_on, mod, owns_parameters=False)
            pending.append((inner, inner.run()))
            continue
        pending.pop()
        plans[ranges.func] = _make_plan(ranges, plans)
        passed_on[ranges.func] = ranges.find_passed_on()
    return plans[func]


def _find_closed(func: Function) -> set[Node]:
    order = EXPRESSIONS.post_order(func)
    if not any(type(node) is Function for node in order[:-1]):
        return set()
    return find_closed_functions(order)


def _make_plan(ranges: LiveRanges, plans: dict[Function, MemoryPlan]) -> MemoryPlan:
    end = len(ranges.steps)
    rooms = assign_storages(ranges)
    room_of = {buffer: room for room in rooms for buffer in room.buffers}
    planned = [buffer for buffer in ranges.buffers if buffer.size is not None]
    for number, buffer in enumerate(planned):
        buffer.number = number

    def tensor(buffer: Buffer) -> PlannedTensor:
        over = None if buffer.replaces is None else buffer.replaces.number
        dies = buffer.last if buffer.origin in (Origin.LOCAL, Origin.RESULT) else end
        assert buffer.size is not None
        return PlannedTensor(
            buffer.expr,
            buffer.field,
            buffer.size,
            buffer.born,
            dies,
            room_of[buffer].number,
            over,
        )

    tensors = [tensor(buffer) for buffer in planned]
    storages = []
    for room in rooms:
        lives = [tensors[buffer.number] for buffer in room.buffers]
        storages.append(
            Storage(
                room.number,
                room.origin,
                room.size,
                min(each.born for each in lives),
                max(each.dies for each in lives),
                tuple([buffer.number for buffer in room.buffers]),
            )
        )
    calls = [(at, plans[callee]) for at, callee in ranges.calls]
    return MemoryPlan(
        ranges.func, ranges.steps, tensors, storages, ranges.unplanned, calls, ranges.value_of
    )
