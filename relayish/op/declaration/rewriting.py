"""Rewriting of calls by operator: what each is converted, altered or legalised to.

Each table holds functions registered per operator, of which the one of the highest level counts.
The tables of legalisation have names, Relay's own and whatever others register under.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish.ir.registration.declarations import DECLARED_LEVEL, watch_table
from relayish.ir.relay.expr import Expr, Op
from relayish.op.declaration.layout_rule import LayoutRule
from relayish.op.declaration.names import check_name
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.properties import infer_layout
from relayish.op.declaration.registration import set_function

Rewriting: TypeAlias = Callable[..., Expr | None]
"""Returns what stands in place of a call, or ``None`` to leave it; any arguments: each table's."""

convert_op_layout: OpTable[Rewriting] = OpTable(
    "convert_op_layout", takes=("attrs", "inputs", "tinfos", "desired_layouts")
)
"""``convert(attrs, inputs, tinfos, desired_layouts)``: what computes it in these.

``inputs`` are the arguments, in whatever layouts they come; ``tinfos`` the types of tensors they
have in the program as it is, those of a tuple's fields in its place; the desired layouts are those
asked for, of the data first.
"""
alter_op_layout: OpTable[Rewriting] = OpTable(
    "alter_op_layout", takes=("attrs", "inputs", "tinfos", "out_type")
)
"""``alter(attrs, inputs, tinfos, out_type)``: a call with as many arguments."""

LEGALIZE: Final = "FTVMLegalize"
QNN_LEGALIZE: Final = "FTVMQnnLegalize"
QNN_CANONICALIZE: Final = "FTVMQnnCanonicalize"


def _make_legalizations(name: str) -> OpTable[Rewriting]:
    return OpTable(name, takes=("attrs", "inputs", "types"))


_LEGALIZATIONS: Final[dict[str, OpTable[Rewriting]]] = {}
watch_table(_LEGALIZATIONS)
for _name in (LEGALIZE, QNN_LEGALIZE, QNN_CANONICALIZE):
    _LEGALIZATIONS[_name] = _make_legalizations(_name)


def legalizations(name: str = LEGALIZE) -> OpTable[Rewriting] | None:
    """Return the table of that name, if any: ``legalize(attrs, inputs, types)`` by operator.

    ``inputs`` are the arguments as they have become, ``types`` the types of the arguments before,
    and behind them that of the result.
    """
    return _LEGALIZATIONS.get(name)


def legalization_names() -> tuple[str, ...]:
    """Return the names of the tables that :func:`legalizations` finds, sorted."""
    return tuple(sorted(_LEGALIZATIONS))


def register_infer_layout(
    op_name: str | Op, func: LayoutRule | None = None, level: int = DECLARED_LEVEL
) -> Any:  # Any: gives back the very function it is given
    """Let ``func``, or the decorated function, say which layouts an operator takes and gives.

    Args:
        op_name: An operator or its name, declared already or not.
        func: A :data:`~relayish.op.declaration.layout_rule.LayoutRule`.
        level: Of two functions for one operator, that of the higher level counts.

    Raises:
        DuplicateNameError: If the operator has one of the same level.

    Source:
        Relay's attribute ``FInferCorrectLayout`` of operators.
    """
    return set_function(infer_layout, op_name, func, level)


def register_convert_op_layout(
    op_name: str | Op, convert_layout: Rewriting | None = None, level: int = DECLARED_LEVEL
) -> Any:  # Any: as above
    """Let a function say how a call is computed in the layouts asked of ``ConvertLayout``.

    Args:
        op_name: An operator or its name, declared already or not.
        convert_layout: See :data:`convert_op_layout`; without, the decorated function.
        level: Of two functions for one operator, that of the higher level counts.

    Raises:
        DuplicateNameError: If the operator has one of the same level, as relayish's own have 10.

    Source:
        Relay ``op.register_convert_op_layout``.
    """
    return set_function(convert_op_layout, op_name, convert_layout, level)


def register_alter_op_layout(
    op_name: str | Op, alter_layout: Rewriting | None = None, level: int = DECLARED_LEVEL
) -> Any:  # Any: as above
    """Let a function say what ``AlterOpLayout`` puts in place of a call.

    Args:
        op_name: An operator or its name, declared already or not.
        alter_layout: See :data:`alter_op_layout`; without, the decorated function.
        level: Of two functions for one operator, that of the higher level counts.

    Raises:
        DuplicateNameError: If the operator has one of the same level.

    Source:
        Relay ``op.register_alter_op_layout``.
    """
    return set_function(alter_op_layout, op_name, alter_layout, level)


def register_legalize(
    op_name: str | Op,
    legal_op: Rewriting | None = None,
    level: int = DECLARED_LEVEL,
    *,
    table: str = LEGALIZE,
) -> Any:  # Any: as above
    """Let a function say what ``Legalize`` puts in place of a call.

    Args:
        op_name: An operator or its name, declared already or not.
        legal_op: See :func:`legalizations`; without, the decorated function.
        level: Of two functions for one operator, that of the higher level counts.
        table: The name that is given to ``Legalize``: Relay's, or another.

    Raises:
        DuplicateNameError: If the operator has one of the same level.

    Source:
        Relay ``op.register_legalize``, ``qnn.op.register_qnn_legalize``.
    """
    check_name(table)
    entries = _LEGALIZATIONS.get(table)
    if entries is None:
        entries = _LEGALIZATIONS[table] = _make_legalizations(table)
    return set_function(entries, op_name, legal_op, level)


def register_qnn_legalize(
    op_name: str | Op, legal_op: Rewriting | None = None, level: int = DECLARED_LEVEL
) -> Any:  # Any: as above
    """Let a function say what ``QnnLegalize`` puts in place of a call, first of all.

    Args:
        op_name: A quantised operator or its name, declared already or not.
        legal_op: See :func:`legalizations`; without, the decorated function.
        level: Of two functions for one operator, that of the higher level counts.

    Raises:
        DuplicateNameError: If the operator has one of the same level.

    Source:
        Relay ``qnn.op.register_qnn_legalize``.
    """
    return register_legalize(op_name, legal_op, level, table=QNN_LEGALIZE)
