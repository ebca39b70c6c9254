"""Sums of products whose loops run a multiple of what is wanted."""

import random

import numpy as np
import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from tests.support.tir_programs import same_bits, same_result


def product(dtype="int32", **init):
    A, B = tir.placeholder("A", (5, 7), dtype), tir.placeholder("B", (7, 6), dtype)
    k = tir.reduce_axis("k", 7)
    C = tir.compute((5, 6), lambda i, j: tir.reduce_sum(A[i, k] * B[k, j], [k], **init), "C")
    return tir.lower("f", [A, B, C])


def scaled(dtype):
    """Sums of rows of ``A``, each of which is multiplied by an element of ``B``."""
    A, B = tir.placeholder("A", (5, 7), dtype), tir.placeholder("B", (5,), dtype)
    k = tir.reduce_axis("k", 7)
    C = tir.compute((5,), lambda i: tir.reduce_sum(A[i, k] * B[i], [k]), "C")
    return tir.lower("f", [A, B, C])


def cached(func, *, reads=(0, 1)):
    """A schedule in which ``C`` reads and writes temporaries, and its block."""
    schedule = Schedule(func)
    block = schedule.get_block("C")
    for number in reads:
        schedule.cache_read(block, number, "global")
    return schedule, schedule.cache_write(block, 0, "global")


def check(before, schedule):
    assert tir.verify(schedule.func) == ()
    assert same_result(before, schedule.func)


def test_loops_run_multiples_and_padding_is_zero():
    func = product()
    schedule, block = cached(func)
    schedule.pad_einsum(block, [4, 1, 4])
    assert [each.stmt.extent.value for each in schedule.get_loops(block)] == [8, 6, 8]
    sizes = {b.name: [each.value for each in b.shape] for b in schedule.func.temp_bufs}
    assert sizes == {
        "_A_global_temp_buffer": [8, 8],
        "_B_global_temp_buffer": [8, 6],
        "_C_global_temp_buffer": [8, 6],
    }
    assert (
        str(schedule.get_loops("B_global_temp_buffer_pad")[0].stmt)
        == """\
serial for (pad_ax0, 7, 1)
{
  serial for (pad_ax1, 0, 6)
  {
    ScheduleBlock(B_global_temp_buffer_pad)
    {
      i0, i1 = axis.bind(pad_ax0, pad_ax1)
      B_global_temp_buffer[i0, i1] = 0
    }
  }
}"""
    )
    check(func, schedule)


def convolution():
    A, B = tir.placeholder("A", (2, 9), "int32"), tir.placeholder("B", (3, 2, 3), "int32")
    c, r = tir.reduce_axis("c", 2), tir.reduce_axis("r", 3)
    sums = tir.compute((3, 7), lambda o, x: tir.reduce_sum(A[c, x + r] * B[o, c, r], [c, r]), "C")
    return tir.lower("f", [A, B, sums])


def test_variables_that_tell_indices_alone_are_padded_beside_others():
    schedule, block = cached(convolution(), reads=(1,))
    schedule.pad_einsum(block, [4, 1, 1, 1])
    assert [each.stmt.extent.value for each in schedule.get_loops(block)] == [4, 7, 2, 3]
    check(convolution(), schedule)


def test_variables_that_tell_indices_with_others_are_not_padded():
    schedule, block = cached(convolution())
    with pytest.raises(ScheduleError, match=r"has the index .*, where padding i1 would reach"):
        schedule.pad_einsum(block, [1, 4, 1, 1])


@pytest.mark.parametrize("padding", [[1, 1, 1], [5, 3, 7], [8, 8, 8], [1, 1, 16], [2, 9, 1]])
@pytest.mark.parametrize("dtype", ["int8", "uint32", "float32", "float64"])
def test_results_are_the_same_bit_for_bit(dtype, padding):
    func = product(dtype)
    schedule, block = cached(func)
    schedule.pad_einsum(block, padding)
    check(func, schedule)


def test_floats_that_are_no_numbers_or_below_zero_are_the_same():
    func = product("float32")
    schedule, block = cached(func)
    schedule.pad_einsum(block, [4, 4, 4])
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -3.0], "float32")
    for seed in range(4):
        draw = np.random.default_rng(seed)
        a, b = draw.choice(special, (5, 7)), draw.choice(special, (7, 6))
        before, after = np.zeros((5, 6), "float32"), np.ones((5, 6), "float32")
        tir.run(func, a, b, before)
        tir.run(schedule.func, a, b, after)
        assert same_bits(before, after)


def test_floats_beside_padding_would_be_multiplied_by_zero():
    schedule, block = cached(scaled("float32"))
    with pytest.raises(ScheduleError, match=r"may be infinite, or no number, and padding i1"):
        schedule.pad_einsum(block, [1, 4])
    schedule.pad_einsum(block, [4, 1])
    check(scaled("float32"), schedule)
    schedule, block = cached(scaled("int32"))
    schedule.pad_einsum(block, [4, 4])
    check(scaled("int32"), schedule)


def test_sums_of_floats_from_something_else_may_be_minus_zero():
    schedule, block = cached(product("float32", init=-0.0))
    with pytest.raises(ScheduleError, match="is no sum from 0 on"):
        schedule.pad_einsum(block, [1, 1, 4])
    schedule.pad_einsum(block, [4, 4, 1])
    check(product("float32", init=-0.0), schedule)
    schedule, block = cached(product("int32", init=3))
    schedule.pad_einsum(block, [4, 4, 4])
    check(product("int32", init=3), schedule)


def test_arguments_are_not_made_greater():
    schedule, block = cached(product(), reads=(0,))
    with pytest.raises(ScheduleError, match="_B is an argument of f"):
        schedule.pad_einsum(block, [1, 1, 4])
    schedule.pad_einsum(block, [4, 1, 1])
    check(product(), schedule)


def greater_than_loops(rows, columns):
    """A sum over parts of what is there: ``T`` and ``C`` have more rows and columns."""
    A = tir.placeholder("A", (rows, columns), "int32")
    T = tir.compute((rows, columns), lambda i, j: A[i, j] + 1, "T")
    k = tir.reduce_axis("k", 5)
    C = tir.compute((3,), lambda i: tir.reduce_sum(T[i, k], [k]), "C")
    D = tir.compute((3,), lambda i: C[i] * 2, "D")
    return tir.lower("f", [A, D])


def test_padding_that_would_read_more_of_what_is_there_is_refused():
    schedule = Schedule(greater_than_loops(3, 7))
    with pytest.raises(ScheduleError, match=r"no factor of .* ends where i1 does"):
        schedule.pad_einsum(schedule.get_block("C"), [1, 8])
    schedule = Schedule(greater_than_loops(4, 5))
    schedule.pad_einsum(schedule.get_block("C"), [8, 8])
    check(greater_than_loops(4, 5), schedule)


def test_padding_that_would_store_over_what_is_there_is_refused():
    A, T, C = (tir.Tensor(n, s, "int32", tir.Buffer(f"_{n}", s, "int32")) for n, s in _SHAPES)
    func = _half_written(A, T, C)
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="would store beyond the 3 places of dimension 0"):
        schedule.pad_einsum(schedule.get_block("T"), [2, 1])


_SHAPES = (("A", (3, 4)), ("T", (5,)), ("C", (5,)))


def _half_written(A, T, C):
    """``T`` has five elements, of which three are sums and two are set before."""
    i, j, k, m, v, w, x = (tir.Var(name) for name in "ijkmvwx")
    zero, four = tir.IntImm(0), tir.IntImm(4)

    def loop(var, count, *stmts):
        return tir.For(var, 0, count, tir.Block(stmts))

    begin = tir.ScheduleBlock((x,), (), (), "T__reduce_init", tir.Store(T, zero, (x,)))
    step = tir.ScheduleBlock((v, w), (), (), "T", tir.Store(T, T[v] + A[v, w], (v,)))
    body = (
        loop(j, 5, tir.Store(T, four, (j,))),
        loop(
            i,
            3,
            tir.ScheduleBlockRealize((i,), begin),
            loop(k, 4, tir.ScheduleBlockRealize((i, k), step)),
        ),
        loop(m, 5, tir.Store(C, T[m], (m,))),
    )
    return tir.LoweredFunc("f", (A.buffer, C.buffer), tir.Block(body), (T.buffer,))


@pytest.mark.parametrize(
    ("prepare", "padding", "message"),
    [
        (lambda s, b: None, [4, 4], "has 3 variables; found padding"),
        (lambda s, b: None, [4, 0, 1], "expected a positive number for each"),
        (lambda s, b: s.split(s.get_loops(b)[0], [-1, 2]), [4, 4, 4], "pad before loops are split"),
        (
            lambda s, b: s.decompose_reduction(b, s.get_loops(b)[0]),
            [4, 4, 4],
            "pad before decompose_reduction",
        ),
    ],
)
def test_what_is_no_plain_nest_is_refused(prepare, padding, message):
    schedule, block = cached(product())
    prepare(schedule, block)
    with pytest.raises(ScheduleError, match=message):
        schedule.pad_einsum(block, padding)


def test_block_that_adds_no_products_is_refused():
    A = tir.placeholder("A", (5, 7), "int32")
    k = tir.reduce_axis("k", 7)
    C = tir.compute((5,), lambda i: tir.reduce_sum(A[i, k] + 1, [k]), "C")
    schedule = Schedule(tir.lower("f", [A, C]))
    with pytest.raises(ScheduleError, match="is no sum of products"):
        schedule.pad_einsum(schedule.get_block("C"), [4, 4])


def random_einsum(seed):
    """A sum of products over random axes of arrays that may be greater than the loops."""
    draw = random.Random(f"einsum {seed}")
    dtype = draw.choice(("int32", "uint8", "float32"))
    count = draw.randint(1, 2)
    over = [tir.reduce_axis(f"k{at}", draw.randint(1, 5)) for at in range(draw.randint(1, 2))]
    shape = [draw.randint(1, 5) for _ in range(count)]
    arrays = []

    def body(*axes):
        sizes = dict(zip(axes, shape, strict=True))
        sizes.update({axis: axis.upper_bound.value for axis in over})
        value = None
        for name in "AB"[: draw.randint(1, 2)]:
            picked = draw.sample([*sizes], draw.randint(1, min(3, len(sizes))))
            room = [draw.choice((0, 0, 0, 2)) for _ in picked]
            held = tuple([sizes[axis] + more for axis, more in zip(picked, room, strict=True)])
            arrays.append(tir.placeholder(name, held, dtype))
            load = arrays[-1][tuple(picked)]
            value = load if value is None else value * load
        return tir.reduce_sum(value, over)

    C = tir.compute(tuple(shape), body, "C")
    return tir.lower("f", [*arrays, C]), draw


def pad_at_random(seed):
    """Whether a random sum of products was padded."""
    func, draw = random_einsum(seed)
    schedule = Schedule(func)
    block = schedule.get_block("C")
    for number in range(len(func.args) - 1):
        schedule.cache_read(block, number, "global")
    schedule.cache_write(block, 0, "global")
    try:
        schedule.pad_einsum(block, [draw.randint(1, 4) for _ in schedule.get_loops(block)])
    except ScheduleError:
        return False
    check(func, schedule)
    return True


def test_random_sums_of_products_are_the_same():
    assert sum(pad_at_random(seed) for seed in range(6)) > 1
