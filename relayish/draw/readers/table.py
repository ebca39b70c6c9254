"""The table of readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from relayish.draw.class_table import ClassTable
from relayish.draw.diagram import Diagram

Reader = Callable[..., Diagram]
"""``reader(thing, **options)``: the diagram of a thing; its keyword parameters are options."""

READERS: Final[ClassTable[Callable[..., Diagram]]] = ClassTable(
    "the picture",
    {
        "relayish.ir.relay": "relayish.draw.readers.relay",
        "relayish.ir.modules": "relayish.draw.readers.module",
        "relayish.tir": "relayish.draw.readers.loops",
        "relayish.core": "relayish.draw.readers.core",
        "relayish.dataflow.call_graph": "relayish.draw.readers.call_graph",
        "relayish.dataflow.graph": "relayish.draw.readers.flow_graph",
        "relayish.dataflow.results": "relayish.draw.readers.flow_graph",
        "relayish._support.dominators": "relayish.draw.readers.dominators",
    },
)
"""By class, what makes its diagram; ``READERS.register(MyClass)`` adds one."""


def read(thing: object, **options: Any) -> Diagram:  # Any: of the reader
    """Return the diagram of a thing; the options are those of its reader.

    Raises:
        DrawingError: If nothing is known of its class, or it has no such option.
    """
    raise NotImplementedError
