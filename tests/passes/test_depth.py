"""Every pass works on programs nested in every way, and on those with endless paths."""

from __future__ import annotations

import sys

import pytest

from relayish.analysis import well_formed
from relayish.analysis.infer_type import infer_type
from relayish.transform import PassContext, list_passes
from tests.support.deep import DEEP_NESTS
from tests.support.deep_programs import NOT_FOR, nest, shared
from tests.support.standing import REFUSES, made_for

LEVELS = 5_000
"""Beyond what Python nests by itself; ``bench/passes.py`` takes every pass to a million."""


@pytest.fixture(scope="module")
def programs():
    return {
        **{kind: infer_type(nest(kind, LEVELS)) for kind in DEEP_NESTS},
        "shared": infer_type(shared()),
    }


@pytest.mark.parametrize("name", list_passes())
def test_pass_goes_as_deep_as_the_program(name, programs) -> None:
    limit = sys.getrecursionlimit()
    for kind, mod in programs.items():
        if kind in NOT_FOR.get(name, {}):
            continue
        with PassContext(opt_level=4):
            for pass_ in made_for(name, mod):
                try:
                    out = pass_(mod)
                except REFUSES.get(name, ()):
                    continue
                assert well_formed(out)
    assert sys.getrecursionlimit() == limit
