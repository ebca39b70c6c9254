"""Value flow of Relay's kinds: which functions, tuples, data and references values may be."""

from __future__ import annotations

from typing import Final

from relayish.dataflow.points_to.rules import VALUE_FLOW, ValueFlow
from relayish.ir.nodes.node import Node
from relayish.ir.relay import adt
from relayish.ir.relay import expr as relay
from relayish.ir.scopes.scoping import variables_in
from relayish.op.declaration import properties, registry

CONTENT: Final = "content"
"""The part of a reference that is read and written."""


@VALUE_FLOW.register(relay.Let)
def _let(let: relay.Let, flow: ValueFlow) -> None:
    flow.same(let.var, let.value)
    flow.same(let, let.body)


@VALUE_FLOW.register(relay.If)
def _if(branching: relay.If, flow: ValueFlow) -> None:
    flow.passes(branching.true_branch, branching)
    flow.passes(branching.false_branch, branching)


@VALUE_FLOW.register(relay.Function)
def _function(function: relay.Function, flow: ValueFlow) -> None:
    flow.creates_function(function, function.params, function.body)


@VALUE_FLOW.register(relay.Call)
def _call(call: relay.Call, flow: ValueFlow) -> None:
    op = call.op
    if type(op) is relay.Op:
        _call_op(call, op, flow)
    elif type(op) is adt.Constructor:
        flow.creates(call, {(op.name_hint, at): arg for at, arg in enumerate(call.args)})
    else:
        flow.calls(call, op, call.args)


def _call_op(call: relay.Call, op: relay.Op, flow: ValueFlow) -> None:
    """Tell of a call of an operator: it takes and gives tensors, unless it is a mark."""
    if not registry.is_pure(op):
        flow.calls(call, op, call.args)
    elif op in properties.mark or op in properties.non_computational:
        for arg in call.args:
            flow.passes(arg, call)


@VALUE_FLOW.register(relay.Tuple)
def _tuple(tup: relay.Tuple, flow: ValueFlow) -> None:
    flow.creates(tup, dict(enumerate(tup.fields)))


@VALUE_FLOW.register(relay.TupleGetItem)
def _tuple_getitem(get: relay.TupleGetItem, flow: ValueFlow) -> None:
    flow.reads(get.tuple_value, get.index, get)


@VALUE_FLOW.register(relay.RefCreate)
def _ref_create(ref: relay.RefCreate, flow: ValueFlow) -> None:
    flow.creates(ref, {CONTENT: ref.value}, mutable=True)


@VALUE_FLOW.register(relay.RefRead)
def _ref_read(read: relay.RefRead, flow: ValueFlow) -> None:
    flow.reads(read.ref, CONTENT, read)


@VALUE_FLOW.register(relay.RefWrite)
def _ref_write(write: relay.RefWrite, flow: ValueFlow) -> None:
    flow.writes(write.ref, CONTENT, write.value)


@VALUE_FLOW.register(adt.Match)
def _match(match: adt.Match, flow: ValueFlow) -> None:
    for clause in match.clauses:
        flow.passes(clause.rhs, match)
        _take_apart(match.data, clause.lhs, flow)


def _take_apart(data: Node, pattern: adt.Pattern, flow: ValueFlow) -> None:
    """Tell of what a pattern binds to parts of a value, that it may be those; no recursion."""
    pending: list[tuple[Node, adt.Pattern]] = [(data, pattern)]
    while pending:
        data, pattern = pending.pop()
        match pattern:
            case adt.PatternVar():
                flow.passes(data, pattern.var)
            case adt.PatternTuple():
                for at, inner in enumerate(pattern.patterns):
                    flow.reads(data, at, inner)
                    pending.append((inner, inner))
            case adt.PatternConstructor():
                for at, inner in enumerate(pattern.patterns):
                    flow.reads(data, (pattern.constructor.name_hint, at), inner)
                    pending.append((inner, inner))
            case adt.PatternWildcard():
                pass
            case _:
                flow.escapes(data)
                for variable in variables_in(pattern):
                    flow.is_unknown(variable)
