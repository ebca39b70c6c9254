"""Pictures of random programs of each kind, in every form."""

from __future__ import annotations

import pytest

from tests.support.each import each
from tests.support.random_pictures import check_picture, random_pictures
from tests.support.seeds import seeds


@each("seed", seeds(1))
def test_random_programs_have_pictures_that_are_in_order(seed: int) -> None:
    for name, drawing in random_pictures(seed):
        try:
            check_picture(drawing)
        except AssertionError as wrong:
            pytest.fail(f"{name}: {wrong}")
