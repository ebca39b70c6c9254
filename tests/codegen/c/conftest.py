"""Code that tests compile is kept apart; they skip where there is no compiler."""

import pytest

from tests.support.compiled_loops import skip_without_compiler


@pytest.fixture(autouse=True, scope="session")
def compiler(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("RELAYISH_CACHE", str(tmp_path_factory.mktemp("compiled")))
    try:
        yield skip_without_compiler()
    finally:
        patch.undo()
