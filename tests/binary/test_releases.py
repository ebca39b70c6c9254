"""What each release wrote is read, by this one and by all to come."""

from __future__ import annotations

from pathlib import Path

import pytest

import relayish as relay
from relayish.binary import inspect_binary

RELEASES = sorted((Path(__file__).parent.parent / "cases" / "releases").iterdir())


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_file_and_text_of_a_release_are_read_as_one_program(release):
    found = relay.read_binary(release / "program.rly")
    text = (release / "program.relay").read_text(encoding="utf-8")
    relay.assert_structural_equal(found, relay.parse(text))
    relay.analysis.check_well_formed(found)
    assert sorted(var.name_hint for var in found.functions) == [
        "length",
        "main",
        "rows",
        "sum",
        "table",
    ]
    assert inspect_binary(release / "program.rly").producer == f"relayish {release.name}"
