"""Functions that nodes of other packages make or pass on, when functions become data."""

from __future__ import annotations

import pytest
from effect_trace import run
from foreign_kinds import ForeignKinds, register_types

from relayish.errors import DeclarationError, UnknownKindError
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import scalar_type
from relayish.transform import get_pass, register_function_passing

INT = scalar_type("int32")
add, multiply = intern_op("add"), intern_op("multiply")


def module(kinds: ForeignKinds) -> IRModule:
    """Return a module whose main calls what a switch chooses."""
    x, y, z = Var("x", INT), Var("y", INT), Var("z", INT)
    cases = (
        kinds.case(Var("i"), Function((y,), add(y, x), INT)),
        kinds.case(Var("j"), Function((z,), multiply(z, const(3)), INT)),
    )
    return IRModule({"main": Function((x,), Call(kinds.switch(x, cases), (const(5),)), INT)})


def test_a_kind_that_has_to_do_with_functions_is_refused_where_it_is_not_registered():
    kinds = ForeignKinds()
    register_types(kinds)
    with (
        kinds.declared(),
        pytest.raises(UnknownKindError, match=r"register_function_passing\(Switch"),
    ):
        get_pass("Defunctionalization")(module(kinds))


def test_a_kind_that_passes_functions_on_passes_data_on():
    kinds = ForeignKinds()
    register_types(kinds)
    register_function_passing(kinds.switch)
    with kinds.declared():
        mod = module(kinds)
        out = get_pass("Defunctionalization")(mod)
        assert [run(out, (given,)).value for given in (2, 3)] == [7, 15]


def test_a_kind_whose_nodes_are_functions_cannot_be_registered():
    kinds = ForeignKinds()
    with pytest.raises(DeclarationError, match="is a deferred scope"):
        register_function_passing(kinds.thunk)
