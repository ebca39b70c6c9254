from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from relayish import transform
from relayish.analysis import infer_type
from relayish.errors import CheckError, DeclarationError, UnknownNameError, WellFormedError
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import scalar_type
from relayish.op.declaration.registry import get_op


def unit(value: float = 0.0) -> IRModule:
    return IRModule({"main": Function((), const(value))})


def bound_twice() -> IRModule:
    x = Var("x")
    return IRModule({"main": Function((x,), Let(x, const(1), x))})


def lost() -> IRModule:
    """Return a program in which a variable that has a type is bound nowhere."""
    x, half = Var("x", scalar_type("float32")), Var("half", scalar_type("float32"))
    call = Call(get_op("add"), (x, half))
    return IRModule({"main": Function((x,), call)})


def lost_after_typing() -> IRModule:
    """Return the same of a let that was dropped after its types were inferred."""
    x, half = Var("x", scalar_type("float32")), Var("half")
    called = Call(get_op("exp"), (half,))
    func = infer_type(Function((x,), Let(half, x, called)))
    assert isinstance(func.body, Let)
    return IRModule({"main": func.with_fields(body=func.body.body)})


def params_replaced() -> IRModule:
    """Return a typed program whose parameters are new and their uses are not."""
    x = Var("x", scalar_type("float32"))
    func = infer_type(Function((x,), Call(get_op("exp"), (x,))))
    return IRModule({"main": func.with_fields(params=[Var("x", scalar_type("float32"))])})


def ill_typed() -> IRModule:
    lhs, rhs = const([1.0, 2.0]), const([1.0, 2.0, 3.0])
    return IRModule({"main": Function((), Call(get_op("add"), (lhs, rhs)))})


def returns(out: IRModule | None, name: str, **facts: object) -> transform.Pass:
    """Return a pass that returns ``out``, or what it is given."""
    return transform.create_module_pass(lambda m, _c: m if out is None else out, 0, name, **facts)


@pytest.fixture
def runs(declarations: None) -> list[IRModule]:
    """What the check ``counts``, which every program passes, was asked."""
    asked: list[IRModule] = []

    @transform.register_check("counts")
    def counts(mod: IRModule) -> None:
        asked.append(mod)

    @transform.register_check("never")
    def never(mod: IRModule) -> None:
        raise CheckError("there is always something", check="never")

    return asked


def run(mod: IRModule, *passes: transform.Pass, checks: tuple[str, ...] | None = None) -> IRModule:
    verify = transform.VerifyInstrument() if checks is None else transform.VerifyInstrument(checks)
    with transform.PassContext(instruments=[verify]):
        return transform.Sequential(passes, name="S")(mod)


@pytest.mark.parametrize(
    ("wrong", "name", "says"),
    [
        (bound_twice(), "well_formed", "bound twice"),
        (lost(), "well_formed", "%half, which nothing binds"),
        (lost_after_typing(), "well_formed", "%half, which nothing binds"),
        (params_replaced(), "well_formed", "another variable called %x"),
        (ill_typed(), "well_typed", "add"),
    ],
)
def test_pass_that_breaks_the_program_is_named(wrong: IRModule, name: str, says: str) -> None:
    with pytest.raises(CheckError, match=f"pass B broke the check {name}: .*{says}") as info:
        run(unit(), returns(unit(1), "A"), returns(wrong, "B"), returns(None, "C"))
    assert (info.value.check, info.value.pass_name) == (name, "B")
    assert says in str(info.value.__cause__)


def test_cause_and_notes_of_the_check_are_kept() -> None:
    with pytest.raises(CheckError) as info:
        run(unit(), returns(bound_twice(), "B"))
    assert isinstance(info.value.__cause__, WellFormedError)
    assert info.value.__notes__[0] == "in the definition of @main"


def test_program_at_fault_before_the_first_pass_is_told_so() -> None:
    message = r"the program fails the check well_formed already before pass S \(no pass ran before"
    with pytest.raises(CheckError, match=message) as info:
        run(bound_twice(), returns(None, "A"))
    assert info.value.pass_name == ""


def test_program_put_in_between_passes_is_told_from_their_results() -> None:
    message = r"already before pass B \(A was the last pass that ran\)"
    with transform.PassContext(instruments=[transform.VerifyInstrument()]):
        returns(None, "A")(unit())
        with pytest.raises(CheckError, match=message):
            returns(None, "B")(bound_twice())


def test_each_context_starts_from_nothing() -> None:
    verify = transform.VerifyInstrument()
    with transform.PassContext(instruments=[verify]):
        returns(None, "A")(unit())
    with (
        pytest.raises(CheckError, match="no pass ran before it"),
        transform.PassContext(instruments=[verify]),
    ):
        returns(None, "B")(bound_twice())


def test_every_result_is_checked_once(runs: list[IRModule]) -> None:
    first, second, third = unit(0), unit(1), unit(2)
    out = run(
        first, returns(second, "A"), returns(None, "B"), returns(third, "C"), checks=("counts",)
    )
    assert out is third
    assert runs == [first, second, third]


def test_required_check_is_run_before_the_pass_only(runs: list[IRModule]) -> None:
    mod = unit()
    run(mod, returns(unit(1), "A", requires=("counts",)), checks=())
    assert runs == [mod]


def test_ensured_check_is_run_after_the_pass_only(runs: list[IRModule]) -> None:
    out = unit(1)
    run(unit(), returns(out, "A", ensures=("counts",)), checks=())
    assert runs == [out]


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (
            {"requires": ("never",)},
            r"pass B requires the check never, which fails before it \(A was the last",
        ),
        ({"ensures": ("never",)}, "pass B ensures the check never, which fails after it: there"),
    ],
)
def test_declared_check_that_fails_names_the_pass(facts: dict[str, object], message: str) -> None:
    with pytest.raises(CheckError, match=message) as info:
        run(unit(), returns(None, "A"), returns(None, "B", **facts))
    assert (info.value.check, info.value.pass_name) == ("never", "B")


@pytest.mark.parametrize("facts", [{"requires": ("no_such",)}, {"ensures": ("no_such",)}])
def test_unknown_check_of_a_pass_names_the_pass(facts: dict[str, object]) -> None:
    with pytest.raises(UnknownNameError, match="no check 'no_such' is registered") as info:
        run(unit(), returns(None, "B", **facts), checks=())
    assert "named for pass B" in info.value.__notes__


def test_unknown_name_that_a_check_found_is_a_fault_of_the_program(
    runs: list[IRModule],
) -> None:
    transform.register_check("has_entry")(lambda mod: mod.get_global_var("main") and None)
    with pytest.raises(CheckError, match="broke the check has_entry: the module defines no"):
        run(unit(), returns(IRModule(), "B"), checks=("has_entry",))
    assert runs == []


def test_error_of_a_faulty_check_is_its_own(runs: list[IRModule]) -> None:
    transform.register_check("faulty")(lambda _mod: 1 // 0)
    with pytest.raises(ZeroDivisionError) as info:
        run(unit(), returns(None, "B"), checks=("faulty",))
    assert "in check faulty" in info.value.__notes__


def test_passes_inside_a_pass_are_told_from_it() -> None:
    inner = returns(bound_twice(), "Inner")
    outer = transform.create_module_pass(lambda m, _c: inner(m), 0, "Outer")
    with pytest.raises(CheckError) as info:
        run(unit(), outer)
    assert info.value.pass_name == "Inner"
    assert info.value.__notes__[-2:] == ["in pass Outer", "in pass S"]


def test_threads_that_share_an_instrument_do_not_mix_up_their_passes() -> None:
    verify, found = transform.VerifyInstrument(), []

    def work(name: str, act: Callable[[], object]) -> None:
        with transform.PassContext(instruments=[verify]):
            try:
                act()
            except CheckError as error:
                found.append((name, str(error)))

    def sound() -> None:
        returns(None, "A")(unit())

    with transform.PassContext(instruments=[verify]):
        returns(None, "Here")(unit())
        thread = threading.Thread(
            target=work, args=("T", lambda: returns(None, "There")(bound_twice()))
        )
        thread.start()
        thread.join()
        work("U", sound)
    assert [name for name, _ in found] == ["T"]
    assert "no pass ran before it" in found[0][1]


def test_str_in_place_of_names_is_an_error() -> None:
    with pytest.raises(DeclarationError, match=r"checks must be a sequence.*write \('well_typed',"):
        transform.VerifyInstrument("well_typed")


def test_module_is_usable_after_a_pass_was_found_at_fault() -> None:
    mod = unit()
    with pytest.raises(CheckError):
        run(mod, returns(bound_twice(), "B"))
    assert run(mod, returns(None, "A")) is mod
