"""Declarations of node classes.

A class declares its fields once, with annotations, under :func:`node`. From that declaration come
its constructor (validating, accepting a list where a tuple is kept), its slots, its functional
update, and the field table from which traversal, comparison, hashing and storage are derived.
Fields have roles and kinds have traits (:mod:`relayish.ir.fields.roles`), from which all else is
derived.

A node is one slotted object, compared by identity and never changed: it is filled while it still
belongs to a mutable sibling class of the same layout, and frozen by flipping ``__class__``, which
on CPython 3.11 costs two thirds of writing slots through their descriptors
(``docs/adr/0001-node-representation.md``).
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Final, NoReturn, TypeVar, dataclass_transform

from relayish._support import hooks
from relayish._support.display import repr_mimebundle
from relayish._support.missing import set_absent_members
from relayish.errors import DeclarationError, FrozenNodeError
from relayish.ir.domains.domain import Domain, Opcode, Operator
from relayish.ir.domains.language import Language, languages
from relayish.ir.domains.property import Property, count_children, properties_of
from relayish.ir.fields.check_roles import check_roles
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import REQUIRED, Field, FieldDeclaration, check_enum, field
from relayish.ir.fields.hints import class_hints
from relayish.ir.fields.naming import brief
from relayish.ir.fields.roles import Access, Atom, Role, Traits
from relayish.ir.nodes.construct import generate_constructors
from relayish.ir.nodes.origins import watch_constructor
from relayish.ir.nodes.update import generate_update
from relayish.ir.nodes.visit_name import mangle
from relayish.ir.registration.declarations import (
    Redo,
    Undo,
    declared_temporarily,
    watch_declarations,
)

__all__ = [
    "ATOMS",
    "GRAPH_NODES",
    "NAMES",
    "SYMBOLS",
    "VARIABLES",
    "Node",
    "declared_temporarily",
    "field",
    "node",
    "node_kinds",
]

_Class = TypeVar("_Class", bound=type)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
@set_absent_members
class Node:
    """The root of everything in a program: immutable, compared and hashed by identity.

    A class right below is the root of a family: ``class Expr(Node, language=RELAY)``.

    Args:
        language: The language that the kinds of the family belong to, whose handlers share their
            names; by default one of its own, called as the class is.
        held_as: What nodes of the family are to nodes that hold them, where a field says nothing.
        properties: Those of all kinds of the family, beside what follows of each.

    Every node has a place among the operators of all domains: ``domain``, ``operator``, ``opcode``
    and ``has_property``; and children, ``num_child`` of them, ``child(i)`` each. Where a kind has a
    field of such a name, it is the field, and the functions of :mod:`relayish.ir.kinds.opcode`
    tell.
    """

    __slots__ = ("__weakref__",)

    __match_args__: ClassVar[tuple[str, ...]] = ()
    fields_: ClassVar[tuple[Field, ...]] = ()
    derived_: ClassVar[tuple[str, ...]] = ()
    """The names of fields that follow from the others."""
    visit_name: ClassVar[str] = "node"
    language_: ClassVar[Language] = Language("node")
    held_as_: ClassVar[Role] = Role.OPERAND
    traits_: ClassVar[Traits] = Traits()
    domain_: ClassVar[str] = ""
    """The name of the domain that a kind belongs to."""
    operator_: ClassVar[str] = ""
    """What a kind is called in its domain; mostly its visit name."""
    properties_: ClassVar[Property] = Property.NONE
    """What is declared of the operator that a kind is, or the kinds of a family are."""
    names_definition_: ClassVar[bool] = False
    """Whether nodes of the class refer by name to what a module defines; Relay's keys aside."""
    replaces_: ClassVar[type[Node] | None] = None
    """The class that was declared before by the same code; its nodes stay what they are."""
    _repr_mimebundle_ = repr_mimebundle
    kinds: ClassVar[set[type[Node]]] = set()
    """The concrete classes at or below this one; grows as further kinds are declared."""

    @staticmethod
    def _make(*values: Any) -> Any:  # noqa: ARG004 - Any: replaced in each kind by one of its own signature
        """Build a node of this class from all its fields, in order, trusting them."""
        raise DeclarationError(
            "an abstract node class has no instances; make a node of a class below that is a kind"
        )

    def __init_subclass__(
        cls,
        *,
        language: Language | None = None,
        held_as: Role | None = None,
        properties: Property = Property.NONE,
    ) -> None:
        for base in cls.__mro__[1:]:
            if base is not Node and "fields_" in base.__dict__:
                raise DeclarationError(
                    f"{cls.__name__} subclasses the concrete node {base.__name__}; "
                    f"subclass {base.__mro__[1].__name__} instead"
                )
        cls.kinds = set()
        cls.replaces_ = None
        for base in cls.__mro__[1:]:
            properties |= base.__dict__.get("properties_", Property.NONE)
        cls.properties_ = properties
        if held_as is not None:
            cls.held_as_ = held_as
        if language is not None:
            cls.language_ = language
        elif Node in cls.__bases__ and "language_" not in cls.__dict__:
            words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
            cls.language_ = Language(words, root=cls)
        set_absent_members(cls)

    if typing.TYPE_CHECKING:  # ``relayish.ir.kinds.opcode`` adds them

        @property
        def domain(self) -> Domain: ...
        @property
        def operator(self) -> Operator: ...
        @property
        def opcode(self) -> Opcode: ...
        @property
        def num_child(self) -> int: ...
        def has_property(self, wanted: Property) -> bool: ...
        def child(self, index: int) -> Node: ...

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenNodeError(
            f"cannot assign {type(self).__name__}.{name}: nodes are immutable; "
            f"use node.with_fields({name}=...), which returns a new node"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenNodeError(f"cannot delete {type(self).__name__}.{name}: nodes are immutable")

    __str__ = hooks.print_text
    astext = hooks.write_text

    def __repr__(self) -> str:
        shown = [f"{f.name}={brief(getattr(self, f.name))}" for f in self.fields_ if f.compared]
        return f"{type(self).__name__}({', '.join(shown)})"

    def with_fields(self, /, **changes: object) -> typing.Self:
        """Return this node with some fields replaced.

        Returns:
            ``self`` when every given value is the one the node already holds (tuples item by
            item). Otherwise a new node, on which what was inferred of the old one, such as
            ``checked_type``, is cleared unless it was given: it need no longer be true.

        Raises:
            FieldError: If a field has no such name, or a value is not of the declared type.

        Complexity:
            Linear in the number of fields and the length of the given tuples.
        """
        kind = type(self)
        update = _UPDATES[kind]
        if Node.__dict__["with_fields"] is _WITH_FIELDS:
            setattr(kind, "with_fields", update)  # noqa: B010 - found sooner from here on
        updated: typing.Self = update(self, **changes)
        return updated


GIVING_WAY: Final = frozenset(
    {"child", "domain", "has_property", "num_child", "opcode", "operator"}
)
"""What every node has unless it has a field of that name."""


_WITH_FIELDS: Final = Node.with_fields


class _Updates(dict[type[Node], Callable[..., Any]]):  # Any: nodes
    """``with_fields`` of each node class, generated when it is first asked for."""

    def __missing__(self, kind: type[Node]) -> Callable[..., Any]:  # Any: as above
        made = self[kind] = generate_update(kind, _WITH_FIELDS)
        return made


_UPDATES: Final = _Updates()

ATOMS: Final[set[type[Node]]] = set()
"""The kinds of atoms, of all languages; grows as further kinds are declared."""

VARIABLES: Final[set[type[Node]]] = set()
"""The kinds of variables: they correspond by where they are bound, whatever they are called."""

NAMES: Final[set[type[Node]]] = set()
"""The kinds of names of what is defined elsewhere."""

SYMBOLS: Final[set[type[Node]]] = set()
"""The kinds of variables and of names, which stand for what is somewhere else."""

GRAPH_NODES: Final[set[type[Node]]] = set()
"""The kinds whose sharing counts: a node used twice is another program than two copies."""


def lineage(kind: type[Node]) -> Iterator[type[Node]]:
    """Yield the classes that ``kind`` belongs to, itself first, each before those it replaced."""
    for base in kind.__mro__:
        served: type | None = base
        while served is not None:
            yield served
            served = served.__dict__.get("replaces_")


def node_kinds() -> dict[str, type[Node]]:
    """Return every declared concrete node class by language and visit name: ``relay.let``."""
    return {
        f"{language.name}.{visit}": kind
        for language in languages().values()
        for visit, kind in language.kinds.items()
    }


def node(
    visit: str,
    *,
    domain: Domain | str | None = None,
    atom: Atom | None = None,
    effect: Effect | None = None,
    graph_node: bool | None = None,
    allocates: bool = False,
    properties: Property = Property.NONE,
) -> Callable[[_Class], _Class]:
    """Declare a concrete node class; ``visit`` is what follows ``visit_`` in its handlers' names.

    The fields of the class come first in its constructor, those it inherits (``span``,
    ``checked_type``) after them. A kind that says nothing of its effect may do anything when it is
    evaluated, so it is never dropped, moved or repeated; in languages whose variables change, it
    may give others to those that it names, unless a field says what is accessed.

    Args:
        visit: An identifier that no other kind of the language has, nor of the domain.
        domain: The domain that the kind is an operator of, by default that which is called as the
            language is. Another one goes before the visit name: ``Domain("complex")`` and
            ``"repeat"`` make ``visit_complex_repeat``, while the operator is ``repeat``. Behind a
            domain with underscores or dots, and for these dots, stand two: ``visit_my_lib__add``.
        atom: Which sort of atom the nodes are, if they are atoms; these have no effect.
        effect: What evaluating a node does by itself, its operands and scopes aside. By default
            anything, and nothing for atoms and for kinds that are not evaluated, such as types.
        graph_node: Whether sharing counts: a node used twice is another program than two copies of
            it (TVM's ``MarkGraphNode``). By default where evaluating it may do something.
        allocates: Whether each evaluation makes a thing of its own: it may be dropped, but neither
            repeated nor merged with another.
        properties: Those of the operator that the kind is which do not follow from the rest of its
            declaration; :func:`~relayish.ir.domains.property.properties_of` says what does.

    Raises:
        DeclarationError: If a field is called what every node has, or the visit name is no text.
        DuplicateNameError: If another class has the visit name, or another kind of the domain.
        UnknownNameError: If there is no such domain.
    """
    given: object = visit  # who writes @node without a name gives the class
    if not isinstance(given, str):
        raise DeclarationError(
            f"node takes the name by which handlers visit the kind; found "
            f"{getattr(given, '__name__', brief(given))}; write @node('while_loop') above the class"
        )

    def declare(cls: _Class) -> _Class:
        check_enum(f"the atom of {cls.__name__}", atom, Atom)
        check_enum(f"the effect of {cls.__name__}", effect, Effect)
        check_enum(f"properties of {cls.__name__}", properties, Property)
        for base in cls.__mro__[1:-1]:
            if "__slots__" not in base.__dict__:
                raise DeclarationError(
                    f"{base.__name__}, a base of the node {cls.__name__}, has no __slots__; "
                    f"write __slots__ = () in it, or every node would carry a dictionary"
                )
        is_evaluated = atom is None and typing.cast(type[Node], cls).held_as_ is Role.OPERAND
        own = effect if effect is not None else Effect.UNKNOWN if is_evaluated else Effect.NONE
        shares = own != Effect.NONE or allocates if graph_node is None else graph_node
        fields, derived = _collect_fields(cls)
        check_roles(cls, fields, atom)
        if effect is None and is_evaluated and typing.cast(type[Node], cls).language_.is_tree:
            _let_write(fields)
        own_domain = typing.cast(type[Node], cls).language_.name
        owner = own_domain if domain is None else domain if isinstance(domain, str) else domain.name
        name = visit if owner == own_domain else mangle(owner, visit)
        declared = _with_slots(cls, fields, derived, name)
        declared.domain_, declared.operator_ = owner, visit
        declared.traits_ = Traits(atom, own, shares, allocates)
        declared.properties_ = cls.__dict__["properties_"] | properties
        _enter(name, declared)
        return typing.cast(_Class, declared)

    return declare


def _enter(visit: str, kind: type[Node]) -> None:
    """Make a new kind known to its language, to the classes above it and to the sets of traits."""
    before = kind.language_.declare(visit, kind, count_children(kind), _find_properties(kind))
    if before is not None and before is not kind:
        _replace(before, kind)
    for base in kind.__mro__:
        if issubclass(base, Node):
            base.kinds.add(kind)
    for kinds, holds in _sets_of(kind):
        if holds:
            kinds.add(kind)
    watch_constructor(kind, kind.fields_)


def _find_properties(kind: type[Node]) -> Callable[[], Property]:
    """Return what finds the properties of ``kind``, anew where kinds were declared since.

    A family has more and more kinds, so what holds of all of them changes.
    """
    known, found = -1, Property.NONE

    def find() -> Property:
        nonlocal known, found
        if known != len(Node.kinds):
            found, known = properties_of(kind, ATOMS, SYMBOLS), len(Node.kinds)
        return found

    return find


def _replace(before: type[Node], kind: type[Node]) -> None:
    """Let what is known of a class, and of the families above it, serve those declared anew."""
    named = {(base.__module__, base.__qualname__): base for base in before.__mro__}
    for base in kind.__mro__:
        old = named.get((base.__module__, base.__qualname__), base)
        if old is not base:
            base.replaces_ = old  # type: ignore[attr-defined]


def _sets_of(kind: type[Node]) -> list[tuple[set[type[Node]], bool]]:
    atom = kind.traits_.atom
    return [
        (ATOMS, atom is not None),
        (VARIABLES, atom is Atom.VARIABLE),
        (NAMES, atom is Atom.NAME),
        (SYMBOLS, atom is Atom.VARIABLE or atom is Atom.NAME),
        (GRAPH_NODES, kind.traits_.graph_node),
    ]


def _watch_kinds(context: declared_temporarily) -> Undo:
    known = node_kinds()

    def undo() -> Redo:
        now = node_kinds()
        made = [name for name, kind in now.items() if known.get(name) is not kind]
        gone = [now[name] for name in made if not context.stays(now[name].__module__)]
        for kind in gone:
            kind.language_.forget(kind.visit_name)
            before = known.get(f"{kind.language_.name}.{kind.visit_name}")
            _forget(kind, before)
            if before is not None:
                _enter(before.visit_name, before)

        def redo() -> None:
            for kind in gone:
                _enter(kind.visit_name, kind)

        return redo

    return undo


def _forget(kind: type[Node], before: type[Node] | None) -> None:
    """Take a kind, and those that it replaced since ``before``, out of all sets of kinds."""
    replaced: type[Node] | None = kind
    while replaced is not None and replaced is not before:
        for base in replaced.__mro__:
            if issubclass(base, Node):
                base.kinds.discard(replaced)
        for held, _ in _sets_of(replaced):
            held.discard(replaced)
        replaced = replaced.replaces_


watch_declarations(_watch_kinds)


def _refuse_to_make(self: Node, *_args: object, **_fields: object) -> None:
    """Say what is missing where a class that is no kind is called; kinds have constructors."""
    raise DeclarationError(
        f"{type(self).__name__} is no kind of node; write @node(...) above the class, "
        f"or make a node of a class below it for which that is done"
    )


setattr(Node, "__init__", _refuse_to_make)  # noqa: B010 - type checkers know what kinds take


def _collect_fields(cls: type) -> tuple[tuple[Field, ...], tuple[str, ...]]:
    """Return the fields of a class that is being declared, and the names of derived ones."""
    try:
        hints = class_hints(cls)
    except NameError as error:
        raise DeclarationError(
            f"an annotation of {cls.__name__} names {error.name!r}, which {cls.__module__} does "
            f"not define; declare that there before, for an annotation that is a string names "
            f"what stands at the top of a module"
        ) from error
    own = list(inspect.get_annotations(cls))
    inherited = [
        name
        for base in cls.__mro__[1:]
        for name in inspect.get_annotations(base)
        if typing.get_origin(hints[name]) is not ClassVar
    ]
    for name in own:
        if name.startswith("_") or (hasattr(Node, name) and name not in GIVING_WAY):
            reason = "begins with an underscore" if name.startswith("_") else "is what nodes have"
            raise DeclarationError(
                f"a field of {cls.__name__} is called {name!r}, which {reason}; choose another name"
            )
        if name in inherited:
            raise DeclarationError(
                f"a field of {cls.__name__} is called {name!r}, as one of its family is; "
                f"choose another name"
            )
    said = {name: _said_of(cls, name) for name in own + inherited}
    derived = [n for n, s in said.items() if isinstance(s, FieldDeclaration) and s.derived]
    for name in derived:
        if not callable(getattr(cls, f"derive_{name}", None)):
            raise DeclarationError(
                f"{cls.__name__}.{name} is declared derived, but {cls.__name__} does not say of "
                f"what; give it, or its family, a static method derive_{name}(node)"
            )
    fields = [Field(cls.__name__, n, hints[n], s) for n, s in said.items() if n not in derived]
    return tuple(fields), tuple(derived)


def _let_write(fields: Iterable[Field]) -> None:
    """Let a kind that says nothing write what it names: variables of such languages may change."""
    fields = [each for each in fields if each.role is Role.OPERAND]
    if not any(each.access for each in fields):
        for each in fields:
            each.access = Access.BOTH | Access.PARTLY


def _said_of(cls: type, name: str) -> object:
    """Return the default of a field, or what it was declared with."""
    said = getattr(cls, name, REQUIRED)
    return REQUIRED if name in GIVING_WAY and said is Node.__dict__.get(name) else said


def _with_slots(
    cls: type, fields: tuple[Field, ...], derived: tuple[str, ...], visit: str
) -> type[Node]:
    """Re-create ``cls`` with slots, and the mutable sibling its instances are filled as."""
    names = tuple(f.name for f in fields)
    slots = (*names, *derived)
    namespace = {
        key: value
        for key, value in cls.__dict__.items()
        if key not in (*slots, "__dict__", "__weakref__", "kinds")
    }
    namespace.update(__slots__=slots, fields_=fields, visit_name=visit, __match_args__=names)
    namespace["derived_"] = derived
    namespace["__init__"] = object.__init__
    frozen = type(cls)(cls.__name__, cls.__bases__, namespace)
    sibling = type(
        cls.__name__,
        cls.__bases__,
        {
            "__slots__": slots,
            "__init__": object.__init__,
            "__setattr__": object.__setattr__,
            "__delattr__": object.__delattr__,
            "__module__": cls.__module__,
        },
    )
    frozen.kinds = cls.kinds  # type: ignore[attr-defined]
    for declared in fields:
        declared.replace_class(cls, frozen)
    constructor, make = generate_constructors(frozen, sibling, fields, derived)
    setattr(frozen, "__new__", constructor)  # noqa: B010 - the class is being completed here
    setattr(frozen, "_make", make)  # noqa: B010
    return typing.cast("type[Node]", frozen)
