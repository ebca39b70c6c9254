from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from relayish import transform
from relayish.analysis.infer_type import infer_type
from relayish.errors import FrozenNodeError, PassError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Constant, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op.declaration.registry import get_op
from relayish.pass_infra.base.snapshot import Snapshot
from tests.support.deep import DEEP_NESTS
from tests.support.depth import DEPTH

force = object.__setattr__


class Box:
    """What nobody knows the inside of."""


def program() -> IRModule:
    x, v = var("x", shape=(2,)), Var("v")
    value = x + const(np.array([1.0, 2.0], "float32"))
    reduced = Call(get_op("sum"), (v,), attrs=get_attrs())
    attrs = DictAttrs({"tags": {1, 2}, "box": Box(), "weights": np.array([1.0, 2.0])})
    func = Function((x,), Let(v, value, Tuple((reduced, v))), attrs=attrs)
    return infer_type(IRModule({"main": func}))


def get_attrs() -> object:
    x = var("x", shape=(2,))
    return get_op("sum")(x, axis=[0]).attrs


def let(mod: IRModule) -> Let:
    return mod["main"].body


def constant(mod: IRModule) -> Constant:
    return let(mod).value.args[1]


def write_data(mod: IRModule) -> None:
    data = constant(mod).data
    data.flags.writeable = True
    data[0] = 7
    data.flags.writeable = False


CHANGES: dict[str, tuple[Callable[[IRModule], object], str]] = {
    "field": (lambda m: force(let(m), "value", const(1)), "value of a Let is another"),
    "operand": (lambda m: force(let(m).value, "args", (const(1), const(1))), "args of a Call is"),
    "name": (lambda m: force(let(m).var, "name_hint", "w"), "name_hint of a Var w is another"),
    "data": (write_data, "data of a Constant is another"),
    "type": (
        lambda m: force(let(m).value, "checked_type", TensorType((3,), "float32")),
        "checked_type of a Call is another",
    ),
    "shape": (
        lambda m: force(let(m).value.checked_type, "shape", (9,)),
        "shape of a TensorType is another",
    ),
    "attribute": (
        lambda m: force(let(m).body.fields[0].attrs, "keepdims", True),
        "attrs of a Call is another",
    ),
    "container": (lambda m: m["main"].attrs["tags"].add(3), "attrs of a Function is another"),
    "array": (lambda m: m["main"].attrs["weights"].fill(0), "attrs of a Function is another"),
    "values": (lambda m: m["main"].attrs._values.pop("box"), "attrs of a Function is another"),
    "module": (lambda m: force(m, "_functions", m._functions), ""),
    "functions": (
        lambda m: force(m, "_functions", IRModule()._functions),
        "_functions of the module is another",
    ),
    "attributes": (lambda m: force(m, "attrs", DictAttrs()), "attrs of the module is another"),
}


def changing(change: Callable[[IRModule], object]) -> transform.Pass:
    return transform.create_module_pass(lambda m, _c: (change(m) and m) or m, 0, "Changes")


def watched(how: str) -> transform.PassContext:
    if how == "instrument":
        return transform.PassContext(instruments=[transform.ImmutableModuleInstrument()])
    return transform.PassContext(config={"testing.immutable_module": True})


@pytest.mark.parametrize("how", ["instrument", "config"])
@pytest.mark.parametrize("change", CHANGES)
def test_pass_that_changes_its_input_is_named_with_what_it_changed(how: str, change: str) -> None:
    act, says = CHANGES[change]
    mod = program()
    if not says:
        with watched(how):
            assert changing(act)(mod) is mod
        return
    with (
        pytest.raises(PassError, match=f"pass Changes changed the program it was given: {says}"),
        watched(how),
    ):
        changing(act)(mod)


@pytest.mark.parametrize("how", ["instrument", "config"])
def test_pass_that_builds_another_program_is_not_blamed(how: str) -> None:
    mod = program()
    double = transform.create_function_pass(
        lambda f, _m, _c: f.with_fields(body=f.body.body), 0, "P"
    )
    with watched(how):
        assert double(mod) is not mod
        assert changing(structural_hash)(mod) is mod


@pytest.mark.parametrize("how", ["instrument", "config"])
def test_pass_that_changes_and_then_fails_has_it_noted(how: str) -> None:
    def fail(mod: IRModule, _ctx: transform.PassContext) -> IRModule:
        write_data(mod)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as info, watched(how):
        transform.create_module_pass(fail, 0, "Fails")(program())
    says = "pass Fails changed the program it was given: data of a Constant is another"
    assert info.value.__notes__.count(says) == 1


@pytest.mark.parametrize("how", ["instrument", "config"])
def test_inner_pass_is_blamed_before_the_one_around_it(how: str) -> None:
    inner = changing(write_data)
    outer = transform.create_module_pass(lambda m, _c: inner(m), 0, "Outer")
    with pytest.raises(PassError, match="pass Changes changed") as info, watched(how):
        outer(program())
    assert "in pass Outer" in info.value.__notes__


def test_nobody_looks_unless_asked() -> None:
    mod = program()
    assert changing(write_data)(mod) is mod


def test_hash_of_structure_catches_what_is_written_into_a_constant() -> None:
    mod = program()
    before = structural_hash(mod)
    write_data(mod)
    assert structural_hash(mod) != before


def test_constants_refuse_writing_until_forced() -> None:
    with pytest.raises(ValueError, match="read-only"):
        constant(program()).data[0] = 7
    with pytest.raises(FrozenNodeError):
        let(program()).value = const(1)


def test_array_that_somebody_else_holds_is_no_back_door() -> None:
    mine = np.array([1.0, 2.0], "float32")
    held = const(mine)
    mine[0] = 7
    assert held.data[0] == 1


@pytest.mark.deep
@pytest.mark.parametrize("nest", ["call_chain", "let_body", "function_nest"])
def test_deep_programs_are_looked_at_without_recursion(nest: str) -> None:
    expr = DEEP_NESTS[nest](DEPTH)
    mod = IRModule({"main": Function((), expr)})
    assert Snapshot(mod).difference() is None


def test_shared_programs_are_looked_at_in_linear_time() -> None:
    expr = var("x", shape=())
    func = Function((expr,), expr)
    for _ in range(100):
        expr = expr + expr
    assert Snapshot(IRModule({"main": func.with_fields(body=expr)})).difference() is None
