"""Blocks that are computed in loops of what needs them, or of what they need."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from tests.support.tir_programs import same_result
from tests.support.tir_small import loop as for_
from tests.support.tir_small import memory


def body_of(schedule):
    """The loops of a function, as they are printed."""
    return str(schedule.func.body.stmts[0].schedule_block.body).strip()


def check(before, schedule):
    assert [str(each) for each in tir.verify(schedule.func)] == []
    assert same_result(before, schedule.func, seeds=range(3))


def block(name, values, body, variables=None):
    own = tuple(variables or [tir.Var(f"v{n}") for n in range(len(values))])
    made = tir.ScheduleBlock(own, (), (), name, body(*own))
    return tir.ScheduleBlockRealize(tuple(values), made)


def function(args, temps, *stmts):
    args = tuple([each.buffer if isinstance(each, tir.Tensor) else each for each in args])
    return tir.LoweredFunc("f", args, tir.Block(stmts), tuple([each.buffer for each in temps]))


def blur(size=10):
    """``C``, sums of three elements of ``B``, which is twice ``A``."""
    A = tir.placeholder("A", (size + 2,))
    B = tir.compute((size + 2,), lambda i: A[i] * 2, "B")
    return tir.lower("f", [A, tir.compute((size,), lambda i: B[i] + B[i + 1] + B[i + 2], "C")])


def products(rows=6, columns=5):
    """``B``, twice ``A``, and ``C``, sums of its rows."""
    A = tir.placeholder("A", (rows, columns))
    B = tir.compute((rows, columns), lambda i, j: A[i, j] * 2, "B")
    k = tir.reduce_axis("k", columns)
    C = tir.compute((rows,), lambda i: tir.reduce_sum(B[i, k], [k]), "C")
    return tir.lower("f", [A, tir.compute((rows,), lambda i: C[i] + 1, "D")])


@pytest.mark.parametrize("sign", [1, -1])
def test_blocks_move_where_indices_are_counted_from_loops_around(sign):
    """Each row has memory of its own, whose indices are made of those of the row."""
    A = tir.placeholder("A", (6, 8), "int32")
    B = tir.compute((6, 8), lambda i, j: A[i, j] * 2 + i, "B")
    D = tir.compute((6, 6), lambda i, j: B[i, j] - B[i, j + 2], "D")
    schedule = Schedule(tir.lower("f", [A, D]))
    row, column = schedule.get_loops("D")
    tiles, _ = schedule.split(column, [-1, 2])
    schedule.compute_at(schedule.get_block("B"), tiles)
    schedule.set_buffer(schedule.get_block("B"), "local", fixed=True)
    if sign < 0:
        schedule.transform_layout(schedule.get_block("B"), 0, lambda i, j: (i, 3 - j))
    schedule.reverse_compute_at(schedule.get_block("D"), schedule.get_loops("B")[-1])
    [*_, first, last] = [each.stmt.loop_var.name for each in schedule.get_loops("D")]
    assert [row.stmt.loop_var.name, first, last] == ["i", "j_0", "ax1"]
    check(schedule.program, schedule)


def test_compute_at_computes_what_an_iteration_needs():
    func = blur()
    schedule = Schedule(func)
    outer, _ = schedule.split(schedule.get_loops("C")[0], [-1, 4])
    schedule.compute_at(schedule.get_block("B"), outer)
    assert (
        body_of(schedule)
        == """\
{
  serial for (i_0, 0, 3)
  {
    serial for (ax0, 0, 6)
    {
      if ((((i_0 * 4) + ax0) < 12)) {
        {
          ScheduleBlock(B)
          {
            i0 = axis.bind(((i_0 * 4) + ax0))
            B[i0] = (A[i0] * 2.00000000f)
          }
        }
      }
    }
    serial for (i_1, 0, 4)
    {
      if ((((i_0 * 4) + i_1) < 10)) {
        {
          ScheduleBlock(C)
          {
            i0_0 = axis.bind(((i_0 * 4) + i_1))
            C[i0_0] = ((B[i0_0] + B[(i0_0 + 1)]) + B[(i0_0 + 2)])
          }
        }
      }
    }
  }
}"""
    )
    check(func, schedule)


def test_compute_at_needs_no_guard_where_all_is_in_range():
    func = blur(12)
    schedule = Schedule(func)
    outer, _ = schedule.split(schedule.get_loops("C")[0], [-1, 4])
    schedule.compute_at(schedule.get_block("B"), outer)
    assert "if" not in body_of(schedule)
    check(func, schedule)


def test_compute_at_of_a_reduction_moves_its_first_values_as_well():
    func = products()
    schedule = Schedule(func)
    schedule.compute_at(schedule.get_block("C"), schedule.get_loops("D")[0])
    assert "serial for (i, 0, 6)\n  {\n    ScheduleBlock(C__reduce_init)\n" in body_of(schedule)
    assert [each.name for each in schedule.get_all_blocks()] == ["B", "C__reduce_init", "C", "D"]
    check(func, schedule)


def test_chains_move_from_the_last_on():
    func = products()
    schedule = Schedule(func)
    loop = schedule.get_loops("D")[0]
    schedule.compute_at(schedule.get_block("C"), loop)
    schedule.compute_at(schedule.get_block("B"), loop)
    assert [loop] == schedule.get_loops("B")[:1]
    check(func, schedule)


def test_compute_at_innermost_needs_one_element():
    func = products()
    schedule = Schedule(func)
    schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[1])
    assert [each.stmt.loop_var.name for each in schedule.get_loops("B")] == ["i", "k"]
    check(func, schedule)


def test_unit_loops_are_kept_where_that_is_asked_for():
    func = products()
    schedule = Schedule(func)
    schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[1], keep_unit_loops=True)
    names = [each.stmt.loop_var.name for each in schedule.get_loops("B")]
    assert names == ["i", "k", "ax0", "ax1"]
    check(func, schedule)


def test_handle_of_a_block_follows_it():
    schedule = Schedule(blur())
    moved = schedule.get_block("B")
    schedule.compute_at(moved, schedule.get_loops("C")[0])
    assert moved.name == "B"
    assert [each.stmt.loop_var.name for each in schedule.get_loops(moved)] == ["i", "ax0"]


def argument(extent):
    """``B`` is an argument as ``C`` is, which is made of some of its elements."""
    A = tir.placeholder("A", (8,))
    B = tir.compute((8,), lambda i: A[i] * 2, "B")
    return tir.lower("f", [A, B, tir.compute((extent,), lambda i: B[i] + 1, "C")])


def test_argument_that_is_needed_whole_may_move():
    func = argument(8)
    schedule = Schedule(func)
    schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])
    check(func, schedule)


def test_argument_of_which_a_part_is_needed_stays():
    schedule = Schedule(argument(7))
    with pytest.raises(ScheduleError, match="still be run for all values of its variables"):
        schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])


def test_memory_that_is_needed_elsewhere_as_well_is_computed_whole():
    A = tir.placeholder("A", (8,))
    B = tir.compute((8,), lambda i: A[i] * 2, "B")
    C = tir.compute((7,), lambda i: B[i] + 1, "C")
    func = tir.lower("f", [A, C, tir.compute((8,), lambda i: B[i] + 2, "D")])
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="still be run for all values of its variables"):
        schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])
    with pytest.raises(ScheduleError) as refused:
        schedule.compute_at(schedule.get_block("B"), schedule.get_loops("D")[0])
    assert str(refused.value) == (
        "compute_at of B would change what is computed: B[i0] at i = 0 has to come after "
        "B[i0] = (A[i0] * 2.0) at i = 0, and would come before it; expected a place that keeps "
        "their order, or that both are moved"
    )


def test_refused_step_changes_nothing():
    func = argument(7)
    schedule = Schedule(func)
    given = schedule.get_block("B"), schedule.get_loops("C")[0]
    before = schedule.func
    with pytest.raises(ScheduleError):
        schedule.compute_at(*given)
    assert schedule.func is before
    assert given[0].name == "B"


def overwritten(index, at):
    """``T`` is made of ``A``; as ``C`` is made of ``T``, it changes an element of ``A``."""
    A, T, C = memory("A", 12), memory("T", 8), memory("C", 8)
    i, j = tir.Var("i"), tir.Var("j")
    change = block("A", [j], lambda v: tir.store(A, v, index(v)))
    use = block("C", [j], lambda v: tir.store(C, T[v], v))
    return function(
        [A, C],
        [T],
        for_(i, 0, 8, block("T", [i], lambda v: tir.store(T, A[v] * 3, v))),
        for_(j, 0, 8, *([change, use] if at == 0 else [use, change])),
    )


@pytest.mark.parametrize(
    ("offset", "at", "legal"),
    [(0, 0, False), (0, 1, True), (1, 1, False), (4, 1, False), (-1, 0, None)],
)
def test_what_is_overwritten_before_it_would_be_read_is_told(offset, at, legal):
    if legal is None:
        func = overwritten(lambda v: tir.Max(v - 1, tir.const(0)), at)
    else:
        func = overwritten(lambda v: v + offset, at)
    schedule = Schedule(func)
    step = schedule.get_block("T"), schedule.get_loops("C")[0]
    if legal:
        schedule.compute_at(*step)
        check(func, schedule)
        return
    with pytest.raises(ScheduleError, match="would change what is computed: A"):
        schedule.compute_at(*step)


def test_recurrence_is_not_computed_repeatedly():
    A, C = memory("A", 9), memory("C", 8)
    i, j, k = tir.Var("i"), tir.Var("j"), tir.Var("k")
    func = function(
        [C],
        [A],
        for_(k, 0, 9, block("Z", [k], lambda v: tir.store(A, 1, v))),
        for_(i, 1, 8, block("A", [i], lambda v: tir.store(A, A[v - 1] + A[v], v))),
        for_(j, 0, 7, block("C", [j], lambda v: tir.store(C, A[v] + A[v + 2], v))),
    )
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="reads what it writes: A"):
        schedule.compute_at(schedule.get_block("A"), schedule.get_loops("C")[0])


def test_iterations_that_run_at_once_have_no_memory_in_common():
    func = blur()
    schedule = Schedule(func)
    loop = schedule.get_loops("C")[0]
    schedule.parallel(loop)
    with pytest.raises(ScheduleError, match="loop i cannot be PARALLEL: B"):
        schedule.compute_at(schedule.get_block("B"), loop)
    assert schedule.get_loops("B")[0] != loop


def test_symbolic_sizes_are_computed_where_they_are_needed():
    n = tir.Var("n", "int32", tir.const(1), tir.const(100))
    A = tir.placeholder("A", (n, 4))
    B = tir.compute((n, 4), lambda i, j: A[i, j] * 2, "B")
    func = tir.lower("f", [A, tir.compute((n, 4), lambda i, j: B[i, j] + 1, "C")], [n])
    schedule = Schedule(func)
    schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])
    assert "if" not in body_of(schedule)
    check(func, schedule)


def test_symbolic_arguments_are_known_to_be_computed_whole():
    n = tir.Var("n", "int32", tir.const(1), tir.const(100))
    A = tir.placeholder("A", (n, 4))
    B = tir.compute((n, 4), lambda i, j: A[i, j] * 2, "B")
    func = tir.lower("f", [A, B, tir.compute((n, 4), lambda i, j: B[i, j] + 1, "C")], [n])
    schedule = Schedule(func)
    schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])
    check(func, schedule)
    schedule = Schedule(func)
    schedule.reverse_compute_at(schedule.get_block("C"), schedule.get_loops("B")[1])
    check(func, schedule)


def test_blocks_of_one_nest_do_not_move_into_it():
    schedule = Schedule(products())
    loops = schedule.get_loops("C")
    with pytest.raises(ScheduleError, match="stand within one another"):
        schedule.compute_at(schedule.get_block("C"), loops[0])


def test_loop_that_needs_nothing_is_no_place():
    schedule = Schedule(products())
    with pytest.raises(ScheduleError, match="loop i loads nothing that the block stores"):
        schedule.compute_at(schedule.get_block("B"), schedule.get_loops("D")[0])
    with pytest.raises(ScheduleError, match="loop i stores nothing that the block loads"):
        schedule.reverse_compute_at(schedule.get_block("D"), schedule.get_loops("B")[0])


def test_reverse_compute_at_computes_what_can_be_computed():
    func = blur()
    schedule = Schedule(func)
    schedule.reverse_compute_at(schedule.get_block("C"), schedule.get_loops("B")[0])
    assert (
        body_of(schedule)
        == """\
{
  serial for (i, 0, 12)
  {
    ScheduleBlock(B)
    {
      i0 = axis.bind(i)
      B[i0] = (A[i0] * 2.00000000f)
    }
    if (((i - 2) >= 0)) {
      {
        ScheduleBlock(C)
        {
          i0_0 = axis.bind((i - 2))
          C[i0_0] = ((B[i0_0] + B[(i0_0 + 1)]) + B[(i0_0 + 2)])
        }
      }
    }
  }
}"""
    )
    check(func, schedule)


def test_reverse_compute_at_of_a_reduction_takes_whole_rows():
    func = products()
    schedule = Schedule(func)
    schedule.reverse_compute_at(schedule.get_block("C"), schedule.get_loops("B")[0])
    schedule.reverse_compute_at(schedule.get_block("D"), schedule.get_loops("B")[0])
    assert len(schedule.func.body.stmts[0].schedule_block.body.stmts) == 1
    check(func, schedule)
    again = Schedule(func)
    with pytest.raises(ScheduleError, match="run several times for the same values"):
        again.reverse_compute_at(again.get_block("C"), again.get_loops("B")[1])


def test_reverse_compute_at_of_a_strided_read_takes_each_once():
    A = tir.placeholder("A", (9,))
    B = tir.compute((9,), lambda i: A[i] * 2, "B")
    func = tir.lower("f", [A, tir.compute((4,), lambda i: B[2 * i + 1], "C")])
    schedule = Schedule(func)
    schedule.reverse_compute_at(schedule.get_block("C"), schedule.get_loops("B")[0])
    check(func, schedule)


def test_simple_compute_at_keeps_the_inner_loops():
    func = products()
    schedule = Schedule(func)
    inner = schedule.get_loops("B")[1]
    schedule.simple_compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])
    assert schedule.get_loops("B")[1] == inner
    check(func, schedule)
    schedule = Schedule(func)
    schedule.simple_compute_at(schedule.get_block("C"), schedule.get_loops("B")[0])
    check(func, schedule)


def test_simple_compute_at_needs_loops_of_the_same_bounds():
    schedule = Schedule(blur())
    with pytest.raises(ScheduleError, match="runs other iterations than"):
        schedule.simple_compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])


def test_simple_compute_at_needs_as_many_loops():
    schedule = Schedule(products())
    with pytest.raises(ScheduleError, match="is not run as often as loop k"):
        schedule.simple_compute_at(schedule.get_block("D"), schedule.get_loops("C")[1])


def test_simple_compute_at_is_refused_where_more_is_needed():
    A = tir.placeholder("A", (8,))
    B = tir.compute((8,), lambda i: A[i] * 2, "B")
    func = tir.lower("f", [A, tir.compute((8,), lambda i: B[7 - i], "C")])
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="simple_compute_at of B would change"):
        schedule.simple_compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])


def test_replayed_moves_make_the_same_program():
    func = products()
    schedule = Schedule(func)
    schedule.compute_at(schedule.get_block("C"), schedule.get_loops("D")[0])
    schedule.compute_inline(schedule.get_block("B"))
    again = Schedule(func)
    again.replay(schedule.trace)
    assert tir.astext(again.func) == tir.astext(schedule.func)
    assert "schedule.compute_at(block=C, loop=i)" in str(schedule.trace)


def test_merge_exprs_makes_one_root():
    A, B, C = memory("A", 8), memory("B", 8), memory("C", 8)
    roots = []
    for target, source in ((B, A), (C, B)):
        i = tir.Var("i")
        nest = for_(
            i, 0, 8, block(target.name, [i], lambda v, t=target, s=source: tir.store(t, s[v], v))
        )
        roots.append(tir.ScheduleBlockRealize((), tir.ScheduleBlock((), (), (), "root", nest)))
    func = function([A, C], [B], *roots)
    schedule = Schedule(func)
    schedule.merge_exprs()
    [root] = schedule.func.body.stmts
    assert len(root.schedule_block.body.stmts) == 2
    check(func, schedule)
    schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])
    check(func, schedule)
    merged = schedule.func
    schedule.merge_exprs()
    assert schedule.func is merged


def test_merge_exprs_needs_roots_alone():
    A = memory("A", 8)
    store = tir.store(A, 1, 0)
    inner = tir.ScheduleBlock((), (), (), "root", store)
    root = tir.ScheduleBlockRealize((), inner)
    other = tir.ScheduleBlockRealize((), inner.with_fields(body=tir.store(A, 2, 1)))
    schedule = Schedule(function([A], [], root, tir.store(A, 3, 2), other))
    with pytest.raises(ScheduleError, match="stands beside 2 blocks called root"):
        schedule.merge_exprs()


def test_what_a_block_needs_of_itself_is_computed_though_nothing_else_needs_it():
    A, T, C = memory("A", 3), memory("T", 3), memory("C", 2)
    h, i, j = tir.Var("h"), tir.Var("i"), tir.Var("j")
    func = function(
        [A, C],
        [T],
        for_(h, 0, 3, block("T", [h], lambda v: tir.store(T, A[v], v))),
        for_(i, 1, 2, block("U", [i], lambda v: tir.store(T, T[v - 1] + T[v], v))),
        for_(j, 0, 2, block("C", [j], lambda v: tir.store(C, T[v * 2], v))),
    )
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="still be run for all values of its variables"):
        schedule.compute_at(schedule.get_block("U"), schedule.get_loops("C")[0])


def test_block_that_would_never_be_run_is_not_covered():
    B, C, D = memory("B", 6), memory("C", 6), memory("D", 4)
    h, i, j = tir.Var("h"), tir.Var("i"), tir.Var("j")
    func = function(
        [B, C, D],
        [],
        for_(h, 0, 6, block("C", [h], lambda v: tir.store(C, B[v], v))),
        for_(i, 0, 1, block("U", [i], lambda v: tir.store(C, B[v], v + 3))),
        for_(j, 0, 1, block("D", [j], lambda v: tir.store(D, C[5 - v], v))),
    )
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="still be run for all values of its variables"):
        schedule.reverse_compute_at(schedule.get_block("D"), schedule.get_loops("U")[0])


def test_simple_compute_at_leaves_first_values_that_stand_further_out():
    A = tir.placeholder("A", (4, 3))
    k = tir.reduce_axis("k", 3)
    B = tir.compute((4,), lambda i: tir.reduce_sum(A[i, k], [k]), "B")
    func = tir.lower("f", [A, B, tir.compute((4, 3), lambda i, j: A[i, j] + 1, "C")])
    schedule = Schedule(func)
    schedule.simple_compute_at(schedule.get_block("B"), schedule.get_loops("C")[1])
    assert [each.stmt.loop_var.name for each in schedule.get_loops("B")] == ["i", "j"]
    check(func, schedule)


def test_block_that_holds_another_does_not_move():
    A, T, C = memory("A", 4), memory("T", 4), memory("C", 4)
    i, j = tir.Var("i"), tir.Var("j")
    inner = block("inner", [i], lambda v: tir.store(T, A[v], v))
    func = function(
        [A, C],
        [T],
        for_(i, 0, 4, block("T", [i], lambda v: inner.with_fields(iter_values=(v,)))),
        for_(j, 0, 4, block("C", [j], lambda v: tir.store(C, T[v], v))),
    )
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="block T stores nothing itself"):
        schedule.compute_at(schedule.get_block("T"), schedule.get_loops("C")[0])


@pytest.mark.parametrize(("first", "is_enough"), [(1, True), (2, False), (0, True)])
def test_what_others_need_as_well_has_to_be_computed_and_no_more(first, is_enough):
    """The loop needs ``B[0..4]``, and something after it four elements from the first on."""
    A = tir.placeholder("A", (8,))
    B = tir.compute((8,), lambda i: A[i] * 2, "B")
    C = tir.compute((4,), lambda i: B[i] + B[i + 1], "C")
    D = tir.compute((4,), lambda i: B[i + first] + 1, "D")
    func = tir.lower("f", [A, C, D])
    schedule = Schedule(func)
    place = schedule.get_block("B"), schedule.get_loops("C")[0]
    if not is_enough:
        with pytest.raises(ScheduleError, match="would still be run for all values"):
            schedule.compute_at(*place)
        return
    schedule.compute_at(*place)
    check(func, schedule)
