"""Named sizes under the names of ``tvm.te``, where Relay's scripts have them from."""

from __future__ import annotations

from relayish._support.missing import set_finder
from relayish.ir.relay.type import SizeVar
from relayish.ir.values.dtype import DType

__all__ = ["size_var", "var"]


def size_var(name: str = "size", dtype: DType = "int32") -> SizeVar:
    """Return a size that is not negative and known only by name.

    Source:
        TVM ``te.size_var``.
    """
    return SizeVar(name, dtype)


def var(name: str = "tindex", dtype: DType = "int32") -> SizeVar:
    """Return a size known only by name.

    Source:
        TVM ``te.var``.
    """
    return SizeVar(name, dtype, nonnegative=False)


set_finder(__name__)
