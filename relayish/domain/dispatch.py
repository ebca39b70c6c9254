"""The visitor as handlers and contexts that it calls know it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from relayish.ir.nodes.node import Node


class Dispatch(Protocol):
    """A visitor, as handlers and contexts see it; see :class:`relayish.domain.Visitor`."""

    @property
    def context(self) -> Any:  # Any: the class of context that the handlers were written for
        """Where the visit is, and what is done by default."""

    looks: int
    """How often handlers looked at anything but nodes, so that what they return may differ."""

    @property
    def by_place(self) -> Mapping[type[Node], bool]:
        """By kind, whether a node is handled in each place where handlers look around."""

    @property
    def occurrences(self) -> bool:
        """Whether a node is handled wherever it occurs."""

    @property
    def handlers(self) -> Mapping[str, Any]:  # Any: handlers, which stand above this file
        """The handlers, by name of the domain that each serves."""

    @property
    def memo_map(self) -> dict[Node, Any]:  # Any: results of all sorts
        """What was returned for each node."""

    @property
    def steps(self) -> Any:  # Any: as handlers
        """The tables of what is called for each operator."""

    def visit(self, node: Any) -> Any:  # Any: nodes and results of all sorts
        """Return what the handler of the node's operator returns."""

    def forget(self) -> None:
        """Forget what was returned in this visit, so that handlers are called again."""

    def visit_by_default(self, node: Any) -> Any:  # Any: as above
        """Return what the context does with a node by default."""


Handle: TypeAlias = Callable[[Dispatch, Any], Any]  # Any: nodes and results of all sorts
"""``handle(visitor, node)``: what serves an operator."""
