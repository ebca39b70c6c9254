"""The ill-typed programs of ``cases/ill_typed.txt``, and what is said of them.

A name, a module without its header, and behind ``--`` the diagnostics, each with the line and
column it points at in the module as it is parsed, where line 1 is the header.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).parent.parent / "cases" / "ill_typed.txt"
HEADER: Final = '#[version = "0.0.5"]\n'
_CASE = re.compile(r"^== ([^\n]+)\n(.*?)\n--\n(.*?)\n(?=\n==|\Z)", re.MULTILINE | re.DOTALL)
CASES: Final = {
    name: (text, told.splitlines()) for name, text, told in _CASE.findall(FILE.read_text())
}
