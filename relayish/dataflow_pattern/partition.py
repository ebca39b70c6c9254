"""Cutting what matches a pattern out of a program, as functions.

Before::

    %0 = nn.conv2d(%x, %w);
    add(%0, %b)

After, with the pattern ``is_op("nn.conv2d")(wildcard(), wildcard()) + wildcard()``::

    %1 = fn (%p, %q, %r, PartitionedFromPattern="nn.conv2d_add_") {
      %0 = nn.conv2d(%p, %q);
      add(%0, %r)
    };
    %1(%x, %w, %b)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.dataflow_pattern.group import PARTITIONED, Group, find_groups
from relayish.dataflow_pattern.pattern import VERBS, DFPattern, expect_expr
from relayish.dataflow_pattern.pattern_analysis import Analysed
from relayish.errors import PassError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Call, Expr, Function, Op, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.rewriting.relay.facts import RelayFacts


def partition(
    pattern: DFPattern | Analysed,
    expr: Expr,
    attrs: Mapping[str, object] | None = None,
    check: Callable[[Expr], bool] | None = None,
    mod: IRModule | None = None,
) -> Expr:
    """Return ``expr`` with each part that matches ``pattern`` called as a function of its own.

    Wildcards and variables of the pattern become parameters; constants it asks for stay inside.
    The attribute ``PartitionedFromPattern`` of a function lists what is in it.

    Args:
        pattern: What to look for.
        expr: Where.
        attrs: Further attributes of the functions.
        check: Asked of each match, by its root; where it says no, nothing is cut out.
        mod: Where the functions and types are that ``expr`` names.

    Returns:
        ``expr`` itself when nothing matched. The functions carry no types yet, their parameters
        those that were inferred before.

    Raises:
        PassError: If ``expr`` is no expression.

    Complexity:
        One walk over the program; no recursion.

    Source:
        Relay ``partition``.
    """
    expect_expr(expr, "partition")
    types = RelayFacts(expr, mod)
    groups = find_groups(pattern, expr, mod, types, whole_scopes=True)
    groups = {r: g for r, g in groups.items() if check is None or bool(check(r))}
    if not groups:
        return expr
    evaluation = EvaluationOrder(types.transparency)
    numbers = {root: number for number, root in enumerate(groups)}
    memo: dict[Node, Node] = {}
    for node in EXPRESSIONS.post_order(expr):
        group = groups.get(node) if isinstance(node, Expr) else None
        if group is not None:
            group.inputs[:] = evaluation.sort_operands(group.root, group.inputs)
            func = cut_out(group, numbers[group.root], attrs or {})
            args = tuple([memo[each] for each in group.inputs])
            memo[node] = Call(func, args, span=group.root.span)  # type: ignore[arg-type]  # exprs
            continue
        memo[node] = EXPRESSIONS.rebuild[type(node)](node, memo.get)
    image = memo[expr]
    assert isinstance(image, Expr)
    return image


VERBS["partition"] = partition


Entry: TypeAlias = tuple[str, DFPattern, Callable[[Expr], bool] | None]
"""An entry of a table of patterns: a name, a pattern, and what is asked of matches, by the root."""


def read_entry(given: object) -> Entry:
    """Return an entry of a table of patterns, which may be written without a check.

    Raises:
        PassError: If it is none.
    """
    match given:
        case (str(name), DFPattern() as pattern):
            return name, pattern, None
        case (str(name), DFPattern() as pattern, check) if check is None or callable(check):
            return name, pattern, check
    raise PassError(
        f"MergeComposite takes (name, pattern) or (name, pattern, check); found {given!r}"
    )


def cut_out(group: Group, number: int, attrs: Mapping[str, object]) -> Function:
    """Return a group as a function with further attributes; its parameters bear a number."""
    params = [
        Var(f"FunctionVar_{number}_{index}", each.checked_type)
        for index, each in enumerate(group.inputs)
    ]
    memo: dict[Node, Node] = dict(zip(group.inputs, params, strict=True))
    for node in group.order:
        memo[node] = EXPRESSIONS.rebuild[type(node)](node, memo.get)
    body = memo[group.root]
    assert isinstance(body, Expr)
    named = {PARTITIONED: "".join(map(_name, group.order)), **attrs}
    return Function(tuple(params), body, attrs=DictAttrs(named), span=group.root.span)


def _name(node: Node) -> str:
    """Return what a node adds to the name of a function."""
    if isinstance(node, Call):
        return f"{node.op.full_name}_" if type(node.op) is Op else "Call_"
    if isinstance(node, TupleGetItem):
        return f"TupleGetItem{node.index}_"
    if isinstance(node, Function):
        return "Function"  # its call adds "Call_"
    if not isinstance(node, Expr) or type(node) in ATOMS:
        return ""
    return f"{type(node).__name__}_"
