"""Walking and rebuilding nodes of any kind, from their declared fields, without recursion.

A :class:`Traversal` says which families of nodes are followed. For each node class it generates,
once, the two functions on which every walk of the library stands: ``push`` puts the children of a
node on a stack, ``rebuild`` returns the node with its children replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, TypeAlias

from relayish.ir.adt import Clause, Pattern
from relayish.ir.expr import Expr
from relayish.ir.node import Field, Node, Shape
from relayish.ir.type import Type

Push: TypeAlias = Callable[[Any, Collection[Node], Callable[[Node], None]], None]  # Any: one kind
"""``push(node, seen, append)``: append the children not in ``seen``, the first child last."""

PushAll: TypeAlias = Callable[
    [Any, Callable[[Node], None], Callable[[Any], None]], None
]  # Any: as above
"""``push(node, append, extend)``: put all children on a stack, the first child last."""

Rebuild: TypeAlias = Callable[[Any, Callable[[Any, Any], Any]], Any]  # Any: one kind of node
"""``rebuild(node, get)``: the node with each child ``c`` replaced by ``get(c, c)``.

Where the fields take any node of a family, images are trusted to be of that family; where a field
takes one kind only, as that of a let takes a variable, the constructor checks.
"""


Retype: TypeAlias = Callable[[Any, Callable[[Any, Any], Any], Any], Any]  # Any: as above
"""``retype(node, get, checked_type)``: what ``rebuild`` returns, carrying ``checked_type``."""


class _ByKind(dict[type[Node], Any]):  # Any: a Push or Rebuild, or None for kinds without children
    """A table filled on first use of each node class, so later declarations are served too."""

    def __init__(self, generate: Callable[[type[Node]], object]) -> None:
        super().__init__()
        self._generate = generate

    def __missing__(self, kind: type[Node]) -> object:
        made = self[kind] = self._generate(kind)
        return made


class Traversal:
    """The fields to follow when walking: those that hold nodes of the given families.

    ``push`` and ``rebuild`` map each node class to its function, or to ``None`` when nodes of that
    class have no children in these families.
    """

    def __init__(self, *families: type[Node]) -> None:
        self.families = families
        self.push: Mapping[type[Node], Push | None] = _ByKind(self._generate_push)
        self.push_all: Mapping[type[Node], PushAll | None] = _ByKind(self._generate_push_all)
        self.rebuild: Mapping[type[Node], Rebuild | None] = _ByKind(self._generate_rebuild)
        self.retype: Mapping[type[Node], Retype] = _ByKind(self._generate_retype)

    def fields(self, kind: type[Node]) -> list[Field]:
        """Return the fields of ``kind`` that are followed, in order of declaration."""
        return [
            declared
            for declared in kind.fields_
            if declared.kind is not None
            and declared.compared
            and issubclass(declared.kind, self.families)
        ]

    def children(self, node: Node) -> list[Node]:
        """Return the children of ``node``, in order of declaration, repetitions included."""
        push = self.push_all[type(node)]
        found: list[Node] = []
        if push is not None:
            push(node, found.append, found.extend)
        return found[::-1]

    def post_order_outside(self, root: Node, closed: Callable[[Node], bool]) -> list[Node]:
        """Return what :meth:`post_order` does, without what is inside nodes that are ``closed``.

        These nodes themselves are there.
        """
        order: list[Node] = []
        seen: set[Node] = set()
        stack: list[Node | None] = [root]
        while stack:
            node = stack.pop()
            if node is None:
                node = stack.pop()
                assert node is not None
                order.append(node)
                continue
            if node in seen:
                continue
            seen.add(node)
            push = self.push[type(node)]
            if push is None or closed(node):
                order.append(node)
                continue
            stack += (node, None)
            push(node, seen, stack.append)
        return order

    def post_order(self, root: Node) -> list[Node]:
        """Return every distinct node below and including ``root``, children before parents.

        Complexity:
            Linear in the number of distinct nodes and edges; no recursion.
        """
        order: list[Node] = []
        seen: set[Node] = set()
        stack: list[Node | None] = [root]
        pop, append, finish, enter = stack.pop, stack.append, order.append, seen.add
        table = self.push
        while stack:
            node = pop()
            if node is None:
                node = pop()
                assert node is not None
                finish(node)
                continue
            if node in seen:
                continue
            enter(node)
            push = table[type(node)]
            if push is None:
                finish(node)
                continue
            append(node)
            append(None)
            push(node, seen, append)
        return order

    def pre_order(self, root: Node) -> Iterator[Node]:
        """Yield every distinct node below and including ``root``, parents before children."""
        seen: set[Node] = set()
        stack = [root]
        append = stack.append
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            yield node
            push = self.push[type(node)]
            if push is not None:
                push(node, seen, append)

    def _generate_push(self, kind: type[Node]) -> Push | None:
        followed = self.fields(kind)
        if not followed:
            return None
        lines = ["def push(node, seen, append):"]
        for declared in reversed(followed):
            lines += [f"    {line}" for line in _PUSH[declared.shape](declared.name)]
        made: Push = _compile("push", lines, {"Node": Node})
        return made

    def _generate_push_all(self, kind: type[Node]) -> PushAll | None:
        followed = self.fields(kind)
        if not followed:
            return None
        lines = ["def push_all(node, append, extend):"]
        lines += [f"    {_PUSH_ALL[f.shape].format(name=f.name)}" for f in reversed(followed)]
        made: PushAll = _compile("push_all", lines, {"Node": Node})
        return made

    def _generate_rebuild(self, kind: type[Node]) -> Rebuild | None:
        if not self.fields(kind):
            return None
        lines, same, values = self._rebuilding(kind, "None")
        lines += [f"    if {same}: return node", f"    return make({', '.join(values)})"]
        made: Rebuild = _compile(
            "rebuild", ["def rebuild(node, get):", *lines], {"make": self._maker(kind)}
        )
        return made

    def _generate_retype(self, kind: type[Node]) -> Retype:
        lines, same, values = self._rebuilding(kind, "checked_type")
        lines += [
            f"    if {same} and node.checked_type is checked_type: return node",
            f"    return make({', '.join(values)})",
        ]
        made: Retype = _compile(
            "retype", ["def retype(node, get, checked_type):", *lines], {"make": self._maker(kind)}
        )
        return made

    def _maker(self, kind: type[Node]) -> Callable[..., Node]:
        """Return what makes a node of trusted fields, or the constructor where they need checks."""
        trusted = all(f.kind in self.families for f in self.fields(kind))
        return kind._make if trusted else kind

    def _rebuilding(self, kind: type[Node], checked_type: str) -> tuple[list[str], str, list[str]]:
        """Return the lines that rebuild the fields, the test for no change, and the new fields."""
        followed = self.fields(kind)
        lines: list[str] = []
        for index, declared in enumerate(followed):
            old, new = f"old{index}", f"new{index}"
            lines.append(f"    {old} = {new} = node.{declared.name}")
            if declared.shape is Shape.ONE:
                lines[-1] = f"    {old} = node.{declared.name}; {new} = get({old}, {old})"
            elif declared.shape is Shape.OPTIONAL:
                lines.append(f"    if {old} is not None: {new} = get({old}, {old})")
            else:
                lines += [line.format(old=old, new=new) for line in _REBUILD_MANY]
        same = " and ".join(f"new{i} is old{i}" for i in range(len(followed))) or "True"
        replaced = {declared.name: f"new{i}" for i, declared in enumerate(followed)}
        values = [
            checked_type if f.name == "checked_type" else replaced.get(f.name, f"node.{f.name}")
            for f in kind.fields_
        ]
        return lines, same, values


def _push_one(name: str) -> list[str]:
    return [f"child = node.{name}", "if child not in seen: append(child)"]


def _push_optional(name: str) -> list[str]:
    return [f"child = node.{name}", "if child is not None and child not in seen: append(child)"]


def _push_many(name: str) -> list[str]:
    return [f"for child in node.{name}[::-1]:", "    if child not in seen: append(child)"]


def _push_mixed(name: str) -> list[str]:
    return [
        f"for child in node.{name}[::-1]:",
        "    if isinstance(child, Node) and child not in seen: append(child)",
    ]


_PUSH: Final = {
    Shape.ONE: _push_one,
    Shape.OPTIONAL: _push_optional,
    Shape.MANY: _push_many,
    Shape.MIXED: _push_mixed,
}


_PUSH_ALL: Final = {
    Shape.ONE: "append(node.{name})",
    Shape.OPTIONAL: "if node.{name} is not None: append(node.{name})",
    Shape.MANY: "extend(node.{name}[::-1])",
    Shape.MIXED: "extend([c for c in node.{name}[::-1] if isinstance(c, Node)])",
}


_REBUILD_MANY: Final = (
    "    if len({old}) == 2:",  # most calls have two arguments; spelt out it takes half the time
    "        left, right = {old}",
    "        new_left, new_right = get(left, left), get(right, right)",
    "        if new_left is not left or new_right is not right: {new} = (new_left, new_right)",
    "    else:",
    "        for item in {old}:",
    "            if get(item, item) is not item:",
    "                {new} = tuple([get(item, item) for item in {old}])",
    "                break",
)


def _compile(name: str, lines: list[str], scope: dict[str, object]) -> Any:  # Any: Push or Rebuild
    exec("\n".join(lines), scope)  # noqa: S102 - the source is built from declarations only
    return scope[name]


EXPRESSIONS: Final = Traversal(Expr, Pattern, Clause)
"""Expressions, with what patterns and clauses hold of them; types are not entered."""

TYPES: Final = Traversal(Type)
"""Types and the types they are made of."""

PATTERNS: Final = Traversal(Pattern)
"""Patterns and the patterns they are made of."""

EVERYTHING: Final = Traversal(Node)
"""Every node there is, types and dimensions included; not what type inference left on nodes."""
