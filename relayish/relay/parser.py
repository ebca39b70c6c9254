"""Reading text, under the names of ``tvm.relay.parser``."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.text import fromtext, parse, parse_expr

__all__ = ["fromtext", "parse", "parse_expr"]

__getattr__ = names_of(__name__)
