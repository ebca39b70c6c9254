"""Builders of statements, one by one and in the order they are read."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import BuilderError, FieldError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.tir import ForType, as_type
from relayish.tir.interpreter import run
from relayish.tir.text import astext

A, B = tir.placeholder("A", (16,)), tir.placeholder("B", (16,))
I = tir.var("i")  # noqa: E741
COPY = tir.store(B, A[I], I)


def test_body_of_a_loop_is_a_block():
    for body in (COPY, [COPY], (COPY,), tir.block(COPY), lambda _: COPY, lambda _: [COPY]):
        loop = tir.for_(I, 16, body)
        assert isinstance(loop.body, tir.Block)
        assert loop.body.stmts == (COPY,)


def test_variable_is_made_of_its_name_and_has_the_type_of_the_bounds():
    n = tir.var("n", "int64")
    loop = tir.for_("k", n, lambda k: tir.store(A, 0, k))
    assert (loop.loop_var.name, loop.loop_var.type) == ("k", as_type("int64"))
    assert loop.min.type == as_type("int64")
    assert tir.for_("k", 4, [], min=n).extent.type == as_type("int64")
    assert tir.for_(tir.var("k", "int8"), 4, []).extent.type == as_type("int8")


def test_vectorised_loop_has_its_factor():
    loop = tir.for_(I, 16, [], factor=4)
    assert (loop.for_type, loop.vectorize_info) == (ForType.VECTORIZED, tir.VectorizeInfo(0, 4))
    both = tir.for_(I, 16, [], for_type=ForType.PARALLEL, factor=4)
    assert both.for_type is ForType.PARALLEL | ForType.VECTORIZED


@pytest.mark.parametrize(
    ("thread", "kind", "offset"),
    [
        ("blockIdx.x", ForType.GPU_BLOCK, 0),
        ("blockIdx.z", ForType.GPU_BLOCK, 2),
        ("threadIdx.y", ForType.GPU_THREAD, 1),
    ],
)
def test_bound_loop_names_an_index_of_the_device(thread, kind, offset):
    loop = tir.for_(I, 16, [], thread=thread)
    assert (loop.for_type, loop.bind_info) == (kind, tir.BindInfo(kind, offset))
    assert str(loop.bind_info) == thread


@pytest.mark.parametrize("thread", ["blockIdx", "blockIdx.w", "x", "lane.x", ""])
def test_what_is_no_index_of_the_device_is_refused(thread):
    with pytest.raises(FieldError, match="is no index of a device; expected blockIdx or threadIdx"):
        tir.for_(I, 16, [], thread=thread)


def test_further_fields_of_a_loop_may_be_given():
    loop = tir.for_(I, 16, [], device_api=tir.DeviceAPI.HOST)
    assert loop.device_api is tir.DeviceAPI.HOST


@pytest.mark.parametrize("body", [3, None, lambda _: None, lambda _: 4])
def test_body_that_is_no_statement_is_refused(body):
    with pytest.raises(FieldError, match=r"body of the loop over 'i' is .*; expected a statement"):
        tir.for_(I, 16, body)


def test_arms_of_a_branch_are_blocks():
    branch = tir.if_then_else(I < 4, COPY, [COPY, COPY])
    assert branch.true_case.stmts == (COPY,)
    assert branch.false_case.stmts == (COPY, COPY)
    assert tir.if_then_else(I < 4, COPY).false_case is None


def test_stored_number_has_the_type_of_the_element():
    assert tir.store(A, 1, I).value.type == as_type("float32")
    ramp = tir.Ramp(I, 1, 4)
    assert tir.store(A, 1, ramp).value.type == as_type("float32<4>")
    assert tir.store(tir.var("n"), 1).value.type == as_type("int32")


def test_block_of_a_schedule_binds_names_to_values():
    made = tir.schedule_block("B", [("v", I * 2), ("w", 3)], lambda v, w: tir.store(B, A[w], v))
    assert [var.name for var in made.schedule_block.iter_vars] == ["v", "w"]
    assert made.schedule_block.body.indices == made.schedule_block.iter_vars[:1]


def test_block_of_a_schedule_binds_variables_that_are_given():
    v = tir.var("v")
    made = tir.schedule_block("B", {v: I}, tir.store(B, A[v], v), attrs={"unroll": 4})
    assert (made.iter_values, made.schedule_block.iter_vars) == ((I,), (v,))
    assert made.schedule_block.attrs["unroll"] == 4


def test_part_of_a_buffer_has_bounds_in_each_dimension():
    part = tir.buffer_range(tir.placeholder("C", (4, 8)), (0, 4), (I, I + 1))
    assert part.buffer.name == "_C"
    assert part.ranges[1].lower_bound is I
    assert [var.name for var in part.ranges] == ["i0", "i1"]


def test_inline_tensor_has_no_part():
    with pytest.raises(FieldError, match="tensor T is inline; it has no buffer to take a part of"):
        tir.buffer_range(tir.compute((4,), lambda i: i, "T", inline=True), (0, 4))


def test_coarse_operator_has_groups_of_arguments():
    made = tir.primitive("conv", [[A, B], [1, 2.0]], {"pad": 1}, "float32")
    assert [len(group.values) for group in made.arguments] == [2, 2]
    assert (made.attrs["pad"], made.type) == (1, as_type("float32"))


# In the order they are read


def test_program_is_built_in_order():
    build = tir.IRBuilder()
    with build.for_("i", 16) as i, build.schedule_block("B", i) as (i0,):
        build.store(B, A[i0] + 2, i0)
    func = build.function("add", [A, B])
    assert (
        astext(func, details=False).rstrip()
        == """\
function add (_A, _B)
{
  serial for (i, 0, 16)
  {
    ScheduleBlock(B)
    {
      i0 = axis.bind(i)
      B[i0] = (A[i0] + 2.00000000f)
    }
  }
}"""
    )


def test_builder_says_what_the_builders_of_statements_say():
    build = tir.IRBuilder()
    with build.for_(I, 16, for_type=ForType.PARALLEL):
        with build.if_(I < 4):
            build.store(B, 1, I)
        with build.else_():
            build.store(B, A[I], I)
    arms = tir.store(B, 1, I), COPY
    expected = tir.for_(I, 16, tir.if_then_else(I < 4, *arms), for_type=ForType.PARALLEL)
    assert structural_equal(build.block(), tir.block(expected))


def test_program_with_everything_runs():
    T = tir.Buffer("_T", (4,))
    view = tir.Tensor("T", (4,), "float32", T)
    build = tir.IRBuilder()
    build.alloc(T)
    with build.poly_for("p", 0, lambda p: p < 4, 1) as p:
        build.store(view, A[p] * 2, p)
    total = build.let("total", 0.0)
    last = build.let("last", dtype="int32")
    with build.for_("i", 4) as i:
        build.store(total, total + view[i])
        build.store(last, i)
    build.store(B, total, last)
    build.free(T)
    given, out = np.arange(16, dtype="float32"), np.zeros(16, "float32")
    run(build.function("f", [A, B], [T]), given, out)
    assert out[3] == 2 * (0 + 1 + 2 + 3)


def test_call_is_added_as_a_statement():
    build = tir.IRBuilder()
    call = tir.call_extern("sync", [], "void")
    build.call(call)
    build.add(COPY)
    assert build.block().stmts == (call, COPY)


def test_several_statements_of_a_schedule_block_are_a_block():
    build = tir.IRBuilder()
    with build.schedule_block("two"):
        build.add(COPY)
        build.add(COPY)
    assert isinstance(build.block().stmts[0].schedule_block.body, tir.Block)


def test_else_without_an_if_is_refused():
    build = tir.IRBuilder()
    with (
        pytest.raises(BuilderError, match=r"else_\(\) stands behind None; expected an if_\(\)"),
        build.else_(),
    ):
        pass
    build.add(COPY)
    with pytest.raises(BuilderError, match=r"else_\(\) stands behind B\[i\]"), build.else_():
        pass


def test_second_else_is_refused():
    build = tir.IRBuilder()
    with build.if_(I < 4):
        pass
    with build.else_():
        pass
    with pytest.raises(BuilderError, match=r"expected an if_\(\) right before it"), build.else_():
        pass


def test_block_that_is_open_is_not_asked_for():
    build = tir.IRBuilder()
    with build.for_("i", 4), pytest.raises(BuilderError, match="1 blocks are still open"):
        build.block()


def test_error_within_leaves_the_builder_as_it_was_before():
    build = tir.IRBuilder()
    build.add(COPY)

    def fail():
        with build.for_("i", 4):
            build.add(COPY)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert build.block().stmts == (COPY,)


def test_scalar_without_value_and_type_is_refused():
    with pytest.raises(BuilderError, match="scalar 'x' has neither a value nor a type"):
        tir.IRBuilder().let("x")


def test_inline_tensor_is_no_argument_of_a_function():
    inline = tir.compute((4,), lambda i: i, "T", inline=True)
    with pytest.raises(BuilderError, match="is no argument of a function; expected a scalar"):
        tir.IRBuilder().function("f", [inline])
