"""docs/passes.md tells of every pass."""

from __future__ import annotations

from relayish.passes import PASSES
from relayish.transform import list_passes, pass_entry
from tests.support.each import each
from tools.pass_page import CASES, cases, docstring_examples


def test_every_pass_stands_in_the_table() -> None:
    own = [name for name in list_passes() if pass_entry(name).claimant.startswith("relayish.")]
    assert sorted(PASSES) == own


@each("name", list_passes())
def test_pass_has_an_example(name: str) -> None:
    assert [*cases(name), *docstring_examples(pass_entry(name))]


def test_every_example_belongs_to_a_pass() -> None:
    assert {path.name.split(".")[0] for path in CASES.glob("*.relay")} <= set(list_passes())
