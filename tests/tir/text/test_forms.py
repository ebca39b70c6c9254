"""The forms are CINN's, to the letter, but for the defects of its printer."""

from __future__ import annotations

import re

import pytest

from relayish import tir
from tests.support.each import each

i, j, k = tir.Var("i"), tir.Var("j"), tir.Var("k")
x, flag = tir.Var("x", "float32"), tir.Var("flag", "bool")
A = tir.Tensor("A", (16, 8), buffer=tir.Buffer("_A", (16, 8)))
B = tir.Tensor("B", (16,), buffer=tir.Buffer("_B", (16,)))
C = tir.Buffer("_C", (100, 20))
STORE = tir.Store(B, 1.0, (i,))
BODY = tir.Block((STORE,))
BLOCK = tir.ScheduleBlock((k,), (), (), "B", tir.Store(B, 1.0, (k,)))

EXPRESSIONS: dict[str, tir.IrNode] = {
    "7": tir.const(7),
    "-1": tir.const(-1),
    "1ll": tir.const(1, "int64"),
    "5ull": tir.const(5, "uint64"),
    "5": tir.const(5, "uint32"),
    "(int8_t)-3": tir.const(-3, "int8"),
    "(uint16_t)3": tir.const(3, "uint16"),
    "true": tir.const(True),
    "false": tir.const(False),
    "1.00000000f": tir.FloatImm(1.0),
    "0.100000001f": tir.const(0.1),
    "-3.40282347e+38f": tir.const(-3.4028234663852886e38),
    "1.00000000e+10f": tir.FloatImm(1e10),
    "100000000.f": tir.FloatImm(1e8),
    "1.00000000e-05f": tir.FloatImm(1e-5),
    "0.10000000000000001": tir.FloatImm(0.1, "float64"),
    "inf": tir.FloatImm(float("inf")),
    "-inf": tir.FloatImm(float("-inf"), "float64"),
    "nan": tir.FloatImm(float("nan")),
    "-0.00000000f": tir.FloatImm(-0.0),
    "(float16)0.099976f": tir.FloatImm(0.1, "float16"),
    "(float16)65504.f": tir.FloatImm(65504.0, "float16"),
    "(bfloat16)0.100097656f": tir.FloatImm(0.1, "bfloat16"),
    "cinn::common::raw_uint16_to_float16(0x7c00)": tir.FloatImm(float("inf"), "float16"),
    "cinn::common::raw_uint16_to_bfloat16(0x7f80)": tir.FloatImm(float("inf"), "bfloat16"),
    '"abc"': tir.StringImm("abc"),
    "(i + j)": i + j,
    "(i - j)": i - j,
    "(i * j)": i * j,
    "(i / j)": i / j,
    "(i % j)": i % j,
    "(i == j)": tir.EQ(i, j),
    "(i != j)": tir.NE(i, j),
    "(i < j)": i < j,
    "(i <= j)": i <= j,
    "(i > j)": i > j,
    "(i >= j)": i >= j,
    "(flag and (i < j))": tir.And(flag, i < j),
    "(flag or (i < j))": tir.Or(flag, i < j),
    "cinn_min(i, j)": tir.Min(i, j),
    "cinn_max(A[i, j], 0.00000000f)": tir.Max(A[i, j], tir.const(0.0)),
    "-((i + j))": tir.Minus(i + j),
    "!flag": tir.Not(flag),
    "!(i < j)": tir.Not(i < j),
    "(x / x)": tir.FracOp(x, x),
    "(i + j + k)": tir.Sum((i, j, k)),
    "(-1 * i * j)": tir.Product((tir.const(-1), i, j)),
    "(i)": tir.Sum((i,)),
    "()": tir.Sum(()),
    "int32(x)": tir.Cast("int32", x),
    "float32<16>(x)": tir.Cast("float32<16>", x),
    "select((i < 4), A[i, j], 0.00000000f)": tir.Select(i < 4, A[i, j], tir.const(0.0)),
    "Ramp((10 * i),1,16)": tir.Ramp(tir.const(10) * i, tir.const(1), 16),
    "Broadcast(10.0000000f,16)": tir.Broadcast(tir.const(10.0), 16),
    "Reduce(sum, A[i, k],0.00000000f)": tir.Reduce(
        tir.ReduceType.SUM, tir.const(0.0), A[i, k], (k,)
    ),
    "Reduce(Max, A[i, k],x)": tir.Reduce(tir.ReduceType.MAX, x, A[i, k], (k,)),
    "Reduce(&&, flag,true)": tir.Reduce(tir.ReduceType.ALL, tir.const(True), flag),
    "x[0]": tir.Load(x, (0,)),
    "x[]": tir.Load(x, ()),
    "A[i, (-1 + k)]": A[i, tir.const(-1) + k],
    "_Buffer_<cinn_buffer_t*: 100,20>(_C)": C,
    "_Buffer_<cinn_buffer_t*: >(_D)": tir.Buffer("_D"),
    "_C[i(0:32), j(undefined:undefined)]": tir.BufferRange(
        C, (tir.Var("i", "int32", tir.const(0), tir.const(32)), tir.Var("j"))
    ),
    "_C[]": tir.BufferRange(C, ()),
    "Tensor(A, [16,8])": A,
    "exp(A[i, j], Tensor(B, [16]))": tir.Call("float32", "exp", (A[i, j],), (B,)),
    "f()": tir.Call("void", "f"),
    "conv(i,j,x)": tir.PrimitiveNode("conv", (tir.ArgumentGroup((i, j)), tir.ArgumentGroup((x,)))),
    "cinn_buffer_get_data_handle(_Buffer_<cinn_buffer_t*: 100,20>(_C))": tir.BufferGetDataHandle(C),
    "cinn_buffer_get_data_const_handle(i)": tir.BufferGetDataConstHandle(i),
    "pod_value_to_cinn_buffer_t*(x)": tir.PodValueToX(x, "cinn_buffer_t*"),
    "cinn_buffer_t::new_()": tir.BufferCreate(C),
    "get_addr(A[i, j])": tir.GetAddr(A[i, j]),
    "cinn_args_construct(i, j)": tir.ArgsConstruct(k, (i, j)),
    "cinn_builtin_intrin_exp(x)": tir.BuiltinIntrin("exp", (x,), "float32"),
    "float32<4>*(get_addr(A[i, j]))[0]": tir.Load(
        tir.Cast("float32<4>*", tir.GetAddr(A[i, j])), (0,)
    ),
    "alloc(_C, 100, 20)": tir.Alloc(C, (100, 20)),
    "alloc(_C, )": tir.Alloc(C),
    "free(_C)": tir.Free(C),
    "int32 n = 1": tir.Let(tir.Var("n"), 1),
    "float32 x": tir.Let(tir.Var("x", "float32")),
    "B[i] = 1.00000000f": STORE,
    "{\n\n}": tir.Block(),
    "{\n  B[i] = 1.00000000f\n}": BODY,
    "Module m {\n\nfunction f ()\n{\n\n}\n\n\n}": tir.Module(
        "m", functions=(tir.LoweredFunc("f", (), tir.Block()),)
    ),
    "function f (_C, n)\n{\n\n}": tir.LoweredFunc("f", (C, tir.Var("n")), tir.Block()),
    "if ((i < 4)) {\n  B[i] = 1.00000000f\n}": tir.IfThenElse(i < 4, STORE),
    "if (flag) {\n  {\n    B[i] = 1.00000000f\n  }\n} else {\n  {\n\n  }\n}": tir.IfThenElse(
        flag, BODY, tir.Block()
    ),
    "poly_for (j, 0, (j <= 99), 1)\n{\n\n}": tir.PolyFor(j, 0, j <= 99, 1, tir.Block()),
    "ScheduleBlock(B)\n{\n  k = axis.bind((i + 1))\n  B[k] = 1.00000000f\n}": (
        tir.ScheduleBlockRealize((i + 1,), BLOCK)
    ),
    "bare ScheduleBlock(B)\n{\n  k = axis.bind()\n  B[k] = 1.00000000f\n}": BLOCK,
}  # fmt: skip


@each("text", EXPRESSIONS)
def test_node_is_written_in_its_form(text: str) -> None:
    assert str(EXPRESSIONS[text]) == text


def loop(for_type: tir.ForType, **fields: object) -> str:
    """Return the first line of a loop of such flags."""
    made = tir.For(i, 0, 4, tir.Block(), for_type, **fields)  # type: ignore[arg-type]  # drawn
    return str(made).partition("\n")[0]


def test_head_of_a_loop_tells_its_first_flag() -> None:
    kinds = tir.ForType
    lanes, axis = tir.VectorizeInfo(0, 16), tir.BindInfo(kinds.GPU_THREAD, 2)
    assert loop(kinds.SERIAL) == "serial for (i, 0, 4)"
    assert loop(kinds.PARALLEL | kinds.UNROLLED) == "parallel for (i, 0, 4)"
    assert loop(kinds.UNROLLED) == "unroll for (i, 0, 4)"
    assert loop(kinds.VECTORIZED, vectorize_info=lanes) == "vectorize[16] for (i, 0, 4)"
    assert loop(kinds.GPU_THREAD, bind_info=axis) == "thread_bind[threadIdx.z] for (i, 0, 4)"
    assert loop(kinds.GPU_BLOCK) == "thread_bind[invalid info] for (i, 0, 4)"
    assert loop(kinds.DEFAULT) == "default for (i, 0, 4)"
    assert loop(kinds.GPU_LANE) == "for (i, 0, 4)"


OVERVIEW = """\
  serial for (i_fused, 0, 16)
  {
    ScheduleBlock(var_36)
    {
      // i0_14 is the index of loads and stores
      i0_14 = axis.bind(i_fused)
      var_36[i0_14] = (var_5[i0_14] * factor_1[i0_14])
    }
  }
"""

FUNCTION = """\
function matmul (_A, _B, _C)
{
  ScheduleBlock(root)
  {
    {
      serial for (i_1, 0, 2)
      {
        thread_bind[threadIdx.x] for (i_2, 0, 16)
        {
          vectorize[16] for (j, 0, 32)
          {
            ScheduleBlock(C__reduce_init)
            {
              i0, i1 = axis.bind(((16 * i_1) + i_2), j)
              write_buffers(_C[i0(0:32), i1(0:32)])
              C__reduce_init[i0, i1] = 0.00000000f
            }
            serial for (reduce_axis_k, 0, 32)
            {
              ScheduleBlock(C)
              {
                i0_0, i1_0, i2 = axis.bind(((16 * i_1) + i_2), j, reduce_axis_k)
                read_buffers(_C[i0_0(0:32), i1_0(0:32)], _A[i0_0(0:32), i2(0:32)])
                write_buffers(_C[i0_0(0:32), i1_0(0:32)])
                attrs(compute_at_extra_var:ax0_0,ax1_0, cooperative_process:0)
                C[i0_0, i1_0] = (C[i0_0, i1_0] + (A[i0_0, i2] * B[i2, i1_0]))
              }
            }
          }
        }
      }
    }
  }
}"""


def test_program_of_the_overview_is_read_past_its_comment_and_written_as_there() -> None:
    plain = "\n".join(line.removeprefix("  ") for line in OVERVIEW.splitlines() if "//" not in line)
    assert tir.astext(tir.parse(OVERVIEW), details=False) == plain


def test_section_of_a_simple_program_is_short() -> None:
    section = tir.astext(tir.parse(OVERVIEW)).partition("#[details]\n")[2]
    assert section == (
        "tensor var_36: float32[16]\ntensor var_5: float32[16]\ntensor factor_1: float32[16]"
    )


def test_function_of_cinn_is_written_as_it_was_read() -> None:
    assert tir.astext(tir.parse(FUNCTION), details=False) == FUNCTION


def test_shapes_and_buffers_are_inferred_from_the_loops() -> None:
    func = tir.parse(FUNCTION)
    shapes = {str(t): t.buffer.name for t in tensors(func)}
    assert shapes == {
        "Tensor(C__reduce_init, [32,32])": "_C__reduce_init",
        "Tensor(A, [32,32])": "_A",
        "Tensor(B, [32,32])": "_B",
        "Tensor(C, [32,32])": "_C",
    }


def tensors(root: tir.IrNode) -> list[tir.Tensor]:
    return [node for node in tir.IRVisitor.traversal.post_order(root) if type(node) is tir.Tensor]


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("A[0] = 1.0", "float64"),
        ("A[0] = 1", "int32"),
        ("A[0] = 7ll", "int64"),
        ("A[0] = (A[0] + 1)", "int32"),
        ("A[0] = (1 + B[0])\nB[0] = 2.5f", "float32"),
        ("A[0] = int8(B[0])", "int8"),
        ("A[0] = (B[0] < 1.0f)", "bool"),
        ("A[0] = B[0]", "float32"),
        ("uint16 n = A[0]", "uint16"),
    ],
)
def test_type_of_a_tensor_is_inferred_from_its_uses(text: str, dtype: str) -> None:
    block = tir.parse(f"{{\n{text}\n}}")
    found = {str(t.dtype) for t in tensors(block) if t.name == "A"}
    assert found == {dtype}


def test_notes_are_where_the_nodes_begin() -> None:
    text = tir.astext(tir.For(i, 0, 4, tir.Block((tir.Store(B, tir.FracOp(x, x), (i,)),))))
    assert re.search(r"\n3:10: kind=frac_op$", text)
    assert text.splitlines()[2][9] == "("


def test_section_left_out_gives_what_can_be_told() -> None:
    made = tir.parse(tir.astext(tir.FracOp(i, j), details=False))
    assert type(made) is tir.Div
