"""Relay's text format: ``parse`` reads it, ``astext`` writes it."""

from __future__ import annotations

from relayish.text.parser import fromtext, parse, parse_expr, parse_pattern, parse_type
from relayish.text.printer import astext

__all__ = ["astext", "fromtext", "parse", "parse_expr", "parse_pattern", "parse_type"]
