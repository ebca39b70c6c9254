"""Passes over functions of a second language, and what watches and blames them."""

from __future__ import annotations

import io
import sys

import pytest

from relayish.cli.main import main
from relayish.errors import (
    CheckError,
    DeclarationError,
    PassError,
    UnknownKindError,
    WellFormedError,
)
from relayish.functor.mutator import Mutator
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import Traversal
from relayish.ir.relay.expr import Constant, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra.debug.bisect import bisect
from relayish.pass_infra.debug.failure import failing_check, failing_command
from relayish.pass_infra.debug.shrink import shrink
from relayish.text import astext, parse
from relayish.transform import (
    DiffInstrument,
    DumpInstrument,
    FunctionPass,
    ImmutableModuleInstrument,
    ModulePass,
    PassContext,
    PassCountInstrument,
    PassRegistry,
    PassTimingInstrument,
    PrintAfterAll,
    ProgressInstrument,
    Sequential,
    VerifyInstrument,
    create_function_pass,
    create_module_pass,
    function_pass,
    get_pass,
    module_pass,
    register_pass,
    run_check,
)
from tests.support import mini
from tests.support.mini import sum_of_squares

MINI = Traversal(mini.MiniExpr)


with mini.DECLARED:

    class Increment(Mutator[mini.MiniExpr]):
        traversal = MINI

        def visit_number(self, number):
            return number.with_fields(value=number.value + 1)


def incremented(func: mini.Function, *_: object) -> mini.Function:
    return Increment().visit(func)


def numbers(mod: Module[object]) -> list[int]:
    order = PROGRAM.post_order(tuple(mod.functions.values()))
    return [node.value for node in order if isinstance(node, mini.Number)]


def relay() -> Function:
    x = Var("x", TensorType((2,), "float32"))
    return Function((x,), Tuple((x, Constant(1))))


@pytest.fixture
def mod() -> IRModule:
    return IRModule({"main": relay(), "kernel": sum_of_squares(), "tiny": mini.Number(7)})


class TestTaking:
    def test_pass_over_one_kind_leaves_all_others_alone(self, mod):
        out = create_function_pass(incremented, 1, "P", takes=mini.Function)(mod)
        assert numbers(out) == [2, 7]
        assert out["main"] is mod["main"]
        assert out["tiny"] is mod["tiny"]

    def test_pass_over_a_family_takes_all_its_kinds(self, mod):
        out = create_function_pass(incremented, 1, "P", takes=mini.MiniExpr)(mod)
        assert numbers(out) == [2, 8]
        assert out["main"] is mod["main"]

    def test_pass_that_says_nothing_takes_functions_of_relay(self, mod):
        taken = []
        create_function_pass(lambda f, _m, _c: taken.append(f) or f, 1, "P")(mod)
        assert taken == [mod["main"]]

    def test_module_comes_back_where_nothing_changed(self, mod):
        assert create_function_pass(lambda f, _m, _c: f, 1, "P", takes=mini.Function)(mod) is mod

    def test_class_says_what_it_takes(self, mod):
        class P(FunctionPass):
            takes = mini.Function

            def transform_function(self, func, mod, ctx):
                return incremented(func)

        register_pass(opt_level=1, registry=PassRegistry())(P)
        assert numbers(P()(mod)) == [2, 7]

    def test_decorated_function_says_what_it_takes(self, mod):
        @function_pass(opt_level=1, takes=mini.Function)
        def P(func, mod, ctx):
            return incremented(func)

        assert numbers(P(mod)) == [2, 7]

    @pytest.mark.parametrize("said", ["in the decorator", "in the class"])
    def test_decorated_class_says_what_it_takes(self, mod, said):
        class P:
            def transform_function(self, func, mod, ctx):
                return incremented(func)

        if said == "in the class":
            P.takes = mini.Function
        over = {} if said == "in the class" else {"takes": mini.Function}
        made = function_pass(opt_level=1, **over)(P)
        assert numbers(made()(mod)) == [2, 7]

    def test_registration_says_what_a_class_takes(self, mod, declarations):
        @register_pass(opt_level=1, takes=mini.Function)
        class IncrementNumbers(FunctionPass):
            by: int = 1

            def transform_function(self, func, mod, ctx):
                for _ in range(self.by):
                    func = incremented(func)
                return func

        assert numbers(get_pass("IncrementNumbers{by=3}")(mod)) == [4, 7]
        assert numbers(Sequential(["IncrementNumbers", "FoldConstant"])(mod)) == [2, 7]

    def test_registration_says_what_a_pass_takes(self, mod, declarations):
        made = create_function_pass(incremented, 1, "Made")
        register_pass(takes=mini.Function)(made)
        assert numbers(get_pass("Made")(mod)) == [2, 7]
        assert made.takes is Function

    def test_registration_of_another_pass_that_takes_a_kind_is_refused(self):
        register = register_pass(opt_level=1, takes=mini.Function, registry=PassRegistry())
        with pytest.raises(DeclarationError, match="no function pass; only these take functions"):
            register(create_module_pass(lambda m, _c: m, 1, "P"))

    @pytest.mark.parametrize("wrong", [3, "mini.Function", int, (mini.Function,), None.__class__])
    def test_what_is_no_class_of_nodes_is_refused(self, wrong):
        takes = "takes functions of one class of nodes; found"
        with pytest.raises(DeclarationError, match=takes):
            create_function_pass(incremented, 1, "P", takes=wrong)
        with pytest.raises(DeclarationError, match=takes):
            function_pass(opt_level=1, takes=wrong)(lambda f, _m, _c: f)
        with pytest.raises(DeclarationError, match=takes):
            type("P", (FunctionPass,), {"takes": wrong})

    @pytest.mark.parametrize(
        ("out", "found"),
        [
            (None, "found None; is a return missing"),
            (mini.Number(1), "a Number"),
            (relay(), "a Fun"),
        ],
    )
    def test_pass_that_returns_another_kind_is_refused(self, mod, out, found):
        bad = create_function_pass(lambda _f, _m, _c: out, 1, "Bad", takes=mini.Function)
        with pytest.raises(PassError, match=f"pass Bad must return a Function; .*{found}") as info:
            bad(mod)
        assert info.value.__notes__ == ["in function @kernel", "in pass Bad"]

    def test_functions_see_the_module_as_it_was(self, mod):
        both = mod.with_function("other", sum_of_squares())
        seen = []
        look = lambda f, m, _c: seen.append(m) or incremented(f)  # noqa: E731
        create_function_pass(look, 1, "P", takes=mini.Function)(both)
        assert seen == [both, both]

    def test_pass_that_asks_for_types_has_them_of_relay(self, mod):
        def check(func, given, ctx):
            assert given["main"].checked_type is not None
            return incremented(func)

        out = create_function_pass(check, 1, "P", takes=mini.Function, infer_types=True)(mod)
        assert numbers(out) == [2, 7]


class TestModulesOfOtherClasses:
    def test_passes_run_on_them(self):
        mod = Plain({"f": sum_of_squares(), "g": mini.Number(1)})
        double = create_function_pass(incremented, 1, "P", takes=mini.Function)
        drop = create_module_pass(lambda m, _c: m.without_functions(["g"]), 1, "Drop")
        with PassContext(instruments=[PassTimingInstrument(), ImmutableModuleInstrument()]):
            out = Sequential([double, drop])(mod)
        assert type(out) is Plain
        assert numbers(out) == [2]

    def test_result_of_another_class_is_refused(self):
        swap = create_module_pass(lambda _m, _c: IRModule(), 1, "Swap")
        with pytest.raises(PassError, match="pass Swap must return a Plain; found an IRModule"):
            swap(Plain({"f": sum_of_squares()}))

    def test_types_of_which_nothing_is_known_are_refused_in_words(self):
        typed = create_module_pass(lambda m, _c: m, 1, "Typed", infer_types=True)
        with pytest.raises(UnknownKindError, match=r"TYPE_INFERENCE\.register\(Plain, \.\.\."):
            typed(Plain({"f": sum_of_squares()}))

    def test_program_is_made_smaller(self):
        mod = Plain({"f": sum_of_squares(), "g": mini.Number(1)})
        assert shrink(mod, lambda m: "g" in m).get_global_vars() == ("g",)


class Plain(Module[str]):
    __slots__ = ()

    @classmethod
    def name_of(cls, key):
        return key if isinstance(key, str) else None

    @classmethod
    def make_name(cls, name):
        return name


def out_of_scope(func: mini.Function) -> mini.Function:
    """Return a function that uses the variable of a let outside of it."""
    let = func.body
    return func.with_fields(body=mini.Call("add", (let, let.var)))


def unbound(func: mini.Function) -> mini.Function:
    return func.with_fields(params=())


class TestChecks:
    def test_right_module_passes_all(self, mod):
        for name in ("well_formed", "no_free_vars", "well_typed", "no_stale_types"):
            run_check(name, mod)

    def test_scoping_of_other_languages_is_checked(self, mod):
        wrong = mod.with_function("kernel", out_of_scope(mod["kernel"]))
        with pytest.raises(
            WellFormedError, match=r"used.* outside the scope of its binder"
        ) as info:
            run_check("well_formed", wrong)
        assert "in the definition of @kernel" in info.value.__notes__

    def test_free_variables_of_other_languages_are_found(self, mod):
        wrong = mod.with_function("kernel", unbound(mod["kernel"]))
        with pytest.raises(WellFormedError, match=r"@kernel uses .*which nothing binds"):
            run_check("no_free_vars", wrong)

    def test_verification_blames_the_pass_that_breaks_the_scoping(self, mod):
        breaking = create_function_pass(
            lambda f, _m, _c: out_of_scope(f), 1, "Break", takes=mini.Function
        )
        with (
            PassContext(instruments=[VerifyInstrument()]),
            pytest.raises(CheckError, match="pass Break broke the check well_formed") as info,
        ):
            Sequential([create_module_pass(lambda m, _c: m, 1, "Idle"), breaking])(mod)
        assert info.value.pass_name == "Break"


class TestInstruments:
    def test_counts_and_progress_see_passes_over_other_languages(self, mod):
        counted, seen = PassCountInstrument(), []
        pipeline = Sequential([create_function_pass(incremented, 1, "P", takes=mini.Function)])
        progress = ProgressInstrument(pipeline, callback=lambda p: seen.append(str(p)))
        with PassContext(instruments=[counted, progress]):
            pipeline(mod)
            assert seen == ["[1/1] P"]
            assert counted.changes["P"] == 1

    def test_printing_shows_definitions_of_all_languages(self, mod):
        file = io.StringIO()
        with PassContext(instruments=[PrintAfterAll(file=file, only_changed=True)]):
            out = create_function_pass(incremented, 1, "P", takes=mini.Function)(mod)
        assert structural_equal(parse(file.getvalue()), out)

    def test_difference_shows_the_lines_of_another_language_that_changed(self, mod):
        file = io.StringIO()
        with PassContext(instruments=[DiffInstrument(file=file, context=0)]):
            create_function_pass(incremented, 1, "P", takes=mini.Function)(mod)
        changed = [line for line in file.getvalue().splitlines() if line[:1] in "+-"][2:]
        assert [line[:1] for line in changed] == ["-", "+"]
        assert "number(value=1)" in changed[0]
        assert "number(value=2)" in changed[1]

    def test_dumped_programs_parse_back(self, mod, tmp_path):
        dump = DumpInstrument(tmp_path)
        with PassContext(instruments=[dump]):
            out = create_function_pass(incremented, 1, "P", takes=mini.Function)(mod)
        assert [path.name for path in dump.written] == ["0_init.relay", "1_P.relay"]
        assert structural_equal(parse(dump.written[0].read_text()), mod)
        assert structural_equal(parse(dump.written[1].read_text()), out)

    @pytest.mark.parametrize("by", ["an instrument", "an option"])
    def test_pass_that_changes_a_definition_in_place_is_refused(self, mod, by):
        def change(given, ctx):
            object.__setattr__(given["tiny"], "value", 8)
            return given

        ctx = (
            PassContext(instruments=[ImmutableModuleInstrument()])
            if by == "an instrument"
            else PassContext(config={"testing.immutable_module": True})
        )
        with ctx, pytest.raises(PassError, match=r"pass Change changed .*value of a Number"):
            create_module_pass(change, 1, "Change")(mod)


def faulty(func: mini.Function, *_: object) -> mini.Function:
    """Forget the parameters of functions in which something is said."""
    said = any(isinstance(node, mini.Say) for node in PROGRAM.post_order(func))
    return unbound(func) if said else func


class TestBlame:
    @pytest.fixture
    def pipeline(self) -> Sequential:
        return Sequential(
            [
                create_function_pass(incremented, 1, "Fine", takes=mini.Function),
                create_function_pass(faulty, 1, "Faulty", takes=mini.Function),
                create_function_pass(incremented, 1, "Late", takes=mini.Function),
            ]
        )

    def test_faulty_pass_is_found_among_passes_over_another_language(self, mod, pipeline):
        found = bisect(pipeline, mod, failing_check("no_free_vars"))
        assert found is not None
        assert (found.name, found.position) == ("Faulty", 1)
        assert numbers(found.before) == [2, 7]

    def test_program_it_is_found_on_is_made_small(self, mod, pipeline):
        found = bisect(pipeline, mod, failing_check("no_free_vars"))
        assert found is not None
        (name,) = found.shrunk
        x = mini.Var("x")
        assert name.name_hint == "kernel"
        assert structural_equal(found.shrunk[name], mini.Function((x,), mini.Say(x)))

    def test_command_is_given_the_text_of_all_definitions(self, mod, pipeline):
        script = "import sys; sys.exit('number(value=3)' in open(sys.argv[1]).read())"
        found = bisect(pipeline, mod, failing_command([sys.executable, "-c", script]), most_tries=0)
        assert found is not None
        assert (found.name, found.position) == ("Late", 2)

    def test_pass_that_raises_is_found(self, mod):
        def fail(func, *_):
            if any(isinstance(node, mini.Number) for node in PROGRAM.post_order(func)):
                raise ValueError
            return func

        found = bisect(
            create_function_pass(fail, 1, "Fail", takes=mini.Function), mod, lambda *_: None
        )
        assert found is not None
        assert "ValueError" in found.message
        assert nodes(found.shrunk) <= 2

    def test_what_held_of_the_program_holds_of_smaller_ones(self, mod):
        asked: list[IRModule] = []
        shrink(mod, lambda m: asked.append(m) or "kernel" in m)
        assert asked
        for tried in asked:
            run_check("well_formed", tried)
            run_check("no_free_vars", tried)
            run_check("well_typed", tried)

    def test_program_with_free_variables_is_made_smaller_too(self, mod):
        open_ = mod.with_function("kernel", unbound(mod["kernel"]))
        small = shrink(open_, says)
        assert nodes(small) <= 3

    def test_definition_that_another_uses_stays_with_it(self, mod):
        assert shrink(mod, lambda m: "main" in m and "tiny" in m).functions_of(Node).keys() == {
            mod.get_global_var("main"),
            mod.get_global_var("tiny"),
        }


def nodes(mod: IRModule) -> int:
    return len(PROGRAM.post_order(tuple(mod.functions.values())))


def says(mod: IRModule) -> bool:
    order = PROGRAM.post_order(tuple(mod.functions.values()))
    return any(isinstance(node, mini.Say) for node in order)


def test_module_passes_are_made_by_decorators_too(mod):
    @module_pass(opt_level=1)
    class Keep:
        def transform_module(self, given, ctx):
            return given.without_functions(["tiny"])

    assert issubclass(Keep, ModulePass)
    assert "tiny" not in Keep()(mod)


class TestCommand:
    """The ``relayish`` command on a file that holds definitions of two languages."""

    @pytest.fixture
    def program(self, mod, tmp_path):
        path = tmp_path / "mixed.relay"
        path.write_text(astext(mod))
        return str(path)

    def test_passes_run(self, program, mod, declarations, capsys):
        register_pass(takes=mini.Function)(create_function_pass(incremented, 1, "Count"))
        assert main(["opt", program, "-p", "Count,FoldConstant", "--verify-each"]) == 0
        assert numbers(parse(capsys.readouterr().out)) == [2, 7]

    def test_default_passes_run(self, program, mod, capsys):
        assert main(["opt", program, "-O", "4"]) == 0
        assert numbers(parse(capsys.readouterr().out)) == [1, 7]

    def test_program_is_checked(self, program, capsys):
        assert main(["check", program]) == 0
        assert "well formed and well typed, 3 functions" in capsys.readouterr().out

    def test_faulty_pass_is_found(self, program, declarations, capsys):
        register_pass(takes=mini.Function)(create_function_pass(faulty, 1, "Faulty"))
        argv = ["bisect", program, "-p", "FoldConstant,Faulty", "--check", "no_free_vars"]
        assert main(argv) == 1
        told = capsys.readouterr()
        assert "Faulty is at fault, after 1 other pass" in told.err
        assert isinstance(parse(told.out)["kernel"].body, mini.Say)
