"""Lowering: operators of all domains become tensor operators of Relay's core.

Before::

    nn.dense(vision.yolo_reorg(%x, stride=2), %weight)

After::

    %0 = reshape(transpose(reshape(%x, ...), ...), ...);
    einsum((%0, %weight), equation="abck,uk->abcu")
"""

from __future__ import annotations

from functools import partial

from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.lowering.context import Unlowerable
from relayish.passes.relay.lowering.module import lower_module
from relayish.passes.relay.lowering.targets import assemble_lowering


@register_pass("Lower", opt_level=0, idempotent=True)
def lower(
    mod: IRModule,
    *,
    target: str = "einsum",
    unlowerable: Unlowerable = "keep",
    suffix: str = "",
    check: bool = True,
) -> IRModule:
    """Lowering: write operators of all domains as tensor operators of Relay's core.

    Return ``mod`` with calls replaced by what the handlers of their domains make of them. A target
    says which handlers these are: ``einsum`` multiplies and sums by Einstein's sums, ``sum`` by
    products of elements and sums, ``matmul`` keeps products of matrices and makes such of
    convolutions. :func:`~relayish.passes.relay.lowering.targets.register_lowering_target` declares
    more.

    In graph form a call becomes one expression. Where it is what a let binds, or the result of a
    block, its parts are bound by lets before it. New nodes carry its span.

    Args:
        mod: A well-formed module.
        target: What it is lowered for.
        unlowerable: ``"keep"`` leaves what tensor operators cannot express, ``"refuse"`` raises.
        suffix: What is put behind the names of lowered functions, if anything.
        check: Whether to check types and scopes of what was made.

    Returns:
        ``mod`` itself when nothing in it is lowered.

    Raises:
        PassError: See :func:`~relayish.passes.relay.lowering.module.lower_module`.

    Complexity:
        Linear in the number of distinct nodes; a call becomes a number of nodes that depends on
        its operator alone.

    Source:
        AIR: one visitor of the ``Lower`` handlers of all domains.
    """
    assembled = partial(assemble_lowering, target)
    return lower_module(mod, assembled, unlowerable=unlowerable, suffix=suffix, check=check).module
