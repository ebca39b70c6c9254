"""Programs as C, compiled and called."""

from relayish.codegen.c.core.context import CoreCtx
from relayish.codegen.c.core.source import CoreSource, core_to_c
from relayish.codegen.c.core.statements import CoreToC
from relayish.codegen.c.executor import CompiledNetwork, build_network
from relayish.codegen.c.helpers import HELPERS, Helper
from relayish.codegen.c.loops.externs import C_EXTERNS
from relayish.codegen.c.native import NativeFunction, NativeModule, build
from relayish.codegen.c.program import CSource, to_c
from relayish.codegen.c.toolchain import Toolchain, find_toolchain

__all__ = [
    "C_EXTERNS",
    "HELPERS",
    "CSource",
    "CompiledNetwork",
    "CoreCtx",
    "CoreSource",
    "CoreToC",
    "Helper",
    "NativeFunction",
    "NativeModule",
    "Toolchain",
    "build",
    "build_network",
    "core_to_c",
    "find_toolchain",
    "to_c",
]
