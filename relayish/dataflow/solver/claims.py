"""Refusals before solving begins: what is no analysis, or is being solved already."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from relayish.dataflow.direction import Direction
from relayish.dataflow.lattice import Lattice
from relayish.dataflow.solver.analysis import Analysis
from relayish.errors import AnalysisError, DeclarationError, indefinite
from relayish.ir.nodes.node import Node


def checked_analyses(given: Iterable[Analysis[Any]]) -> Sequence[Analysis[Any]]:  # Any: of states
    """Return analyses that can be solved.

    Raises:
        DeclarationError: If one is none, or has no lattice or no direction.
    """
    if isinstance(given, (Analysis, str, Node)) or not isinstance(given, Iterable):
        raise DeclarationError(
            f"expected a list of analyses; found {_shown(given)}; {_remedy(given)}"
        )
    analyses = tuple(given)
    for analysis in analyses:
        check_analysis(analysis)
    return analyses


def check_analysis(analysis: Any) -> None:  # Any: still to be checked
    """Refuse what is no analysis, or has no lattice or no direction, by a DeclarationError."""
    if not isinstance(analysis, Analysis):
        raise DeclarationError(
            f"expected an analysis; found {_shown(analysis)}; {_remedy(analysis)}"
        )
    field = analysis.lattice_field
    lattice: object = getattr(analysis, field, None)
    if isinstance(lattice, type) or not hasattr(lattice, "join"):
        found = "no lattice" if lattice is None else f"{_shown(lattice)} for its lattice"
        is_class = isinstance(lattice, type) and issubclass(lattice, Lattice)
        remedy = f"{getattr(lattice, '__name__', '')}()" if is_class else "Powerset()"
        raise DeclarationError(
            f"analysis {analysis.name} has {found}; its states are elements of a lattice, an "
            f"object: write {field} = {remedy} in the class"
        )
    direction: object = getattr(analysis, "direction", None)
    if not isinstance(direction, Direction):
        raise DeclarationError(
            f"analysis {analysis.name} has the direction {direction!r}; derive it from "
            f"ForwardDataFlow or BackwardDataFlow, which have one"
        )


def _shown(given: object) -> str:
    if isinstance(given, type):
        return f"the class {given.__name__}"
    return f"{given!r:.60}" if isinstance(given, str) else indefinite(type(given))


def _remedy(given: object) -> str:
    if isinstance(given, str):
        return "analyse(program, name) finds analyses by name"
    if isinstance(given, type) and issubclass(given, Analysis):
        return f"write {given.__name__}(), an object of it"
    if isinstance(given, Analysis):
        return "write solve([analysis], program)"
    return "give objects of classes derived from ForwardDataFlow or BackwardDataFlow"


_LOCK: Final = threading.Lock()
_CLAIMED: Final[set[int]] = set()
"""The analyses that are being solved, by identity."""


@contextmanager
def claimed(analyses: Sequence[Analysis[Any]]) -> Iterator[None]:  # Any: as above
    """Have analyses, which keep where they are, for one run alone.

    Raises:
        AnalysisError: If one of them is being solved: by another thread, by one of its own
            handlers, or twice in one run.
    """
    keys: list[int] = []
    try:
        for analysis in analyses:
            with _LOCK:
                if id(analysis) in _CLAIMED:
                    raise AnalysisError(
                        f"analysis {analysis.name} is being solved already, and knows of one "
                        f"point at a time; make another object of its class for each run"
                    )
                _CLAIMED.add(id(analysis))
            keys.append(id(analysis))
        yield
    finally:
        with _LOCK:
            _CLAIMED.difference_update(keys)
