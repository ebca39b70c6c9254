"""Core in binary form.  ``EXAMPLES=1000`` tries 1,000 programs."""

from __future__ import annotations

import os

import pytest

from relayish import core
from relayish.binary import from_binary, to_binary
from relayish.ir.structural_equal import structural_equal
from tests.support.core_programs import random_core_program

EXAMPLES = int(os.environ.get("EXAMPLES", "30"))


def test_random_programs_are_read_as_they_were_written():
    for seed in range(EXAMPLES):
        mod = random_core_program(seed)
        assert structural_equal(from_binary(to_binary(mod)), mod), seed


@pytest.mark.parametrize("text", ["int32", "float32[2,3]*", "struct s", "(int32) -> void"])
def test_type_is_read_as_one(text):
    made = from_binary(to_binary((core.as_type(text),)))[0]
    assert type(made) is core.Type
    assert made == core.as_type(text)
