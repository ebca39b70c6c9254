"""Branches that ask the same are one, and so are conditions on parts of one integer."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import PassError
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.module import IRModule
from relayish.transform import get_pass
from tests.support.each import each
from tests.support.tir_small import apply, function, left, loop, memory, nodes

X, N, I = tir.Var("x"), tir.Var("n"), tir.Var("i")  # noqa: E741 - as loops are called
A, B = memory("A", 8), memory("B", 8)
COUNT = tuple(tir.Store(B, B[at] + 1, (at,)) for at in range(8))


def arm(*stmts):
    return tir.Block(stmts)


def branch(condition, *stmts, other=None):
    return tir.IfThenElse(condition, arm(*stmts), other)


def program(*stmts):
    return function([A, B], *stmts, scalars=[X, N])


def is_kept(name, func):
    """Whether a pass leaves a program alone, which may be unsound."""
    return get_pass(name)(IRModule({"f": func}))["f"] is func


def check_same(before, after, values=range(-13, 14)):
    for value in values:
        for n in (-1, 1):
            arrays = np.arange(8, dtype="int32"), np.zeros(8, "int32")
            args = (np.int32(value), np.int32(n), *arrays)
            assert left(before, *args) == left(after, *args), value


POSITIVE = X > 0


@each(
    ("stmts", "count"),
    [
        ([branch(X > 0, COUNT[0]), branch(X > 0, COUNT[1])], 1),
        ([branch(X > 0, COUNT[0]), branch(X > 0, COUNT[1]), branch(X > 0, COUNT[2])], 1),
        ([branch(X > 0, COUNT[0], other=arm(COUNT[1])), branch(X > 0, COUNT[2])], 1),
        ([branch(X > 0, COUNT[2]), branch(X > 0, COUNT[0], other=arm(COUNT[1]))], 1),
        ([branch(X > 0, branch(N > 0, COUNT[at])) for at in (0, 1)], 2),  # inner ones as well
        ([branch(A[0] > 0, COUNT[at]) for at in (0, 1)], 1),  # which nothing writes
        ([branch(X > 0, tir.Let(I, A[1]), tir.Store(B, I, (I,)))] * 2, 1),
        ([branch(X > 0, COUNT[0]), branch(X > 1, COUNT[1])], 2),
        ([branch(X > 0, COUNT[0]), COUNT[1], branch(X > 0, COUNT[2])], 2),
        ([branch(B[0] > 0, COUNT[1]), branch(B[0] > 0, COUNT[2])], 2),  # written, perhaps
        (
            [branch(A[3] > 0, stmt) for stmt in (COUNT[0], tir.Store(A, X - 9, (3,)), COUNT[1])],
            2,
        ),
        ([branch(X > 0, tir.Store(X, tir.const(0), ())), branch(X > 0, COUNT[2])], 2),
    ],
)
def test_branches_that_ask_the_same_are_one(stmts, count):
    func = program(*stmts)
    if any(isinstance(each.tensor, tir.Var) for each in nodes(func, tir.Store)):
        func = func.with_fields(args=func.args[1:], body=arm(tir.Let(X, N), *stmts))
        assert is_kept("IfFusion", func)
        return
    image = apply("IfFusion", func)
    assert len(nodes(image, tir.IfThenElse)) == count
    check_same(func, image)


def test_what_arms_allocate_is_gone_at_their_ends():
    temp = memory("T", 4)
    arms = [
        branch(X > 0, tir.Alloc(temp.buffer), tir.Store(temp, A[at], (0,)), COUNT[at])
        for at in (1, 2)
    ]
    func = program(*arms).with_fields(temp_bufs=(temp.buffer,))
    image = apply("IfFusion", func)
    assert len(nodes(image, tir.IfThenElse)) == 1
    check_same(func, image)


def test_a_call_of_which_nothing_is_known_may_write_what_is_asked():
    launch = tir.Call("void", "launch_rocket")
    assert is_kept("IfFusion", program(branch(A[0] > 0, launch), branch(A[0] > 0, COUNT[0])))
    func = program(branch(X > 0, launch), branch(X > 0, COUNT[0]))
    assert is_kept("IfFusion", func)


def nested(*conditions, stmts=(COUNT[0],), other=None):
    stmt = branch(tir.EQ(conditions[-1], tir.const(0)), *stmts, other=other)
    for part in reversed(conditions[:-1]):
        stmt = branch(tir.EQ(part, tir.const(0)), stmt)
    return program(stmt)


@each(
    ("func", "condition"),
    [
        (nested(X / 3, X % 3), "(x == 0)"),
        (nested(X % 3, X / 3), "(x == 0)"),
        (nested(X / 2 / 3, X / 2 % 3, X % 2), "(x == 0)"),
        (nested(X % 2, X / 2 % 3), "((x % 6) == 0)"),
        (nested(X % 12 / 4, X % 4), "((x % 12) == 0)"),
        (nested(X / 6, X / 2 % 3), "((x / 2) == 0)"),
        (nested((X + N) / 3, (X + N) % 3), "((x + n) == 0)"),
        (nested(A[3] / 3, A[3] % 3), "(A[3] == 0)"),
        (
            program(branch(tir.EQ(X / 3, tir.const(0)) & tir.EQ(X % 3, tir.const(0)), COUNT[0])),
            "(x == 0)",
        ),
        (
            program(
                branch(
                    (N > 0) & tir.EQ(X / 3, tir.const(0)),
                    branch(tir.EQ(X % 3, tir.const(0)), COUNT[0]),
                )
            ),
            "((n > 0) and (x == 0))",
        ),
    ],
)
def test_parts_of_an_integer_are_asked_for_together(func, condition):
    image = apply("IfFold", func)
    assert [str(each.condition) for each in nodes(image, tir.IfThenElse)] == [condition]
    check_same(func, image)


@each(
    "func",
    [
        nested(X / 3, X % 4),
        nested(X / 3, N % 3),
        nested(X / 3, X / 3 % 2),  # that is above as well
        nested(X % 12 / 5, X % 5),  # five does not divide twelve
        nested(X / N, X % N),
        nested(X / -3, X % -3),
        nested(X / 3, X % 3, other=arm(COUNT[1])),  # it runs where the inner condition fails
        nested(X / 3, X % 3 + A[7] / A[0]),
        nested(X % 2**20, X / 2**20 % 2**20),  # their product is no int32
        nested(X / 2**20 / 2**20 % 4, X / 2**20 / 2**20 / 4),
        program(branch(tir.EQ(X / 3, tir.const(0)), branch(X % 3 > 0, COUNT[0]))),
        program(
            branch(
                tir.EQ(X / 3, tir.const(0)), COUNT[1], branch(tir.EQ(X % 3, tir.const(0)), COUNT[0])
            )
        ),
        program(
            branch(
                tir.EQ(X / 3, tir.const(0)),
                branch(tir.EQ(X % 3, tir.const(0)), COUNT[0]),
                other=arm(COUNT[1]),
            )
        ),
    ],
)
def test_other_conditions_stay(func):
    assert is_kept("IfFold", func)


def test_parts_of_all_integers_of_8_bits_are_zero_together():
    narrow = tir.Var("x", "int8")
    value = memory("A", 256, dtype="int8")
    for p, q in ((2, 3), (16, 8), (100, 2), (127, 127)):
        parts = [narrow / p, narrow % p] if q == 127 else [narrow / p % q, narrow % p]
        zero = tir.const(0, "int8")
        conditions = [tir.EQ(each, zero) for each in parts]
        count = tir.Store(B, B[0] + 1, (0,))
        inner = branch(conditions[0], branch(conditions[1], count))
        body = loop(I, 0, 256, arm(tir.Let(narrow, value[I]), inner))
        func = function([value, B], body)
        image = apply("IfFold", func)
        assert (image is func) == (p * q > 127 and q != 127), (p, q)
        args = np.arange(-128, 128).astype("int8"), np.zeros(8, "int32")
        assert left(func, *args) == left(image, *args), (p, q)


def primitive(name, *args, dtype="int32"):
    return tir.PrimitiveNode(name, (tir.ArgumentGroup(args),), None, dtype)


def test_coarse_operators_and_intrinsics_are_expanded():
    value = memory("F", 4, dtype="float32")
    root = tir.BuiltinIntrin("sqrtf", (value[1],), "float32")
    with declared_temporarily():
        tir.PRIMITIVES.register("twice", lambda node: node.arguments[0].values[0] * 2)
        tir.PRIMITIVES.register(
            "four", lambda node: primitive("twice", primitive("twice", *node.arguments[0].values))
        )
        tir.PRIMITIVES.register("fill", lambda _: arm(tir.Store(B, primitive("four", A[1]), (3,))))
        fill = tir.PrimitiveNode("fill")
        func = function([A, B, value], fill, tir.Store(value, root, (0,)))
        image = apply("LowerIntrin", func)
        args = np.arange(8, dtype="int32"), np.zeros(8, "int32"), np.full(4, 9, "float32")
        assert left(func, *args) == left(image, *args)
    assert not nodes(image, tir.PrimitiveNode)
    assert left(image, *args)[1][3] == 4
    assert [each.name for each in nodes(image, tir.Call)] == ["sqrt"]


def test_what_nobody_knows_is_not_expanded():
    unknown = tir.BuiltinIntrin("launch", (A[0],), "int32")
    func = program(tir.PrimitiveNode("launch"), tir.Store(B, unknown, (0,)))
    assert is_kept("LowerIntrin", func)


def test_what_expands_to_itself_is_refused():
    with declared_temporarily():
        tir.PRIMITIVES.register("again", lambda _: tir.PrimitiveNode("again"))
        with pytest.raises(PassError, match="'again' in f expands to primitives without end"):
            is_kept("LowerIntrin", program(tir.PrimitiveNode("again")))
