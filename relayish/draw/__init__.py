"""Pictures of programs: one diagram of boxes and edges, shown as SVG, dot, text, and a page.

Every name is loaded from the module it lives in when it is first asked for.
"""

from __future__ import annotations

from typing import Final

from relayish._support.lazy_face import set_face

_FACE: Final[dict[str, tuple[str, ...]]] = {
    "relayish._support.display": ("repr_mimebundle",),
    "relayish.draw.diagram": ("Box", "BoxKind", "Details", "Diagram", "Edge", "EdgeKind"),
    "relayish.draw.drawing": ("Drawing", "draw"),
    "relayish.draw.families": ("FAMILIES", "Family"),
    "relayish.draw.notebook.table": ("SHOWN", "Shown"),
    "relayish.draw.readers.box_text": ("BOX_TEXTS", "BoxText"),
    "relayish.draw.readers.table": ("READERS",),
    "relayish.draw.roofline": ("Plot", "plot"),
    "relayish.draw.report.recording": ("report",),
    "relayish.draw.report.report": ("Report",),
}
"""By module: the names that are found here."""

__all__ = set_face(__name__, _FACE)  # noqa: PLE0605 - a tuple of names
