"""Argument binding: arguments from Python, put in order and checked against annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from relayish.errors import EvaluationError, suggest
from relayish.interpreter.value import Evaluated
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Constant, Var
from relayish.ir.relay.type import SizeVar, TensorType, TupleType, Type
from relayish.ir.values.value import Opaque, as_value

_NUMBERS: Final = frozenset({bool, int, float})


def bind_arguments(
    params: Sequence[Var], args: Sequence[object], named: Mapping[str, object]
) -> list[Evaluated]:
    """Return one value for each of ``params``, of the type it is annotated with.

    Arrays are taken as they are, without a copy.

    Raises:
        EvaluationError: If one is missing, unknown, given twice, or of another type.
    """
    given = order_arguments(params, args, named)
    sizes: dict[SizeVar, int] = {}
    return [
        check_argument(param.name_hint, value, param.type_annotation, sizes)
        for param, value in zip(params, given, strict=True)
    ]


def order_arguments(
    params: Sequence[Var], args: Sequence[object], named: Mapping[str, object]
) -> list[object]:
    """Return ``args`` and behind them those of ``named``, in the order of ``params``.

    What is named as several parameters are is given to each, as Relay does.

    Raises:
        EvaluationError: If one is missing, unknown, given twice, or there are too many.
    """
    if len(args) > len(params):
        raise EvaluationError(
            f"{len(args)} arguments are given; the function takes {len(params)}: {_names(params)}"
        )
    given = list(args)
    rest = dict(named)
    missing = params[len(given) :]
    for param in missing:
        name = param.name_hint
        if name not in named:
            raise EvaluationError(
                f"argument {name!r} is missing; the function takes {_names(params)}"
            )
        given.append(named[name])
        rest.pop(name, None)
    if rest:
        name = next(iter(rest))
        known = [param.name_hint for param in params]
        if name in known:
            raise EvaluationError(
                f"argument {name!r} is given twice: by place and by name; leave one out"
            )
        raise EvaluationError(
            f"unknown argument {name!r}{suggest(name, known)}; the function takes {_names(params)}"
        )
    return given


def _names(params: Sequence[Var]) -> str:
    return f"({', '.join(param.name_hint for param in params)})"


def check_argument(
    name: str, value: object, ty: Type | None, sizes: dict[SizeVar, int]
) -> Evaluated:
    """Return ``value`` of the argument ``name`` in the form values have.

    Args:
        name: What errors call it.
        value: An array, which is viewed and not copied; a number, a constant, a tuple.
        ty: The type it must have; Python numbers take the element type of a scalar.
        sizes: What named dimensions stood for in arguments before; is added to.

    Raises:
        EvaluationError: If it is of another type.
    """
    done: list[Evaluated] = []
    # Any: a part of the value and its type, or how many fields a tuple that is complete has
    pending: list[tuple[str, Any, Any]] = [(name, value, ty)]
    while pending:
        where, part, wanted = pending.pop()
        if wanted is _BUILD:
            start = len(done) - part
            done[start:] = [tuple(done[start:])]
        elif isinstance(part, (tuple, list)):
            fields = _field_types(where, part, wanted)
            pending.append(("", len(part), _BUILD))
            pending += [
                (f"{where}[{i}]", item, field)
                for i, (item, field) in reversed(list(enumerate(zip(part, fields, strict=True))))
            ]
        else:
            done.append(_leaf(where, part, wanted, sizes))
    return done[0]


_BUILD: Final = object()


def _field_types(where: str, part: Sequence[object], wanted: Type | None) -> Sequence[Type | None]:
    if isinstance(wanted, TensorType):
        raise EvaluationError(
            f"argument {where!r} must be a tensor {_show(wanted)}; found a list or tuple; pass a "
            f"numpy array"
        )
    if not isinstance(wanted, TupleType):
        return (None,) * len(part)
    if len(wanted.fields) != len(part):
        raise EvaluationError(
            f"argument {where!r} must be a tuple of {len(wanted.fields)} fields; found {len(part)}"
        )
    return wanted.fields


def _leaf(where: str, value: object, wanted: Type | None, sizes: dict[SizeVar, int]) -> Evaluated:
    if isinstance(wanted, TensorType):
        tensor = _tensor(where, value, wanted)
        _check_tensor(where, tensor, wanted, sizes)
        return tensor
    if isinstance(wanted, TupleType):
        raise EvaluationError(
            f"argument {where!r} must be a tuple of {len(wanted.fields)} fields; "
            f"found {type(value).__name__}"
        )
    return _convert(where, value)


def _convert(where: str, value: object) -> Evaluated:
    """Return ``value`` in the form values have; an array is viewed, not copied."""
    if isinstance(value, Constant):
        return value.data
    if isinstance(value, Opaque):
        return value
    if type(value) is np.ndarray and value.ndim and value.dtype.isnative and _is_numeric(value):
        view = value.view()
        view.flags.writeable = False
        return view
    try:
        return as_value(value)
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"argument {where!r}: {error}") from error


def _is_numeric(array: np.ndarray[Any, Any]) -> bool:  # Any: of any shape and type
    return array.dtype.kind not in "OSUM"


def _tensor(where: str, value: object, wanted: TensorType) -> Evaluated:
    if type(value) in _NUMBERS and not wanted.shape:
        try:
            number = const(value, wanted.dtype).data
        except TypeError as error:
            raise EvaluationError(f"argument {where!r}: {error}") from error
        if number == value or (isinstance(value, float) and "int" not in wanted.dtype):
            return number
    return _convert(where, value)


def _check_tensor(
    where: str, value: Evaluated, wanted: TensorType, sizes: dict[SizeVar, int]
) -> None:
    if isinstance(value, Opaque):  # strings, which no numpy type of their own holds
        value = value.value
    if not isinstance(value, (np.ndarray, np.generic)):
        raise EvaluationError(
            f"argument {where!r} must be a tensor {_show(wanted)}; found {type(value).__name__}"
        )
    dtype = "string" if value.dtype.kind in "OU" else value.dtype.name
    fits = len(value.shape) == len(wanted.shape) and dtype == wanted.dtype
    if fits:
        for size, dimension in zip(value.shape, wanted.shape, strict=True):
            if isinstance(dimension, SizeVar):
                dimension = sizes.setdefault(dimension, size)  # noqa: PLW2901 - it stands for it
            if isinstance(dimension, int) and dimension != size:
                fits = False
    if not fits:
        is_other_type = dtype != wanted.dtype
        advice = f"; give {where}.astype({wanted.dtype!r})" if is_other_type and value.shape else ""
        raise EvaluationError(
            f"argument {where!r} must be a tensor {_show(wanted)}; "
            f"found {tuple(value.shape)} {dtype}{advice}"
        )


def _show(ty: TensorType) -> str:
    sizes = ", ".join(
        str(size) if isinstance(size, int) else getattr(size, "name", "?") for size in ty.shape
    )
    return f"({sizes}{',' if len(ty.shape) == 1 else ''}) {ty.dtype}"
