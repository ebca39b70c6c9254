"""Running the tests of the file that asks, as ``python test_file.py`` does for TVM's."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run pytest on the file that calls, with the arguments of the command, and exit.

    Source:
        TVM ``testing.main``.
    """
    import pytest  # noqa: PLC0415 - a tool, which those that run no tests need not have

    file = sys._getframe(1).f_globals["__file__"]  # noqa: SLF001 - the caller's
    sys.exit(pytest.main([file, *sys.argv[1:]]))
