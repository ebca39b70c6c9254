"""Pictures in notebooks: of small programs, below their text."""

from __future__ import annotations

from typing import Final

MOST_BOXES: Final = 40
"""A picture of more boxes is not shown without being asked for."""


def picture(thing: object, nodes: int) -> str:  # noqa: ARG001
    """Return the picture of a small thing; nothing of a large one."""
    return ""
