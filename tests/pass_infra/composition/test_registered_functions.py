"""Functions that ``register_pass`` makes passes."""

from __future__ import annotations

import copy
import functools
import pickle
from typing import TypeVar

import pytest

from relayish.errors import DeclarationError, PassError, PipelineError
from relayish.ir.declarations import declared_temporarily
from relayish.ir.node import node
from relayish.ir.relay.expr import Expr, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.transform import (
    FunctionPass,
    ModulePass,
    Pass,
    PassContext,
    PassRegistry,
    get_pass,
    register_pass,
)

FUNCTION = Function((), Tuple(()))
MODULE = IRModule({"main": FUNCTION})


@pytest.fixture
def names():
    return PassRegistry()


def test_keyword_only_parameters_are_the_options(names):
    @register_pass("Drop", opt_level=0, registry=names)
    def drop(func: Expr, *, twice: bool = False) -> Expr:
        return Function((), Tuple((Tuple(()),))) if twice else func

    entry = names.get("Drop")
    assert [str(option) for option in entry.options] == ["twice: bool = False"]
    assert entry.factory()(MODULE) is MODULE
    assert entry.factory(twice=True)(MODULE) is not MODULE
    assert entry.factory(True)(MODULE) is not MODULE


def test_function_stays_what_it_is(names):
    def keep(func: Expr) -> Expr:
        return func

    assert register_pass("Keep", opt_level=0, registry=names)(keep) is keep


def test_module_and_context_are_given_where_they_are_named(names):
    given = []

    @register_pass("Look", opt_level=0, registry=names)
    def look(func: Expr, mod: IRModule | None = None, *, ctx: PassContext) -> Expr:
        given.append((mod, ctx))
        return func

    with PassContext() as ctx:
        names.get("Look").factory()(MODULE)
    ((mod_given, ctx_given),) = given
    assert mod_given is MODULE
    assert ctx_given is ctx


@pytest.mark.parametrize(
    ("annotation", "base"), [(Expr, FunctionPass), (Function, FunctionPass), (IRModule, ModulePass)]
)
def test_first_parameter_says_what_the_pass_is_over(names, annotation, base):
    def keep(program):
        return program

    keep.__annotations__["program"] = annotation
    register_pass("Keep", opt_level=0, registry=names)(keep)
    made = names.get("Keep").factory
    assert issubclass(made, base)
    assert made()(MODULE) is MODULE


def test_function_of_functions_of_another_kind_takes_these_alone(names):
    with declared_temporarily():

        @node("kernel_function")
        class KernelFunction(Expr):
            body: Expr

        seen = []

        def look(kernel):
            seen.append(kernel)
            return kernel

        look.__annotations__["kernel"] = KernelFunction
        register_pass("LookAtKernels", opt_level=0, registry=names)(look)
        kernel = KernelFunction(Tuple(()))
        names.get("LookAtKernels").factory()(IRModule({"main": FUNCTION, "kernel": kernel}))
        assert seen == [kernel]


def test_module_pass_gives_its_function_the_module(names):
    @register_pass("Only", opt_level=0, registry=names)
    def only(mod: IRModule, *, entry: str = "main") -> IRModule:
        return IRModule({entry: mod[entry]})

    out = names.get("Only").factory(entry="f")(IRModule({"main": FUNCTION, "f": FUNCTION}))
    assert [name.name_hint for name in out] == ["f"]


def test_description_is_the_first_line_of_the_docstring(names):
    @register_pass("Keep", opt_level=3, registry=names)
    def keep(func: Expr) -> Expr:
        """Keep it.

        As it is.
        """
        return func

    info = names.get("Keep").info
    assert (info.name, info.opt_level, info.description) == ("Keep", 3, "Keep it.")


def test_option_that_must_be_given_comes_first(names):
    @register_pass("Cut", opt_level=0, registry=names)
    def cut(func: Expr, *, loudly: bool = False, size: int) -> Expr:
        assert (loudly, size) == (True, 3)
        return func

    assert names.get("Cut").factory(3, loudly=True)(MODULE) is MODULE
    with pytest.raises(PipelineError, match="must be given the option size: int"):
        names.get("Cut").build({})


def test_option_of_another_type_is_refused(names):
    @register_pass("Cut", opt_level=0, registry=names)
    def cut(func: Expr, *, size: int) -> Expr:
        return func

    with pytest.raises(PipelineError, match="option 'size' of pass Cut: expected int; found 'x'"):
        names.get("Cut").factory("x")


def test_result_that_is_no_function_is_refused(names):
    @register_pass("Body", opt_level=0, registry=names)
    def body(func: Expr) -> Expr:
        return Var("x")

    with pytest.raises(PassError, match="pass Body must return a Function; found a Var"):
        names.get("Body").factory()(MODULE)


def test_result_of_a_module_that_is_none_is_refused(names):
    @register_pass("Forget", opt_level=0, registry=names)
    def forget(mod: IRModule) -> IRModule:
        pass

    with pytest.raises(PassError, match=r"Forget must return an IRModule; found None; is a return"):
        names.get("Forget").factory()(MODULE)


def test_parameter_by_position_is_refused(names):
    def cut(func: Expr, size: int) -> Expr:
        return func

    with pytest.raises(DeclarationError, match=r"parameter 'size' can be given by position; .* \*"):
        register_pass("Cut", opt_level=0, registry=names)(cut)


def test_option_without_annotation_is_refused(names):
    def cut(func: Expr, *, size=3) -> Expr:
        return func

    with pytest.raises(DeclarationError, match=r"'size' of .*cut is an option of the pass Cut"):
        register_pass("Cut", opt_level=0, registry=names)(cut)


def test_first_parameter_without_annotation_is_refused(names):
    def run(mod, ctx):
        return mod

    with pytest.raises(DeclarationError, match=r"first parameter 'mod' has no annotation; ann"):
        register_pass("Run", opt_level=0, registry=names)(run)


def test_function_whose_parameters_cannot_be_told_is_refused(names):
    with pytest.raises(DeclarationError, match=r"builtins.min cannot be made a pass: no signature"):
        register_pass("Least", opt_level=0, registry=names)(min)


def test_name_is_asked_for(names):
    def keep(func: Expr) -> Expr:
        return func

    with pytest.raises(DeclarationError, match=r"needs the name of the pass that .*keep is made"):
        register_pass(opt_level=0, registry=names)(keep)


def test_level_is_asked_for(names):
    def keep(func: Expr) -> Expr:
        return func

    with pytest.raises(DeclarationError, match=r"needs the level of .*keep"):
        register_pass("Keep", registry=names)(keep)


def test_level_in_place_of_the_name_is_refused():
    with pytest.raises(DeclarationError, match=r"first argument of register_pass is the name.* 1"):
        register_pass(1)


def test_bare_decorator_is_refused_before_a_class():
    with pytest.raises(
        DeclarationError, match=r"stands bare before .*Bare; write @register_pass\("
    ):

        @register_pass
        class Bare(FunctionPass):
            def transform_function(self, func, mod, ctx):
                return func


def test_factory_is_told_by_what_it_takes(names):
    @register_pass("Twice", opt_level=1, registry=names)
    def twice(name: str = "InferType") -> Pass:
        return get_pass(name)

    made = names.get("Twice").factory()
    assert isinstance(made, Pass)
    assert (made.info.name, made.info.opt_level) == ("Twice", 1)


def test_pass_is_copied_and_pickled_with_its_options():
    held = pickle.loads(pickle.dumps(get_pass("FoldConstant", fold_qnn=True)))
    assert repr(held) == repr(get_pass("FoldConstant", fold_qnn=True))
    assert held(MODULE) is MODULE


Either = TypeVar("Either", Expr, Function)


@pytest.mark.parametrize("annotation", [Expr | Function, Expr | None, Either])
def test_first_parameter_of_several_classes_is_refused(names, annotation):
    def keep(func):
        return func

    keep.__annotations__["func"] = annotation
    with pytest.raises(DeclarationError, match=r"transforms what is of one class; found func: "):
        register_pass("Keep", opt_level=0, registry=names)(keep)


@pytest.mark.parametrize("option", ["info", "run", "takes", "self", "pass_func", "with_info"])
def test_option_named_like_something_of_passes_is_refused(names, option):
    scope = {"Expr": Expr}
    exec(f"def keep(func: Expr, *, {option}: int = 1): return func", scope)
    with pytest.raises(DeclarationError, match=f"'{option}' .*a name passes use themselves; renam"):
        register_pass("Keep", opt_level=0, registry=names)(scope["keep"])


@pytest.mark.parametrize("default", [[], {}, set()], ids=str)
def test_default_that_could_be_changed_is_refused(names, default):
    def keep(func: Expr, *, kept: object = default) -> Expr:
        return func

    with pytest.raises(DeclarationError, match="could be changed in place; write a tuple, or None"):
        register_pass("Keep", opt_level=0, registry=names)(keep)


def test_module_by_position_alone_is_refused(names):
    def keep(func: Expr, mod: IRModule, /) -> Expr:
        return func

    with pytest.raises(DeclarationError, match="'mod' can be given by position"):
        register_pass("Keep", opt_level=0, registry=names)(keep)


@pytest.mark.parametrize("kind", [Expr, IRModule])
@pytest.mark.parametrize("first", ["mod", "ctx"])
def test_first_parameter_may_have_any_name(names, kind, first):
    scope = {"Kind": kind}
    exec(f"def keep({first}: Kind): return {first}", scope)
    register_pass("Keep", opt_level=0, registry=names)(scope["keep"])
    assert names.get("Keep").build({})(MODULE) is MODULE


def test_pass_over_modules_is_given_the_module_where_it_asks_again(names):
    given = []

    @register_pass("Look", opt_level=0, registry=names)
    def look(first: IRModule, mod: IRModule) -> IRModule:
        given.extend((first, mod))
        return first

    names.get("Look").build({})(MODULE)
    assert given == [MODULE, MODULE]


@pytest.mark.parametrize("name", ["", "two words", "a{b}", "1st", "new\nline"])
def test_name_that_no_pipeline_can_write_is_refused(names, name):
    def keep(func: Expr) -> Expr:
        return func

    with pytest.raises(DeclarationError, match="needs a name that can stand in a pipeline"):
        register_pass(name, opt_level=0, registry=names)(keep)


def test_partial_function_is_refused(names):
    def keep(func: Expr, *, times: int = 1) -> Expr:
        return func

    with pytest.raises(DeclarationError, match=r"takes a function .*found functools\.partial"):
        register_pass("Keep", opt_level=0, registry=names)(functools.partial(keep, times=2))


def registered_anew(names):
    """Return a pass with the option ``old``, whose name means another by now."""

    @register_pass("Keep", opt_level=0, registry=names)
    def keep(func: Expr, *, old: int = 1) -> Expr:
        return func

    before = names.get("Keep").build({"old": 2})

    @register_pass("Keep", opt_level=0, registry=names, replace=True)
    def drop(func: Expr) -> Expr:
        raise AssertionError

    return before


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda made: made.with_info(made.info)]
)
def test_copy_is_of_the_pass_that_is_copied_where_its_name_means_another(names, copied):
    again = copied(registered_anew(names))
    assert repr(again) == "Keep(old=2)"
    assert again(MODULE) is MODULE


def test_pass_whose_name_means_another_is_not_pickled(names):
    with pytest.raises(PassError, match=r"cannot pickle Keep\(old=2\): .* registered anew"):
        pickle.dumps(registered_anew(names))


class QuietFold(type(get_pass("FoldConstant"))):
    """A pass below one that was made of a function."""


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))]
)
def test_copy_of_a_pass_below_keeps_its_class(copied):
    again = copied(QuietFold(fold_qnn=True))
    assert (type(again), again.fold_qnn) == (QuietFold, True)
