"""Texts that packages give to kinds of their own, by ``relay.text.register_text``, amid core's.

Their rules are those of any language (see there): what they are given stands for the writer and
the reader, and knows how core writes and reads what such a node holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from relayish._support.trampoline import Rule, run
from relayish.core.ir.family import Definition
from relayish.core.ir.language import CORE
from relayish.ir.fields.field import Field
from relayish.ir.nodes.node import Node
from relayish.text.generic_form import spell_leaf
from relayish.text.reader import Reader
from relayish.text.tables import TEXTS, WORDS, Read, keyword_of, kind_of
from relayish.text.values_reader import attribute_value
from relayish.text.values_writer import ValueContext, spell_value

_MARK: Final = re.compile("\0(\\d+)\0")


def has_own_text(kind: type[Node]) -> bool:
    """Return whether a package gave a text to a kind that stands in functions of core."""
    return keyword_of(kind) is not None and not issubclass(kind, Definition)


def own_text_of(word: str) -> Read | None:
    """Return the rule that reads what begins with a word, where it is that of a kind of core."""
    read = WORDS.get(word)
    if read is None:
        return None
    kind = kind_of(word)
    is_of_core = kind is not None and kind.language_ is CORE and not issubclass(kind, Definition)
    return read if is_of_core else None


class OwnWriter:
    """Stands for the writer before rules of single kinds: gathers text, and nodes between."""

    def __init__(self, context: ValueContext) -> None:
        self._context = context
        self._nodes: list[Node] = []
        self.out: list[str] = []

    def pieces(self, node: Node) -> Iterator[str | Node]:
        """Yield the text of a node, and the nodes that are written between."""
        run(TEXTS[type(node)](self, node, 0), self.out)  # type: ignore[arg-type]  # no mere text
        for place, part in enumerate(_MARK.split("".join(self.out))):
            yield self._nodes[int(part)] if place % 2 else part

    def write(self, text: str) -> None:
        """Append a text."""
        self.out.append(text)

    def operand(self, node: Node) -> str:
        """Return what stands for the text of a node until it is written."""
        self._nodes.append(node)
        return f"\0{len(self._nodes) - 1}\0"

    def declare(self, node: Node, name: str) -> str:
        """Return what stands for a variable that a field holds."""
        return self.operand(getattr(node, name))

    def value(self, leaf: object) -> str:
        """Return the text of a value that is no node."""
        return spell_value(leaf, self._context)

    def block(self, node: Node, name: str) -> Rule:
        """Write a field that is a block, in braces."""
        self.write(self.operand(getattr(node, name)))
        yield from ()

    def field(self, node: Node, name: str) -> Rule:
        """Write a field as core does."""
        value = getattr(node, name)
        (field,) = [each for each in type(node).fields_ if each.name == name]
        items = value if isinstance(value, tuple) and field.kind is not None else (value,)
        texts = [
            self.operand(each) if isinstance(each, Node) else spell_leaf(field, each, self._context)
            for each in items
        ]
        self.write(f"[{', '.join(texts)}]" if items is value else texts[0])
        yield from ()

    def enter(self, depth: int) -> int:
        """Return how far what surrounds is indented; core sees to that."""
        return depth

    def forget(self, node: Node) -> None:
        """Do nothing: core's variables belong to functions."""


class OwnReader:
    """Stands for the reader before rules of single kinds."""

    def __init__(
        self, reader: Reader, node: Callable[[], Rule], field: Callable[[Field], Rule]
    ) -> None:
        self._reader = reader
        self._node = node
        self._field = field

    def __getattr__(self, name: str) -> Any:  # Any: what readers have
        return getattr(self._reader, name)

    def read_expression(self) -> Rule:
        """Read an expression, a statement, or the name of a variable."""
        return self._node()

    read_binder = read_expression

    def read_block(self, *_variables: Node) -> Rule:
        """Read braces and the statements in them."""
        if not self._reader.text.startswith("{", self._reader.skip()):
            self._reader.expect("{", "before a block")
        return self._node()

    def read_value(self) -> Rule:
        """Read a value that is no node."""
        return attribute_value(self._reader)

    def read_field(self, kind: type[Node], name: str, *_variables: Node) -> Rule:
        """Read the value of a field as core writes it."""
        (field,) = [each for each in kind.fields_ if each.name == name]
        return self._field(field)
