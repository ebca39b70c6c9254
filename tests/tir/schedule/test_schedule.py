"""Handles, steps that are refused, several functions, and programs that are large."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import tir
from relayish.errors import ScheduleError, UnknownNameError
from relayish.tir.schedule import holding
from relayish.tir.schedule import state as state_module
from relayish.tir.schedule.registry import PRIMITIVES, primitive
from tests.support.depth import DEPTH
from tests.support.tir_small import function, loop, memory


def product(name="f"):
    k = tir.reduce_axis("k", 6)
    a, b = tir.placeholder("A", (4, 6), "int32"), tir.placeholder("B", (6, 5), "int32")
    c = tir.compute((4, 5), lambda i, j: tir.reduce_sum(a[i, k] * b[k, j], [k]), "C")
    d = tir.compute((4, 5), lambda i, j: c[i, j] + 1, "D")
    return tir.lower(name, [a, b, d])


def names(handles):
    return [each.stmt.loop_var.name for each in handles]


def test_schedule_begins_with_the_function_itself():
    func = product()
    assert tir.Schedule(func).func is func


def test_function_that_was_given_stays_what_it_was():
    func = product()
    text = tir.astext(func)
    schedule = tir.Schedule(func)
    schedule.split(schedule.get_loops("D")[0], [2, -1])
    assert schedule.func is not func
    assert tir.astext(func) == text


def test_blocks_are_all_but_the_root_in_order():
    schedule = tir.Schedule(product())
    assert [each.name for each in schedule.get_all_blocks()] == ["C__reduce_init", "C", "D"]
    assert schedule.get_root_block(schedule.get_block("C")).name == "root"


def test_child_blocks_are_those_that_no_other_block_holds():
    schedule = tir.Schedule(product())
    root = schedule.get_block("root")
    assert [each.name for each in schedule.get_child_blocks(root)] == ["C__reduce_init", "C", "D"]
    i = schedule.get_loops("C")[0]
    assert [each.name for each in schedule.get_child_blocks(i)] == ["C__reduce_init", "C"]


def test_loops_of_a_block_are_those_around_it_and_without_one_all():
    schedule = tir.Schedule(product())
    assert names(schedule.get_loops("C")) == ["i", "j", "k"]
    assert names(schedule.get_loops()) == ["i", "j", "k", "i", "j"]


def test_block_of_an_unknown_name_is_refused_with_the_nearest():
    schedule = tir.Schedule(product())
    with pytest.raises(UnknownNameError, match="did you mean root"):
        schedule.get_block("roots")
    assert schedule.trace.steps == ()


def test_blocks_of_one_name_are_told_apart_by_where_they_stand():
    a = memory("A", 8)
    i, j = tir.Var("i"), tir.Var("j")
    one = tir.schedule_block("A", [("x", i)], lambda x: tir.store(a, 1, x))
    other = tir.schedule_block("A", [("x", j)], lambda x: tir.store(a, a[x] + 1, x))
    schedule = tir.Schedule(function([a], loop(i, 0, 8, one), loop(j, 0, 8, other)))
    with pytest.raises(ScheduleError, match="2 blocks of f are called 'A'"):
        schedule.get_block("A")
    _, second = schedule.get_loops()
    [block] = schedule.get_child_blocks(second)
    schedule.split(second, [2, 4])
    assert names(schedule.get_loops(block)) == ["j_0", "j_1"]


def test_handles_follow_their_loop_and_block_through_later_steps():
    schedule = tir.Schedule(product())
    i, j = schedule.get_loops("D")
    block = schedule.get_block("D")
    i0, i1 = schedule.split(i, [2, 2])
    schedule.reorder([j, i1])
    schedule.parallel(i0)
    assert names(schedule.get_loops(block)) == ["i_0", "j", "i_1"]
    assert j.stmt is schedule.get_loops("D")[1].stmt
    assert i0.stmt.for_type is tir.ForType.PARALLEL


def test_handle_of_a_loop_that_is_gone_says_in_which_step_it_went():
    schedule = tir.Schedule(product())
    i, _ = schedule.get_loops("D")
    schedule.split(i, [2, 2])
    assert repr(i) == "<loop, gone: step 1, split>"
    with pytest.raises(ScheduleError, match="is gone since step 1, split; ask for what took"):
        schedule.parallel(i)


def test_handle_of_another_schedule_is_refused():
    one, other = tir.Schedule(product()), tir.Schedule(product())
    with pytest.raises(ScheduleError, match="is of another schedule"):
        one.parallel(other.get_loops("D")[0])


def test_step_that_is_refused_changes_nothing():
    schedule = tir.Schedule(product())
    _, _, k = schedule.get_loops("C")
    before, trace = schedule.func, schedule.trace
    with pytest.raises(ScheduleError) as found:
        schedule.parallel(k)
    assert schedule.func is before
    assert schedule.trace is trace
    assert found.value.__notes__ == ["in step 1, parallel; the schedule is as it was before"]


@pytest.fixture
def failing():
    """A primitive that changes several things, and then fails."""

    @primitive("fail_late")
    def fail_late(state, loops):
        for ref in loops:
            state.replace(ref, ref.stmt.with_fields(loop_var=tir.Var("other")))
        state.make_buffer(tir.Buffer("_T", (4,)))
        raise ZeroDivisionError

    yield
    del PRIMITIVES["fail_late"]


def test_primitive_that_fails_half_way_leaves_places_as_they_were(failing):
    schedule = tir.Schedule(product())
    loops, before = schedule.get_loops(), schedule.func
    stmts = [each.stmt for each in loops]
    with pytest.raises(ZeroDivisionError):
        schedule.apply("fail_late", loops)
    assert schedule.func is before
    assert [each.stmt for each in loops] == stmts
    assert [each.stmt for each in schedule.get_loops()] == stmts
    schedule.split(loops[-1], [-1, 2])
    assert not tir.verify(schedule.func)


def test_two_primitives_of_one_name_are_refused():
    with pytest.raises(
        relay.errors.DuplicateNameError, match="the primitive 'split' of schedules is claimed"
    ):
        primitive("split")(lambda state: None)


def test_function_of_a_module_is_scheduled_in_its_place():
    mod = tir.Module("m", functions=(product("f"), product("g")))
    with pytest.raises(ScheduleError, match="2 functions of loops; expected the name of one: f, g"):
        tir.Schedule(mod)
    schedule = tir.Schedule(mod, "g")
    schedule.split(schedule.get_loops("D")[0], [2, 2])
    assert schedule.mod.functions == (mod.functions[0], schedule.func)
    definitions = tir.Schedule(relay.IRModule({"f": product()}))
    assert definitions.mod["f"] is definitions.func


def test_what_is_no_program_of_loops_is_refused():
    with pytest.raises(ScheduleError, match=r"expected what tir.lower returns"):
        tir.Schedule(3)


def test_statements_that_stand_twice_become_ones_of_their_own():
    a = memory("A", 8)
    i = tir.Var("i")
    inner = loop(i, 0, 8, tir.store(a, a[i] + 1, i))
    schedule = tir.Schedule(function([a], inner, inner))
    one, other = schedule.get_loops()
    assert one.stmt is not other.stmt
    assert one.stmt.loop_var is not other.stmt.loop_var
    schedule.parallel(one)
    assert other.stmt.for_type is tir.ForType.SERIAL


def test_statements_in_too_many_places_are_refused(monkeypatch):
    monkeypatch.setattr(holding, "_MOST_STATEMENTS", 1000)
    a = memory("A", 8)
    i = tir.Var("i")
    stmt = loop(i, 0, 8, tir.store(a, a[i] + 1, i))
    for _ in range(12):
        stmt = tir.Block((stmt, stmt))
    with pytest.raises(ScheduleError, match="in more than 1000 places"):
        tir.Schedule(function([a], stmt))


def test_diff_shows_what_a_step_changed():
    schedule = tir.Schedule(product())
    schedule.unroll(schedule.get_loops("D")[1])
    lines = schedule.diff().splitlines()
    assert [each.strip() for each in lines if each[0] in "+-" and each[1] not in "+-"] == [
        "-        serial for (j, 0, 5)",
        "+        unroll for (j, 0, 5)",
    ]


@pytest.mark.deep
def test_loops_may_be_nested_deeply():
    a = memory("A", 2)
    stmt = tir.store(a, 1, 0)
    for _ in range(DEPTH):
        stmt = tir.For(tir.Var("i"), 0, 1, tir.Block((stmt,)))
    schedule = tir.Schedule(function([a], stmt))
    innermost = schedule.get_loops()[-1]
    schedule.unroll(innermost)
    assert schedule.get_loops()[-1].stmt.for_type is tir.ForType.UNROLLED


def statements_looked_at(count, monkeypatch):
    """How many statements a split of one of so many loops looks into."""
    a = memory("A", 8)
    nests = [loop(v, 0, 8, tir.store(a, 1, v)) for v in [tir.Var("i") for _ in range(count)]]
    schedule = tir.Schedule(function([a], *nests))
    loops = schedule.get_loops()
    seen, held = [], state_module.held
    monkeypatch.setattr(state_module, "held", lambda stmt: seen.append(stmt) or held(stmt))
    schedule.split(loops[count // 2], [2, 4])
    monkeypatch.undo()
    return len(seen)


def test_step_looks_at_what_is_new_alone(monkeypatch):
    few, many = [statements_looked_at(count, monkeypatch) for count in (100, 1000)]
    assert few == many < 20
