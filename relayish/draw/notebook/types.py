"""Types of statement languages in notebooks, which are no nodes."""

from __future__ import annotations

from relayish.core.ir.type import Type as CoreType
from relayish.draw.notebook.frame import code
from relayish.draw.notebook.table import SHOWN, Shown
from relayish.tir.ir.type import Type as LoopType


@SHOWN.register(CoreType)
@SHOWN.register(LoopType)
def show_type(type_: CoreType | LoopType) -> Shown:
    """Show a type as it is written in programs."""
    return Shown(code(str(type_)), str(type_))
