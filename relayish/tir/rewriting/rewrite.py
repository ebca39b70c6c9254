"""Rewriting of functions of loops by rules."""

from __future__ import annotations

from typing import NoReturn

from relayish.errors import PassError
from relayish.ir.modules.module import AnyModule
from relayish.rewriting.rewrite import DRIVERS, FACTS
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.facts.scopes import context_of
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.rewriting.facts import Facts
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


@DRIVERS.register(Module)
def refuse_module(
    rules: RuleSet,  # noqa: ARG001 - as all that rewrite take it, and what follows
    root: Module,
    mod: object,  # noqa: ARG001
    *,
    keep_order: bool,  # noqa: ARG001
    again: bool,  # noqa: ARG001
) -> NoReturn:
    """Refuse a module of CINN's, whose functions are rewritten one by one.

    Raises:
        PassError: Always.
    """
    raise PassError(
        f"rewrite_rules takes a function of loops; found the module {root.name!r}; give its "
        f"functions, one by one: module.functions"
    )


@FACTS.register(IrNode)
def facts_of_part(root: IrNode, _mod: object = None, *, keep_order: bool = False) -> Facts:
    """Return what rules may ask of a part of a program, of whose surroundings nothing is known.

    Raises:
        PassError: If the order is to be kept.
    """
    return Facts(root, context_of(root), keep_order=keep_order)
