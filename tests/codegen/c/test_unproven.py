"""Compiled loops where a proof would be wrong: of memory, of bounds, of sizes, of names."""

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.codegen.c import build, build_network, to_c
from relayish.codegen.c.text import CText, infix, prefix
from relayish.errors import EvaluationError, LifetimeError, UninitialisedReadError
from relayish.tir.ir.operation import ComputeOp
from relayish.tir.ir.type import VOID
from relayish.tir.primitives import PRIMITIVES
from tests.support.each import each
from tests.support.tir_small import loop, memory

A, B, T, ONE = memory("A", 4), memory("B", 4), memory("T", 4), memory("One", 1)
COUNT, J, K, N = (tir.Var(name) for name in "ijkn")


def store(tensor, value, index):
    return tir.Store(tensor, value, (index,))


def function(args, *stmts, temps=(), name="f"):
    given = [arg if isinstance(arg, tir.Var) else arg.buffer for arg in args]
    return tir.LoweredFunc(name, given, tir.Block(stmts), [each.buffer for each in temps])


def inline(axis):
    operation = ComputeOp((axis,), (tir.const(4),), (T[axis],), name="inline")
    return tir.Tensor("inline", (4,), "int32", None, operation, (axis,))


def call(name, reads, writes):
    return tir.Call(VOID, name, tuple(reads), tuple(writes), tir.CallType.CINN)


def both(program, *args, name="f"):
    """What the interpreter and compiled code leave, or the kind of error."""
    module = program if isinstance(program, tir.Module) else tir.Module("m", functions=(program,))
    compiled = build(module)[name]
    found = []
    for run in (lambda *given: tir.run(module, *given, name=name, mode="plain"), compiled):
        given = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        try:
            run(*given)
            found.append([arg.tolist() for arg in given if isinstance(arg, np.ndarray)])
        except EvaluationError as error:
            found.append(type(error).__name__)
    return found


READ_FIRST = {
    "an inline tensor reads on": function(
        [B], loop(COUNT, 0, 4, store(T, COUNT, COUNT), store(B, inline(K)[3], COUNT)), temps=[T]
    ),
    "its axis is the variable of the loop": function(
        [B], loop(COUNT, 0, 4, store(T, COUNT, COUNT), store(B, inline(COUNT)[3], COUNT)), temps=[T]
    ),
    "it reads what is stored": function(
        [B],
        loop(COUNT, 0, 4, store(T, inline(K)[COUNT], COUNT)),
        loop(J, 0, 4, store(B, T[J], J)),
        temps=[T],
    ),
    "the bound of a loop reads": function(
        [B], loop(COUNT, ONE[0], 1, store(ONE, 5, 0)), store(B, ONE[0], 0), temps=[ONE]
    ),
}


@each("name", READ_FIRST)
def test_memory_that_is_read_before_it_is_stored_to_is_noted(name):
    expected, found = both(READ_FIRST[name], np.zeros(4, "int32"))
    assert expected == found == UninitialisedReadError.__name__


def test_memory_that_a_call_gets_under_two_names_is_what_it_is():
    step = function([A, T], loop(COUNT, 0, 4, store(T, A[3 - COUNT] + 1, COUNT)), name="step")
    inner = function([A, T], call("step", [A], [T]), name="inner")
    for name in ("step", "inner"):
        whole = tir.Module("m", functions=(function([B], call(name, [B], [B])), inner, step))
        expected, found = both(whole, np.arange(4, dtype="int32"))
        assert expected == found == [[4, 3, 4, 5]]


def test_pointers_are_restrict_unless_some_call_gives_memory_twice():
    step = function([A, T], loop(COUNT, 0, 4, store(T, A[COUNT] + 1, COUNT)), name="step")
    apart = to_c(tir.Module("m", functions=(function([B, A], call("step", [B], [A])), step)))
    assert "const int32_t *restrict A" in apart.text


def test_a_call_with_memory_that_was_freed_is_an_error():
    step = function([A, T], loop(COUNT, 0, 4, store(T, A[COUNT] + 1, COUNT)), name="step")
    free = tir.IfThenElse(B[0] < 1, tir.Block((tir.Free(T.buffer),)))
    main = function([B], tir.Alloc(T.buffer), free, call("step", [B], [T]), temps=[T])
    expected, found = both(tir.Module("m", functions=(main, step)), np.zeros(4, "int32"))
    assert expected == found == LifetimeError.__name__


def test_sizes_whose_product_is_no_integer_of_64_bits_have_no_memory():
    huge = tir.Tensor("H", (N, N, N), "int32", tir.Buffer("_H", (N, N, N), "int32"))
    main = function([N, B], tir.Store(huge, 7, (0, 0, 0)), store(B, 1, 0), temps=[huge])
    expected, found = both(main, 1 << 22, np.zeros(4, "int32"))
    assert expected == found == LifetimeError.__name__


def test_temporaries_that_no_stack_holds_are_elsewhere():
    size = 4_000_000
    large = tir.Tensor(
        "L",
        (size,),
        "int32",
        tir.Buffer("_L", (size,), "int32", memory_type=tir.MemoryType.STACK),
    )
    small = [memory(f"S{at}", 512) for at in range(100)]
    stores = [store(each, 1, 3) for each in small]
    main = function(
        [B],
        loop(COUNT, 0, size, store(large, COUNT, COUNT)),
        *stores,
        store(B, large[7], 0),
        temps=[large],
    ).with_fields(temp_bufs=(large.buffer, *[each.buffer for each in small]))
    array = np.zeros(4, "int32")
    build(main)(array)
    assert array[0] == 7
    text = to_c(main).text
    assert 0 < text.count("[512];") < 100


BOUNDED = tir.Var("bounded", "int32", tir.const(0), tir.const(4))
OUTSIDE = {
    "declared": [tir.Let(BOUNDED, A[0]), store(B, 7, BOUNDED)],
    "stored": [tir.Let(BOUNDED), tir.Store(BOUNDED, A[0], ()), store(B, 7, BOUNDED)],
    "of a schedule block": [
        tir.ScheduleBlockRealize(
            (N,), tir.ScheduleBlock((BOUNDED,), (), (), "b", store(B, 7, BOUNDED))
        )
    ],
}


@each("name", OUTSIDE)
def test_a_variable_is_within_the_bounds_that_are_said_of_it(name):
    func = build(function([N, A, B], *OUTSIDE[name]))
    array = np.zeros(4, "int32")
    func(3, np.full(4, 3, "int32"), array)
    assert array.tolist() == [0, 0, 0, 7]
    with pytest.raises(EvaluationError, match="variable bounded is out of the bounds"):
        func(10**8, np.full(4, 10**8, "int32"), array)


def test_a_value_that_is_proven_to_be_within_bounds_is_not_tested():
    func = function([A, B], tir.Let(BOUNDED, tir.Max(tir.Min(A[0], 3), 0)), store(B, 7, BOUNDED))
    assert "return 1" not in to_c(func).text


@each(
    "name",
    [
        *("mul_int32", "bits_of_float", "load_float16", "elements_int64"),
        *("HUGE_VAL", "RAND_MAX", "FP_NAN", "math_errhandling", "ldiv_t", "max_align_t"),
    ],
)
def test_names_of_helpers_and_of_headers_are_no_other_thing(name):
    named = tir.Tensor(name, (4,), "int32", tir.Buffer(f"_{name}", (4,), "int32"))
    half = memory("half", 4, dtype="float16")
    main = function(
        [tir.Var(name), named, half],
        loop(tir.Var(name), 0, 4, store(named, named[0] * named[1], 0)),
        store(half, half[0] * half[1], 2),
        name=name,
    )
    given = np.array([9, 1 << 20, 0, 0], "int32"), np.full(4, 0.3, "float16")
    expected, found = both(main, 3, *given, name=name)
    assert expected == found


def test_a_negation_stands_in_parentheses_before_operators_that_look_as_if_they_bound_it():
    negated = prefix("!", CText("a"))
    assert [infix(sign, negated, CText("b")).text for sign in ("|", "==", "&")] == [
        "(!a) | b",
        "(!a) == b",
        "(!a) & b",
    ]


X = relay.var("x", shape=(2, 3))
KEPT = relay.nn.relu(X)
RESULTS = {
    "views of one memory": [relay.reshape(KEPT, (3, 2)), relay.reshape(KEPT, (6,)), KEPT],
    "a tuple in a tuple": [relay.Tuple([KEPT, X]), X],
    "a number": [relay.const(np.float32(3)), KEPT],
}


def nested(value):
    if isinstance(value, (tuple, list)):
        return [nested(each) for each in value]
    return np.asarray(value).shape, np.asarray(value).tolist()


@each("name", RESULTS)
def test_results_of_a_network_have_the_shapes_and_the_nesting_of_their_type(name):
    mod = relay.IRModule.from_expr(relay.Function([X], relay.Tuple(RESULTS[name])))
    given = np.arange(-3, 3, dtype="float32").reshape(2, 3)
    expected = relay.create_executor(mod=relay.transform.InferType()(mod)).evaluate()(given)
    assert nested(build_network(mod)(given)) == nested(expected)


def test_a_network_may_be_called_as_what_copies_its_results():
    mod = relay.IRModule({"copy": relay.Function([X], relay.Tuple([X, KEPT]))})
    given = np.arange(-3, 3, dtype="float32").reshape(2, 3)
    first, second = build_network(mod, name="copy")(given)
    assert first.tolist() == given.tolist()
    assert second.tolist() == np.maximum(given, 0).tolist()


def test_accesses_that_a_primitive_is_written_as_are_tested(monkeypatch):
    monkeypatch.setitem(PRIMITIVES, "peek", lambda node: B[node.arguments[0].values[0]])
    peek = tir.PrimitiveNode("peek", (tir.ArgumentGroup((N,)),), None, "int32")
    main = function([N, A, B], store(A, peek, 0))
    for index, expected in ((2, [[7, 0, 0, 0], [5, 6, 7, 8]]), (10**8, "OutOfBoundsError")):
        found = both(main, index, np.zeros(4, "int32"), np.arange(5, 9, dtype="int32"))
        assert found == [expected, expected]


def test_memory_that_a_primitive_is_given_may_be_stored_to(monkeypatch):
    def poke(node):
        return store(node.arguments[0].values[0], 3, N)

    monkeypatch.setitem(PRIMITIVES, "poke", poke)
    main = function([N, B], tir.PrimitiveNode("poke", (tir.ArgumentGroup((B,)),), None, VOID))
    for index, expected in ((2, [[0, 0, 3, 0]]), (10**8, "OutOfBoundsError")):
        assert both(main, index, np.zeros(4, "int32")) == [expected, expected]


def test_a_bound_that_a_guard_tells_is_not_tested_again():
    v = tir.Var("v", "int32", tir.const(0), tir.const(4))
    value = COUNT * 3 + J

    def guarded(end):
        block = tir.schedule_block("b", [(v, value)], store(A, 1, v))
        inner = loop(J, 0, 3, tir.IfThenElse(value < end, tir.Block((block,))))
        return to_c(function([A], loop(COUNT, 0, 2, inner))).text

    assert "return fault" not in guarded(4)
    assert "variable v" not in guarded(4)
    assert "return fault" in guarded(5)
