"""Memory plans: lives of tensors, the storages they share, and peaks."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import MemoryPlan, infer_type, plan_memory
from relayish.analysis.memory_plan import Origin
from relayish.analysis.memory_plan.buffers import size_in_bytes
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.values.dtype import numpy_dtype, width_in_bytes
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.foreign_kinds import ForeignKinds
from tests.support.planned_memory import Machine, Programs
from tests.support.seeds import SOAK, seeds
from tests.support.text_cases import CASES, read_cases
from tests.support.typed_text import program
from tests.support.work import lines_run

KINDS = ForeignKinds()
SEEDS = seeds(60)
TYPE = relay.TensorType((8,), "float32")
BYTES = 32
softmax = relay.nn.softmax  # computed as a whole: not written over its operand


_kinds = known_in_tests(KINDS.declared())


def plan(params, body, mod: relay.IRModule | None = None) -> MemoryPlan:
    func = infer_type(relay.Function(params, body))
    assert isinstance(func, relay.Function)
    return plan_memory(func, mod)


def tensor(name: str = "x") -> relay.Var:
    return relay.var(name, shape=(8,))


def typed(expr: relay.Expr, ty=TYPE) -> relay.Expr:
    return expr.with_fields(checked_type=ty)


def local(found: MemoryPlan) -> list[int]:
    """Return the sizes of the storages that are used again."""
    return [storage.size for storage in found.storages if storage.origin is Origin.LOCAL]


def chain(length: int) -> MemoryPlan:
    x = tensor()
    expr: relay.Expr = x
    for _ in range(length):
        expr = softmax(expr)
    return plan((x,), expr)


# Which storage

PROGRAMS = read_cases(CASES / "memory_plans.txt")
"""Modules, and how their function ``@main``, or the only one, is planned."""


@each("name", PROGRAMS)
def test_program_has_its_plan(name):
    text, expected = PROGRAMS[name]
    mod = infer_type(program(text))
    func = mod["main" if "main" in mod else "loop"]
    assert str(plan_memory(func, mod)) == expected


def test_what_an_unknown_function_is_given_lives_to_the_end():
    mod = program(f"""
def @store(%p: {TYPE}, %q: ref({TYPE})) {{ ref_write(%q, %p) }}
def @main(%x: {TYPE}) {{
  let %r = ref(%x); let %a = nn.softmax(%x); let %u = @store(%a, %r); nn.softmax(ref_read(%r))
}}""")
    func = infer_type(mod)["main"]
    assert plan_memory(func).storage_of(func.body.body.value).origin is Origin.RESULT


def test_parameters_and_constants_live_alone_and_are_not_counted():
    x, one = tensor(), relay.const(np.ones(8, "float32"))
    found = plan((x,), relay.add(x, one))
    origins = [found.storage_of(e).origin for e in (*found.func.params, found.func.body.args[1])]
    assert origins == [Origin.PARAMETER, Origin.CONSTANT]
    assert found.peak_before == found.peak_after == BYTES


def test_result_of_an_element_wise_operator_takes_the_place_of_its_operand():
    x = tensor()
    found = plan((x,), softmax(relay.tanh(softmax(x))))
    first, second, _ = found.steps
    assert found.storage_of(first) is found.storage_of(second)
    assert found.replaced_argument(second) == 0
    assert found.peak_after == 2 * BYTES


def test_operand_that_is_needed_later_keeps_its_place():
    x = tensor()
    first = softmax(x)
    found = plan((x,), softmax(relay.add(relay.tanh(first), first)))
    first, second, *_ = found.steps
    assert found.storage_of(first) is not found.storage_of(second)
    assert found.replaced_argument(second) is None


def test_operator_declared_to_write_in_place_does():
    x, update = tensor(), relay.var("u", shape=(2,))
    index = relay.var("i", shape=(2,), dtype="int64")
    scattered = relay.scatter_elements(softmax(x), index, update)
    found = plan((x, index, update), softmax(scattered))
    assert found.replaced_argument(found.steps[1]) == 0
    assert local(found) == [BYTES]


def test_branch_may_be_in_the_storage_of_either_arm():
    x, c = tensor(), relay.var("c", "bool")
    found = plan((x, c), softmax(relay.If(c, softmax(x), relay.tanh(x))))
    branch = found.func.body.args[0]
    assert len(found.storages_of(branch)) == 2
    with pytest.raises(relay.PassError, match="may be in 2 storages; ask for storages_of"):
        found.storage_of(branch)


# Functions


def cell() -> relay.Function:
    p = tensor("p")
    return relay.Function((p,), softmax(softmax(softmax(p))))


def test_global_function_is_planned_with_the_module():
    x, name = tensor(), relay.GlobalVar("cell")
    main = relay.Function((x,), softmax(relay.Call(name, (x,))))
    mod = relay.transform.InferType()(relay.IRModule({"main": main, name: cell()}))
    found = plan_memory(mod["main"], mod)
    assert [callee.params[0].name_hint for callee in found.callees] == ["p"]
    assert not found.unplanned
    without = plan_memory(mod["main"])
    assert "not known" in next(iter(without.unplanned.values()))


# What is refused, or left out


def test_tensor_of_unknown_size_is_left_out_and_told():
    x = relay.var("x", shape=(relay.Any(), 2))
    found = plan((x,), softmax(softmax(x)))
    assert set(found.unplanned.values()) == {"the size of Tensor[(?, 2), float32] is not known"}
    assert found.peak_before == 0
    with pytest.raises(
        relay.PassError, match=r"in no storage of the plan: the size of .* is not known"
    ):
        found.storage_of(found.func.body)


def test_untyped_function_is_refused():
    x = tensor()
    with pytest.raises(
        relay.UntypedError, match=r"no type was inferred of nn.softmax\(%x.*run InferType"
    ):
        plan_memory(relay.Function((x,), softmax(x)))


def test_what_is_not_evaluated_is_refused():
    found = chain(2)
    with pytest.raises(relay.UnvisitedNodeError, match="%other is not evaluated in the function"):
        found.storage_of(relay.Var("other"))


def test_value_of_another_packages_kind_is_left_out_and_holds_what_it_is_given():
    x = tensor()
    first, second = typed(softmax(x)), typed(softmax(x))
    made = typed(KINDS.pure((first,)))
    pair = typed(relay.Tuple((made, second)), relay.TupleType((TYPE, TYPE)))
    found = plan_memory(relay.Function((x,), typed(relay.concatenate(pair, 0))))
    assert "what memory a" in found.unplanned[made]
    assert found.storage_of(first).until == 3


def test_what_a_kind_of_unknown_effect_is_given_lives_to_the_end():
    x = tensor()
    first = typed(softmax(x))
    made = typed(KINDS.opaque(0, (first,)))
    found = plan_memory(relay.Function((x,), typed(softmax(made))))
    assert found.storage_of(first).origin is Origin.RESULT


def test_what_a_loop_of_another_package_uses_lives_as_long_as_its_value():
    x, v, a = tensor(), tensor("v"), relay.Var("a", TYPE)
    first = typed(softmax(x))
    loop = typed(KINDS.pure_while(v, x, x, typed(relay.add(v, a))))
    body = relay.Let(a, first, typed(relay.add(loop, typed(softmax(x)))))
    found = plan_memory(relay.Function((x,), body))
    assert (len(found.steps), found.storage_of(a).until) == (4, 3)


def test_plan_is_immutable():
    found = chain(2)
    with pytest.raises(AttributeError, match="immutable"):
        found.peak_after = 0
    with pytest.raises(TypeError):
        found.unplanned[found.func] = ""


def test_plan_is_shown():
    x = tensor()
    func = infer_type(relay.Function((x,), softmax(relay.tanh(softmax(x)))))
    assert str(plan_memory(func)) == (
        "96 bytes if every tensor is kept, 64 if freed after its last use, 64 in shared storages\n"
        "storage 0: 32 bytes, parameter, from the beginning to the end\n"
        "  %x\n"
        "storage 1: 32 bytes, local, from step 0 to step 2\n"
        "  0 to 1: nn.softmax(%x)\n"
        "  1 to 2: tanh(%0), written over an operand\n"
        "storage 2: 32 bytes, result, from step 2 to the end\n"
        "  2 to the end: nn.softmax(%0)"
    )


# Random programs


def conflicts(found: MemoryPlan) -> list[tuple[int, int]]:
    """Return the pairs of tensors that share bytes while both live, but for those written over."""
    pairs = []
    for one, other in itertools.combinations(range(len(found.tensors)), 2):
        first, second = found.tensors[one], found.tensors[other]
        together = max(first.born, second.born) <= min(first.dies, second.dies)
        allowed = second.replaces == one and first.dies == second.born
        if first.storage == second.storage and together and not allowed:
            pairs.append((one, other))
    return pairs


def peaks(found: MemoryPlan) -> tuple[int, int, int]:
    """Return the three peaks, added up step by step."""
    counted = (Origin.LOCAL, Origin.RESULT)
    own = [t for t in found.tensors if t.born >= 0]
    rooms = [s for s in found.storages if s.origin in counted]
    steps = range(len(found.steps) + 1)
    return (
        sum(t.size for t in own),
        max(sum(t.size for t in own if t.born <= at <= t.dies) for at in steps),
        max(sum(s.size for s in rooms if s.since <= at <= s.until) for at in steps),
    )


def test_tensors_that_live_at_the_same_time_share_no_bytes():
    for seed in SEEDS:
        found = plan_memory(Programs(seed).function(14))
        assert conflicts(found) == [], seed
        for storage in found.storages:
            tensors = [found.tensors[number] for number in storage.tensors]
            assert storage.size == max(t.size for t in tensors)
            assert (storage.since, storage.until) == (
                min(t.born for t in tensors),
                max(t.dies for t in tensors),
            )
            if storage.origin is Origin.RESULT:
                assert tensors[-1].size == storage.size
                assert all(t.dies < len(found.steps) for t in tensors[:-1])
            assert storage.origin in (Origin.LOCAL, Origin.RESULT) or len(tensors) == 1


def test_peaks_are_those_of_adding_up():
    saved = 0
    for seed in SEEDS:
        found = plan_memory(Programs(seed, ("if", "let", "ref")).function(14))
        expected = peaks(found)
        assert (found.peak_before, found.peak_freed, found.peak_after) == expected, seed
        assert found.peak_after <= found.peak_before
        assert found.peak_freed <= found.peak_before
        saved += found.peak_before - found.peak_after
    assert saved > 100 * len(SEEDS)


def test_programs_run_on_planned_storages_read_what_was_written():
    reads = replaced = 0
    for seed in SEEDS:
        found = plan_memory(Programs(seed).function(14))
        replaced += sum(t.replaces is not None for t in found.tensors)
        for choices in itertools.product((False, True), repeat=3):
            machine = Machine(found)
            machine.run(list(choices))
            reads += machine.reads
    assert replaced > len(SEEDS)
    assert reads > 50 * len(SEEDS)


def test_machine_tells_where_storages_are_mixed_up():
    rng, noticed = random.Random(SOAK), 0
    for seed in SEEDS:
        found = plan_memory(Programs(seed, ("let",)).function(14))
        numbers = [s.number for s in found.storages if s.origin is Origin.LOCAL]
        if len(numbers) < 3:
            continue
        wrong, taken = rng.sample(numbers, 2)
        mixed = [t._replace(storage=taken) if t.storage == wrong else t for t in found.tensors]
        object.__setattr__(found, "tensors", tuple(mixed))
        try:
            Machine(found).run([True, False, True])
        except AssertionError:
            noticed += 1
    assert noticed > len(SEEDS) // 4


# Cost and depth


@pytest.mark.deep
def test_depth_is_no_limit():
    assert local(chain(DEPTH)) == [BYTES, BYTES]


@pytest.mark.deep
def test_depth_of_branches_and_lets_is_no_limit():
    x, c = tensor(), relay.var("c", "bool")
    nested: relay.Expr = x
    for level in range(min(DEPTH, 20_000)):
        var = relay.Var(f"v{level}")
        nested = relay.Let(var, typed(relay.If(c, nested, typed(softmax(x)))), var)
    found = plan_memory(relay.Function((x, c), nested))
    assert len(found.steps) == 2 * min(DEPTH, 20_000)


@pytest.mark.deep
def test_depth_of_calls_and_tuples_is_no_limit():
    x = tensor()
    func: relay.Function | None = None
    for _ in range(min(DEPTH, 20_000)):
        p = tensor("p")
        func = relay.Function(
            (p,), typed(softmax(p)) if func is None else typed(relay.Call(func, (p,)))
        )
    assert func is not None
    assert plan_memory(func).peak_before == BYTES
    tup: relay.Expr = x
    for _ in range(DEPTH):
        tup = typed(relay.Tuple((tup, typed(softmax(x)))), relay.TupleType((TYPE, TYPE)))
    assert plan_memory(relay.Function((x,), tup)).peak_after == DEPTH * BYTES


def test_shared_nodes_are_planned_once():
    x = tensor()
    expr: relay.Expr = x
    for _ in range(100):
        expr = relay.add(expr, expr)
    found = plan((x,), expr)
    nodes = [n for n in EXPRESSIONS.post_order(found.func.body) if isinstance(n, relay.Call)]
    assert len(found.steps) == len(nodes) == 100


def test_several_results_live_apart():
    x = tensor()
    halves = relay.split(softmax(x), 2, 0)
    found = plan((x,), softmax(relay.concatenate(relay.Tuple((halves[1], halves[0])), 0)))
    first, second = found.tensors_of(found.steps[1])
    assert (first.size, second.size, first.storage != second.storage) == (16, 16, True)


def test_nodes_shared_by_branches_take_linear_time():
    def work(depth):
        x, c = tensor(), relay.var("c", "bool")
        expr: relay.Expr = x
        for _ in range(depth):
            expr = typed(relay.If(c, typed(relay.exp(expr)), typed(relay.tanh(expr))))
        return lines_run(lambda: plan_memory(relay.Function((x, c), expr)))

    assert work(60) < 2.5 * work(30)


@pytest.mark.parametrize("dtype", ["handle", "void", "string"])
def test_element_type_without_a_size_has_none(dtype):
    assert size_in_bytes(relay.TensorType((2,), dtype)) is None


def test_narrow_elements_take_a_byte_each():
    assert size_in_bytes(relay.TensorType((3, 2), "bool")) == 6
    assert size_in_bytes(relay.TensorType((), "float64")) == 8
    assert size_in_bytes(relay.TensorType((0, 4), "int8")) == 0
    assert size_in_bytes(relay.TensorType((3,), "int4")) == 3


def test_elements_of_vectors_are_counted_together():
    assert size_in_bytes(relay.TensorType((2,), "float32x4")) == 32
    assert size_in_bytes(relay.TensorType((2,), "int4x3")) == 4
    assert size_in_bytes(relay.TensorType((), "boolx8")) == 1
    assert size_in_bytes(relay.TensorType((), "e4m3_float8x4")) == 4


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float8_e4m3fn", "e5m2_float8", "uint64", "int4", "bool"]
)
def test_element_has_the_width_that_numpy_gives_it(dtype):
    assert width_in_bytes(dtype) == numpy_dtype(dtype).itemsize


def test_function_called_does_not_write_over_its_parameters():
    x, p = tensor(), tensor("p")
    b = relay.Var("b", may_share=p)
    inner = relay.Function((p,), relay.Let(b, softmax(p), softmax(b)))
    (callee,) = plan((x,), relay.Call(inner, (x,))).callees.values()
    assert all(tensor.replaces is None for tensor in callee.tensors)
