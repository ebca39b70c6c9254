"""Values of many operands: what rules replace in them one by one is replaced at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("onnx")

import relayish as relay
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.origins import trace_origins
from relayish.ir.relay.expr import Expr, Tuple, TupleGetItem
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import inputs_of
from relayish.onnx.reading.notes import span_of_name
from relayish.rewriting.relay import chain
from relayish.transform import EliminateNop, MergeConsecutive, SimplifySplitConcat
from tests.support.large_onnx import Builder, begin, module

pytestmark = pytest.mark.references


def many_results(size: int) -> IRModule:
    param, b = begin()
    return module(param, b, *[b.node("Identity", b.node("Identity", param)) for _ in range(size)])


def nested_concats(size: int) -> IRModule:
    param, b = begin()
    x = param
    for _ in range(size):
        x = b.node("Concat", x, b.constant(np.zeros((1, 1, 8, 8))), axis=1)
    return module(param, b, x)


def split_concat(size: int) -> IRModule:
    param, b = begin()
    parts = split(b, b.node("Concat", *[param] * size, axis=0), size)
    return module(param, b, b.node("Concat", *parts, axis=0))


def aliases_between(size: int) -> IRModule:
    """Return aliases that one call uses, behind which is one with as many users."""
    param, b = begin()
    x = b.node("Concat", *[b.node("Identity", param) for _ in range(size)], axis=0)
    return module(param, b, *[b.node("Neg", part) for part in split(b, x, size)])


def split(b: Builder, x: Expr, count: int) -> list[Expr]:
    whole = b.node("Split", x, outputs=count, axis=0, num_outputs=count)
    return [b.bind(TupleGetItem(whole, place)) for place in range(count)]


def operands_of_body(mod: IRModule) -> tuple[Expr, ...]:
    tail = mod["main"].body
    value = tail
    while hasattr(tail, "body"):
        value, tail = tail.value, tail.body
    return tail.fields if type(tail) is Tuple else inputs_of(value)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (many_results, EliminateNop),
        (aliases_between, EliminateNop),
        (nested_concats, MergeConsecutive),
        (split_concat, SimplifySplitConcat),
    ],
)
def test_operands_are_handled_about_as_often_as_there_are_some(
    make: Callable[[int], IRModule], name: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    handled = 0
    parts_of = chain._parts

    def count(value: Expr) -> tuple[Expr, ...]:
        nonlocal handled
        parts = parts_of(value)
        handled += len(parts)
        return parts

    enqueue = chain.Chain.enqueue

    def count_enqueued(self: chain.Chain, binding: chain.Binding, reach: int = 0) -> None:
        nonlocal handled
        handled += 1
        enqueue(self, binding, reach)

    monkeypatch.setattr(chain, "_parts", count)
    monkeypatch.setattr(chain.Chain, "enqueue", count_enqueued)
    found = []
    for size in (100, 400):
        handled = 0
        image = name()(make(size))
        assert len(operands_of_body(image)) >= size
        found.append(handled)
    assert found[1] < 5 * found[0]


def test_results_of_several_names_become_the_value_they_name() -> None:
    image = EliminateNop()(many_results(3))
    (param,) = image["main"].params
    assert operands_of_body(image) == (param,) * 3


def test_concats_are_flattened_in_order() -> None:
    param, b = begin()
    first, second = (b.node(name, param) for name in ("Relu", "Neg"))
    inner = b.node("Concat", first, b.node("Concat", second, param, axis=1), axis=1)
    outer = b.node("Concat", param, inner, second, axis=1)
    image = MergeConsecutive()(module(param, b, outer))
    assert operands_of_body(image) == (param, first, second, param, second)


def test_concats_along_another_axis_stay_apart() -> None:
    param, b = begin()
    inner = b.node("Concat", param, param, axis=1)
    mod = module(param, b, b.node("Concat", inner, inner, axis=0))
    assert MergeConsecutive()(mod) is mod


def test_chain_that_was_kept_is_one_passes_alone_in_whatever_thread() -> None:
    mod = EliminateNop()(nested_concats(30))
    wanted = MergeConsecutive()(mod)
    with ThreadPoolExecutor(8) as pool:
        images = list(pool.map(lambda _: MergeConsecutive()(mod), range(40)))
    assert all(structural_equal(image, wanted) for image in images)


def test_chain_that_a_pass_left_in_the_middle_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    mod = MergeConsecutive()(aliases_between(5))  # which leaves a chain
    drop_unused, calls = chain.Chain.drop_unused, 0

    def fail(self: chain.Chain, binding: chain.Binding, *, wakes: bool = True) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise ValueError("in the middle")
        drop_unused(self, binding, wakes=wakes)

    with monkeypatch.context() as patched:
        patched.setattr(chain.Chain, "drop_unused", fail)
        with pytest.raises(ValueError, match="in the middle"):
            EliminateNop()(mod)
    assert structural_equal(EliminateNop()(mod), EliminateNop()(aliases_between(5)))


def test_value_is_named_after_its_node_and_not_after_a_line() -> None:
    with trace_origins():
        call = relay.exp(relay.tanh(relay.var("x")))
    named = call.with_fields(span=span_of_name("n"))
    found = [[var.name_hint for var in chain.Chain(each).bindings] for each in (call, named)]
    assert found == [["tanh", "exp"], ["tanh", "n"]]
