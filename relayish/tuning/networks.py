"""Functions of networks to tune: each distinct one, how often it runs, and how it is otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from relayish.codegen.c.network import lower_kernels, schedule_kernels
from relayish.ir.relay.expr import Call, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.onnx.prepared import prepared
from relayish.passes.relay.to_loops.constant_arguments import mark_constant_arguments
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.schedule.records import workload_of


@dataclass(frozen=True, slots=True)
class Workload:
    """A function to tune.

    Attributes:
        func: The function, as nobody scheduled it.
        default: What is compiled where nothing is tuned.
        names: What those are called that compute the same.
        calls: How often these are called, as far as the program tells: what runs again and again
            counts once.
    """

    func: LoweredFunc
    default: LoweredFunc
    names: tuple[str, ...]
    calls: int = 1


def workloads_of(mod: IRModule, *, opt_level: int = 0, exact: bool = False) -> list[Workload]:
    """Return the distinct functions of loops that a module has, or that its network becomes.

    Args:
        mod: A module of functions of loops, or one of Relay, of whose ``main`` they are made.
        opt_level: Passes of this level and below run over a network before.
        exact: Whether sums of floats are to be added in order.

    Raises:
        UnlowerableError, DispatchError, CodegenError: If loops cannot express the network.

    Complexity:
        That of lowering.
    """
    loops = mod.functions_of(LoweredFunc)
    if len(loops) == len(mod.functions):
        return _distinct([Workload(each, each, (each.name,)) for each in loops.values()])
    lowered = mark_constant_arguments(lower_kernels(prepared(mod, opt_level)))
    scheduled = schedule_kernels(lowered, exact=exact)
    calls = _calls(lowered)
    kernels = lowered.functions_of(LoweredFunc)
    defaults = {var.name_hint: f for var, f in scheduled.functions_of(LoweredFunc).items()}
    return _distinct(
        [
            Workload(func, defaults[var.name_hint], (func.name,), calls[var.name_hint])
            for var, func in kernels.items()
            if var.name_hint in defaults
        ]
    )


def _calls(mod: IRModule) -> Counter[str]:
    """Return how often each function is called by name."""
    return Counter(
        each.op.name_hint
        for func in mod.functions_of(Function).values()
        for each in EXPRESSIONS.post_order(func)
        if isinstance(each, Call) and isinstance(each.op, GlobalVar)
    )


def _distinct(workloads: Sequence[Workload]) -> list[Workload]:
    """Return one for all that compute the same."""
    found: dict[str, Workload] = {}
    for each in workloads:
        key = workload_of(each.func)
        first = found.setdefault(key, each)
        if first is not each:
            names, calls = (*first.names, *each.names), first.calls + each.calls
            found[key] = Workload(first.func, first.default, names, calls)
    return list(found.values())


def divide(trials: int, weights: Sequence[float]) -> list[int]:
    """Return how many of some trials each function has, in proportion to weights.

    None has one alone, which would tell nothing but what is known.

    Example:
        >>> divide(100, [6.0, 3.0, 0.99, 0.01])
        [60, 30, 10, 0]
    """
    total = sum(weights)
    if not total:
        return [0] * len(weights)
    shares = [round(trials * weight / total) for weight in weights]
    return [share if share > 1 else 0 for share in shares]
