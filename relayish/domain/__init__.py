"""Domains: visitors assembled from handlers of independent domains, and their contexts (AIR)."""

from relayish.domain.analyze_ctx import AnalyzeCtx
from relayish.domain.flatten_ctx import FlattenCtx
from relayish.domain.handler import (
    BlockInvalidHandler,
    BlockNullHandler,
    DefaultHandler,
    Handler,
    InvalidHandler,
    NullHandler,
)
from relayish.domain.removed import REMOVED
from relayish.domain.tasks import (
    assemble,
    handler_of,
    list_tasks,
    register_filler,
    register_handler,
    register_task,
)
from relayish.domain.transform_ctx import TransformCtx
from relayish.domain.verifier import VerifyCtx, check, verify
from relayish.domain.visitor import Visitor

__all__ = [
    "REMOVED",
    "AnalyzeCtx",
    "BlockInvalidHandler",
    "BlockNullHandler",
    "DefaultHandler",
    "FlattenCtx",
    "Handler",
    "InvalidHandler",
    "NullHandler",
    "TransformCtx",
    "VerifyCtx",
    "Visitor",
    "assemble",
    "check",
    "handler_of",
    "list_tasks",
    "register_filler",
    "register_handler",
    "register_task",
    "verify",
]
