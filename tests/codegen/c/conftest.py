"""What tests compile is kept apart; they skip where there is no compiler."""

import pytest

from relayish.codegen.c.toolchain import find_toolchain
from relayish.errors import CodegenError


@pytest.fixture(autouse=True, scope="session")
def compiler(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("RELAYISH_CACHE", str(tmp_path_factory.mktemp("compiled")))
    try:
        yield find_toolchain()
    except CodegenError as error:
        pytest.skip(str(error))
    finally:
        patch.undo()
