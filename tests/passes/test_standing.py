"""What must hold of every pass, on the first of the random programs; the rest is a command."""

from __future__ import annotations

import pytest

from tests.support.each import each
from tests.support.languages_of_passes import OTHER_PASSES, RELAY_PASSES, check_given_back
from tests.support.seeds import seeds
from tests.support.standing import check_network, check_random, check_verified, standing_programs


@pytest.mark.parametrize("name", RELAY_PASSES)
def test_pass_keeps_types_form_and_value_on_random_programs(name: str) -> None:
    for seed in seeds(9):
        check_random(name, seed)


@pytest.mark.parametrize("name", RELAY_PASSES)
def test_pass_keeps_types_form_and_value_on_random_networks(name: str) -> None:
    for seed in seeds(6):
        check_network(name, seed)


@pytest.mark.parametrize("name", RELAY_PASSES)
def test_pass_leaves_nothing_that_the_verifier_finds_wrong(name: str) -> None:
    for seed in seeds(4):
        check_verified(name, seed)


@each("name", OTHER_PASSES)
def test_pass_of_another_language_gives_programs_back(name: str) -> None:
    check_given_back(name, standing_programs(seeds(12)))
