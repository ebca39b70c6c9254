"""Forms of fields in the text of core, told by their declarations.

A node reads ``kind(field, field, ...) {block} {block}``: blocks behind, in order, and before them
all other fields. What is at its default is left out; ``field=value`` stands behind what was.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish.core.ir.language import CORE
from relayish.core.ir.stmt import Block, If
from relayish.ir.fields.field import Field, Shape
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.text.layout import is_written
from relayish.text.values_writer import spell_key


class FieldForms(NamedTuple):
    """The fields of a kind that are written.

    Attributes:
        plain: Those in parentheses.
        blocks: Those in braces behind them.
        word: What stands before blocks behind the first.
        head: The name of the kind, and the parenthesis.
    """

    plain: tuple[Field, ...]
    blocks: tuple[Field, ...]
    word: str
    head: str


def forms_of(kind: type[Node]) -> FieldForms:
    """Return how the fields of nodes of class ``kind`` are written."""
    found: FieldForms = _FORMS[kind]
    return found


def _forms_of_kind(kind: type[Node]) -> FieldForms:
    written = [field for field in kind.fields_ if is_written(field)]
    blocks = [field for field in written if field.shape is Shape.ONE and field.kind is Block]
    plain = [field for field in written if field not in blocks]
    name = spell_key(kind.language_.qualified(kind.visit_name, CORE.name))
    return FieldForms(tuple(plain), tuple(blocks), "else" if kind is If else "and", f"{name}(")


_FORMS: Final = ByKind(_forms_of_kind)
