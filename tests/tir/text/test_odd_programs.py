"""Odd programs come back: names twice, shared nodes, views, what is ill-formed, odd attributes."""

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
    "same var twice": B(loop(i, st(i)), loop(i, st(i))),
    "used outside": B(loop(i, st(i)), st(i)),
    "used before": B(st(i), loop(i, st(i))),
    "free and bound": B(st(i2), loop(i, st(i), st(i2)), st(i2)),
    "min is itself": tir.For(i, i, i, B(st(i))),
    "nested same var": loop(i, loop(i, st(i))),
    "free typed": tir.Add(V("x", "float32"), V("x", "float32")),
    "shared stmt": (lambda s: B(s, s, s))(loop(i, st(i))),
    "shared let": (lambda s: B(s, s, st(s.symbol)))(tir.Let(V("n"), 3)),
    "let shadows": B(tir.Let(V("n"), 3), B(tir.Let(V("n"), 4)), loop(V("n"), st(0))),
    "let in arm": tir.IfThenElse(V("c", "bool"), tir.Let(i, 1), tir.Let(i2, 2)),
    "let typed": B(
        tir.Let(V("p", "float32<4>*")),
        tir.Let(V("q", tir.Type("CudaVectorType::float4", 4, 1, True)), tir.GetAddr(A[i])),
    ),
    "let flags": B(tir.Let(V("n", "int32", tir.const(0), tir.const(4), True, "t"), 1)),
    "call shared": (lambda c: tir.Add(c, c))(tir.Call("float32", "f", (A[i],))),
    "call not shared": tir.Add(
        tir.Call("float32", "f", (A[i],)), tir.Call("float32", "f", (A[i],))
    ),
    "call stmts": B(tir.Call("void", "g", ()), tir.Call("int32", "h", (A, buf), (A,))),
    "call that only writes": B(tir.Call("void", "g", (), (A,))),
    "tensors equal names": B(
        tir.Store(A, tir.Tensor("A", (8,), "float32", tir.Buffer("_A", (8,)))[0], (0,))
    ),
    "two equal tensors": B(tir.Store(A, tir.Tensor("A", (16,), buffer=buf)[0], (0,))),
    "tensor and var": loop(V("A"), tir.Store(A, 1.0, (V("A"),))),
    "views": B(tir.Store(tir.Tensor("V", (4, 4), buffer=buf), A[3], (i, i2))),
    "inline": tir.Tensor("I", (4,), operation=tir.ComputeOp((i,), (4,), (A[i] + 1.0,)))[2],
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
    "block only": B(),
    "nested empty": B(B(), B(B())),
    "reduce nested": tir.Reduce(
        tir.ReduceType.SUM,
        tir.const(0.0),
        tir.Reduce(tir.ReduceType.MAX, tir.const(0.0), tir.Load(A, (V("k"),)), (i,)),
        (i2,),
    ),
    "reduce outer": (lambda k, m: tir.Reduce(tir.ReduceType.SUB, A[k], A[k] + A[m], (k, m)))(
        V("k", "int32", tir.const(0), tir.const(4), True), V("l", "int32", tir.const(0), i, True)
    ),
    "alloc body": tir.LoweredFunc(
        "f",
        (),
        B(loop(i, tir.Alloc(tir.Buffer("_T", (4,)), (4,), i < 3, B(loop(i2, st(i2), st(i)))))),
    ),
    "pod": tir.PodValueToX(V("a", "cinn_pod_value_t*"), "cinn_buffer_t*"),
    "load of cast": tir.Load(tir.Cast("float32<4>*", tir.GetAddr(A[i])), (0,)),
    "load of not": tir.Load(tir.Not(i < 3), (0,)),
    "load of minus": tir.Load(tir.Minus(i), (0,)),
    "load lit": tir.Load(tir.const(3), ()),
    "load of load": tir.Load(A[i], (1, 2)),
    "store to buffer": tir.Store(buf, 1.0, (0,)),
    "store to call": tir.Store(tir.Call("float32*", "p", ()), 1.0, (0,)),
    "range of var": tir.BufferRange(
        V("x", "cinn_buffer_t*"),
        (
            V("r", "int64", tir.const(0, "int64"), None),
            V("q", "int64"),
            V("z", "int32", None, tir.const(4, "int64")),
        ),
    ),
    "range same var": (
        lambda v: tir.ScheduleBlockRealize(
            (i,),
            tir.ScheduleBlock(
                (v,), (tir.BufferRange(buf, (v,)),), (tir.BufferRange(buf, (v,)),), "x", st(v)
            ),
        )
    )(V("v", "int32", tir.const(0), tir.const(3))),
    "realize mismatch": tir.ScheduleBlockRealize((i,), tir.ScheduleBlock((), (), (), "x", st(0))),
    "realize mismatch2": tir.ScheduleBlockRealize((), tir.ScheduleBlock((i,), (), (), "x", st(i))),
    "attrs odd": tir.ScheduleBlockRealize(
        (),
        tir.ScheduleBlock(
            (),
            (),
            (),
            "x",
            B(),
            {
                "a b": 1,
                "f": 0.1,
                "g": 1.0,
                "nan": float("nan"),
                "inf": float("inf"),
                "s": "a,b",
                "q": 'x"y\n',
                "t": True,
                "num": "1",
                "e": "",
                "nest": {"a": (1, (2,))},
            },
        ),
    ),
    "attrs empty": tir.ScheduleBlockRealize((), tir.ScheduleBlock((), (), (), "x", B(), {})),
    "call attrs": tir.Call(
        "int32",
        "f",
        (),
        (),
        tir.CallType.CINN,
        tir.PlaceholderOp((3,), "int8", name="z"),
        3,
        {"a": None, "arr": np.arange(3, dtype="int8"), "s": np.float32(1.5)},
    ),
    "string": tir.StringImm('a"b\nc\\ // é'),
    "vec": tir.Store(A, tir.Broadcast(tir.const(1.0), 4), (tir.Ramp(i, 1, 4),)),
    "sum1": tir.Sum((i,)),
    "sum0": tir.Sum(()),
    "prod1": tir.Product((i,)),
    "prod0": tir.Product(()),
    "sum2": tir.Sum((i, i)),
    "prod2": tir.Product((i, i)),
    "sum3": tir.Sum((i, i2, i)),
    "frac": tir.FracOp(i, i2),
    "minus lit": tir.Minus(tir.const(1)),
    "minus of neg": tir.Minus(tir.const(-1)),
    "sub neg": tir.Sub(i, tir.const(-1)),
    "not not": tir.Not(tir.Not(V("b", "bool"))),
    "not load": tir.Not(
        tir.Load(tir.Tensor("M", (3,), "bool", tir.Buffer("_M", (3,), "bool")), (0,))
    ),
    "many flags": tir.For(
        i,
        0,
        4,
        B(),
        tir.ForType.PARALLEL | tir.ForType.VECTORIZED | tir.ForType.GPU_BLOCK,
        tir.DeviceAPI.CUDA,
        tir.VectorizeInfo(1, 4),
        tir.BindInfo(tir.ForType.GPU_BLOCK, 1, tir.DeviceAPI.GPU),
        tir.LLVMForLoopMeta(tir.UnrollMode.FULL, False),
    ),
    "for body not block": tir.For(i, 0, 4, st(i)),
    "for body let": tir.For(i, 0, 4, tir.Let(V("n"), 1)),
    "lane": tir.For(i, 0, 4, B(), tir.ForType.GPU_LANE),
    "default": tir.For(i, 0, 4, B(), tir.ForType.DEFAULT),
    "bad bind": tir.For(i, 0, 4, B(), tir.ForType.GPU_THREAD),
    "neg vec": tir.For(i, 0, 4, B(), tir.ForType.VECTORIZED),
    "poly": tir.PolyFor(i, 0, i < 4, i2, B(), tir.ForType.UNROLLED),
    "callop": tir.CallOp(tir.Call("float32", "f", (A[i],)), (A,)),
    "big int": tir.IntImm(-(2**63), "int64"),
    "scalar ops": B(tir.Let(V("s", "float32"))),
    "scalar": (lambda s: B(tir.Let(s), tir.Store(s, 1.0, ()), tir.Store(s, tir.Load(s, ()), (0,))))(
        V("s", "float32")
    ),
    "free scalar": tir.Store(V("s"), 3, ()),
    "buffers": tir.Block(
        tuple(
            tir.Alloc(tir.Buffer(f"_T{k}", (k,), "int8", (1,), i, 2, "s", tir.Target(), 8, m), (k,))
            for k, m in enumerate(tir.MemoryType)
        )
    ),
    "prim": tir.PrimitiveNode(
        "p", (tir.ArgumentGroup((A, i)), tir.ArgumentGroup(())), {"k": 1}, "float32"
    ),
    "args": tir.ArgsConstruct(V("a"), (i, buf, A)),
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
