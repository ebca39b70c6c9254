"""Dead code elimination: what goes, what stays because it acts, and what never changes."""

from __future__ import annotations

import pytest

from relayish.analysis.effects import Effects
from relayish.ir.relay.expr import Call, Expr, Function, Let, RefCreate, Tuple, Var
from relayish.op.declaration.registry import get_op
from relayish.passes import eliminate_dead_code
from relayish.passes.relay.cleanup.dead_code import live_bindings
from relayish.text import parse
from relayish.transform import get_pass
from tests.support.depth import DEPTH

HEADER = '#[version = "0.0.5"]\n'


def test_program_without_dead_code_is_returned_identically() -> None:
    x, y = Var("x"), Var("y")
    func = Function((x,), Let(y, Call(get_op("add"), (x, x)), Call(get_op("add"), (y, x))))
    assert eliminate_dead_code(func) is func


def test_call_of_a_global_is_judged_by_its_body() -> None:
    mod = parse(
        HEADER + "def @pure(%x: int32) { add(%x, 1) }\n"
        "def @writes(%r: ref(int32)) { ref_write(%r, 1) }\n"
        "def @main(%r: ref(int32)) { let %a = @pure(1); let %b = @writes(%r); 2 }\n"
    )
    out = get_pass("DeadCodeElimination")(mod)
    let = out["main"].body
    assert isinstance(let, Let)
    assert let.value.op.name_hint == "writes"
    assert let.body.data == 2
    assert out["pure"] is mod["pure"]


def test_stateful_operator_is_kept() -> None:
    text = "fn (%x: int32) { let %k = random.uniform_like_nothing(%x); %x }"
    func = parse(f"{HEADER}def @main() {{ {text} }}", allow_unknown_ops=True)["main"]
    assert eliminate_dead_code(func) is func


def test_variable_whose_memory_is_shared_stays_bound() -> None:
    x, dead = Var("x"), Var("dead")
    shared = Var("shared")
    sharing = Var("sharing", may_share=shared)
    double = Call(get_op("add"), (x, x))
    func = Function((x,), Let(dead, double, Let(shared, double, Let(sharing, double, sharing))))
    out = eliminate_dead_code(func)
    assert out.body.var is shared
    assert out.body.body.var is sharing


def test_shared_chain_is_rebuilt_once() -> None:
    x, d, v = Var("x"), Var("d"), Var("v")
    tail = Let(d, Call(get_op("add"), (x, x)), x)
    out = eliminate_dead_code(Let(v, tail, Call(get_op("add"), (v, tail))))
    assert isinstance(out, Let)
    assert out.value is x


@pytest.mark.parametrize("inner_first", [False, True])
def test_end_of_a_chain_that_stands_elsewhere_too_stays_shared(inner_first: bool) -> None:
    x, a, b, dead = Var("x"), Var("a"), Var("b"), Var("dead")
    double = Call(get_op("add"), (x, x))
    inner = Let(b, double, Let(dead, double, Call(get_op("add"), (b, b))))
    outer = Let(a, double, inner)
    fields = (inner, outer) if inner_first else (outer, inner)
    out = eliminate_dead_code(Tuple(fields))
    assert isinstance(out, Tuple)
    image = out.fields[0 if inner_first else 1]
    assert image is not inner
    assert out.fields[1 if inner_first else 0] is image


def test_variable_whose_memory_is_shared_is_not_inlined() -> None:
    x, first = Var("x"), Var("first")
    second = Var("second", may_share=first)
    negative = get_op("negative")
    body = Let(first, Call(negative, (x,)), Let(second, Call(negative, (first,)), second))
    func = Function((x,), body)
    assert eliminate_dead_code(func, inline_once=True) is func


def test_value_that_two_functions_share_is_not_inlined_into_them() -> None:
    x, v = Var("x"), Var("v")
    shared = Call(get_op("negative"), (v,))
    functions = Tuple((Function((), shared), Function((), shared)))
    func = Function((x,), Let(v, RefCreate(x), functions))
    assert eliminate_dead_code(func, inline_once=True) is func


HIGHER = """
def @apply(%f: fn (int32) -> int32, %x: int32) -> int32 { %f(%x) }
def @again(%f: fn (int32) -> int32, %x: int32) -> int32 { @apply(%f, @apply(%f, %x)) }
"""


@pytest.mark.parametrize(
    ("call", "dies"),
    [
        ("@apply(fn (%y: int32) -> int32 { add(%y, 1) }, 1)", True),
        ("@again(fn (%y: int32) -> int32 { add(%y, 1) }, 1)", True),
        ("@apply(fn (%y: int32) -> int32 { ref_read(%r) }, 1)", False),
        ("@again(fn (%y: int32) -> int32 { ref_read(%r) }, 1)", False),
        ("@apply(fn (%y: int32) -> int32 { let %w = ref_write(%r, %y); %y }, 1)", False),
        ("@again(fn (%y: int32) -> int32 { let %w = ref_write(%r, %y); %y }, 1)", False),
        ("@apply(%g, 1)", False),
        ("@again(fn (%y: int32) -> int32 { %g(%y) }, 1)", False),
        ("fn (%h: fn (int32) -> int32) { fn (%z: int32) { %h(%z) } }(%g)(1)", False),
    ],
)
def test_call_is_as_pure_as_its_arguments_on_request(call: str, dies: bool) -> None:
    main = f"def @main(%r: ref(int32), %g: fn (int32) -> int32) {{ let %u = {call}; 1 }}"
    mod = parse(f"{HEADER}{HIGHER}{main}")
    assert get_pass("DeadCodeElimination")(mod) is mod
    precise = get_pass("DeadCodeElimination", function_argument_precision=True)(mod)
    assert (precise is not mod) is dies


def test_module_is_analysed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0

    class Counting(Effects):
        def __init__(self, *args: object, **options: object) -> None:
            nonlocal made
            made += 1
            super().__init__(*args, **options)

    monkeypatch.setattr(live_bindings, "Effects", Counting)
    functions = "".join(
        f"def @f{n}(%x: int32) -> int32 {{ let %u = @f{n + 1}(%x); add(%u, 1) }}" for n in range(20)
    )
    mod = parse(f"{HEADER}{functions}def @f20(%x: int32) -> int32 {{ %x }}")
    assert get_pass("DeadCodeElimination")(mod) is mod
    assert made == 1


def test_pass_is_registered_as_in_relay() -> None:
    info = get_pass("DeadCodeElimination").info
    assert (info.opt_level, info.required) == (1, ("InferType",))


@pytest.mark.deep
def test_long_chain_used_once_each_becomes_one_call() -> None:
    negative = get_op("negative")
    x = Var("x")
    names = [Var(f"v{n}") for n in range(DEPTH)]
    body: Expr = names[-1]
    for n in reversed(range(DEPTH)):
        body = Let(names[n], Call(negative, (names[n - 1] if n else x,)), body)
    assert isinstance(eliminate_dead_code(body, inline_once=True), Call)
