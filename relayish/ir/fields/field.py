"""The fields of a node class: what its annotations and :func:`field` say of them."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any, Final, NamedTuple

from relayish.errors import DeclarationError
from relayish.ir.fields.roles import Access, Role, Runs


class Shape(Enum):
    """How the nodes of a field are held."""

    LEAF = "leaf"  # no node in it
    ONE = "one"  # exactly one node
    OPTIONAL = "optional"  # one node or None
    MANY = "many"  # a tuple of nodes
    MIXED = "mixed"  # a tuple in which some items are nodes


class _Missing(Enum):
    REQUIRED = "required"


REQUIRED: Final = _Missing.REQUIRED
"""Stands for the default of a field that has none."""


class FieldDeclaration(NamedTuple):
    """What :func:`field` was told, until the class is declared and it becomes a :class:`Field`."""

    default: object
    binder: bool = False
    scope: Runs | None = None
    part: bool = False
    annotation: bool = False
    recursive: bool = False
    block: bool = False
    access: Access = Access.NONE
    hint: bool = False
    compared: bool = True
    inferred: bool = False
    convert: Callable[[Any], object] | None = None  # Any: each converts its own type
    derived: bool = False
    rest: bool = False
    declares: bool = False


def field(
    *,
    default: Any = REQUIRED,  # Any: the default has the type of the field it belongs to
    binder: bool = False,
    scope: Runs | None = None,
    part: bool = False,
    annotation: bool = False,
    recursive: bool = False,
    block: bool = False,
    access: Access = Access.NONE,
    hint: bool = False,
    compared: bool = True,
    inferred: bool = False,
    convert: Callable[[Any], object] | None = None,  # Any: see default
    derived: bool = False,
    rest: bool = False,
    declares: bool = False,
    init: bool = True,  # noqa: ARG001 - read by type checkers, as is what follows
    kw_only: bool = False,  # noqa: ARG001
) -> Any:  # Any: stands where a value of the field's type is declared
    """Declare a field that needs more said about it than its annotation.

    A field that holds nodes has one role. If nothing is said it is that of the family it holds:
    expressions are operands, types annotations, patterns binders and clauses parts.

    Args:
        default: Value taken when the constructor is not given one.
        binder: The variables in this field, or in the patterns in it, are brought into scope by
            the node: in its scopes, and in its recursive operands.
        scope: What is in this field is evaluated in a scope of its own, and how often.
        part: What is in this field is no value, but holds operands and scopes of the node, which
            come after its own.
        annotation: What is in this field is not evaluated.
        recursive: What the node binds is in scope in this operand as well, as a function that a let
            binds is in its own definition.
        block: The field holds statements, which run one after the other.
        access: The node reads or writes the place that this field names.
        hint: The field is for people: variables that differ in it alone are not told apart.
        compared: Whether structural equality and hashing look at the field.
        inferred: The field says what was found out of the node; on a changed one it is cleared.
        convert: Called on the given value; raises ``ValueError`` or ``TypeError`` on a bad one.
        derived: The field follows from the others: ``derive_<name>`` of the class or of its family,
            a static method or as ``attrgetter("a.type")``, is called on a node when it is made, and
            whenever it is rebuilt, so that the field is never stale. It is neither given nor
            compared nor stored.
        declares: What the field binds is known in all that stands behind the node, in the block or
            scope that it stands in: the node is a declaration. Without, a binder needs a scope.
        rest: The nodes are statements, and this field, a scope, holds what comes after one in its
            block: another statement, or the value of the block.
        init: For type checkers: ``False`` for derived fields.
        kw_only: For type checkers: inherited fields come after those of the class itself.
    """
    return FieldDeclaration(
        default, binder, scope, part, annotation, recursive, block, access, hint, compared,
        inferred, convert, derived, rest, declares,
    )  # fmt: skip


class Field:
    """One declared field of a node class.

    Attributes:
        kind: The node class whose instances the field holds, ``None`` for leaves.
        role: What these are to the node.
        runs: How often a scope is evaluated; ``None`` for fields of another role.
        enums: The enumerations that the annotation names, by name: text names their members.
    """

    __slots__ = (
        "accepts",
        "access",
        "block",
        "compared",
        "convert",
        "declares",
        "default",
        "enums",
        "hint",
        "inferred",
        "kind",
        "name",
        "recursive",
        "rest",
        "role",
        "runs",
        "shape",
    )  # fmt: skip

    def __init__(self, owner: str, name: str, annotated: object, declared: object) -> None:
        if not isinstance(declared, FieldDeclaration):
            declared = FieldDeclaration(declared)
        self.name = name
        self.default = declared.default
        self.compared = declared.compared
        self.convert = declared.convert
        self.hint = declared.hint
        self.inferred = declared.inferred
        self.block = declared.block
        self.access = declared.access
        self.recursive = declared.recursive
        self.rest = declared.rest
        self.declares = declared.declares
        self.runs = declared.scope
        check_enum(f"scope of {owner}.{name}", declared.scope, Runs)
        check_enum(f"access of {owner}.{name}", declared.access, Access)
        self.shape, self.kind, self.accepts = _classify(annotated)
        hidden = _node_class_in(annotated) if self.shape is Shape.LEAF else None
        loose = _loose_container_in(annotated)
        if loose is not None:
            raise DeclarationError(
                f"{owner}.{name} is annotated {annotated}, but nodes keep no {loose.__name__}: "
                f"they are never changed, and have a text; {_suggest_instead(loose, hidden)}"
            )
        if hidden is not None:
            raise DeclarationError(
                f"{owner}.{name} is annotated {annotated}, in which a {hidden.__name__} would not "
                f"be seen; a field holds {hidden.__name__}, {hidden.__name__} | None or "
                f"tuple[{hidden.__name__}, ...], or nodes of a kind that holds the rest"
            )
        if declared.inferred and declared.default is not None:
            raise DeclarationError(
                f"{owner}.{name} is declared inferred, so its default must be None: of a new node "
                f"nothing has been found out"
            )
        if self.shape is Shape.MIXED and declared.binder:
            raise DeclarationError(
                f"{owner}.{name} is declared a binder, but annotated {annotated} it may hold what "
                f"binds nothing; a binder holds a variable, one or None, or a tuple of variables"
            )
        self.enums = {kind.__name__: kind for kind in _enums(annotated)}
        self.role = _role(f"{owner}.{name}", declared, self.kind)
        if self.block and not self.holds_many:
            raise DeclarationError(
                f"{owner}.{name} is declared a block, but annotated {annotated}; a block is a "
                f"tuple of statements"
            )

        if self.rest and (self.role is not Role.SCOPE or self.shape is not Shape.ONE):
            raise DeclarationError(
                f"{owner}.{name} is declared to hold the rest of a block, but that is one node in "
                f"a scope; declare it field(scope=Runs.ONCE, rest=True), annotated with a family"
            )

    def replace_class(self, old: type[Any], new: type[Any]) -> None:
        """Let the field hold nodes of ``new`` where it is annotated with ``old``, its own class.

        A class is made again with slots when it is declared; annotations name what it was before.
        """
        self.accepts = tuple([new if accepted is old else accepted for accepted in self.accepts])
        if self.kind is old:
            self.kind = new

    @property
    def is_evaluated(self) -> bool:
        """Whether the field holds a piece of the program, and not of what is said about it."""
        if self.kind is None or self.role is Role.ANNOTATION:
            return False
        return self.role is not Role.BINDER or self.kind.held_as_ is not Role.ANNOTATION

    @property
    def binder(self) -> bool:
        """Whether the field holds what the node binds."""
        return self.role is Role.BINDER

    @property
    def holds_patterns(self) -> bool:
        """Whether what the field binds are patterns, in which variables stand."""
        return self.binder and self.kind is not None and self.kind.held_as_ is Role.BINDER

    @property
    def holds_many(self) -> bool:
        """Whether the field is a tuple in which nodes stand."""
        return self.shape in (Shape.MANY, Shape.MIXED)

    def __repr__(self) -> str:
        return f"Field({self.name}, {self.shape.value}, {self.role.value})"


def _enums(hint: object) -> list[type[Enum]]:
    """Return the enumerations that an annotation names."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return [hint]
    parts = typing.get_type_hints(hint).values() if is_named_tuple(hint) else typing.get_args(hint)
    return [found for part in parts for found in _enums(part)]


def is_named_tuple(hint: object) -> typing.TypeGuard[type[tuple[Any, ...]]]:
    """Return whether ``hint`` is a class of named tuples."""
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


def is_node_class(hint: object) -> typing.TypeGuard[type[Any]]:
    """Return whether ``hint`` is a class of nodes, that of all of them included."""
    return isinstance(hint, type) and hasattr(hint, "fields_")


def _node_class_in(annotated: object) -> type[Any] | None:
    """Return a class of nodes that occurs in an annotation, if there is one."""
    pending = [annotated]
    while pending:
        part = pending.pop()
        if is_node_class(part):
            return part
        pending += typing.get_args(part)
    return None


def _loose_container_in(annotated: object) -> type | None:
    """Return a class of containers in an annotation that is none of those which nodes keep."""
    pending = [annotated]
    while pending:
        part = pending.pop()
        found = typing.get_origin(part) or part
        if (
            inspect.isclass(found)
            and issubclass(found, _CONTAINERS)
            and not issubclass(found, _KEPT)
        ):
            return found
        pending += typing.get_args(part)
    return None


def _suggest_instead(container: type, node: type[Any] | None) -> str:
    """Return what is to be declared in place of a field that holds ``container``."""
    if not issubclass(container, Mapping):
        held = "item" if node is None else node.__name__
        return f"annotate it tuple[{held}, ...], which takes a list"
    if node is None:
        return (
            "annotate it DictAttrs, which takes a dict, or with a class of attributes that @attrs "
            "declares"
        )
    return (
        f"annotate it tuple[{node.__name__}, ...] beside the names as tuple[str, ...], or with "
        f"nodes of a kind of part that holds a name and a {node.__name__}"
    )


_CONTAINERS: Final = (Mapping, Sequence, AbstractSet)
_KEPT: Final = (str, bytes, tuple, range)


def check_enum(what: str, given: object, wanted: type[Enum]) -> None:
    """Raise if ``given`` is neither ``None`` nor a member of ``wanted``."""
    if given is not None and not isinstance(given, wanted):
        raise DeclarationError(
            f"{what} is given as {given!r}; expected one of {wanted.__name__}: "
            f"{', '.join(f'{wanted.__name__}.{name}' for name in wanted.__members__)}"
        )


def _role(where: str, declared: FieldDeclaration, kind: type[Any] | None) -> Role:
    said = {
        "binder": declared.binder,
        "scope": declared.scope is not None,
        "part": declared.part,
        "annotation": declared.annotation,
    }
    given = [name for name, holds in said.items() if holds]
    if len(given) > 1:
        raise DeclarationError(
            f"{where} is declared {' and '.join(given)}; a field has one role; say one of them"
        )
    if kind is None:
        if given or declared.recursive or declared.block:
            what = given[0] if given else "recursive" if declared.recursive else "block"
            raise DeclarationError(
                f"{where} holds no nodes, so it cannot be declared {what}; "
                f"annotate it with a class of nodes"
            )
        return Role.LEAF
    role: Role = Role(given[0]) if given else kind.held_as_
    if declared.recursive and role is not Role.OPERAND:
        raise DeclarationError(
            f"{where} is declared recursive, which is for operands; it is a {role.value}"
        )
    return role


def _classify(hint: object) -> tuple[Shape, type[Any] | None, tuple[type, ...]]:
    """Return shape, node class and accepted classes that an annotation stands for."""
    if is_node_class(hint):
        return Shape.ONE, hint, (hint,)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in _UNIONS:
        kind = arguments[0]
        if is_node_class(kind) and arguments[1:] == (type(None),):
            return Shape.OPTIONAL, kind, ()
        return Shape.LEAF, None, _find_accepted(arguments)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        item = arguments[0]
        members = typing.get_args(item) if typing.get_origin(item) in _UNIONS else (item,)
        hiding = [m for m in members if _node_class_in(m) is not None]
        if len(hiding) == 1 and is_node_class(hiding[0]):
            shape = Shape.MANY if len(members) == 1 else Shape.MIXED
            return shape, hiding[0], _find_accepted(members)
        return Shape.LEAF, None, (tuple,)
    return Shape.LEAF, None, _find_accepted((hint,))


def _find_accepted(hints: Iterable[object]) -> tuple[type, ...]:
    """Return the classes of the values that annotations stand for; ``()``: no class tells."""
    classes = [tuple if typing.get_origin(hint) is tuple else hint for hint in hints]
    accepted = [found for found in classes if _tells_values(found)]
    return tuple(accepted) if len(accepted) == len(classes) else ()


def _tells_values(hint: object) -> typing.TypeGuard[type]:
    """Return whether ``hint`` is a class that tells its instances from other values."""
    if not isinstance(hint, type) or hint is object:
        return False
    try:
        isinstance(None, hint)
    except TypeError:  # Any, and protocols
        return False
    return True


_UNIONS: Final = (types.UnionType, typing.Union)
