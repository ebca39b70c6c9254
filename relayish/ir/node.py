"""How a node class is declared.

A class declares its fields once, with annotations, under :func:`node`. From that declaration come
its constructor (validating, accepting a list where a tuple is kept), its slots, its functional
update, and the field table from which traversal, comparison, hashing and storage are derived.

A node is one slotted object, compared by identity and never changed: it is filled while it still
belongs to a mutable sibling class of the same layout, and frozen by flipping ``__class__``, which
on CPython 3.11 costs two thirds of writing slots through their descriptors
(``docs/adr/0001-node-representation.md``).
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, ClassVar, Final, NoReturn, TypeVar, dataclass_transform

from relayish.errors import DeclarationError, FieldError, FrozenNodeError, suggest

_Class = TypeVar("_Class", bound=type)


class Shape(Enum):
    """How the nodes of a field are held."""

    LEAF = "leaf"  # no node in it
    ONE = "one"  # exactly one node
    OPTIONAL = "optional"  # one node or None
    MANY = "many"  # a tuple of nodes
    MIXED = "mixed"  # a tuple in which some items are nodes


class _Missing(Enum):
    REQUIRED = "required"


_REQUIRED: Final = _Missing.REQUIRED


class FieldDeclaration:
    """What :func:`field` was told, until :func:`node` turns it into a :class:`Field`."""

    __slots__ = ("binder", "compared", "convert", "default")

    def __init__(
        self,
        default: object,
        binder: bool,
        compared: bool,
        convert: Callable[[Any], object] | None,  # Any: each field converts its own type
    ) -> None:
        self.default = default
        self.binder = binder
        self.compared = compared
        self.convert = convert


def field(
    *,
    default: Any = _REQUIRED,  # Any: the default has the type of the field it belongs to
    binder: bool = False,
    compared: bool = True,
    convert: Callable[[Any], object] | None = None,  # Any: see default
    kw_only: bool = False,  # noqa: ARG001 - read by type checkers
) -> Any:  # Any: stands where a value of the field's type is declared
    """Declare a field that needs more said about it than its annotation.

    Args:
        default: Value taken when the constructor is not given one.
        binder: The variables in this field are brought into scope by the node.
        compared: Whether structural equality and hashing look at the field.
        convert: Called on the given value; raises ``ValueError`` or ``TypeError`` on a bad one.
        kw_only: For type checkers: inherited fields come after those of the class itself.
    """
    return FieldDeclaration(default, binder, compared, convert)


class Field:
    """One declared field of a node class.

    ``kind`` is the node class whose instances the field holds, ``None`` for leaves.
    """

    __slots__ = ("accepts", "binder", "compared", "convert", "default", "kind", "name", "shape")

    def __init__(self, name: str, hint: object, declared: object) -> None:
        if not isinstance(declared, FieldDeclaration):
            declared = FieldDeclaration(declared, binder=False, compared=True, convert=None)
        self.name = name
        self.default = declared.default
        self.binder = declared.binder
        self.compared = declared.compared
        self.convert = declared.convert
        self.shape, self.kind, self.accepts = _classify(hint)

    @property
    def holds_many(self) -> bool:
        """Whether the field is a tuple in which nodes stand."""
        return self.shape in (Shape.MANY, Shape.MIXED)

    def __repr__(self) -> str:
        return f"Field({self.name}, {self.shape.value})"


def _classify(hint: object) -> tuple[Shape, type[Node] | None, tuple[type, ...]]:
    """Return shape, node class and accepted classes that an annotation stands for."""
    if isinstance(hint, type) and issubclass(hint, Node):
        return Shape.ONE, hint, (hint,)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        shape, kind, _ = _classify(arguments[0])
        if shape is Shape.ONE and arguments[1:] == (type(None),):
            return Shape.OPTIONAL, kind, ()
        return Shape.LEAF, None, tuple(a for a in arguments if isinstance(a, type))
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        members = typing.get_args(arguments[0]) or (arguments[0],)
        nodes = [m for m in members if isinstance(m, type) and issubclass(m, Node)]
        if nodes:
            return (Shape.MANY if len(members) == 1 else Shape.MIXED), nodes[0], members
        return Shape.LEAF, None, (tuple,)
    if isinstance(hint, type) and hint is not object:
        return Shape.LEAF, None, (hint,)
    return Shape.LEAF, None, ()


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
class Node:
    """The root of everything in a program: immutable, compared and hashed by identity."""

    __slots__ = ("__weakref__",)

    __match_args__: ClassVar[tuple[str, ...]] = ()
    fields_: ClassVar[tuple[Field, ...]] = ()
    visit_name: ClassVar[str] = "node"
    kinds: ClassVar[set[type[Node]]] = set()
    """The concrete classes at or below this one; grows as further kinds are declared."""

    @staticmethod
    def _make(*values: Any) -> Any:  # noqa: ARG004 - Any: replaced in each kind by one of its own signature
        """Build a node of this class from all its fields, in order, trusting them."""
        raise DeclarationError("an abstract node class has no instances")

    def __init_subclass__(cls) -> None:
        for base in cls.__mro__[1:]:
            if base.__dict__.get("fields_"):
                raise DeclarationError(
                    f"{cls.__name__} subclasses the concrete node {base.__name__}; "
                    f"subclass {base.__mro__[1].__name__} instead"
                )
        cls.kinds = set()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenNodeError(
            f"cannot assign {type(self).__name__}.{name}: nodes are immutable; "
            f"use node.with_fields({name}=...), which returns a new node"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenNodeError(f"cannot delete {type(self).__name__}.{name}: nodes are immutable")

    def __repr__(self) -> str:
        shown = [f"{f.name}={_brief(getattr(self, f.name))}" for f in self.fields_ if f.compared]
        return f"{type(self).__name__}({', '.join(shown)})"

    def with_fields(self, /, **changes: object) -> typing.Self:
        """Return this node with some fields replaced.

        Returns:
            ``self`` when every given value is the one the node already holds (tuples item by
            item). Otherwise a new node, on which ``checked_type`` is cleared unless it was given:
            the old type need no longer be true.

        Raises:
            FieldError: If a field has no such name, or a value is not of the declared type.

        Complexity:
            Linear in the number of fields and the length of the given tuples.
        """
        for name in changes:
            if name not in self.__match_args__:
                raise FieldError(
                    f"{type(self).__name__} has no field {name!r}"
                    f"{suggest(name, self.__match_args__)}"
                )
        values: dict[str, object] = {}
        changed = False
        for name in self.__match_args__:
            old = getattr(self, name)
            new = changes.get(name, old)
            if new is old or _same_items(old, new):
                values[name] = old
            else:
                values[name] = new
                changed = True
        if not changed:
            return self
        if "checked_type" in values and "checked_type" not in changes:
            values["checked_type"] = None
        return type(self)(**values)


def _same_items(old: object, new: object) -> bool:
    if not isinstance(old, tuple) or not isinstance(new, (tuple, list)) or len(old) != len(new):
        return False
    return all(a is b for a, b in zip(old, new, strict=True))


def _brief(value: object) -> str:
    """Show a field in one line without descending into other nodes' fields."""
    if isinstance(value, Node):
        hint = getattr(value, "name_hint", None) or getattr(value, "name", None)
        return f"{type(value).__name__}({hint})" if hint else f"<{type(value).__name__}>"
    if isinstance(value, tuple):
        shown = ", ".join(_brief(item) for item in value[:6])
        return f"({shown}{', ...' if len(value) > 6 else ''}{',' if len(value) == 1 else ''})"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


_CONSTANT: Final = "constant"
_BY_VISIT_NAME: dict[str, type[Node]] = {}


def node_kinds() -> dict[str, type[Node]]:
    """Return every declared concrete node class by its visit name (``tuple_getitem``, …)."""
    return dict(_BY_VISIT_NAME)


def node(visit: str) -> Callable[[_Class], _Class]:
    """Declare a concrete node class; ``visit`` is what follows ``visit_`` in its handlers' names.

    The fields of the class come first in its constructor, those it inherits (``span``,
    ``checked_type``) after them.

    Raises:
        DeclarationError: If the visit name is taken, or a field is called what every node has.
    """

    def declare(cls: _Class) -> _Class:
        if visit in _BY_VISIT_NAME:
            taken = _BY_VISIT_NAME[visit]
            raise DeclarationError(
                f"visit name {visit!r} of {cls.__module__}.{cls.__qualname__} is taken by "
                f"{taken.__module__}.{taken.__qualname__}; choose another"
            )
        for base in cls.__mro__[1:-1]:
            if "__slots__" not in base.__dict__:
                raise DeclarationError(
                    f"{base.__name__}, a base of the node {cls.__name__}, has no __slots__; "
                    f"write __slots__ = () in it, or every node would carry a dictionary"
                )
        declared = _with_slots(cls, _collect_fields(cls), visit)
        _BY_VISIT_NAME[visit] = declared
        for base in declared.__mro__:
            if issubclass(base, Node):
                base.kinds.add(declared)
        return typing.cast(_Class, declared)

    return declare


def _collect_fields(cls: type) -> tuple[Field, ...]:
    hints = typing.get_type_hints(cls, localns={cls.__name__: cls})  # a field may hold its own kind
    own = list(inspect.get_annotations(cls))
    inherited = [
        name
        for base in cls.__mro__[1:]
        for name in inspect.get_annotations(base)
        if typing.get_origin(hints[name]) is not ClassVar
    ]
    for name in own:
        if name.startswith("_") or hasattr(Node, name):
            reason = "begins with an underscore" if name.startswith("_") else "is what nodes have"
            raise DeclarationError(
                f"a field of {cls.__name__} is called {name!r}, which {reason}; choose another name"
            )
    return tuple(
        Field(name, hints[name], getattr(cls, name, _REQUIRED)) for name in own + inherited
    )


def _with_slots(cls: type, fields: tuple[Field, ...], visit: str) -> type[Node]:
    """Re-create ``cls`` with slots, and the mutable sibling its instances are filled as."""
    names = tuple(f.name for f in fields)
    namespace = {
        key: value
        for key, value in cls.__dict__.items()
        if key not in (*names, "__dict__", "__weakref__", "kinds")
    }
    namespace.update(__slots__=names, fields_=fields, visit_name=visit, __match_args__=names)
    frozen = type(cls)(cls.__name__, cls.__bases__, namespace)
    sibling = type(
        cls.__name__,
        cls.__bases__,
        {
            "__slots__": names,
            "__setattr__": object.__setattr__,
            "__delattr__": object.__delattr__,
            "__module__": cls.__module__,
        },
    )
    frozen.kinds = cls.kinds  # type: ignore[attr-defined]
    constructor, make = _generate_constructors(frozen, sibling, fields)
    setattr(frozen, "__new__", constructor)  # noqa: B010 - the class is being completed here
    setattr(frozen, "_make", staticmethod(make))  # noqa: B010
    return typing.cast("type[Node]", frozen)


def _generate_constructors(
    frozen: type, sibling: type, fields: tuple[Field, ...]
) -> tuple[Callable[..., Node], Callable[..., Node]]:
    """Generate ``__new__``, which validates, and ``_make``, which trusts its caller.

    Both fill an instance of the mutable sibling and flip its class. They are generated, as
    dataclasses' are, because a loop over fields would cost several times the construction. What
    they name beside the fields begins with an underscore, as no field does.
    """
    scope: dict[str, object] = {
        "_frozen": frozen,
        "_sibling": sibling,
        "_repair": _repair,
        "_type": type,
        "_tuple": tuple,
        "_isinstance": isinstance,
    }
    parameters, checks = [], []
    for index, declared in enumerate(fields):
        name = declared.name
        scope[f"_field{index}"] = declared
        if declared.kind is not None:
            scope[f"_kinds{index}"] = declared.kind.kinds
        default = declared.default
        if default is _REQUIRED:
            parameters.append(name)
        else:
            scope[f"_default{index}"] = default
            parameters.append(f"{name}=_default{index}")
        checks += _generate_check(index, declared, scope)
    names = [f.name for f in fields]
    fill = [
        "_self = _sibling()",
        *(f"_self.{n} = {n}" for n in names),
        "_self.__class__ = _frozen",
        "return _self",
    ]
    source = [f"def __new__({', '.join(['_cls', *parameters])}):"]
    source += [f"    {line}" for line in [*checks, *fill]]
    source += [f"def _make({', '.join(names)}):"]
    source += [f"    {line}" for line in fill]
    exec("\n".join(source), scope)  # noqa: S102 - the source is built from declarations only
    constructor, make = scope["__new__"], scope["_make"]
    assert isinstance(constructor, types.FunctionType)
    assert isinstance(make, types.FunctionType)
    constructor.__qualname__ = f"{frozen.__qualname__}.__new__"
    constructor.__module__ = make.__module__ = frozen.__module__
    return constructor, make


def _generate_check(index: int, declared: Field, scope: dict[str, object]) -> list[str]:
    """Return the lines that let a valid value through untouched and send others to ``_repair``."""
    name = declared.name
    repair = f"{name} = _repair(_frozen, _field{index}, {name})"
    if declared.convert is not None:
        return [repair]
    match declared.shape:
        case Shape.ONE:
            return [f"if _type({name}) not in _kinds{index}: {repair}"]
        case Shape.OPTIONAL:
            return [f"if {name} is not None and _type({name}) not in _kinds{index}: {repair}"]
        case Shape.MANY:
            return [
                f"if _type({name}) is _tuple:",
                f"    for _item in {name}:",
                f"        if _type(_item) not in _kinds{index}: {repair}",
                f"else: {repair}",
            ]
        case Shape.MIXED:
            return [repair]
        case Shape.LEAF if not declared.accepts:
            return []
        case Shape.LEAF:
            optional = type(None) in declared.accepts
            plain = tuple(a for a in declared.accepts if a is not type(None))
            scope[f"_accepts{index}"] = plain[0] if len(plain) == 1 else plain
            exact = f"_type({name}) is not _accepts{index}"
            test = exact if len(plain) == 1 else f"not _isinstance({name}, _accepts{index})"
            return [f"if {f'{name} is not None and ' if optional else ''}{test}: {repair}"]
        case _ as unreachable:
            typing.assert_never(unreachable)


def _repair(owner: type, declared: Field, value: object) -> object:
    """Convert a value that the generated check stopped, or raise a :class:`FieldError`."""
    where = f"{owner.__name__}.{declared.name}"
    if declared.convert is not None:
        try:
            return declared.convert(value)
        except FieldError:
            raise
        except (TypeError, ValueError) as error:
            raise FieldError(f"{where}: {error}") from error
    if declared.shape in (Shape.MANY, Shape.MIXED):
        return _repair_tuple(where, declared, value)
    if declared.accepts == (tuple,) and value is None and declared.default == ():
        return ()
    if declared.accepts == (tuple,) and isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(value)
    if declared.accepts == (int,) and hasattr(value, "__index__") and not isinstance(value, bool):
        return value.__index__()
    if declared.accepts and isinstance(value, declared.accepts) and declared.accepts != (int,):
        return value
    expected = declared.kind.__name__ if declared.kind else _names(declared.accepts)
    if declared.shape is Shape.OPTIONAL:
        expected += " or None"
    advice = _advice(declared, value)
    raise FieldError(f"{where} must be {expected}; found {_describe(value)}{advice}")


def _repair_tuple(where: str, declared: Field, value: object) -> tuple[object, ...]:
    assert declared.kind is not None
    if value is None and declared.default == ():
        return ()
    if isinstance(value, (Node, str)) or not isinstance(value, Iterable):
        raise FieldError(
            f"{where} must be a sequence of {declared.kind.__name__}; found {_describe(value)}"
        )
    items = tuple(value)
    others = tuple(a for a in declared.accepts if not issubclass(a, Node))
    for index, item in enumerate(items):
        if type(item) in declared.kind.kinds or isinstance(item, others):
            continue
        raise FieldError(
            f"{where}[{index}] must be {_names(declared.accepts)}; "
            f"found {_describe(item)}{_advice(declared, item)}"
        )
    return items


def _names(accepted: tuple[Any, ...]) -> str:  # Any: classes and generic aliases alike
    return " or ".join(getattr(a, "__name__", str(a)) for a in accepted if a is not type(None))


def _describe(value: object) -> str:
    return (
        f"{_brief(value)} ({type(value).__name__})" if not isinstance(value, Node) else repr(value)
    )


def _advice(declared: Field, value: object) -> str:
    """Say how a number becomes a constant, where a constant may stand."""
    takes_constants = declared.kind is not None and _CONSTANT in {
        k.visit_name for k in declared.kind.kinds
    }
    if takes_constants and isinstance(value, (int, float)):
        return f"; wrap Python numbers with const({value!r})"
    return ""
