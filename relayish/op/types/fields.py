"""Types of attribute fields, beyond Python's own types."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from relayish.ir.relay.type import PrimExpr
from relayish.ir.values.dtype import check_dtype

Dimension: TypeAlias = int | PrimExpr
"""A size: a number, or an expression over the dimensions of a shape."""


def check_optional_dtype(name: object) -> str | None:
    """Return ``name`` as the name of an element type; nothing, ``""`` and ``void`` mean none."""
    if name is None or (isinstance(name, str) and name in ("", "void")):
        return None
    return check_dtype(name)


OptionalDType: TypeAlias = Annotated[str | None, check_optional_dtype]
"""The name of an element type, or ``None`` for the one that follows from the operands."""
