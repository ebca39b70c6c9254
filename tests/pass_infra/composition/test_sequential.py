from __future__ import annotations

from collections.abc import Sequence

import pytest

from relayish.errors import DeclarationError, PassError, PipelineError, UnknownNameError
from relayish.ir.relay.module import IRModule
from relayish.transform import (
    ModulePass,
    Pass,
    PassContext,
    PassInfo,
    PassInstrument,
    Sequential,
    create_module_pass,
    register_pass,
    requirements,
)
from tests.support.each import each

pytestmark = pytest.mark.usefixtures("declarations")


class Ran:
    """Makes passes that note that they ran."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def make(self, name: str, level: int = 0, required: Sequence[str] = ()) -> Pass:
        return create_module_pass(lambda m, _c: self.log.append(name) or m, level, name, required)

    def register(self, name: str, level: int = 0, required: Sequence[str] = ()) -> Pass:
        return register_pass()(self.make(name, level, required))


@pytest.fixture
def ran() -> Ran:
    return Ran()


def test_passes_run_in_order(ran: Ran, mod: IRModule) -> None:
    assert Sequential([ran.make("A"), ran.make("B"), ran.make("A")])(mod) is mod
    assert ran.log == ["A", "B", "A"]


def test_each_pass_is_given_what_the_one_before_returned(mod: IRModule) -> None:
    drop_a = create_module_pass(lambda m, _c: m.without_functions(["a"]), 0, "DropA")
    drop_b = create_module_pass(lambda m, _c: m.without_functions(["b"]), 0, "DropB")
    out = Sequential([drop_a, drop_b])(mod)
    assert [g.name_hint for g in out.get_global_vars()] == ["main"]
    assert len(mod) == 3


def test_sequential_of_nothing_returns_the_module(mod: IRModule) -> None:
    assert Sequential()(mod) is mod


@each("level", [0, 1, 2, 3])
@each("pass_level", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize("disabled", [True, False])
@pytest.mark.parametrize("direct", [True, False])
def test_truth_table(
    ran: Ran,
    mod: IRModule,
    level: int,
    pass_level: int,
    required: bool,
    disabled: bool,
    direct: bool,
) -> None:
    ran.log.clear()
    pass_ = ran.make("P", pass_level)
    names = ["P"]
    with PassContext(level, names if required else None, names if disabled else None):
        (pass_ if direct else Sequential([pass_]))(mod)
    expected = direct or (not disabled and (required or level >= pass_level))
    assert ran.log == (names if expected else [])


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("disabled", [True, False])
def test_requirement_runs_before_whatever_its_level_and_though_disabled(
    ran: Ran, mod: IRModule, level: int, disabled: bool
) -> None:
    ran.register("Req", level=3)
    with PassContext(level, disabled_pass=["Req"] if disabled else None):
        Sequential([ran.make("P", 0, ["Req"])])(mod)
    assert ran.log == ["Req", "P"]


def test_requirement_of_a_pass_that_is_not_enabled_does_not_run(ran: Ran, mod: IRModule) -> None:
    ran.register("Req")
    with PassContext(opt_level=0):
        Sequential([ran.make("P", 1, ["Req"])])(mod)
    with PassContext(disabled_pass=["P"]):
        Sequential([ran.make("P", 0, ["Req"])])(mod)
    assert ran.log == []


def test_pass_called_directly_runs_no_requirement(ran: Ran, mod: IRModule) -> None:
    ran.make("P", 0, ["NoSuchPass"])(mod)
    assert ran.log == ["P"]


def test_requirements_are_followed_through_and_run_once(ran: Ran, mod: IRModule) -> None:
    ran.register("D")
    ran.register("B", required=["D"])
    ran.register("C", required=["relayish.pass_.D", "B", "D"])
    pass_ = ran.make("A", 0, ["B", "C"])
    Sequential([pass_])(mod)
    assert [p.info.name for p in requirements(pass_)] == ["D", "B", "C"]
    assert ran.log == ["D", "B", "C", "A"]


def test_requirement_runs_again_before_each_pass_that_has_it(ran: Ran, mod: IRModule) -> None:
    ran.register("Req")
    Sequential([ran.make("A", 0, ["Req"]), ran.make("B", 0, ["Req"])])(mod)
    assert ran.log == ["Req", "A", "Req", "B"]


def test_requirement_carries_options(ran: Ran, mod: IRModule) -> None:
    @register_pass(opt_level=0)
    class Option(ModulePass):
        value: int = 0

        def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
            ran.log.append(f"Option {self.value}")
            return mod

    Sequential([ran.make("P", 0, ["Option{value=3}", "Option"])])(mod)
    assert ran.log == ["Option 3", "Option 0", "P"]


def test_requirement_can_be_skipped_by_an_instrument(ran: Ran, mod: IRModule) -> None:
    class NoReq(PassInstrument):
        def should_run(self, mod: IRModule, info: PassInfo) -> bool:
            return info.name != "Req"

    ran.register("Req")
    with PassContext(instruments=[NoReq()]):
        Sequential([ran.make("P", 0, ["Req"])])(mod)
    assert ran.log == ["P"]


@pytest.mark.parametrize(
    ("edges", "circle"),
    [
        ({"A": ["A"]}, "A -> A"),
        ({"A": ["B"], "B": ["A"]}, "A -> B -> A"),
        ({"A": ["B"], "B": ["C"], "C": ["B"]}, "B -> C -> B"),
    ],
)
def test_circle_of_requirements_is_shown(
    ran: Ran, mod: IRModule, edges: dict[str, list[str]], circle: str
) -> None:
    made = {name: ran.register(name, required=required) for name, required in edges.items()}
    with pytest.raises(PassError, match=f"require each other in a circle: {circle};"):
        Sequential([made["A"]])(mod)
    assert ran.log == []


def test_long_chain_of_requirements_uses_no_stack(ran: Ran, mod: IRModule) -> None:
    count = 3000
    ran.register("P0")
    for index in range(1, count):
        ran.register(f"P{index}", required=[f"P{index - 1}"])
    Sequential([f"P{count - 1}"])(mod)
    assert ran.log == [f"P{index}" for index in range(count)]


def test_unknown_requirement_names_who_requires_it(ran: Ran, mod: IRModule) -> None:
    with pytest.raises(UnknownNameError, match="no pass 'NoSuchPass'") as info:
        Sequential([ran.make("P", 0, ["NoSuchPass"])])(mod)
    assert "required by pass P" in info.value.__notes__


def test_faulty_options_of_a_requirement_name_who_requires_it(ran: Ran, mod: IRModule) -> None:
    ran.register("Req")
    with pytest.raises(PipelineError, match="Req has no option 'x'") as info:
        Sequential([ran.make("P", 0, ["Req{x=1}"])])(mod)
    assert "required by pass P" in info.value.__notes__


def test_level_of_a_sequential_counts_only_inside_another(ran: Ran, mod: IRModule) -> None:
    inner = Sequential([ran.make("P")], opt_level=3, name="inner")
    inner(mod)
    Sequential([inner])(mod)
    assert ran.log == ["P"]
    with PassContext(opt_level=3):
        Sequential([inner])(mod)
    assert ran.log == ["P", "P"]


def test_requirements_of_a_sequential_count_only_inside_another(ran: Ran, mod: IRModule) -> None:
    ran.register("Req")
    inner = Sequential([ran.make("P")], name="inner", required=["Req"])
    inner(mod)
    assert ran.log == ["P"]
    Sequential([inner])(mod)
    assert ran.log == ["P", "Req", "P"]


def test_passes_inside_a_nested_sequential_follow_the_context(ran: Ran, mod: IRModule) -> None:
    with PassContext(disabled_pass=["P"]):
        Sequential([Sequential([ran.make("P"), ran.make("Q")])])(mod)
    assert ran.log == ["Q"]


def test_passes_may_be_given_by_name(ran: Ran, mod: IRModule) -> None:
    ran.register("P")
    Sequential(["P", "relayish.pass_.P"])(mod)
    assert ran.log == ["P", "P"]


def test_failing_pass_leaves_the_module_and_names_the_way(ran: Ran, mod: IRModule) -> None:
    before = dict(mod.functions)
    drop = create_module_pass(lambda m, _c: m.without_functions(["a"]), 0, "Drop")
    bad = create_module_pass(lambda _m, _c: None, 0, "Bad")
    with pytest.raises(PassError, match="pass Bad must return") as info:
        Sequential([drop, bad, ran.make("P")], name="S")(mod)
    assert info.value.__notes__ == ["in pass Bad", "in pass S"]
    assert dict(mod.functions) == before
    assert ran.log == []


def test_class_in_place_of_a_pass_is_an_error() -> None:
    class Mine(ModulePass):
        def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
            return mod

    with pytest.raises(DeclarationError, match=r"found the class Mine; write Mine\(\)"):
        Sequential([Mine])


@pytest.mark.parametrize("item", [3, None, int, lambda m: m])
def test_something_else_in_place_of_a_pass_is_an_error(item: object) -> None:
    with pytest.raises(DeclarationError, match="Sequential holds passes; found"):
        Sequential([item])


def test_single_pass_or_name_in_place_of_a_sequence_is_an_error(ran: Ran) -> None:
    for given in ("FoldConstant", ran.make("P")):
        with pytest.raises(DeclarationError, match="Sequential takes a sequence of passes"):
            Sequential(given)


def test_repr_shows_the_passes(ran: Ran) -> None:
    shown = repr(Sequential([ran.make("P")], name="S"))
    assert shown == "Sequential([<ModulePass P, opt_level=0>], name='S')"
