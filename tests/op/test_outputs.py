"""How many results a call has."""

from __future__ import annotations

import pytest

from relayish.ir.relay.expr import Call, Var
from relayish.ir.relay.type import TupleType
from relayish.op import get_op
from relayish.op.builders.outputs import TupleWrapper, output_count, outputs
from tests.op.test_changed_calls import CALLS, typed

SEVERAL = sorted(name for name in CALLS if get_op(name) in outputs)


@pytest.mark.parametrize("name", SEVERAL)
def test_sound_call_has_as_many_results_as_its_type_has_fields(name: str) -> None:
    types, attrs = CALLS[name]
    call = Call(get_op(name), tuple(Var("x", ty) for ty in types), attrs)
    found = typed(name, attrs, types)
    if isinstance(found, TupleType):
        assert output_count(call) == len(found.fields)
    assert isinstance(call, TupleWrapper) == isinstance(found, TupleType)
