"""Cases as texts, in files of tests/cases: what is read, and what is said of it.

A case begins with its name, behind ``== ``; its parts have a line ``--`` between them::

    == sum without an operand
    (a + )
    --
    1:6: expected an operand; found ')'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

CASES = Path(__file__).parent.parent / "cases"


def read_cases(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the parts of each case of a file by its name, without line feeds at their ends."""
    found: dict[str, tuple[str, ...]] = {}
    text = path.read_text(encoding="utf-8") + "\n"
    head, *cases = re.split(r"^== ", text, flags=re.MULTILINE)
    assert cases, f"{path.name} has no case"
    assert not head.strip(), f"{path.name} begins with what is no case: {head[:80]!r}"
    for case in cases:
        name, parts = case.removesuffix("\n").split("\n", 1)
        assert name not in found, f"{path.name} has two cases called {name!r}"
        split = re.split(r"^--\n", parts, flags=re.MULTILINE)
        found[name] = tuple([part.removesuffix("\n") for part in split])
    return found


def write_cases(path: Path, cases: Mapping[str, tuple[str, ...]]) -> None:
    """Write cases as :func:`read_cases` reads them."""
    texts = [f"== {name}\n" + "\n--\n".join(parts) + "\n" for name, parts in cases.items()]
    path.write_text("\n".join(texts), encoding="utf-8")
