"""What passes over Relay programs have beside the infrastructure for passes of any language."""

from __future__ import annotations

from relayish._support import hooks
from relayish.ir.relay.module import IRModule


def _write(mod: IRModule) -> str:
    # imported when needed: who prints nothing need not wait for the printer
    from relayish.text.relay.printer import astext  # noqa: PLC0415

    return astext(mod)


if hooks.writer is repr:
    hooks.writer = _write
