"""``str`` of what programs are made of shows their text; ``repr`` stays shallow."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from deep import DEEP_NESTS

import relayish.text  # noqa: F401 - says what str shows
from relayish.ir.adt import PatternTuple, PatternVar, PatternWildcard
from relayish.ir.expr import Constant, Function, Tuple, Var
from relayish.ir.module import IRModule
from relayish.ir.type import TensorType

X = Var("x", TensorType((2, 3), "float32"))


def test_str_of_a_module_is_its_text() -> None:
    mod = IRModule.from_expr(Function((X,), Tuple((X, X))))
    header = '#[version = "0.0.5"]\n'
    assert str(mod) == (f"{header}def @main(%x: Tensor[(2, 3), float32]) {{\n  (%x, %x)\n}}\n")


def test_str_of_a_part_is_its_text() -> None:
    assert f"{Tuple(())}" == "()"
    assert str(TensorType((2, 3), "float32")) == "Tensor[(2, 3), float32]"
    assert (
        str(PatternTuple((PatternVar(X), PatternWildcard()))) == "(%x: Tensor[(2, 3), float32], _)"
    )


def test_str_leaves_the_metadata_section_out() -> None:
    assert "metadata is left out" in str(Constant(np.ones(1000, "float32")))


def test_str_of_a_nest_of_100_000_levels_is_its_text_and_repr_stays_short() -> None:
    nest = DEEP_NESTS["tuple_nest"](100_000)
    assert len(str(nest)) >= 200_000
    assert len(repr(nest)) < 100


@pytest.mark.parametrize("first", ["from relayish import Tuple", "import relayish.text"])
def test_str_is_the_text_for_whoever_uses_the_face_or_the_printer(first: str) -> None:
    script = f"{first}; from relayish.ir.expr import Tuple; print(Tuple(()))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout == "()\n"
