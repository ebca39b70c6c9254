"""Reading text, under the names of ``tvm.relay.parser``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.text import fromtext, parse, parse_expr

__all__ = ["fromtext", "parse", "parse_expr"]

set_finder(__name__)
