"""Nothing in reading and writing recurses, and both are linear."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.adt import Clause, Match, PatternTuple, PatternWildcard
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import FuncType, RefType, TensorType, TupleType, Type, TypeCall, TypeVar
from relayish.text import astext, parse_expr, parse_pattern, parse_type
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.typed_text import typed
from tests.support.work import lines_run

LEVELS = min(DEPTH // 2, 10_000)
"""Of text, which has lines: more than Python nests by itself."""


@pytest.mark.deep
@pytest.mark.parametrize("build", DEEP_NESTS.values(), ids=DEEP_NESTS.keys())
def test_deep_program_is_read_back(build: Callable[[int], Expr]) -> None:
    expr = build(LEVELS)
    limit = sys.getrecursionlimit()
    text = astext(expr)
    assert_structural_equal(parse_expr(text), expr, map_free_vars=True)
    assert sys.getrecursionlimit() == limit
    assert len(text) < 1000 * LEVELS


@pytest.mark.deep
@pytest.mark.parametrize(
    "wrap",
    [
        lambda item: TupleType((item,)),
        lambda item: FuncType((item,), TensorType(())),
        lambda item: FuncType((), item, (TypeVar("A"),)),
        RefType,
        lambda item: TypeCall(TypeVar("F"), (item,)),
    ],
)
def test_deep_type_is_read_back(wrap: Callable[[Type], Type]) -> None:
    item: Type = TensorType((1,))
    for _ in range(LEVELS):
        item = wrap(item)
    text = astext(item)
    assert_structural_equal(parse_type(text), item, map_free_vars=True)
    func = Function((Var("x", item),), Constant(1))
    assert_structural_equal(parse_expr(astext(func)), func, map_free_vars=True)


@pytest.mark.deep
def test_deep_pattern_is_read_back() -> None:
    pattern = PatternTuple((PatternWildcard(),))
    for _ in range(LEVELS):
        pattern = PatternTuple((pattern,))
    assert_structural_equal(parse_pattern(astext(pattern)), pattern)
    match = Match(Constant(1), (Clause(pattern, Constant(2)),))
    assert_structural_equal(parse_expr(astext(match)), match)


@pytest.mark.deep
@pytest.mark.parametrize("open_", ["(", "{", "-", "add(", "1 + ", "((1,), ", "fn () { ", "f(1, "])
def test_deep_text_that_never_ends_is_a_parse_error(open_: str) -> None:
    with pytest.raises(SyntaxError):
        parse_expr(open_ * min(DEPTH, 30_000), allow_unknown_ops=True)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("open_", "close"),
    [("(", ")"), ("{", "}"), ("f(", ")"), ("(1, ", ")"), ("1 + ", ""), ("-", "")],
)
def test_deep_text_is_read(open_: str, close: str) -> None:
    levels = min(DEPTH, 30_000)
    parse_expr(open_ * levels + "1" + close * levels, allow_unknown_ops=True)


def test_shared_program_is_written_in_the_size_of_its_nodes() -> None:
    text = astext(doublings(100))
    assert len(text.splitlines()) <= 102
    assert_structural_equal(parse_expr(text), doublings(100), map_free_vars=True)


@pytest.mark.deep
def test_nodes_shared_between_nested_blocks_are_written_once() -> None:
    shared: list[Expr] = [Var("x")]
    expr: Expr = Constant(0)
    negative = intern_op("negative")
    for _ in range(LEVELS):
        shared.append(Call(negative, (shared[-1],)))
        expr = If(Constant(True), expr, shared[-1])
    text = astext(expr)
    assert text.count("negative(") == LEVELS
    assert_structural_equal(parse_expr(text), expr, map_free_vars=True)


TYPES_THAT_NEST = {
    "tuple": "let %v{0} = (%v{1},);",
    "pair": "let %v{0} = (%v{1}, 1);",
    "function": "let %v{0} = fn () {{ %v{1} }};",
    "list": "let %v{0} = Cons(%v{1}, Nil);",
    "graph": "%{0} = (%{1},);",
}


@pytest.mark.parametrize("step", TYPES_THAT_NEST.values(), ids=TYPES_THAT_NEST.keys())
def test_typed_program_whose_types_nest_is_written_in_linear_time(step: str) -> None:
    last = "%v" if "let" in step else "%"

    def work(levels: int) -> int:
        lines = [step.format(i + 1, i) for i in range(levels)]
        first = step.format(0, "x").replace("%vx", "%x")
        mod = typed(
            '#[version = "0.0.5"]\ntype List[A] { Cons(A, List[A]), Nil, }\n'
            f"def @main(%x: int32) {{ {first} {' '.join(lines)} {last}{levels} }}"
        )
        return lines_run(lambda: astext(mod))

    work(10)  # what is looked up once and for all is there
    assert work(1000) <= 11 * work(100)
