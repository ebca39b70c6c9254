"""Whole programs, and what five passes of TVM's made of each."""

from __future__ import annotations

import pytest

from relayish.transform import PassContext, get_pass
from tests.support.recorded import assert_same_program
from tests.support.shared_data import shared_path
from tests.support.typed_text import typed

PROGRAMS = ("dcgan", "lstm", "mlp", "resnet18", "squeezenet")
PASSES = (
    "EliminateCommonSubexpr",
    "FuseOps",
    "SimplifyInference",
    "ToANormalForm",
    "ToBasicBlockNormalForm",
)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", PASSES)
def test_pass_makes_of_a_program_what_relay_makes(name: str, program: str) -> None:
    before = typed(shared_path(f"programs/{program}.relay").read_text())
    after = shared_path(f"programs/{program}.{name}.relay").read_text()
    with PassContext(opt_level=3):
        assert_same_program(get_pass(name)(before), after)
