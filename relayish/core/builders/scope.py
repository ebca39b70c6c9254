"""Building modules: types, variables, constants and functions of a global scope.

.. code-block:: python

    scope = GlobalScope()
    table = scope.variable("table", "int32[8]")
    with scope.function("fill", {"n": "int32"}) as f:
        i = f.local("i")
        with f.do_loop(i, 0, i < f.n):
            f.store(element(table, i), i * i)
        f.ret()
    mod = scope.module()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from relayish.core.builders.function import FunctionScope
from relayish.core.ir.constant import Constant
from relayish.core.ir.definition import Entry, FuncDecl, GlobalVariable, StructDef
from relayish.core.ir.expr import Ldc
from relayish.core.ir.family import Definition, Operand, as_expr
from relayish.core.ir.symbol import Global
from relayish.core.ir.type import VOID, Type, TypeLike, as_type, function, struct
from relayish.errors import DuplicateNameError, FieldError, suggest
from relayish.ir.kinds.one_line import show_found
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.relay.module import IRModule


class GlobalScope:
    """Gathers what a module defines, in any order; :meth:`module` returns it.

    Names of variables, functions, entry points and structures are unique.

    Args:
        mod: A module whose definitions are there from the start.

    Source:
        AIR ``GLOB_SCOPE``, which is changed in place and is the module.

    Example:
        >>> scope = GlobalScope()
        >>> with scope.function("twice", {"x": "int32"}, "int32") as f:
        ...     f.retv(f.x + f.x)
        >>> scope.module()["twice"].type
        Type('(int32) -> int32')
    """

    def __init__(self, mod: AnyModule | None = None) -> None:
        self._defined: dict[str, Node] = {}
        if mod is not None:
            self._defined.update({mod.name_of(key) or "": mod[key] for key in mod})

    def struct(self, name: str, fields: Mapping[str, TypeLike] | None = None) -> Type:
        """Define a structure and return its type; without fields, name one that comes later."""
        if fields is not None:
            _check_fields(f"the fields of structure {name!r}", fields)
            self._define(name, StructDef(tuple(fields.items())))  # type: ignore[arg-type]  # converts
        return struct(name)

    def fields(self, given: TypeLike) -> dict[str, Type]:
        """Return the fields of a structure type, by name.

        Raises:
            FieldError: If it is no structure that the module defines.
        """
        name = as_type(given).struct_name
        found = self._defined.get(name)
        if not isinstance(found, StructDef):
            raise FieldError(f"no structure {name!r} is defined{suggest(name, self._defined)}")
        return dict(found.fields)

    def variable(
        self,
        name: str,
        type: TypeLike,  # noqa: A002 - the field's name
        init: Operand | None = None,
        *,
        is_const: bool = False,
    ) -> Global:
        """Define a variable of the module, with what it holds at first, and return its name."""
        made = as_type(type)
        value = None if init is None else as_expr(init, made)
        self._define(name, GlobalVariable(made, value, is_const))
        return Global(name, made)

    def constant(self, name: str, data: object, element: TypeLike | None = None) -> Global:
        """Define a constant by name: a variable of the module that is never written.

        Args:
            name: Its name.
            data: A number, an array, a list of numbers or a string.
            element: The type of its elements; of Python's numbers by default ``int32``,
                ``float32`` or ``bool``.

        Raises:
            FieldError: If there is no such constant: a number is no value of the type, say.
        """
        given: Any = data  # Any: converted
        if isinstance(data, (list, tuple)) or element is not None:
            given = _as_array(data, element)
        value = Constant(given)
        self._define(name, GlobalVariable(value.type, Ldc(value), is_const=True))
        return Global(name, value.type)

    def declare(self, name: str, params: Sequence[TypeLike], result: TypeLike = VOID) -> Global:
        """Declare a function that is defined elsewhere, and return its name."""
        given: object = params
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise FieldError(
                f"the parameters of @{name} are {show_found(params)}; expected a list of types"
            )
        signature = as_type(str(function(params, result)))  # whose text says what is no parameter
        self._define(name, FuncDecl(signature))
        return Global(name, signature)

    def entry(self, name: str, function: Global, *, is_program: bool = False) -> Global:
        """Define an entry point, another name of a function, and return it."""
        self._define(name, Entry(function, is_program))
        return Global(name, function.type)

    @contextmanager
    def function(
        self, name: str, params: Mapping[str, TypeLike] | None = None, result: TypeLike = VOID
    ) -> Iterator[FunctionScope]:
        """Define a function, whose statements are those that are added within.

        Args:
            name: Its name; within, ``f.self`` is that symbol, for calls of itself.
            params: Names and types of the formals.
            result: The type of what it returns.
        """
        if params is not None:
            _check_fields(f"the formals of @{name}", params)
        building = FunctionScope(self, name, params or {}, as_type(result))
        yield building
        self._define(name, building.finish())

    def module(self) -> IRModule:
        """Return the module of all that was defined so far."""
        return IRModule().with_functions(self._defined)

    def _define(self, name: str, definition: Definition) -> None:
        _check_name("a definition goes by a name", name)
        if name in self._defined:
            raise DuplicateNameError(
                f"the scope defines {name!r} twice; choose another name for the second"
            )
        self._defined[name] = definition


def _as_array(data: object, element: TypeLike | None) -> np.ndarray[Any, np.dtype[Any]]:
    """Return numbers as an array of a type.  Any: of which type and shape, they say."""
    try:
        given = np.asarray(data)
    except ValueError:  # numpy's, of rows of several lengths
        raise FieldError(
            f"a constant is given {show_found(data)}; expected rows of one length"
        ) from None
    wanted = _DEFAULTS.get(given.dtype.name) if element is None else element
    if wanted is None:
        return given
    held = as_type(wanted)
    if given.dtype.kind in "OSUMmc":
        raise FieldError(f"a constant is given {show_found(data)}; expected numbers of type {held}")
    with np.errstate(all="ignore"):
        made = given.astype(held.numpy)
    if held.is_float or np.array_equal(made.astype("uint64" if held.is_uint else "int64"), given):
        return made
    raise FieldError(
        f"a constant is given {show_found(data)}, which are no values of type {held}; give the "
        f"type of its elements"
    )


_DEFAULTS: Final = {"int64": "int32", "float64": "float32"}
"""The types that Python's numbers get, by those that numpy gives them."""


def _check_fields(what: str, given: object) -> None:
    """Refuse what gives no types by name."""
    if not isinstance(given, Mapping):
        raise FieldError(
            f"{what} are {show_found(given)}; expected types by name: {{'x': 'int32'}}"
        )
    for name in given:
        _check_name(f"{what} go by names", name)


def _check_name(expected: str, name: object) -> None:
    if not isinstance(name, str) or not name:
        raise FieldError(f"{expected}; found {show_found(name)}")
