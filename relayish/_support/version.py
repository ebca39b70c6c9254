"""Version of the distribution: the one place where it stands."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.2.0"
