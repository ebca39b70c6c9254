"""The lowering that the domain ``vision`` brings."""

from __future__ import annotations

from typing import ClassVar, Final

from relayish.domain import register_handler
from relayish.passes.relay.lowering.vision.boxes import Boxes
from relayish.passes.relay.lowering.vision.regions import Regions

_ONE_BY_ONE: Final = (
    "which boxes stand is decided one after the other, each by those that stand already: a loop"
)


@register_handler("lower")
class LowerVision(Boxes, Regions, domain="vision"):
    """Lowers ``vision`` to tensor operators of Relay's core, as far as these go."""

    inexpressible: ClassVar[dict[str, str]] = dict.fromkeys(
        (
            "all_class_non_max_suppression",
            "non_max_suppression",
            "proposal",
            "regular_non_max_suppression",
        ),
        _ONE_BY_ONE,
    )
