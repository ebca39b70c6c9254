"""Text annotated with states: what stands where, that it parses back, how states are cut."""

from __future__ import annotations

import re
import textwrap

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import (
    ForwardDataFlow,
    Solution,
    analyse,
    build_flow_graph,
    register_analysis,
    solve,
)
from relayish.dataflow.analyses import Liveness
from relayish.dataflow.annotated import annotated_text
from relayish.dataflow.lattice import (
    BOTTOM,
    TOP,
    UNIVERSE,
    CofiniteSet,
    Everywhere,
    Flat,
    Interval,
    MapLattice,
    PersistentMap,
    PersistentSet,
    Powerset,
)
from relayish.dataflow.state_text import StateText, state_text
from relayish.errors import AnalysisError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Function, If, Let
from relayish.ir.relay.module import IRModule
from relayish.text import parse, parse_expr
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.goldens import CASES, read_goldens
from tests.support.loop_programs import DECLARED, random_loop_module
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_programs import random_func

SEEDS = seeds(12)


LOOPS = """function f (_A)
{
  serial for (i, 0, 16)
  {
    A[i] = 1
  }
}

#[details]
tensor A: int32[16]
"""


class Stored(ForwardDataFlow):
    """What scalars hold that are assigned literals."""

    lattice = MapLattice(Flat())

    def visit_store(self, store, state):
        value = store.value
        return state.set(store.tensor, value.value if isinstance(value, tir.IntImm) else TOP)


class Bound(ForwardDataFlow):
    """Variables bound so far."""

    lattice = Powerset()

    def bind(self, node, variables, state):
        return state.update(variables)


def text_of(program: object, *names: str) -> str:
    return annotated_text([analyse(program, name) for name in names])


def unindented(text: str) -> str:
    return textwrap.dedent(text).strip()


def without_section(text: str) -> str:
    return text.partition("\n\n#[details]")[0]


def without_comments(text: str) -> str:
    return re.sub(r"^ *// (before|after): .*\n", "", text, flags=re.MULTILINE)


# What stands where


ANNOTATED = read_goldens(CASES / "annotated.relay")


@pytest.mark.parametrize("case", ANNOTATED.values(), ids=ANNOTATED)
def test_states_stand_before_and_after_lines_of_relay_text(case):
    assert text_of(parse_expr(case.before), case.pipeline) == case.after.strip()


def test_the_example_of_the_request_shows_its_sets():
    a, b, c, x = (tir.Var(name) for name in "abcx")
    branch = tir.IfThenElse(tir.EQ(b, tir.const(0)), tir.Store(x, 1, ()), tir.Store(x, 2, ()))
    block = tir.Block((tir.Store(a, b, ()), tir.Block((branch, tir.Store(c, x + 2, ())))))
    shown = text_of(block, "liveness")
    assert without_comments(shown) == tir.astext(block)
    assert without_section(shown) == unindented("""
    {
      // before: {b}
      a[] = b
      // after: {b}
      {
        // before: {b}
        if ((b == 0)) {
          // before: {}
          x[] = 1
          // after: {x}
        } else {
          // before: {}
          x[] = 2
          // after: {x}
        }
        // after: {x}
        c[] = (x + 2)
        // after: {}
      }
    }
    """)


def test_states_of_several_analyses_stand_beside_each_other():
    func = parse_expr("fn (%x: int32) { let %a = %x + 1; %a }")
    shown = annotated_text([analyse(func, "liveness"), analyse(func, Bound())])
    assert shown.splitlines()[1] == "  // before: Liveness {%x}; Bound {%x}"
    assert shown.splitlines()[3] == "  // after: Liveness {%a}; Bound {%a, %x}"


def test_what_was_said_after_a_line_is_not_said_again_before_the_next():
    func = parse_expr("fn (%x: int32) { let %a = %x + 1; let %b = %a + 1; %b }")
    assert text_of(func, "liveness").count("// before") == 1


def test_the_arms_of_a_match_have_states():
    mod = parse("""#[version = "0.0.5"]
    type L { N, K(int32, L) }
    def @main(%l: L, %z: int32) {
      match (%l) {
        N => { %z },
        K(%h, %t) => { %h },
      }
    }""")
    shown = text_of(mod, "liveness")
    assert structural_equal(parse(shown), mod)
    assert [line.strip() for line in shown.splitlines() if "//" in line] == [
        "// before: {%l, %z}",
        "// before: {%z}",
        "// after: {}",
        "// before: {%h}",
        "// after: {}",
        "// after: {}",
    ]


def test_what_control_does_not_reach_is_called_unreachable():
    class Chosen(Bound):
        """Variables bound where conditions that are literals are known."""

        def assume(self, condition, truth, state):
            is_known = isinstance(condition, relay.Constant)
            wrong = is_known and bool(condition.data) is not truth
            return relay.dataflow.UNREACHABLE if wrong else state

    x = var("x", "int32")
    func = Function((x,), If(const(True), x, Call(relay.get_op("negative"), (x,))))
    lines = annotated_text(analyse(func, Chosen())).splitlines()
    assert [line.strip() for line in lines if "//" in line][3] == "// before: unreachable"


def test_variables_go_by_their_names_in_the_text():
    inner, outer = var("x", "int32"), var("x", "int32")
    func = Function((outer,), Let(inner, outer, Call(relay.get_op("add"), (inner, outer))))
    assert "// after: {%x, %x1}" in text_of(func, "liveness")


def test_a_variable_out_of_scope_goes_by_the_name_it_had_there():
    first, second, c = var("x", "int32"), var("x", "int32"), var("c", "bool")
    one, other = Let(first, const(1), first), Let(second, const(2), second)
    shown = annotated_text(analyse(Function((c,), If(c, one, other)), Bound()))
    assert shown.splitlines()[-2] == "  // after: {%c, %x, %x1}"


def test_programs_with_loops_of_other_packages_have_states():
    for seed in seeds(6):
        with DECLARED:
            mod = random_loop_module(seed, 40)
            shown = annotated_text([analyse(mod, "liveness"), analyse(mod, Bound())])
            assert without_comments(shown) == relay.astext(mod)
            assert structural_equal(parse(shown), mod)


def test_a_statement_that_stands_twice_has_the_states_of_each_place():
    a, b = tir.Var("a"), tir.Var("b")
    twice = tir.Store(a, a + 1, ())
    block = tir.Block((twice, tir.Store(b, a, ()), tir.Store(a, 1, ()), twice))
    solution = analyse(block, Stored())
    assert without_section(annotated_text(solution)) == unindented("""
    {
      // before: {}
      a[] = (a + 1)
      // after: {a: TOP}
      b[] = a
      // after: {a: TOP, b: TOP}
      a[] = 1
      // after: {a: 1, b: TOP}
      a[] = (a + 1)
      // after: {a: TOP, b: TOP}
    }
    """)


def test_loops_show_the_state_at_rest():
    loop = tir.parse("""
    {
      a[] = 1
      serial for (i, 0, n)
      {
        a[] = 2
      }
    }""")
    shown = annotated_text(analyse(loop, Stored()))
    assert [line.strip() for line in shown.splitlines() if "//" in line] == [
        "// before: {}",
        "// after: {a: 1}",
        "// before: {a: TOP}",
        "// after: {a: 2}",
        "// after: {a: TOP}",
    ]


def test_loops_among_relays_functions_have_states_too():
    func = tir.parse("function f (_A)\n{\n  A[0] = 1\n}\n\n#[details]\ntensor A: int32[4]")
    x = var("x", "int32")
    mod = IRModule({"f": func, "main": Function((x,), x)})
    shown = text_of(mod, "liveness")
    assert structural_equal(parse(shown), mod)
    assert "  // before: {_A}\n  A[0] = 1" in shown


def test_another_program_that_holds_what_was_analysed_can_be_written():
    func = parse_expr("fn (%x: int32) { %x + 1 }")
    other = parse_expr("fn (%y: int32) { %y }")
    mod = IRModule({"f": func, "g": other})
    shown = annotated_text(analyse(func, "liveness"), mod)
    assert shown.count("//") == 2
    assert structural_equal(parse(shown), mod)


def test_no_solution_is_refused():
    with pytest.raises(AnalysisError, match="no analysis is given"):
        annotated_text([])


def test_solutions_over_two_graphs_are_refused():
    func = parse_expr("fn (%x: int32) { %x }")
    [other] = solve([Liveness()], build_flow_graph(func))
    with pytest.raises(AnalysisError, match="states of one flow graph can stand beside each other"):
        annotated_text([analyse(func, "liveness"), other])


def test_values_that_a_sparse_analysis_found_stand_behind_lines():
    func = parse_expr("fn (%x: int32) { let %a = 1 + 2; %0 = %a * 3; %0 * %x }")
    assert [
        line.strip() for line in text_of(func, "constants").splitlines() if "after" in line
    ] == [
        "// after: {%a: 3}",
        "// after: {%0: 9}",
        "// after: {}",
    ]


def test_intervals_of_indices_are_shown():
    func = tir.parse(LOOPS)
    shown = annotated_text([analyse(func, "liveness"), analyse(func, "intervals")])
    assert structural_equal(tir.parse(shown), func)
    assert "    // before: Liveness {_A, i}; Intervals {i: [0, 15]}\n    A[i] = 1" in shown


# It parses back


def test_annotated_relay_text_parses_back():
    for seed in SEEDS:
        mod = random_module(seed, 40)
        shown = annotated_text([analyse(mod, "liveness"), analyse(mod, Bound())])
        assert structural_equal(parse(shown), mod)
        assert without_comments(shown) == relay.astext(mod)


def test_annotated_text_of_loops_parses_back():
    for seed in SEEDS:
        func = random_func(seed) if seed % 2 else random_counters(seed)
        shown = annotated_text([analyse(func, "liveness"), analyse(func, Bound())])
        assert structural_equal(tir.parse(shown), func)


def test_a_name_that_looks_like_the_end_of_a_comment_stays_inside():
    odd = var("a\n*/ b", "int32")
    func = Function((odd,), Call(relay.get_op("negative"), (odd,)))
    shown = text_of(func, "liveness")
    assert structural_equal(parse_expr(shown), func)


# Depth


def chain(count: int) -> Function:
    x = var("x", "int32")
    names = [var(f"v{number}", "int32") for number in range(count)]
    body = names[-1]
    for number in reversed(range(count)):
        value = Call(relay.get_op("add"), (names[number - 1] if number else x, x))
        body = Let(names[number], value, body)
    return Function((x,), body)


@pytest.mark.deep
def test_a_chain_of_lets_is_annotated_line_by_line():
    shown = text_of(chain(DEPTH), "liveness")
    assert shown.count("// after") == DEPTH + 1


@pytest.mark.deep
def test_large_states_are_counted_in_time_linear_in_what_changes():
    func = chain(DEPTH)
    shown = annotated_text(analyse(func, Bound()))
    assert f"// after: {{{DEPTH + 1} elements}}" in shown


@pytest.mark.deep
def test_deep_nests_of_branches_are_annotated():
    c, x = var("c", "bool"), var("x", "int32")
    nest = x
    for _ in range(DEPTH // 4):
        nest = If(c, nest, x)
    shown = text_of(Function((c, x), nest), "liveness")
    assert shown.count("// before: {%c, %x}") >= DEPTH // 4


@pytest.mark.deep
def test_deep_nests_of_loops_are_annotated():
    a = tir.Var("a", "int32")
    nest = tir.Store(a, a + 1, ())
    for _ in range(DEPTH // 10):
        nest = tir.For(tir.Var("i", "int32"), 0, 3, tir.Block((nest,)))
    assert text_of(nest, "liveness").count("// before: {a}") == DEPTH // 10 + 1


# How states are shown


def names(_node: object) -> None:
    """Name nothing."""


@each(
    ("state", "shown"),
    [
        (PersistentSet(), "{}"),
        (PersistentSet([var("b"), var("a")]), "{%a, %b}"),
        (PersistentSet([var("x10"), var("x9"), var("x1")]), "{%x1, %x9, %x10}"),
        (frozenset({3, 1}), "{1, 3}"),
        (UNIVERSE, "all"),
        (CofiniteSet([var("a")]), "all but {%a}"),
        (PersistentMap({var("x"): 3}), "{%x: 3}"),
        (Everywhere(TOP), "all: TOP"),
        (BOTTOM, "BOTTOM"),
        (Interval(0, 15), "[0, 15]"),
        (Interval(float("-inf"), 3), "(-inf, 3]"),
        (Interval(3, float("inf")), "[3, inf)"),
        ((PersistentSet([var("a")]), Interval(1, 1)), "({%a}, [1, 1])"),
        (True, "True"),
        (None, "None"),
        ("a\nb", r"'a\nb'"),
        (PersistentSet(range(9)), "{0, 1, 2, 3, 4, 5, 6, 7, 1 more}"),
        (PersistentSet(range(65)), "{65 elements}"),
        (PersistentMap({number: number for number in range(70)}), "{70 elements}"),
        ("a" * 100, f"'{'a' * 36}..."),
    ],
)
def test_a_state_is_shown_as_mathematics_has_it(state, shown):
    assert state_text(state, names) == shown


def test_sizes_of_states_that_follow_each_other_are_right():
    text, state = StateText(), PersistentSet(range(100))
    for change in (lambda s: s.add(1000), lambda s: s.difference(range(20)), lambda s: s):
        state = change(state)
        assert text.of(state, names) == f"{{{len(state)} elements}}"
    other = PersistentMap(dict.fromkeys(range(80), 0))
    assert text.of(other, names) == "{80 elements}"
    assert text.of(state, names) == f"{{{len(state)} elements}}"


@pytest.mark.usefixtures("declarations")
def test_states_go_behind_the_names_analyses_are_registered_under():
    register_analysis("KnownVariables")(Bound)
    func = parse_expr("fn (%x: int32) { %x + 1 }")
    found: list[Solution] = [analyse(func, "known_variables"), analyse(func, "liveness")]
    assert "// before: KnownVariables {%x}; Liveness {%x}" in annotated_text(found)
