"""Lowering of vision: ``vision`` becomes tensor operators of Relay's core.

Before::

    vision.yolo_reorg(%x, stride=2)

After::

    %0 = reshape(%x, newshape=[1, 1, 4, 2, 4, 2]);
    %1 = transpose(%0, axes=[0, 3, 5, 1, 2, 4]);
    reshape(%1, newshape=[1, 16, 2, 2])
"""

from __future__ import annotations

from functools import partial

from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.lowering.context import Unlowerable
from relayish.passes.relay.lowering.module import lower_module
from relayish.passes.relay.lowering.targets import assemble_lowering


@register_pass("LowerVision", opt_level=0, idempotent=True)
def lower_vision(
    mod: IRModule,
    *,
    target: str = "einsum",
    unlowerable: Unlowerable = "keep",
    suffix: str = "",
    check: bool = True,
) -> IRModule:
    """Lowering: write operators of ``vision`` as tensor operators of Relay's core.

    What :class:`Lower` does, for this one domain. Suppression of boxes stays: it is a loop.

    Args:
        mod: A well-formed module.
        target: What it is lowered for: see :class:`Lower`.
        unlowerable: ``"keep"`` leaves what tensor operators cannot express, ``"refuse"`` raises.
        suffix: What is put behind the names of lowered functions, if anything.
        check: Whether to check types and scopes of what was made.

    Returns:
        ``mod`` itself when there are no such calls.

    Raises:
        PassError: See :func:`~relayish.passes.relay.lowering.module.lower_module`.

    Complexity:
        Linear in the number of distinct nodes; a call becomes a number of nodes that depends on
        its operator alone.
    """
    assembled = partial(assemble_lowering, target, domain="vision")
    return lower_module(mod, assembled, unlowerable=unlowerable, suffix=suffix, check=check).module
