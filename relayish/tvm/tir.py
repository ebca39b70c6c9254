"""The module ``tvm.tir``: the names of :mod:`relayish.tir`, and integers as TVM writes them."""

from __future__ import annotations

from typing import Any as _Any

from relayish.ir.relay.type import Any
from relayish.ir.values.dtype import DType
from relayish.tir import IntImm as _LoopInteger
from relayish.tvm.finder import show_names_of

__all__ = ["Any", "IntImm"]


class _Integers(type):
    """Takes Python's integers, which sizes and attributes are, for what TVM has in their place."""

    def __instancecheck__(cls, thing: _Any) -> bool:  # Any: whatever is asked of
        is_number = isinstance(thing, int) and not isinstance(thing, bool)
        return is_number or isinstance(thing, _LoopInteger)


class IntImm(metaclass=_Integers):
    """An integer, which is one of Python's own: ``tvm.tir.IntImm("int32", 1)`` is 1.

    Source:
        TVM ``tir.IntImm``.

    Example:
        >>> IntImm("int32", 1), isinstance(3, IntImm)
        (1, True)
    """

    def __new__(cls, dtype: DType, value: int) -> int:  # type: ignore[misc]  # as it says
        """Return ``value``; of which element type it would be is left aside."""
        del dtype
        return int(value)


show_names_of("relayish.tir", __name__)
