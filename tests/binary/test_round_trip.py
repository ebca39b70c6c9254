"""What is written in binary form is read back as it was: equal, with the same sharing."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from relayish.binary import from_binary, to_binary
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType
from relayish.text import parse
from relayish.transform import InferType
from tests.support import deep, loop_programs, tir_deep
from tests.support.core_programs import random_core_program
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.foreign_kinds import ForeignKinds, random_foreign_module
from tests.support.random_exprs import random_module
from tests.support.seeds import many, seeds
from tests.support.shared_data import shared_path
from tests.support.stored import count_nodes, read_back
from tests.support.tir_kinds import changes, examples
from tests.support.tir_programs import random_func
from tests.support.whole_programs import whole_programs
from tests.support.work import lines_run

SEEDS = seeds(6)
ADD = intern_op("add")
RELAY = ForeignKinds()

_kinds = known_in_tests(loop_programs.DECLARED, RELAY.declared())


@each("seed", SEEDS)
def test_random_module_comes_back(seed: int) -> None:
    read_back(random_module(seed, 60))


@each("seed", SEEDS)
def test_random_module_comes_back_with_inferred_types(seed: int) -> None:
    made = read_back(InferType()(random_module(seed, 40)))
    assert made["main"].checked_type is not None


@each("seed", SEEDS)
def test_random_program_with_kinds_of_another_package_comes_back(seed: int) -> None:
    read_back(random_foreign_module(RELAY, seed))


@each("seed", SEEDS)
def test_random_module_of_relay_with_loops_comes_back(seed: int) -> None:
    read_back(loop_programs.random_loop_module(seed))


@each("seed", SEEDS)
def test_random_program_of_core_comes_back(seed: int) -> None:
    read_back(random_core_program(seed))


@each("seed", SEEDS)
def test_random_function_of_loops_comes_back(seed: int) -> None:
    read_back(random_func(seed))


@each("kind", examples())
def test_node_of_each_kind_of_the_loop_ir_comes_back(kind: Any) -> None:
    read_back(examples()[kind])
    for _, changed in list(changes(examples()[kind]))[: many(4)]:
        read_back(changed)


def test_networks_come_back() -> None:
    for mod in whole_programs().values():
        read_back(mod)


def test_recorded_programs_come_back() -> None:
    texts = [path.read_text() for path in sorted(shared_path("programs").glob("*.relay"))]
    for name in ("pairs", "pairs_layout_quantisation", "evals"):
        with gzip.open(shared_path(f"corpus/{name}.jsonl.gz"), "rt") as file:
            runs = [json.loads(line) for line in file]
        keys = ("before", "after", "mod")
        texts += sorted({run[key] for run in runs for key in keys if run.get(key)})
    step = max(len(texts) // many(18), 1)
    for text in texts[::step]:
        read_back(parse(text, allow_unknown_ops=True))


@pytest.mark.deep
@pytest.mark.slow("nests of twelve kinds")
@each("nest", deep.DEEP_NESTS)
def test_deep_nest_comes_back(nest: str) -> None:
    read_back(deep.DEEP_NESTS[nest](min(DEPTH, 30_000)))


@pytest.mark.deep
def test_a_chain_of_calls_of_any_depth_comes_back() -> None:
    expr = deep.call_chain(DEPTH)
    assert structural_equal(from_binary(to_binary(expr)), expr)


@pytest.mark.deep
@each("nest", tir_deep.DEEP)
def test_deep_function_of_loops_comes_back(nest: str) -> None:
    read_back(tir_deep.DEEP[nest](min(DEPTH, 2_000)))


@pytest.mark.deep
def test_deep_inferred_types_come_back() -> None:
    expr = Tuple((), checked_type=deep.type_nest(min(DEPTH, 20_000)))
    assert structural_equal(read_back(expr).checked_type, expr.checked_type)


def test_doublings_take_as_many_bytes_as_they_have_nodes() -> None:
    expr = deep.doublings(100)
    assert count_nodes(from_binary(to_binary(expr))) == count_nodes(expr)
    assert len(to_binary(deep.doublings(200))) - len(to_binary(expr)) < 100 * 8


def test_work_grows_with_the_program_and_no_faster() -> None:
    def work(levels: int) -> int:
        expr = deep.doublings(levels)
        return lines_run(lambda: from_binary(to_binary(expr)))

    few, some, many = work(500), work(1_000), work(2_000)
    assert many - some <= 2.1 * (some - few)


def test_shared_function_of_loops_stays_shared() -> None:
    for build in tir_deep.SHARED.values():
        read_back(build(60))


def test_every_field_comes_back() -> None:
    ty = TensorType((2,), "int8")
    shared = Var("x", ty, span=Span("f", 1, 2, 3, 4), checked_type=ty)
    call = Call(ADD, (shared, shared), DictAttrs({"a": (1, "b")}), checked_type=ty)
    made = read_back(call)
    assert made.args[0] is made.args[1]
    assert made.args[0].span == shared.span
    assert made.checked_type is made.args[0].checked_type is made.args[0].type_annotation
    assert made.attrs == call.attrs
    assert made.op is ADD


def test_spans_and_types_are_left_out_where_that_is_asked_for() -> None:
    ty = TensorType((2,), "int8")
    var = Var("x", span=Span("f", 1, 2, 3, 4), checked_type=ty)
    plain = from_binary(to_binary(var, spans=False, types=False))
    assert (plain.span, plain.checked_type) == (None, None)
    assert from_binary(to_binary(var, types=False)).span == var.span
    assert from_binary(to_binary(var, spans=False)).checked_type.dtype == "int8"
    assert len(to_binary(var, spans=False, types=False)) < len(to_binary(var))


def test_attributes_of_a_module_come_back() -> None:
    mod = IRModule({"main": Function((), Tuple(()))}, attrs=DictAttrs({"executor": ("graph", 1)}))
    assert read_back(mod).attrs == mod.attrs


def test_equal_modules_are_written_alike_however_they_were_made() -> None:
    def build(names: str) -> IRModule:
        return IRModule({name: Function((), Tuple(())) for name in names})

    assert to_binary(build("abcdefgh")) == to_binary(build("hgfedcba"))


def test_several_roots_share_what_they_shared() -> None:
    shared = Var("x")
    one, other = from_binary(to_binary((Tuple((shared,)), Function((shared,), shared))))
    assert one.fields[0] is other.params[0] is other.body


def test_nodes_within_attributes_come_back() -> None:
    var = Var("x")
    call = Call(ADD, (var, var), DictAttrs({"at": var, "of": (TensorType((3,)), var)}))
    made = read_back(call)
    assert made.attrs["at"] is made.args[0] is made.attrs["of"][1]
