"""Pictures in notebooks: of small programs, below their text."""

from __future__ import annotations

import base64
from typing import Final

from relayish.draw.notebook.frame import note, safe
from relayish.draw.readers.table import READERS, read
from relayish.draw.svg import to_svg
from relayish.errors import DrawingError

MOST_BOXES: Final = 40
"""A picture of more boxes is not shown unless it is asked for."""
MOST_NODES: Final = 2_000
"""Of a thing with more nodes no picture is made to see whether it is small."""


def picture(thing: object, nodes: int) -> str:
    """Return the picture of a small thing; of a larger one, how to see it; of others nothing.

    Args:
        thing: Whatever has a reader.
        nodes: How large it is.
    """
    if READERS.find(type(thing)) is None:
        return ""
    if nodes > MOST_NODES:
        return note("relay.draw makes its picture")
    try:
        diagram = read(thing)
    except DrawingError:
        return ""  # no picture of such a thing
    except Exception as error:  # noqa: BLE001 - told; the text is shown all the same
        return note(f"it cannot be drawn: {type(error).__name__}: {error}")
    if len(diagram.boxes) <= 1:
        return ""
    if len(diagram.boxes) > MOST_BOXES:
        return note(f"relay.draw makes its picture, of {len(diagram.boxes):,} boxes")
    return as_image(to_svg(diagram), diagram.title)


def as_image(svg: str, title: str) -> str:
    """Return an image that holds SVG: its styles are its own, whatever stands on the page."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{safe(title)}" src="data:image/svg+xml;base64,{data}">'
