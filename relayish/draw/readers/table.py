"""The table of readers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from relayish.draw.class_table import ClassTable
from relayish.draw.diagram import Diagram
from relayish.errors import DrawingError, indefinite, suggest

READERS: Final[ClassTable[Callable[..., Diagram]]] = ClassTable(
    "the picture",
    {
        "relayish.ir.relay": "relayish.draw.readers.relay",
        "relayish.ir.modules": "relayish.draw.readers.module",
        "relayish.tir": "relayish.draw.readers.loops",
        "relayish.core": "relayish.draw.readers.core",
        "relayish.dataflow.call_graph": "relayish.draw.readers.call_graph",
        "relayish.dataflow.graph": "relayish.draw.readers.flow_graph",
        "relayish.dataflow.solver": "relayish.draw.readers.flow_graph",
        "relayish.dataflow.analyses.dominator_tree": "relayish.draw.readers.dominators",
        "relayish.analysis.dominators": "relayish.draw.readers.dominators",
        "relayish.dataflow_pattern": "relayish.draw.readers.pattern",
        "relayish.ir.nodes": "relayish.draw.readers.generic",
    },
)
"""By class, what makes its diagram: ``reader(thing, **options)``, the options being its keyword
parameters. ``READERS.register(MyClass)`` adds one."""


def read(thing: object, **options: Any) -> Diagram:  # Any: as the reader has them
    """Return the diagram of a thing; the options are those of its reader.

    Raises:
        DrawingError: If nothing is known of its class, or it has no such option.
    """
    reader = _find(thing)
    known = list_options(thing)
    for name in options:
        if name not in known:
            raise DrawingError(
                f"a picture of {indefinite(type(thing))} has no option {name!r}"
                f"{suggest(name, known)}; it has {', '.join(known) or 'none'}"
            )
    return reader(thing, **options)


def list_options(thing: object) -> list[str]:
    """Return the names of the options of what reads a thing.

    Raises:
        DrawingError: If nothing is known of its class.
    """
    parameters = inspect.signature(_find(thing)).parameters.values()
    return [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]


def _find(thing: object) -> Callable[..., Diagram]:
    reader = READERS.find(type(thing))
    if reader is None:
        raise DrawingError(
            f"cannot draw {indefinite(type(thing))}: no reader is registered for it; expected a "
            f"program, a module, a call graph, a flow graph or the like, or register one: "
            f"from relayish.draw import READERS, and @READERS.register({type(thing).__name__})"
        )
    return reader
