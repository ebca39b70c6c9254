"""Tests of compiled code skip where there is no compiler."""

import pytest

from tests.support.compiled_loops import skip_without_compiler


@pytest.fixture(autouse=True, scope="session")
def compiler():
    return skip_without_compiler()
