"""Functions that ``register_pass`` makes passes."""

from __future__ import annotations

import copy
import functools
import pickle
from typing import Any, TypeVar

import pytest

from relayish.errors import DeclarationError, PassError, PipelineError
from relayish.ir.nodes.node import node
from relayish.ir.registration.declarations import declared_temporarily
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
from tests.support.each import each

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
    with pytest.raises(PipelineError, match="option 'size' of pass Cut: expected int; found 'x'"):
        names.get("Cut").factory("x")


def body(func: Expr) -> Expr:
    return Var("x")


def forget(mod: IRModule) -> IRModule:
    pass


@each(
    ("function", "message"),
    [
        (body, "pass Body must return a Function; found a Var"),
        (forget, "pass Body must return an IRModule; found None; is a return"),
    ],
)
def test_result_of_another_kind_is_refused(function, message):
    names = PassRegistry()
    register_pass("Body", opt_level=0, registry=names)(function)
    with pytest.raises(PassError, match=message):
        names.get("Body").factory()(MODULE)


Either = TypeVar("Either", Expr, Function)


def keep(func: Expr) -> Expr:
    return func


def by_position(func: Expr, size: int) -> Expr:
    return func


def by_position_alone(func: Expr, mod: IRModule, /) -> Expr:
    return func


def unannotated_option(func: Expr, *, size=3) -> Expr:
    return func


def unannotated(mod, ctx):
    return mod


def written(parameters: str) -> Any:
    """Return a function of such parameters."""
    scope = {"Expr": Expr, "Function": Function, "Either": Either}
    exec(f"def keep({parameters}): return func", scope)
    return scope["keep"]


@each(
    ("function", "name", "level", "message"),
    [
        (by_position, "Cut", 0, r"parameter 'size' can be given by position; .* \*"),
        (by_position_alone, "Cut", 0, "'mod' can be given by position"),
        (unannotated_option, "Cut", 0, "'size' of .*option is an option of the pass Cut"),
        (unannotated, "Run", 0, r"first parameter 'mod' has no annotation; ann"),
        (min, "Least", 0, "builtins.min cannot be made a pass: no signature"),
        (functools.partial(keep), "Keep", 0, r"takes a function .*found functools\.partial"),
        (keep, None, 0, "needs the name of the pass that .*keep is made"),
        (keep, "Keep", None, "needs the level of .*keep"),
        *[
            (keep, name, 0, "needs a name that can stand in a pipeline")
            for name in ("", "two words", "a{b}", "1st", "new\nline")
        ],
        *[
            (written(f"func: {kind}"), "Keep", 0, "transforms what is of one class; found func: ")
            for kind in ("Expr | Function", "Expr | None", "Either")
        ],
        *[
            (
                written(f"func: Expr, *, {option}: int = 1"),
                "Keep",
                0,
                f"'{option}' .*a name passes use themselves; renam",
            )
            for option in ("info", "run", "takes", "self", "pass_func", "with_info")
        ],
        *[
            (
                written(f"func: Expr, *, kept: object = {default}"),
                "Keep",
                0,
                "could be changed in place; write a tuple, or None",
            )
            for default in ("[]", "{}", "set()")
        ],
    ],
)
def test_function_that_is_no_pass_is_refused(function, name, level, message):
    with pytest.raises(DeclarationError, match=message):
        register_pass(name, opt_level=level, registry=PassRegistry())(function)


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
