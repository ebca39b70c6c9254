"""Source locations of nodes."""

from __future__ import annotations

from typing import NamedTuple

from relayish._support.printable import escape


class Span(NamedTuple):
    """A stretch of a source text; lines and columns count from 1, ``end_column`` is exclusive."""

    source_name: str
    line: int
    end_line: int
    column: int
    end_column: int

    def merge(self, other: Span) -> Span:
        """Return the smallest span that covers both; the source name is this one's."""
        start = min((self.line, self.column), (other.line, other.column))
        end = max((self.end_line, self.end_column), (other.end_line, other.end_column))
        return Span(self.source_name, start[0], end[0], start[1], end[1])

    def __str__(self) -> str:
        return f"{escape(self.source_name)}:{self.line}:{self.column}"


def name_of_span(span: Span | None) -> str:
    """Return the name that a model gives to what has this span, ``""`` where it is a place.

    A name has no width; a place in a text, or in Python, has.
    """
    return span.source_name if span is not None and span.column == span.end_column == 1 else ""


def at_span(node: object) -> str:
    """Return ``" at model.relay:12:8"`` for a node that comes from there, ``""`` without a span."""
    span = getattr(node, "span", None)  # nodes of other languages need not have one
    return "" if span is None else f" at {span}"
