"""Random core programs in C leave the bits of the interpreter, and end in the same errors."""

import pytest

from tests.support.compiled_core import TOGETHER, differences
from tests.support.each import each
from tests.support.seeds import many


@pytest.mark.slow("compiles random programs")
@each("start", range(many(1)))
def test_random_programs_are_as_the_interpreter_has_them(start):
    first = start * TOGETHER
    assert differences(range(first, first + TOGETHER)) == []
