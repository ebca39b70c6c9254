"""Cases that no clause of a match covers."""

from __future__ import annotations

import itertools

import pytest

from relayish.analysis import (
    PATTERN_COVERS,
    all_type_vars,
    bound_type_vars,
    free_type_vars,
    unmatched_cases,
)
from relayish.errors import DispatchError, TypeInferenceError, UnknownKindError
from relayish.ir.nodes.node import declared_temporarily
from relayish.ir.nodes.node import node as declare
from relayish.ir.relay.adt import (
    Clause,
    Constructor,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.relay.expr import Constant, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import FuncType, TypeVar
from relayish.text import parse
from tests.support.depth import DEPTH

TYPES = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
type Arith { Zero, Const(int32), Plus(Arith, Arith) }
type Void { }
"""
_ = PatternWildcard()


def cases(clauses: str, of: str) -> list[str]:
    """Return the text of what is unmatched by ``clauses`` on a value of the type ``of``."""
    mod = parse(f"{TYPES}def @main(%data: {of}) {{ match? (%data) {{ {clauses} }} }}")
    return [str(case) for case in unmatched_cases(mod["main"].body, mod)]


@pytest.mark.parametrize(
    ("clauses", "of", "unmatched"),
    [
        ("_ => { 1 }", "List[int32]", []),
        ("%x => { 1 }", "int32", []),
        ("Nil => { 1 }, Cons(_, _) => { 2 }", "List[int32]", []),
        ("Nil => { 1 }", "List[int32]", ["Cons(_, _)"]),
        (
            "Cons(_, Cons(_, Cons(_, _))) => { 1 }",
            "List[int32]",
            ["Cons(_, Cons(_, Nil))", "Cons(_, Nil)", "Nil"],
        ),
        (
            "Cons(_, Nil) => { 1 }, Nil => { 2 }, Cons(_, Cons(_, Cons(_, _))) => { 3 }",
            "List[int32]",
            ["Cons(_, Cons(_, Nil))"],
        ),
        ("(%a, %b) => { 1 }", "(int32, int32)", []),
        ("() => { 1 }", "()", []),
        (
            "(Nil, _) => { 1 }, (_, Nil) => { 2 }",
            "(List[int32], List[int32])",
            ["(Cons(_, _), Cons(_, _))"],
        ),
        ("Plus(Zero, %r) => { 1 }, Plus(%l, Zero) => { 2 }, _ => { 3 }", "Arith", []),
        (
            "Plus(Zero, %r) => { 1 }, Plus(%l, Zero) => { 2 }",
            "Arith",
            [
                "Zero",
                "Const(_)",
                "Plus(Const(_), Const(_))",
                "Plus(Const(_), Plus(_, _))",
                "Plus(Plus(_, _), Const(_))",
                "Plus(Plus(_, _), Plus(_, _))",
            ],
        ),
    ],
)
def test_unmatched_cases_are(clauses, of, unmatched) -> None:
    assert cases(clauses, of) == unmatched


def test_a_match_without_clauses_covers_nothing() -> None:
    assert [str(case) for case in unmatched_cases(Match(Var("x"), ()))] == ["_"]


def covers(pattern, value) -> bool:
    if isinstance(pattern, PatternConstructor):
        name, *fields = value
        return name == pattern.constructor.name_hint and all(map(covers, pattern.patterns, fields))
    return True


def test_unmatched_cases_are_exactly_what_the_clauses_leave_of_all_small_values() -> None:
    mod = parse(TYPES)
    _arith, zero, const, plus = mod.get_type("Arith")

    def patterns(depth):
        inner = [_] if depth == 0 else patterns(depth - 1)
        yield _
        yield PatternConstructor(zero)
        yield PatternConstructor(const, (_,))
        for left, right in itertools.product(list(inner), repeat=2):
            yield PatternConstructor(plus, (left, right))

    def values(depth):
        yield ("Zero",)
        yield ("Const", 1)
        if depth:
            for left, right in itertools.product(list(values(depth - 1)), repeat=2):
                yield ("Plus", left, right)

    everything = list(values(2))
    for first, second in itertools.product(list(patterns(1)), repeat=2):
        clauses = (Clause(first, Constant(1)), Clause(second, Constant(2)))
        left = unmatched_cases(Match(Var("x"), clauses), mod)
        for value in everything:
            matched = covers(first, value) or covers(second, value)
            assert sum(covers(case, value) for case in left) == (0 if matched else 1)


@pytest.mark.deep
def test_unmatched_cases_of_a_pattern_of_100_000_levels_are_found() -> None:
    mod = parse(TYPES)
    _list, cons, nil = mod.get_type("List")
    deep = PatternConstructor(nil)
    for _level in range(DEPTH):
        deep = PatternConstructor(cons, (_, deep))
    match = Match(Var("x"), (Clause(deep, Constant(1)), Clause(_, Constant(2))))
    assert unmatched_cases(match, mod) == ()


def test_unmatched_cases_need_the_definition_of_a_type() -> None:
    _list, _cons, nil = parse(TYPES).get_type("List")
    match = Match(Var("x"), (Clause(PatternConstructor(nil), Constant(1)),))
    with pytest.raises(TypeInferenceError, match="'List' of the pattern Nil is not defined"):
        unmatched_cases(match, IRModule())


def test_unmatched_cases_refuse_a_pattern_that_does_not_fit_its_constructor() -> None:
    mod = parse(TYPES)
    _list, cons, _nil = mod.get_type("List")
    assert isinstance(cons, Constructor)
    match = Match(Var("x"), (Clause(PatternConstructor(cons, (_,)), Constant(1)),))
    with pytest.raises(TypeInferenceError, match=r"Cons\(_\) has 1 patterns in it; expected 2"):
        unmatched_cases(match, mod)
    uneven = (PatternTuple((_,)), PatternTuple((PatternVar(Var("a")), _)))
    match = Match(Var("x"), tuple([Clause(pattern, Constant(1)) for pattern in uneven]))
    with pytest.raises(TypeInferenceError, match="has 2 patterns in it; expected 1"):
        unmatched_cases(match, mod)


def test_pattern_of_a_constructor_covers_no_tuple() -> None:
    mod = parse(TYPES)
    _list, _cons, nil = mod.get_type("List")
    pair = PatternTuple((PatternConstructor(nil), _))
    match = Match(Var("x"), (Clause(pair, Constant(1)), Clause(PatternConstructor(nil), Var("y"))))
    assert [str(case) for case in unmatched_cases(match, mod)] == ["(Cons(_, _), _)"]


def test_a_clause_between_constructors_counts_for_those_before_and_behind_it() -> None:
    assert (
        cases("Plus(Zero, _) => { 1 }, _ => { 2 }, Zero => { 3 }, Const(_) => { 4 }", "Arith") == []
    )
    assert cases("Zero => { 1 }, Plus(_, _) => { 2 }, Zero => { 3 }", "Arith") == ["Const(_)"]


def test_type_variables_are_collected_with_relays_signature() -> None:
    mod = parse(TYPES)
    variable = TypeVar("a")
    of = FuncType((variable,), variable)
    assert free_type_vars(of, mod) == all_type_vars(of, mod) == (variable,)
    assert bound_type_vars(of, mod) == ()


@pytest.mark.parametrize("given", [Var("x"), Clause(_, Var("x")), None, "match"])
def test_what_is_no_match_is_an_error(given):
    with pytest.raises(
        DispatchError, match=r"expected a match; found .*; the matches of a program"
    ):
        unmatched_cases(given)


def test_a_pattern_of_an_unknown_kind_is_refused_until_what_it_matches_is_told():
    with declared_temporarily():

        @declare("pattern_number")
        class PatternNumber(Pattern):
            number: int

        x = Var("x")
        inside = PatternTuple((PatternWildcard(), PatternNumber(1)))
        for pattern in (PatternNumber(1), inside):
            with pytest.raises(UnknownKindError, match=r"relay\.analysis.PATTERN_COVERS"):
                unmatched_cases(Match(x, (Clause(pattern, x),)))
        PATTERN_COVERS.register(PatternNumber, lambda _: None)
        assert str(*unmatched_cases(Match(x, (Clause(PatternNumber(1), x),)))) == "_"
        assert str(*unmatched_cases(Match(x, (Clause(inside, x),)))) == "(_, _)"
        clauses = (Clause(inside, x), Clause(PatternTuple((PatternVar(x), PatternVar(x))), x))
        assert unmatched_cases(Match(x, clauses)) == ()
