"""The compiled core beside pure Python, on random programs and functors."""

from __future__ import annotations

import pytest

from relayish import _kernel
from tests.support.kernel_modes import digests, elsewhere
from tests.support.seeds import seeds


@pytest.mark.slow("another process imports the library in the other mode")
def test_functors_of_each_class_do_the_same_in_both_modes():
    tried = seeds(5)
    found = elsewhere(len(tried), tried.start, pure=_kernel.compiled)
    if found[0] == f"compiled {_kernel.compiled}":
        pytest.skip("the compiled core was not built")
    assert digests(tried) == found[1:]


@pytest.mark.slow("two processes import the library, one in each mode, and collect garbage")
def test_what_is_broken_ends_alike_in_both_modes():
    pure, compiled = (elsewhere("--hostile", pure=is_pure) for is_pure in (True, False))
    if compiled[0] != "compiled True":
        pytest.skip("the compiled core was not built")
    assert len(pure) > 1000
    assert pure[1:] == compiled[1:]
