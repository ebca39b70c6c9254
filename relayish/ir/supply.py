"""Fresh names, under the names of ``tvm.ir.supply``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.ir.name_supply import NameSupply
from relayish.ir.relay.global_var_supply import GlobalVarSupply

__all__ = ["GlobalVarSupply", "NameSupply"]

set_finder(__name__)
