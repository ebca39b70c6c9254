"""Pass infrastructure for Relay: function passes, checks, steps of delta debugging."""

from __future__ import annotations

from relayish._support import hooks
from relayish.ir.relay.module import IRModule


def _write(mod: IRModule) -> str:
    # imported when needed: who prints nothing need not wait for the printer
    from relayish.text.relay.printer import astext  # noqa: PLC0415

    return astext(mod)


if hooks.writer is repr:
    hooks.writer = _write
