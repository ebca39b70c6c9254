"""``Pass.map``: modules through workers, as they are through the pass itself."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from relayish import tir
from relayish.binary import to_binary, write_binary
from relayish.cli.loading import VARIABLE, load
from relayish.errors import ParallelError, ParseError, PassError
from relayish.frontend import from_onnx
from relayish.ir.relay.expr import Constant, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.parallel import Outcome, ProcessExecutor
from relayish.pass_infra.base.mapping import SHARED_FROM, _Modules, _PickledJob
from relayish.transform import (
    FoldConstant,
    PassContext,
    PassCountInstrument,
    PassInfo,
    Sequential,
    create_function_pass,
    function_pass,
    module_pass,
    parse_pipeline,
)
from tests.support.core_programs import random_core_program
from tests.support.small_models import small_model
from tests.support.tir_small import function, loop, memory
from tests.support.weighted import LARGE, SIZE, weighted

PIPELINE = "FoldConstant,DeadCodeElimination"


@pytest.fixture(scope="module")
def worker() -> Iterator[ProcessExecutor]:
    with ProcessExecutor(1) as executor:
        yield executor


def loops() -> IRModule:
    i, out = tir.Var("i"), memory("out", 4)
    inner = tir.Block((tir.Block((tir.Store(out, tir.IntImm(1), (i,)),)),))
    return IRModule({"f": function([out], loop(i, 0, 4, inner))})


def parts(outcome: Outcome[Any, IRModule]) -> bytes:
    return to_binary(outcome.result())


def test_results_are_those_of_the_pass_byte_for_byte(worker) -> None:
    pipeline = parse_pipeline(PIPELINE)
    modules = [weighted(LARGE, each) for each in (1.0, 2.0, 3.0)]
    expected = [to_binary(pipeline(each)) for each in modules]
    for executor in (None, "threads:2", worker):
        assert [parts(each) for each in pipeline.map(modules, executor)] == expected


@pytest.mark.parametrize("executor", [None, "threads:1", "worker"])
def test_what_is_unchanged_is_the_same_object(worker, executor) -> None:
    changed = weighted()
    same = FoldConstant()(changed)
    given = worker if executor == "worker" else executor
    first, second = FoldConstant().map([changed, same], given)
    assert first.value is not changed
    assert (second.value, second.item) == (same, same)
    assert second.value is same


def test_arrays_that_a_result_has_from_its_module_are_the_same_objects(worker) -> None:
    mod = weighted()
    weight = mod["main"].body.args[0].args[1].data
    (outcome,) = FoldConstant().map([mod], worker)
    assert outcome.result()["main"].body.args[0].args[1].data is weight


def test_large_arrays_go_once_by_content_and_small_ones_with_each_module() -> None:
    transport = _Modules(_PickledJob(b"", ()))
    shared: dict[str, int] = {}

    def share(key: str, data: Any) -> str:
        shared[key] = len(data)
        return key

    small = np.arange(SIZE - 1, dtype="float32")
    first = transport.pack(weighted(LARGE), share)
    again = transport.pack(weighted(LARGE.copy()), share)
    other = transport.pack(weighted(LARGE + 1), share)
    within = transport.pack(weighted(np.broadcast_to(small[:1], (SIZE,))), share)
    assert first.parts == again.parts != other.parts
    assert list(shared.values()) == [SHARED_FROM] * 3
    assert len(within.parts) == 1
    assert transport.pack(constant_alone(small), share).parts == ()


def constant_alone(array: Any) -> IRModule:
    return IRModule({"main": Function((), Constant(array))})


def test_digests_are_forgotten_with_their_arrays() -> None:
    transport = _Modules(_PickledJob(b"", ()))
    mod = weighted(LARGE + 2)
    transport.pack(mod, lambda key, _data: key)
    assert len(transport._keys) == 1
    del mod
    gc.collect()
    assert transport._keys == {}


@pytest.mark.parametrize(
    ("make", "pipeline"),
    [
        (loops, "SimplifyBlocks"),
        (lambda: random_core_program(3), "DeadStoreEliminationCore"),
    ],
)
def test_modules_of_other_languages_travel_as_well(worker, make, pipeline) -> None:
    mod, passes = make(), parse_pipeline(pipeline)
    (outcome,) = passes.map([mod], worker)
    assert parts(outcome) == to_binary(passes(mod))


@pytest.mark.references
def test_models_travel_as_modules_and_as_paths(worker, tmp_path) -> None:
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "model.onnx"
    onnx.save(small_model(), path)
    passes = parse_pipeline("DeadCodeElimination")
    expected = to_binary(passes(from_onnx(path)))
    found = list(passes.map([from_onnx(path), path], worker, read=from_onnx))
    assert [parts(each) for each in found] == [expected, expected]
    assert found[1].item is path


@pytest.mark.parametrize("executor", [None, "worker"])
def test_paths_of_programs_are_read_by_workers(worker, tmp_path, executor) -> None:
    written, text, lacking = (tmp_path / name for name in ("a.rly", "b.relay", "c.relay"))
    write_binary(weighted(), written)
    text.write_text("nonsense")
    given = worker if executor == "worker" else executor
    found = list(FoldConstant().map([written, str(text), lacking], given))
    assert parts(found[0]) == to_binary(FoldConstant()(weighted()))
    assert isinstance(found[1].error, ParseError)
    assert isinstance(found[2].error, FileNotFoundError)
    assert "read=... says how files are read" in str(found[2].error.__notes__)


def test_errors_of_passes_belong_to_their_modules(worker) -> None:
    broken = IRModule({"main": Function((), Var("free"))})
    found = list(
        parse_pipeline("InferType,FoldConstant").map([weighted(), broken, weighted()], worker)
    )
    assert [each.error is None for each in found] == [True, False, True]
    assert found[1].item is broken
    assert "in pass InferType" in str(found[1].error.__notes__)


def test_what_is_no_module_is_an_error_of_its_own(worker) -> None:
    for executor in (None, worker):
        good, bad = FoldConstant().map([weighted(), 3], executor)  # type: ignore[list-item]
        assert good.error is None
        assert isinstance(bad.error, PassError)
        assert "expected a module, or the path of one; found 3" in str(bad.error)


def test_one_module_is_refused_where_several_are_expected() -> None:
    with pytest.raises(PassError, match="expected modules, or paths, one after the other"):
        FoldConstant().map(weighted())  # type: ignore[arg-type]


@pytest.mark.parametrize("executor", [None, "threads:1", "worker"])
def test_the_context_is_that_of_the_caller(worker, executor) -> None:
    given = worker if executor == "worker" else executor
    mod = weighted()
    with PassContext(opt_level=1):
        (low,) = Sequential([FoldConstant()]).map([mod], given)
    with PassContext(opt_level=2, disabled_pass=["FoldConstant"]):
        (disabled,) = Sequential([FoldConstant()]).map([mod], given)
    with PassContext(opt_level=0, required_pass=["FoldConstant"]):
        (required,) = Sequential([FoldConstant()]).map([mod], given)
    assert (low.value is mod, disabled.value is mod, required.value is mod) == (True, True, False)


def test_instruments_see_threads_and_are_copies_in_processes(worker) -> None:
    counts = PassCountInstrument()
    with PassContext(instruments=[counts]):
        list(FoldConstant().map([weighted()], "threads:1"))
        seen = dict(counts.runs)
        list(FoldConstant().map([weighted()], worker))
    assert seen
    assert dict(counts.runs) == seen


def test_a_pass_that_cannot_be_pickled_is_refused_at_once() -> None:
    made = create_function_pass(lambda func, _mod, _ctx: func, 0, "Local")
    with pytest.raises(ParallelError, match="cannot be sent to other processes"):
        made.map([weighted()], "processes:1")
    assert [each.error for each in made.map([weighted()], "threads:1")] == [None]


def test_a_reader_that_cannot_be_pickled_is_named_and_not_the_pass() -> None:
    with pytest.raises(ParallelError, match=r"^<function .*<lambda> at .* cannot be sent"):
        FoldConstant().map(["a"], "processes:1", read=lambda path: weighted())


@pytest.mark.parametrize("executor", [None, "processes:1"])
def test_one_name_in_place_of_several_to_load_is_refused_at_once(executor) -> None:
    with pytest.raises(PassError, match=r"write \['mine'\]"):
        FoldConstant().map([weighted()], executor, load="mine")


@module_pass(opt_level=0)
def DecoratedModule(mod, _ctx):
    return mod


@function_pass(opt_level=1)
def DecoratedFunction(func, _mod, _ctx):
    return func


@function_pass(opt_level=2)
class DecoratedClass:
    def __init__(self, first, *rest, more=3, **named):
        self.given = first, rest, more, named

    def transform_function(self, func, _mod, _ctx):
        return func


@pytest.mark.parametrize(
    "made",
    [
        DecoratedModule,
        DecoratedFunction,
        DecoratedFunction.with_info(PassInfo("Renamed", 3)),
        DecoratedClass(1, 2, more=4, other=5).with_info(PassInfo("Renamed", 3)),
    ],
)
def test_decorated_passes_are_pickled_by_the_names_they_have_in_their_module(made) -> None:
    found = pickle.loads(pickle.dumps(made))
    assert (type(found), repr(found), found.info) == (type(made), repr(made), made.info)
    held = "given" if isinstance(made, DecoratedClass) else "pass_func"
    assert getattr(found, held) == getattr(made, held)


def test_a_pass_of_a_function_that_keeps_its_name_is_pickled_with_the_function() -> None:
    found = pickle.loads(pickle.dumps(create_function_pass(weighted, 0)))
    assert found.pass_func is weighted


def test_a_pass_whose_name_another_has_taken_is_not_pickled_as_that(monkeypatch) -> None:
    made = DecoratedModule
    other = module_pass(lambda mod, _ctx: mod, opt_level=0)
    monkeypatch.setitem(globals(), "DecoratedModule", other)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(made)
    assert copy.copy(made).pass_func is copy.deepcopy(made).pass_func is made.pass_func


USERS = """
from relayish.transform import register_pass
from relayish.ir.relay.expr import Constant, Function
@register_pass("NothingButZero", opt_level=0)
def NothingButZero(func: Function) -> Function:
    '''Return zero.'''
    return func.with_fields(body=Constant(0.0))
"""


def test_passes_of_files_are_loaded_by_workers_first(
    worker, tmp_path, declarations, monkeypatch
) -> None:
    file = tmp_path / "users_pass.py"
    file.write_text(USERS)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv(VARIABLE, "[]")
    load(str(file))
    passes = parse_pipeline("NothingButZero")
    expected = to_binary(passes(weighted()))
    (without,) = passes.map([weighted()], worker)
    assert isinstance(without.error, ImportError)
    (found,) = passes.map([weighted()], worker, load=[str(file)])
    assert parts(found) == expected


def test_closing_early_stops_the_run(worker) -> None:
    taken: list[int] = []
    items = (taken.append(each) or weighted(LARGE, each) for each in range(50))
    outcomes = FoldConstant().map(items, worker, window=3)
    next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]
    assert len(taken) == 3
