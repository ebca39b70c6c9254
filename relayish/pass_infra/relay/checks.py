"""Checks that any module with Relay in it can be asked."""

from __future__ import annotations

from relayish.analysis.carried_types import stale_types
from relayish.analysis.infer_type import infer_type
from relayish.analysis.well_formed import check_closed, check_well_formed
from relayish.domain import verifier
from relayish.errors import CheckError
from relayish.ir.modules.module import AnyModule
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.composition.check import register_check


@register_check("well_formed")
def check_scoping(mod: AnyModule) -> None:
    """Every variable is bound once, and used only where it is in scope."""
    check_well_formed(mod)


@register_check("no_free_vars")
def check_bound(mod: AnyModule) -> None:
    """Every variable is bound somewhere, as ``well_formed`` demands, too."""
    for key, definition in mod.functions.items():
        check_closed(definition, f"@{mod.name_of(key)}")


@register_check("well_typed")
def check_types(mod: IRModule) -> None:
    """Every expression has a type, told anew, and carries that one or none."""
    _check_types(mod, "well_typed")


@register_check("no_stale_types")
def check_carried_types(mod: IRModule) -> None:
    """Where an expression carries a type, it is the one it has, as ``well_typed`` demands, too."""
    _check_types(mod, "no_stale_types")


@register_check("verified")
def check_rules(mod: AnyModule) -> None:
    """All definitions keep all rules of their domains; see :func:`relayish.domain.verify`."""
    verifier.check(mod)


def _check_types(mod: IRModule, check: str) -> None:
    for stale in stale_types(mod, infer_type(mod, fresh=True)):
        raise CheckError(stale.message, check=check)
