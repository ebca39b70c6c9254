"""Sample calls of an operator: those that are given, or some that its rule takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from relayish.analysis.infer_type import infer_type
from relayish.errors import FieldError, OperatorError, TypeInferenceError
from relayish.interpreter.dynamic_types import said_by
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.kinds.one_line import one_line
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Op, Tuple, Var
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.builders.call import call_op, make_attrs
from relayish.op.declaration import properties
from relayish.op.types.dimension import is_static, show_type
from relayish.op.types.result_size import type_of_value
from relayish.op.values.evaluation import as_sizes

Shape: TypeAlias = tuple[int, ...] | None
"""``None`` for that of an argument whose type follows from those of others."""

_SHAPES: Final[tuple[tuple[Shape, ...], ...]] = (
    *(((2, 3),), ((4,),), ((2, 3, 4),), ((2, 8, 5, 6),), ((),)),
    *(((2, 1), (1, 3)), ((2, 3), (3,)), ((2, 3), ()), ((2, 3), (2,))),
    *(((2, 3), (4, 3)), ((2, 3), (3, 4)), ((2, 3, 4), (2, 5, 4)), ((2, 3, 4), (2, 4, 5))),
    *(((2, 3), None), ((4,), None), ((2, 3, 4), None), ((2, 8, 5, 6), None)),
    *(((2, 8, 7), None), ((2, 8, 3, 5, 6), None), ((2, 8, 5, 6), (4, 8, 3, 3))),
)
"""Shapes of arguments that are tried; the last one is that of all that follow."""

_DTYPES: Final = (
    *(("float64",), ("float32",), ("int32",), ("float64", "int64"), ("bool",)),
    *(("bool", "float64"), ("int64",), ("uint8",), ("uint8", "int8", "int32")),
)
"""Element types likewise."""

_RANGES: Final = ((0.25, 0.95), (-2.0, 2.0), (1.1, 2.0))
"""Of numbers that are drawn, one for each sample: where most functions are defined, and others."""


class Sample(NamedTuple):
    """A call that is tried.

    Attributes:
        call: It, with types, on a variable for each argument.
        values: The values of these.
        shown: The call in one line.
        is_given: Whether the values are somebody's; others may have no value.
    """

    call: Call
    values: tuple[Evaluated, ...]
    shown: str
    is_given: bool


def given_sample(op: Op, args: Sequence[object], attributes: dict[str, object]) -> Sample:
    """Return the call of ``op`` on numbers, arrays, constants, or tuples of these.

    Raises:
        RelayishError: If such a call cannot be built or typed.
    """
    built = call_op(op, *map(_as_constant, args), **attributes)
    return sample_of_call(built)


def sample_of_call(call: Call) -> Sample:
    """Return a call as it is, with values drawn of its variables, whose types are told.

    Raises:
        OperatorError: If an argument is none of a constant, a variable of known sizes, and a tuple.
        RelayishError: If the call cannot be typed.
    """
    assert isinstance(call.op, Op)
    rng = np.random.default_rng(0)
    values = [_value_of(arg, call, rng) for arg in call.args]
    return sample_of(call.op, call.attrs, values, is_given=True)


def drawn_samples(op: Op, attributes: dict[str, object]) -> Iterator[Sample]:
    """Yield calls of ``op`` that its rule takes, those first that differ most.

    Raises:
        OperatorError: If it takes none that is tried, or an attribute has to be given.
    """
    attrs = make_attrs(op, attributes)
    refused: Counter[str] = Counter()
    tried = list(_accepted_types(op, attrs, refused))
    if not tried:
        ((reason, _),) = refused.most_common(1)
        raise OperatorError(
            f"opcheck found no arguments that the {said_by(op)} of {op.full_name} takes: of most "
            f"it says {reason}; give what is missing: opcheck({op.full_name!r}, np.ones((2, 3)), "
            f"...), and attributes by name"
        )
    used: set[object] = set()
    number = 0
    while tried:
        ranked = [sum([mark in used for mark in marks]) for marks, _ in tried]
        marks, types = tried.pop(ranked.index(min(ranked)))
        used.update(marks)
        rng, within = np.random.default_rng(number), _RANGES[number % len(_RANGES)]
        number += 1
        yield sample_of(op, attrs, [draw_value(ty, rng, *within) for ty in types], is_given=False)


def _accepted_types(
    op: Op, attrs: Attrs | None, refused: Counter[str]
) -> Iterator[tuple[tuple[object, object], tuple[Type, ...]]]:
    """Yield types of arguments that the rule takes, with what tells them apart from others.

    How often it refuses others, and with what words, is counted in ``refused``.
    """
    count = properties.num_inputs.get(op, len(properties.arguments.get(op, ())) or 1)
    seen: set[object] = set()
    for wrapped in (False, True):
        for shapes in _SHAPES:
            for dtypes in _DTYPES:
                key = (wrapped, _padded(shapes, count), _padded(dtypes, count))
                if key in seen:
                    continue
                seen.add(key)
                try:
                    types = _typed(op, attrs, *key)
                except Exception as error:  # noqa: BLE001 - rules may raise anything
                    refused[f"{type(error).__name__}: {error}"] += None not in shapes
                else:
                    yield (key[:2], key[2]), types


def _padded(given: Sequence[Any], count: int) -> tuple[Any, ...]:  # Any: shapes or element types
    return (*given, *[given[-1]] * count)[:count]


def _typed(
    op: Op, attrs: Attrs | None, wrapped: bool, shapes: Sequence[Shape], dtypes: Sequence[str]
) -> tuple[Type, ...]:
    """Return the types of the arguments.

    Raises:
        TypeInferenceError: If the rule does not take them, or leaves a size open.
    """
    types: list[Type | None] = [
        None if shape is None else TensorType(shape, dtype)
        for shape, dtype in zip(shapes, dtypes, strict=True)
    ]
    if wrapped and types and types[0] is not None:
        types[0] = TupleType((types[0], types[0]))
    call = typed_call(op, attrs, types)
    found: list[Type] = []
    for each in (*call.args, call):
        ty = each.checked_type
        if ty is None or not is_of_known_size(ty):
            raise TypeInferenceError(f"{one_line(each)} is {ty}, which is of no known size")
        found.append(ty)
    return tuple(found[:-1])


def typed_call(op: Op, attrs: Attrs | None, types: Sequence[Type | None]) -> Call:
    """Return a call with types, on variables of ``types``; ``None`` for one that is inferred.

    Raises:
        TypeInferenceError: If there is no such call.
    """
    params = tuple([Var(n, ty) for n, ty in zip(_names(op, len(types)), types, strict=True)])
    body = infer_type(Function(params, Call(op, params, attrs))).body
    assert isinstance(body, Call)
    return body


def _names(op: Op, count: int) -> list[str]:
    declared = properties.arguments.get(op, ())
    named = declared if op in properties.num_inputs else declared[:-1]  # others stand for several
    return [*named, *[f"arg{i}" for i in range(len(named), count)]][:count]


def sample_of(
    op: Op, attrs: Attrs | None, values: Sequence[Evaluated], *, is_given: bool
) -> Sample:
    """Return a call on values of which it takes the types.

    Raises:
        TypeInferenceError: If it does not.
    """
    types = [type_of_value(value) for value in values]
    call = typed_call(op, attrs, types)
    shown = ", ".join([*map(show_type, types), *_shown_attributes(attrs)])
    return Sample(call, tuple(values), f"{op.full_name}({shown})", is_given)


def _shown_attributes(attrs: Attrs | None) -> list[str]:
    return [] if attrs is None else [f"{name}={value!r}" for name, value in attrs.shown_items()]


def is_of_known_size(ty: Type) -> bool:
    """Return whether a type is of tensors of known sizes alone."""
    return all(
        isinstance(part, TupleType) or (isinstance(part, TensorType) and is_static(part.shape))
        for part in TYPES.post_order(ty)
        if isinstance(part, Type)
    )


def draw_value(
    ty: Type, rng: np.random.Generator, low: float = 0.25, high: float = 2.0
) -> Evaluated:
    """Draw a value of a type: fractions between two numbers, and small integers, as positions are.

    Raises:
        FieldError: If it is no type of tensors of known sizes.
    """
    if isinstance(ty, TupleType):
        return tuple([draw_value(field, rng, low, high) for field in ty.fields])
    if not isinstance(ty, TensorType) or not is_static(ty.shape):
        raise FieldError(f"no value is drawn of type {ty}; expected tensors of known sizes")
    dtype, shape = numpy_dtype(ty.dtype), as_sizes(ty.shape)
    if dtype.kind in "iub":
        return normalise(np.asarray(rng.integers(0, 2, shape)).astype(dtype))
    return normalise(np.asarray(rng.uniform(low, high, shape)).astype(dtype))


def _as_constant(given: object) -> object:
    if isinstance(given, Expr):
        return given
    if isinstance(given, (tuple, list)):
        return Tuple(tuple(_as_constant(item) for item in given))  # type: ignore[misc]  # converted
    return Constant(given) if isinstance(given, (np.ndarray, np.generic)) else const(given)


def _value_of(arg: Expr, call: Call, rng: np.random.Generator) -> Evaluated:
    if isinstance(arg, Tuple):
        return tuple([_value_of(field, call, rng) for field in arg.fields])
    if isinstance(arg, Constant):
        return arg.data
    ty = arg.type_annotation if isinstance(arg, Var) else None
    if ty is not None and is_of_known_size(ty):
        return draw_value(ty, rng)
    raise OperatorError(
        f"argument {one_line(arg)} of {one_line(call)} has no value; opcheck takes numbers, "
        f"arrays, constants, variables of known sizes, and tuples of these"
    )
