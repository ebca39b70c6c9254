"""Bundles: what is handed to a notebook for an object, by type, whatever the object is."""

from __future__ import annotations

from relayish._support.printable import message_text
from relayish.draw.notebook.frame import frame, note
from relayish.draw.notebook.table import SHOWN

LARGEST = 200_000
"""So many characters of HTML are shown of one object."""


def bundle_of(thing: object) -> dict[str, str]:
    """Return ``text/plain`` of an object and, where there is more to show, HTML or SVG.

    What cannot be shown is shown as ``repr`` does, with the reason: displaying never raises where
    ``repr`` does not.

    Example:
        >>> import relayish as relay
        >>> sorted(bundle_of(relay.var("x")))
        ['text/html', 'text/plain']
    """
    show = SHOWN.find(type(thing))
    if show is None:
        return {"text/plain": repr(thing)}
    try:
        shown = show(thing)
    except Exception as error:  # noqa: BLE001 - told in the place of what it kept from being shown
        why = message_text(f"{type(error).__name__}: {error}")
        return {"text/plain": repr(thing), "text/html": frame(note(f"{thing!r}: {why}"))}
    if shown.svg:
        return {"text/plain": shown.plain, "image/svg+xml": shown.svg}
    html = frame(shown.html)
    if len(html) > LARGEST:
        html = frame(note(f"{thing!r:.200}: too much to be shown here"))
    return {"text/plain": shown.plain, "text/html": html}
