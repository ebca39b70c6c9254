"""The kinds of nodes: what they hold, what they bind, when it is evaluated and what it does."""

from __future__ import annotations

import relayish as relay


@relay.node("while_loop", effect=relay.Effect.NONE)
class While(relay.Expr):
    """The value of ``var`` when ``cond`` no longer holds.

    ``var`` starts as ``init`` and becomes ``body`` each time that ``cond`` holds. The loop does
    nothing beside what its condition and body do.
    """

    var: relay.Var = relay.field(binder=True)
    init: relay.Expr
    cond: relay.Expr = relay.field(scope=relay.Runs.REPEATEDLY)
    body: relay.Expr = relay.field(scope=relay.Runs.REPEATEDLY)


@relay.node("log", effect=relay.Effect.STATE)
class Log(relay.Expr):
    """``value``, which is noted under ``label`` when it is computed."""

    value: relay.Expr
    label: str = ""


@relay.node("stream_type")
class StreamType(relay.Type):
    """A sequence of unknown length, of values of type ``element``."""

    element: relay.Type
