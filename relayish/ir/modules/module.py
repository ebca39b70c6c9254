"""Modules: immutable maps from names to definitions, of any languages side by side."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeAlias, TypeVar

from pyrsistent import PMap, pmap

from relayish._support import hooks
from relayish._support.display import repr_mimebundle
from relayish._support.missing import set_absent_members
from relayish._support.printable import escape
from relayish._support.read_only import ReadOnlyDict
from relayish.errors import (
    DuplicateNameError,
    FieldError,
    FrozenNodeError,
    UnknownNameError,
    indefinite,
    suggest,
)
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.naming import name_of
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import Node

Name = TypeVar("Name")
_Kind = TypeVar("_Kind", bound=Node)
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@set_absent_members
class Module(Generic[Name]):
    """Definitions by key; a value, so every update returns a new module.

    A key stands for a name, as Relay's ``GlobalVar`` does. Names are unique; iteration is in order
    of name. A definition is a node of any language that can be evaluated: types, patterns and
    clauses are none. An updated module shares what did not change, so keeping the old one is free.

    A subclass says what its keys are, in :meth:`name_of` and :meth:`make_name`, and may hold more
    than definitions, in slots of its own. Relay's is
    :class:`~relayish.ir.relay.module.IRModule`.
    """

    __slots__ = ("__weakref__", "_functions", "_globals", "attrs")

    slots_: ClassVar[tuple[str, ...]]
    """The slots of the class and of its bases, but for that of weak references."""

    attrs: DictAttrs | None
    _functions: PMap[Name, Node]
    _globals: PMap[str, Name]
    _repr_mimebundle_ = repr_mimebundle

    def __init__(
        self,
        functions: Mapping[Name | str, Node] | None = None,
        attrs: DictAttrs | None = None,
    ) -> None:
        named = {self._as_name(key): value for key, value in (functions or {}).items()}
        for value in named.values():
            _check_definition(value)
        names: dict[str, Name] = {}
        for key in named:
            name = self._text_of(key)
            if name in names:
                raise DuplicateNameError(
                    f"two function definitions go by the name {name!r}; rename one of them"
                )
            names[name] = key
        self._fill(_functions=pmap(named), _globals=pmap(names), attrs=attrs)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = cls.__dict__.get("__slots__", ())
        cls.slots_ = (*getattr(cls, "slots_", _SLOTS), *own)

    @classmethod
    @abstractmethod
    def name_of(cls, key: object) -> str | None:
        """Return the name of ``key``; ``None`` if it is no key."""

    @classmethod
    def referred_name(cls, node: object) -> str | None:
        """Return the name by which ``node`` refers to a definition; ``None`` if it does not.

        Keys do, and names that another language has for what the module defines.
        """
        found = cls.name_of(node)
        if found is None and isinstance(node, Node) and node.names_definition_:
            return name_of(node)
        return found

    @classmethod
    @abstractmethod
    def make_name(cls, name: str) -> Name:
        """Return a new key for ``name``."""

    def sections(self) -> Mapping[str, Mapping[str, Node]]:
        """Return what is defined, by section (``"functions"``) and name.

        Comparison and hashing look at these. Definitions and names are in an order that does not
        depend on how the module was made.
        """
        return {"functions": {n: self._functions[self._globals[n]] for n in sorted(self._globals)}}

    def nodes(self) -> list[Node]:
        """Return the nodes that the module holds: keys that are nodes, and definitions."""
        found: list[Node] = [key for key in self._functions if isinstance(key, Node)]
        return [*found, *self._functions.values()]

    @property
    def functions(self) -> Mapping[Name, Node]:
        """The definitions, in order of name."""
        return ReadOnlyDict(
            self._in_order(), "the functions of a module", "mod = mod.with_function(name, func)"
        )

    def functions_of(self, kind: type[_Kind]) -> dict[Name, _Kind]:
        """Return the definitions that are nodes of class ``kind``, or below it, in order of name.

        What passes and analyses of one language look at: ``mod.functions_of(Expr)``.
        """
        return {key: func for key, func in self._in_order().items() if isinstance(func, kind)}

    def _in_order(self) -> dict[Name, Node]:
        held = dict(self._functions.iteritems())  # a map is walked in a third of looking all up
        return {key: held[key] for key in self.get_global_vars()}

    def function_of(self, kind: type[_Kind], key: Name | str) -> _Kind:
        """Return the definition of a function, which is a node of class ``kind``, or below it.

        Raises:
            UnknownNameError: If the module defines no such function.
            FieldError: If it is of another class.

        Example:
            >>> from relayish.ir.relay.expr import Expr, Function, Tuple
            >>> from relayish.ir.relay.module import IRModule
            >>> mod = IRModule.from_expr(Tuple(()))
            >>> mod.function_of(Function, "main") is mod["main"]
            True
        """
        found = self[key]
        if isinstance(found, kind):
            return found
        name = key if isinstance(key, str) else self.name_of(key)
        raise FieldError(
            f"@{name} is {indefinite(type(found))}; expected {indefinite(kind)}; "
            f"mod.functions_of({kind.__name__}) has those that are"
        )

    def get_global_vars(self) -> tuple[Name, ...]:
        """Return the keys of all definitions, in order of name."""
        return tuple([key for _, key in sorted(self._globals.iteritems())])

    def get_global_var(self, name: str) -> Name:
        """Return the key of the function ``name``.

        Raises:
            UnknownNameError: If the module defines no such function.
        """
        found = self._globals.get(name)
        if found is None:
            raise UnknownNameError(
                f"the module defines no function @{name}{suggest(name, self._globals)}"
            )
        return found

    def __getitem__(self, key: Any) -> Node:  # Any: a name, or a key
        """Return the definition of a function, by name or key."""
        if isinstance(key, str):
            return self._functions[self.get_global_var(key)]
        name = self.name_of(key)
        if name is None:
            raise FieldError(
                f"a module is indexed with a name or {indefinite(self.name_class())}; found {key!r}"
            )
        found = self._functions.get(key)
        return self._functions[self.get_global_var(name)] if found is None else found

    def __contains__(self, key: object) -> bool:
        name = key if isinstance(key, str) else self.name_of(key)
        return name is not None and name in self._globals

    def __iter__(self) -> Iterator[Name]:
        return iter(self.get_global_vars())

    def __len__(self) -> int:
        return len(self._functions)

    def with_function(self, key: Name | str, func: Node) -> Self:
        """Return the module with ``func`` defined under ``key``, anew or in place of another.

        Returns:
            ``self`` when exactly this definition stands there already.

        Complexity:
            Logarithmic in the number of definitions.
        """
        return self.with_functions({key: func})

    def with_functions(self, functions: Mapping[Any, Node]) -> Self:  # Any: names, as above
        """Return the module with all of ``functions`` put in; see :meth:`with_function`."""
        definitions: dict[Name, Node] = {}
        added: dict[str, Name] = {}
        for given, func in functions.items():
            _check_definition(func)
            key, name, is_new = self._resolve(given, added)
            if is_new:
                added[name] = key
            if is_new or self._functions.get(key) is not func:
                definitions[key] = func
        if not definitions:
            return self
        return self._derive(
            _functions=_updated(self._functions, definitions),
            _globals=_updated(self._globals, added),
        )

    def without_functions(self, keys: Iterable[Name | str]) -> Self:
        """Return the module without the functions named; ``self`` when none is named.

        Raises:
            UnknownNameError: If the module defines no such function.
        """
        gone = dict.fromkeys(self._text_of(self._as_name(given)) for given in keys)
        if not gone:
            return self
        return self._derive(
            _functions=_without(self._functions, [*map(self.get_global_var, gone)]),
            _globals=_without(self._globals, gone),
        )

    def with_module(self, other: Self) -> Self:
        """Return the module with all that ``other`` defines put in.

        What goes by a name that is taken comes in its place. Attributes are those of this module.

        Returns:
            ``self`` when all of them stand there already.

        Raises:
            DuplicateNameError: If one name stands for two different variables in the two: a call
                of the one would not be a call of the other.
        """
        return self.with_functions(other.functions)

    def functions_items(self) -> Sequence[tuple[Name, Node]]:
        """Return the keys and definitions, in order of name.

        Source:
            Relay ``IRModule.functions_items``.
        """
        return list(self.functions.items())

    def with_attrs(self, attrs: DictAttrs | None) -> Self:
        """Return the module with other attributes."""
        return self if attrs is self.attrs else self._derive(attrs=attrs)

    def get_attr(self, key: str, default: object = None) -> object:
        """Return the attribute ``key`` of the module, or ``default`` where it has none of it."""
        return default if self.attrs is None else self.attrs.get(key, default)

    def with_attr(self, key: str, value: object) -> Self:
        """Return the module with the attribute ``key`` set.

        Source:
            Relay ``IRModule.with_attr``.
        """
        held = {} if self.attrs is None else dict(self.attrs.items())
        return self.with_attrs(DictAttrs({**held, key: value}))

    def without_attr(self, key: str) -> Self:
        """Return the module without the attribute ``key``; itself if it has none of that name.

        Source:
            Relay ``IRModule.without_attr``.
        """
        if self.attrs is None or key not in self.attrs:
            return self
        kept = {name: value for name, value in self.attrs.items() if name != key}
        return self.with_attrs(DictAttrs(kept) if kept else None)

    def _fill(self, **values: object) -> None:
        """Set slots of a module that is being made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _derive(self, **changes: object) -> Self:
        """Return a module that holds what this one holds, but for ``changes``."""
        derived = object.__new__(type(self))
        for name in self.slots_:
            value = changes[name] if name in changes else getattr(self, name)
            object.__setattr__(derived, name, value)
        return derived

    def _resolve(self, key: Name | str, names: Mapping[str, Name]) -> tuple[Name, str, bool]:
        """Return the key for ``key``, its name, and whether no key of that name is taken already.

        Args:
            key: A name or a key.
            names: The keys of names that the module does not define yet.

        Raises:
            DuplicateNameError: If another key of that name is taken.
        """
        name = key if isinstance(key, str) else self._text_of(self._as_name(key))
        taken = self._globals[name] if name in self._globals else names.get(name)
        if isinstance(key, str):
            return (self.make_name(name) if taken is None else taken), name, taken is None
        if taken is not None and taken is not key:
            raise DuplicateNameError(
                f"@{name} is defined under another {type(taken).__name__} of that name; "
                f"use mod.get_global_var({name!r})"
            )
        return key, name, taken is None

    @classmethod
    def name_class(cls) -> type:
        """Return the class of keys."""
        return type(cls.make_name("name"))

    @classmethod
    def _as_name(cls, key: Any) -> Name:  # Any: whatever is given
        if isinstance(key, str):
            return cls.make_name(key)
        if cls.name_of(key) is None:
            raise FieldError(
                f"a function goes by a name or {indefinite(cls.name_class())}; found {key!r}"
            )
        named: Name = key
        return named

    @classmethod
    def _text_of(cls, key: Name) -> str:
        name = cls.name_of(key)
        assert name is not None
        return name

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenNodeError(f"cannot assign {type(self).__name__}.{name}: modules are immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenNodeError(f"cannot delete {type(self).__name__}.{name}: modules are immutable")

    def __delitem__(self, key: object) -> NoReturn:
        raise FrozenNodeError(
            "cannot delete from a module: modules are immutable; "
            "use mod = mod.without_functions([name])"
        )

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise FrozenNodeError(
            "cannot assign into a module: modules are immutable; "
            "use mod = mod.with_function(name, func)"
        )

    def update(self, other: object) -> NoReturn:  # noqa: ARG002 - whatever was meant
        """Refuse: nothing is put into a module in place."""
        raise FrozenNodeError(
            "cannot update a module: modules are immutable; use mod = mod.with_module(other)"
        )

    __str__ = hooks.print_text
    astext = hooks.write_text

    def __repr__(self) -> str:
        names = ", ".join([f"@{escape(name)}" for name in sorted(self._globals)[:8]])
        more = ", ..." if len(self) > 8 else ""
        return f"{type(self).__name__}({names}{more}{self._show_more()})"

    def _show_more(self) -> str:
        """Return what the ``repr`` says beside the names of definitions."""
        return ""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self._functions), self.attrs)


_SLOTS = tuple([name for name in Module.__slots__ if name != "__weakref__"])

AnyModule: TypeAlias = Module[Any]
"""A module, whatever its keys are."""


def check_module(given: object, what: str) -> None:
    """Refuse what is no module; ``what`` is done with one.

    Raises:
        FieldError: If it is none.
    """
    if not isinstance(given, Module):
        raise FieldError(
            f"{what} in a module; found {indefinite(type(given))}; expected a module, such as "
            f"IRModule({{'main': ...}})"
        )


def _updated(held: PMap[_Key, _Value], given: dict[_Key, _Value]) -> PMap[_Key, _Value]:
    """Return ``held`` with ``given`` put in, made anew where that takes less than putting in."""
    if 4 * len(given) < len(held):
        evolver = held.evolver()
        for key, value in given.items():
            evolver[key] = value
        return evolver.persistent()
    return pmap({**dict(held.iteritems()), **given})


def _without(held: PMap[_Key, _Value], gone: Collection[_Key]) -> PMap[_Key, _Value]:
    """Return ``held`` without ``gone``, made anew where that takes less than taking out."""
    left = held.evolver() if 4 * len(gone) < len(held) else dict(held.iteritems())
    for key in gone:
        del left[key]
    return pmap(left) if isinstance(left, dict) else left.persistent()


def _check_definition(value: object) -> None:
    if not isinstance(value, Node):
        several = isinstance(value, (list, tuple, Mapping))
        advice = "; several are given by name: IRModule({name: function, ...})" if several else ""
        raise FieldError(
            f"a module holds functions; found {value!r} ({type(value).__name__}){advice}"
        )
    if value.held_as_ is not Role.OPERAND:
        raise FieldError(
            f"a module holds functions; found {value!r} ({type(value).__name__}), which is "
            f"not evaluated"
        )
