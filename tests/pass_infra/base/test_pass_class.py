from __future__ import annotations

import pytest

from relayish import transform
from relayish.errors import DeclarationError, PassError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Constant, Function, Var
from relayish.ir.relay.module import IRModule
from tests.support.each import each


def unit(value: int = 0, **attrs: object) -> Function:
    return Function((), Constant(value), attrs=DictAttrs(attrs) if attrs else None)


def test_function_pass_is_given_functions_in_order_of_name_and_the_module_as_it_was(
    mod: IRModule,
) -> None:
    seen, before = [], dict(mod.functions)

    def replace(func: Function, given: IRModule, _ctx: transform.PassContext) -> Function:
        assert given is mod
        assert all(given[name] is func for name, func in held.items())
        seen.append(func)
        return unit()

    held = {name: mod[name] for name in ("a", "b", "main")}
    out = transform.create_function_pass(replace, 1, "Replace")(mod)
    assert seen == list(held.values())
    assert all(out[name] is not mod[name] for name in held)
    assert dict(mod.functions) == before


@each("given", [IRModule(), IRModule({"f": unit(1), "c": Constant(3)})])
def test_function_pass_that_changes_nothing_returns_the_same_module(given: IRModule) -> None:
    assert transform.create_function_pass(lambda f, _m, _c: f, 1, "Nothing")(given) is given


def test_function_pass_keeps_the_identity_of_what_it_leaves(mod: IRModule) -> None:
    new, value = unit(), Constant(3)
    mod = mod.with_function("c", value)
    out = transform.create_function_pass(lambda f, m, _c: new if f is m["b"] else f, 1, "P")(mod)
    assert out["b"] is new
    assert all(out[name] is mod[name] for name in ("a", "main", "c"))
    assert out.get_global_var("b") is mod.get_global_var("b")


@pytest.mark.parametrize(
    ("attrs", "skipped"),
    [
        ({}, False),
        ({"Compiler": "dnnl"}, True),
        ({"Compiler": ""}, True),
        ({"SkipOptimization": 1}, True),
        ({"SkipOptimization": 0}, False),
        ({"Extern": 1}, True),
        ({"Extern": False}, False),
        ({"Primitive": 1}, False),
    ],
)
def test_function_pass_skips_by_attribute(attrs: dict[str, object], skipped: bool) -> None:
    func = unit(**attrs)
    given = IRModule({"f": func})
    out = transform.create_function_pass(lambda _f, _m, _c: unit(7), 1, "P")(given)
    assert transform.is_skipped(func) is skipped
    assert (out["f"] is func) is skipped


@pytest.mark.parametrize(
    ("value", "found"), [(None, "None; is a return missing"), (3, "an int"), (Var("x"), "a Var")]
)
def test_function_pass_names_itself_when_it_returns_no_function(
    mod: IRModule, value: object, found: str
) -> None:
    with pytest.raises(PassError, match=f"pass Bad must return a Function; found {found}") as info:
        transform.create_function_pass(lambda _f, _m, _c: value, 1, "Bad")(mod)
    assert info.value.__notes__ == ["in function @a", "in pass Bad"]


@pytest.mark.parametrize("value", [None, 3, Function((), Constant(1))])
def test_module_pass_names_itself_when_it_returns_no_module(mod: IRModule, value: object) -> None:
    with pytest.raises(PassError, match="pass Bad must return an IRModule; found"):
        transform.create_module_pass(lambda _m, _c: value, 1, "Bad")(mod)


def test_error_in_a_pass_carries_function_and_pass_and_leaves_the_module(mod: IRModule) -> None:
    error = ZeroDivisionError("mine")

    def fail(func: Function, given: IRModule, _ctx: transform.PassContext) -> Function:
        if func is given["b"]:
            raise error
        return func

    with pytest.raises(ZeroDivisionError) as info:
        transform.create_function_pass(fail, 1, "Fail")(mod)
    assert info.value is error
    assert info.value.__notes__ == ["in function @b", "in pass Fail"]
    with pytest.raises(ZeroDivisionError) as info:
        transform.create_module_pass(lambda _m, _c: 1 // 0, 1, "Fail")(mod)
    assert info.value.__notes__ == ["in pass Fail"]
    assert transform.create_function_pass(lambda f, _m, _c: f, 1, "P")(mod) is mod


@pytest.mark.parametrize("given", [None, Constant(1), Function((), Constant(1)), "text"])
def test_pass_refuses_what_is_no_module(given: object) -> None:
    with pytest.raises(PassError, match=r"pass P takes a module; found .*from_expr"):
        transform.create_module_pass(lambda m, _c: m, 1, "P")(given)


def test_pass_is_given_the_current_context(mod: IRModule) -> None:
    seen = []
    pass_ = transform.create_module_pass(lambda m, c: seen.append(c) or m, 1, "P")
    with transform.PassContext(opt_level=1) as ctx:
        pass_(mod)
    pass_(mod)
    assert seen == [ctx, transform.PassContext.current()]


def test_class_derived_by_hand_runs(mod: IRModule) -> None:
    class Mine(transform.FunctionPass):
        info = transform.PassInfo("Mine", 0)

        def transform_function(
            self, func: Function, mod: IRModule, ctx: transform.PassContext
        ) -> Function:
            return func

    assert Mine()(mod) is mod
    assert repr(Mine()) == "<Mine Mine, opt_level=0>"


def test_repr_shows_what_is_required() -> None:
    shown = repr(transform.create_module_pass(lambda m, _c: m, 1, "P", required=("A",)))
    assert shown == "<ModulePass P, opt_level=1, required=('A',)>"


def test_class_without_info_says_what_to_write(mod: IRModule) -> None:
    class Mine(transform.ModulePass):
        def transform_module(self, mod: IRModule, ctx: transform.PassContext) -> IRModule:
            return mod

    with pytest.raises(DeclarationError, match="Mine has no PassInfo; decorate it"):
        Mine()(mod)


@pytest.mark.parametrize("base", [transform.Pass, transform.FunctionPass, transform.ModulePass])
def test_class_without_its_method_cannot_be_built(base: type[transform.Pass]) -> None:
    class Mine(base):
        info = transform.PassInfo("Mine", 0)

    with pytest.raises(TypeError, match="abstract"):
        Mine()


def test_with_info_leaves_the_original_as_it_was() -> None:
    pass_ = transform.create_module_pass(lambda m, _c: m, 1, "P")
    other = pass_.with_info(transform.PassInfo("Q", 3))
    assert (pass_.info.name, other.info.name) == ("P", "Q")


def test_repr_of_a_decorated_class_shows_what_it_was_made_of() -> None:
    @transform.module_pass(opt_level=1)
    class Often:
        def __init__(self, times: int, *, quiet: bool = False) -> None:
            self.times = times

        def transform_module(self, mod: IRModule, ctx: transform.PassContext) -> IRModule:
            return mod

    assert repr(Often(3)) == "<Often Often, opt_level=1, times=3>"
    assert repr(Often(times=2, quiet=True)) == "<Often Often, opt_level=1, times=2, quiet=True>"


def test_error_that_refuses_notes_leaves_a_pass_as_it_is(mod) -> None:
    class Refusing(Exception):
        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(name)

    def refuse(func: Function, mod: IRModule, ctx: transform.PassContext) -> Function:
        raise Refusing

    with pytest.raises(Refusing) as caught:
        transform.create_function_pass(refuse, 0, "Refuse")(mod)
    assert caught.value.__notes__ == ["in function @a", "in pass Refuse"]
