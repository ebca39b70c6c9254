"""Functions that nodes of other packages make or pass on, when functions become data."""

from __future__ import annotations

import pytest

from relayish.errors import DeclarationError, PassError, UnknownKindError
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import scalar_type
from relayish.transform import FUNCTION_PASSING, get_pass
from tests.support.effect_trace import run
from tests.support.foreign_kinds import ForeignKinds, register_types

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
        pytest.raises(UnknownKindError, match=r"FUNCTION_PASSING\.register\(Switch"),
    ):
        get_pass("Defunctionalization")(module(kinds))


def test_a_kind_that_is_given_the_name_of_a_function_is_refused():
    kinds = ForeignKinds()
    register_types(kinds)
    it, y = kinds.it("it"), Var("y", INT)
    double = Function((y,), add(y, y), INT)
    body = kinds.with_(it, double, Call(it, (const(3),)))
    with (
        kinds.declared(),
        pytest.raises(UnknownKindError, match=r"FUNCTION_PASSING\.register\(With"),
    ):
        get_pass("Defunctionalization")(IRModule({"main": Function((), body, INT)}))


def test_a_function_that_a_variable_of_another_kind_stands_for_becomes_data():
    kinds = ForeignKinds()
    register_types(kinds)
    FUNCTION_PASSING.register(kinds.with_, True)
    with kinds.declared():
        it, x, y = kinds.it("it"), Var("x", INT), Var("y", INT)
        body = kinds.with_(it, Function((y,), add(y, x), INT), Call(it, (const(3),)))
        out = get_pass("Defunctionalization")(IRModule({"main": Function((x,), body, INT)}))
        assert run(out, (4,)).value == 7


def test_a_function_of_another_kind_is_refused_by_what_there_is_to_do():
    kinds = ForeignKinds()
    register_types(kinds)
    x = Var("x", INT)
    body = Call(kinds.thunk(Var("y", INT), x), (x,))
    with (
        kinds.declared(),
        pytest.raises(PassError, match=r"foreign_thunk.* put a Function in its place"),
    ):
        get_pass("Defunctionalization")(IRModule({"main": Function((x,), body, INT)}))


def test_a_kind_that_passes_functions_on_passes_data_on():
    kinds = ForeignKinds()
    register_types(kinds)
    FUNCTION_PASSING.register(kinds.switch, True)
    with kinds.declared():
        mod = module(kinds)
        out = get_pass("Defunctionalization")(mod)
        assert [run(out, (given,)).value for given in (2, 3)] == [7, 15]


def test_a_kind_whose_nodes_are_functions_cannot_be_registered():
    kinds = ForeignKinds()
    with pytest.raises(DeclarationError, match="is a deferred scope"):
        FUNCTION_PASSING.register(kinds.thunk, True)
