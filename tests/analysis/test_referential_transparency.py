"""Which expressions may be evaluated at another time, elsewhere, or not at all."""

from __future__ import annotations

import pytest

from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    Var,
)
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import GlobalTypeVar
from relayish.op.declaration.registry import get_op
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.each import each

X = Var("x")
PLAIN: dict[str, Expr] = {
    "variable": X,
    "call of an operator": Call(get_op("add"), (X, X)),
    "call of a constructor": Call(Constructor("C", (), GlobalTypeVar("T")), ()),
    "call of a literal function": Call(Function((X,), X), (Constant(1),)),
    "doublings": doublings(100, X),
}
BOUND: dict[str, Expr] = {
    "creating a reference": RefCreate(X),
    "reading a reference": RefRead(X),
    "writing a reference": RefWrite(X, X),
    "call of a variable": Call(X, ()),
    "call of an operator with state": Call(get_op("memory.kill"), (X,)),
    "call of an operator that is not declared": Call(intern_op("somebody.elses"), (X,)),
    "inside a function": Function((X,), RefRead(X)),
    "below": Tuple((X, Tuple((RefRead(X),)))),
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
