"""Relay's module: functions and type definitions by name, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, overload

from pyrsistent import PMap, pmap

from relayish.errors import DuplicateNameError, UnknownNameError, suggest
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.constructor_tag import enter_tags, tag_prefix
from relayish.ir.relay.expr import Expr, Function, GlobalVar, Var
from relayish.ir.relay.function_attributes import GLOBAL_SYMBOL, find_attribute
from relayish.ir.relay.type import GlobalTypeVar
from relayish.ir.scopes.scoping import free_variables

Definition: TypeAlias = Node
"""What a global name stands for: a :class:`Function`, what a front end put there instead, or what
another language calls a function."""

_INDEX: Final = 0xFFFFFF
"""The bits of a tag that are the position of the constructor."""


class IRModule(Module[GlobalVar]):
    """Functions by :class:`GlobalVar` and type definitions by :class:`GlobalTypeVar`.

    A module is a value: every update returns a new module that shares what did not change, so
    keeping an old one is free. Names are unique; iteration is in order of name. Functions of other
    languages may stand beside those of Relay.

    Example:
        >>> x = Var("x")
        >>> mod = IRModule({"main": Function((x,), x)})
        >>> mod["main"].params == (x,)
        True
        >>> mod.with_function("main", mod["main"]) is mod
        True
    """

    __slots__ = ("_type_globals", "_types")

    _types: PMap[GlobalTypeVar, TypeData]
    _type_globals: PMap[str, GlobalTypeVar]

    def __init__(
        self,
        functions: Mapping[GlobalVar | str, Definition] | None = None,
        type_definitions: Mapping[GlobalTypeVar, TypeData] | None = None,
        attrs: DictAttrs | None = None,
    ) -> None:
        super().__init__(functions, attrs)
        names: dict[str, GlobalTypeVar] = {}
        for header in type_definitions or ():
            if header.name_hint in names:
                name = header.name_hint
                raise DuplicateNameError(
                    f"two type definitions go by the name {name!r}; rename one of them"
                )
            names[header.name_hint] = header
        for header, data in (type_definitions or {}).items():
            enter_tags(header.name_hint, data.constructors)
        self._fill(_types=pmap(dict(type_definitions or {})), _type_globals=pmap(names))

    @classmethod
    def name_of(cls, key: object) -> str | None:
        return key.name_hint if isinstance(key, GlobalVar) else None

    @classmethod
    def make_name(cls, name: str) -> GlobalVar:
        return GlobalVar(name)

    @staticmethod
    def from_expr(
        expr: Definition,
        functions: Mapping[GlobalVar | str, Definition] | None = None,
        type_definitions: Mapping[GlobalTypeVar, TypeData] | None = None,
    ) -> IRModule:
        """Return a module whose ``main`` is ``expr``, or a function around it.

        The parameters of that function are the free variables of ``expr``, in the order in which
        they are met. A function with the attribute ``global_symbol`` goes by that name instead, and
        what is of another language than Relay stands there as it is.

        Source:
            TVM ``IRModule.from_expr``.

        Example:
            >>> from relayish.ir.relay.expr import Tuple, Var
            >>> x = Var("x")
            >>> IRModule.from_expr(Tuple((x,)))["main"].params == (x,)
            True
        """
        func = expr
        if isinstance(expr, Expr) and type(expr) is not Function:
            params = tuple([var for var in free_variables(expr) if isinstance(var, Var)])
            func = Function(params, expr)
        symbol = find_attribute(func, GLOBAL_SYMBOL)
        name = "main" if symbol is None else symbol
        return IRModule({**(functions or {}), name: func}, type_definitions)

    @property
    def functions(self) -> Mapping[GlobalVar, Function]:
        return super().functions  # type: ignore[return-value]  # as __getitem__ says

    def functions_items(self) -> list[tuple[GlobalVar, Function]]:
        return list(self.functions.items())

    @overload
    def __getitem__(self, key: str | GlobalVar) -> Function: ...
    @overload
    def __getitem__(self, key: GlobalTypeVar) -> TypeData: ...
    def __getitem__(self, key: Any) -> Any:  # Any: a name, or a key, and what it stands for
        """Return the definition of a function, by name or key, or of a type, by its header.

        Type checkers take it for Relay's :class:`Function`, as it mostly is. Where it is of another
        language, :meth:`function_of` tells them: ``mod.function_of(tir.LoweredFunc, "main")``.
        """
        if isinstance(key, GlobalTypeVar):
            return self._types[self.get_global_type_var(key.name_hint)]
        return super().__getitem__(key)

    def sections(self) -> Mapping[str, Mapping[str, Node]]:
        types = {var.name_hint: data for var, data in self.type_definitions.items()}
        return {"types": types, **super().sections()}

    def nodes(self) -> list[Node]:
        return [*super().nodes(), *self._types, *self._types.values()]

    @property
    def type_definitions(self) -> Mapping[GlobalTypeVar, TypeData]:
        """The type definitions, in order of name."""
        names = sorted(self._type_globals)
        return {self._type_globals[n]: self._types[self._type_globals[n]] for n in names}

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

    @overload
    def get_constructor(self, type_name: int) -> Constructor: ...
    @overload
    def get_constructor(self, type_name: str, name: str) -> Constructor: ...
    def get_constructor(self, type_name: str | int, name: str | None = None) -> Constructor:
        """Return the constructor ``name`` of the type ``type_name``, or that of a tag.

        Args:
            type_name: The name of the type, or the tag of the constructor.
            name: The name of the constructor, where that of the type is given.

        Raises:
            UnknownNameError: If the module defines no such type, or the type no such constructor.

        Complexity:
            Linear in the constructors of the type; of a tag, in the types of the module as well.

        Source:
            Relay ``IRModule.get_constructor``.
        """
        if isinstance(type_name, int):
            return self._constructor_of_tag(type_name)
        constructors = self._types[self.get_global_type_var(type_name)].constructors
        for constructor in constructors:
            if constructor.name_hint == name:
                return constructor
        raise UnknownNameError(
            f"type {type_name} has no constructor {name}"
            f"{suggest(name or '', [c.name_hint for c in constructors])}"
        )

    def _constructor_of_tag(self, tag: int) -> Constructor:
        index = tag & _INDEX
        for name, header in self._type_globals.items():
            constructors = self._types[header].constructors
            if index < len(constructors) and tag_prefix(name) | index == tag:
                return constructors[index]
        raise UnknownNameError(
            f"the module defines no constructor with the tag {tag}; take one from "
            f"get_constructor(type, name).tag"
        )

    def get_type(self, name: str) -> tuple[Any, ...]:  # Any: of two classes, the first of one
        """Return what stands for the type ``name``, and behind it its constructors in order.

        Raises:
            UnknownNameError: If the module defines no such type.

        Source:
            Relay ``IRModule.get_type``.
        """
        header = self.get_global_type_var(name)
        return (header, *self._types[header].constructors)

    def with_module(self, other: IRModule) -> IRModule:
        derived = super().with_module(other)
        for header, data in other.type_definitions.items():
            if self._types.get(header) is not data:
                derived = derived.with_type(data)
        return derived

    def with_type(self, data: TypeData) -> IRModule:
        """Return the module with the type definition ``data`` put in under its header."""
        header = data.header
        taken = self._type_globals.get(header.name_hint)
        if taken is not None and taken is not header:
            raise DuplicateNameError(f"the module already defines a type {header.name_hint}")
        enter_tags(header.name_hint, data.constructors)
        return self._derive(
            _types=self._types.set(header, data),
            _type_globals=self._type_globals.set(header.name_hint, header),
        )

    def _show_more(self) -> str:
        return f"; types {', '.join(sorted(self._type_globals))}" if self._types else ""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self._functions), dict(self._types), self.attrs)
