"""Every recorded run of a pass of TVM's, beside ours."""

from __future__ import annotations

import pytest

from relayish.errors import RelayishError
from tests.support.recorded import assert_same_program, pairs, run_recorded

MISSES: dict[str, str] = {
    "quant-layout-165": "a leaky rectifier is applied once; TVM leaves the first in place as well",
    "quant-layout-15": "qnn.add of floats is refused; TVM gives it a type, and no value",
    "quant-layout-16": "qnn.add of floats is refused; TVM gives it a type, and no value",
}
"""Cases in which we differ, each with the reason."""


def _number(case: str) -> tuple[str, int]:
    file, _, number = case.rpartition("-")
    return file, int(number)


def _cases() -> list[str]:
    try:
        return sorted(pairs(), key=_number)
    except pytest.skip.Exception:
        return []


CASES = _cases()


@pytest.mark.filterwarnings("ignore:AnnotateTarget. no operator")  # TVM says nothing of that
@pytest.mark.parametrize("case", CASES)
def test_pass_gives_what_relay_gives(case: str) -> None:
    pair = pairs()[case]
    if pair["error"] is not None:
        with pytest.raises(RelayishError):
            run_recorded(pair)
        return
    if case in MISSES:
        with pytest.raises((AssertionError, RelayishError)):
            assert_same_program(run_recorded(pair), pair["after"])
        return
    assert_same_program(run_recorded(pair), pair["after"])
