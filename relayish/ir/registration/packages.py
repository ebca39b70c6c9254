"""Packages that declare domains or operators, which are imported when a name is missing.

relayish's own come first. Other distributions say so by entry points of two groups. One of
``relayish.domains`` is called as the domain it declares, and imported first where that is asked
for; one of ``relayish.operators``, which brings operators for domains that there are, may have any
name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from relayish._support import hooks
from relayish._support.entry_points import EntryPoints

_GROUPS: Final = (
    EntryPoints("relayish.domains", "domains"),
    EntryPoints("relayish.operators", "operators"),
)


def load_packages(*names: str) -> Iterator[None]:
    """Import what packages declare, step by step, until nobody asks for more.

    Args:
        *names: What is looked for: a domain, an operator with its domain or family, a kind of node
            or its language, a key of attributes.

    Yields:
        After languages of relayish that names begin with, and Relay's operators; after entry points
        that are called so, and after all others, if they were not imported before.

    Raises:
        PackageError: If one cannot be imported.

    Example:
        >>> for _ in load_packages("no_such_domain"):
        ...     pass
    """
    starts = {start for name in names for start in _starts_of(name)}
    for language in (*hooks.languages.keys() & starts, "relay"):
        if language in hooks.languages:
            hooks.languages[language]()
            yield
    for group in _GROUPS:
        if group.load(*starts):
            yield
    for group in _GROUPS:
        if group.load():
            yield


def _starts_of(name: str) -> list[str]:
    """Return what ``name`` begins with that may be a domain: of ``a_b::c``, ``a`` and ``a_b``."""
    words = re.split(r"\W", name)[0].split("_")
    return [name, *["_".join(words[: count + 1]) for count in range(len(words))]]
