"""Schedule blocks without which the program does the same."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import UninitialisedReadError
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import node
from relayish.tir.analysis import FAULTS
from tests.support.tir_small import apply, function, left, loop, memory, nodes

I, V, W = tir.Var("i"), tir.Var("v"), tir.Var("w")  # noqa: E741 - as loops call it


def removed(func):
    image = apply("RemoveScheduleBlock", func)
    assert nodes(image, tir.ScheduleBlock) == nodes(image, tir.ScheduleBlockRealize) == []
    return image


def realize(values, variables, *stmts, name="B"):
    body = stmts[0] if len(stmts) == 1 else tir.Block(stmts)
    return tir.ScheduleBlockRealize(values, tir.ScheduleBlock(variables, (), (), name, body))


def test_value_stands_where_the_variable_was_used():
    a = memory("A", 16)
    value = I * 2 + 1
    image = removed(function([a], loop(I, 0, 4, realize((value,), (V,), tir.Store(a, V, (V,))))))
    [store] = nodes(image, tir.Store)
    assert store.value is value
    assert store.indices == (value,)


def test_block_without_variables_leaves_its_body():
    a = memory("A", 4)
    store = tir.Store(a, tir.const(1), (0,))
    image = removed(function([a], realize((), (), store, name="root")))
    assert image.body.stmts == (store,)


def test_value_of_a_scalar_without_a_value_is_an_error_still():
    a, x = memory("A", 4), tir.Var("x")
    func = function([a], tir.Let(x), realize((x + 0,), (V,), tir.Store(a, tir.const(1), (0,))))
    for each in (func, removed(func)):
        with pytest.raises(UninitialisedReadError, match="x is read before it has a value"):
            left(each, np.zeros(4, "int32"))


def test_value_of_another_package_is_computed_first_unless_it_cannot_fault(declarations):
    @node("checked_root", effect=Effect.NONE)
    class CheckedRoot(tir.Expr):
        v: tir.Expr

        @staticmethod
        def derive_type(node):
            return node.v.type

    a = memory("A", 4)
    func = function([a], loop(I, 0, 4, realize((CheckedRoot(I),), (V,), tir.Store(a, V, (I,)))))
    assert len(nodes(removed(func), tir.Let)) == 1
    FAULTS.register(CheckedRoot, lambda node, known: False)
    assert nodes(removed(func), tir.Let) == []
