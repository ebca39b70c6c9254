"""Fake quantisation: floating point operators between dequantised and quantised numbers.

A rule says what computes such an operator in integers. Rules are registered by operator, at levels;
those of operators whose integer forms cost precision are optional.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from relayish.ir.registration.declarations import DECLARED_LEVEL
from relayish.ir.relay.expr import Op
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.properties import QuantizationRule, fake_quantization
from relayish.op.declaration.registration import set_function

optional_fake_quantization: OpTable[QuantizationRule] = OpTable(
    "optional_fake_quantization", takes=fake_quantization.takes
)
"""As ``fake_quantization``, but used only of operators that are asked for by name."""


@overload
def register_fake_quantization_to_integer(
    op_name: str | Op, func: None = None, level: int = DECLARED_LEVEL
) -> Callable[[QuantizationRule], QuantizationRule]: ...
@overload
def register_fake_quantization_to_integer(
    op_name: str | Op, func: QuantizationRule, level: int = DECLARED_LEVEL
) -> QuantizationRule: ...
def register_fake_quantization_to_integer(
    op_name: str | Op, func: QuantizationRule | None = None, level: int = DECLARED_LEVEL
) -> Any:  # Any: gives back the very function it is given
    """Let ``func``, or the decorated function, say how an operator is computed in integers.

    Args:
        op_name: An operator or its name, declared already or not.
        func: A :data:`QuantizationRule`.
        level: Of two functions for one operator, that of the higher level counts.

    Raises:
        DuplicateNameError: If the operator has one of the same level, as relayish's own have 10.

    Source:
        Relay ``op.register_fake_quantization_to_integer``.

    Example:
        >>> from relayish.op.declaration.registry import resolve_op
        >>> @register_fake_quantization_to_integer("example.mirror")
        ... def mirror(expr, type_map):
        ...     return [expr, type_map[expr.args[0]]]
        >>> fake_quantization.get(resolve_op("example.mirror")) is mirror
        True
    """
    return set_function(fake_quantization, op_name, func, level)


def register_optional_fake_quantization_to_integer(
    op_name: str | Op, func: QuantizationRule | None = None, level: int = DECLARED_LEVEL
) -> Any:  # Any: gives back the very function it is given
    """Do the same for an operator that is made integers only where it is asked for by name.

    Args:
        op_name: An operator or its name, declared already or not.
        func: A :data:`QuantizationRule`.
        level: Of two functions for one operator, that of the higher level counts.

    Raises:
        DuplicateNameError: If the operator has one of the same level, as relayish's own have 10.

    Source:
        Relay ``op.register_optional_fake_quantization_to_integer``.
    """
    return set_function(optional_fake_quantization, op_name, func, level)
