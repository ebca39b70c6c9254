"""Tooltips: what a box tells where the pointer rests, line by line."""

from __future__ import annotations

from typing import Final

from relayish.draw.diagram import Details
from relayish.text.relay.brief_text import ConstantNames

_LARGEST: Final = 1 << 26
"""Of a constant, in bytes; what is larger is not read for a picture."""


class Tooltips:
    """Writes tooltips; constants go by type, shape and a digest of their values."""

    def __init__(self) -> None:
        self._names = ConstantNames(_LARGEST)

    def lines(self, details: Details) -> list[str]:
        """Return what is told: the text, the type, the place, attributes, constants.

        Complexity:
            Linear in the bytes of the constants, once for each.
        """
        told = [details.text, details.type, details.place]
        told += [f"{name} = {text}" for name, text in details.attributes.items()]
        told += [
            f"{name}: {self._names.of(value)}"
            for name, value in details.values.items()
            if not isinstance(value, str)
        ]
        return [line for line in told if line]
