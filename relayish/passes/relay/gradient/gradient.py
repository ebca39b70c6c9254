"""The gradient of a function."""

from __future__ import annotations

from relayish._support.graph import components, reachable
from relayish.analysis.infer_type import infer_type
from relayish.analysis.infer_type.global_uses import global_uses
from relayish.errors import GradientError, PassError, UnknownNameError
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.passes.relay.gradient.ad.check import check_differentiable
from relayish.passes.relay.gradient.ad.checkpoint import delay_checkpoints
from relayish.passes.relay.gradient.ad.first_order import first_order_gradient
from relayish.passes.relay.gradient.ad.higher_order import Group, higher_order_gradient

MODES = ("higher_order", "first_order")


def gradient(expr: Expr, mod: IRModule | None = None, mode: str = "higher_order") -> Function:
    """Return the function that returns the result of ``expr`` and the gradients of its parameters.

    A function ``fn (%x: X, %y: Y) -> R`` becomes ``fn (%x: X, %y: Y) -> (R, (X, Y))``, by
    reverse-mode automatic differentiation. What is differentiated is the sum of the elements of
    the result; of a result that is a tuple, in the mode ``"higher_order"``, of its first tensor,
    in the mode ``"first_order"``, of all of them.

    Args:
        expr: A closed function, or the global name of one in ``mod``. Its parameters are tensors
            or tuples of tensors.
        mod: Where global names and types are defined. Global functions that ``expr`` uses are
            written into the result, as functions bound by let; the module stays as it is.
        mode: ``"higher_order"`` for the whole language: closures, branches, data, references,
            recursion. The result uses references, and can be differentiated again.
            ``"first_order"`` for operators, tuples and lets alone, with a result of the same kind.

    Raises:
        GradientError: If ``expr`` is no function, has free variables, type parameters or
            parameters of other types, or uses an operator without gradient, whose name is given.
        TypeInferenceError: If it is ill-typed.
        PassError: If there is no such mode, or ``mod`` is given in the mode ``"first_order"``.

    Complexity:
        Linear in distinct nodes, of ``expr`` and of the global functions it uses; no recursion
        but over nested functions, branches and references.

    Source:
        Relay ``gradient``; there global functions are added to ``mod`` itself.

    Example:
        >>> from relayish.interpreter import evaluate
        >>> from relayish.ir.relay.type import TensorType
        >>> from relayish.ir.relay.expr import Var
        >>> import numpy as np
        >>> x = Var("x", TensorType((), "float32"))
        >>> evaluate(gradient(Function((x,), x * x)), args=[np.float32(3)])
        (np.float32(9.0), (np.float32(6.0),))
    """
    if mode not in MODES:
        raise PassError(f"there is no mode {mode!r} of gradient; use one of {', '.join(MODES)}")
    if mode == "first_order":
        if mod is not None:
            raise PassError(
                "gradient of a module in the mode 'first_order' is the pass FirstOrderGradient"
            )
        return first_order_gradient(check_differentiable(infer_type(check_differentiable(expr))))
    typed = None if mod is None else infer_type(_delay_checkpoints(mod))
    func = infer_type(delay_checkpoints(check_differentiable(_definition(expr, typed))), typed)
    assert isinstance(func, Function)
    return higher_order_gradient(check_differentiable(func), _groups(func, typed))


def _definition(expr: Expr, mod: IRModule | None) -> Expr:
    if not isinstance(expr, GlobalVar):
        return expr
    if mod is None:
        raise UnknownNameError(f"there is no module to find @{expr.name_hint} in; pass mod=")
    definition = mod[expr]
    if not isinstance(definition, Expr):
        raise GradientError(f"@{expr.name_hint} is no function of Relay; found {definition!r}")
    return definition


def _delay_checkpoints(mod: IRModule) -> IRModule:
    """Return ``mod`` with its checkpoints delayed."""
    changed: dict[GlobalVar | str, Expr] = {
        name: delay_checkpoints(definition) for name, definition in mod.functions_of(Expr).items()
    }
    return mod.with_functions(changed)


def _groups(func: Function, mod: IRModule | None) -> list[Group]:
    """Return the functions of ``mod`` that ``func`` uses, those used by others before these."""
    if mod is None:
        return []
    functions: dict[str, Function] = {}

    def names_in(name: str) -> frozenset[str]:
        if name in mod and isinstance(definition := mod[name], Function):
            functions[name] = definition
            return global_uses(definition).names
        return frozenset()

    reachable(global_uses(func).names, names_in)
    ordered = {name: sorted(global_uses(functions[name]).names) for name in sorted(functions)}
    return [[(name, functions[name]) for name in group] for group in components(ordered)]
