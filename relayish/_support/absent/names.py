"""Names of TVM's modules that those of relayish have not, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NAMES: Final[Mapping[str, Mapping[str, str]]] = {}
"""By the name of a module of relayish, without ``relayish.``; ``relayish`` for the package."""
