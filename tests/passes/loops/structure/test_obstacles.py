"""What keeps loops as they are: vectorisation and conversion say it of each loop.

The cases are in ``tests/cases/loops/obstacles.txt``: the pass, a program, and a line for each loop.
"""

from __future__ import annotations

from relayish import tir
from relayish.passes.loops.structure.transform_poly_for_to_for import poly_for_obstacles
from relayish.passes.loops.structure.vectorize_loops import vectorize_obstacles
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases
from tests.support.tir_small import apply, nodes

LOOPS = read_cases(CASES / "loops" / "obstacles.txt")
FIND = {"VectorizeLoops": vectorize_obstacles, "TransformPolyForToFor": poly_for_obstacles}


@each("name", LOOPS)
def test_loop_stays_for_the_reason_that_is_told(name):
    by, text, told = LOOPS[name]
    func = tir.parse(text)
    assert "\n".join(FIND[by](func).values()) == told
    image = apply(by, func)
    if by == "VectorizeLoops":  # the mark is dropped
        assert image is not func
        assert not any(tir.ForType.VECTORIZED & loop.for_type for loop in nodes(image, tir.For))
    else:
        assert (image is func) is bool(nodes(image, tir.PolyFor)) is bool(told)
