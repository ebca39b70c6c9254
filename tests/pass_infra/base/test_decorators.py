from __future__ import annotations

import copy
import functools
import inspect

import pytest

from relayish.errors import DeclarationError
from relayish.ir.relay.expr import Constant, Function
from relayish.ir.relay.module import IRModule
from relayish.transform import (
    FunctionPass,
    ModulePass,
    PassContext,
    create_function_pass,
    create_module_pass,
    function_pass,
    module_pass,
)


def test_created_pass_tells_its_info() -> None:
    def keep(func: Function, _mod: IRModule, _ctx: PassContext) -> Function:
        """Keeps.

        More.
        """
        return func

    info = create_function_pass(keep, 3, required=["A"]).info
    assert (info.name, info.opt_level, info.required) == ("keep", 3, ("A",))
    assert info.description == "Keeps."


def test_created_pass_takes_the_name_given() -> None:
    assert create_module_pass(lambda m, _c: m, 1, "Named").info.name == "Named"


def test_created_pass_of_an_object_goes_by_its_class(mod: IRModule) -> None:
    keep = functools.partial(lambda m, _c: m)
    pass_ = create_module_pass(keep, 1)
    assert (pass_.info.name, pass_.info.description) == ("partial", "")
    assert pass_(mod) is mod


@pytest.mark.parametrize("create", [create_function_pass, create_module_pass])
def test_creating_a_pass_of_what_cannot_be_called_is_an_error(create) -> None:
    with pytest.raises(DeclarationError, match="made of something to call; found 3"):
        create(3, 1, "P")


def test_decorated_function_is_a_pass(mod: IRModule) -> None:
    @function_pass(opt_level=1)
    def keep(func: Function, mod: IRModule, ctx: PassContext) -> Function:
        return func

    @module_pass(opt_level=2, name="Whole", required=["A"])
    def whole(mod: IRModule, ctx: PassContext) -> IRModule:
        return mod

    assert isinstance(keep, FunctionPass)
    assert isinstance(whole, ModulePass)
    assert keep.info.name == "keep"
    assert (whole.info.name, whole.info.required) == ("Whole", ("A",))
    assert keep(mod) is whole(mod) is mod


@pytest.mark.parametrize(
    ("decorate", "name"), [(function_pass, "function_pass"), (module_pass, "module_pass")]
)
def test_decorator_without_level_is_an_error(decorate, name: str) -> None:
    message = rf"@{name} needs the level of the pass; write @{name}\(opt_level=\.\.\.\)"
    with pytest.raises(DeclarationError, match=message):
        decorate(lambda f, _m, _c: f)
    with pytest.raises(DeclarationError, match=message):
        decorate()


@function_pass(opt_level=1)
class Replace:
    """Replaces."""

    def __init__(self, value: int, *, twice: bool = False) -> None:
        self.value = value
        self.twice = twice

    def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
        return self.make()

    def make(self) -> Function:
        return Function((), Constant(self.value))


def test_decorated_class_makes_passes(mod: IRModule) -> None:
    out = Replace(4)(mod)
    assert out["main"].body.data == 4
    assert isinstance(Replace(1), FunctionPass)


def test_attributes_of_a_decorated_class_fall_back_to_the_instance() -> None:
    pass_ = Replace(4, twice=True)
    assert (pass_.value, pass_.twice) == (4, True)
    assert pass_.make().body.data == 4
    with pytest.raises(AttributeError, match="nothing"):
        _ = pass_.nothing


def test_decorated_class_keeps_name_doc_and_signature() -> None:
    assert (Replace.__name__, Replace.__doc__) == ("Replace", "Replaces.")
    assert Replace.__module__ == __name__
    assert list(inspect.signature(Replace).parameters) == ["value", "twice"]
    assert Replace.info.description == "Replaces."


def test_pass_of_a_decorated_class_can_be_copied(mod: IRModule) -> None:
    assert copy.copy(Replace(4))(mod)["a"].body.data == 4


def test_decorated_module_class_makes_passes(mod: IRModule) -> None:
    @module_pass(opt_level=0, name="Drop")
    class Anything:
        def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
            return mod.without_functions(["a"])

    pass_ = Anything()
    assert isinstance(pass_, ModulePass)
    assert pass_.info.name == "Drop"
    assert "a" not in pass_(mod)


def test_decorated_pass_class_is_only_given_its_info(mod: IRModule) -> None:
    class Keep(FunctionPass):
        def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
            return func

    assert function_pass(opt_level=3)(Keep) is Keep
    assert Keep.info.opt_level == 3
    assert Keep()(mod) is mod


@pytest.mark.parametrize(
    ("decorate", "method"),
    [(function_pass, "transform_function"), (module_pass, "transform_module")],
)
def test_decorated_class_without_its_method_is_an_error(decorate, method: str) -> None:
    class Empty:
        pass

    with pytest.raises(DeclarationError, match=f"on class Empty needs a method {method}"):
        decorate(opt_level=1)(Empty)
