"""Make zeros and ones when somebody needs their elements.

Before::

    let %r = ref(zeros_like(%x));
    let %u = ref_write(%r, add(ref_read(%r), exp(%x)));
    ref_read(%r)

After::

    let %r = ref(Zero(fn () { zeros_like(%x) }));
    let %u = ref_write(%r, @AddGradCell(fn (%a, %b) { add(%a, %b) }, ref_read(%r), Raw(exp(%x))));
    @FromGradCell(ref_read(%r))
"""

from __future__ import annotations

from typing import NamedTuple

from relayish.analysis.infer_type import infer_type
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass
from relayish.passes.relay.gradient.lazy_gradient.cells import Writer
from relayish.passes.relay.gradient.lazy_gradient.flow import Choice, Flow, choose
from relayish.passes.relay.gradient.lazy_gradient.operators import initialises
from relayish.passes.relay.normal_form.functions import iterate_optimized_functions
from relayish.prelude import import_from_std


class _Plan(NamedTuple):
    """What is to become of one function."""

    order: list[Node]
    flow: Flow
    choice: Choice


@register_pass("LazyGradientInit", opt_level=2, infer_types=True, idempotent=True)
def lazy_gradient_init(mod: IRModule) -> IRModule:
    """Lazy initialisation: make zeros and ones when somebody needs their elements.

    Return ``mod`` with zeros and ones made when their elements are needed.

    What ``zeros``, ``ones``, ``full`` and their likes make becomes a cell, wherever it goes from
    there: through variables, references, tuples, data, branches, matches and functions, to the sums
    and products that need not look at its elements. These become functions that add zeros, and
    multiply by ones, without making them. Where elements are needed, a cell is made into a tensor.
    What zeros and ones do not reach, or where nothing is gained by it, stays as it is; so do the
    types of parameters and results of the functions of the module.

    Values stay the same, but that sums may differ in the sign of a zero: zeros times something are
    made, since it may be infinite.

    Args:
        mod: A module with types; the definitions of ``gradient`` are imported where needed.

    Returns:
        ``mod`` itself when no sum or product profits.

    Complexity:
        Almost linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``LazyGradientInit``, which makes every tensor of a function a cell, and takes zero
        times infinity for zero.
    """
    plans: dict[GlobalVar, _Plan] = {}
    for name, func in iterate_optimized_functions(mod):
        plan = _plan(func, mod)
        if plan is not None:
            plans[name] = plan
    if not plans:
        return mod
    full = import_from_std(mod, "gradient")
    return infer_type(
        full.with_functions({name: Writer(*plan, full).write() for name, plan in plans.items()})
    )


def _plan(func: Function, mod: IRModule) -> _Plan | None:
    """Return what is to become of ``func``; ``None`` if it stays."""
    order = EXPRESSIONS.post_order(func)
    if not any(type(node) is Call and initialises(node) for node in order):
        return None
    flow = Flow(func, order, mod)
    choice = choose(flow)
    return _Plan(order, flow, choice) if choice.calls else None
