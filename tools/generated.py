"""Files that are generated: what is written where, and what writing it needs."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent


class Generated(NamedTuple):
    """A file that ``make generate`` writes."""

    path: Path
    text: Callable[[], str]
    needs: tuple[str, ...] = ()
    """Packages without which it cannot be written."""

    @property
    def name(self) -> str:
        """Where the file is, from the root of the repository."""
        return self.path.relative_to(ROOT).as_posix()

    def missing(self) -> tuple[str, ...]:
        """Return what it needs and is not installed."""
        return tuple(name for name in self.needs if find_spec(name) is None)

    def difference(self, text: str) -> str:
        """Return a unified diff from what is there to ``text``; empty if it is the same."""
        before = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        lines = difflib.unified_diff(
            before.splitlines(keepends=True),
            text.splitlines(keepends=True),
            self.name,
            f"{self.name} as generated",
        )
        return "".join(lines)
