"""The record of an operator: what its declaration may tell, and the table that holds each part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict

from relayish._support.arity import check_arity
from relayish.errors import DeclarationError
from relayish.ir.attrs import Attrs
from relayish.ir.relay.expr import Expr, Op
from relayish.op.declaration import properties
from relayish.op.declaration.layout_rule import LayoutRule
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.properties import (
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
    non_computational: bool
    commutative: bool
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
_ON_ARGUMENTS: Final = ("rule", "evaluate", "result_size")
"""The functions that take the attributes and the arguments of the operator."""


def keep_record(op: Op, told: dict[str, Any]) -> None:  # Any: as above
    """Put what is told of ``op`` into the tables; what is not told is taken out of them."""
    whole = {"pattern": OpPattern.OPAQUE, **told}
    for name, make in _MADE_FROM.items():
        if whole.get(name) is not None:
            whole[name] = make(whole)
    for name, table in TABLES.items():
        table.declare(op, whole.get(name) or None if name != "pattern" else whole[name])


def check_record(op: str, names: tuple[str, ...], told: dict[str, Any]) -> None:  # Any: as above
    """Refuse functions that do not take what they are called with.

    Raises:
        DeclarationError: Naming the function, and what it should take.
    """
    for name, function in told.items():
        if name in _SAID_SHORT and isinstance(function, int):
            continue  # a number of results, a category
        arguments = ("attrs", *names) if name in _ON_ARGUMENTS else TABLES[name].takes
        if function is not None and arguments is not None:
            check_arity(function, arguments, f"{name} of operator {op!r}")
    if told.get("rule") is not None and told.get("relation") is not None:
        raise DeclarationError(
            f"operator {op!r} is given rule and relation; a relation stands in place of a rule: "
            f"leave one out"
        )


def _make_count(told: dict[str, Any]) -> Count:  # Any: as above
    given = told["outputs"]
    return (lambda _attrs, _args: given) if isinstance(given, int) else given


def _make_conversion(told: dict[str, Any]) -> Conversion:  # Any: as above
    given = told["mixed_precision"]
    return convert_as(given) if isinstance(given, MixedPrecision) else given


def convert_as(category: MixedPrecision) -> Conversion:
    """Return the conversion of an operator all of whose calls are of one category."""

    def conversion(_: object, dtype: str) -> tuple[MixedPrecision, str, str]:
        return category, dtype, dtype

    return conversion


_MADE_FROM: Final[dict[str, Callable[[dict[str, Any]], object]]] = {  # Any: as above
    "outputs": _make_count,
    "mixed_precision": _make_conversion,
    "result_memory": lambda told: told["result_memory"]._replace(evaluation=told.get("evaluate")),
}
"""What stands in a table, where it is made of what is told."""
