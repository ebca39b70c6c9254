"""Verification: refuse programs that break rules of the domains of their operators.

Before::

    def @main(%x: Tensor[(4), float32]) {
      exp(%x)
    }

After, the same, or an error that says all that is wrong.
"""

from __future__ import annotations

from relayish.ir.modules.module import AnyModule
from relayish.pass_infra import register_pass
from relayish.pass_infra.composition.check import run_check


@register_pass("Verify", opt_level=0, idempotent=True)
def verify_module(mod: AnyModule) -> AnyModule:
    """Verification: refuse programs that break rules of the domains of their operators.

    It is the check ``verified``, which ``VerifyInstrument(["verified"])`` asks between any passes.

    Returns:
        ``mod`` itself.

    Raises:
        VerificationError: That says what is wrong, and where; its ``violations`` are all of it.

    Complexity:
        That of :func:`relayish.domain.verify`.

    Source:
        AIR ``GLOB_SCOPE::Verify_ir``, and the option ``verify_ir`` of its passes.
    """
    run_check("verified", mod)
    return mod
