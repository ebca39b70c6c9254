"""Odd programs come back: names twice, views, functions, modules, odd names, all literals."""

# ruff: noqa: PLC3002 - what stands in a program twice is named by a lambda

from __future__ import annotations

import functools

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.ir.equality.structural_equal import assert_structural_equal, structural_equal
from tests.support.each import each

V = tir.Var


def B(*stmts):
    return tir.Block(stmts)


buf = tir.Buffer("_A", (16,))
A = tir.Tensor("A", (16,), buffer=buf)


def st(*indices):
    return tir.Store(A, 1.0, indices)


i, i2, i3 = V("i"), V("i"), V("i", "int64")


def loop(var, *stmts):
    return tir.For(var, 0, 4, B(*stmts))


def inline_step(before, number):
    var = V("i")
    op = tir.ComputeOp((var,), (4,), (before[var] + 1.0,), name=f"o{number}")
    return tir.Tensor(f"t{number}", (4,), operation=op)


PROGRAMS = {
    "nested same name": loop(i, loop(i2, st(i), st(i2))),
    "sibling": B(loop(i, st(i)), loop(i2, st(i2)), loop(i3, st(tir.Cast("int32", i3)))),
    "free and bound": B(st(i2), loop(i, st(i), st(i2)), st(i2)),
    "free typed": tir.Add(V("x", "float32"), V("x", "float32")),
    "let shadows": B(tir.Let(V("n"), 3), B(tir.Let(V("n"), 4)), loop(V("n"), st(0))),
    "let in arm": tir.IfThenElse(V("c", "bool"), tir.Let(i, 1), tir.Let(i2, 2)),
    "tensors equal names": B(
        tir.Store(A, tir.Tensor("A", (8,), "float32", tir.Buffer("_A", (8,)))[0], (0,))
    ),
    "tensor and var": loop(V("A"), tir.Store(A, 1.0, (V("A"),))),
    "views": B(tir.Store(tir.Tensor("V", (4, 4), buffer=buf), A[3], (i, i2))),
    "op chain": functools.reduce(inline_step, range(30), A)[0],
    "symbolic": (lambda n: tir.LoweredFunc("f", (n, tir.Buffer("_A", (n, n * 2))), B(loop(i))))(
        V("n")
    ),
    "symbolic tensor": (
        lambda n, m: (
            lambda b: tir.LoweredFunc(
                "f",
                (b, n, m),
                B(
                    tir.For(
                        i, 0, n, B(tir.Store(tir.Tensor("A", (n, m + 1), buffer=b), 1.0, (i, i)))
                    )
                ),
            )
        )(tir.Buffer("_A", (n, m), strides=(m, 1), elem_offset=n * m))
    )(V("n"), V("m")),
    "two funcs share arg": (
        lambda f: tir.Module("m", functions=(f, f.with_fields(name="g"), f.with_fields(name="f")))
    )(tir.LoweredFunc("f", (buf,), B(st(0)))),
    "two funcs same names": tir.Module(
        "m",
        tir.Target(
            tir.TargetOS.LINUX, tir.TargetArch.X86, tir.TargetBits.K64, ("a", "b"), ("mkl",)
        ),
        (tir.Buffer("_G", (3,)),),
        tuple(
            tir.LoweredFunc(
                "f", (b, V("n", "int64")), B(tir.Store(tir.Tensor("A", (4,), buffer=b), 1.0, (0,)))
            )
            for b in (
                tir.Buffer("_A", (4,), "float32"),
                tir.Buffer("_A", (4,), "float32", scope="x"),
            )
        ),
        (tir.Module("s", functions=(tir.LoweredFunc("f", (), B(st(3))),)),),
    ),
    "free in func": tir.LoweredFunc(
        "f", (), B(st(V("k")), st(V("k")), tir.Store(A, V("x", "float32"), (V("_u"),)))
    ),
    "param underscore": tir.LoweredFunc("f", (V("_n"), tir.Buffer("B", (2,))), B()),
    "reduce nested": tir.Reduce(
        tir.ReduceType.SUM,
        tir.const(0.0),
        tir.Reduce(tir.ReduceType.MAX, tir.const(0.0), tir.Load(A, (V("k"),)), (i,)),
        (i2,),
    ),
    "alloc body": tir.LoweredFunc(
        "f",
        (),
        B(loop(i, tir.Alloc(tir.Buffer("_T", (4,)), (4,), i < 3, B(loop(i2, st(i2), st(i)))))),
    ),
    "sum3": tir.Sum((i, i2, i)),
    "frac": tir.FracOp(i, i2),
    "poly": tir.PolyFor(i, 0, i < 4, i2, B(), tir.ForType.UNROLLED),
    "func attrs": tir.LoweredFunc(
        "f",
        (buf,),
        B(),
        (tir.Buffer("_T", (4,)),),
        (tir.ArgumentIO.OUTPUT,),
        tir.DeviceAPI.GPU,
        tir.CudaAxisInfo((1, 2, 3), (4, 5, 6)),
        {"x": 1},
    ),
}


def check_round_trip(node):
    text = tir.astext(node)
    made = tir.parse(text)
    assert_structural_equal(node, made, map_free_vars=True)
    assert tir.astext(made) == text


@each("name", PROGRAMS)
def test_odd_program_comes_back(name):
    check_round_trip(PROGRAMS[name])


ODD_NAMES = [
    "if", "for", "a b", '"q"', "new\nline", "", "x.y", "a::b", "1x", "é", "%0", "true", "inf", "_B",
    "nan", "and", "Tensor", "axis", "int32", "function", "tensor", "#[details]", "select",
    "cinn_min", "\\", "serial", "// c", "/* x",
]  # fmt: skip


@each("name", ODD_NAMES)
def test_odd_name_comes_back_wherever_names_stand(name):
    x, element = tir.Var(name), tir.Type(name or "z", 4, 1, is_const=True)
    tensor = tir.Tensor(name, (4,), buffer=tir.Buffer(name, (4,)))
    ranges = (tir.BufferRange(tir.Buffer(name), (tir.Var(name, "int32", x, x),)),)
    block = tir.ScheduleBlock((tir.Var(name),), ranges, (), name, B(), {name: name})
    for node in (
        x, x + 1, tir.Load(x, ()), tir.Store(x, 1, ()), tir.Call("float32", name, (x,)),
        tir.For(x, 0, 4, B(tir.Store(tensor, 1.0, (x,)))), tir.ScheduleBlockRealize((x,), block),
        tir.LoweredFunc(name, (x, tir.Buffer(name, (3,))), B(tir.Let(tir.Var(name), 1))),
        tir.StringImm(name), tir.Module(name, functions=(tir.LoweredFunc(name, (), B()),)),
        tir.PrimitiveNode(name, (tir.ArgumentGroup((x,)),)), tir.BuiltinIntrin(name, (x,), "int8"),
        tir.Cast(tir.Type(name or "z"), x), tir.Let(tir.Var(name, element), x),
        tir.PodValueToX(x, element),
    ):  # fmt: skip
        check_round_trip(node)


FLOATS = [
    0.0, -0.0, 1.0, 0.1, 1e8, 1e10, 1e-5, 5e-324, 1e308, 65504.0, 65536.0, float("inf"),
    float("-inf"), float("nan"), -float("nan"), *np.array([0x7FF8000000000001, 0xFFF0000000000001],
                                                          np.uint64).view(np.float64).tolist(),
]  # fmt: skip


@each("dtype", ["float32", "float64", "float16", "bfloat16", "float32<4>", "int32"])
def test_float_comes_back_with_all_its_bits(dtype):
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 2**64, 50, dtype=np.uint64).view(np.float64).tolist()
    for value in [*FLOATS, *drawn]:
        literal = tir.FloatImm(value, dtype)
        check_round_trip(literal)
        check_round_trip(tir.Add(tir.Var("x", dtype), literal))
        check_round_trip(tir.Add(tir.Var("x", "float64"), literal))


@each("dtype", ["int8", "int32", "int64", "uint8", "uint32", "uint64", "bool", "float32", "void*"])
def test_integer_comes_back_whatever_stands_beside_it(dtype):
    limits = [0, 1, -1, 127, 128, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**64 - 1, -(2**63), 2**70]
    for value in limits:
        for kind in (tir.IntImm, tir.UIntImm):
            literal = kind(value, dtype)
            check_round_trip(literal)
            check_round_trip(tir.Add(literal, literal))
            for other in (dtype, "uint32"):
                check_round_trip(tir.Add(tir.Var("x", other), literal))
                check_round_trip(tir.Select(tir.Var("c", "bool"), literal, tir.Var("x", other)))


def test_variables_of_one_name_stay_apart_where_both_are_known():
    outer, inner = tir.Var("i"), tir.Var("i")
    text = str(loop(outer, loop(inner, st(outer), st(inner))))
    assert "serial for (i, 0, 4)" in text
    assert "serial for (i_0, 0, 4)" in text


def test_loops_beside_one_another_keep_one_name():
    text = tir.astext(B(loop(tir.Var("i")), loop(tir.Var("i"))))
    assert text.count("serial for (i, 0, 4)") == 2
    assert "details" not in text


def test_call_that_is_used_twice_stays_one():
    call = tir.Call("float32", "f", (A[0],))
    made = tir.parse(tir.astext(tir.Add(call, call)))
    assert made.a is made.b
    assert structural_equal(made, tir.Add(call, call), map_free_vars=True)


def test_text_of_shared_expressions_is_as_large_as_they_are():
    expr = tir.Var("x")
    for _ in range(100):
        expr = tir.Add(expr, expr)
    text = tir.astext(expr)
    assert len(text) < 3000
    made = tir.parse(text)
    assert structural_equal(made, expr, map_free_vars=True)


def test_small_shared_expressions_are_written_where_they_are_used():
    index = tir.Var("i") + 1
    assert tir.astext(tir.Add(index, index)) == "((i + 1) + (i + 1))"


@pytest.mark.parametrize("form", ["tir", "node"])
def test_module_of_both_languages_comes_back(form):
    func = tir.LoweredFunc("f", (buf,), B(loop(tir.Var("i"), st(0))))
    main = relay.parse_expr("fn (%x: Tensor[(2), float32]) { add(%x, %x) }")
    mod = relay.IRModule({"f": func, "main": main})
    text = relay.astext(mod)
    assert "def @f = tir\nfunction f (_A)\n{\n  serial for (i, 0, 4)" in text
    if form == "tir":
        made = relay.parse(text)
        assert_structural_equal(mod, made)
        assert relay.astext(made) == text
    else:
        old = relay.parse('#[version = "0.0.5"]\n%0 = node tir.int_imm(value=1);\ndef @f = %0;')
        assert "tir.int_imm" in relay.astext(old)


def test_error_in_a_function_of_a_module_tells_the_line_of_the_file():
    text = '#[version = "0.0.5"]\n\ndef @f = tir\nfunction f ()\n{\n  A[0] = !\n}\n#[end];\n'
    with pytest.raises(relay.ParseError, match=r"^m.relay:7:1: expected an operand; found '}'"):
        relay.parse(text, "m.relay")
