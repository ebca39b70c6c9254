"""The target that programs are meant for while passes run."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final

CURRENT_TARGET: Final[ContextVar[Any]] = ContextVar("target", default=None)
"""The innermost ``with Target(...)``, ``None`` outside of all. Any: targets stand above this file.
"""


def most_arguments() -> int:
    """Return how many arguments a function may take on the current target; 0 for any number."""
    target = CURRENT_TARGET.get()
    return 0 if target is None else int(target.max_function_args)
