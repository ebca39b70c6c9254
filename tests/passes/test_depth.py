"""Every pass works on programs nested in every way, and on those with endless paths."""

from __future__ import annotations

import sys

import pytest

from relayish.analysis import well_formed
from relayish.transform import PassContext
from tests.support.deep_programs import NOT_FOR, deep_programs
from tests.support.each import each
from tests.support.languages_of_passes import OTHER_PASSES, RELAY_PASSES, check_given_back
from tests.support.standing import REFUSES, made_for


@pytest.mark.deep
@pytest.mark.slow("thousands of levels in each of thirteen programs, with every choice of options")
@pytest.mark.parametrize("name", RELAY_PASSES)
def test_pass_goes_as_deep_as_the_program(name) -> None:
    limit = sys.getrecursionlimit()
    for kind, mod in deep_programs().items():
        if kind in NOT_FOR.get(name, {}):
            continue
        with PassContext(opt_level=4):
            for pass_ in made_for(name, mod):
                try:
                    out = pass_(mod)
                except REFUSES.get(name, ()):
                    continue
                assert out is mod or well_formed(out)
    assert sys.getrecursionlimit() == limit


@pytest.mark.deep
@pytest.mark.slow("half of all passes on deep programs, which it makes")
@each("name", OTHER_PASSES)
def test_pass_of_another_language_gives_programs_back(name: str) -> None:
    check_given_back(name, deep_programs().values())
