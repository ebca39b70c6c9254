from __future__ import annotations

from collections.abc import Sequence

import pytest

from relayish import transform
from relayish.errors import DeclarationError, PassError, PipelineError, UnknownNameError
from relayish.ir.relay.module import IRModule
from tests.support.each import each

pytestmark = pytest.mark.usefixtures("declarations")


class Ran:
    """Makes passes that note that they ran."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def make(self, name: str, level: int = 0, required: Sequence[str] = ()) -> transform.Pass:
        return transform.create_module_pass(
            lambda m, _c: self.log.append(name) or m, level, name, required
        )

    def register(self, name: str, level: int = 0, required: Sequence[str] = ()) -> transform.Pass:
        return transform.register_pass()(self.make(name, level, required))


@pytest.fixture
def ran() -> Ran:
    return Ran()


def test_passes_run_in_order(ran: Ran, mod: IRModule) -> None:
    ran.register("P")
    passes = [ran.make("A"), "P", ran.make("B"), "relayish.pass_.P", ran.make("A")]
    assert transform.Sequential(passes)(mod) is mod
    assert ran.log == ["A", "P", "B", "P", "A"]
    assert transform.Sequential()(mod) is mod


def test_each_pass_is_given_what_the_one_before_returned(mod: IRModule) -> None:
    drop_a = transform.create_module_pass(lambda m, _c: m.without_functions(["a"]), 0, "DropA")
    drop_b = transform.create_module_pass(lambda m, _c: m.without_functions(["b"]), 0, "DropB")
    out = transform.Sequential([drop_a, drop_b])(mod)
    assert [g.name_hint for g in out.get_global_vars()] == ["main"]
    assert len(mod) == 3


def test_requirements_are_followed_through_and_run_once(ran: Ran, mod: IRModule) -> None:
    ran.register("D")
    ran.register("B", required=["D"])
    ran.register("C", required=["relayish.pass_.D", "B", "D"])
    pass_ = ran.make("A", 0, ["B", "C"])
    transform.Sequential([pass_])(mod)
    assert [p.info.name for p in transform.requirements(pass_)] == ["D", "B", "C"]
    assert ran.log == ["D", "B", "C", "A"]


def test_requirement_runs_again_before_each_pass_that_has_it(ran: Ran, mod: IRModule) -> None:
    ran.register("Req")
    transform.Sequential([ran.make("A", 0, ["Req"]), ran.make("B", 0, ["Req"])])(mod)
    assert ran.log == ["Req", "A", "Req", "B"]


def test_requirement_carries_options(ran: Ran, mod: IRModule) -> None:
    @transform.register_pass(opt_level=0)
    class Option(transform.ModulePass):
        value: int = 0

        def transform_module(self, mod: IRModule, ctx: transform.PassContext) -> IRModule:
            ran.log.append(f"Option {self.value}")
            return mod

    transform.Sequential([ran.make("P", 0, ["Option{value=3}", "Option"])])(mod)
    assert ran.log == ["Option 3", "Option 0", "P"]


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
        transform.Sequential([made["A"]])(mod)
    assert ran.log == []


def test_long_chain_of_requirements_uses_no_stack(ran: Ran, mod: IRModule) -> None:
    count = 3000
    ran.register("P0")
    for index in range(1, count):
        ran.register(f"P{index}", required=[f"P{index - 1}"])
    transform.Sequential([f"P{count - 1}"])(mod)
    assert ran.log == [f"P{index}" for index in range(count)]


@pytest.mark.parametrize(
    ("required", "error", "message"),
    [
        ("NoSuchPass", UnknownNameError, "no pass 'NoSuchPass'"),
        ("Req{x=1}", PipelineError, "Req has no option 'x'"),
    ],
)
def test_faulty_requirement_names_who_requires_it(
    required: str, error: type[Exception], message: str, ran: Ran, mod: IRModule
) -> None:
    ran.register("Req")
    with pytest.raises(error, match=message) as info:
        transform.Sequential([ran.make("P", 0, [required])])(mod)
    assert "required by pass P" in info.value.__notes__


def test_level_of_a_sequential_counts_only_inside_another(ran: Ran, mod: IRModule) -> None:
    inner = transform.Sequential([ran.make("P")], opt_level=3, name="inner")
    inner(mod)
    transform.Sequential([inner])(mod)
    assert ran.log == ["P"]
    with transform.PassContext(opt_level=3):
        transform.Sequential([inner])(mod)
    assert ran.log == ["P", "P"]


def test_requirements_of_a_sequential_count_only_inside_another(ran: Ran, mod: IRModule) -> None:
    ran.register("Req")
    inner = transform.Sequential([ran.make("P")], name="inner", required=["Req"])
    inner(mod)
    assert ran.log == ["P"]
    transform.Sequential([inner])(mod)
    assert ran.log == ["P", "Req", "P"]


def test_failing_pass_leaves_the_module_and_names_the_way(ran: Ran, mod: IRModule) -> None:
    before = dict(mod.functions)
    drop = transform.create_module_pass(lambda m, _c: m.without_functions(["a"]), 0, "Drop")
    bad = transform.create_module_pass(lambda _m, _c: None, 0, "Bad")
    with pytest.raises(PassError, match="pass Bad must return") as info:
        transform.Sequential([drop, bad, ran.make("P")], name="S")(mod)
    assert info.value.__notes__ == ["in pass Bad", "in pass S"]
    assert dict(mod.functions) == before
    assert ran.log == []


@each(
    ("given", "message"),
    [
        ([Ran], "Sequential holds passes; found"),
        ([transform.ModulePass], r"found the class ModulePass; write ModulePass\(\)"),
        *[([item], "Sequential holds passes; found") for item in (3, None, int, lambda m: m)],
        ("FoldConstant", "Sequential takes a sequence of passes"),
        (transform.Sequential(), "Sequential takes a sequence of passes"),
    ],
)
def test_what_is_no_sequence_of_passes_is_an_error(given: object, message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        transform.Sequential(given)


def test_repr_shows_the_passes(ran: Ran) -> None:
    shown = repr(transform.Sequential([ran.make("P")], name="S"))
    assert shown == "Sequential([<ModulePass P, opt_level=0>], name='S')"
