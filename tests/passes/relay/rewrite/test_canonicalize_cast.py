"""Widening casts are copied for those that fuse them."""

from __future__ import annotations

from relayish.analysis import count_nodes
from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Function, Tuple
from relayish.op.builders.builder import op
from relayish.passes.relay.rewrite.canonicalize_cast import canonicalize_cast


def casts(to_dtype: str, from_dtype: str = "int8", users: int = 3) -> Function:
    x = var("x", shape=(4,), dtype=from_dtype)
    widened = op.cast(x, dtype=to_dtype)
    sums = [op.add(widened, const(1, to_dtype)) for _ in range(users)]
    return infer_type(Function((x,), Tuple((*sums, op.sum(widened)))))


def test_every_use_but_the_first_gets_a_cast_of_its_own() -> None:
    func = casts("int32")
    image = canonicalize_cast(func)
    assert len({total.args[0] for total in image.body.fields[:3]}) == 3
    assert count_nodes(image) == count_nodes(func) + 2


def test_use_that_does_not_fuse_shares_a_cast() -> None:
    image = canonicalize_cast(casts("int32"))
    assert image.body.fields[3].args[0] is image.body.fields[0].args[0]


def test_call_that_takes_the_cast_twice_gets_two() -> None:
    x = var("x", shape=(4,), dtype="int8")
    widened = op.cast(x, dtype="int32")
    image = canonicalize_cast(infer_type(Function((x,), op.add(widened, widened))))
    assert image.body.args[0] is not image.body.args[1]


def test_cast_that_does_not_widen_stays_shared() -> None:
    for to_dtype, from_dtype in (("int8", "int32"), ("float32", "int32"), ("float16", "bfloat16")):
        func = casts(to_dtype, from_dtype)
        assert canonicalize_cast(func) is func


def test_truth_values_are_narrower_than_anything() -> None:
    func = casts("int8", "bool")
    assert canonicalize_cast(func) is not func


def test_second_application_changes_nothing() -> None:
    image = infer_type(canonicalize_cast(casts("int64")))
    assert canonicalize_cast(image) is image
