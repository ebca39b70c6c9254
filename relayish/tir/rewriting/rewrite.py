"""Rewriting of functions of loops by rules."""

from __future__ import annotations

from relayish.errors import PassError
from relayish.ir.modules.module import AnyModule
from relayish.rewriting.rewrite import DRIVERS
from relayish.rewriting.rules import RuleSet
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.rewriting.walk import Simplification, apply_simplification


@DRIVERS.register(LoweredFunc)
def rewrite_func(
    rules: RuleSet,
    root: LoweredFunc,
    mod: AnyModule | None,  # noqa: ARG001 - loops know what they call by tables
    *,
    keep_order: bool,
    again: bool,
) -> LoweredFunc:
    """Return a function rewritten; see :func:`~relayish.rewriting.rewrite_rules`.

    Rules are asked about expressions and statements, and told what is known where these stand:
    intervals, linear forms, what may fault; see :class:`~relayish.tir.rewriting.facts.Facts`.

    Raises:
        PassError: If the order is to be kept, which rules for loops see to; if rules do not end, or
            one returns what cannot stand there.
    """
    if keep_order:
        raise PassError(
            "keep_order is for expressions of Relay; a rule for loops asks facts.removable(...) "
            "of what it drops, and leaves the rest where it is"
        )
    return apply_simplification(root, Simplification(rules, again=again, ends=again))
