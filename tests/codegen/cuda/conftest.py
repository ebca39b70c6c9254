"""Tests of what kernels mean skip where there is no compiler of C++."""

import pytest

from tests.support.cuda_loops import skip_without_compiler


@pytest.fixture(autouse=True, scope="session")
def compiler():
    return skip_without_compiler()
