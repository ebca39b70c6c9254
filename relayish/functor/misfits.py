"""Errors about images that do not fit where they would stand, and about what is no node."""

from __future__ import annotations

from collections.abc import Mapping

from relayish.errors import DispatchError, indefinite
from relayish.functor.vtable import find_handler
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import Traversal


def no_node(owner: type, family: type[Node], kind: type) -> DispatchError:
    """Return the error for visiting an object of class ``kind`` by a functor of class ``owner``."""
    several = "; visit its items one by one" if issubclass(kind, (list, tuple)) else ""
    return DispatchError(
        f"{owner.__name__}.visit got {indefinite(kind)}; "
        f"expected a node ({family.__name__}){several}"
    )


def family_of(kind: type[Node]) -> type[Node]:
    """Return the outermost class below ``Node`` that ``kind`` belongs to, such as ``Expr``."""
    return kind.__mro__[kind.__mro__.index(Node) - 1]


def misfit(
    node: Node,
    traversal: Traversal,
    images: Mapping[Node, object],
    owner: type,
    handling: type,
) -> str:
    """Say which image of a child ``node`` cannot hold, and whence it comes; ``""`` for none."""
    for declared in traversal.fields(type(node)):
        assert declared.kind is not None
        held = getattr(node, declared.name)
        for child in held if declared.holds_many else (held,):
            image = images.get(child, child)
            if isinstance(image, Node) and type(image) not in declared.kind.kinds:
                return (
                    f": {_source(owner, handling, type(child))} {one_line(image)} for "
                    f"{one_line(child)}, in whose place only {indefinite(declared.kind)} can stand"
                )
    return ""


def _source(owner: type, handling: type, kind: type[Node]) -> str:
    """Return whence images of nodes of class ``kind`` come, as a subject with its verb."""
    for cls, prefix in ((owner, "visit_"), (handling, "rewrite_")):
        handler = find_handler(cls, prefix, kind)
        if handler is not None:
            return f"{cls.__name__}.{handler.__name__} returned"
    return f"memo_map of {owner.__name__} holds"
