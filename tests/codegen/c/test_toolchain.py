"""Facts about what compilers are called with."""

from __future__ import annotations

import platform

from relayish.codegen.c.toolchain import flags_for


def test_the_widest_vectors_are_asked_for_where_there_are_several_widths() -> None:
    has_widths = platform.machine().lower() in ("x86_64", "amd64")
    told = [each for each in flags_for(exact=True) if "vector-width" in each]
    assert told == (["-mprefer-vector-width=512"] if has_widths else [])


def test_what_may_round_otherwise_is_added_to_what_may_not() -> None:
    exact, loose = flags_for(exact=True), flags_for(exact=False)
    assert loose[: len(exact)] == exact
    assert "-fassociative-math" in loose[len(exact) :]
