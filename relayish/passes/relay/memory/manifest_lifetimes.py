"""Say where the value of a variable is needed no more.

Before::

    let %y = add(%x, %x);
    let %z = exp(%y);
    %z

After::

    let %y = add(%x, %x);
    let %_ = memory.kill(%x);
    let %z = exp(%y);
    let %_1 = memory.kill(%y);
    %z
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from relayish._support.collector import pause_collection
from relayish.analysis.on_device import skip_on_device
from relayish.dataflow.analyses.liveness import Liveness
from relayish.dataflow.graph.point import Action
from relayish.dataflow.results import flow_graph
from relayish.dataflow.solver.solve import solve
from relayish.functor import ExprRewriter, MixedModeMutator, post_order_rewrite
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay.adt import Match, PatternVar
from relayish.ir.relay.expr import Call, Expr, Function, Let, Var
from relayish.ir.relay.function_attributes import is_transparent
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import operands
from relayish.op.declaration.registry import relay_op
from relayish.op.runtime.device import DeviceCopyAttrs
from relayish.pass_infra import register_pass

_KILL: Final = relay_op("memory.kill")
_DEVICE_COPY: Final = relay_op("device_copy")


class _AliasEliminator(MixedModeMutator):
    """Lets each value go by one name, as registers of the virtual machine do."""

    def visit_let(self, let: Let) -> Expr:
        memo = self.memo_map
        chain: list[tuple[Let, Var | None, Expr]] = []  # no variable where the let goes
        tail: Expr = let
        while type(tail) is Let and tail not in memo:
            value = self.visit(tail.value)
            alias = _aliased(value)
            var: Var | None = None
            if alias is not None and tail.var.may_share is None and tail.var not in memo:
                memo[tail.var] = alias
            else:
                image = self.visit(tail.var)
                var = image if type(image) is Var else tail.var
            chain.append((tail, var, value))
            tail = tail.body
        image = self.visit(tail)
        for binding, var, value in reversed(chain):
            if var is not None:
                image = binding.with_fields(var=var, value=value, body=image)
            memo[binding] = image
        return image

    def visit_match(self, match: Match) -> Expr:
        data = self.visit(match.data)
        alias = _aliased(data)
        clauses = []
        for clause in match.clauses:
            if alias is not None and type(clause.lhs) is PatternVar:
                self.memo_map[clause.lhs.var] = alias
            clauses.append(clause.with_fields(rhs=self.visit(clause.rhs)))
        return match.with_fields(data=data, clauses=clauses)


def _aliased(value: Expr) -> Var | None:
    """Return the variable whose value ``value`` is, in the same memory."""
    value = skip_on_device(value)
    if type(value) is Call and value.op is _DEVICE_COPY:
        attrs = value.attrs
        assert isinstance(attrs, DeviceCopyAttrs)
        source, target = attrs.src_virtual_device, attrs.dst_virtual_device
        same = source.device_type_int == target.device_type_int
        if same and source.virtual_device_id == target.virtual_device_id:
            value = value.args[0]
    return value if type(value) is Var else None


class _KillInserter(ExprRewriter):
    def __init__(self, killed: dict[Node, list[Var]]) -> None:
        self._killed = killed

    def rewrite_let(self, pre: Let, post: Let) -> Expr:
        body = post.body
        for var in reversed(self._killed.get(pre, ())):
            body = Let(Var("_"), Call(_KILL, (var,)), body)
        return post.with_fields(body=body)


def _find_killed(func: Function) -> dict[Node, list[Var]]:
    """Return for each let the variables that its value is the last to use.

    Only those are there that the same function binds, and that no function inside captures.
    """
    graph = flow_graph(func)
    [live] = solve([Liveness()], graph)
    owner = {
        var: graph.procedure_of(number).number
        for number, variables in graph.binders.items()
        for var in variables
    }
    captured: set[Node] = set()
    for procedure in graph.procedures:
        if procedure.parent is not None:
            captured.update(graph.captured(procedure.node))
    entries: defaultdict[Node, list[int]] = defaultdict(list)
    for number, (node, action) in enumerate(zip(graph.nodes, graph.actions, strict=True)):
        if action in (Action.EVALUATE, Action.ENTER):
            entries[node].append(number)
    lets: list[tuple[list[int], Let]] = []
    for let in EXPRESSIONS.post_order(func, is_transparent):
        if type(let) is not Let:
            continue
        value = skip_on_device(let.value)
        if type(value) is Call and value.op is _KILL:
            continue
        if value in entries:
            lets.append((entries[value], let))
    killed: dict[Node, list[Var]] = {}
    entered: set[Node] = set()
    for points, let in sorted(lets, key=lambda found: found[0]):
        killed[let] = [
            var
            for var in _variables_used(skip_on_device(let.value), entered)
            if var not in captured
            and owner.get(var) == graph.procedure_of(points[0]).number
            and not any(var in live.after(number) for number in points)
        ]
    return killed


def _variables_used(value: Expr, entered: set[Node]) -> list[Var]:
    """Return the variables that evaluating ``value`` uses, but for what is in scopes of it.

    What was ``entered`` is left out: it was evaluated before.
    """
    found: dict[Var, None] = {}
    stack: list[Node] = [value]
    while stack:
        node = stack.pop()
        if type(node) is Var:
            found[node] = None
        elif type(node) not in VARIABLES and node not in entered:
            entered.add(node)
            stack += operands(node)[::-1]
    return list(found)


@register_pass("ManifestLifetimes", opt_level=0, idempotent=True)
def manifest_lifetimes(func: Function) -> Function:
    """Lifetime manifestation: say where the value of a variable is needed no more.

    Return ``func`` with ``memory.kill(%x)`` behind each let whose value is the last to use ``%x``.

    Lets that give a variable another name go first, so that a value has one name; so does a
    ``device_copy`` to the same device. What is used last by a condition, or by what is matched, is
    killed behind the let of the whole, unless a branch uses it; then behind its last use there.
    Variables whose value is returned are not killed, nor those that functions inside capture.

    Args:
        func: A function, best in A-normal form: kills stand behind lets alone.

    Returns:
        ``func`` itself when there is nothing to kill, and no other name.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor for sets; no recursion.

    Source:
        Relay ``ManifestLifetimes``. There, code behind an ``if`` in a branch does not count as
        following its branches.

    Example:
        >>> from relayish import exp, var
        >>> x, y = var("x"), var("y")
        >>> out = manifest_lifetimes(Function((x,), Let(y, exp(x), exp(y))))
        >>> out.body.body.value.op.name, out.body.body.value.args[0] is x
        ('memory.kill', True)
    """
    with pause_collection():  # what is live at each point is kept until the end
        image = _AliasEliminator().visit(func)
        assert isinstance(image, Function)
        killed = _find_killed(image)
        if not any(killed.values()):
            return image
        image = post_order_rewrite(image, _KillInserter(killed))
        assert isinstance(image, Function)
        return image
