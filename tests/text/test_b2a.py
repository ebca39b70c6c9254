"""Programs of any mix of domains are read back as they were written."""

from __future__ import annotations

import pytest

import relayish as relay
from tests.support.declared import known_in_tests
from tests.support.mixed_programs import DECLARED, random_mixed_module
from tests.support.seeds import seeds

SEEDS = seeds(6)

_kinds = known_in_tests(DECLARED)


@pytest.mark.parametrize("seed", SEEDS)
def test_module_of_mixed_domains_is_read_back(seed: int) -> None:
    mod = random_mixed_module(seed)
    text = relay.b2a(mod)
    read = relay.a2b(text)
    assert relay.structural_equal(mod, read)
    assert relay.b2a(read) == text


@pytest.mark.parametrize("name", ["main", "r_main", "t_main"])
def test_definition_of_each_language_is_read_back_by_itself(name: str) -> None:
    definition = random_mixed_module(1)[name]
    assert relay.structural_equal(relay.a2b(relay.b2a(definition)), definition)


def test_header_tells_a_module_from_a_node() -> None:
    assert isinstance(relay.a2b('#[version = "0.0.5"]\ndef @f() { 1 }'), relay.IRModule)
    assert isinstance(relay.a2b("(1, 2)"), relay.Tuple)
