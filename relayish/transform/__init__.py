"""Passes, and what they are registered, composed and watched with: the face of all of it.

Every registered pass is an attribute of this package: ``transform.FoldConstant()``; so are the
functions ``gradient``, ``recast`` and ``InferTypeLocal``, and what registers rules of passes for
kinds of nodes that other packages declare.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from relayish import pass_infra, passes
from relayish._support.missing import find_missing
from relayish.errors import suggest
from relayish.pass_infra.composition.registry import REGISTRY, list_passes

FUNCTIONS: Final = {
    "ControlFlow": "relayish.passes.relay.gradient.ad.kind_rules",
    "ExprAppend": "relayish.passes.relay.normal_form.let_chains",
    "ExtractBinding": "relayish.passes.relay.normal_form.let_chains",
    "FoldConstantExpr": "relayish.passes.relay.fold.fold_constant",
    "InferTypeLocal": "relayish.passes.utility.infer_type",
    "LayoutConfig": "relayish.passes.relay.layout.conversion",
    "Substitute": "relayish.passes.relay.normal_form.let_chains",
    "ToANormalFormExpr": "relayish.passes.relay.normal_form.to_a_normal_form",
    "build_config": "relayish.pass_infra.base.build_config",
    "default_pipeline": "relayish.passes.relay.default_pipeline",
    "gradient": "relayish.passes.relay.gradient.gradient",
    "is_constant": "relayish.passes.relay.fold.constant_checker",
    "recast": "relayish.passes.relay.rewrite.recast",
    "CPS_RULES": "relayish.passes.relay.normal_form.cps_converter",
    "FUNCTION_PASSING": "relayish.passes.relay.functions.defunctionalize.encode",
    "GRADIENT_RULES": "relayish.passes.relay.gradient.ad.kind_rules",
    "to_cps": "relayish.passes.relay.normal_form.to_cps",
    "un_cps": "relayish.passes.relay.normal_form.un_cps",
    "why_not": "relayish.rewriting.why_not",
}
"""What Relay has here beside passes, with the module it comes from."""

PASS_SOURCES: Final = passes.PASS_SOURCES

__all__ = [*pass_infra.__all__, *FUNCTIONS, *passes.PASSES]  # noqa: PLE0604 - strings, every one

globals().update({name: getattr(pass_infra, name) for name in pass_infra.__all__})


def __getattr__(name: str) -> Any:  # Any: a pass class, its factory, or a function
    if name in FUNCTIONS:
        return getattr(import_module(FUNCTIONS[name]), name)
    # passes are CamelCase; asking for anything else (the import system asks for submodules) must
    # not import every pass there is
    if not name[:1].isupper():
        return find_missing(__name__, name, f"module {__name__!r} has no attribute {name!r}")
    entry = REGISTRY.find(name)
    if entry is not None:
        return entry.factory
    near = suggest(name, [*__all__, *list_passes()])
    return find_missing(
        __name__, name, f"module {__name__!r} has no attribute and no pass {name!r}{near}"
    )


def __dir__() -> list[str]:
    return sorted({*__all__, *list_passes()})
