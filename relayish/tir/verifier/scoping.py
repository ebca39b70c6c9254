"""Scopes of variables and buffers: bound once, and used nowhere but where they are in scope."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from relayish.ir.kinds.one_line import one_line
from relayish.ir.kinds.one_line import one_line_at as at
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.scopes.scoping import evaluated
from relayish.ir.verification.rules import Report
from relayish.ir.verification.scope_rules import BoundOnce
from relayish.tir.analysis.facts.scopes import assignments_among
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.intrinsic import GetAddr
from relayish.tir.ir.stmt import Let, ScheduleBlock
from relayish.tir.ir.tensor import Var
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Rule


def check_scopes(nodes: ProgramNodes, report: Report, *, known: Iterable[Node] | None) -> None:
    """Report variables that are bound twice, used out of scope, or assigned to though they count.

    Args:
        nodes: The program.
        report: Takes down what is found.
        known: The variables that something outside of the program binds; ``None``: whatever the
            program does not bind.

    Complexity:
        As that of :class:`~relayish.ir.scopes.node_scopes.Scopes`; no recursion.
    """
    scopes = BoundOnce(nodes.root, nodes.order)
    rebound = dict.fromkeys([variable for variable, _ in scopes.again])
    misplaced: dict[Node, int | None] = {**scopes.misplaced()}
    if known is not None:
        free = {node for node in scopes.scope if type(node) in VARIABLES}
        misplaced.update(dict.fromkeys(free.difference(scopes.binding_scope, known)))
    assigned = list(assignments_among(nodes.order))
    binders = {
        variable: [part for _, part in found]
        for variable, found in scopes.binders_of(
            {*rebound, *misplaced, *[variable for _, variable in assigned]}
        ).items()
    }
    for variable in rebound:
        _report_rebound(variable, binders[variable], report)
    _report_misplaced(scopes, misplaced, binders, report)
    _check_declared_before(nodes, rebound, report)
    for node, variable in assigned:
        if not variable.dtype.is_pointer:  # else it is what the address points to
            _check_assignment(node, variable, binders.get(variable, ()), report)


def _report_rebound(variable: Node, binders: Sequence[Node], report: Report) -> None:
    """Report each binder of a variable but the first."""
    block = next((node for node in binders if isinstance(node, ScheduleBlock)), None)
    first, *others = binders
    for other in others:
        axes = other if isinstance(other, Reduce) else first
        if isinstance(axes, Reduce) and block is not None:
            report(
                Rule.REDUCE,
                axes,
                f"Reduce runs over {at(variable)}, which schedule block {block.name!r} binds; "
                f"there it does one step of the block: leave the axis out of reduce_axis",
            )
            continue
        report(
            Rule.SCOPE,
            other,
            f"variable {at(variable)} is bound twice: by {at(first)} and by "
            f"{one_line(other)}; a variable is bound once, use a new {type(variable).__name__} for "
            f"the second",
        )


def _report_misplaced(
    scopes: BoundOnce,
    misplaced: Mapping[Node, int | None],
    binders: Mapping[Node, Sequence[Node]],
    report: Report,
) -> None:
    """Report each use of variables outside of the scopes that they are known in."""
    if not misplaced:
        return
    known = {one_line(variable) for variable in scopes.binding_scope}
    for user, variable in scopes.uses_outside(misplaced):
        uses = f"{one_line(user)} uses {at(variable)}"
        if misplaced[variable] is None:
            shown = one_line(variable)
            advice = "bind it, or make it a parameter"
            if shown in known:
                advice = f"another variable called {shown} is bound: use that one here"
            report(Rule.SCOPE, user, f"{uses}, which nothing binds; {advice}")
        else:
            report(
                Rule.SCOPE,
                user,
                f"{uses} outside the scope of its binder, {at(binders[variable][0])}; use it only "
                f"in there, or bind it further out",
            )


def _check_declared_before(nodes: ProgramNodes, rebound: Collection[Node], report: Report) -> None:
    """Report uses of what a ``Let`` declares in statements before it, or in its own value."""
    waiting: dict[Node, Let] = {
        let.symbol: let for let in nodes.of(Let) if let.symbol not in rebound
    }
    if not waiting:
        return
    for node in nodes.order:
        used = evaluated(node)
        if used and not waiting.keys().isdisjoint(used):
            for variable in dict.fromkeys(used):
                let = waiting.get(variable)
                if let is not None:
                    report(
                        Rule.SCOPE,
                        node,
                        f"{one_line(node)} uses {at(variable)} before {at(let)} declares it; "
                        f"declare it "
                        f"before, in this block or one around",
                    )
        if isinstance(node, Let):
            waiting.pop(node.symbol, None)


def _check_assignment(node: Node, variable: Var, binders: Sequence[Node], report: Report) -> None:
    """Report an assignment to a variable that something else than a ``Let`` binds."""
    if not binders or isinstance(binders[0], Let):
        return
    binder = binders[0]
    what = "what a loop counts with"
    if isinstance(binder, LoweredFunc):
        what = "an argument"
    elif isinstance(binder, ScheduleBlock):
        what = "an index of a schedule block"
    done, instead = "a value is assigned to", "assign to that"
    if isinstance(node, GetAddr):
        done, instead = "an address, by which it may be changed, is taken of", "take that one's"
    report(
        Rule.SCOPE,
        node,
        f"{done} {at(variable)}, {what}, which {at(binder)} binds; declare a variable with Let and "
        f"{instead}",
    )
