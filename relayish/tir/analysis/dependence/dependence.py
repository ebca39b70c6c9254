"""Data dependences: which accesses touch one element, in which order, how many iterations apart."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from relayish.tir.analysis.dependence.accesses import (
    Access,
)
from relayish.tir.analysis.dependence.iteration_pairs import Direction
from relayish.tir.ir.stmt import For, PolyFor


class DependenceKind(Enum):
    """What the source and the sink of a dependence do."""

    FLOW = "flow"  # the sink reads what the source wrote
    ANTI = "anti"  # the sink writes what the source read
    OUTPUT = "output"  # both write


class Dependence(NamedTuple):
    """An access, the sink, touches what another, the source, touched before.

    Attributes:
        source: The access that is made first.
        sink: The access that is made later, perhaps in a later iteration.
        kind: What they do.
        loops: The loops around both, outermost first.
        distance: For each loop, by how much its variable is greater at the sink, where that is one
            number; of a ``PolyFor``, how many iterations later the sink is.
        direction: For each loop, whether the iteration of the source is before that of the sink
            (``<``), the same, or after it (``>``): all that may be, whatever the others are.
        is_exact: Whether there are such iterations; else it is not known, and taken to be so. Of
            variables that are bound outside: whether there are for some of their values.
    """

    source: Access
    sink: Access
    kind: DependenceKind
    loops: tuple[For | PolyFor, ...]
    distance: tuple[int | None, ...]
    direction: tuple[Direction, ...]
    is_exact: bool

    @property
    def carrier(self) -> For | PolyFor | None:
        """The outermost loop of which source and sink may be in different iterations."""
        found = zip(self.loops, self.direction, strict=True)
        return next((loop for loop, each in found if each != Direction.EQUAL), None)
