"""Graphs in nodes: what they are given, and what nodes have of their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import (
    Op,
    Var,
)
from relayish.ir.relay.type import Type
from relayish.onnx.calls import count_outputs
from relayish.onnx.graph_inference import GraphOperator
from relayish.onnx.inference import infer_results
from relayish.onnx.propagation.fact import (
    MISSING,
    UNKNOWN,
    Fact,
    fact_of_tuple,
    fact_of_type,
    fields_of,
    join_facts,
)
from relayish.onnx.types import UnknownType


def is_left_out(name: str, inputs: Sequence[Fact]) -> bool:
    """Return whether a graph is the branch that is not taken, which may contradict itself."""
    if name not in {"then_branch", "else_branch"} or inputs[0].value is None:
        return False
    return bool(inputs[0].value.all()) != (name == "then_branch")


def declared_fact(param: Var, fact: Fact) -> Fact:
    """Return what is known of a parameter of a graph, where nothing else is what the model says."""
    if type(fact.type) is UnknownType and param.type_annotation is not None:
        return fact_of_type(param.type_annotation)
    return fact


def first_inputs(
    operator: GraphOperator,
    attrs: Attrs | None,
    types: Sequence[Type | None],
    inputs: Sequence[Fact],
    first: int,
    count: int,
) -> list[Fact]:
    """Return what a graph is given in the first iteration, of what it carries with values."""
    given = [Fact(ty) for ty in operator.inputs(attrs, types)]
    offset = len(inputs) - len(given)
    for index in range(first, first + count):
        place = index + offset if offset >= 0 else index
        known = inputs[place] if 0 <= place < len(inputs) else MISSING
        if known is not MISSING and known.type is given[index].type:
            given[index] = known
    return given


def join_results(
    op: Op, attrs: Attrs | None, inputs: Sequence[Fact], results: Mapping[str, Fact]
) -> Fact:
    """Return what is known of a node by what is known of the results of its graphs."""
    types = [None if each is MISSING else each.type for each in inputs]
    told = {name: [each.type for each in fields_of(fact)] for name, fact in results.items()}
    found = infer_results(op, attrs, types, [each.value for each in inputs], told)
    facts = [Fact(ty) for ty in found]
    if "then_branch" in results:
        then, other = results["then_branch"], results["else_branch"]
        condition = inputs[0].value
        if condition is not None and condition.size == 1:
            facts = list(fields_of(then if bool(condition.reshape(())) else other))
        else:
            pairs = zip(fields_of(then), fields_of(other), strict=True)
            facts = [join_facts(a, b) for a, b in pairs]
    wanted = count_outputs(attrs)
    facts = (facts + [UNKNOWN] * wanted)[:wanted]
    return facts[0] if wanted == 1 else fact_of_tuple(facts)
