"""The line of Python that built a node is its span, where that is asked for."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish import core, tir
from relayish.binary import from_binary, to_binary
from relayish.errors import FieldError, TypeInferenceError
from relayish.frontend import ScopeBuilder
from relayish.ir.nodes.node import declared_temporarily, node_kinds
from relayish.ir.nodes.origins import origin_of, trace_origins
from relayish.ir.nodes.span import Span, name_of_span
from relayish.transform import FoldConstant, InferType, Sequential
from tests.support.depth import DEPTH

FILE = str(Path(__file__).relative_to(Path.cwd()))
X = relay.var("x", shape=(2,))


def here(offset: int = 0) -> int:
    """Return the line of the caller."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno + offset


def line_of(node: object) -> int:
    span = origin_of(node)
    assert span is not None
    assert span.source_name == FILE
    return span.line


BUILDERS: dict[str, Callable[[], object]] = {
    "operator": lambda: relay.exp(X),
    "operator with attributes": lambda: relay.nn.softmax(X, axis=0),
    "operator with a hand-written builder": lambda: relay.zeros_like(X),
    "operator with several results": lambda: relay.split(X, 2).tuple_value,
    "infix": lambda: X + X,
    "infix with a number": lambda: 2.0 * X,
    "infix of a method": lambda: -X,
    "call": lambda: relay.Call(relay.get_op("exp"), [X]),
    "function": lambda: relay.Function([X], X),
    "let": lambda: relay.Let(relay.Var("y"), X, X),
    "variable": lambda: relay.var("y", shape=(2,)),
    "constant": lambda: relay.const([1.0]),
    "tuple": lambda: relay.Tuple([X, X]),
    "pattern": lambda: relay.PatternVar(X),
    "call_op": lambda: relay.op.call_op("exp", X),
    "loops": lambda: tir.Var("i") + tir.Var("j"),
    "store": lambda: tir.Store(tir.Tensor("t", (2,), "float32"), 1.0, (0,)),
    "core": lambda: core.Add(core.Ld(core.Var("x")), core.const(1)),
    "functools": lambda: functools.reduce(relay.add, [X, X]),
    "rebuilt": lambda: relay.exp(X).with_fields(args=[relay.const(1.0)]),
    "copied": lambda: copy.copy(X),
}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
def test_builder_gives_the_line_that_called_it(build):
    with trace_origins():
        made = build()
    assert line_of(made) == build.__code__.co_firstlineno


def test_span_is_that_of_the_expression():
    with trace_origins():
        made = relay.add(X,
                         relay.exp(X))  # fmt: skip
    line = here(-2)
    assert made.span == Span(FILE, line, line + 1, 16, 39)
    assert made.args[1].span == Span(FILE, line + 1, line + 1, 26, 38)
    assert str(made.span) == f"{FILE}:{line}:16"
    assert name_of_span(made.span) == ""


def test_nothing_is_traced_outside():
    before = relay.exp(X)
    with trace_origins():
        pass
    assert (origin_of(before), origin_of(relay.exp(X))) == (None, None)


def test_constructors_are_as_they_were_outside():
    own = {kind: kind.__new__.__code__ for kind in node_kinds().values()}
    with trace_origins():
        assert relay.Call.__new__.__code__ is not own[relay.Call]
        for kind in (relay.TensorType, relay.GlobalVar, relay.Clause):  # shared, or without span
            assert kind.__new__.__code__ is own[kind]
        with trace_origins():
            pass
        assert relay.Call.__new__.__code__ is not own[relay.Call]
    assert {kind: kind.__new__.__code__ for kind in own} == own


def test_contexts_nest_and_end_with_the_last_also_by_an_error():
    with trace_origins():
        with pytest.raises(KeyError), trace_origins():
            raise KeyError
        inside = relay.exp(X)
    assert line_of(inside) == here(-1)
    assert origin_of(relay.exp(X)) is None


def traced() -> Iterator[relay.Expr]:
    with trace_origins():
        while True:
            yield relay.exp(X)


def test_contexts_may_end_before_those_inside_them():
    first, second = traced(), traced()
    next(first)
    next(second)
    first.close()
    assert origin_of(relay.exp(X)) is not None
    second.close()
    with ThreadPoolExecutor(1) as pool:
        build = traced()
        other = pool.submit(next, build)
        assert origin_of(other.result()) is not None
        assert origin_of(relay.exp(X)) is None
        pool.submit(build.close).result()


def test_context_may_end_in_another_one_than_it_began_in():
    begun = traced()
    copied = contextvars.copy_context()
    copied.run(next, begun)
    begun.close()
    assert origin_of(relay.exp(X)) is None
    with trace_origins():
        assert origin_of(copied.run(relay.exp, X)) is None


def test_function_may_be_decorated():
    @trace_origins()
    def build() -> relay.Expr:
        return relay.exp(X)

    assert line_of(build()) == here(-2)


def test_other_threads_are_not_traced():
    with trace_origins(), ThreadPoolExecutor(1) as pool:
        inside = pool.submit(relay.exp, X).result()
    assert origin_of(inside) is None


def test_threads_trace_for_themselves():
    barrier = threading.Barrier(8)
    found: list[int | None] = [None] * 8

    def build(number: int) -> None:
        for _ in range(20):
            if number % 2:
                made = relay.exp(X)
            else:
                with trace_origins():
                    barrier_or_not()
                    made = relay.exp(X)
            span = origin_of(made)
            assert (span is None) == bool(number % 2)
            found[number] = None if span is None else span.line

    def barrier_or_not() -> None:
        relay.exp(X)

    def run(number: int) -> None:
        barrier.wait()
        build(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [line is None for line in found] == [False, True] * 4
    assert origin_of(relay.exp(X)) is None


def test_tasks_trace_for_themselves():
    async def traced() -> relay.Expr:
        with trace_origins():
            await asyncio.sleep(0)
            return relay.exp(X)

    async def plain() -> relay.Expr:
        await asyncio.sleep(0)
        return relay.exp(X)

    async def both() -> list[relay.Expr]:
        return await asyncio.gather(traced(), plain())

    one, other = asyncio.run(both())
    assert (origin_of(one) is None, origin_of(other) is None) == (False, True)


def test_handler_of_a_user_is_the_origin_of_what_it_makes():
    class Twice(relay.ExprMutator):
        def visit_constant(self, constant):
            return relay.const(2.0)

    with trace_origins():
        program = relay.exp(relay.const(1.0))
        image = Twice().visit(program)
    assert line_of(image.args[0]) == here(-5)
    assert line_of(image) == line_of(program) == here(-3)


def test_line_that_runs_a_pass_is_the_origin_of_what_it_makes():
    mod = relay.IRModule.from_expr(relay.Function([], relay.const(1.0) + relay.const(2.0)))
    with trace_origins():
        folded = Sequential(["InferType", "FoldConstant"])(mod)
    body = folded["main"].body
    assert isinstance(body, relay.Constant)
    assert origin_of(body) in (None, origin_of(folded["main"]))


def test_origins_stay_on_what_passes_rewrite():
    with trace_origins():
        func = relay.Function([X], relay.exp(X) + (relay.const(1.0) + relay.const(2.0)))
    mod = FoldConstant()(InferType()(relay.IRModule.from_expr(func)))
    assert line_of(mod["main"].body) == line_of(mod["main"].body.args[0]) == here(-2)


def test_text_that_is_parsed_keeps_its_places():
    with trace_origins():
        call = relay.parse_expr("exp(1f)", source_name="model.relay")
    assert str(origin_of(call)) == "model.relay:1:1"


def test_scope_builder_is_passed_over():
    builder = ScopeBuilder()
    with trace_origins():
        bound = builder.let("y", relay.exp(X))
        builder.ret(bound)
        let = builder.get()
    assert line_of(bound) == line_of(let.value) == here(-3)


def test_context_managers_of_others_are_passed_over():
    @contextmanager
    def around(made: list[relay.Expr]):
        yield
        made.append(relay.exp(X))

    made: list[relay.Expr] = []
    with trace_origins(), around(made):
        pass
    assert line_of(made[0]) == here(-5)


def test_kinds_that_are_declared_inside_have_origins():
    with declared_temporarily(), trace_origins():

        @relay.node("tests_origins_box")
        class Box(relay.Expr):
            held: relay.Expr

        box = Box(X)
    assert line_of(box) == here(-1)


def test_operators_and_types_are_shared_and_have_none():
    with trace_origins():
        call = relay.Call(relay.op.get("atan2") if relay.op.is_registered("atan2") else
                          relay.op.get("atan"), [X])  # fmt: skip
        ty = relay.TensorType((2,))
    assert (origin_of(call.op), origin_of(ty)) == (None, None)


def test_errors_of_constructors_are_the_same():
    with trace_origins(), pytest.raises(FieldError, match=r"Call.args\[0\] must be Expr; found"):
        relay.Call(relay.get_op("exp"), ["1"])


def test_positional_span_is_kept():
    span = Span("a", 1, 1, 2, 3)
    with trace_origins():
        assert relay.var("y", span=span).span is span


def test_error_of_types_names_the_line():
    with trace_origins():
        func = relay.Function([X], relay.exp(X) + relay.const([1.0, 2.0, 3.0]))
    with pytest.raises(TypeInferenceError, match=rf"^{FILE}:{here(-1)}:36: add: cannot broadcast"):
        InferType()(relay.IRModule.from_expr(func))


def test_picture_names_the_line():
    with trace_origins():
        func = relay.Function([X], relay.exp(X))
    assert f"{FILE}:{here(-1)}:36" in relay.draw(func).to_html()


def test_origins_are_stored():
    with trace_origins():
        call = relay.exp(relay.const(1.0))
    assert from_binary(to_binary(call)).span == call.span


def test_program_is_the_same_with_origins():
    def build() -> relay.Expr:
        return relay.Function([X], relay.exp(X) * relay.const(2.0))

    plain = build()
    with trace_origins():
        traced = build()
    assert relay.structural_equal(plain, traced)
    assert relay.structural_hash(plain) == relay.structural_hash(traced)
    assert relay.astext(plain) == relay.astext(traced)


def test_place_is_made_once():
    with trace_origins():
        made = [relay.exp(X) for _ in range(3)]
    assert made[0].span is made[1].span is made[2].span


def test_code_without_columns_has_lines():
    source = compile("made = relay.exp(X)", "bare.py", "exec")
    bare = source.replace(co_linetable=_without_columns())
    scope = {"relay": relay, "X": X, "__name__": "bare"}
    with trace_origins():
        exec(bare, scope)
    span = origin_of(scope["made"])
    assert span is not None
    assert (span.source_name, span.column, span.end_column) == ("bare.py", 1, 2)
    assert name_of_span(span) == ""


def _without_columns() -> bytes:
    """Return a table of positions that tells lines alone: entries of a kind that has no column."""
    return bytes([0b1_1101_111, 0]) * 8


def test_code_that_stands_in_no_module_is_passed_over():
    scope: dict[str, Any] = {"relay": relay, "X": X, "__name__": None}
    with trace_origins():
        exec("def build(): return relay.exp(X)", scope)
        made = scope["build"]()
    assert line_of(made) == here(-1)


def test_nothing_around_has_no_origin(monkeypatch):
    monkeypatch.setattr("relayish.ir.nodes.origins._PASSED_OVER", _Everything())
    with trace_origins():
        assert origin_of(relay.exp(X)) is None


class _Everything:
    def __contains__(self, name: object) -> bool:
        return True


def test_cell_of_a_notebook_is_called_by_its_number(monkeypatch):
    def name_cell(path: str) -> tuple[str, str] | None:
        return ("Cell", "In[3]") if path == "/tmp/ipykernel_1/77.py" else None

    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=name_cell))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    scope = {"relay": relay, "X": X, "__name__": "__main__"}
    with trace_origins():
        exec(compile("\nmade = relay.exp(X)", "/tmp/ipykernel_1/77.py", "exec"), scope)
        beside = relay.exp(X)
    assert str(origin_of(scope["made"])) == "Cell [3]:2:8"
    assert line_of(beside) == here(-2)


def test_file_elsewhere_is_called_by_its_whole_path():
    scope = {"relay": relay, "X": X, "__name__": "elsewhere"}
    with trace_origins():
        exec(compile("made = relay.exp(X)", "/elsewhere/model.py", "exec"), scope)
    assert str(origin_of(scope["made"])) == "/elsewhere/model.py:1:8"


@pytest.mark.parametrize("thing", [None, 1, "x", relay.IRModule()])
def test_what_is_no_node_has_no_origin(thing):
    with pytest.raises(FieldError, match="origin_of takes a node; found"):
        origin_of(thing)


@pytest.mark.deep
def test_handlers_that_nest_deeply_find_their_line():
    class Twice(relay.ExprMutator):
        def visit_call(self, call):
            return relay.exp(self.visit(call.args[0]))

    chain: relay.Expr = relay.const(np.float32(1))
    for _ in range(DEPTH):
        chain = relay.exp(chain)
    with trace_origins():
        image = Twice().visit(chain)
    lines = set()
    while isinstance(image, relay.Call):
        lines.add(line_of(image))
        image = image.args[0]
    assert lines == {here(-11)}
