"""Programs as C, compiled and called."""

from relayish.codegen.c.aot_executor import AotExecutor
from relayish.codegen.c.core.context import CoreCtx
from relayish.codegen.c.core.source import CoreSource, core_to_c
from relayish.codegen.c.core.statements import CoreToC
from relayish.codegen.c.executor import CompiledNetwork, build_network, network_of
from relayish.codegen.c.graph_module import BenchmarkResult, GraphModule
from relayish.codegen.c.helpers import HELPERS, Helper
from relayish.codegen.c.library import Library, load_module
from relayish.codegen.c.loops.externs import C_EXTERNS
from relayish.codegen.c.native import NativeFunction, NativeModule, build
from relayish.codegen.c.program import CSource, to_c
from relayish.codegen.c.shipping import ship
from relayish.codegen.c.toolchain import Toolchain, find_toolchain
from relayish.codegen.c.weights import Weights

__all__ = [
    "C_EXTERNS",
    "HELPERS",
    "AotExecutor",
    "BenchmarkResult",
    "CSource",
    "CompiledNetwork",
    "CoreCtx",
    "CoreSource",
    "CoreToC",
    "GraphModule",
    "Helper",
    "Library",
    "NativeFunction",
    "NativeModule",
    "Toolchain",
    "Weights",
    "build",
    "build_network",
    "core_to_c",
    "find_toolchain",
    "load_module",
    "network_of",
    "ship",
    "to_c",
]
