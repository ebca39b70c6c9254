"""The infrastructure of passes, under the names of ``tvm.ir.transform``."""

from __future__ import annotations

from relayish._support.absent import names_of
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

__getattr__ = names_of(__name__)
