"""Passes over quantised operators, by the names that they have in ``relay.qnn.transform``."""

from __future__ import annotations

from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.composition.registry import get_pass

__all__ = ["CanonicalizeOps", "Legalize"]


def CanonicalizeOps() -> Pass:  # noqa: N802 - Relay's name
    """Return the pass ``QnnCanonicalizeOps``: quantised operators by plain ones.

    Source:
        Relay ``qnn.transform.CanonicalizeOps``.
    """
    return get_pass("QnnCanonicalizeOps")


def Legalize() -> Pass:  # noqa: N802 - Relay's name
    """Return the pass ``QnnLegalize``: what is registered for operators, and then plain ones.

    Source:
        Relay ``qnn.transform.Legalize``.
    """
    return get_pass("QnnLegalize")
