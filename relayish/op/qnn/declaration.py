"""Declaring operators that compute on quantised numbers what others do on real ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from relayish.op.declaration.record import Record
from relayish.op.declaration.registry import register_op


def declare_quantised(
    name: str,
    arguments: Sequence[str] | None = None,
    signature: str | None = None,
    **told: Unpack[Record],
) -> None:
    """Declare an operator that is lowered to others before anything is computed by it."""
    record: Record = {"non_computational": True, "quantized": True, **told}
    register_op(name, arguments=arguments, signature=signature, **record)
