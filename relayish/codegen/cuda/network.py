"""Networks on a device: their loops are bound, and all memory they work in is the device's."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.codegen.c.cache import compiled
from relayish.codegen.c.entry import network_to_c
from relayish.codegen.c.executor import CompiledNetwork, aligned_bytes
from relayish.codegen.c.executor import network_of as network_of_loops
from relayish.codegen.c.network import Network
from relayish.codegen.cuda.binding import bind_rest
from relayish.codegen.cuda.dialect import CUDA
from relayish.codegen.cuda.on_cpu import ON_CPU, find_cpp
from relayish.ir.relay.expr import Var
from relayish.ir.relay.module import IRModule
from relayish.passes.loops.schedule.apply_schedules import apply_schedules
from relayish.tir.schedule.defaults import DEFAULT_SCHEDULES


def network_of(
    mod: IRModule, name: str = "main", *, schedules: str = DEFAULT_SCHEDULES["cuda"]
) -> tuple[Network, Sequence[Var]]:
    """Return a function of a module, with those it calls, as loops that are bound, and parameters.

    Sums are added in order. What schedules leave unbound is run by one thread.

    Args:
        mod: The module.
        name: Of the function.
        schedules: Names of schedules, with options, as ``ApplySchedules`` takes them.

    Raises:
        UnlowerableError: If loops cannot express an operator: which, where, and why.
        ScheduleError: If a schedule takes a step that is refused.
        CodegenError: If it is given no module.
    """
    network, params = network_of_loops(mod, name, exact=True, on_device=True)
    functions = tuple(
        [
            bind_rest(apply_schedules(each, rules=schedules, target="cuda"))
            for each in network.module.functions
        ]
    )
    return network._replace(module=network.module.with_fields(functions=functions)), params


def network_on_cpu(params: Sequence[Var], network: Network, prefix: str) -> CompiledNetwork:
    """Return a network in CUDA C, compiled for this processor, to see what it computes.

    Raises:
        CodegenError: If CUDA C cannot say it, or there is no compiler of C++.
    """
    code = network_to_c(network, prefix, dialect=CUDA)
    weights = aligned_bytes(code.weight_bytes)
    code.write_weights(weights)
    library = compiled(f"{ON_CPU}\n{code.text}", find_cpp())
    return CompiledNetwork(params, network.result, code, library, weights)
