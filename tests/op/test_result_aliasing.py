"""Results of operators that are written over an argument."""

from __future__ import annotations

import pytest

from relayish.ir.relay.type import TupleType
from relayish.op import get_op
from relayish.op.declaration.properties import arguments, in_place
from tests.op.test_changed_calls import CALLS, typed


def test_running_mean_and_variance_are_written_over() -> None:
    op = get_op("nn.batch_norm")
    names = arguments.get(op)
    assert [(names[at], result) for at, result in in_place.get(op)] == [
        ("moving_mean", 1),
        ("moving_var", 2),
    ]


@pytest.mark.parametrize("name", sorted(name for name in CALLS if get_op(name) in in_place))
def test_result_written_over_an_argument_has_its_type(name: str) -> None:
    types, attrs = CALLS[name]
    found = typed(name, attrs, types)
    results = found.fields if isinstance(found, TupleType) else (found,)
    for at, result in in_place.get(get_op(name)):
        assert str(types[at]) == str(results[result])
