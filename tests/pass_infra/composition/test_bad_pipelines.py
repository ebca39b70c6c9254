"""Whatever is wrong with a pipeline: one clear error that names the pass, and a program that is
as good as before."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from relayish.errors import PassError, PipelineError, RelayishError, UnknownNameError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.transform import (
    FunctionPass,
    ModulePass,
    Pass,
    PassContext,
    Sequential,
    create_function_pass,
    create_module_pass,
    parse_pipeline,
    register_pass,
)

pytestmark = pytest.mark.usefixtures("declarations")


def program() -> IRModule:
    x = var("x", shape=(2,))
    other = Function((), const(1.0))
    return IRModule({"main": Function((x,), x + const([1.0, 2.0])), "other": other})


def register_bad() -> None:
    """Register passes, each of which is bad in its own way."""

    @register_pass(opt_level=0)
    class Option(FunctionPass):
        amount: int = 1

        def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
            return func

    @register_pass(opt_level=0, required=("CircleB",))
    class CircleA(Option):
        pass

    @register_pass(opt_level=0, required=("CircleA",))
    class CircleB(Option):
        pass

    @register_pass(opt_level=0, required=("NoSuchPass",))
    class Needs(Option):
        pass

    @register_pass(opt_level=0)
    class ReturnsNone(ModulePass):
        def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
            return None

    def function_returns_text(func: Function, mod: IRModule, ctx: PassContext) -> Function:
        return "text"

    def raises(mod: IRModule, ctx: PassContext) -> IRModule:
        mod.with_function("main", mod["other"])
        raise ZeroDivisionError("mine")

    def mutates(mod: IRModule, ctx: PassContext) -> IRModule:
        object.__setattr__(mod["other"].body, "span", "nonsense")
        return mod

    register_pass(opt_level=0)(create_function_pass(function_returns_text, 0, "ReturnsText"))
    register_pass(opt_level=0)(create_module_pass(raises, 0, "Raises"))
    register_pass(opt_level=0)(create_module_pass(mutates, 0, "Mutates"))

    @register_pass(opt_level=0)
    def NoPass() -> Pass:
        return 3

    @register_pass(opt_level=0, infer_types=True)
    class IllTyped(FunctionPass):
        def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
            return func.with_fields(body=const([1.0, 2.0, 3.0]) + const([1.0, 2.0]), ret_type=None)


BAD = {
    "unknown pass": ("InferType,FoldConstnt", UnknownNameError, "FoldConstnt", "FoldConstant?"),
    "unknown option": ("Option{amont=1}", PipelineError, "Option", "did you mean amount"),
    "wrong type": ("Option{amount=many}", PipelineError, "Option", "expected int; found 'many'"),
    "unclosed": ("InferType,Option{amount=1", PipelineError, "", "column"),
    "circle": ("InferType,CircleA", PassError, "CircleA", "CircleA -> CircleB -> CircleA"),
    "unknown requirement": ("InferType,Needs", UnknownNameError, "Needs", "no pass 'NoSuchPass'"),
    "no pass": ("InferType,NoPass", PassError, "NoPass", "must return a pass; found 3"),
    "no module": ("InferType,ReturnsNone", PassError, "ReturnsNone", "found None"),
    "no function": ("InferType,ReturnsText", PassError, "ReturnsText", "found a str"),
    "raises": ("InferType,Raises", ZeroDivisionError, "Raises", "mine"),
    "mutates": ("InferType,Mutates", PassError, "Mutates", "changed the program it was given"),
    "ill-typed": ("IllTyped", RelayishError, "IllTyped", "the pass returned"),
}


def told(error: BaseException) -> str:
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


@pytest.mark.parametrize("what", BAD)
def test_bad_pipeline_fails_with_one_clear_error_and_leaves_the_program(what: str) -> None:
    register_bad()
    text, kind, name, says = BAD[what]
    mod, twin = program(), program()
    with (
        pytest.raises(kind) as info,
        PassContext(config={"testing.immutable_module": True}),
    ):
        parse_pipeline(text)(mod)
    message = told(info.value)
    assert name in message
    assert says in message
    assert info.value.__cause__ is None
    assert_as_good_as(mod, twin)
    assert PassContext.current().opt_level == 2


def assert_as_good_as(mod: IRModule, twin: IRModule) -> None:
    assert structural_equal(mod, twin)
    argument = np.array([1.0, 2.0], "float32")
    assert np.array_equal(evaluate(mod["main"], mod, [argument]), [2.0, 4.0])
    assert Sequential(["InferType", "FoldConstant"])(mod) is not None


@pytest.mark.parametrize("what", ["circle", "unknown requirement"])
def test_nothing_of_a_pipeline_runs_twice_because_a_later_pass_cannot(what: str) -> None:
    """A requirement that cannot be met is told when its turn comes; what ran before did so once."""
    register_bad()
    ran: list[str] = []
    first = create_module_pass(lambda m, _c: ran.append("first") or m, 0, "First")
    pipeline = Sequential([first, BAD[what][0].rpartition(",")[2]])
    with pytest.raises(RelayishError):
        pipeline(program())
    assert ran == ["first"]


RAISING: dict[str, Callable[[], BaseException]] = {
    "keyboard": KeyboardInterrupt,
    "memory": MemoryError,
    "recursion": RecursionError,
    "exit": lambda: SystemExit(3),
    "own": lambda: PassError("mine"),
}


@pytest.mark.parametrize("error", RAISING)
def test_error_of_any_kind_goes_on_as_it_is_with_the_pass_noted(error: str) -> None:
    raised = RAISING[error]()

    def fail(_mod: IRModule, _ctx: PassContext) -> IRModule:
        raise raised

    mod, twin = program(), program()
    with pytest.raises(type(raised)) as info:
        Sequential([create_module_pass(fail, 0, "Fails")], name="S")(mod)
    assert info.value is raised
    assert info.value.__notes__ == ["in pass Fails", "in pass S"]
    assert_as_good_as(mod, twin)
