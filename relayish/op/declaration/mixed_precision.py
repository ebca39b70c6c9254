"""Mixed precision: which operators may be computed in a narrow element type, as ``float16``.

Operators that gain most always are; most follow their operands; those whose results leave the range
of narrow numbers, or add up many of them, never are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from relayish.ir.registration.declarations import DECLARED_LEVEL
from relayish.ir.relay.expr import Op
from relayish.op.declaration.properties import Conversion, mixed_precision
from relayish.op.declaration.registration import set_function


@overload
def register_mixed_precision_conversion(
    op_name: str | Op, func: None = None, level: int = DECLARED_LEVEL
) -> Callable[[Conversion], Conversion]: ...
@overload
def register_mixed_precision_conversion(
    op_name: str | Op, func: Conversion, level: int = DECLARED_LEVEL
) -> Conversion: ...
def register_mixed_precision_conversion(
    op_name: str | Op, func: Conversion | None = None, level: int = DECLARED_LEVEL
) -> Any:  # Any: gives back the very function it is given
    """Let ``func``, or the decorated function, say how an operator is computed in mixed precision.

    Args:
        op_name: An operator or its name, declared already or not.
        func: ``func(call, dtype)``, asked for each call; ``dtype`` is the narrow element type. It
            returns a :class:`MixedPrecision` and two element types: that which the operator
            accumulates in, and that of what stands for the call.
        level: Of two functions for one operator, that of the higher level counts.

    Raises:
        DuplicateNameError: If the operator has one of the same level, as relayish's own have 10.

    Source:
        Relay ``op.register_mixed_precision_conversion``.

    Example:
        >>> from relayish.op.declaration.registry import resolve_op
        >>> @register_mixed_precision_conversion("example.total")
        ... def in_single_precision(call, dtype):
        ...     return MixedPrecision.ALWAYS, "float32", dtype
        >>> mixed_precision.get(resolve_op("example.total")) is in_single_precision
        True
    """
    return set_function(mixed_precision, op_name, func, level)
