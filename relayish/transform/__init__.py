"""Passes: what they are, how they are registered, composed, surrounded and watched.

Every registered pass is an attribute of this package: ``transform.FoldConstant()``; so are the
functions ``gradient``, ``recast`` and ``InferTypeLocal``, and what registers rules of passes for
kinds of nodes that other packages declare.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from relayish.errors import suggest
from relayish.transform.base import ModulePass, Pass
from relayish.transform.check import Check, get_check, list_checks, register_check, run_check
from relayish.transform.config import add_config_source, list_configs, register_config_option
from relayish.transform.context import PassContext
from relayish.transform.counting import PassCountInstrument
from relayish.transform.default_pipeline import default_pipeline
from relayish.transform.diff import DiffInstrument
from relayish.transform.dump import DumpInstrument
from relayish.transform.immutable import ImmutableModuleInstrument
from relayish.transform.info import PassInfo
from relayish.transform.instrument import PassInstrument, pass_instrument
from relayish.transform.make import create_module_pass, module_pass
from relayish.transform.printing import PassPrintingInstrument, PrintAfterAll, PrintBeforeAll
from relayish.transform.progress import Progress, ProgressInstrument
from relayish.transform.registry import (
    REGISTRY,
    PassEntry,
    PassRegistry,
    add_pass_source,
    get_pass,
    list_passes,
    pass_entry,
    register_pass,
)
from relayish.transform.relay import checks as _checks  # registers those of Relay
from relayish.transform.relay import shrinking as _shrinking  # as above
from relayish.transform.relay.function_pass import (
    FunctionPass,
    create_function_pass,
    function_pass,
    is_skipped,
)
from relayish.transform.sequential import Sequential, parse_pipeline, requirements
from relayish.transform.source import EntryPointSource, PackageSource, PassSource
from relayish.transform.timing import PassProfile, PassTimingInstrument
from relayish.transform.type_inference import register_type_inference
from relayish.transform.verify import VerifyInstrument

__all__ = [
    "Check",
    "DiffInstrument",
    "DumpInstrument",
    "EntryPointSource",
    "FunctionPass",
    "ImmutableModuleInstrument",
    "ModulePass",
    "PackageSource",
    "Pass",
    "PassContext",
    "PassCountInstrument",
    "PassEntry",
    "PassInfo",
    "PassInstrument",
    "PassPrintingInstrument",
    "PassProfile",
    "PassRegistry",
    "PassSource",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "Progress",
    "ProgressInstrument",
    "Sequential",
    "VerifyInstrument",
    "add_pass_source",
    "create_function_pass",
    "create_module_pass",
    "default_pipeline",
    "function_pass",
    "get_check",
    "get_pass",
    "is_skipped",
    "list_checks",
    "list_configs",
    "list_passes",
    "module_pass",
    "parse_pipeline",
    "pass_entry",
    "pass_instrument",
    "register_check",
    "register_config_option",
    "register_pass",
    "register_type_inference",
    "requirements",
    "run_check",
]

del _checks, _shrinking

# The first source is relayish's own passes, by name. The name is data, as an entry point is:
# nothing in this package imports the passes, or would break without them. It is not an entry point
# of relayish itself, because then a checkout that was never installed, or was installed before the
# entry point was added, would have no passes, and because reading the metadata of every installed
# distribution takes longer than importing one pass.
PASS_SOURCES: Final = (PackageSource("relayish.passes"), EntryPointSource("relayish.passes"))
for _source in PASS_SOURCES:
    add_pass_source(_source)
add_config_source(REGISTRY.find, REGISTRY.entries)

FUNCTIONS: Final = {
    "ControlFlow": "relayish.passes.ad.kind_rules",
    "ExprAppend": "relayish.passes.let_chains",
    "ExtractBinding": "relayish.passes.let_chains",
    "InferTypeLocal": "relayish.passes.infer_type",
    "Substitute": "relayish.passes.let_chains",
    "gradient": "relayish.passes.gradient",
    "recast": "relayish.passes.recast",
    "register_cps_rule": "relayish.passes.to_cps",
    "register_function_passing": "relayish.passes.defunctionalize.encode",
    "register_gradient_rule": "relayish.passes.ad.kind_rules",
    "to_cps": "relayish.passes.to_cps",
    "un_cps": "relayish.passes.to_cps",
}
"""What Relay has here beside passes, with the module it comes from: a name that is data as well."""


def __getattr__(name: str) -> Callable[..., Any]:  # Any: what a pass is made of, and makes
    if name in FUNCTIONS:
        found: Callable[..., Any] = getattr(import_module(FUNCTIONS[name]), name)
        return found
    # passes are CamelCase; asking for anything else (the import system asks for submodules) must
    # not import every pass there is
    if not name[:1].isupper():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    entry = REGISTRY.find(name)
    if entry is None:
        near = suggest(name, [*__all__, *list_passes()])
        raise AttributeError(f"module {__name__!r} has no attribute and no pass {name!r}{near}")
    return entry.factory


def __dir__() -> list[str]:
    return sorted({*__all__, *FUNCTIONS, *list_passes()})
