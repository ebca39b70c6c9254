"""The examples that every reader of Relay's documentation knows, and exactly what they do."""

from __future__ import annotations

import pytest

import relayish as relay
from tests.support.depth import DEPTH


class PrintVisitor(relay.ExprVisitor):
    """Says so before every visit, first or not: ``visit`` itself is overridden."""

    def visit(self, expr, *args):
        print("Here:", type(expr).__name__)  # noqa: T201 - what it is for
        return super().visit(expr, *args)


class CallChecker(relay.ExprVisitor):
    """Tells whether an expression contains a call; looks no further below one."""

    found = False
    calls_seen = 0

    def visit_call(self, call):
        self.found = True
        self.calls_seen += 1

    def check(self, expr):
        self.found = False
        self.visit(expr)
        return self.found


class IfCollapser(relay.ExprMutator):
    """Replaces every if by its true branch."""

    def visit_if(self, if_):
        return self.visit(if_.true_branch)

    def collapse(self, expr):
        return self.visit(expr)


def lines(capsys) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_print_visitor_prints_before_every_visit_in_order(capsys):
    program = relay.parse_expr("""
        fn (%x) {
          let %y = add(%x, 1f);
          if (%y) { (%x, %y) } else { (%y,).0 }
        }
    """)
    PrintVisitor().visit(program)
    assert lines(capsys) == [
        "Here: Function",
        "Here: Var",  # the parameter
        "Here: Let",
        "Here: Var",  # what the let binds
        "Here: Call",
        "Here: Op",
        "Here: Var",  # %x, visited before: said again, not entered again
        "Here: Constant",
        "Here: If",
        "Here: Var",
        "Here: Tuple",
        "Here: Var",
        "Here: Var",
        "Here: TupleGetItem",
        "Here: Tuple",
        "Here: Var",
    ]


@pytest.mark.deep
def test_print_visitor_prints_a_line_for_every_edge_of_a_deep_program(capsys):
    x = relay.var("x")
    expr = x
    for _ in range(DEPTH):
        expr = relay.Tuple([expr])
    PrintVisitor().visit(expr)
    printed = lines(capsys)
    assert len(printed) == DEPTH + 1
    assert printed[-1] == "Here: Var"


def test_a_mutator_may_print_before_every_visit_as_well(capsys):
    class PrintMutator(relay.ExprMutator):
        def visit(self, expr, *args):
            print("Here:", type(expr).__name__)  # noqa: T201 - what it is for
            return super().visit(expr, *args)

    expr = relay.parse_expr("(1f, (2f,))")
    assert PrintMutator().visit(expr) is expr
    assert lines(capsys) == [
        "Here: Tuple",
        "Here: Constant",
        "Here: Tuple",
        "Here: Constant",
    ]


@pytest.mark.parametrize(
    ("program", "has_call"),
    [
        ("fn (%x) { %x }", False),
        ("fn (%x) { (%x, 1, ref(%x)) }", False),
        ("fn (%x) { negative(%x) }", True),
        ("fn (%x) { let %y = (%x, negative(%x)); %y }", True),
        ("fn (%f) { if (True) { 1 } else { %f(2) } }", True),
        ("fn (%f) { match (%f) { _ => { %f(2) } } }", True),
    ],
)
def test_call_checker_tells_whether_there_is_a_call(program, has_call):
    assert CallChecker().check(relay.parse_expr(program)) is has_call


def test_call_checker_does_not_look_below_a_call():
    checker = CallChecker()
    assert checker.check(relay.parse_expr("fn (%x) { negative(negative(negative(%x))) }"))
    assert checker.calls_seen == 1


def collapsed(program: str) -> str:
    return relay.astext(IfCollapser().collapse(relay.parse_expr(program)))


def test_if_collapser_takes_the_true_branch():
    expr = relay.parse_expr("fn (%c, %x, %y) { if (%c) { %x } else { %y } }")
    assert IfCollapser().collapse(expr).body is expr.params[1]


def test_if_collapser_collapses_ifs_within_branches_and_elsewhere():
    program = """
        fn (%c, %x) {
          let %y = if (%c) { if (%x) { (%x, 1f) } else { (2f, 2f) } } else { (3f, 3f) };
          add(%y.0, if (%c) { 4f } else { 5f })
        }
    """
    assert collapsed(program) == (
        "fn (%c, %x) {\n"
        "  let %y = (%x, 1f);\n"
        "  %0 = %y.0;\n"
        "  add(%0, 4f)\n"
        "}"
    )  # fmt: skip


def test_if_collapser_does_not_look_at_conditions_and_false_branches():
    class Counting(IfCollapser):
        constants = 0

        def visit_constant(self, const):
            self.constants += 1
            return const

    counting = Counting()
    counting.collapse(relay.parse_expr("if (True) { 1 } else { 2 }"))
    assert counting.constants == 1


def test_if_collapser_maps_a_shared_if_to_one_node():
    x, y = relay.var("x"), relay.var("y")
    branch = relay.Tuple([x])
    shared = relay.If(y, branch, y)
    image = IfCollapser().collapse(relay.Tuple([shared, shared]))
    assert image.fields[0] is branch
    assert image.fields[1] is branch


@pytest.mark.deep
@pytest.mark.parametrize("arm", ["cond", "true_branch", "false_branch"])
def test_if_collapser_collapses_ifs_nested_to_any_depth(arm):
    x, y = relay.var("x"), relay.var("y")
    expr = x
    for _ in range(DEPTH):
        fields = {"cond": y, "true_branch": y, "false_branch": y, arm: expr}
        expr = relay.If(**fields)
    assert IfCollapser().collapse(expr) is (x if arm == "true_branch" else y)
