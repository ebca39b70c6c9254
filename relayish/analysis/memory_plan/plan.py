"""The memory plan of a function: what :func:`~relayish.analysis.plan_memory` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from relayish._support.display import repr_mimebundle
from relayish.analysis.memory_plan.buffers import Buffer, Origin, Value, reachable_buffers
from relayish.errors import PassError, UnvisitedNodeError
from relayish.ir.kinds.one_line import one_line, quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function


class PlannedTensor(NamedTuple):
    """A tensor and where it lives.

    Attributes:
        expr: What makes it: a call, a parameter, a constant.
        field: Which of the tensors that ``expr`` makes it is; tuples are counted field by field.
        size: In bytes.
        born: The number of the step that makes it; -1 for parameters and constants.
        dies: The number of the last step that uses it; as many as there are steps if it outlives
            the call.
        storage: The number of its storage.
        replaces: The number of the tensor whose place it takes: its operator may write over an
            operand that nobody needs later.
    """

    expr: Expr
    field: int
    size: int
    born: int
    dies: int
    storage: int
    replaces: int | None


class Storage(NamedTuple):
    """A piece of memory.

    Attributes:
        number: Its place among the storages of the plan.
        origin: Whose memory it is: that of parameters, constants and results is not reused.
        size: In bytes.
        since: The first step that needs it.
        until: The last step that needs it; after that it may be given back. As many as there are
            steps if it outlives the call.
        tensors: The numbers of the tensors that live in it, one after another.
    """

    number: int
    origin: Origin
    size: int
    since: int
    until: int
    tensors: tuple[int, ...]


class MemoryPlan:
    """Where the tensors of one function live. Immutable.

    Parameters and constants are not counted in peaks: they are there before the function runs. The
    functions that it calls are, for as long as the calls last.

    Attributes:
        func: The function.
        steps: The calls, branches and uses of references that it evaluates, in order. Steps are
            known by number; branches stand one after another.
        tensors: The tensors of known size, by number.
        storages: The storages, by number.
        unplanned: The expressions whose values live in memory that is in no plan, and why.
        callees: The plans of the functions it calls.
        peak_before: The bytes needed if every tensor is kept until its function ends.
        peak_freed: The bytes needed if each tensor is given up after its last use, and lies apart
            from all others.
        peak_after: The bytes needed by the storages, each there from its first use to its last.
    """

    __slots__ = (
        "_value_of",
        "callees",
        "func",
        "peak_after",
        "peak_before",
        "peak_freed",
        "steps",
        "storages",
        "tensors",
        "unplanned",
        "workspace",
    )

    _value_of: Mapping[Node, Value]
    func: Function
    steps: tuple[Expr, ...]
    tensors: tuple[PlannedTensor, ...]
    storages: tuple[Storage, ...]
    unplanned: Mapping[Expr, str]
    callees: Mapping[Function, MemoryPlan]
    peak_before: int
    peak_freed: int
    peak_after: int
    workspace: tuple[int, int, int]
    """The three peaks without results, whose memory a caller provides."""
    _repr_mimebundle_ = repr_mimebundle

    def __init__(
        self,
        func: Function,
        steps: Sequence[Expr],
        tensors: Sequence[PlannedTensor],
        storages: Sequence[Storage],
        unplanned: Mapping[Expr, str],
        calls: Sequence[tuple[int, MemoryPlan]],
        value_of: Mapping[Node, Value],
    ) -> None:
        put = object.__setattr__
        put(self, "func", func)
        put(self, "steps", tuple(steps))
        put(self, "tensors", tuple(tensors))
        put(self, "storages", tuple(storages))
        put(self, "unplanned", MappingProxyType(dict(unplanned)))
        put(self, "callees", MappingProxyType({plan.func: plan for _, plan in calls}))
        put(self, "_value_of", value_of)
        peaks, workspace = self._find_peaks(calls)
        put(self, "peak_before", peaks[0])
        put(self, "peak_freed", peaks[1])
        put(self, "peak_after", peaks[2])
        put(self, "workspace", workspace)

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"a MemoryPlan is immutable; {name} cannot be set")

    def storages_of(self, expr: Expr) -> tuple[Storage, ...]:
        """Return the storages that the value of ``expr`` may be in, or hold on to, in order.

        Raises:
            UnvisitedNodeError: If ``expr`` is not evaluated by the function itself.

        Complexity:
            Linear in the values that it may hold on to.
        """
        storages = self.storages
        numbers = [tensor.storage for tensor in self.tensors_of(expr)]
        return tuple([storages[number] for number in dict.fromkeys(numbers)])

    def tensors_of(self, expr: Expr) -> tuple[PlannedTensor, ...]:
        """Return the tensors that the value of ``expr`` may be, or hold on to, in order.

        Raises:
            UnvisitedNodeError: As :meth:`storages_of` does.
        """
        value = self._value_of.get(expr)
        if value is None:
            raise UnvisitedNodeError(
                f"{quote(expr)} is not evaluated in the function that was planned; ask for what "
                f"its body evaluates, the insides of other functions aside"
            )
        found = [buffer.number for buffer in reachable_buffers((value,)) if buffer.size is not None]
        return tuple([self.tensors[number] for number in found])

    def storage_of(self, expr: Expr) -> Storage:
        """Return the storage of the tensor ``expr``.

        Raises:
            UnvisitedNodeError: As :meth:`storages_of` does.
            PassError: If its value is in no storage of the plan, or may be in several.

        Example:
            >>> import relayish as relay
            >>> from relayish.analysis import plan_memory
            >>> x = relay.var("x", shape=(4,))
            >>> first = relay.exp(x)
            >>> func = relay.analysis.infer_type(relay.Function((x,), relay.tanh(first)))
            >>> plan = plan_memory(func)
            >>> plan.storage_of(func.body.args[0]).size, plan.storage_of(func.body).origin.value
            (16, 'result')
        """
        found = self.storages_of(expr)
        if len(found) == 1:
            return found[0]
        if found:
            raise PassError(
                f"the value of {quote(expr)} may be in {len(found)} storages; ask for storages_of"
            )
        reason = self.unplanned.get(expr, "it makes no tensor of known size")
        raise PassError(f"the value of {quote(expr)} is in no storage of the plan: {reason}")

    def replaced_argument(self, call: Call) -> int | None:
        """Return the number of the argument whose place the first result of ``call`` takes, if any.

        Nothing needs that argument later, and it has the type of the result.
        """
        value = self._value_of.get(call)
        if value is not None and value.fields:
            value = value.fields[0]
        if not isinstance(value, Buffer) or value.expr is not call or value.replaces is None:
            return None
        found = [self._value_of[arg] is value.replaces for arg in call.args]
        return found.index(True) if True in found else None

    def _find_peaks(
        self, calls: Sequence[tuple[int, MemoryPlan]]
    ) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Return the three peaks, then the same without what is of the result."""
        end = len(self.steps)
        inside = [(at, plan.workspace) for at, plan in calls]
        peaks: list[tuple[int, int, int]] = []
        for counted in ({Origin.LOCAL, Origin.RESULT}, {Origin.LOCAL}):
            kept = [t for t in self.tensors if t.born >= 0]
            if Origin.RESULT not in counted:
                kept = [t for t in kept if t.dies < end]
            shared = [each for each in self.storages if each.origin in counted]
            before = sum(t.size for t in kept) + max([each[0] for _, each in inside], default=0)
            lives = [(t.born, t.dies, t.size) for t in kept]
            rooms = [(each.since, each.until, each.size) for each in shared]
            freed = _find_peak(lives + [(at, at, each[1]) for at, each in inside], end)
            after = _find_peak(rooms + [(at, at, each[2]) for at, each in inside], end)
            peaks.append((before, freed, after))
        return peaks[0], peaks[1]

    def __repr__(self) -> str:
        return (
            f"MemoryPlan({len(self.steps)} steps, {len(self.tensors)} tensors, "
            f"{len(self.storages)} storages, {self.peak_after:,} bytes)"
        )

    def __str__(self) -> str:
        """Return the peaks, and a line for each storage with the tensors that live in it."""
        kept, freed, shared = self.peak_before, self.peak_freed, self.peak_after
        peaks = f"{kept:,} bytes if every tensor is kept, {freed:,} if freed after its last use"
        lines = [f"{peaks}, {shared:,} in shared storages"]
        end = len(self.steps)
        for storage in self.storages:
            until = "the end" if storage.until >= end else f"step {storage.until}"
            since = "the beginning" if storage.since < 0 else f"step {storage.since}"
            lines.append(
                f"storage {storage.number}: {storage.size:,} bytes, {storage.origin.value}, "
                f"from {since} to {until}"
            )
            lines += [f"  {self._show_tensor(self.tensors[number])}" for number in storage.tensors]
        lines += [f"unplanned: {one_line(e)}: {reason}" for e, reason in self.unplanned.items()]
        return "\n".join(lines)

    def _show_tensor(self, tensor: PlannedTensor) -> str:
        field = f", tensor {tensor.field}" if tensor.field else ""
        over = "" if tensor.replaces is None else ", written over an operand"
        if tensor.born < 0:
            return f"{one_line(tensor.expr)}{field}"
        until = "the end" if tensor.dies >= len(self.steps) else str(tensor.dies)
        return f"{tensor.born} to {until}: {one_line(tensor.expr)}{field}{over}"


def _find_peak(ranges: Sequence[tuple[int, int, int]], end: int) -> int:
    """Return the most that ``(first, last, size)`` add up to at one step."""
    change = [0] * (end + 2)
    for first, last, size in ranges:
        change[max(first, 0)] += size
        change[last + 1] -= size
    most = total = 0
    for each in change:
        total += each
        most = max(most, total)
    return most
