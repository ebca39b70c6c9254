"""The generic form: any node as ``node kind(field=value, ...)``, told by the roles of its fields.

What a node binds is written first, as declarations; scopes are blocks, in which that is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple, Protocol

from relayish.errors import FieldError
from relayish.ir.attrs import Attrs
from relayish.ir.field import REQUIRED, Field, Shape
from relayish.ir.literal import same_literal
from relayish.ir.node import VARIABLES, Node
from relayish.ir.roles import Role
from relayish.ir.traversal import ByKind
from relayish.text.layout import block_fields, is_written
from relayish.text.rules import Rule
from relayish.text.tables import FAMILIES, LEAVES, NODE, TEXTS, family_of
from relayish.text.values_writer import ValueContext, spell_items, spell_key, spell_value
from relayish.text.writer import Line, Writer, hint_field


class _How(Enum):
    """How the nodes in a field are written."""

    LEAF = "leaf"
    FAMILY = "family"  # by a grammar of their own
    TYPES_BOUND = "types bound"  # likewise, where they are bound
    BINDER = "binder"
    BLOCK = "block"
    INLINE = "inline"  # where they are used, if that is once
    OPERAND = "operand"


class _Plan(NamedTuple):
    """How nodes of a kind are written: their fields in order, and whether that takes blocks."""

    fields: tuple[tuple[Field, _How, int], ...]
    nests: bool


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
        how: _Plan = _PLANS[kind]
        if how.nests:
            return self._nested(node, depth, how)
        return f"{NODE} {self.kind_name(kind)}({self._plain_fields(node, how)})"

    def kind_name(self, kind: type[Node]) -> str:
        """Return the name of a kind, with its language where that is another."""
        language = kind.language_.name
        qualified = (
            kind.visit_name if language == self.language else f"{language}.{kind.visit_name}"
        )
        return spell_key(qualified)

    def binder(self, var: Node, *, again: bool) -> str:
        name = self.name(var)
        if again:
            return f"{name}-malformed-ir"
        kind = type(var)
        hint = hint_field(kind)
        fields = self._plain_fields(var, _PLANS[kind], None if hint is None else hint.name)
        return f"{NODE} {self.kind_name(kind)} {name}" + (f"({fields})" if fields else "")

    def _plain_fields(self, node: Node, how: _Plan, left_out: str | None = None) -> str:
        shown: list[str] = []
        for declared, way, _ in how.fields:
            value = getattr(node, declared.name)
            if declared.name != left_out and not _is_default(declared, value):
                shown.append(f"{spell_key(declared.name)}={self._plain(declared, way, value)}")
        return ", ".join(shown)

    def _plain(self, declared: Field, way: _How, value: object) -> str:
        """Return the text of a field that holds no blocks."""
        if way is _How.LEAF:
            return self.leaf(declared, value)
        if declared.shape is Shape.MIXED:
            assert isinstance(value, tuple)
            return f"[{', '.join([self._mixed_item(declared, item) for item in value])}]"
        if isinstance(value, tuple):
            return f"[{', '.join([self._item(declared, item) for item in value])}]"
        if value is None:
            return "None"
        assert isinstance(value, Node)
        text = self._item(declared, value)
        return f"({text})" if text == "None" and declared.shape is Shape.OPTIONAL else text

    def _item(self, declared: Field, item: Node) -> str:
        family = family_of(type(item))
        if family is None or type(item) in LEAVES:
            return self.operand(item)
        text = family.write(self, item)
        assert declared.kind is not None
        if family_of(declared.kind) is not None or not family.word:
            return text
        return f"{family.word}({text})"

    def _mixed_item(self, declared: Field, item: object) -> str:
        if not isinstance(item, Node):
            return self.leaf(declared, item)
        family = family_of(type(item))
        if family is not None:
            text = family.write(self, item)
            return f"{family.word}({text})" if family.word else text
        text = self.operand(item)
        return text if text.startswith("%") else f"({text})"

    def _nested(self, node: Node, depth: int, how: _Plan) -> Rule:
        out = self.out
        outside = self.enter(depth)
        out.append(f"{NODE} {self.kind_name(type(node))}(")
        between = ""
        for declared, way, index in how.fields:
            value = getattr(node, declared.name)
            if _is_default(declared, value):
                continue
            out.append(f"{between}{spell_key(declared.name)}=")
            between = ", "
            if way in _PLAIN or value is None:
                out.append(self._plain(declared, way, value))
            else:
                yield self._field(node, declared, way, index)
        out.append(")")
        for declared, way, _ in how.fields:
            if way is _How.TYPES_BOUND and not _is_default(declared, getattr(node, declared.name)):
                value = getattr(node, declared.name)
                self.leave_types(value if isinstance(value, tuple) else (value,))
        if node.held_as_ is not Role.BINDER:  # what a pattern binds is known to its owner
            self.forget(node)
        self.enter(outside)

    def field(self, node: Node, name: str) -> Rule:
        """Write a field of ``node`` as the generic form does."""
        plan: _Plan = _PLANS[type(node)]
        for declared, way, index in plan.fields:
            if declared.name == name:
                if way in _PLAIN:
                    self.out.append(self._plain(declared, way, getattr(node, name)))
                    return
                yield self._field(node, declared, way, index)

    def _field(self, node: Node, declared: Field, way: _How, index: int) -> Rule:
        value = getattr(node, declared.name)
        if way is _How.BLOCK:
            if declared.shape is Shape.MIXED:
                yield self.mixed_block(node, index, lambda item: self.leaf(declared, item))
            else:
                yield self.block_of(node, index)
            return
        if way is _How.TYPES_BOUND:
            variables = value if isinstance(value, tuple) else (value,)
            self.out.append(self.bind_types(variables) if variables else "[]")
            return
        items = value if isinstance(value, tuple) else (value,)
        bound = self._known.setdefault(node, []) if way is _How.BINDER else []
        is_pattern = node.held_as_ is Role.BINDER  # what it binds stays known to its owner
        if not is_pattern:
            self.resume(bound)
        self.out.append("[" if isinstance(value, tuple) else "")
        for place, item in enumerate(items):
            self.out.append(", " if place else "")
            if way is _How.BINDER:
                yield self._bind(item, bound)
            elif not isinstance(item, Node):
                self.out.append(self.leaf(declared, item))
            else:
                yield self._inline(declared, item)
        self.out.append("]" if isinstance(value, tuple) else "")
        if not is_pattern:
            self.suspend(bound)

    def _bind(self, item: Node, bound: list[Node]) -> Rule:
        """Write a variable, or a pattern, that a node binds."""
        if type(item) in VARIABLES:
            self.out.append(self.bind(item, bound))
        elif family_of(type(item)) is not None:
            self.out.append(self.bind_family(item, bound))
        else:  # a pattern without a grammar of its own
            self._known[item] = bound
            yield self.value_of(item, self._depth)
            del self._known[item]

    def bind_types(self, variables: tuple[Node, ...]) -> str:
        """Bring variables for annotations into scope and return their text."""
        family = family_of(type(variables[0]))
        assert family is not None
        assert family.bind is not None
        return family.bind(self, variables)

    def leave_types(self, variables: tuple[Node, ...]) -> None:
        """Take variables for annotations out of scope."""
        family = family_of(type(variables[0])) if variables else None
        if family is not None and family.leave is not None:
            family.leave(self, variables)

    def family_text(self, item: Node) -> str:
        """Return the text of a node of a family with a grammar of its own."""
        return FAMILIES[type(item)].write(self, item)

    def bind_family(self, item: Node, bound: list[Node]) -> str:
        """Bring the variables of a pattern with a grammar of its own into scope; its text."""
        del bound
        return self.family_text(item)

    def _inline(self, declared: Field, item: Node) -> Rule:
        """Write a part, or an annotation, where it is used."""
        out, plan = self.out, self.plan
        family = family_of(type(item))
        if item not in plan.position or type(item) in VARIABLES or family is not None:
            mixed = declared.shape is Shape.MIXED
            text = self._mixed_item(declared, item) if mixed else self._item(declared, item)
            optional = declared.shape is Shape.OPTIONAL
            out.append("(None)" if text == "None" and optional else text)
            return
        out.append("(" if declared.shape is Shape.MIXED else "")
        made = TEXTS[type(item)](self, item, self._depth)
        if isinstance(made, str):
            out.append(made)
        else:
            yield made
        out.append(")" if declared.shape is Shape.MIXED else "")

    # Values

    def value(self, value: object) -> str:
        """Return the text of a value that is no node."""
        return spell_value(value, self)

    def leaf(self, declared: Field, value: object) -> str:
        """Return the text of the value of a field without role."""
        return spell_leaf(declared, value, self)


TEXTS.register(Node, NodeWriter.node)


def _is_default(declared: Field, value: object) -> bool:
    """Return whether a field is at its default, so it need not be written."""
    if declared.default is REQUIRED:
        return False
    default: object = declared.default
    if value is default or isinstance(value, Node):
        return value is default
    return same_literal(value, default)


def spell_leaf(declared: Field, value: object, context: ValueContext) -> str:
    """Return the text of the value of a field without role."""
    if isinstance(value, Enum):
        return _spell_enum(declared, value, must_parse=not context.metadata.readable)
    if isinstance(value, Attrs):
        return f"{spell_key(value.type_key)}{{{spell_items(value, context)}}}"
    if type(value) is tuple:
        if all(type(item) is not tuple for item in value) or _is_small(value):
            return f"[{', '.join([spell_leaf(declared, item, context) for item in value])}]"
        return context.metadata.refer("Array", value)
    return spell_value(value, context)


_LONG: Final = 1000


def _is_small(root: tuple[object, ...]) -> bool:
    """Return whether a nest of tuples has few items, written out, and few levels."""
    count = 0
    stack: list[tuple[object, int]] = [(root, 0)]
    while stack:
        value, level = stack.pop()
        if type(value) is not tuple:
            continue
        count += len(value)
        if count > _LONG or level > _DEEPEST_LIST:
            return False
        stack += [(item, level + 1) for item in value]
    return True


_DEEPEST_LIST: Final = 50


def _spell_enum(declared: Field, value: Enum, *, must_parse: bool) -> str:
    kind = type(value)
    if must_parse and declared.enums.get(kind.__name__) is not kind:
        raise FieldError(
            f"{value!r} in the field {declared.name!r} has no text form, for the field does not "
            f"say that it holds a {kind.__name__}; say so in its annotation"
        )
    name = value.name or (str(value.value) if value.value else "")  # flags may have no name
    return spell_key(f"{kind.__name__}.{name}")


_PLAIN: Final = frozenset({_How.LEAF, _How.FAMILY, _How.OPERAND})


def _plan_of_kind(kind: type[Node]) -> _Plan:
    blocks = block_fields(kind)
    found: list[tuple[Field, _How, int]] = []
    for declared in kind.fields_:
        if is_written(declared):
            index = blocks.index(declared) if declared in blocks else -1
            found.append((declared, _how(kind, declared, index), index))
    found.sort(key=lambda item: _ORDER.get(item[1], 2))  # which leaves all others as they are
    nests = any(way not in _PLAIN for _, way, _ in found) and kind not in VARIABLES
    return _Plan(tuple(found), nests)


_ORDER: Final = {_How.TYPES_BOUND: 0, _How.BINDER: 1}


def _how(kind: type[Node], declared: Field, index: int) -> _How:
    if declared.kind is None:
        return _How.LEAF
    if kind in VARIABLES:
        return _How.OPERAND
    if index >= 0:
        return _How.BLOCK
    family = family_of(declared.kind)
    if declared.role is Role.BINDER:
        binds_types = family is not None and family.bind is not None
        if binds_types and declared.kind in VARIABLES:
            return _How.TYPES_BOUND
        return _How.FAMILY if family is not None and not family.entered else _How.BINDER
    if family is not None and not family.entered:
        return _How.FAMILY
    is_named = declared.kind in VARIABLES or declared.kind in LEAVES
    if declared.role in (Role.PART, Role.ANNOTATION) and not is_named:
        return _How.INLINE
    return _How.OPERAND


_PLANS: Final = ByKind(_plan_of_kind)


class PartsContext(ValueContext, Protocol):
    """What writing the generic form needs from the printer of a family with its own grammar."""

    def kind_name(self, kind: type[Node]) -> str:
        """Return the name of a kind."""

    def piece(self, item: Node) -> object:
        """Return the text of a node, or the node itself if it is of the family."""

    def binder(self, var: Node) -> object:
        """Return what stands for a variable where it is bound."""

    def bind_types(self, variables: tuple[Node, ...]) -> str:
        """Bring variables for annotations into scope and return their text."""


def parts_of(context: PartsContext, node: Node) -> Iterator[object]:
    """Yield the generic form of a node that a grammar of its own surrounds, in pieces.

    Variables that come into scope for the length of the node are yielded as a tuple at its end.
    """
    how: _Plan = _PLANS[type(node)]
    bound: list[tuple[Node, ...]] = []
    yield f"{NODE} {context.kind_name(type(node))}("
    between = ""
    for declared, way, _ in how.fields:
        value = getattr(node, declared.name)
        if _is_default(declared, value):
            continue
        yield f"{between}{spell_key(declared.name)}="
        between = ", "
        if way is _How.LEAF:
            yield spell_leaf(declared, value, context)
        elif way is _How.BLOCK:
            raise FieldError(
                f"{type(node).__name__}.{declared.name} is a scope, which has no text inside of a "
                f"type or pattern"
            )
        elif value is None:
            yield "None"
        elif way is _How.TYPES_BOUND:
            bound.append(value if isinstance(value, tuple) else (value,))
            yield context.bind_types(bound[-1]) if bound[-1] else "[]"
        else:
            yield from _pieces(context, declared, way, value)
    yield ")"
    yield from bound


def _pieces(context: PartsContext, declared: Field, way: _How, value: object) -> Iterator[object]:
    is_tuple = isinstance(value, tuple)
    if is_tuple:
        yield "["
    for place, item in enumerate(value if isinstance(value, tuple) else (value,)):
        if place:
            yield ", "
        if not isinstance(item, Node):
            yield spell_leaf(declared, item, context)
            continue
        is_bound = way is _How.BINDER and type(item) in VARIABLES
        piece = context.binder(item) if is_bound else context.piece(item)
        family = family_of(type(item))
        assert declared.kind is not None
        wrapped = family is not None and (
            declared.shape is Shape.MIXED or family_of(declared.kind) is None
        )
        if family is not None and family.word and wrapped:
            yield from (f"{family.word}(", piece, ")")
        elif family is None and declared.shape is Shape.MIXED and not str(piece).startswith("%"):
            yield from ("(", piece, ")")
        else:
            yield piece
    if is_tuple:
        yield "]"
