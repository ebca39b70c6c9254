"""The table of what notebooks show, by class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from relayish.draw.class_table import ClassTable


class Shown(NamedTuple):
    """What a notebook shows of an object.

    Attributes:
        html: Elements of HTML, which :mod:`relayish.draw.notebook.frame` makes; whatever comes
            from a program is escaped.
        plain: The same as text, where there is no HTML.
        svg: A picture, which is shown in place of HTML.
    """

    html: str
    plain: str
    svg: str = ""


Show = Callable[[Any], Shown]  # Any: an object of the class it is registered for

_PROGRAMS: Final = "relayish.draw.notebook.programs"
_PASSES: Final = "relayish.draw.notebook.passes"
_TYPES: Final = "relayish.draw.notebook.types"
_ROOFLINES: Final = "relayish.draw.roofline"
_RESULTS: Final = "relayish.draw.notebook.results"

SHOWN: Final[ClassTable[Show]] = ClassTable(
    "the display",
    {
        "relayish.ir": _PROGRAMS,
        "relayish.dataflow_pattern": _PROGRAMS,
        "relayish.tir": _TYPES,
        "relayish.tir.roofline": _ROOFLINES,
        "relayish.core": _TYPES,
        "relayish.pass_infra": _PASSES,
        "relayish.dataflow": _RESULTS,
        "relayish.analysis": _RESULTS,
        "relayish.draw": _RESULTS,
        "relayish.draw.roofline": _ROOFLINES,
        "relayish.interpreter": _RESULTS,
    },
)
"""By class, what shows things of it; ``SHOWN.register(MyClass)`` adds one, and the class says
``_repr_mimebundle_ = repr_mimebundle``, of :mod:`relayish._support.display`."""
