"""The forms are CINN's, to the letter, but for the defects of its printer.

``tests/cases/loops/forms.txt`` holds nodes in the form that all kinds have, and how loops are
written: each kind, and odd ones, which share nodes, are ill-formed or have odd attributes.
"""

from __future__ import annotations

import re

import pytest

from relayish import tir
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.text import parse_node
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases

FORMS = read_cases(CASES / "loops" / "forms.txt")


@each("name", FORMS)
def test_node_is_written_in_its_form_and_comes_back(name: str) -> None:
    generic, text = FORMS[name]
    node = parse_node(generic)
    assert str(node) == text.partition("\n\n#[details]")[0]
    assert tir.astext(node) == text
    made = tir.parse(text)
    assert_structural_equal(node, made, map_free_vars=True)
    assert tir.astext(made) == text


def test_function_and_module_are_written_in_their_forms() -> None:
    func = tir.LoweredFunc("f", (tir.Buffer("_C", (100, 20)), tir.Var("n")), tir.Block())
    assert str(func) == "function f (_C, n)\n{\n\n}"
    module = tir.Module("m", functions=(tir.LoweredFunc("f", (), tir.Block()),))
    assert str(module) == "Module m {\n\nfunction f ()\n{\n\n}\n\n\n}"


def loop(for_type: tir.ForType, **fields: object) -> str:
    """Return the first line of a loop of such flags."""
    made = tir.For(tir.Var("i"), 0, 4, tir.Block(), for_type, **fields)  # type: ignore[arg-type]  # drawn
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


((OVERVIEW,), (FUNCTION,)) = read_cases(CASES / "loops" / "cinn.txt").values()


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
    i, x, b = tir.Var("i"), tir.Var("x", "float32"), tir.placeholder("B", (16,))
    store = tir.Store(b, tir.FracOp(x, x), (i,))
    text = tir.astext(tir.For(i, 0, 4, tir.Block((store,))))
    assert re.search(r"\n3:10: kind=frac_op$", text)
    assert text.splitlines()[2][9] == "("


def test_section_left_out_gives_what_can_be_told() -> None:
    made = tir.parse(tir.astext(tir.FracOp(tir.Var("i"), tir.Var("j")), details=False))
    assert type(made) is tir.Div
