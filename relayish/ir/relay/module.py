"""A module: functions and type definitions by name, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn, TypeAlias, TypeVar

from pyrsistent import PMap, pmap

from relayish._support import show
from relayish.errors import (
    DuplicateNameError,
    FieldError,
    FrozenNodeError,
    UnknownNameError,
    suggest,
)
from relayish.ir.attrs import DictAttrs
from relayish.ir.module import Module
from relayish.ir.node import Node
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.type import GlobalTypeVar

_Name = TypeVar("_Name", GlobalVar, GlobalTypeVar)

Definition: TypeAlias = Expr
"""What a global name stands for: a :class:`Function`, or what a front end put there instead."""


class IRModule(Module):
    """Functions by :class:`GlobalVar` and type definitions by :class:`GlobalTypeVar`.

    A module is a value: every update returns a new module that shares what did not change, so
    keeping an old one is free. Names are unique; iteration is in order of name.

    Example:
        >>> x = Var("x")
        >>> mod = IRModule({"main": Function((x,), x)})
        >>> mod["main"].params == (x,)
        True
        >>> mod.with_function("main", mod["main"]) is mod
        True
    """

    __slots__ = ("__weakref__", "_functions", "_globals", "_type_globals", "_types", "attrs")

    attrs: DictAttrs | None
    _functions: PMap[GlobalVar, Definition]
    _globals: PMap[str, GlobalVar]
    _types: PMap[GlobalTypeVar, TypeData]
    _type_globals: PMap[str, GlobalTypeVar]

    def __init__(
        self,
        functions: Mapping[GlobalVar | str, Definition] | None = None,
        type_definitions: Mapping[GlobalTypeVar, TypeData] | None = None,
        attrs: DictAttrs | None = None,
    ) -> None:
        named = {_as_global(key): value for key, value in (functions or {}).items()}
        for value in named.values():
            _check_definition(value)
        types = dict(type_definitions or {})
        self._fill(
            pmap(named),
            pmap(_by_name(named, "function")),
            pmap(types),
            pmap(_by_name(types, "type")),
            attrs,
        )

    def _fill(
        self,
        functions: PMap[GlobalVar, Definition],
        names: PMap[str, GlobalVar],
        types: PMap[GlobalTypeVar, TypeData],
        type_names: PMap[str, GlobalTypeVar],
        attrs: DictAttrs | None,
    ) -> None:
        write = object.__setattr__
        write(self, "_functions", functions)
        write(self, "_globals", names)
        write(self, "_types", types)
        write(self, "_type_globals", type_names)
        write(self, "attrs", attrs)

    @staticmethod
    def from_expr(
        expr: Expr,
        functions: Mapping[GlobalVar | str, Definition] | None = None,
        type_definitions: Mapping[GlobalTypeVar, TypeData] | None = None,
    ) -> IRModule:
        """Return a module whose ``main`` is ``expr``, or a function without parameters around it.

        A function with the attribute ``global_symbol`` goes by that name instead. Free variables
        of ``expr`` are the caller's to bind.
        """
        func = expr if isinstance(expr, Function) else Function((), expr)
        symbol = func.attrs.get("global_symbol") if func.attrs is not None else None
        name = symbol if isinstance(symbol, str) else "main"
        return IRModule({**(functions or {}), name: func}, type_definitions)

    @property
    def functions(self) -> Mapping[GlobalVar, Definition]:
        """The definitions, in order of name."""
        return {key: self._functions[key] for key in self.get_global_vars()}

    def sections(self) -> Mapping[str, Mapping[str, Node]]:
        types = {var.name_hint: data for var, data in self.type_definitions.items()}
        functions = {var.name_hint: func for var, func in self.functions.items()}
        return {"types": types, "functions": functions}

    @property
    def type_definitions(self) -> Mapping[GlobalTypeVar, TypeData]:
        """The type definitions, in order of name."""
        names = sorted(self._type_globals)
        return {self._type_globals[n]: self._types[self._type_globals[n]] for n in names}

    def get_global_vars(self) -> tuple[GlobalVar, ...]:
        """Return the global names that have a definition, in order of name."""
        return tuple(self._globals[name] for name in sorted(self._globals))

    def get_global_var(self, name: str) -> GlobalVar:
        """Return the node that stands for the function ``name``.

        Raises:
            UnknownNameError: If the module defines no such function.
        """
        found = self._globals.get(name)
        if found is None:
            raise UnknownNameError(
                f"the module defines no function @{name}{suggest(name, self._globals)}"
            )
        return found

    def get_global_type_var(self, name: str) -> GlobalTypeVar:
        """Return the node that stands for the type ``name``.

        Raises:
            UnknownNameError: If the module defines no such type.
        """
        found = self._type_globals.get(name)
        if found is None:
            raise UnknownNameError(
                f"the module defines no type {name}{suggest(name, self._type_globals)}"
            )
        return found

    def get_constructor(self, type_name: str, name: str) -> Constructor:
        """Return the constructor ``name`` of the type ``type_name``.

        Raises:
            UnknownNameError: If the module defines no such type, or the type no such constructor.
        """
        constructors = self._types[self.get_global_type_var(type_name)].constructors
        for constructor in constructors:
            if constructor.name_hint == name:
                return constructor
        raise UnknownNameError(
            f"type {type_name} has no constructor {name}"
            f"{suggest(name, [c.name_hint for c in constructors])}"
        )

    def get_type(self, name: str) -> tuple[GlobalTypeVar, *tuple[Constructor, ...]]:
        """Return what stands for the type ``name``, and behind it its constructors in order.

        Raises:
            UnknownNameError: If the module defines no such type.

        Source:
            Relay ``IRModule.get_type``.
        """
        header = self.get_global_type_var(name)
        return (header, *self._types[header].constructors)

    def __getitem__(self, key: GlobalVar | GlobalTypeVar | str) -> Definition:
        """Return the definition of a function, by name or by its global variable."""
        if isinstance(key, str):
            return self._functions[self.get_global_var(key)]
        if isinstance(key, GlobalVar) and key in self._functions:
            return self._functions[key]
        if isinstance(key, GlobalVar):
            return self._functions[self.get_global_var(key.name_hint)]
        raise FieldError(f"a module is indexed with a name or a GlobalVar; found {key!r}")

    def __contains__(self, key: object) -> bool:
        name = key.name_hint if isinstance(key, GlobalVar) else key
        return isinstance(name, str) and name in self._globals

    def __iter__(self) -> Iterator[GlobalVar]:
        return iter(self.get_global_vars())

    def __len__(self) -> int:
        return len(self._functions)

    def with_function(self, key: GlobalVar | str, func: Definition) -> IRModule:
        """Return the module with ``func`` under ``key``, new or in place of what stood there.

        Returns:
            ``self`` when exactly this definition stands there already.

        Complexity:
            Logarithmic in the number of definitions.
        """
        return self.with_functions({key: func})

    def with_functions(self, functions: Mapping[GlobalVar | str, Definition]) -> IRModule:
        """Return the module with all of ``functions`` put in; see :meth:`with_function`."""
        definitions, names = self._functions.evolver(), self._globals.evolver()
        given_names: dict[str, GlobalVar] = {}
        changed = False
        for given, func in functions.items():
            _check_definition(func)
            key = self._resolve(given, given_names)
            given_names[key.name_hint] = key
            if self._functions.get(key) is func:
                continue
            definitions[key] = func
            names[key.name_hint] = key
            changed = True
        if not changed:
            return self
        return self._derive(definitions.persistent(), names.persistent())

    def without_functions(self, keys: Iterable[GlobalVar | str]) -> IRModule:
        """Return the module without the functions named; ``self`` when none is named.

        Raises:
            UnknownNameError: If the module defines no such function.
        """
        definitions, names = self._functions, self._globals
        for given in keys:
            key = self.get_global_var(given if isinstance(given, str) else given.name_hint)
            if key not in definitions:
                continue  # named twice
            definitions, names = definitions.remove(key), names.remove(key.name_hint)
        return self if definitions is self._functions else self._derive(definitions, names)

    def with_module(self, other: IRModule) -> IRModule:
        """Return the module with all functions and types of ``other`` put in.

        What goes by a name that is taken comes in its place. Attributes are those of this module.

        Returns:
            ``self`` when all of them stand there already.

        Raises:
            DuplicateNameError: If one name stands for two different variables in the two: a call
                of the one would not be a call of the other.
        """
        functions: dict[GlobalVar | str, Definition] = dict(other.functions.items())
        derived = self.with_functions(functions)
        for header, data in other.type_definitions.items():
            if self._types.get(header) is not data:
                derived = derived.with_type(data)
        return derived

    def functions_items(self) -> list[tuple[GlobalVar, Definition]]:
        """Return the definitions with the variables they go by, in order of name.

        Source:
            Relay ``IRModule.functions_items``.
        """
        return list(self.functions.items())

    def with_type(self, data: TypeData) -> IRModule:
        """Return the module with the type definition ``data`` put in under its header."""
        header = data.header
        taken = self._type_globals.get(header.name_hint)
        if taken is not None and taken is not header:
            raise DuplicateNameError(f"the module already defines a type {header.name_hint}")
        derived = object.__new__(IRModule)
        derived._fill(
            self._functions,
            self._globals,
            self._types.set(header, data),
            self._type_globals.set(header.name_hint, header),
            self.attrs,
        )
        return derived

    def with_attrs(self, attrs: DictAttrs | None) -> IRModule:
        """Return the module with other attributes."""
        if attrs is self.attrs:
            return self
        derived = object.__new__(IRModule)
        derived._fill(self._functions, self._globals, self._types, self._type_globals, attrs)
        return derived

    def _derive(
        self, functions: PMap[GlobalVar, Definition], names: PMap[str, GlobalVar]
    ) -> IRModule:
        derived = object.__new__(IRModule)
        derived._fill(functions, names, self._types, self._type_globals, self.attrs)
        return derived

    def _resolve(self, key: GlobalVar | str, names: dict[str, GlobalVar]) -> GlobalVar:
        name = key if isinstance(key, str) else _as_global(key).name_hint
        taken = self._globals.get(name, names.get(name))
        if isinstance(key, str):
            return GlobalVar(key) if taken is None else taken
        if taken is not None and taken is not key:
            raise DuplicateNameError(
                f"@{name} is defined under another GlobalVar of that name; "
                f"use mod.get_global_var({name!r})"
            )
        return key

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenNodeError(f"cannot assign IRModule.{name}: modules are immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenNodeError(f"cannot delete IRModule.{name}: modules are immutable")

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

    __str__ = show.text

    def __repr__(self) -> str:
        names = ", ".join("@" + g.name_hint for g in self.get_global_vars()[:8])
        more = ", ..." if len(self) > 8 else ""
        types = f"; types {', '.join(sorted(self._type_globals))}" if self._types else ""
        return f"IRModule({names}{more}{types})"

    def __reduce__(self) -> tuple[object, ...]:
        return IRModule, (dict(self._functions), dict(self._types), self.attrs)


def _as_global(key: object) -> GlobalVar:
    if isinstance(key, GlobalVar):
        return key
    if isinstance(key, str):
        return GlobalVar(key)
    raise FieldError(f"a function goes by a name or a GlobalVar; found {key!r}")


def _check_definition(value: object) -> None:
    if not isinstance(value, Expr):
        raise FieldError(f"a module holds functions; found {value!r} ({type(value).__name__})")


def _by_name(keys: Iterable[_Name], what: str) -> dict[str, _Name]:
    names: dict[str, _Name] = {}
    for key in keys:
        if key.name_hint in names:
            raise DuplicateNameError(f"two {what} definitions go by the name {key.name_hint!r}")
        names[key.name_hint] = key
    return names
