"""The source in C: what it looks like, and names that would mean something else there."""

import numpy as np

from relayish import tir
from relayish.codegen.c import C_EXTERNS, build, to_c
from relayish.codegen.c.loops.statements import LoopsToC
from relayish.codegen.c.names import LIBRARY_NAMES, RESERVED, Names, identifier
from relayish.codegen.c.text import CText, apply
from relayish.codegen.c.types import c_literal
from relayish.ir.registration.declarations import declared_temporarily
from tests.support.each import each
from tests.support.tir_small import function, loop, memory

N = tir.Var("n")
MATMUL = """
int32_t matmul(const float *restrict A, const float *restrict B, float *restrict C)
{
  for (int32_t i = 0; i < 4; ++i) {
    for (int32_t j = 0; j < 6; ++j) {
      /* C__reduce_init */
      C[i * 6 + j] = 0.0f;
      for (int32_t k = 0; k < 5; ++k) {
        /* C */
        C[i * 6 + j] = C[i * 6 + j] + A[i * 5 + k] * B[k * 6 + j];
      }
    }
  }
  return 0;
}
"""


def body(func):
    """The functions of a source, without what stands before them."""
    return "\n" + to_c(func).text.split("#endif\n\n", 2)[-1]


def test_a_product_of_matrices_reads_as_one_writes_it():
    A, B = tir.placeholder("A", (4, 5)), tir.placeholder("B", (5, 6))
    k = tir.reduce_axis("k", 5)
    C = tir.compute((4, 6), lambda i, j: tir.reduce_sum(A[i, k] * B[k, j], [k]), "C")
    assert body(tir.lower("matmul", [A, B, C])) == MATMUL


def test_names_that_mean_something_to_c_are_escaped_and_others_kept():
    names = ("int", "main", "exp", "x", "größe", "a b", "a.b", "1st", "__init", "strlen", "uint8_t")
    made = [identifier(name) for name in names]
    assert made[3] == "x"
    assert len(set(made)) == len(made) - 1  # "a b" and "a.b" are told apart where both are used
    assert all(each.isidentifier() and each.isascii() for each in made)
    assert not set(made) & (RESERVED | LIBRARY_NAMES)
    taken = Names(["x"])
    assert [taken.fresh("x"), taken.fresh("x"), taken.fresh("y")] == ["x_1", "x_2", "y"]
    taken.enter()
    assert taken.fresh("x") == "x_3"
    taken.leave()
    assert taken.fresh("x") == "x_3"


HOSTILE = ("return", "NULL", "double", "INT32_MIN", "status", "done", "memcpy", "stdin", "é")


@each("name", HOSTILE)
def test_hostile_names_compile_and_run(name):
    A, i = memory(name, 3), tir.Var(name)
    func = function([A], loop(i, 0, 3, tir.Store(A, i, (i,)))).with_fields(name=name)
    array = np.zeros(3, "int32")
    build(func)(array)
    assert array.tolist() == [0, 1, 2]


@each("name", ["*/ int x; /*", "*\\\n/ int x;", "*??/\n/ int x;", "é*/"])
def test_comments_do_not_end_where_a_name_says(name):
    block = tir.ScheduleBlock((), (), (), name, tir.Block(()))
    func = function([memory("A", 1)], tir.ScheduleBlockRealize((), block))
    build(func)(np.zeros(1, "int32"))
    assert body(func).count("*/") == 1


@each(
    ("value", "dtype", "text"),
    [
        (-(2**31), "int32", "INT32_MIN"),
        (-(2**63), "int64", "INT64_MIN"),
        (2**64 - 1, "uint64", "UINT64_C(18446744073709551615)"),
        (-7, "int8", "-7"),
        (True, "bool", "true"),
        (0.1, "float32", "0.1f"),
        (0.1, "float64", "0.1"),
        (1e-45, "float32", "1.0e-45f"),
        (0.1, "float16", "0.099975586f"),
        (float("-inf"), "float64", "-INFINITY"),
        (float("nan"), "float32", "NAN"),
    ],
)
def test_literals_are_the_very_number(value, dtype, text):
    given = tir.as_type(dtype)
    assert c_literal(value, given) == text


def test_loops_that_are_parallel_are_marked_and_others_are_not():
    A, i = memory("A", 8), tir.Var("i")
    free = function([A], loop(i, 0, 8, tir.Store(A, i, (i,)), kind="PARALLEL"))
    bound = tir.Store(A, A[i] + 1, (tir.const(0),))
    carried = function([A], loop(i, 0, 8, bound, kind="PARALLEL"))
    n = tir.Var("n")
    checked = function([A], loop(i, 0, n, tir.Store(A, i, (i,)), kind="PARALLEL"), scalars=(n,))
    pragma = "#pragma omp parallel for"
    counts = [to_c(each).text.count(pragma) for each in (free, carried, checked)]
    assert counts == [1, 0, 0]


@each(
    ("metadata", "pragmas"),
    [
        (None, ["omp parallel for"]),
        (tir.LLVMForLoopMeta(), ["omp parallel for"]),
        (tir.LLVMForLoopMeta(tir.UnrollMode.DEFAULT), ["omp parallel for"]),
        (tir.LLVMForLoopMeta(tir.UnrollMode.FULL), ["GCC unroll 8"]),
        (tir.LLVMForLoopMeta(tir.UnrollMode.NEVER), ["GCC unroll 1"]),
        (tir.LLVMForLoopMeta(tir.UnrollMode.NEVER, False), ["GCC unroll 1", "GCC novector"]),
        (tir.LLVMForLoopMeta(None, False), ["GCC novector"]),
    ],
)
def test_compilers_are_told_what_metadata_of_loops_says(metadata, pragmas):
    A, i = memory("A", 8), tir.Var("i")
    stmt = loop(i, 0, 8, tir.Store(A, A[i] * 3, (i,)), kind="PARALLEL")
    func = function([A], stmt.with_fields(metadata=metadata))
    text = to_c(func).text
    body = text[text.index("int32_t f(") :]
    assert [line[8:] for line in body.splitlines() if line.startswith("#pragma ")] == pragmas
    array = np.arange(8, dtype="int32")
    build(func)(array)
    assert array.tolist() == list(range(0, 24, 3))


@each(
    ("extent", "kind", "mode", "pragmas"),
    [
        (8, "UNROLLED", None, ["GCC unroll 8"]),
        (8, "UNROLLED", tir.UnrollMode.DEFAULT, ["GCC unroll 8"]),
        (8, "UNROLLED", tir.UnrollMode.NEVER, ["GCC unroll 1"]),
        (1, "UNROLLED", None, ["GCC unroll 1"]),
        (0, "UNROLLED", None, []),
        (1024, "UNROLLED", None, ["GCC unroll 1024"]),
        (1025, "UNROLLED", None, []),
        (1025, "SERIAL", tir.UnrollMode.FULL, []),
        (N, "UNROLLED", None, []),
        (N, "SERIAL", tir.UnrollMode.FULL, []),
        (8, "SERIAL", None, []),
    ],
)
def test_loops_of_few_iterations_are_unrolled_as_marked(extent, kind, mode, pragmas):
    A, i = memory("A", 2048), tir.Var("i")
    stmt = loop(i, 0, extent, tir.Store(A, A[i] * 3, (i,)), kind=kind)
    stmt = stmt.with_fields(metadata=mode and tir.LLVMForLoopMeta(mode))
    func = function([A], stmt, scalars=(N,) if extent is N else ())
    text = to_c(func).text
    body = text[text.index("int32_t f(") :]
    assert [line[8:] for line in body.splitlines() if line.startswith("#pragma ")] == pragmas


def test_unrolled_loops_leave_what_others_do():
    A, i = memory("A", 2048), tir.Var("i")
    extents = [8, 1025, N]
    funcs = [
        function([A], loop(i, 0, n, tir.Store(A, A[i] * 3, (i,)), kind="UNROLLED"), scalars=(N,))
        for n in extents
    ]
    named = [func.with_fields(name=f"f{at}") for at, func in enumerate(funcs)]
    module = build(tir.Module("m", functions=named))
    for func, count in zip(named, [8, 1025, 5], strict=True):
        array = np.arange(2048, dtype="int32")
        expected = np.where(array < count, array * 3, array)
        module[func.name](5, array)
        np.testing.assert_array_equal(array, expected)


def test_a_function_of_the_users_is_said_in_c_by_a_rule():
    with declared_temporarily():
        tir.register_extern("twice", lambda x: x + x)
        C_EXTERNS.register(
            (tir.CallType.EXTERN, "twice"),
            lambda _ctx, _call, args, _given: apply("fma", *args, CText("2"), CText("0")),
        )
        A, i = memory("A", 4, dtype="float64"), tir.Var("i")
        call = tir.Call("float64", "twice", (A[i],))
        func = function([A], loop(i, 0, 4, tir.Store(A, call, (i,))))
        array = np.arange(4.0)
        build(func)(array)
        assert array.tolist() == [0, 2, 4, 6]


class Loud(LoopsToC):
    """Writes a comment before each loop."""

    def handle_for(self, visitor, node):
        visitor.context.line("/* a loop */")
        super().handle_for(visitor, node)


def test_a_handler_is_overridden_by_inheritance():
    A, i = memory("A", 8), tir.Var("i")
    func = function([A], loop(i, 0, 8, tir.Store(A, i, (i,))))
    plain, loud = to_c(func).text, to_c(func, handlers=[Loud]).text
    assert loud.replace("  /* a loop */\n", "") == plain
    assert "  /* a loop */\n  for (" in loud
