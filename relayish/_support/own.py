"""Modules of the library, told from those of users by their names."""

from __future__ import annotations

import functools
from typing import Final

LIBRARY: Final = __name__.partition(".")[0]
"""The name of the library."""
LOADED: Final = f"{LIBRARY}.cli.loaded."
"""What names of files that users had loaded begin with; these are not of the library."""
GLOBAL_PREFIX: Final = f"{LIBRARY}.pass_."
"""What global names of passes begin with, whoever registers them."""


@functools.cache
def is_own(module: str) -> bool:
    """Return whether the module of that name is of the library.

    Example:
        >>> is_own("relayish.ir"), is_own("relayish_more"), is_own("relayish.cli.loaded.my_pass")
        (True, False, False)
    """
    return module.partition(".")[0] == LIBRARY and not module.startswith(LOADED)
