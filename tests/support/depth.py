"""How deep deep programs are: one number for the whole suite."""

from __future__ import annotations

import os
from typing import Final

DEPTH: Final = int(os.environ.get("DEPTH", "3000"))
"""Levels of a deep program, three times what Python's own stack takes; the soak takes 100,000.

A test that goes down so far bears the mark ``deep``. Where a level costs much it takes fewer, but
no fewer than it can by default: ``min(DEPTH, 20_000)``.
"""
