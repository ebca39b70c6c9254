"""docs/passes.md tells of every pass, and is up to date."""

from __future__ import annotations

import pytest
from pass_page import CASES, GROUPS, PAGE, cases, docstring_examples, page

from relayish.transform import list_passes, pass_entry


def test_page_is_what_registry_and_examples_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tests/passes/pass_page.py"


def test_every_pass_stands_in_one_group() -> None:
    grouped = " ".join(GROUPS.values()).split()
    assert sorted(grouped) == sorted(list_passes())


@pytest.mark.parametrize("name", list_passes())
def test_pass_has_an_example(name: str) -> None:
    assert [*cases(name), *docstring_examples(pass_entry(name))]


def test_every_example_belongs_to_a_pass() -> None:
    assert {path.name.split(".")[0] for path in CASES.glob("*.relay")} <= set(list_passes())
