"""Running plans: functions in graph form, planned once and run as often as somebody calls them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from weakref import WeakKeyDictionary

import numpy as np

from relayish.errors import EvaluationError, RelayishError
from relayish.interpreter.arguments import bind_arguments
from relayish.interpreter.evaluator import EVALUATORS
from relayish.interpreter.failures import SHOWN_CALLS, add_notes, evaluator_failed, operator_failed
from relayish.interpreter.inputs import (
    check_binds,
    check_expr,
    check_module,
    convert_params,
    convert_value,
)
from relayish.interpreter.plan import CALLED, ONE, Plan, Step
from relayish.interpreter.planning import make_plan
from relayish.interpreter.value import SCALARS, Evaluated, leaves, map_leaves, normalise
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Var
from relayish.ir.relay.module import IRModule


class PlannedFunction:
    """A function in graph form that may be called with values, by position and by name.

    Made by :meth:`GraphExecutor.evaluate`. It may be called from several threads at once.
    """

    __slots__ = ("__weakref__", "plan")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __call__(self, *args: object, **named: object) -> Evaluated:
        """Return the value of the function.

        Args:
            args: Numpy arrays and scalars, constants, and tuples of these. Python numbers take the
                element type the parameter is annotated with.
            named: Further arguments, by the names of parameters.

        Returns:
            A numpy scalar for tensors of rank 0, a read-only array for others, a tuple.

        Raises:
            EvaluationError: If an argument is missing, unknown, or not of the annotated type, or
                an operator cannot be evaluated on what it gets; a note names the expression.

        Complexity:
            That of the operators, and a fraction of a microsecond for each. A result is dropped
            after the step that is the last to read it.
        """
        values = bind_arguments(self.plan.params, args, named)
        with np.errstate(all="ignore"):
            result = run_plan(self.plan, values)
        return normalise(_copy_shared(result, values))

    def __repr__(self) -> str:
        names = ", ".join(param.name_hint for param in self.plan.params)
        return f"PlannedFunction(fn ({names}), {len(self.plan.steps)} steps)"


def run_plan(plan: Plan, values: list[Evaluated]) -> Evaluated:
    """Return the value of the planned function on ``values``, one for each parameter.

    A caller with many plans to run does so under one ``np.errstate(all="ignore")``.
    """
    frame = _registers(plan, values)
    steps = iter(plan.steps)
    # the calls under way: plan, what is left of its steps, registers, place of the result, dead
    callers: list[tuple[Plan, Iterator[Step], list[Evaluated], int, tuple[int, ...]]] = []
    scalars, array = SCALARS, np.ndarray
    try:
        while True:
            for function, attrs, place, left, right, dead in steps:
                if right >= 0:
                    result = function(attrs, frame[left], frame[right])
                elif right == ONE:
                    result = function(attrs, frame[left])
                elif right == CALLED:
                    callers.append((plan, steps, frame, place, dead))
                    given = [frame[i] for i in left]
                    for i in dead:  # the function called is the last to read them
                        frame[i] = None
                    plan, frame = function, _registers(function, given)
                    del given
                    steps = iter(plan.steps)
                    break
                else:
                    result = function(attrs, *[frame[i] for i in left])
                kind = type(result)
                if kind not in scalars and (kind is not array or not result.ndim):
                    result = normalise(result)
                frame[place] = result
                if dead:
                    result = None  # it may be one of those
                    for i in dead:
                        frame[i] = None
            else:
                result = frame[plan.result]
                if not callers:
                    return result
                plan, steps, frame, place, dead = callers.pop()
                frame[place] = None if place in dead else result
    except RelayishError as error:
        _add_notes(error, plan, steps, callers)
        raise
    except Exception as error:
        at = _find_position(plan, steps)
        expr = plan.exprs[at]
        if EVALUATORS[type(expr)].evaluate is not None:
            failed = evaluator_failed(expr, error)
            _add_notes(failed, plan, steps, callers)
            raise failed from error
        if not isinstance(expr, Call):
            raise
        _, _, _, left, right, _ = plan.steps[at]
        operands = left if isinstance(left, tuple) else (left,) if right < 0 else (left, right)
        failed = operator_failed(expr.op, [frame[i] for i in operands], error)
        _add_notes(failed, plan, steps, callers)
        raise failed from error


def _registers(plan: Plan, values: list[Evaluated]) -> list[Evaluated]:
    frame = plan.template[:]
    for place, value in zip(plan.places, values, strict=True):
        if place >= 0:
            frame[place] = value
    return frame


def _find_position(plan: Plan, steps: Iterator[Step]) -> int:
    """Return the position of the step last taken from ``steps``."""
    return len(plan.steps) - operator.length_hint(steps) - 1


def _add_notes(
    error: RelayishError,
    plan: Plan,
    steps: Iterator[Step],
    callers: list[tuple[Plan, Iterator[Step], list[Evaluated], int, tuple[int, ...]]],
) -> None:
    shown = callers[: -SHOWN_CALLS - 1 : -1]
    innermost = [caller.exprs[_find_position(caller, left)] for caller, left, *_ in shown]
    add_notes(error, plan.exprs[_find_position(plan, steps)], innermost, len(callers))


def _copy_shared(result: Evaluated, values: list[Evaluated]) -> Evaluated:
    """Return ``result`` with a copy of what shares memory with an argument.

    Arguments are not copied when a function is called, so a caller may write to them afterwards.
    """
    arrays = [part for value in values for part in leaves(value) if isinstance(part, np.ndarray)]
    parts = leaves(result)
    shared = {
        id(part): part.copy()
        for part in parts
        if isinstance(part, np.ndarray) and any(np.may_share_memory(part, a) for a in arrays)
    }
    if not shared:
        return result
    return map_leaves(result, lambda part: shared.get(id(part), part))


class GraphExecutor:
    """Evaluates functions in graph form, each planned once.

    Made by :func:`~relayish.interpreter.create_executor` with ``kind="graph"``.
    """

    def __init__(
        self, mod: IRModule | None = None, params: Mapping[str, object] | None = None
    ) -> None:
        check_module(mod)
        self.mod = mod
        self.params = convert_params(params)
        self._planned: WeakKeyDictionary[Expr, PlannedFunction] = WeakKeyDictionary()

    def evaluate(
        self, expr: Expr | str | None = None, binds: Mapping[Var, object] | None = None
    ) -> Evaluated | Callable[..., Evaluated]:
        """Return the value of ``expr``, for functions something to call with arguments.

        Args:
            expr: An expression in graph form, a function of the module or its name; by default
                ``main``, with the parameters given to the executor bound.
            binds: Values of variables that are free in ``expr``.

        Raises:
            EvaluationError: If it is not in graph form.
        """
        if expr is None or isinstance(expr, str):
            name = "main" if expr is None else expr
            if self.mod is None:
                raise EvaluationError(
                    f"there is no module to find @{name} in; pass mod= or an expression"
                )
            expr = self.mod.get_global_var(name)
        bound = {
            var: convert_value(value, f"the value of %{var.name_hint}")
            for var, value in check_binds(binds).items()
        }
        if isinstance(expr, (Function, GlobalVar)):
            return self._function(expr, bound)
        check_expr(expr)
        return PlannedFunction(make_plan(Function((), expr), self.mod, bound))()

    def _function(
        self, expr: Function | GlobalVar, binds: Mapping[Var, Evaluated]
    ) -> PlannedFunction:
        known = self._planned.get(expr)
        if known is not None and not binds:
            return known
        bound = binds
        function: Node = expr
        if isinstance(expr, GlobalVar):
            if self.mod is None:
                raise EvaluationError(f"there is no module to find @{expr.name_hint} in; pass mod=")
            function = self.mod[expr]
            if expr.name_hint == "main" and isinstance(function, Function):
                bound = {**self._bind_params(function), **binds}
        if not isinstance(function, Function):
            raise EvaluationError(
                f"only functions are planned; found {describe(function)}; put it into a function, "
                f"or use create_executor(kind='debug')"
            )
        made = PlannedFunction(make_plan(function, self.mod, bound))
        if not binds:
            self._planned[expr] = made
        return made

    def _bind_params(self, function: Function) -> dict[Var, Evaluated]:
        """Return the values of the parameters that were given to the executor by name."""
        by_name: dict[str, Var] = {}
        for param in function.params:
            if param.name_hint in by_name and param.name_hint in self.params:
                raise EvaluationError(
                    f"several parameters of main are called {param.name_hint!r}; "
                    f"rename them to bind one by name"
                )
            by_name[param.name_hint] = param
        return {by_name[name]: value for name, value in self.params.items() if name in by_name}
