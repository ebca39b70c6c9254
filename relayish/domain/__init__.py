"""Domains: visitors assembled from handlers of independent domains, and their contexts (AIR)."""

from relayish._support.face import imported_names as _imported_names
from relayish._support.missing import set_finder as _set_finder
from relayish.domain.analyze_ctx import AnalyzeCtx
from relayish.domain.eval_ctx import UNKNOWN, EvalCtx
from relayish.domain.evaluation import callable_of, run
from relayish.domain.flatten_ctx import FlattenCtx
from relayish.domain.handler import (
    BlockInvalidHandler,
    BlockNullHandler,
    DefaultHandler,
    Handler,
    InvalidHandler,
    NullHandler,
)
from relayish.domain.instrument_ctx import InstrumentCtx
from relayish.domain.op_stats_ctx import Count, Counts, OpStatsCtx
from relayish.domain.removed import REMOVED
from relayish.domain.simplify_ctx import SimplifyCtx
from relayish.domain.statement_ctx import StatementCtx
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
from relayish.ir.kinds.callables import CALLABLES, ForeignCall

__all__ = _imported_names(__name__)

_set_finder(__name__)
