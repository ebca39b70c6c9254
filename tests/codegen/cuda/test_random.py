"""Random programs whose parallel loops are bound leave the bits of the interpreter."""

import pytest

from tests.support.cuda_loops import TOGETHER, differences
from tests.support.each import each
from tests.support.seeds import many


@pytest.mark.slow("compiles random programs")
@each("start", range(many(1)))
def test_random_programs_are_as_the_interpreter_has_them(start):
    first = start * TOGETHER
    wrong, refused = differences(range(first, first + TOGETHER))
    assert wrong == []
    assert len(refused) < TOGETHER
