"""Types that are known without inference."""

from __future__ import annotations

import pytest

from relayish.ir.relay.expr import Expr, Tuple, TupleGetItem, Var
from relayish.ir.relay.type import TensorType
from relayish.op.builders.known_type import find_known_type

NUMBER = TensorType((), "int32")
X = Var("x", NUMBER)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (TupleGetItem(Tuple((X,)), 0), NUMBER),
        (TupleGetItem(Tuple((X,)), 1), None),
        (TupleGetItem(Var("untyped"), 0), None),
        (TupleGetItem(X, 0), None),
    ],
)
def test_type_of_a_field_is_known_where_the_tuple_has_it(expr: Expr, expected: object) -> None:
    assert find_known_type(expr) is expected
