"""Networks with control flow in C: branches, loops, recursion, references, data types, closures."""

from functools import cache

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.codegen.c import build_network, to_c
from relayish.codegen.c.network import lower_network, order_calls
from relayish.errors import CodegenError, EvaluationError, UnlowerableError
from tests.support.compiled_networks import differences, leaves
from tests.support.each import each
from tests.support.seeds import seeds

HEAD = '#[version = "0.0.5"]\n'


def module(text):
    return relay.transform.InferType()(relay.parse(HEAD + text))


def check(text, *given):
    mod = module(text)
    expected = leaves(relay.create_executor(mod=mod).evaluate()(*given))
    found = leaves(build_network(mod, exact=True)(*given))
    assert [a.tobytes() for a in expected] == [b.tobytes() for b in found]
    assert [a.shape for a in expected] == [b.shape for b in found]


@pytest.mark.slow("lowers and compiles twenty programs")
def test_random_programs_do_what_the_evaluator_does():
    chosen = seeds(20)
    assert differences(chosen) == []


DEEP = """
def @f(%n: int32, %x: Tensor[(3), float32]) -> Tensor[(3), float32] {
  if (equal(%n, 0)) { %x } else { add(@g(subtract(%n, 1), %x), %x) }
}
def @g(%n: int32, %x: Tensor[(3), float32]) -> Tensor[(3), float32] {
  multiply(@f(%n, %x), 0.5f)
}
def @main(%n: int32, %x: Tensor[(3), float32]) { @f(%n, %x) }
"""


@cache
def deep_network():
    return build_network(module(DEEP))


@each("depth", [0, 1, 1000])
def test_functions_that_call_one_another_have_memory_of_their_own_each_time(depth):
    given = np.int32(depth), np.ones(3, "float32")
    expected = relay.create_executor(mod=module(DEEP)).evaluate()(*given)
    assert np.array_equal(expected, deep_network()(*given))


def test_recursion_without_end_is_an_error_as_the_loop_interpreter_has_it():
    with pytest.raises(EvaluationError, match="without end"):
        deep_network()(np.int32(-1), np.ones(3, "float32"))
    assert deep_network()(np.int32(1), np.ones(3, "float32")).tolist() == [1.5] * 3


def test_memory_of_recursive_functions_is_not_marked_where_all_of_it_is_stored_first():
    assert "_held" not in deep_network().text


def test_a_function_of_loops_that_calls_itself_ends_where_the_stack_does():
    n = tir.Var("n")
    again = tir.Call(tir.Void(), "f", (n + 1,), (), tir.CallType.CINN)
    forever = tir.LoweredFunc("f", (n,), tir.Block((again,)))
    module = tir.Module("m", functions=(forever,))
    for run in (tir.build(module)["f"], lambda given: tir.run(module, given)):
        with pytest.raises(EvaluationError, match="without end"):
            run(0)


def test_a_network_that_calls_itself_is_called_by_one_that_does_not():
    check(
        """def @main(%n: int32) -> int32 {
          if (less(%n, 1)) { 1 } else { multiply(%n, @main(subtract(%n, 1))) }
        }""",
        np.int32(5),
    )


def test_last_calls_are_loops_that_take_no_stack():
    text = """def @main(%n: int32, %a: int32, %b: int32) -> (int32, int32) {
      if (less(%n, 1)) { (%a, %b) } else { @main(subtract(%n, 1), %b, add(%a, %b)) }
    }"""
    check(text, np.int32(7), np.int32(0), np.int32(1))
    found = build_network(module(text))(np.int32(200_000), np.int32(0), np.int32(1))
    a, b = 0, 1
    for _ in range(200_000):
        a, b = b, (a + b) & 0xFFFFFFFF
    assert [int(each) & 0xFFFFFFFF for each in found] == [a, b]


def test_values_that_are_exchanged_in_a_loop_are_kept_meanwhile():
    check(
        """def @main(%n: int32, %a: Tensor[(2), float32], %b: Tensor[(2), float32]) {
          let %f = fn (%i: int32, %x: Tensor[(2), float32], %y: Tensor[(2), float32]) {
            if (less(%i, %n)) { %f(add(%i, 1), %y, %x) } else { (%x, %y) }
          };
          (%f(0, %a, %b), %f(1, %a, %b))
        }""",
        np.int32(5),
        np.zeros(2, "float32"),
        np.ones(2, "float32"),
    )


def test_references_are_seen_by_all_who_have_them():
    check(
        """def @bump(%c: ref(int32), %n: int32) -> int32 {
          if (less(%n, 1)) { ref_read(%c) } else {
            let %u = ref_write(%c, add(ref_read(%c), %n));
            let %r = @bump(%c, subtract(%n, 1));
            let %v = ref_write(%c, multiply(ref_read(%c), 2));
            %r
          }
        }
        def @main(%x: int32) -> (int32, int32, int32) {
          let %c = ref(%x);
          let %before = ref_read(%c);
          let %inside = @bump(%c, 4);
          (%before, %inside, ref_read(%c))
        }""",
        np.int32(3),
    )


def test_functions_that_are_values_are_data():
    check(
        """def @main(%n: int32, %x: Tensor[(2), float32]) {
          let %up = fn (%y: Tensor[(2), float32]) { add(%y, %x) };
          let %down = fn (%y: Tensor[(2), float32]) { subtract(%y, 1f) };
          let %f = if (less(%n, 3)) { %up } else { %down };
          let %g = if (less(%n, 2)) { %f } else { %down };
          %f(%g(%x))
        }""",
        np.int32(2),
        np.ones(2, "float32"),
    )


def test_conditions_of_no_iteration_and_sizes_of_0_and_1_are_as_others():
    check(
        """def @main(%n: int32, %x: Tensor[(0, 2), float32], %y: Tensor[(1, 1), int64]) {
          let %f = fn (%i: int32, %s: Tensor[(0, 2), float32], %t: Tensor[(1, 1), int64]) {
            if (less(%i, %n)) { %f(add(%i, 1), add(%s, %x), multiply(%t, %t)) } else { (%s, %t) }
          };
          %f(0, %x, add(%y, %y))
        }""",
        np.int32(0),
        np.zeros((0, 2), "float32"),
        np.ones((1, 1), "int64"),
    )


REFUSED = {
    """type List[a] { Cons(a, List[a]), Nil }
    def @main(%n: int32, %x: float32) -> float32 {
      let %xs = if (less(%n, 1)) { Nil } else { Cons(%x, Nil) };
      match (%xs) { Cons(%y, _) => { %y }, Nil => { 0f } }
    }""": "holds values of its own type",
    """def @main(%n: int32, %x: float32) -> float32 {
      let %a = ref(%x); let %b = ref(0f);
      let %c = if (less(%n, 1)) { %a } else { %b };
      let %u = ref_write(%c, 2f);
      ref_read(%a)
    }""": "gives a reference",
    """def @main(%x: (float32, float32)) -> float32 { %x.0 }""": "expected a tensor",
    """type Pair { Two(float32, float32), One }
    def @main(%n: int32, %x: float32) -> float32 {
      let %p = if (less(%n, 1)) { Two(%x, %x) } else { One };
      match? (%p) { Two(%y, _) => { %y } }
    }""": "no clause for One",
}


@each("text", list(REFUSED))
def test_what_loops_cannot_say_is_refused_with_the_reason(text):
    with pytest.raises(CodegenError, match=REFUSED[text]):
        build_network(module(text))


@pytest.mark.references
def test_operators_that_are_given_functions_are_refused_by_name():
    pytest.importorskip("onnx")
    text = """def @main(%c: bool, %x: Tensor[(2), float32]) {
      %0 = fn (%a: Tensor[(2), float32]) { %a };
      %1 = fn (%b: Tensor[(2), float32]) { onnx::Unsqueeze_13(%b, meta[relay.Constant][0]) };
      onnx::If_13(%c, %0, %1, %x, _graphs=["then_branch", "else_branch"], _captures=1)
    }"""
    text = text.replace("meta[relay.Constant][0]", "0i64")
    mod = relay.parse(HEAD + text)
    with pytest.raises(UnlowerableError, match="branches give different ranks"):
        build_network(mod)


def test_deep_nests_of_branches_are_refused():
    x = relay.var("x", shape=(), dtype="int32")
    value = x
    for at in range(210):
        value = relay.If(relay.less(x, relay.const(at)), relay.const(at), value)
    mod = relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([x], value)))
    with pytest.raises(CodegenError, match="200 blocks"):
        to_c(order_calls(lower_network(mod)).module)


def test_recursion_without_end_takes_no_more_than_some_memory_elsewhere():
    text = DEEP.replace("(3)", "(1000, 1000)")
    net = build_network(module(text))
    with pytest.raises(EvaluationError, match="without end"):
        net(np.int32(-1), np.ones((1000, 1000), "float32"))
