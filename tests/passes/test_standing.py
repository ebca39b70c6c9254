"""What must hold of every pass, on the first of the random programs; the rest is a command."""

from __future__ import annotations

import pytest

from relayish.transform import list_passes
from tests.support.standing import check_network, check_random, check_verified

SEEDS = range(12)


@pytest.mark.parametrize("name", list_passes())
def test_pass_keeps_types_form_and_value_on_random_programs(name: str) -> None:
    for seed in SEEDS:
        check_random(name, seed)


@pytest.mark.parametrize("name", list_passes())
def test_pass_keeps_types_form_and_value_on_random_networks(name: str) -> None:
    for seed in SEEDS[:6]:
        check_network(name, seed)


@pytest.mark.parametrize("name", list_passes())
def test_pass_leaves_nothing_that_the_verifier_finds_wrong(name: str) -> None:
    for seed in SEEDS[:4]:
        check_verified(name, seed)
