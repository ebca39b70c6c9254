"""The infrastructure of passes, under the names of ``tvm.ir.transform``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.pass_infra import (
    ModulePass,
    Pass,
    PassContext,
    PassInfo,
    Sequential,
    module_pass,
)
from relayish.transform import PrintIR

__all__ = [
    "ModulePass",
    "Pass",
    "PassContext",
    "PassInfo",
    "PrintIR",
    "Sequential",
    "module_pass",
]

set_finder(__name__)
