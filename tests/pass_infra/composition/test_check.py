from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

import relayish as relay
from relayish.analysis.infer_type import infer_type
from relayish.op.declaration.registry import get_op
from relayish.pass_infra.composition import check
from relayish.pass_infra.composition.registry import REGISTRY
from relayish.transform import get_check, list_checks, register_check, run_check

STALE = r"add\(%x, %x\) in @main carries the type Tensor\S*\(3.*, but has the type Tensor\S*\(2"
BUILT_IN = ("no_free_vars", "no_stale_types", "well_formed", "well_typed")


@pytest.fixture
def checks() -> Iterator[None]:
    """Whatever check a test registers is forgotten after it."""
    list_checks()
    held = dict(check._CHECKS)
    yield
    check._CHECKS.clear()
    check._CHECKS.update(held)


def typed() -> relay.IRModule:
    x = relay.var("x", shape=(2,))
    return infer_type(relay.IRModule({"main": relay.Function((x,), x + x)}))


def bound_twice() -> relay.IRModule:
    x = relay.Var("x")
    return relay.IRModule({"main": relay.Function((x,), relay.Let(x, relay.const(1), x))})


def ill_typed() -> relay.IRModule:
    lhs, rhs = relay.const([1.0, 2.0]), relay.const([1.0, 2.0, 3.0])
    return relay.IRModule({"main": relay.Function((), relay.Call(get_op("add"), (lhs, rhs)))})


def free() -> relay.IRModule:
    return relay.IRModule({"main": relay.Function((), relay.Var("lost"))})


def stale() -> relay.IRModule:
    mod = typed()
    body = mod["main"].body.with_fields(checked_type=relay.TensorType((3,), "float32"))
    return mod.with_function("main", mod["main"].with_fields(body=body))


@pytest.mark.parametrize("name", BUILT_IN)
def test_check_says_nothing_of_a_sound_program(name: str) -> None:
    run_check(name, typed())
    run_check(name, relay.IRModule())


@pytest.mark.parametrize(
    ("name", "mod", "kind", "message"),
    [
        ("well_formed", bound_twice(), relay.WellFormedError, "%x is bound twice"),
        ("well_typed", ill_typed(), relay.TypeInferenceError, "add"),
        ("no_free_vars", free(), relay.WellFormedError, "@main uses %lost, which nothing binds"),
        ("no_stale_types", stale(), relay.CheckError, STALE),
        ("well_typed", stale(), relay.CheckError, STALE),
    ],
)
def test_check_says_what_is_wrong(
    name: str, mod: relay.IRModule, kind: type[relay.RelayishError], message: str
) -> None:
    with pytest.raises(kind, match=message) as info:
        run_check(name, mod)
    assert info.value.__notes__[-1] == f"in check {name}"


def test_types_that_are_not_there_are_not_stale() -> None:
    x = relay.var("x", shape=(2,))
    run_check("no_stale_types", relay.IRModule({"main": relay.Function((x,), x + x)}))


def test_many_free_variables_are_counted() -> None:
    total = relay.Var("v0")
    for index in range(1, 20):
        total = total + relay.Var(f"v{index}")
    with pytest.raises(relay.WellFormedError, match=r"%v0, .*%v7 and 12 more, which nothing binds"):
        run_check("no_free_vars", relay.IRModule({"main": relay.Function((), total)}))


@pytest.mark.usefixtures("checks")
def test_registered_check_is_found_listed_and_run() -> None:
    @register_check("small")
    def small(mod: relay.IRModule) -> None:
        if len(mod) > 1:
            raise relay.CheckError("too large", check="small")

    assert get_check("small") is small
    assert "small" in list_checks()
    run_check("small", typed())
    with pytest.raises(relay.CheckError, match="too large"):
        run_check(
            "small",
            relay.IRModule(
                {"a": relay.Function((), relay.const(1)), "b": relay.Function((), relay.const(1))}
            ),
        )


@pytest.mark.usefixtures("checks")
def test_two_checks_of_one_name_are_both_named() -> None:
    register_check("mine")(check_one)
    register_check("mine")(check_one)
    with pytest.raises(relay.DuplicateNameError) as info:
        register_check("mine")(check_two)
    assert f"{__name__}.check_one and by {__name__}.check_two" in str(info.value)
    register_check("mine", replace=True)(check_two)
    assert get_check("mine") is check_two


def check_one(mod: relay.IRModule) -> None:
    pass


def check_two(mod: relay.IRModule) -> None:
    pass


@pytest.mark.parametrize("name", ["", 3, None])
def test_check_needs_a_name(name: object) -> None:
    with pytest.raises(relay.DeclarationError, match="a check needs a name; found"):
        register_check(name)


def test_check_must_be_something_to_call() -> None:
    with pytest.raises(relay.DeclarationError, match="must be a function of a module; found 3"):
        register_check("three")(3)


@pytest.mark.usefixtures("checks")
@pytest.mark.parametrize("answer", [True, False, "fine"])
def test_check_that_answers_instead_of_raising_is_an_error(answer: object) -> None:
    register_check("answers")(lambda _mod: answer)
    with pytest.raises(relay.CheckError, match="check answers must raise an error or return None"):
        run_check("answers", relay.IRModule())


@pytest.mark.usefixtures("checks")
def test_faulty_check_fails_with_its_own_error_and_is_named() -> None:
    register_check("faulty")(lambda _mod: 1 // 0)
    with pytest.raises(ZeroDivisionError) as info:
        run_check("faulty", relay.IRModule())
    assert info.value.__notes__ == ["in check faulty"]


def test_unknown_check_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(
        relay.UnknownNameError, match="no check 'well_type' is registered; did you mean"
    ):
        run_check("well_type", relay.IRModule())


def test_every_check_says_in_a_sentence_what_holds() -> None:
    for name in list_checks():
        documented = get_check(name).__doc__
        assert documented, name
        assert documented.splitlines()[0].endswith("."), name


def test_every_check_that_a_registered_pass_names_is_there() -> None:
    for entry in REGISTRY.entries():
        for name in (*entry.info.requires, *entry.info.ensures):
            assert get_check(name), entry.name


def test_check_of_the_passes_is_found_without_importing_every_pass() -> None:
    script = (
        "import sys, relayish.transform as t; t.get_check('well_formed'); "
        "print('relayish.passes.relay.normal_form.registered_checks' in sys.modules); "
        "t.get_check('a_normal_form'); "
        "print('relayish.passes.relay.gradient.first_order_gradient' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.slow("a process that imports every pass")
def test_check_registered_by_a_pass_of_a_package_is_found(tmp_path, monkeypatch) -> None:
    """What stands beside a pass in an installed package needs no import of its own."""
    (tmp_path / "check_of_demo.py").write_text(
        "from relayish.transform import register_check\n"
        "@register_check('demo_holds')\n"
        "def demo_holds(mod):\n"
        "    'Demo holds.'\n"
    )
    info = tmp_path / "check_demo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: check-demo\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[relayish.passes]\ndemo = check_of_demo\n")
    script = "import relayish.transform as t; print(t.get_check('demo_holds').__doc__)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert done.stdout.strip() == "Demo holds."
