"""The state of a run of core: what its variables hold, and the functions that it may call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from time import perf_counter
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.core.interpreter.foreign import ForeignFunctions
from relayish.core.interpreter.frames import Code
from relayish.core.interpreter.lasting import keeps_addresses
from relayish.core.interpreter.memory import Aggregate, Memory, Piece
from relayish.core.interpreter.numbers import form_of
from relayish.core.ir.constant import Constant
from relayish.core.ir.definition import Entry, FuncDecl, FuncEntry, GlobalVariable
from relayish.core.ir.family import Symbol
from relayish.core.ir.symbol import Global
from relayish.core.ir.type import Type
from relayish.core.layout import layout_of
from relayish.domain.analyze_ctx import AnalyzeCtx
from relayish.domain.dispatch import Dispatch
from relayish.errors import (
    FieldError,
    TypeConfusionError,
    UninitialisedReadError,
    UnknownNameError,
    UnsupportedError,
    suggest,
)
from relayish.ir.fields.naming import display_name
from relayish.ir.kinds.one_line import show_found
from relayish.ir.modules.module import AnyModule, check_module

Value: TypeAlias = Any
"""A scalar (see ``numbers``), an aggregate, or a value of another domain."""

Extern: TypeAlias = Callable[..., Any]
"""A function of Python: it takes scalars, and gives a number, or ``None``."""


class Returned:
    """What running a statement gives where it leaves the function; other statements give ``None``.

    Attributes:
        value: What is returned; ``None``: nothing.
        type: The type of that.
    """

    __slots__ = ("type", "value")

    def __init__(self, value: Value, held: Type) -> None:
        self.value = value
        self.type = held


class Machine(AnalyzeCtx):
    """The context of an evaluation of core: variables, memory, and functions.

    It is what handlers of :class:`~relayish.core.interpreter.Evaluate`, and of domains whose nodes
    stand in programs of core, find as ``visitor.context``.

    Args:
        mod: The module; what it defines of other languages is left alone.
        externs: What runs for functions that are declared only, by name.
        output: What takes the lines that a program shows.
        clock: What tells seconds.
    """

    _reenters = True

    def __init__(
        self,
        mod: AnyModule,
        externs: Mapping[str, Extern] | None = None,
        output: Callable[[str], object] = print,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        check_module(mod, "core is evaluated")
        self.definitions: Final[dict[str, Any]] = {  # Any: of any language
            mod.name_of(key) or "": each for key, each in mod.functions.items()
        }
        self.foreign: Final = ForeignFunctions(self, mod)
        self.externs = _check_externs(externs)
        self.output = _check_callable("output, which takes lines,", output)
        self.clock = _check_callable("clock, which tells seconds,", clock)
        self.mark = clock()
        self.memory = Memory()
        self.layout: Final = layout_of(mod)
        self._sizes: dict[Type, int] = {}
        self._codes: dict[FuncEntry, Code] = {}
        self._constants: dict[Constant, Piece] = {}
        self._cells: dict[Symbol, Value | Piece] = {}
        self.globals: Final = {
            name: Piece.zeros(name, self.size_of(each.type))
            for name, each in self.definitions.items()
            if isinstance(each, GlobalVariable)
        }

    def initialise(self, visitor: Dispatch) -> None:
        """Give the variables of the module addresses, in order, and what they hold at first."""
        for piece in self.globals.values():
            self.memory.address_of(piece)
        for name, piece in self.globals.items():
            variable = self.definitions[name]
            if variable.init is not None:
                self.write(piece, 0, visitor.visit(variable.init), variable.type)
            piece.is_const = variable.is_const

    # Symbols

    def load(self, symbol: Symbol, held: Type) -> Value:
        """Return what a symbol holds, as a value of type ``held``.

        Raises:
            UninitialisedReadError: If it holds nothing yet.
        """
        cell = self._cells.get(symbol)
        if cell is None or cell.__class__ is Piece:
            return self.read(self.piece_of(symbol), 0, held)
        return cell

    def store(self, symbol: Symbol, value: Value, held: Type) -> None:
        """Put a value of type ``held`` into a symbol."""
        if self._cells.get(symbol).__class__ is Piece or symbol.__class__ is Global:
            self.write(self.piece_of(symbol), 0, value, held)
        else:
            self._cells[symbol] = value

    def piece_of(self, symbol: Symbol) -> Piece:
        """Return the memory of a symbol.

        Raises:
            UninitialisedReadError: If it has none, and no value.
            UnknownNameError: If it names no variable of the module.
        """
        cell = self._cells.get(symbol)
        if cell.__class__ is Piece:
            return cell
        if not isinstance(symbol, Global):
            raise UninitialisedReadError(
                f"{display_name(symbol)} is read before anything was stored there"
            )
        found = self.globals.get(symbol.name)
        if found is None:
            known = suggest(symbol.name, self.globals)
            raise UnknownNameError(f"the module has no variable {symbol.name!r}{known}")
        return found

    def address_of(self, symbol: Symbol) -> int:
        """Return the address of a variable, or of a function."""
        if isinstance(symbol, Global) and symbol.type.is_function:
            return self.memory.address_of_function(self._callee_named(symbol.name))
        return self.memory.address_of(self.piece_of(symbol))

    def constant(self, constant: Constant) -> Piece:
        """Return the memory of a constant."""
        found = self._constants.get(constant)
        if found is None:
            piece = Piece.constant("a constant", bytes_of(constant))
            found = self._constants[constant] = piece
        return found

    # Memory

    def size_of(self, held: Type) -> int:
        """Return how many bytes values of a type have."""
        found = self._sizes.get(held)
        if found is None:
            found = self._sizes[held] = self.layout.size_of(held)
        return found

    def read(self, piece: Piece, offset: int, held: Type) -> Value:
        """Return the value of type ``held`` at a place in memory; errors as of ``Piece.read``."""
        form = form_of(held)
        if form is not None:
            return piece.read(offset, form)
        return piece.read_bytes(offset, self.size_of(held))

    def write(self, piece: Piece, offset: int, value: Value, held: Type) -> None:
        """Put a value of type ``held`` at a place in memory; errors as of ``Piece.write``."""
        form = form_of(held)
        if form is not None:
            piece.write(offset, form, value)
        else:
            piece.write_bytes(offset, value)

    def zero(self, held: Type) -> Value:
        """Return the zero of a type."""
        form = form_of(held)
        return Aggregate.of(bytes(self.size_of(held))) if form is None else form.zero()

    # Functions

    def function_named(self, name: str) -> str:
        """Return the name of the function that a name stands for, through entry points.

        Raises:
            UnknownNameError: If the module has no function of the name.
        """
        if not isinstance(name, str):
            raise FieldError(f"a function is called by its name; found {show_found(name)}")
        found = self.definitions.get(name)
        seen = {name}
        while isinstance(found, Entry) and found.function.name not in seen:
            name = found.function.name
            seen.add(name)
            found = self.definitions.get(name)
        if not isinstance(found, (FuncEntry, FuncDecl)):
            functions = [
                str(each)
                for each, defined in self.definitions.items()
                if isinstance(defined, (FuncEntry, FuncDecl, Entry))
            ]
            raise UnknownNameError(
                f"the module has no function {name!r}{suggest(name, functions)}; it has "
                f"{', '.join(functions) or 'none'}"
            )
        return name

    def _callee_named(self, name: str) -> str:
        """Return the name of the function that a name stands for, of whatever language."""
        seen = set()
        while isinstance(entry := self.definitions.get(name), Entry) and name not in seen:
            seen.add(name)
            name = entry.function.name
        return name if self.foreign.has(name) else self.function_named(name)

    def call(self, visitor: Dispatch, name: str, args: list[Value], held: Type) -> Value:
        """Run a function, on values of its types, and return what it returns.

        Args:
            visitor: What evaluates it.
            name: Its name, or that of an entry point.
            args: What it is given.
            held: Its type, as whoever calls it has it.
        """
        name = self._callee_named(name)
        if self.foreign.has(name):
            return self.foreign.call(name, held, args)
        function = self.definitions[name]
        if len(args) != len(function.type.params):
            raise TypeConfusionError(
                f"function {name} takes {len(function.type.params)} arguments and is given "
                f"{len(args)}"
            )
        if isinstance(function, FuncDecl):
            return self._call_extern(name, function, args)
        caller = self._cells
        code = self._codes.get(function)
        if code is None:
            code = self._codes[function] = Code(function)
        self._cells = self._enter(code, args)
        try:
            visitor.forget()
            done = visitor.visit(code.body)
        finally:
            for symbol in code.in_memory:
                self.memory.release(self._cells[symbol])
            self._cells = caller
        if done.__class__ is not Returned:
            return None
        if done.type != function.result:
            raise TypeConfusionError(
                f"function {name} returns {done.value!r} of type {done.type}; expected "
                f"{function.result}, the result that it is declared with"
            )
        return done.value

    def _enter(self, code: Code, args: list[Value]) -> dict[Symbol, Value | Piece]:
        cells: dict[Symbol, Value | Piece] = dict(zip(code.formals, args, strict=True))
        for symbol in code.in_memory:
            held = symbol.type
            piece = Piece.unset(display_name(symbol), self.size_of(held))
            if symbol in cells:
                self.write(piece, 0, cells[symbol], held)
            cells[symbol] = piece
        for symbol in code.addressed:
            self.memory.address_of(cells[symbol])
        return cells

    def _call_extern(self, name: str, declared: FuncDecl, args: list[Value]) -> Value:
        run = self.externs.get(name)
        if run is None:
            raise UnsupportedError(
                f"function {name} is declared only, and nothing was given that runs for it; give "
                f"a function of Python: externs={{{name!r}: ...}}"
            )
        found = run(*args)
        held = declared.type.result
        return None if held.is_void else self.take_in(found, held, f"the result of {name}")

    # The outside

    @cached_property
    def keeps_addresses(self) -> bool:
        """Whether what a call is given the address of may be accessed when it has ended."""
        return keeps_addresses(self.definitions, self.layout)

    def take_in(self, given: Any, held: Type, what: str) -> Value:  # Any: from outside
        """Return what the caller gives, as a value of type ``held``.

        An address is given as a number, as ``None`` for null, or as an array, whose memory it is
        of from then on. An array by value is given as one, a structure as an aggregate.

        Raises:
            TypeConfusionError: If it is no such value.
        """
        if held.is_pointer and given is None:
            return 0
        if held.is_pointer and isinstance(given, np.ndarray):
            wanted = held.pointee.element if held.pointee.is_array else held.pointee
            if wanted.is_primitive and not wanted.is_void and given.dtype != wanted.numpy:
                raise TypeConfusionError(
                    f"{what} is given an array of {given.dtype.name}; expected {wanted}"
                )
            return self.memory.address_of(Piece.of_array(what, given))
        form = form_of(held)
        if form is not None:
            return form.take(given, what)
        if held.is_array and isinstance(given, np.ndarray) and not isinstance(given, Aggregate):
            given = Aggregate.of(given.tobytes())
        if not isinstance(given, Aggregate) or len(given.data) != self.size_of(held):
            raise TypeConfusionError(f"{what} is given {given!r}; expected a value of {held}")
        return given

    def hand_out(self, value: Value, held: Type) -> Any:  # Any: for outside
        """Return a value as the caller has it: numbers and arrays as numpy's, addresses as numbers.

        A structure is a dictionary of its fields.

        Raises:
            UninitialisedReadError: If a part of it holds nothing.
        """
        if held.is_void or value is None:
            return None
        form = form_of(held)
        if form is not None:
            return form.hand_out(value)
        piece = Piece("the result", bytearray(value.data), bytearray(value.known), is_const=False)
        return self.show(piece, 0, held)

    def show(self, piece: Piece, offset: int, held: Type) -> Any:  # Any: as above
        """Return what is at a place in memory, as :meth:`hand_out` does."""
        if held.is_struct:
            return {
                name: self.show(piece, offset + self.layout.offset_of(held, name), each)
                for name, each in self.layout.fields_of(held).items()
            }
        if not held.is_array:
            return self.hand_out(self.read(piece, offset, held), held)
        size = self.size_of(held.element)
        count = self.size_of(held) // size if size else 0
        found = [self.show(piece, offset + at * size, held.element) for at in range(count)]
        if held.element.is_struct or held.element.is_array:
            return found
        return np.array(found, None if held.element.is_pointer else held.element.numpy).reshape(
            held.shape
        )


def _check_externs(given: object) -> dict[str, Extern]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise FieldError(
            f"externs is {show_found(given)}; expected functions of Python by name: "
            f"{{'f': lambda x: ...}}"
        )
    return {name: _check_callable(f"externs[{name!r}]", run) for name, run in given.items()}


def _check_callable(what: str, given: Any) -> Any:  # Any: callables of all sorts
    if not callable(given):
        raise FieldError(f"{what} is {show_found(given)}; expected a function of Python")
    return given


def bytes_of(constant: Constant) -> bytes:
    """Return the bytes of a constant."""
    data = constant.data
    if isinstance(data, str):
        return data.encode() + b"\0"
    assert isinstance(data, (np.generic, np.ndarray))
    return np.ascontiguousarray(data).tobytes()
