"""Visits of the children of a node, one after the other, as functions generated for its kind.

They ask ``self.visit`` for each child, in order, as a loop over ``traversal.children(node)`` would,
and keep neither a list nor an iterator while they wait: at a hundred thousand levels the garbage
collector would go through as many of these, and through the whole program because of them.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from relayish.functor.vtable import Handler
from relayish.ir.fields.field import Shape
from relayish.ir.fields.generate import compile_function
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind, Traversal


@cache
def visits_of(traversal: Traversal) -> ByKind:
    """Return, for each kind of node, ``visit_children(self, node)``; it returns ``None``."""
    return ByKind(lambda kind: _generate_visits(traversal, kind))


@cache
def mutations_of(traversal: Traversal) -> ByKind:
    """Return, for each kind of node, ``mutate_children(self, node)``.

    It returns the node over the images of its children, itself where these are what they were.
    """
    return ByKind(lambda kind: _generate_mutations(traversal, kind))


def _generate_visits(traversal: Traversal, kind: type[Node]) -> Handler:
    lines = ["pass"]
    for declared in traversal.fields(kind):
        lines += [line.format(name=declared.name) for line in _VISIT[declared.shape]]
    made: Handler = compile_function("visit_children(self, node)", lines, {"Node": Node})
    made.__qualname__ = "Visitor.visit_children"
    return made


def _generate_mutations(traversal: Traversal, kind: type[Node]) -> Handler:
    lines, kept, images = list[str](), list[str](), list[str]()
    for index, declared in enumerate(traversal.fields(kind)):
        names = {"name": declared.name, "old": f"old{index}", "new": f"new{index}"}
        lines += [line.format(**names) for line in _MUTATE[declared.shape]]
        kept.append("{new} is {old}".format(**names))
        many = declared.shape in (Shape.MANY, Shape.MIXED)
        add = "images.update(zip({old}, {new}))" if many else "images[{old}] = {new}"
        images.append(add.format(**names))
    lines += [f"if {' and '.join(kept) or True}: return node", "images = {}", *images]
    lines.append("return self.traversal.rebuild[type(node)](node, images.get)")
    made: Handler = compile_function("mutate_children(self, node)", lines, {"Node": Node})
    made.__qualname__ = "Mutator.mutate_children"
    return made


_VISIT: Final = {
    Shape.ONE: ("self.visit(node.{name})",),
    Shape.OPTIONAL: ("if node.{name} is not None: self.visit(node.{name})",),
    Shape.MANY: (
        "children = node.{name}",
        "if len(children) == 2:",  # most calls have two arguments
        "    left, right = children",
        "    self.visit(left)",
        "    self.visit(right)",
        "else:",
        "    for index in range(len(children)): self.visit(children[index])",
    ),
    Shape.MIXED: (
        "for child in node.{name}:",
        "    if isinstance(child, Node): self.visit(child)",
    ),
}

_MUTATE: Final = {
    Shape.ONE: ("{old} = node.{name}", "{new} = self.visit({old})"),
    Shape.OPTIONAL: (
        "{old} = {new} = node.{name}",
        "if {old} is not None: {new} = self.visit({old})",
    ),
    Shape.MANY: (
        "{old} = node.{name}",
        "{new} = None",
        "for index in range(len({old})):",
        "    child = {old}[index]",
        "    image = self.visit(child)",
        "    if {new} is not None: {new}.append(image)",
        "    elif image is not child: {new} = [*{old}[:index], image]",
        "{new} = {old} if {new} is None else tuple({new})",
    ),
    Shape.MIXED: (
        "{old} = {new} = node.{name}",
        "if any([isinstance(c, Node) for c in {old}]):",
        "    {new} = tuple([self.visit(c) if isinstance(c, Node) else c for c in {old}])",
        "    if all([n is o for n, o in zip({new}, {old})]): {new} = {old}",
    ),
}
