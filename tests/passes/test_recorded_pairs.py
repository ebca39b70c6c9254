"""Every recorded run of a pass of TVM's, beside ours."""

from __future__ import annotations

import pytest

from relayish.errors import RelayishError
from tests.support.recorded import assert_same_program, pairs, run_recorded

MISSES: dict[str, str] = {
    "case-107": "@compose(...) inside @iterate is fn (A) -> A; TVM says fn [A](A) -> A",
}
"""Cases in which we differ, each with the reason."""


def _cases() -> list[str]:
    try:
        return sorted(pairs(), key=lambda case: int(case.split("-")[1]))
    except pytest.skip.Exception:
        return []


CASES = _cases()


@pytest.mark.parametrize("case", CASES)
def test_pass_gives_what_relay_gives(case: str) -> None:
    pair = pairs()[case]
    if pair["error"] is not None:
        with pytest.raises(RelayishError):
            run_recorded(pair)
        return
    ours = run_recorded(pair)
    if case in MISSES:
        with pytest.raises(AssertionError):
            assert_same_program(ours, pair["after"])
        return
    assert_same_program(ours, pair["after"])
