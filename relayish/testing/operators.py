"""The functions that build calls of operators, as attributes that type checkers understand."""

from __future__ import annotations

from typing import Final

import relayish.op  # noqa: F401 - declares them
from relayish.op.builders.builder import Builder, builder


class Operators:
    """The operators whose names begin with ``prefix``: ``nn.relu(x)``."""

    __slots__ = ("_prefix",)

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Builder:
        if name.startswith("__"):
            raise AttributeError(name)
        return builder(self._prefix + name)


op: Final = Operators("")
nn: Final = Operators("nn.")
