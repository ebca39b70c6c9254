"""Checks that any module with Relay in it can be asked."""

from __future__ import annotations

from typing import cast

from relayish.analysis.infer_type import infer_type
from relayish.analysis.well_formed import check_closed, check_well_formed
from relayish.errors import CheckError
from relayish.ir.module import AnyModule
from relayish.ir.one_line import one_line_at
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.structural_equal import structural_equal
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


def _check_types(mod: IRModule, check: str) -> None:
    typed = infer_type(mod, fresh=True)
    for name, definition in mod.functions_of(Expr).items():
        image = typed[name]
        if image is definition:
            continue
        pairs = zip(EXPRESSIONS.post_order(definition), EXPRESSIONS.post_order(image), strict=True)
        for node, told in pairs:
            if not isinstance(node, Expr) or node.checked_type is None:
                continue
            carried, found = node.checked_type, cast("Expr", told).checked_type
            if carried is found or structural_equal(carried, found, map_free_vars=True):
                continue
            raise CheckError(
                f"{one_line_at(node)} in @{name.name_hint} carries the type {carried}, but has "
                f"the type {found}; whoever rewrites a node clears its type, as with_fields does",
                check=check,
            )
