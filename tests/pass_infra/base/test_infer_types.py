"""A pass that asks for types gets them, whichever way it was made, and nobody else pays."""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Callable, Iterator

import pytest

from relayish.analysis.carried_types import stale_types
from relayish.analysis.infer_type import infer_type
from relayish.errors import TypeInferenceError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, TensorType
from relayish.op.declaration.properties import rule
from relayish.op.declaration.registry import get_op
from relayish.transform import (
    FunctionPass,
    ModulePass,
    Pass,
    PassContext,
    Sequential,
    create_function_pass,
    create_module_pass,
    function_pass,
    get_pass,
    module_pass,
    register_pass,
)
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds

Change = Callable[[Function], Function]
"""What becomes of a function."""


def program(**attrs: object) -> IRModule:
    """@helper and @main, which calls it; @other, by itself; no types anywhere but on parameters."""
    x, y, z = (var(name, shape=(2,)) for name in "xyz")
    helper, one = GlobalVar("helper"), const(1.0)
    marked = DictAttrs(attrs) if attrs else None
    return IRModule(
        {
            helper: Function((x,), x + one),
            "main": Function((y,), Call(helper, (y + y,)), attrs=marked),
            "other": Function((z,), z * z),
        }
    )


def keep(func: Function) -> Function:
    return func


def made_by_create_function_pass(change: Change, **facts: bool) -> Pass:
    return create_function_pass(lambda f, _m, _c: change(f), 0, "P", **facts)


def made_by_create_module_pass(change: Change, **facts: bool) -> Pass:
    return create_module_pass(lambda m, _c: changed(m, change), 0, "P", **facts)


def made_by_decorating_a_function(change: Change, **facts: bool) -> Pass:
    @function_pass(opt_level=0, **facts)
    def decorated(func: Function, mod: IRModule, ctx: PassContext) -> Function:
        return change(func)

    return decorated


def made_by_decorating_a_module_function(change: Change, **facts: bool) -> Pass:
    @module_pass(opt_level=0, **facts)
    def decorated(mod: IRModule, ctx: PassContext) -> IRModule:
        return changed(mod, change)

    return decorated


def made_by_decorating_a_class(change: Change, **facts: bool) -> Pass:
    @function_pass(opt_level=0, **facts)
    class Decorated:
        def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
            return change(func)

    return Decorated()


def made_by_decorating_a_module_class(change: Change, **facts: bool) -> Pass:
    @module_pass(opt_level=0, **facts)
    class Decorated:
        def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
            return changed(mod, change)

    return Decorated()


def made_by_decorating_a_pass_class(change: Change, **facts: bool) -> Pass:
    @module_pass(opt_level=0, **facts)
    class Decorated(ModulePass):
        def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
            return changed(mod, change)

    return Decorated()


def made_by_registering_a_class(change: Change, **facts: bool) -> Pass:
    @register_pass(opt_level=0, **facts)
    class Registered(FunctionPass):
        def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
            return change(func)

    return Registered()


def made_by_registering_a_factory(change: Change, **facts: bool) -> Pass:
    @register_pass(opt_level=0)
    def Registered() -> Pass:
        return made_by_create_function_pass(change, **facts)

    return Registered()


def made_by_registering_a_pass(change: Change, **facts: bool) -> Pass:
    return register_pass(name="Registered")(made_by_create_function_pass(change, **facts))


WAYS = [made for name, made in sorted(globals().items()) if name.startswith("made_by_")]


def changed(mod: IRModule, change: Change) -> IRModule:
    return mod.with_functions({key: change(func) for key, func in mod.functions.items()})


def untyped(expr: Expr) -> list[Expr]:
    named = {"Op", "GlobalVar", "Constructor"}
    nodes = EXPRESSIONS.post_order(expr)
    return [n for n in nodes if n.checked_type is None and type(n).__name__ not in named]


@pytest.fixture
def counted() -> Iterator[list[object]]:
    """What the rule for the type of ``negative`` was asked."""
    negative, asked = get_op("negative"), []
    held = rule.get(negative)
    assert held is not None

    def count(attrs: object, *types: object) -> object:
        asked.append(types)
        return held(attrs, *types)

    rule.set(negative, count, replace=True)
    yield asked
    rule.set(negative, held, replace=True)


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__.removeprefix("made_by_"))
def made(request: pytest.FixtureRequest, declarations: None) -> Callable[..., Pass]:
    return request.param


def test_pass_that_asks_for_types_sees_them_on_every_expression(made) -> None:
    seen: list[Function] = []
    made(lambda f: seen.append(f) or f, infer_types=True)(program())
    assert len(seen) == 3
    assert not [node for func in seen for node in untyped(func)]


def test_pass_that_does_not_ask_sees_what_it_is_given(made) -> None:
    mod, seen = program(), []
    made(lambda f: seen.append(f) or f)(mod)
    assert seen == list(mod.functions.values())


def test_untyped_module_in_which_nothing_changed_comes_back_itself(made) -> None:
    mod = program()
    assert made(keep, infer_types=True)(mod) is mod


def negate_other(func: Function) -> Function:
    """Return another body for @other alone, made of the old one and an untyped call."""
    if not (isinstance(func.body, Call) and func.body.op is get_op("multiply")):
        return func
    return func.with_fields(body=Call(get_op("negative"), (func.body,)))


def test_result_is_typed(made) -> None:
    out = made(negate_other, infer_types=True)(program())
    assert not [node for func in out.functions.values() for node in untyped(func)]
    assert structural_equal(
        out["other"].checked_type,
        FuncType((TensorType((2,), "float32"),), TensorType((2,), "float32")),
    )


def test_result_of_a_pass_that_does_not_ask_is_left_as_it_is(made) -> None:
    out = made(negate_other)(program())
    assert out["other"].checked_type is None
    assert out["other"].body.checked_type is None


def test_untouched_functions_and_nodes_of_a_typed_module_stay_the_same_objects(made) -> None:
    mod = infer_type(program())
    out = made(negate_other, infer_types=True)(mod)
    assert out["main"] is mod["main"]
    assert out["helper"] is mod["helper"]
    assert out["other"].body.args[0] is mod["other"].body


def test_typed_module_is_not_typed_again_after_a_change(made, counted: list[object]) -> None:
    """The relation of an operator is asked for the one new call only."""
    x = var("x", shape=(2,))
    body: Expr = x
    for _ in range(50):
        body = Call(get_op("negative"), (body,))
    mod = infer_type(IRModule({"main": Function((x,), body), "other": Function((x,), body)}))
    counted.clear()
    main = mod["main"]
    out = made(
        lambda f: f.with_fields(body=Call(get_op("negative"), (f.body,))) if f is main else f,
        infer_types=True,
    )(mod)
    assert len(counted) == 1
    assert out["main"].body.args[0] is mod["main"].body
    assert out["other"] is mod["other"]


def test_pass_that_does_not_ask_infers_nothing(made, counted: list[object]) -> None:
    x = var("x", shape=(2,))
    mod = IRModule({"main": Function((x,), Call(get_op("negative"), (x,)))})
    counted.clear()
    made(lambda f: f.with_fields(body=x))(mod)
    assert counted == []


def test_ill_typed_program_is_told_from_an_ill_typed_result(made) -> None:
    bad = Call(get_op("add"), (const([1.0, 2.0]), const([1.0, 2.0, 3.0])))
    pass_ = made(lambda f: f.with_fields(body=bad, ret_type=None), infer_types=True)
    with pytest.raises(TypeInferenceError) as given:
        pass_(IRModule({"main": Function((), bad)}))
    assert given.value.__notes__[0] == "found while typing what the pass is given"
    with pytest.raises(TypeInferenceError) as returned:
        pass_(IRModule({"main": Function((), const(1.0))}))
    assert returned.value.__notes__ == [
        "found while typing what the pass returned",
        f"in pass {pass_.info.name}",
    ]


@pytest.mark.parametrize("attrs", [{"Compiler": "dnnl"}, {"SkipOptimization": 1}])
def test_skipped_function_is_typed_but_not_given_to_a_function_pass(
    attrs: dict[str, object],
) -> None:
    seen: list[Function] = []
    mod = infer_type(program(**attrs))
    pass_ = made_by_create_function_pass(lambda f: seen.append(f) or f, infer_types=True)
    assert pass_(mod) is mod
    assert seen == [mod["helper"], mod["other"]]


def test_facts_are_told_by_the_info(made) -> None:
    info = made(keep, infer_types=True).info
    assert info.infer_types
    assert not made_by_create_function_pass(keep).info.infer_types


@pytest.mark.parametrize("create", [create_function_pass, create_module_pass])
def test_created_pass_carries_every_fact(create) -> None:
    facts = {"idempotent": True, "requires": ("well_typed",), "ensures": ["well_formed"]}
    info = create(lambda *_: None, 1, "P", **facts).info
    assert (info.idempotent, info.requires, info.ensures) == (
        True,
        ("well_typed",),
        ("well_formed",),
    )


@pytest.mark.parametrize("decorate", [function_pass, module_pass])
def test_decorated_pass_carries_every_fact(decorate) -> None:
    facts = {"idempotent": True, "requires": ("well_typed",), "ensures": ["well_formed"]}
    info = decorate(opt_level=1, **facts)(lambda *_: None).info
    assert (info.idempotent, info.requires, info.ensures) == (
        True,
        ("well_typed",),
        ("well_formed",),
    )


@pytest.mark.usefixtures("declarations")
def test_registering_keeps_facts_unless_it_says_otherwise() -> None:
    held = create_module_pass(lambda m, _c: m, 1, "P", infer_types=True, ensures=("a",))
    kept = register_pass(name="Kept")(held).info
    other = register_pass(name="Other", infer_types=False, ensures=())(held).info
    assert (kept.infer_types, kept.ensures) == (True, ("a",))
    assert (other.infer_types, other.ensures) == (False, ())


def test_function_pass_sees_the_old_siblings_typed() -> None:
    """What it made of @helper is not what @main sees of @helper."""
    seen: dict[str, Function] = {}

    def transform(func: Function, mod: IRModule, _ctx: PassContext) -> Function:
        if isinstance(func.body, Call) and isinstance(func.body.op, GlobalVar):
            seen["sibling"] = mod["helper"]
            return func
        return func.with_fields(body=Call(get_op("negative"), (func.body,)))

    mod = infer_type(program())
    out = create_function_pass(transform, 0, "P", infer_types=True)(mod)
    assert seen["sibling"] is mod["helper"]
    assert out["helper"] is not mod["helper"]


# In a sequence of passes


def negations() -> IRModule:
    x = var("x", shape=(2,))
    return IRModule({"main": Function((x,), Call(get_op("negative"), (x,)))})


def asking(change: Change = keep) -> Pass:
    return made_by_create_function_pass(change, infer_types=True)


def test_types_are_found_once_for_passes_that_change_nothing(counted: list[object]) -> None:
    mod = negations()
    inner = Sequential([asking(), "InferType", asking()])
    out = Sequential([asking(), asking(), inner, "InferType"])(mod)
    assert len(counted) == 1
    assert not untyped(out["main"])
    assert mod["main"].checked_type is None


def test_module_itself_comes_back_from_a_sequence_that_changes_nothing() -> None:
    mod = negations()
    assert Sequential([asking(), asking()])(mod) is mod


def test_types_are_found_anew_where_a_pass_returned_another_module(counted: list[object]) -> None:
    def double(func: Function) -> Function:
        return func.with_fields(body=Call(get_op("negative"), (func.body,)))

    without_types = made_by_create_function_pass(double)
    passes = [asking(), without_types, asking(), asking(double), asking()]
    out = Sequential(passes)(negations())
    assert not untyped(out["main"])
    assert len(counted) == 3  # an operator that is called alike is asked once in each inference


def test_types_are_found_anew_in_the_next_sequence(counted: list[object]) -> None:
    mod, passes = negations(), Sequential([asking(), asking()])
    passes(mod)
    passes(mod)
    asking()(mod)
    assert len(counted) == 3


def test_fresh_types_are_found_anew_and_handed_on_to_nobody(counted: list[object]) -> None:
    Sequential([asking(), get_pass("InferType{fresh=true}"), asking()])(negations())
    assert len(counted) == 2


def test_types_of_an_ill_typed_module_are_not_handed_on() -> None:
    bad = Call(get_op("add"), (const([1.0, 2.0]), const([1.0, 2.0, 3.0])))
    mod, told = IRModule({"main": Function((), bad)}), []

    def twice(given: IRModule, _ctx: PassContext) -> IRModule:
        for _ in range(2):
            with pytest.raises(TypeInferenceError) as caught:
                asking()(given)
            told.append(str(caught.value))
        return given

    assert Sequential([create_module_pass(twice, 0, "Twice")])(mod) is mod
    assert told[0] == told[1]


def test_nothing_is_kept_of_a_sequence_that_is_over() -> None:
    seen: list[weakref.ref[Function]] = []
    mod = negations()
    Sequential([asking(lambda func: seen.append(weakref.ref(func)) or func)])(mod)
    gc.collect()
    assert [each() for each in seen] == [None]


ASKING = [
    *("CanonicalizeOps", "CombineConstants", "DeadCodeElimination", "EliminateCommonSubexpr"),
    *("FoldConstant", "InferType", "SimplifyExpr", "SimplifyInference", "ToANormalForm"),
    *("ToBasicBlockNormalForm", "ToGraphNormalForm"),
]


@pytest.mark.parametrize("seed", seeds(5))
def test_types_handed_on_are_those_that_are_found_anew(seed: int) -> None:
    mod = random_module(seed, 25)
    names = random.Random(f"handed {seed}").choices(ASKING, k=6)
    with PassContext(opt_level=4):
        out, one_by_one = Sequential(names)(mod), mod
        for name in names:
            one_by_one = Sequential([name])(one_by_one)
    assert structural_equal(out, one_by_one, map_free_vars=True)
    assert list(stale_types(out, infer_type(out, fresh=True))) == []
