"""Writing the generic form: ``node kind(field=value, ...)``, told by the roles of fields.

What a node binds is written first, as declarations; scopes are blocks, in which that is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from relayish._support.trampoline import Rule
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.naming import name_field
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.text.generic_form import (
    FieldForm,
    field_parts,
    form_of,
    is_default,
    item_parts,
    kind_name,
    node_parts,
    value_parts,
)
from relayish.text.tables import FAMILIES, NODE, TEXTS, family_of
from relayish.text.values_writer import spell_value
from relayish.text.writer import Line, Writer


class NodeWriter(Writer):
    """Writes nodes of any kind in the generic form."""

    def node(self, node: Node, depth: int) -> str | Rule:
        """Return the generic form of a node, or the rule that writes it."""
        kind = type(node)
        if kind in VARIABLES:
            text = self.binder(node, again=False)
            self._declared.add(node)
            self.texts[node] = self.name(node)
            return Line(f"free_var {text};")
        if form_of(kind).nests:
            return self._write_nested(node, depth)
        return _join(node_parts(self, node))

    def binder(self, var: Node, *, again: bool) -> str:
        name = self.name(var)
        if again:
            return f"{name}-malformed-ir"
        kind = type(var)
        hint = name_field(kind)
        fields = _join(field_parts(self, var, (), "" if hint is None else hint.name))
        return f"{NODE} {kind_name(kind, self.language)} {name}" + (f"({fields})" if fields else "")

    def _write_nested(self, node: Node, depth: int) -> Rule:
        out = self.out
        outside = self.enter(depth)
        out.append(f"{NODE} {kind_name(type(node), self.language)}(")
        between = ""
        form = form_of(type(node))
        for declared, way, name in form.fields:
            value = getattr(node, declared.name)
            if is_default(declared, value):
                continue
            out.append(between + name)
            between = ", "
            yield self._field(node, declared, way, value)
        out.append(")")
        self.leave_types(form.types_bound(node))
        if node.held_as_ is not Role.BINDER:  # what a pattern binds is known to its owner
            self.forget(node)
        self.enter(outside)

    def field(self, node: Node, name: str) -> Rule:
        """Write a field of ``node`` as the generic form does."""
        ((declared, way),) = [
            (f, way) for f, way, _ in form_of(type(node)).fields if f.name == name
        ]
        yield self._field(node, declared, way, getattr(node, name))

    def _field(self, node: Node, declared: Field, way: FieldForm, value: object) -> str | Rule:
        if way is FieldForm.BLOCK and value is not None:
            return self.block_of(node, declared)
        if value is not None and (way is FieldForm.BINDER or way is FieldForm.INLINE):
            return self._items(node, declared, value)
        return _join(value_parts(self, declared, way, value))

    def _items(self, node: Node, declared: Field, value: object) -> Rule:
        """Write what a node binds, or parts and annotations, where they are used."""
        binds = declared.role is Role.BINDER
        bound = self._known.setdefault(node, []) if binds else []
        is_pattern = node.held_as_ is Role.BINDER  # what it binds stays known to its owner
        if not is_pattern:
            self.resume(bound)
        is_tuple = isinstance(value, tuple)
        self.out.append("[" if is_tuple else "")
        for place, item in enumerate(value if isinstance(value, tuple) else (value,)):
            self.out.append(", " if place else "")
            yield self._bind_item(item, bound) if binds else self._inline(declared, item)
        self.out.append("]" if is_tuple else "")
        if not is_pattern:
            self.suspend(bound)

    def _bind_item(self, item: Node, bound: list[Node]) -> str | Rule:
        """Return the text of a variable, or a pattern, that a node binds, or the rule for it."""
        if type(item) in VARIABLES:
            return self.bind(item, bound)
        if family_of(type(item)) is not None:
            return self.bind_family(item, bound)
        return self._write_bound_pattern(item, bound)

    def _write_bound_pattern(self, item: Node, bound: list[Node]) -> Rule:
        """Write a pattern without a grammar of its own."""
        self._known[item] = bound
        yield self.write_value(item, self._depth)
        del self._known[item]

    def _inline(self, declared: Field, item: object) -> str | Rule:
        """Return the text of a part, or an annotation, where it is used, or the rule for it."""
        if (
            not isinstance(item, Node)
            or item not in self.layout.position
            or type(item) in VARIABLES
            or family_of(type(item)) is not None
        ):
            return _join(item_parts(self, declared, item))
        made = TEXTS[type(item)](self, item, self._depth)
        return self._parenthesise(made) if declared.shape is Shape.MIXED else made

    def _parenthesise(self, text: str | Rule) -> Rule:
        self.out.append("(")
        yield text
        self.out.append(")")

    # Families with a grammar of their own

    def bind_types(self, variables: Sequence[Node]) -> str:
        """Bring variables for annotations into scope and return their text."""
        family = FAMILIES[type(variables[0])]
        assert family.bind is not None
        return family.bind(self, variables)

    def leave_types(self, variables: Sequence[Node]) -> None:
        """Take variables for annotations out of scope."""
        family = family_of(type(variables[0])) if variables else None
        if family is not None and family.leave is not None:
            family.leave(self, variables)

    def bind_family(self, item: Node, bound: list[Node]) -> str:
        """Bring the variables of a pattern with a grammar of its own into scope; its text."""
        del bound
        return self.family_text(item)

    def value(self, value: object) -> str:
        """Return the text of a value that is no node."""
        return spell_value(value, self)


def _join(parts: Iterator[object]) -> str:
    """Return pieces that are all texts, for no grammar around writes nodes, in one."""
    return "".join(cast("Iterator[str]", parts))


TEXTS.register(Node, NodeWriter.node)
