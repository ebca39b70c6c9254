"""Text of the loop IR: CINN's forms, and a section of details after them."""

from __future__ import annotations

from relayish.tir.text import mixed as _mixed  # noqa: F401 - completes the text of modules
from relayish.tir.text.forms import register_form
from relayish.tir.text.parser import parse, parse_all
from relayish.tir.text.printer import astext, write_program

__all__ = ["astext", "parse", "parse_all", "register_form", "write_program"]
