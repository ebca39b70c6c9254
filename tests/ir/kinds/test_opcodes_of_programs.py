"""What is told of the operator of a node agrees with it, in random programs of all languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from relayish.ir.domains.domain import PLACES, get_domain
from relayish.ir.domains.property import Property
from relayish.ir.kinds.opcode import children_of, domain_of, opcode_of, operator_of
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Op
from relayish.ir.scopes.scoping import PROGRAM
from tests.support.core_programs import random_core_program
from tests.support.random_exprs import random_function
from tests.support.random_kinds import RandomKinds, random_program
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

SEEDS = seeds(15)

PROGRAMS: dict[str, Callable[[int], Iterable[Node]]] = {
    "relay": lambda seed: [random_function(seed)],
    "core": lambda seed: random_core_program(seed).functions.values(),
    "tir": lambda seed: [random_func(seed)],
}


def check(node: Node) -> None:
    """Refuse what is told of the operator of ``node`` where it does not agree with the node."""
    domain, operator, children = domain_of(node), operator_of(node), children_of(node)
    calls = type(node) is Call and type(node.op) is Op
    assert opcode_of(node) == (domain.id, operator.number)
    assert get_domain(domain.name) is get_domain(domain.id) is domain
    assert domain.get(operator.number) is operator
    assert children == tuple(PROGRAM.children(node)[1 if calls else 0 :])
    assert operator.is_kind != calls
    if not calls or operator.num_children is not None:
        assert operator.num_children in (None, len(children))
    if operator.is_kind:
        assert operator.has_property(Property.EX_CHILD) == (operator.num_children is None)
    assert operator.has_property(Property.LEAF) == (operator.num_children == 0)
    PLACES.clear()
    assert operator_of(node) is operator  # found anew


@pytest.mark.parametrize("language", PROGRAMS)
def test_operators_agree_with_the_nodes_of_random_programs(language):
    for seed in SEEDS:
        for root in PROGRAMS[language](seed):
            for node in EVERYTHING.post_order(root):
                check(node)


@pytest.mark.parametrize("own_language", [False, True])
def test_operators_agree_with_the_nodes_of_random_kinds(own_language):
    for seed in SEEDS:
        with declared_temporarily():
            kinds = RandomKinds(seed, own_language=own_language)
            for node in EVERYTHING.post_order(random_program(kinds, seed)):
                if not (type(node) is Call and type(node.op) is Op):  # which nobody declares
                    check(node)
