"""The record of an operator: what its declaration may tell, and the table that holds each part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, TypedDict

from relayish._support.arity import check_arity
from relayish.errors import DeclarationError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.domains.property import Property
from relayish.ir.relay.expr import Expr, Op
from relayish.op.declaration import properties
from relayish.op.declaration.layout_rule import LayoutRule
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.properties import (
    Callees,
    Conversion,
    Count,
    MacRule,
    MixedPrecision,
    OpPattern,
    QuantizationRule,
    ResultMemory,
    StaticForm,
)
from relayish.op.declaration.relation import Relation, Rule


class Record(TypedDict, total=False):
    """What is told of an operator, each under the name of its table in :mod:`.properties`.

    What is left out, or ``None`` or ``False``, the operator has not; one without a pattern is
    opaque.
    """

    # what it is called with
    description: str | None
    attrs_type: type[Attrs] | None
    aliases: tuple[str, ...] | None
    other_names: Mapping[str, str] | None
    static_form: StaticForm | None
    # what it gives
    rule: Rule | None
    relation: Relation | None
    evaluate: Callable[..., Any] | None  # Any: see properties.evaluate
    outputs: int | Count | None
    result_size: Callable[..., int] | None
    shape_only: Callable[[tuple[int, ...]], Any] | None  # Any: ints or arrays
    shape_from_values: bool
    # in which memory
    view: bool
    mark: bool
    in_place: tuple[tuple[int, int], ...] | None
    overwritable: tuple[int, ...] | None
    result_memory: ResultMemory | None
    # what passes ask
    pattern: OpPattern
    stateful: bool
    callees: Callees | None
    non_computational: bool
    commutative: bool
    properties: Property | None
    random: bool
    fusion_barrier: bool
    attrs_in_metadata: bool
    infer_layout: LayoutRule | None
    primal_gradient: Callable[..., Sequence[Expr]] | None
    mixed_precision: MixedPrecision | Conversion | None
    chosen_dtype: str | None
    mac_count: MacRule | None
    fake_quantization: QuantizationRule | None
    quantized: bool
    dequantizes: bool
    quantizes: bool


TABLES: Final[dict[str, OpTable[Any]]] = {  # Any: the values of each are of a type of its own
    name: getattr(properties, name) for name in Record.__annotations__
}
"""By the name of an argument: the table that holds it."""

_SAID_SHORT: Final = ("outputs", "mixed_precision")
ON_ARGUMENTS: Final = ("rule", "evaluate", "result_size")
"""The functions that take the attributes and the arguments of the operator."""


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_member(kind: type[IntEnum]) -> Callable[[object], bool]:
    """Return what asks whether a value is one of ``kind``, or its number."""
    numbers = {int(member) for member in kind}
    return lambda value: isinstance(value, int) and not _is_flag(value) and value in numbers


def _is_count(value: object) -> bool:
    return not isinstance(value, int) or (not _is_flag(value) and value > 0)


def _is_category(value: object) -> bool:
    return not isinstance(value, int) or _is_member(MixedPrecision)(value)


def _is_property(value: object) -> bool:
    return isinstance(value, Property)


def _is_attrs_type(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Attrs)


def _is_words(value: object) -> bool:
    return isinstance(value, (tuple, list)) and all(isinstance(each, str) for each in value)


def _is_names(value: object) -> bool:
    return isinstance(value, Mapping) and _is_words((*value.keys(), *value.values()))


_EXPECTED: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    **{
        name: (_is_flag, "True or False")
        for name, kind in Record.__annotations__.items()
        if "bool" in str(kind)
    },
    "pattern": (_is_member(OpPattern), "an OpPattern"),
    "properties": (_is_property, "a Property"),
    "outputs": (_is_count, "a number of results, 1 or more, or a function of (attrs, args)"),
    "mixed_precision": (_is_category, "a MixedPrecision or a function of (call, dtype)"),
    "attrs_type": (_is_attrs_type, "a class that is made by attrs(...)"),
    "description": (lambda value: isinstance(value, str), "a text"),
    "chosen_dtype": (lambda value: isinstance(value, str), "the name of an attribute"),
    "aliases": (_is_words, "a tuple of names"),
    "other_names": (_is_names, "a dictionary of names"),
    "static_form": (lambda value: isinstance(value, StaticForm), "a StaticForm"),
    "in_place": (lambda value: isinstance(value, tuple), "a tuple of pairs (argument, result)"),
    "overwritable": (lambda value: isinstance(value, tuple), "a tuple of numbers of arguments"),
    "result_memory": (lambda value: isinstance(value, ResultMemory), "a ResultMemory"),
}
"""By what is told, where that is no function alone: whether a value fits, and what would."""


def keep_record(op: Op, told: dict[str, Any]) -> None:  # Any: as above
    """Put what is told of ``op`` into the tables; what is not told is taken out of them."""
    pattern = told.get("pattern")
    whole = {**told, "pattern": OpPattern.OPAQUE if pattern is None else pattern}
    for name, make in _MADE_FROM.items():
        if whole.get(name) is not None:
            whole[name] = make(whole)
    for name, table in TABLES.items():
        value = whole.get(name) or None
        if name != "pattern" and (value is not None or op in table):
            table.declare(op, value)
    properties.pattern.declare(op, whole["pattern"], default=pattern is None)


def check_record(op: str, names: tuple[str, ...], told: dict[str, Any]) -> None:  # Any: as above
    """Refuse values of another type, and functions that do not take what they are called with.

    Raises:
        DeclarationError: Naming what is told, and what it should be.
    """
    for name, value in told.items():
        if value is not None:
            check_value(op, name, value)
    for name, function in told.items():
        if name in _SAID_SHORT and isinstance(function, int):
            continue  # a number of results, a category
        arguments = ("attrs", *names) if name in ON_ARGUMENTS else TABLES[name].takes
        if function is not None and arguments is not None:
            check_arity(function, arguments, f"{name} of operator {op!r}")
    if told.get("rule") is not None and told.get("relation") is not None:
        raise DeclarationError(
            f"operator {op!r} is given rule and relation; a relation stands in place of a rule: "
            f"leave one out"
        )


def check_value(op: str, name: str, value: object) -> None:
    """Refuse a value of another type, as the property ``name`` of the operator ``op``.

    Raises:
        DeclarationError: Naming the property, and what it should be.
    """
    fits, expected = _EXPECTED.get(name, (None, ""))
    if fits is not None and not fits(value):
        raise DeclarationError(
            f"{name} of operator {op!r} is {value!r} ({type(value).__name__}); expected {expected}"
        )


def _make_count(told: dict[str, Any]) -> Count:  # Any: as above
    given = told["outputs"]
    return (lambda _attrs, _args: given) if isinstance(given, int) else given


def _make_conversion(told: dict[str, Any]) -> Conversion:  # Any: as above
    given = told["mixed_precision"]
    return convert_as(MixedPrecision(given)) if isinstance(given, int) else given


def convert_as(category: MixedPrecision) -> Conversion:
    """Return the conversion of an operator all of whose calls are of one category."""

    def conversion(_: object, dtype: str) -> tuple[MixedPrecision, str, str]:
        return category, dtype, dtype

    return conversion


_MADE_FROM: Final[dict[str, Callable[[dict[str, Any]], object]]] = {  # Any: as above
    "outputs": _make_count,
    "mixed_precision": _make_conversion,
    "pattern": lambda told: OpPattern(told["pattern"]),
    "result_memory": lambda told: told["result_memory"]._replace(evaluation=told.get("evaluate")),
}
"""What stands in a table, where it is made of what is told."""
