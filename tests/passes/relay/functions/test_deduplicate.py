"""What repeats becomes one function, and nothing else changes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Function,
    GlobalVar,
    Let,
    Op,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.passes.relay.functions.deduplicate import deduplicate
from relayish.passes.relay.functions.deduplication.growth import grow
from relayish.passes.relay.functions.deduplication.labels import Labels
from relayish.passes.relay.functions.deduplication.units import Units
from relayish.testing import lstm, resnet
from relayish.text import parse
from relayish.transform import parse_pipeline
from tests.support.depth import DEPTH

T = "Tensor[(4), float32]"


def program(body: str, params: str = f"%x: {T}, %y: {T}", before: str = "") -> IRModule:
    text = f'#[version = "0.0.5"]\n{before}\ndef @main({params}) {{ {body} }}'
    return infer_type(parse(text))


def run(mod: IRModule, pipeline: str = "Deduplicate") -> IRModule:
    return parse_pipeline(pipeline)(mod)


def made(mod: IRModule) -> list[Function]:
    return [mod[name] for name in mod if name.name_hint.startswith("deduplicated_")]


def calls(func: Function) -> Counter:
    return Counter(
        node.op.name if type(node.op) is Op else node.op.name_hint
        for node in EXPRESSIONS.pre_order(func)
        if type(node) is Call and type(node.op) in (Op, GlobalVar)
    )


def values(mod: IRModule) -> object:
    rng = np.random.default_rng(0)
    types = [param.type_annotation for param in mod["main"].params]
    args = [rng.normal(size=ty.shape).astype(ty.dtype) if ty.shape else np.bool_(1) for ty in types]
    return evaluate(mod["main"], mod, args)


def assert_same_values(before: IRModule, after: IRModule) -> None:
    for expected, actual in zip(
        np.atleast_1d(values(before)), np.atleast_1d(values(after)), strict=True
    ):
        np.testing.assert_array_equal(expected, actual)


# What repeats


def test_function_without_repetition_keeps_its_lets() -> None:
    mod = program(
        "%0 = tanh(exp(%x)); @f(tanh(exp(%0)))",
        f"%x: {T}",
        f"def @f(%y: {T}) -> {T} {{ let %a = erf(%y); %a }}",
    )
    out = run(mod)
    assert out is not mod
    assert out["f"] is mod["f"]


# What is made of blocks


def test_layers_in_a_row_stay_calls_in_a_row() -> None:
    mod = program("add(%x, %y)")
    last: object = mod["main"].params[0]
    for _ in range(64):
        for name in ("exp", "tanh", "sqrt"):
            last = Call(intern_op(name), (last,))
    mod = infer_type(mod.with_function("main", Function(mod["main"].params, last)))
    out = run(mod)
    (function,) = made(out)
    assert calls(function) == {"exp": 1, "tanh": 1, "sqrt": 1}
    assert sum(calls(out["main"]).values()) == 64


def test_blocks_of_a_residual_network_become_functions() -> None:
    mod, _ = resnet.get_workload(num_layers=50, image_shape=(3, 64, 64), num_classes=10)
    main = calls(run(mod)["main"])
    assert main["nn.conv2d"] == 9  # the first, and those of the first units of stages
    assert sorted(count for name, count in main.items() if "dedup" in name and count > 1) == [
        2,
        2,
        3,
        5,
    ]


def test_steps_of_an_unrolled_recurrence_call_one_function() -> None:
    mod, _ = lstm.get_workload(6, 4)
    out = run(mod)
    steps = [name for name, count in calls(out["main"]).items() if count == 6]
    assert len(steps) == 1
    assert isinstance(out[steps[0]].body, Tuple)


# What is left alone


# Options


def test_salt_is_in_the_names() -> None:
    mod = program("%0 = tanh(exp(%x)); tanh(exp(add(%0, %y)))")
    (name,) = set(run(mod, "Deduplicate{salt=second}")) - set(mod)
    assert name.name_hint.startswith("deduplicated_second_")


def test_negative_number_of_steps_is_refused() -> None:
    with pytest.raises(PassError, match=r"forward_steps is a number of steps, from 0; found -1"):
        deduplicate(program("%x"), forward_steps=-1)


# Names


def test_names_depend_on_what_functions_do_alone() -> None:
    one = run(program("%0 = tanh(exp(%x)); tanh(exp(add(%0, %y)))"))
    two = run(program("%0 = tanh(exp(erf(%y))); subtract(tanh(exp(%0)), %x)"))
    assert {g.name_hint for g in one} == {g.name_hint for g in two}


def test_function_that_was_outlined_before_is_called_and_does_not_call_itself() -> None:
    before = run(program("%0 = tanh(exp(%x)); tanh(exp(add(%0, %y)))"))
    (name,) = (g for g in before if g.name_hint != "main")
    main = program("subtract(tanh(exp(%x)), tanh(exp(%y)))")["main"]
    mod = infer_type(before.with_function("main", main))
    out = run(mod)
    assert out[name] is mod[name]
    assert calls(out["main"]) == {"subtract": 1, name.name_hint: 2}
    assert_same_values(mod, out)


def test_name_that_something_else_has_gets_a_number() -> None:
    mod = program("%0 = tanh(exp(%x)); tanh(exp(add(%0, %y)))")
    (name,) = (g.name_hint for g in run(mod) if g.name_hint != "main")
    x = Var("x", TensorType((4,), "float32"))
    taken = infer_type(mod.with_function(name, Function((x,), x)))
    assert {g.name_hint for g in run(taken)} == {"main", name, f"{name}_1"}


def test_spans_of_what_was_there_are_kept() -> None:
    mod = parse(
        '#[version = "0.0.5"]\ndef @main(%x: '
        + T
        + ") {\n %0 = tanh(exp(%x));\n tanh(exp(erf(%0)))\n}"
    )
    out = run(mod)
    for func in out.functions.values():
        for node in EXPRESSIONS.pre_order(func.body):
            if type(node) in (Call, TupleGetItem):
                assert node.span is not None


# Size


def joined(mod: IRModule) -> tuple[Units, int]:
    mod = infer_type(mod)
    units = Units(Tuple(tuple(mod.functions.values())), Labels((), consider_type=True))
    grow(units, 1)
    return units, len(units.nodes)


def chain(size: int, period: int) -> IRModule:
    names = ("exp", "tanh", "sqrt", "abs", "erf", "sigmoid", "negative")
    x = Var("x", TensorType((4,), "float32"))
    last: object = x
    for number in range(size):
        place = number % period
        last = Call(intern_op(names[(place * place + place // 3) % len(names)]), (last,))
    return IRModule({"main": Function((x,), last)})


@pytest.mark.parametrize("periods", [2, 50])
def test_work_grows_with_the_program_and_not_faster(periods: int) -> None:
    steps = [joined(chain(size, size // periods)) for size in (1_000, 10_000)]
    (small, few), (large, many) = [(units.steps, nodes) for units, nodes in steps]
    assert large / many < 1.5 * small / few + 1


def test_node_with_many_operands_is_looked_at_a_few_times_only() -> None:
    x = Var("x", TensorType((4,), "float32"))
    fields = [Call(intern_op("tanh"), (Call(intern_op("exp"), (x,)),)) for _ in range(5_000)]
    units, nodes = joined(IRModule({"main": Function((x,), Tuple(tuple(fields)))}))
    assert units.steps < 10 * nodes


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["lets", "calls"])
def test_long_program_is_deduplicated(kind: str) -> None:
    size = min(DEPTH, 20_000)
    mod = chain(2 * size, 5)
    if kind == "lets":
        x = Var("x", TensorType((4,), "float32"))
        names = [Var(f"v{number}") for number in range(size)]
        body: object = names[-1]
        for number in reversed(range(size)):
            op = intern_op("exp" if number % 2 else "tanh")
            value = Call(op, (names[number - 1] if number else x,))
            body = Let(names[number], value, body)
        mod = IRModule({"main": Function((x,), body)})
    out = run(mod)
    assert made(out)
    assert sum(calls(out["main"]).values()) <= size


def test_constants_are_compared_bit_for_bit() -> None:
    x = Var("x", TensorType((4,), "float32"))
    add, exp = intern_op("add"), intern_op("exp")
    zeros = (Constant(np.float32(0.0)), Constant(np.float32(-0.0)))
    last: object = x
    for zero in zeros:
        last = Call(exp, (Call(add, (last, zero)),))
    (function,) = made(run(IRModule({"main": Function((x,), last)})))
    assert len(function.params) == 2


def test_units_are_sorted_behind_those_they_use():
    functions = infer_type(chain(30, 3)).functions.values()
    units = Units(Tuple(tuple(functions)), Labels((), consider_type=False))
    order = units.sort_topologically()
    assert sorted(order) == list(range(len(units.nodes)))
    place = {unit: at for at, unit in enumerate(order)}
    used = [(child, unit) for unit in order for child in units.inputs[unit].values()]
    assert used
    assert all(place[child] < place[unit] for child, unit in used)
