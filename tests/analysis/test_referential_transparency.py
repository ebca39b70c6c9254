"""Which expressions may be evaluated at another time, elsewhere, or not at all."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.ir.relay.op import intern_op
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.each import each

X = relay.Var("x")
PLAIN: dict[str, relay.Expr] = {
    "variable": X,
    "call of an operator": relay.Call(relay.get_op("add"), (X, X)),
    "call of a constructor": relay.Call(relay.Constructor("C", (), relay.GlobalTypeVar("T")), ()),
    "call of a literal function": relay.Call(relay.Function((X,), X), (relay.Constant(1),)),
    "doublings": doublings(100, X),
}
BOUND: dict[str, relay.Expr] = {
    "creating a reference": relay.RefCreate(X),
    "reading a reference": relay.RefRead(X),
    "writing a reference": relay.RefWrite(X, X),
    "call of a variable": relay.Call(X, ()),
    "call of an operator with state": relay.Call(relay.get_op("memory.kill"), (X,)),
    "call of an operator that is not declared": relay.Call(intern_op("somebody.elses"), (X,)),
    "inside a function": relay.Function((X,), relay.RefRead(X)),
    "below": relay.Tuple((X, relay.Tuple((relay.RefRead(X),)))),
}


@pytest.mark.parametrize("name", PLAIN)
def test_expression_without_references_is_referentially_transparent(name: str) -> None:
    assert ReferentialTransparency().holds_for(PLAIN[name])


@pytest.mark.parametrize("name", BOUND)
def test_expression_that_acts_is_not(name: str) -> None:
    assert not ReferentialTransparency().holds_for(BOUND[name])


@pytest.mark.deep
@each("kind", sorted(DEEP_NESTS))
def test_nest_of_100_000_levels_is_answered_twice_alike(kind: str) -> None:
    transparency, nest = ReferentialTransparency(), DEEP_NESTS[kind](DEPTH)
    assert transparency.holds_for(nest) is transparency.holds_for(nest)
