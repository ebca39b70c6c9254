"""Drivers: the order in which passes begin, run and end, nesting, numbers, phases."""

from __future__ import annotations

import io
import threading
from random import Random

import pytest

from relayish.domain.driver import Driver, DriverCtx, GlobalConfig
from relayish.errors import IgnoredNameWarning, PassError
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Constant, Function
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.debug.bisect import bisect
from relayish.transform import (
    ModulePass,
    Pass,
    PassContext,
    PassCountInstrument,
    PassInfo,
    PassInstrument,
    Sequential,
    create_function_pass,
    create_module_pass,
    default_pipeline,
    module_pass,
    register_pass,
)
from tests.support.each import each
from tests.support.seeds import seeds

HOOKS = ("init", "pre_run", "run", "post_run", "fini")


class Shared:
    """What passes put and get: who put last, and all that happened."""

    def __init__(self) -> None:
        self.held = "(empty)"
        self.told: list[str] = []

    def put(self, producer: str, value: str) -> None:
        self.told.append(f"{producer} gets {self.held}")
        self.held = f"{producer}.{value}"


class Step(ModulePass):
    """A pass that notes in the shared data of its driver what is called, or where it was made."""

    def __init__(self, name: str, shared: Shared | None = None, fails: str = "") -> None:
        self.info = PassInfo(name, 0)
        self.shared = shared
        self.fails = fails
        self.drivers: list[object] = []

    def note(self, hook: str, driver: object) -> None:
        shared = driver.shared if self.shared is None else self.shared
        shared.put(self.info.name, hook)
        self.drivers.append(driver)
        if self.fails == hook:
            raise ValueError(f"{hook} of {self.info.name}")

    def init(self, driver):
        self.note("init", driver)

    def pre_run(self, driver):
        self.note("pre_run", driver)

    def transform_module(self, mod, ctx):
        self.note("run", DriverCtx.current().owner if self.shared is None else None)
        return mod

    def post_run(self, driver):
        self.note("post_run", driver)

    def fini(self, driver):
        self.note("fini", driver)


def calls(shared: Shared) -> list[str]:
    """Return ``"pass.hook"`` for each call, in order."""
    gets = [told.split(" gets ")[1] for told in shared.told][1:]
    return [*gets, shared.held]


def order(*names: str) -> list[str]:
    """Return the calls of a run of passes of these names."""
    forward = [f"{name}.{hook}" for hook in HOOKS[:3] for name in names]
    return forward + [f"{name}.{hook}" for hook in HOOKS[3:] for name in reversed(names)]


@pytest.fixture
def shared() -> Shared:
    return Shared()


@pytest.fixture
def mod() -> IRModule:
    return IRModule({"main": Function((), Constant(1))})


def plus(count: int, name: str = "Plus"):
    """Return a pass that adds to the constant that a function returns."""

    def add(func, _mod, _ctx):
        return Function((), Constant(int(func.body.data) + count))

    return create_function_pass(add, 0, name)


def value(mod: IRModule) -> int:
    return int(mod["main"].body.data)


# -- the order of calls: AIR's eg_airdriver_01 and 02 ---------------------------------------------


class OwnDriver(Driver):
    """A driver with shared data of its own, which its passes reach by the driver they are given."""

    def __init__(self, passes) -> None:
        super().__init__(passes)
        self.shared = Shared()
        self.ctx.owner = self


PIPELINES = {
    "flat": (lambda a, b, c: Driver([a, b, c]), order("A", "B", "C")),
    "inside": (lambda a, b, c: Driver([a, borrowing(b), c]), order("A", "B", "C")),
    "three deep": (lambda a, b, c: Driver([a, borrowing(b, borrowing(c))]), order("A", "B", "C")),
    "in a sequential": (lambda a, b, _c: Sequential([Driver([a, b])]), order("A", "B")),
    "requirements": (lambda a, b, _c: Driver([a, needs(), b]), order("A", "Required", "B")),
    "not enabled": (
        lambda a, b, _c: Driver([a.with_common(enable=False), b]),
        [call for call in order("A", "B") if call != "A.run"],
    ),
    "behind": (
        lambda a, b, _c: lambda mod: Driver([a, b]).resume(mod, "A"),
        [call for call in order("A", "B") if call != "A.run"],
    ),
    "again": (lambda a, _b, _c: lambda mod: (d := Driver([a]))(d(mod)), order("A") * 2),
}


def borrowing(*passes: Pass) -> Driver:
    return Driver(passes, standalone=False)


def needs() -> Pass:
    return create_module_pass(lambda mod, _ctx: mod, 0, "Needs", required=["Required"])


@pytest.mark.parametrize("name", PIPELINES)
def test_passes_begin_and_run_forward_and_end_in_reverse(name, shared, mod, declarations):
    register_pass(Step("Required", shared))
    make, expected = PIPELINES[name]
    assert make(*[Step(each, shared) for each in "ABC"])(mod) is mod
    assert calls(shared) == expected


def test_passes_reach_what_the_driver_holds(mod):
    driver = OwnDriver([Step("PASS_A"), Step("PASS_B")])
    driver(mod)
    assert calls(driver.shared) == order("PASS_A", "PASS_B")


def test_each_pass_gets_what_the_one_before_put(shared, mod):
    Driver([Step("A", shared), Step("B", shared)])(mod)
    assert shared.told[:4] == [
        "A gets (empty)", "B gets A.init", "A gets B.init", "B gets A.pre_run"
    ]  # fmt: skip
    assert shared.told[-2:] == ["B gets A.post_run", "A gets B.fini"]


def test_phases_of_a_run_may_be_called_one_by_one(shared, mod):
    driver = Driver([Step("A", shared), Step("B", shared)])
    driver.init()
    driver.pre_run()
    assert driver.run(mod) is mod
    driver.post_run()
    driver.fini()
    assert calls(shared) == order("A", "B")


def test_hooks_of_a_decorated_class_are_called(mod):
    told = []

    @module_pass(opt_level=0)
    class Plain:
        def __init__(self, word):
            self.word = word

        def init(self, driver):
            told.append((self.word, "init", driver.info.name))

        def transform_module(self, mod, ctx):
            return mod

        def fini(self, driver):
            told.append((self.word, "fini", driver.info.name))

    Driver([Plain("a"), Plain("b")], name="d")(mod)
    assert told == [("a", "init", "d"), ("b", "init", "d"), ("b", "fini", "d"), ("a", "fini", "d")]


# -- what raises --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fails", "after"),
    [
        ("init", ["B.fini", "A.fini"]),
        ("pre_run", ["B.post_run", "A.post_run", "C.fini", "B.fini", "A.fini"]),
        ("run", order("A", "B", "C")[9:]),
        ("post_run", ["A.post_run", "C.fini", "B.fini", "A.fini"]),
        ("fini", ["A.fini"]),
    ],
)
def test_what_began_ends_though_a_pass_raises(shared, mod, fails, after):
    driver = Driver([Step("A", shared), Step("B", shared, fails), Step("C", shared)])
    with pytest.raises(ValueError, match=f"{fails} of B") as caught:
        driver(mod)
    told = calls(shared)
    assert told[told.index(f"B.{fails}") + 1 :] == after
    where = "in pass B" if fails == "run" else f"in {fails} of pass B"
    assert where in caught.value.__notes__


def test_the_context_is_left_after_an_error(shared, mod):
    before = DriverCtx.current()
    with pytest.raises(ValueError, match="run of A"):
        Driver([Step("A", shared, "run")])(mod)
    assert DriverCtx.current() is before


# -- nested drivers ------------------------------------------------------------------------------


def test_hooks_are_given_the_innermost_driver(shared, mod):
    first, second = Step("A", shared), Step("B", shared)
    inner = Driver([second], standalone=False, name="inner")
    Driver([first, inner], name="outer")(mod)
    assert {d.info.name for d in first.drivers if d is not None} == {"outer"}
    assert {d.info.name for d in second.drivers if d is not None} == {"inner"}


def test_a_driver_inside_borrows_the_context_unless_it_has_one(mod):
    seen = []
    look = create_module_pass(lambda m, _c: seen.append(DriverCtx.current()) or m, 0, "Look")
    own = Driver([look])
    outer = Driver([borrowing(look), own, look])
    outer(mod)
    assert seen == [outer.ctx, own.ctx, outer.ctx]


def test_a_driver_inside_runs_at_the_level_of_its_own_context(mod):
    levels = []
    look = create_module_pass(lambda m, c: levels.append(c.opt_level) or m, 0, "Look")
    inner = Driver([look], DriverCtx(GlobalConfig(opt_level=4)))
    Driver([look, inner, look], DriverCtx(GlobalConfig(opt_level=1)))(mod)
    assert levels == [1, 4, 1]


def test_options_of_the_inner_driver_are_those_of_its_passes(mod):
    inner = Driver([plus(1, "In")], DriverCtx(options={"In": {"enable": False}}))
    assert value(Driver([plus(10, "In"), inner])(mod)) == 11


def test_numbers_of_the_inner_driver_are_counted_in_it(mod):
    inner = Driver([plus(10), plus(100)], DriverCtx(GlobalConfig(skip_after=1)))
    assert value(Driver([plus(1), inner, plus(1000)])(mod)) == 1012
    outer = Driver([plus(1), inner, plus(1000)], DriverCtx(GlobalConfig(skip_after=1)))
    assert value(outer(mod)) == 2


def test_the_inner_driver_keeps_programs_that_it_is_told_to(mod, tmp_path):
    inner = Driver([plus(10)], DriverCtx(GlobalConfig(keep=True), input=str(tmp_path / "inner")))
    Driver([plus(1), inner])(mod)
    assert [path.name for path in tmp_path.iterdir()] == ["inner.plus.rly"]


def test_a_driver_may_borrow_by_hand(shared, mod):
    outer, inner = Driver([]), Driver([Step("A", shared)], standalone=False)
    outer.init()
    inner.init(outer)
    assert inner.ctx is outer.ctx
    inner.pre_run()
    inner.run(mod)
    inner.post_run()
    inner.fini()
    assert calls(shared) == order("A")


@each(
    ("wrong", "message"),
    [
        (lambda: Driver([]).pre_run(), "was not initialised; call init"),
        (lambda: borrowing()(IRModule()), "has no context yet: it is not standalone"),
        (lambda: Driver([]).init(Driver([])), "has a context of its own"),
        (lambda: Driver([], DriverCtx(), standalone=False), "so it is standalone"),
    ],
)
def test_drivers_and_contexts_that_do_not_fit_are_refused(wrong, message):
    with pytest.raises(PassError, match=message):
        wrong()


# -- it is a Sequential under a PassContext --------------------------------------------------------


def test_the_context_holds_the_program(mod):
    driver = Driver([plus(1)])
    out = driver(mod)
    assert driver.ctx.module is out


def test_instruments_of_the_current_context_watch_the_passes(mod):
    counts = PassCountInstrument()
    with PassContext(instruments=[counts]):
        Driver([plus(1, "One"), plus(1, "Two")])(mod)
    assert dict(counts.runs) == {"One": 1, "Two": 1}


def test_instruments_are_not_entered_again(mod):
    class Entered(PassInstrument):
        count = 0

        def enter_pass_ctx(self):
            Entered.count += 1

    with PassContext(instruments=[Entered()]):
        Driver([plus(1)], DriverCtx(GlobalConfig(opt_level=1)))(mod)
    assert Entered.count == 1


def test_the_level_is_that_of_the_context_unless_the_driver_says_another(mod):
    high = create_function_pass(lambda _f, _m, _c: Function((), Constant(5)), 3, "High")
    assert Driver([high])(mod) is mod
    assert value(Driver([high], DriverCtx(GlobalConfig(opt_level=3)))(mod)) == 5
    with PassContext(opt_level=3):
        assert value(Driver([high])(mod)) == 5


def test_a_pipeline_is_given_as_text(mod):
    assert Driver("InferType,FoldConstant").phases() == ("InferType", "FoldConstant")


def test_a_pipeline_with_a_level_of_its_own_keeps_it(mod):
    driver = Driver([default_pipeline(3)], DriverCtx(GlobalConfig(opt_level=0)))
    assert driver.phases() == Sequential([default_pipeline(3)]).plan()[0:0] + tuple(driver.phases())
    assert "EliminateCommonSubexpr" in driver.phases()


def test_a_driver_may_run_in_several_threads(mod):
    driver = Driver([plus(1), plus(10)])
    made: list[int] = []
    threads = [threading.Thread(target=lambda: made.append(value(driver(mod)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [12] * 8


# -- options of single passes ----------------------------------------------------------------------


def test_options_of_the_context_count_before_those_of_the_pass(declarations, mod):
    @register_pass("Add", opt_level=0)
    def add(func: Function, *, count: int = 1) -> Function:
        return Function((), Constant(int(func.body.data) + count))

    assert value(Driver("Add,Add{count=5}", DriverCtx(options={"Add": {"count": 100}}))(mod)) == 201
    assert value(Driver("Add,Add{count=5}")(mod)) == 7


def test_options_reach_passes_that_others_require(declarations, mod):
    register_pass(plus(1, "Required"))
    needs = create_module_pass(lambda mod, _ctx: mod, 0, "Needs", required=["Required"])
    driver = Driver([needs], DriverCtx(options={"Required": {"enable": False}}))
    assert driver(mod) is mod


def test_a_pipeline_inside_is_given_its_options_as_a_whole(mod, capsys):
    inside = Sequential([plus(10), plus(100)], name="Inside")
    asked = DriverCtx(options={"Inside": {"enable": False}})
    assert value(Driver([plus(1), inside], asked)(mod)) == 2
    assert capsys.readouterr().out == "// Inside is not run\n"
    traced = DriverCtx(options={"Inside": {"trace_ir_after": True}})
    assert value(Driver([plus(1), inside], traced)(mod)) == 112
    assert capsys.readouterr().out.count("// after") == 1


def test_options_for_what_does_not_run_are_warned_of(mod):
    driver = Driver([plus(1)], DriverCtx(options={"FoldConstant": {"show": True}}))
    with pytest.warns(IgnoredNameWarning, match="for FoldConstant, which .* there run Plus"):
        driver(mod)


def test_configurations_are_those_of_the_passes_that_run():
    driver = Driver("FoldConstant", DriverCtx(options={"FoldConstant": {"fold_qnn": True}}))
    (config,) = driver.configs()
    assert config.fold_qnn is True


def test_what_is_asked_of_all_passes_is_asked_of_each(mod, capsys):
    Driver([plus(1, "A"), plus(2, "B")], DriverCtx(GlobalConfig(trace=True, perf=True)))(mod)
    shown = capsys.readouterr().out
    for told in ("symbols before", "before", "symbols after", "after", "statistics of"):
        for name in ("A", "B"):
            assert f"// {told} {name}" in shown


def test_a_pass_is_had_by_its_phase(mod):
    driver = Driver([plus(1), plus(10)], DriverCtx(options={"Plus": {"show": True}}))
    assert driver.get_pass("Plus#2") is not driver.get_pass("Plus")
    assert value(driver.get_pass("Plus#2")(mod)) == 11
    assert driver.get_pass("Plus").info.common.show
    with pytest.raises(PassError, match=r"no phase 'Plus#3'.*; it has Plus, Plus#2"):
        driver.get_pass("Plus#3")


def test_passes_are_switched_off_and_on_by_name(mod):
    driver = Driver([plus(1, "A"), plus(10, "B")])
    driver.set_pass_enable("A", False)
    assert value(driver(mod)) == 11
    driver.set_pass_enable("A", True)
    assert value(driver(mod)) == 12
    with pytest.raises(PassError, match=r"runs no pass 'C'.*; it runs A, B"):
        driver.set_pass_enable("C", False)


def random_pipeline(random: Random, depth: int, register: list[str]) -> Sequential:
    """Return a pipeline of nested sequentials and drivers, levels and requirements."""
    kinds = (Sequential, lambda made: Driver(made, standalone=False), default_level)
    steps: list[Pass] = []
    for _ in range(random.randrange(5)):
        if depth and random.random() < 0.4:
            steps.append(random_pipeline(random, depth - 1, register))
        else:
            required = random.sample(register, random.randrange(2))
            count, level = random.randrange(1, 9), random.randrange(4)
            steps.append(times_ten_plus(count, f"P{count}", level, required))
    return random.choice(kinds)(steps)


def default_level(passes: list[Pass]) -> Sequential:
    class Levelled(Sequential):
        def context(self, ctx):
            return ctx.with_level(3)

    return Levelled(passes)


def times_ten_plus(count: int, name: str, level: int, required=()):
    """Return a pass by which the order of passes can be read off the value, modulo a prime."""

    def turn(func, _mod, _ctx):
        return Function((), Constant((int(func.body.data) * 10 + count) % 1_000_003))

    return create_function_pass(turn, level, name, required=required)


@each("seed", seeds(60))
def test_a_driver_of_any_pipeline_makes_what_the_pipeline_makes(seed, mod):
    with declared_temporarily():
        check_driver_of_any_pipeline(Random(seed), mod)


def check_driver_of_any_pipeline(random, mod):
    for name, required in (("R1", ()), ("R2", ("R1",))):
        register_pass(times_ten_plus(len(name), name, 0, required))
    pipeline = random_pipeline(random, 3, ["R1", "R2"])
    flat = Sequential([pipeline])
    left_out = times_ten_plus(1, "P1", 0).info.name
    with PassContext(opt_level=random.randrange(4), disabled_pass=[left_out]):
        plan = flat.plan()
        expected = mod
        for pass_ in plan:
            expected = pass_(expected)
        driver = Driver([pipeline])
        assert value(driver(mod)) == value(expected)
        assert [pass_.info.name for pass_ in driver.plan()] == [p.info.name for p in plan]
        last = random.randrange(len(plan) + 1)
        part = mod
        for pass_ in plan[:last]:
            part = pass_(part)
        skipping = DriverCtx(GlobalConfig(skip_after=last), trace=io.StringIO())
        assert value(Driver([pipeline], skipping)(mod)) == value(part)
        if last:
            resumed = Driver([pipeline], DriverCtx(trace=io.StringIO()))
            assert value(resumed.resume(part, driver.phases()[last - 1])) == value(expected)


# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, 1112), ({"skip_after": 0}, 1), ({"skip_after": 2}, 12), ({"skip_before": 3}, 1101),
        ({"skip_equal": 2}, 1102), ({"skip_before": 2, "skip_after": 3}, 111),
    ],
)  # fmt: skip
def test_passes_are_skipped_by_number(mod, asked, expected):
    passes = [plus(1), Sequential([plus(10), plus(100)]), plus(1000)]
    assert value(Driver(passes, DriverCtx(GlobalConfig(**asked)))(mod)) == expected


def test_the_plan_holds_passes_that_are_skipped(mod):
    driver = Driver([plus(1), plus(10)], DriverCtx(GlobalConfig(skip_after=1)))
    assert [pass_.info.common.enable for pass_ in driver.plan()] == [True, False]


def faulty(number: int) -> list[object]:
    return [plus(-1000 if place == number else 1, f"P{place}") for place in range(1, 17)]


def is_negative(_before: IRModule, after: IRModule) -> str | None:
    return "negative" if value(after) < 0 else None


@pytest.mark.parametrize("planted", [1, 2, 7, 15, 16])
def test_a_planted_pass_is_found_by_halving_skip_after(mod, planted):
    """The number found by hand, with runs of the whole driver, is what ``bisect`` tells."""
    passes = faulty(planted)

    def run(last: int) -> IRModule:
        return Driver(passes, DriverCtx(GlobalConfig(skip_after=last)))(mod)

    good, bad, runs = 0, 16, 0
    while bad - good > 1:
        middle = (good + bad) // 2
        runs += 1
        good, bad = (good, middle) if is_negative(mod, run(middle)) else (middle, bad)
    found = bisect(Driver(passes), mod, is_negative, most_tries=0)
    assert (bad, f"P{bad}") == (found.number, found.name) == (planted, f"P{planted}")
    assert runs <= 4


def test_bisection_counts_passes_as_skipping_does_with_requirements_and_nesting(mod, declarations):
    register_pass(plus(1, "Required"))
    needs = create_function_pass(
        lambda f, _m, _c: Function((), Constant(-5)), 0, "Needs", required=["Required"]
    )
    driver = Driver([plus(1), Sequential([Driver([plus(1)]), needs]), plus(0, "Last")])
    found = bisect(driver, mod, is_negative, most_tries=0)
    assert (found.number, found.name) == (4, "Needs")
    sound = Driver(driver.passes, DriverCtx(GlobalConfig(skip_after=found.number - 1)))
    assert is_negative(mod, sound(mod)) is None


def test_the_function_at_fault_is_the_first_that_may_not_be_transformed():
    names = [f"f{number}" for number in range(9)]
    mod = IRModule({name: Function((), Constant(place)) for place, name in enumerate(names)})

    def break_sixth(func, _mod, _ctx):
        place = int(func.body.data)
        return Function((), Constant(-1 if place == 6 else place))

    def has_negative(_before, after):
        bodies = [int(func.body.data) for func in after.functions.values()]
        return "negative" if min(bodies) < 0 else None

    broken = create_function_pass(break_sixth, 0, "Break")
    found = bisect(Sequential([broken]), mod, has_negative, most_tries=0)
    assert found.function == "f6"
    assert has_negative(mod, broken.with_common(skip_after=6)(mod)) is None
    assert has_negative(mod, broken.with_common(skip_after=7)(mod)) == "negative"


# -- phases ----------------------------------------------------------------------------------------


def test_phases_of_one_name_are_told_apart(mod):
    driver = Driver([plus(1), plus(10), plus(100, "Other"), plus(1)])
    assert driver.phases() == ("Plus", "Plus#2", "Other", "Plus#3")


@pytest.mark.parametrize(("phase", "expected"), [("A", 111), ("B", 101), ("B#2", 1)])
def test_a_run_is_resumed_behind_a_phase(mod, phase, expected):
    driver = Driver([plus(1000, "A"), plus(10, "B"), plus(100, "B")])
    assert value(driver.resume(mod, phase)) == expected


def test_a_phase_that_is_not_there_is_refused(mod):
    with pytest.raises(PassError, match=r"no phase 'C'.*; it has A, B"):
        Driver([plus(1, "A"), plus(1, "B")]).resume(mod, "C")


def test_a_run_goes_on_from_the_file_of_any_of_its_phases(mod, tmp_path):
    passes = [plus(1, "A"), plus(10, "B"), plus(100, "B"), plus(1000, "C")]
    ctx = DriverCtx(GlobalConfig(keep=True), input=str(tmp_path / "model"))
    whole = Driver(passes, ctx)(mod)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["model.a.rly", "model.b.rly", "model.b_2.rly", "model.c.rly"]
    for name in files:
        assert value(Driver(passes).resume_file(str(tmp_path / name))) == value(whole)


def test_a_file_without_phase_is_run_from_the_beginning(tmp_path):
    path = tmp_path / "plain.relay"
    path.write_text('#[version = "0.0.5"]\ndef @main() { 1 }\n')
    assert value(Driver([plus(1), plus(10)]).resume_file(str(path))) == 12
