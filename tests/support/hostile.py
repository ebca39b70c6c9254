"""Names that speak to a terminal or hide what stands beside them, and programs that hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from relayish._support.printable import UNPRINTABLE
from relayish.errors import RelayishError
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.traversal import EVERYTHING

HOSTILE: Final = "x\x1b]0;t\x07\x1b[31m\x9b\0\r\f\t\n\x7f\u202e\u2066\u2028\ud800\ufffe"
"""A name with everything at once that must not be shown as it is."""
SENDABLE: Final = HOSTILE.replace("\ud800", "")
"""The same in UTF-8, which has no halves of characters."""
NO_ARGUMENT: Final = re.compile("[\0\ud800]")
"""What the command line cannot hold."""

_SEEN: Final = re.compile(rf"(?![\n\t])[{UNPRINTABLE}]")


def unprintable(text: str) -> list[str]:
    """Return what stands around characters in ``text`` that must not be shown as they are."""
    return [text[max(0, m.start() - 30) : m.end() + 10] for m in _SEEN.finditer(text)]


def with_hostile_names(root: Any) -> Iterator[tuple[str, Any]]:  # Any: a node or a module
    """Yield ``root`` once for each field that holds text, with hostile text in all of these.

    What a kind refuses to hold is left out. Each comes with the name of the field.
    """
    roots = list(root.functions.values()) if isinstance(root, Module) else [root]
    order = EVERYTHING.post_order(roots)
    fields = {
        (type(node), f.name)
        for node in order
        for f in type(node).fields_
        if isinstance(getattr(node, f.name), (str, Span))
    }
    for kind, name in sorted(fields, key=lambda each: (each[0].__name__, each[1])):
        try:
            image = _replaced(order, kind, name)
            made = (
                root.with_functions({var: image[func] for var, func in root.functions.items()})
                if isinstance(root, Module)
                else image[root]
            )
        except RelayishError:
            continue
        yield f"{kind.__name__}.{name}", made


def _replaced(order: list[Node], kind: type[Node], name: str) -> dict[Node, Any]:
    image: dict[Node, Any] = {}
    for node in order:
        rebuild = EVERYTHING.rebuild[type(node)]
        made = node if rebuild is None else rebuild(node, lambda child, _: image.get(child, child))
        if type(node) is kind:
            held = getattr(made, name)
            hostile = held._replace(source_name=HOSTILE) if type(held) is Span else held + HOSTILE
            made = made.with_fields(**{name: hostile})
        image[node] = made
    return image
