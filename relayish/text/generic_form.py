"""The generic form of fields: how each is written, told by its role, and the texts of values.

Nodes stand among the pieces of a text until a grammar of their own, as types have, writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol

from relayish.errors import FieldError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.fields.field import REQUIRED, Field, Shape
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import NodesGetter, compile_getter, scope_fields
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind, Traversal
from relayish.ir.values.literal import is_same_literal
from relayish.text.layout import is_written
from relayish.text.tables import NODE, REGISTER, family_of
from relayish.text.values_writer import ValueContext, spell_items, spell_key, spell_value


class FieldForm(Enum):
    """The form in which a field is written."""

    LEAF = "leaf"
    FAMILY = "family"  # by the grammar of the family
    TYPES_BOUND = "types bound"  # likewise, where they are bound
    BINDER = "binder"
    BLOCK = "block"
    INLINE = "inline"  # where they are used, if that is once
    OPERAND = "operand"


PLAIN: Final = frozenset({FieldForm.LEAF, FieldForm.FAMILY, FieldForm.OPERAND})
"""The forms of fields that hold no blocks and bind nothing."""


class Form(NamedTuple):
    """How nodes of a kind are written.

    Attributes:
        fields: Their fields in order, and what stands before the value of each.
        types_bound: The variables for types that they bind.
        nests: Whether they hold blocks, or bind something.
    """

    fields: tuple[tuple[Field, FieldForm, str], ...]
    types_bound: NodesGetter
    nests: bool


def form_of(kind: type[Node]) -> Form:
    """Return how nodes of class ``kind`` are written; what they bind comes first."""
    found: Form = _FORMS[kind]
    return found


def _form_of_kind(kind: type[Node]) -> Form:
    found = [
        (f, _field_form(kind, f), f"{spell_key(f.name)}=") for f in kind.fields_ if is_written(f)
    ]
    found.sort(key=lambda item: _ORDER.get(item[1], 2))  # which leaves all others as they are
    types_bound = compile_getter([f for f, way, _ in found if way is FieldForm.TYPES_BOUND])
    nests = any(way not in PLAIN for _, way, _ in found)
    return Form(tuple(found), types_bound, nests)


_ORDER: Final = {FieldForm.TYPES_BOUND: 0, FieldForm.BINDER: 1}
_FORMS: Final = ByKind(_form_of_kind)


def _field_form(kind: type[Node], declared: Field) -> FieldForm:
    if declared.kind is None:
        return FieldForm.LEAF
    if kind in VARIABLES:
        return FieldForm.OPERAND
    if declared in scope_fields(kind).blocks:
        return FieldForm.BLOCK
    family = family_of(declared.kind)
    if binds_types(declared):
        return FieldForm.TYPES_BOUND
    if family is not None and not family.entered:
        return FieldForm.FAMILY
    if declared.role is Role.BINDER:
        return FieldForm.BINDER
    if declared.role in (Role.PART, Role.ANNOTATION) and declared.kind not in VARIABLES:
        return FieldForm.INLINE
    return FieldForm.OPERAND


def binds_types(declared: Field) -> bool:
    """Return whether a field binds variables for types, which are bound by their own grammar."""
    if declared.role is not Role.BINDER or declared.kind not in VARIABLES:
        return False
    family = family_of(declared.kind)
    return family is not None and family.bind is not None


def is_default(declared: Field, value: object) -> bool:
    """Return whether a field is at its default, so it need not be written."""
    default: object = declared.default
    if value is default or isinstance(value, Node) or default is REQUIRED:
        return value is default
    return is_same_literal(value, default)


class PartsContext(ValueContext, Protocol):
    """What writing the generic form needs from a printer.

    Attributes:
        language: The language whose kinds go by their visit names alone.
    """

    language: str

    def bind_types(self, variables: Any) -> str:  # Any: they are of the family's kinds
        """Bring variables for annotations into scope and return their text."""

    def leave_types(self, variables: Any) -> None:  # Any: as above
        """Take variables for annotations out of scope."""


def node_parts(
    context: PartsContext, node: Node, own: tuple[type[Node], ...] = ()
) -> Iterator[object]:
    """Yield the generic form of a node in pieces: texts, and nodes of the families ``own``."""
    yield f"{NODE} {kind_name(type(node), context.language)}("
    yield from field_parts(context, node, own)
    yield ")"
    context.leave_types(form_of(type(node)).types_bound(node))


def field_parts(
    context: PartsContext, node: Node, own: tuple[type[Node], ...] = (), left_out: str = ""
) -> Iterator[object]:
    """Yield ``field=value, ...`` of a node in pieces."""
    between = ""
    for declared, way, name in form_of(type(node)).fields:
        value = getattr(node, declared.name)
        if declared.name != left_out and not is_default(declared, value):
            yield between + name
            yield from value_parts(context, declared, way, value, own)
            between = ", "


def value_parts(
    context: PartsContext,
    declared: Field,
    way: FieldForm,
    value: object,
    own: tuple[type[Node], ...] = (),
) -> Iterator[object]:
    """Yield the value of a field that holds no blocks in pieces."""
    if way is FieldForm.LEAF:
        yield spell_leaf(declared, value, context)
    elif value is None:
        yield "None"
    elif way is FieldForm.BLOCK:
        raise FieldError(
            f"a type or pattern has no generic text, for its field {declared.name!r} is a scope; "
            f"give its kind a text by {REGISTER}"
        )
    elif way is FieldForm.TYPES_BOUND:
        variables = value if isinstance(value, tuple) else (value,)
        yield context.bind_types(variables) if variables else "[]"
    elif isinstance(value, tuple):
        yield "["
        for place, item in enumerate(value):
            yield ", " if place else ""
            yield from item_parts(context, declared, item, own)
        yield "]"
    else:
        yield from item_parts(context, declared, value, own)


def item_parts(
    context: PartsContext, declared: Field, item: object, own: tuple[type[Node], ...] = ()
) -> Iterator[object]:
    """Yield a node in a field, or another value where there are such, in pieces."""
    if not isinstance(item, Node):
        yield spell_leaf(declared, item, context)
        return
    assert declared.kind is not None
    is_mixed = declared.shape is Shape.MIXED
    family = family_of(type(item))
    if family is None:
        is_bound = declared.role is Role.BINDER and type(item) in VARIABLES and own
        piece: Any = item if is_bound else context.operand(item)
        bare = not is_mixed or type(piece) is not str or piece.startswith("%")
        none = piece == "None" and declared.shape is Shape.OPTIONAL
        word = None if bare and not none else ""
    else:
        piece = item if isinstance(item, own) else context.family_text(item)
        is_clear = not is_mixed and family_of(declared.kind) is not None
        word = None if is_clear or not family.word else family.word
    yield from (piece,) if word is None else (f"{word}(", piece, ")")


def spell_leaf(declared: Field, value: object, context: ValueContext) -> str:
    """Return the text of the value of a field that holds no nodes."""
    if isinstance(value, Enum):
        return _spell_enum(declared, value, must_parse=not context.metadata.readable)
    if isinstance(value, Attrs):
        return f"{spell_key(value.type_key)}{{{spell_items(value, context)}}}"
    if isinstance(value, tuple):  # named ones as well, which a field makes of plain ones
        if not any(isinstance(item, tuple) for item in value) or _is_small(value):
            return f"[{', '.join([spell_leaf(declared, item, context) for item in value])}]"
        return context.metadata.refer("Array", value)
    return spell_value(value, context)


_LONG: Final = 1000
_DEEPEST_LIST: Final = 50


def _is_small(root: tuple[object, ...]) -> bool:
    """Return whether a nest of tuples has few items, written out, and few levels."""
    count = 0
    stack: list[tuple[object, int]] = [(root, 0)]
    while stack:
        value, level = stack.pop()
        if not isinstance(value, tuple):
            continue
        count += len(value)
        if count > _LONG or level > _DEEPEST_LIST:
            return False
        stack += [(item, level + 1) for item in value]
    return True


def _spell_enum(declared: Field, value: Enum, *, must_parse: bool) -> str:
    kind = type(value)
    if must_parse and declared.enums.get(kind.__name__) is not kind:
        raise FieldError(
            f"{value!r} in the field {declared.name!r} has no text form, for the field does not "
            f"say that it holds a {kind.__name__}; say so in its annotation"
        )
    name = value.name or (str(value.value) if value.value else "")  # flags may have no name
    return spell_key(f"{kind.__name__}.{name}")


def kind_name(kind: type[Node], language: str) -> str:
    """Return how a kind is written, with its language where that is not ``language``."""
    return spell_key(kind.language_.qualified(kind.visit_name, language))


# Pieces


def assemble(root: Node, expand: Callable[[Any], str | Iterator[object]]) -> str:
    """Return the text of ``root``: that of its pieces in order, and of the nodes among them.

    ``expand`` returns the text of a node, or its pieces. No recursion.
    """
    out: list[str] = []
    waiting: list[Iterator[object]] = []
    pieces: Iterator[object] = iter((root,))
    while True:
        for piece in pieces:
            made: Any = piece if type(piece) is str else expand(piece)  # Any: text, or pieces
            if type(made) is str:
                out.append(made)
            else:
                waiting.append(pieces)
                pieces = made
                break
        else:
            if not waiting:
                return "".join(out)
            pieces = waiting.pop()


def separate_by_commas(items: Iterable[Node]) -> Iterator[object]:
    """Yield nodes with commas between them."""
    between = ""
    for item in items:
        yield between
        yield item
        between = ", "


def find_repeated(
    roots: Sequence[Node], traversal: Traversal, is_small: Callable[[Node], bool]
) -> set[Node]:
    """Return the nodes that occur more than once in ``roots``, but for small ones."""
    used: set[Node] = set()
    found: set[Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if is_small(node):
            continue
        if node in used:
            found.add(node)
            continue
        used.add(node)
        push = traversal.push_all[type(node)]
        if push is not None:
            push(node, stack.append, stack.extend)
    return found
