"""The index of the search: names of the reference before all that only begins with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from tools.reference_faces import entries
from tools.reference_pages import is_told_by_pass_page

RAISED: Final = 1.5
LONGER: Final = 0.4
"""What the boost of a name is multiplied by for each name that it begins with."""
OF_LISTS: Final = 0.2
"""The boost of pages of the reference, whose sections are what people look for."""
SHORTEST: Final = 3


def raise_names(documents: list[dict[str, Any]]) -> None:  # Any: as JSON has it
    """Give each document that is an entry of the reference a boost, and the words of its name.

    The search takes a word for the beginning of others and weighs rare words more, so that for
    ``conv2d`` it would show ``conv2d_backward_weight`` first.
    """
    passes = {e.name.lower() for e in entries().values() if is_told_by_pass_page(e)}
    names = {e.name.lower() for e in entries().values() if len(e.name) >= SHORTEST}
    for document in documents:
        page, _, anchor = document["location"].partition("#")
        if anchor in entries() or (page.startswith("passes/") and anchor in passes):
            name = document["title"]
            document["boost"] = RAISED * LONGER ** beginnings(name.lower(), names)
            document["text"] += f" {' '.join(words(name))}"
        elif not anchor and page.startswith(("reference/", "operators/")):
            document["boost"] = OF_LISTS


def beginnings(name: str, names: Collection[str]) -> int:
    """Return how many of ``names`` a name begins with, and is not.

    Example:
        >>> beginnings("conv2d_transpose", {"conv2d", "transpose", "conv2d_transpose"})
        1
    """
    return sum(name[:end] in names for end in range(len(name)))


def words(name: str) -> Iterator[str]:
    """Yield the words that a name is made of.

    Example:
        >>> [*words("conv2d_transpose"), *words("FoldConstantTIR")]
        ['conv2d', 'transpose', 'Fold', 'Constant', 'TIR']
    """
    yield from re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
