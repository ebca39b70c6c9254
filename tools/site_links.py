"""Names in the prose of pages: those that are public lead to their entries in the reference."""

from __future__ import annotations

import posixpath
import re
from typing import Final

from tools.reference_faces import ROOT_FACE, faces, public_names
from tools.reference_pages import address, find_link

_SKIPPED_OR_CODE: Final = re.compile(
    r"^```.*?^```$"  # a block of code
    r"|^#[^\n]*$"  # a heading
    r"|!?\[(?:[^\[\]]|`[^`]*`|\[[^\]]*\])*\]\([^)]*\)"  # what is a link already
    r"|<[^>]+>"
    r"|(?<!`)`(?P<name>[^`\n]+)`(?!`)",
    re.MULTILINE | re.DOTALL,
)

_NAMES_OF_OTHERS: Final = re.compile(
    rf"^\|(?:[^|\n\\]|\\.)*\||{_SKIPPED_OR_CODE.pattern}", _SKIPPED_OR_CODE.flags
)
"""The same without the first cells of tables, which tell what something is called elsewhere."""
FACES: Final = {
    "relayish.tir": ("loop_ir.md", "loop_text.md", "how-to/write_loops.md", "tutorial/5_loops.md"),
    "relayish.core": ("core.md", "how-to/extend_core.md"),
    "relayish.domain": ("domains.md", "how-to/add_a_domain.md", "tutorial/4_domain.md"),
    "relayish.dataflow": ("data_flow.md", "analyses.md", "how-to/write_an_analysis.md"),
}
"""By face: pages about it, on which it is asked first what a name means."""
_FACE_OF: Final = {page: face for face, pages in FACES.items() for page in pages}
ABOUT_MODELS: Final = frozenset(
    ("onnx.md", "gallery.md", "how-to/optimise_a_model.md", "tutorial/6_model.md")
)
"""Pages on which a single word is an operator of ONNX, though something else is called so too."""
_WORD: Final = re.compile(r"[A-Z][a-z]+")


def link_names(markdown: str, page: str) -> str:
    """Return a page in which names in code that are public, and stand in prose, are links.

    Args:
        markdown: The page.
        page: Its address within the documentation.
    """

    def linked(found: re.Match[str]) -> str:
        name = found["name"]
        target = None if name is None else link_of(name, page)
        return found[0] if target is None else f"[{found[0]}]({target})"

    pattern = _NAMES_OF_OTHERS if page.startswith("how-to/come_from_") else _SKIPPED_OR_CODE
    return pattern.sub(linked, markdown)


def link_of(name: str, page: str) -> str | None:
    """Return where a name leads: to its entry, or to the page of a face."""
    if name in faces() and public_names(faces()[name]):
        return posixpath.relpath(address(name), posixpath.dirname(page) or ".")
    if page in ABOUT_MODELS and _WORD.fullmatch(name):
        return None
    return find_link(name, page, _FACE_OF.get(page, ROOT_FACE))
