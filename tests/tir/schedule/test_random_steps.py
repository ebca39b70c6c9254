"""Steps with random arguments on random programs: what is legal computes the same.

``python -m tests.support.schedules PRIMITIVE 1000`` tries more of one, compiles them, and tells how
much is refused that is legal after all.
"""

from __future__ import annotations

import pytest

from tests.support.schedules import TRIALS
from tests.support.seeds import seeds


@pytest.mark.parametrize("name", sorted(TRIALS))
def test_legal_steps_compute_the_same_and_others_are_refused(name):
    found = [TRIALS[name](seed) for seed in seeds(5)]
    assert any(each.what == "legal" for each in found)
    lost = [each.message for each in found if each.what == "lost"]
    assert len(lost) <= len(found) / 20, lost
