"""The gradient of every function of a module, by first-order differentiation.

Before::

    def @main(%x: Tensor[(2), float32]) { multiply(%x, %x) }

After::

    def @main(%x: Tensor[(2), float32]) {
      let %x_0 = multiply(%x, %x);
      let %x_1 = ones_like(%x_0);
      let %x_2 = multiply(%x_1, %x);
      let %x_3 = collapse_sum_like(%x_2, %x);
      ...
      (%x_0, (%x_7,))
    }
"""

from __future__ import annotations

from relayish._support.collector import pause_collection
from relayish.analysis.infer_type import infer_type
from relayish.errors import add_note
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import is_skipped, register_pass
from relayish.passes.relay.gradient.ad.check import check_differentiable
from relayish.passes.relay.gradient.ad.first_order import first_order_gradient


@register_pass("FirstOrderGradient", opt_level=0)
def first_order_gradient_of_module(mod: IRModule) -> IRModule:
    """Reverse-mode differentiation: return gradients beside the result of each function.

    Each is differentiated by itself, as :func:`~relayish.passes.relay.gradient.gradient.gradient`
    does in the mode ``"first_order"``. Left alone are functions with type parameters, those that
    passes leave alone (``SkipOptimization``, ``Compiler``, ``Extern``), and definitions that are no
    function.

    Raises:
        GradientError: If a function calls another, or is more than operators, tuples and lets.

    Source:
        Relay ``FirstOrderGradient``.
    """
    typed = infer_type(mod)
    made: dict[GlobalVar | str, Expr] = {}
    for name, func in typed.functions_of(Function).items():
        if func.type_params or is_skipped(func):
            continue
        try:
            with pause_collection():  # what gradients are made of lives until they are there
                made[name] = first_order_gradient(check_differentiable(func))
        except BaseException as error:
            add_note(error, f"in function @{name.name_hint}")
            raise
    return typed.with_functions(made)
