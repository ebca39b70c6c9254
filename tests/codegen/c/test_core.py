"""Core in C: faults, values, addresses, names, and what is outside are those of the interpreter."""

from __future__ import annotations

import functools
import gc
import subprocess
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish import core
from relayish.codegen.c import core_to_c, find_toolchain
from relayish.codegen.c.core.native import build
from relayish.core import GlobalScope, as_type
from relayish.errors import CodegenError, EndlessRecursionError, RelayishError, VerificationError
from tests.support.compiled_core import same
from tests.support.each import each

POINT = as_type("struct point")
ODD = as_type("struct piece")  # as a structure of the source is called


def _fill(scope: GlobalScope) -> None:  # noqa: PLR0915 - a function for each fault
    """Define functions that take a number, most of which end in a fault for some numbers."""
    scope.struct("point", {"x": "int32", "y": "int64", "tag": "uint8"})
    scope.struct("piece", {"double": "bool", "a.b": "float64", "a_b": "float16[3]", "p": POINT})
    fixed = scope.constant("fixed", [1, 2, 3])
    table = scope.variable("table", "int32[2, 3]")
    kept = scope.variable("kept", "int32*")
    missing = scope.declare("missing", ["int32"], "int32")
    doubled = scope.declare("doubled", ["int32"], "int32")
    root = scope.declare("sqrt", ["float64"], "float64")
    number = {"n": "int32"}
    at = core.as_expr

    with scope.function("null", number, "int32") as f:
        p = f.local("p", "int32*")
        f.store(p, core.Zero(p.type))
        f.retv(core.load(core.element(p, f.n)))
    with scope.function("stray", number, "int32") as f:
        f.retv(core.Ild(core.Intconst(1 << 60, as_type("int32*"))))
    with scope.function("beyond", number, "int32") as f:
        f.retv(core.load(core.element(table, 0, f.n)))
    with scope.function("written", number, "int32") as f:
        f.store(core.element(table, f.n, f.n), core.const(12) / (f.n - 5))
        f.retv(core.load(core.element(table, 1, 1)))
    with scope.function("constant", number, "int32") as f:
        f.store(core.Array(core.Lda(fixed), (f.n & 1,)), 1)
        f.retv(f.n)
    with scope.function("leave", number) as f:
        f.store(kept, core.Lda(f.n))
        f.ret()
    leave = f.self
    with scope.function("dangling", number, "int32") as f:
        f.call(leave, f.n)
        f.retv(core.load(at(kept)))
    with scope.function("code", number, "int32") as f:
        p = f.local("p", "void*")
        f.store(p, core.Ldo(f.local("q", core.Lda(leave).type), 0, as_type("void*")))
        f.retv(core.Ild(at(p), as_type("int32")))
    with scope.function("as_data", number, "int32") as f:
        q = f.local("q", core.Lda(leave).type)
        f.store(q, core.Lda(leave))
        f.retv(core.Ild(core.Ldo(q, 0, as_type("int32*"))))
    with scope.function("call_null", number, "int32") as f:
        f.call(core.Zero(core.Lda(leave).type), f.n)
        f.retv(f.n)
    with scope.function("other_type", number, "int32") as f:
        q, held = f.local("q", core.Lda(leave).type), as_type("((int32) -> int32)*")
        f.store(q, core.Lda(leave))
        f.retv(f.call(core.Ldo(q, 0, held), f.n))
    with scope.function("unset", number, "int32") as f:
        x = f.local("x")
        with f.if_(f.n < 3):
            f.store(x, 7)
        f.retv(x)
    with scope.function("unset_part", number, "int32") as f:
        a, b = f.local("a", POINT), f.local("b", POINT)
        f.store_field(a, "x", f.n)
        f.store(b, at(a))
        with f.if_(f.n < 3):
            f.retv(f.field(b, "x"))
        f.retv(core.Ldo(b, 4, as_type("int32")))
    with scope.function("divide", number, "int32") as f:
        f.retv(core.const(-(2**31)) / f.n + core.const(-(2**31)) % f.n)
    with scope.function("shift", number, "uint8") as f:
        f.retv(core.Ashr(core.const(200, "uint8"), at(f.n)))
    with scope.function("compare", number, "int32") as f:
        a = f.local("a", "float32[4]")
        f.store(a, core.Zero(a.type))
        f.store(core.element(a, 2), core.const(0.5))
        first = core.element(a, 0)
        f.add(
            core.Validate(
                first, core.Ldca(core.Constant(np.zeros(4, "float32"))), at(f.n), core.const(0.25)
            )
        )
        f.retv(f.n)
    with scope.function("undefined", number, "int32") as f:
        f.retv(f.call(missing, f.n))
    with scope.function("outside", number, "int32") as f:
        f.retv(f.call(doubled, f.n))
    with scope.function("of_library", number, "float64") as f:
        f.retv(f.call(root, core.const(2.0, "float64")))
    with scope.function("foreign", number, "float32") as f:
        held = as_type("(float32) -> float32")
        f.retv(f.call(core.Global("relay_twice", held), core.const(1.5)))
    with scope.function("large", number, "int64") as f:
        big = f.local("big", "int64[5000]")
        odd = f.local("odd", ODD)
        f.store(odd, core.Zero(ODD))
        f.store(core.element(big, f.n), core.const(5, "int64"))
        f.retv(core.load(core.element(big, 4999)))
    with scope.function("deep", number, "int32") as f:
        with f.if_(core.equal(f.n, 0)):
            f.retv(0)
        f.retv(at(f.call(f.self, f.n - 1)) + 1)
    _loops(scope)
    with scope.function("swap", {"p": POINT, "o": ODD}, ODD) as f:
        f.store_field(f.o, "p", at(f.p))
        f.store_field(f.o, "double", core.equal(f.field(f.p, "x"), 3))
        f.retv(f.o)
    with scope.function("struct", {"self": "int32", "result": "int32"}, "int32") as f:  # odd names
        f.retv(f.formal("self") * 10 + f.formal("result"))
    with scope.function("größe", {"int": "int32"}, "uint64") as f:
        inside = f.local("inside", "int32[3]")
        p = f.local("p", "int32*")
        f.store(p, core.element(core.Lda(inside), 2))
        f.retv(core.Ldo(p, 0, as_type("uint64")))
    with scope.function("show", number) as f:
        a = f.local("a", ODD)
        f.store(a, core.Zero(ODD))
        f.add(core.TmStart("begin"))
        f.add(core.DumpVar(core.Ldca(core.Constant('odd "é"')), core.Lda(a), core.const(1)))
        f.add(core.DumpVar(core.Ldca(core.Constant("t")), core.Lda(table), core.const(1)))
        f.add(core.TmTaken("end"))
        f.add(core.DumpVar(core.Ldca(core.Constant("n")), core.Lda(f.n), at(f.n)))
        f.ret()


def _loops(scope: GlobalScope) -> None:
    """Define loops whose variables wrap around, and are changed within, by whoever can."""
    number, at = {"n": "int32"}, core.as_expr
    shared = scope.variable("shared", "int32")
    with scope.function("advance", number) as f:
        f.store(shared, shared + f.n)
        f.ret()
    advance = f.self

    def loop(name: str, held: str, first: int, holds: Any, inside: Any, iv: Any = None) -> None:
        with scope.function(name, number, "int32") as f:
            rounds, i = f.local("rounds"), f.local("i", held) if iv is None else iv
            f.store(rounds, 0)
            with f.do_loop(i, core.const(first, held), holds(f, i), i + core.const(1, held)):
                f.store(rounds, rounds + 1)
                inside(f, i)
                with f.if_(at(rounds) > 600):
                    f.retv(-1)
            f.retv(rounds)

    loop("wraps_8", "uint8", 250, lambda f, i: core.not_equal(i, 3), lambda f, i: None)
    loop("wraps_32", "int32", 2**31 - 3, lambda f, i: i > f.n, lambda f, i: None)
    loop("within", "int32", 0, lambda f, i: i < f.n, lambda f, i: f.store(i, i + 2))
    loop("back", "int32", 0, lambda f, i: i < 9, lambda f, i: f.store(i, i - f.n))
    loop("called", "int32", 0, lambda f, i: i < 9, lambda f, i: f.call(advance, f.n), shared)
    loop("divided", "int32", 0, lambda f, i: core.const(10) / (f.n - i) > 0, lambda f, i: None)

    def through(f: Any, i: Any) -> None:
        p = f.local("p", "int32*")
        f.store(p, core.Lda(i))
        f.store(at(p), i + f.n)

    loop("pointed", "int32", 0, lambda f, i: i < 1000, through)


def _module() -> relay.IRModule:
    scope = GlobalScope()
    _fill(scope)
    mod = scope.module()
    twice = relay.parse(
        "def @relay_twice(%x: float32) -> float32 { %x + %x }".replace(
            "def", '#[version = "0.0.5"]\ndef', 1
        )
    )
    return mod.with_function("relay_twice", relay.transform.InferType()(twice)["relay_twice"])


def _doubled(n: Any) -> int:
    if n > 1000:
        raise KeyError("too many")
    return int(n) * 2


def quickly_built(mod: relay.IRModule, **options: Any) -> Any:
    """The module compiled as ``core.build`` does, but for what takes the compiler long."""
    return build(mod, toolchain=find_toolchain(("-std=c11", "-O0")), **options)


@functools.cache
def built() -> tuple[Any, Any, list[str], list[str]]:
    """The same module compiled and interpreted, with the lines that each shows."""
    mod, lines = _module(), ([], [])
    options = {"externs": {"doubled": _doubled}, "clock": lambda: 2.5}
    compiled = quickly_built(mod, output=lines[0].append, **options)
    return compiled, core.Interpreter(mod, output=lines[1].append, **options), *lines


def outcome(running: Any, name: str, *args: Any) -> Any:
    try:
        return running.call(name, *args)
    except (RelayishError, KeyError) as error:
        return type(error).__name__


FAULTS = {
    "null": "OutOfBoundsError",
    "stray": "EvaluationError",
    "beyond": "OutOfBoundsError",
    "written": "DivisionByZeroError",
    "constant": "EvaluationError",
    "dangling": "LifetimeError",
    "code": "UninitialisedReadError",
    "as_data": "EvaluationError",
    "call_null": "EvaluationError",
    "other_type": "TypeConfusionError",
    "unset": "UninitialisedReadError",
    "unset_part": "UninitialisedReadError",
    "divide": "DivisionByZeroError",
    "shift": "EvaluationError",
    "compare": "CheckError",
    "undefined": "UnsupportedError",
    "outside": "KeyError",
    "large": "OutOfBoundsError",
}
NUMBERS = (0, 1, 2, 3, 5, 6, 8, -1, 4999, 5000, -(2**31), 2**31 - 1)


@each("name", FAULTS)
def test_a_fault_is_the_error_of_the_interpreter(name):
    compiled, interpreted, *_ = built()
    found = [outcome(compiled, name, n) for n in NUMBERS]
    assert same(found, [outcome(interpreted, name, n) for n in NUMBERS])
    assert FAULTS[name] in found


LOOPS = ("wraps_8", "wraps_32", "within", "back", "called", "divided", "pointed")


@each("name", LOOPS)
def test_a_loop_runs_as_often_as_in_the_interpreter(name):
    compiled, interpreted, *_ = built()
    found = [outcome(compiled, name, n) for n in NUMBERS]
    assert same(found, [outcome(interpreted, name, n) for n in NUMBERS])
    assert len({str(each) for each in found}) > (name != "wraps_8")


def test_values_go_in_and_come_out_as_those_of_the_interpreter():
    compiled, interpreted, *_ = built()
    point = core.interpreter.Aggregate.of(np.array([3, 0, 7, 0, 9, 0], "int32").tobytes())
    odd = core.interpreter.Aggregate.of(bytes(range(48)))
    assert compiled.call("swap", point, odd)["p"] == {"x": 3, "y": 7, "tag": 9}
    assert same(compiled.call("swap", point, odd), interpreted.call("swap", point, odd))
    assert compiled["struct"](4, 2) == 42
    for name in ("größe", "of_library", "foreign"):
        assert (
            same(outcome(compiled, name, 1), outcome(interpreted, name, 1)) or name == "of_library"
        )
    assert compiled.call("of_library", 1) == np.sqrt(2.0)
    assert same(compiled.read("table"), interpreted.read("table"))


def test_calls_nest_deep_and_endless_ones_end_in_an_error():
    compiled, *_ = built()
    assert compiled.call("deep", 100_000) == 100_000
    with pytest.raises(EndlessRecursionError, match="function deep is called within too many"):
        compiled.call("deep", -1)
    assert compiled.call("deep", 10) == 10


def test_dumps_and_times_show_what_the_interpreter_shows():
    compiled, interpreted, found, expected = built()
    for lines in (found, expected):
        lines.clear()
    for running in (compiled, interpreted):
        running.call("show", 1)
    assert found == expected
    assert len(found) == 4


def test_statements_for_people_are_left_out_as_asked():
    scope = GlobalScope()
    with scope.function("main", {"n": "int32"}, "int32") as f:
        f.add(core.TmTaken("t"))
        f.add(core.DumpVar(core.Ldca(core.Constant("n")), core.Lda(f.n), core.const(1)))
        zero = core.Ldca(core.Constant(np.zeros(1, "int32")))
        f.add(core.Validate(core.Lda(f.n), zero, core.const(1), core.const(0.0)))
        f.retv(f.n)
    lines: list[str] = []
    quiet = quickly_built(
        scope.module(), output=lines.append, rt_dump=False, rt_timing=False, rt_validate=False
    )
    assert quiet(3) == 3
    assert lines == []
    asked = relay.transform.get_pass("FoldConstant{rt_dump=true}").info.common.run_tools()
    assert quickly_built(scope.module(), output=lines.append, **asked)(3) == 3
    assert [line for line in lines if "3" in line] == lines != []


@functools.cache
def _keeping() -> tuple[relay.IRModule, relay.IRModule]:
    """A module that cannot keep addresses, and one that does."""
    plain, keeping = GlobalScope(), GlobalScope()
    kept = keeping.variable("kept", "int32*")
    for scope in (plain, keeping):
        with scope.function("add", {"p": "int32*", "n": "int32"}) as f:
            i = f.local("i")
            with f.do_loop(i, 0, i < f.n):
                f.store(core.element(f.p, i), core.load(core.element(f.p, i)) + 1)
            if scope is keeping:
                f.store(kept, f.p)
            f.ret()
    with keeping.function("again", {}, "int32") as f:
        f.retv(core.load(core.as_expr(kept)))
    return plain.module(), keeping.module()


@pytest.mark.slow("goes through all objects that Python has, again and again")
@each("make", (quickly_built, core.Interpreter))
def test_arrays_are_kept_where_a_later_call_may_access_them_and_only_there(make):
    plain, keeping = map(make, _keeping())
    lent, held = np.arange(4, dtype="int32"), np.arange(4, dtype="int32")
    seen, still = weakref.ref(lent), weakref.ref(held)
    plain.call("add", lent, 4)
    keeping.call("add", held, 4)
    assert lent.tolist() == held.tolist() == [1, 2, 3, 4]
    del lent, held
    gc.collect()
    assert seen() is None
    assert still() is not None
    assert keeping.call("again") == 1


def test_threads_take_turns():
    compiled, *_ = built()
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(compiled.call("deep", n)))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))


def test_a_source_stands_alone(tmp_path):
    scope = GlobalScope()
    scope.struct("point", {"x": "int32", "y": "float64"})
    seen = scope.variable("seen", "struct point[2]")
    outer = scope.declare("add_up", ["int32*", "int32", POINT], "int32")
    with scope.function("main", {"n": "int32"}, "int32") as f:
        a = f.local("a", "int32[4]")
        i = f.local("i")
        with f.do_loop(i, 0, i < 4):
            f.store(core.element(a, i), i * f.n)
        point = f.local("point", POINT)
        f.store(point, core.Zero(POINT))
        f.store_field(point, "x", core.const(100))
        f.store(core.element(seen, 1), core.as_expr(point))
        f.add(core.DumpVar(core.Ldca(core.Constant("seen")), core.element(seen, 0), core.const(2)))
        f.add(core.DumpVar(core.Ldca(core.Constant("a")), core.Lda(a), core.const(1)))
        f.retv(f.call(outer, core.element(a, 1), core.const(3), core.as_expr(point)))
    source = core_to_c(scope.module())
    main = """
int32_t add_up(int32_t *data, int32_t n, struct point p)
{
  for (int32_t i = 0; i < n; ++i) p.x += data[i];
  return p.x;
}
int main(void)
{
  static struct program program;
  int32_t result = 0;
  if (open_program(&program)) return 1;
  const int32_t status = main_(&program, 5, &result);
  printf("%d %d\\n", status, result);
  close_program(&program);
  return 0;
}
"""
    place = tmp_path / "alone.c"
    place.write_text(source.text + main)
    command = [*find_toolchain().command, "-std=c11", "-Wall", "-Wextra", "-Werror", str(place)]
    subprocess.run([*command, "-o", str(tmp_path / "alone"), "-lm"], check=True)
    shown = subprocess.run([str(tmp_path / "alone")], check=True, capture_output=True, text=True)
    assert shown.stdout.splitlines() == [
        "seen: {'x': 0, 'y': 0} {'x': 100, 'y': 0}",
        "a: [0 5 10 15]",
        "0 130",
    ]


def test_what_c_cannot_say_is_refused_by_name():
    with pytest.raises(CodegenError, match="defines nothing of core"):
        core.build(relay.IRModule({}))
    scope = GlobalScope()
    with scope.function("main", {"n": "int4"}) as f:
        f.ret()
    with pytest.raises(CodegenError, match="int4"):
        core.build(scope.module())
    scope = GlobalScope()
    with scope.function("main", {"n": "int32"}, "int32") as f:
        f.ret()
    with pytest.raises(VerificationError):
        core.build(scope.module())
    with pytest.raises(CodegenError, match="'relay_twice' of another language"):
        core_to_c(_module())
