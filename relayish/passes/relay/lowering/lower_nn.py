"""Lowering of neural networks: ``nn`` becomes tensor operators of Relay's core.

Before::

    nn.relu(nn.conv2d(%x, %weight, padding=[1, 1, 1, 1]))

After::

    %0 = strided_set(full(0f, shape=[1, 3, 10, 10]), %x, ...);
    %1 = sliding_window(%0, axis=2, window_shape=[3, 3], strides=[1, 1]);
    %2 = einsum((%1, %weight), equation="ncXYij,ocij->noXY");
    maximum(%2, 0f)
"""

from __future__ import annotations

from functools import partial

from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.lowering.context import Unlowerable
from relayish.passes.relay.lowering.module import lower_module
from relayish.passes.relay.lowering.targets import assemble_lowering


@register_pass("LowerNN", opt_level=0, idempotent=True)
def lower_nn(
    mod: IRModule,
    *,
    target: str = "einsum",
    unlowerable: Unlowerable = "keep",
    suffix: str = "",
    check: bool = True,
) -> IRModule:
    """Lowering: write operators of ``nn`` as tensor operators of Relay's core.

    What :class:`Lower` does, for this one domain.

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
    assembled = partial(assemble_lowering, target, domain="nn")
    return lower_module(mod, assembled, unlowerable=unlowerable, suffix=suffix, check=check).module
