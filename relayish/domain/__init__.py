"""Domains: visitors assembled from handlers of independent domains, and their contexts (AIR)."""

from __future__ import annotations

from typing import Final

from relayish._support.lazy_face import set_face

_FACE: Final[dict[str, tuple[str, ...]]] = {
    "relayish.domain.analyze_ctx": ("AnalyzeCtx",),
    "relayish.domain.eval_ctx": ("EvalCtx", "UNKNOWN"),
    "relayish.domain.evaluation": ("callable_of", "run"),
    "relayish.domain.flatten_ctx": ("FlattenCtx",),
    "relayish.domain.handler": (
        "BlockInvalidHandler",
        "BlockNullHandler",
        "DefaultHandler",
        "Handler",
        "InvalidHandler",
        "NullHandler",
    ),
    "relayish.domain.instrument_ctx": ("InstrumentCtx",),
    "relayish.domain.op_stats_ctx": ("Count", "Counts", "OpStatsCtx"),
    "relayish.domain.removed": ("REMOVED",),
    "relayish.domain.simplify_ctx": ("SimplifyCtx",),
    "relayish.domain.statement_ctx": ("StatementCtx",),
    "relayish.domain.tasks": (
        "assemble",
        "handler_of",
        "list_tasks",
        "register_filler",
        "register_handler",
        "register_task",
    ),
    "relayish.domain.transform_ctx": ("TransformCtx",),
    "relayish.domain.verifier": ("VerifyCtx", "check", "verify"),
    "relayish.domain.visitor": ("Visitor",),
    "relayish.ir.kinds.callables": ("CALLABLES", "ForeignCall"),
}
"""By module: the names that are found here."""

__all__ = set_face(__name__, _FACE)
