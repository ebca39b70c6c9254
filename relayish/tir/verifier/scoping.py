"""Scopes of variables and buffers: bound once, and used nowhere but where they are in scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from relayish.ir.node import VARIABLES, Node
from relayish.ir.one_line import one_line
from relayish.ir.one_line import one_line_at as at
from relayish.ir.scopes import Scopes
from relayish.ir.scoping import binders as binders_of
from relayish.ir.scoping import evaluated, parts
from relayish.ir.verification import Report
from relayish.tir.analysis.scopes import assignments_among
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
        As that of :class:`~relayish.ir.scopes.Scopes`; no recursion.
    """
    scopes = _Scopes(nodes.root, order=nodes.order)
    outside = {
        variable: inner
        for variable, inner in scopes.binding_scope.items()
        if scopes.scope[variable] != inner and variable not in scopes.rebound
    }
    free: set[Node] = set()
    if known is not None:
        free = {node for node in scopes.scope if type(node) in VARIABLES}
        free.difference_update(scopes.binding_scope, known)
    assigned = list(assignments_among(nodes.order))
    binders = _find_binders(
        scopes, {*scopes.rebound, *outside, *[variable for _, variable in assigned]}
    )
    for variable in scopes.rebound:
        _report_rebound(variable, binders[variable], report)
    if outside or free:
        _report_misplaced(scopes, outside, free, binders, report)
    _check_declared_before(nodes, scopes, report)
    for node, variable in assigned:
        if not variable.dtype.is_pointer:  # else it is what the address points to
            _check_assignment(node, variable, binders.get(variable, ()), report)


class _Scopes(Scopes):
    """The scopes of a program in which variables may be bound twice."""

    def __init__(self, root: Node, *, order: Sequence[Node]) -> None:
        self.rebound: dict[Node, None] = {}
        super().__init__(root, order=order)

    def bind_again(self, variable: Node, binder: Node, scope: int) -> None:  # noqa: ARG002
        self.rebound[variable] = None


def _find_binders(scopes: Scopes, variables: set[Node]) -> dict[Node, list[Node]]:
    """Return, for each of ``variables`` that is bound, what binds it, in order of the program."""
    found: dict[Node, list[Node]] = {}
    if not variables:
        return found
    for node in scopes.order:
        if node in scopes.opened:
            for each in (node, *parts(node)):
                for variable in binders_of(each):
                    if variable in variables:
                        found.setdefault(variable, []).append(each)
    return found


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
    scopes: Scopes,
    outside: Mapping[Node, int],
    free: set[Node],
    binders: Mapping[Node, Sequence[Node]],
    report: Report,
) -> None:
    """Report each use of variables outside of the scopes that they are known in."""
    misplaced = free.union(outside)
    known = {one_line(variable) for variable in scopes.binding_scope}
    for user in scopes.order:
        if user not in scopes.scope:
            continue
        for variable in dict.fromkeys(evaluated(user)):
            if variable not in misplaced:
                continue
            if variable in free:
                shown = one_line(variable)
                advice = "bind it, or make it a parameter"
                if shown in known:
                    advice = f"another variable called {shown} is bound: use that one here"
                report(
                    Rule.SCOPE,
                    user,
                    f"{one_line(user)} uses {at(variable)}, which nothing binds; {advice}",
                )
            elif not scopes.is_inside(user, outside[variable]):
                report(
                    Rule.SCOPE,
                    user,
                    f"{one_line(user)} uses {at(variable)} outside the scope of its binder, "
                    f"{at(binders[variable][0])}; use it only in there, or bind it further "
                    f"out",
                )


def _check_declared_before(nodes: ProgramNodes, scopes: _Scopes, report: Report) -> None:
    """Report uses of what a ``Let`` declares in statements before it, or in its own value."""
    waiting: dict[Node, Let] = {
        let.symbol: let for let in nodes.of(Let) if let.symbol not in scopes.rebound
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
