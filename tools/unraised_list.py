"""The operators that RaiseToOnnx does not write, in the page on what cannot be raised."""

from __future__ import annotations

import textwrap
from typing import Final

from relayish.passes.onnx.raising.unraised import UNRAISED
from tools.generated import ROOT, Generated

_PAGE: Final = ROOT / "docs" / "how-to" / "lower_a_network.md"
_BEFORE: Final = "no call is written:\n\n"
_WIDTH: Final = 120


def _text() -> str:
    """Return the page with the list at its end."""
    told, mark, _ = _PAGE.read_text(encoding="utf-8").partition(_BEFORE)
    assert mark, f"{_PAGE.name} has no list to write"
    by_reason: dict[str, list[str]] = {}
    for name, reason in UNRAISED.items():
        by_reason.setdefault(reason, []).append(f"`{name}`")
    items = [f"- {reason}: {', '.join(names)}." for reason, names in by_reason.items()]
    wrapped = [
        textwrap.fill(each, _WIDTH, subsequent_indent="  ", break_long_words=False)
        for each in items
    ]
    return told + mark + "\n".join(wrapped) + "\n"


GENERATED: Final = Generated(_PAGE, _text)
