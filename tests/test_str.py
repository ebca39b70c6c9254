"""``str`` of what programs are made of shows their text; ``repr`` stays shallow."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import relayish.text  # noqa: F401 - says what str shows
from relayish.ir.relay.adt import Constructor, PatternTuple, PatternVar, PatternWildcard
from relayish.ir.relay.expr import Call, Constant, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any, GlobalTypeVar, PrimOp, SizeVar, TensorType
from relayish.text import astext
from tests.support.deep import DEEP_NESTS
from tests.support.depth import DEPTH

X = Var("x", TensorType((2, 3), "float32"))


def test_str_of_a_module_is_its_text() -> None:
    mod = IRModule.from_expr(Function((X,), Tuple((X, X))))
    header = '#[version = "0.0.5"]\n'
    assert str(mod) == f"{header}def @main(%x: Tensor[(2, 3), float32]) {{\n  (%x, %x)\n}}"
    assert astext(mod) == f"{mod}\n"


def test_str_of_a_part_is_its_text() -> None:
    assert f"{Tuple(())}" == "()"
    assert str(TensorType((2, 3), "float32")) == "Tensor[(2, 3), float32]"
    assert (
        str(PatternTuple((PatternVar(X), PatternWildcard()))) == "(%x: Tensor[(2, 3), float32], _)"
    )


def test_str_leaves_the_metadata_section_out() -> None:
    assert "metadata is left out" in str(Constant(np.ones(1000, "float32")))


def test_str_names_constructors_and_their_types_that_no_module_defines() -> None:
    shape = GlobalTypeVar("Shape")
    square = Constructor("Square", (TensorType((), "float32"),), shape)
    assert str(square) == "Square"
    assert str(shape) == "Shape"
    assert str(Call(square, (X,))) == ("free_var %x: Tensor[(2, 3), float32];\n\nSquare(%x)")
    assert "meta[relay.Constructor][0]" in astext(square)


def test_str_of_a_type_names_its_dimensions() -> None:
    n, m = SizeVar("n"), SizeVar("m")
    area = PrimOp("tir.Add", (PrimOp("tir.Mul", (n, m)), 1))
    least = PrimOp("tir.Max", (PrimOp("tir.FloorDiv", (n, 2)), PrimOp("tir.Sub", (m, area))))
    assert str(TensorType((n, 4), "float32")) == "Tensor[(n, 4), float32]"
    assert str(TensorType((area, Any()), "int8")) == "Tensor[((n * m) + 1, ?), int8]"
    assert str(TensorType((least,))) == ("Tensor[(max((n // 2), (m - ((n * m) + 1)))), float32]")


def test_str_of_a_dimension_that_doubles_100_times_is_short() -> None:
    size: SizeVar | PrimOp = SizeVar("n")
    for _ in range(100):
        size = PrimOp("tir.Add", (size, size))
    assert str(TensorType((size,))).endswith("…), float32]")


@pytest.mark.deep
def test_str_of_a_nest_of_100_000_levels_is_its_text_and_repr_stays_short() -> None:
    nest = DEEP_NESTS["tuple_nest"](DEPTH)
    assert len(str(nest)) >= 2 * DEPTH
    assert len(repr(nest)) < 100


_NODES = "from relayish.ir.relay.expr import Tuple, Var; "
_CORE = r"#[version = \"0.0.5\"]\ndef @f = core_func () -> int32 { retv(1) };"


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        (f"{_NODES}print(Tuple(()))", "()"),
        (f"from relayish import Tuple; {_NODES}print(Tuple(()))", "()"),
        (f"import relayish.text; {_NODES}print(Tuple(()))", "()"),
        (f"{_NODES}x = Var('x'); print((x + x).op.name)", "add"),
        (f"from relayish.text import parse; print('@f' in str(parse('{_CORE}')))", "True"),
    ],
)
def test_module_of_the_library_does_what_the_face_knows_in_a_fresh_process(
    script: str, shown: str
) -> None:
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout == f"{shown}\n"
