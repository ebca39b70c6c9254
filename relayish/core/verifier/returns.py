"""Returns: a function gives a value of the type it says, wherever control leaves it."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Stmt
from relayish.core.ir.stmt import Block, EndStmtList, If, Ret, Retv
from relayish.core.verifier.rule import Rule, typed
from relayish.dataflow.graph.control_flow import CONTROL_FLOW
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.verification.rules import Report


def check_returns(func: FuncEntry, everything: Iterable[Node], report: Report) -> None:
    """Report returns of another type than the function says, and ends without a return.

    Complexity:
        Linear in the nodes of the function; no recursion.
    """
    result = func.result
    for node in everything:
        if isinstance(node, Ret) and not result.is_void:
            report(
                Rule.RETURN,
                node,
                f"ret returns nothing from a function of type {func.type}; expected retv with a "
                f"value of type {result}",
            )
        elif isinstance(node, Retv) and node.value.type != result:
            expected = "ret" if result.is_void else f"a value of type {result}"
            report(
                Rule.RETURN,
                node,
                f"retv returns {typed(node.value)} from a function of type {func.type}; expected "
                f"{expected}",
            )
    if result.is_void:
        return
    found = _find_end(func.body)
    if found is not None:
        report(
            Rule.RETURN,
            found,
            f"a function of type {func.type} may end behind {one_line(found)} without a value; "
            f"expected retv at the end of each path",
        )


def _find_end(body: Block) -> Stmt | None:
    """Return a statement behind which control may run off the end; ``None`` if there is none."""
    pending: list[Stmt] = [body]
    seen: set[Stmt] = set()
    while pending:
        stmt = pending.pop()
        if stmt in seen:
            continue
        seen.add(stmt)
        if isinstance(stmt, Block):
            inside = [each for each in stmt.stmts if not isinstance(each, EndStmtList)]
            if not inside:
                return stmt
            if not any(CONTROL_FLOW[type(each)].leaves for each in inside):
                pending.append(inside[-1])
        elif isinstance(stmt, If):
            pending += [stmt.then_block, stmt.else_block]
        elif not CONTROL_FLOW[type(stmt)].leaves:
            return stmt
    return None
