"""Text of the loop IR: CINN's forms, and a section of details after them."""

from __future__ import annotations

from relayish.tir.text import mixed as _mixed  # noqa: F401 - completes the text of modules
from relayish.tir.text.parser import parse, parse_all
from relayish.tir.text.printer import astext, write_program
from relayish.tir.text.writer import FORMS

__all__ = ["FORMS", "astext", "parse", "parse_all", "write_program"]
