"""The normal forms as checks of modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from relayish.analysis.graph_normal_form import check_graph_normal_form
from relayish.analysis.normal_form import check_a_normal_form, check_basic_block_normal_form
from relayish.errors import add_note
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.composition.check import register_check
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    iterate_own_functions,
)


@register_check("a_normal_form")
def a_normal_form(mod: IRModule) -> None:
    """Operands, conditions and results are names; lets bind everything else, constants included."""
    _check_functions(iterate_own_functions(mod), check_a_normal_form)


@register_check("basic_block_normal_form")
def basic_block_normal_form(mod: IRModule) -> None:
    """What several branches, arms or bodies of functions share is bound by lets."""
    _check_functions(iterate_own_functions(mod), check_basic_block_normal_form)


@register_check("graph_normal_form")
def graph_normal_form(mod: IRModule) -> None:
    """Lets bind only what acts, refers to itself, or is told which memory to share."""
    _check_functions(
        iterate_optimized_functions(mod), lambda func: check_graph_normal_form(func, mod)
    )


def _check_functions(
    functions: Iterator[tuple[GlobalVar, Function]], check: Callable[[Expr], None]
) -> None:
    for name, func in functions:
        try:
            check(func)
        except BaseException as error:
            add_note(error, f"in function @{name.name_hint}")
            raise
