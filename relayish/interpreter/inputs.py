"""Inputs of evaluation from Python: programs, modules, limits and values, refused where unfit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.errors import EvaluationError
from relayish.interpreter.value import Evaluated, as_argument
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.module import IRModule


def check_expr(expr: object) -> None:
    """Refuse what is no expression; which nodes can be evaluated is told by their evaluators.

    Raises:
        EvaluationError: Naming what it is.
    """
    if isinstance(expr, Node):
        return
    advice = "give an expression"
    if isinstance(expr, IRModule):
        advice = "give one of its functions: evaluate(mod['main'], mod)"
    elif isinstance(expr, str):
        advice = "read text with parse_expr"
    elif isinstance(expr, (bool, int, float)):
        advice = f"write const({expr!r})"
    raise EvaluationError(f"{_shown(expr)} is no expression and has no value; {advice}")


def check_module(mod: object) -> None:
    """Refuse what is no module; ``None`` stands for none.

    Raises:
        EvaluationError: Naming what it is.
    """
    if mod is None or isinstance(mod, IRModule):
        return
    made = isinstance(mod, Expr)
    advice = "make one with IRModule.from_expr(expr)" if made else "give an IRModule, or none"
    raise EvaluationError(f"mod is {_shown(mod)}, which is no module; {advice}")


def check_limits(max_depth: object, max_calls: object) -> None:
    """Refuse what is no number of calls.

    Raises:
        EvaluationError: Naming the limit.
    """
    if not _is_count(max_depth):
        raise EvaluationError(f"max_depth is {_shown(max_depth)}; expected a number of calls")
    if max_calls is not None and not _is_count(max_calls):
        raise EvaluationError(
            f"max_calls is {_shown(max_calls)}; expected a number of calls, or None for any"
        )


def check_arguments(args: object) -> Sequence[object]:
    """Return the arguments of a function; refuse what is no sequence of them.

    Raises:
        EvaluationError: Naming what it is.
    """
    if isinstance(args, Sequence) and not isinstance(args, (str, bytes)):
        return args
    raise EvaluationError(
        f"args is {_shown(args)}; expected a sequence of arguments, as in args=[1.0]"
    )


def convert_params(params: object) -> dict[str, Evaluated]:
    """Return the values that an executor is given for parameters, by name.

    Raises:
        EvaluationError: If it is no mapping from names to values.
    """
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise EvaluationError(
            f"params is {_shown(params)}; expected values by the names of parameters"
        )
    for name in params:
        if not isinstance(name, str):
            raise EvaluationError(
                f"params has a value for {_shown(name)}; expected the names of parameters"
            )
    return {name: convert_value(value, f"parameter {name!r}") for name, value in params.items()}


def check_binds(binds: object) -> dict[Var, object]:
    """Return the values that variables are bound to.

    Raises:
        EvaluationError: If it is no mapping from variables.
    """
    if binds is None:
        return {}
    if not isinstance(binds, Mapping):
        raise EvaluationError(f"binds is {_shown(binds)}; expected values by variables")
    for var in binds:
        if not isinstance(var, Var):
            raise EvaluationError(f"binds has a value for {_shown(var)}; expected variables")
    return dict(binds)


def convert_value(value: object, what: str) -> Evaluated:
    """Return ``value`` in the form values have; ``what`` it is, for the error.

    Raises:
        EvaluationError: If it cannot be a value.
    """
    try:
        return as_argument(value)
    except TypeError as error:
        raise EvaluationError(f"{what}: {error}") from error


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _shown(value: object) -> str:
    if isinstance(value, (Node, IRModule)):
        return f"a {type(value).__name__}"
    return repr(value) if value is None else f"{value!r} ({type(value).__name__})"
