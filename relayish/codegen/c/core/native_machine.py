"""The machine of a compiled program of core: what runs it, and answers what it asks for."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from relayish.codegen.c.core.declarations import value_type
from relayish.codegen.c.core.native_memory import CALL, MachineHead, NativeMemory, Value, bytes_at
from relayish.codegen.c.core.program import OutsideCall
from relayish.codegen.c.core.source import CoreSource
from relayish.codegen.c.core.stack import SPARE, STACK, run_with_stack
from relayish.codegen.c.native import SCALARS
from relayish.core.interpreter.machine import Machine
from relayish.core.interpreter.memory import Aggregate, Piece
from relayish.core.interpreter.numbers import form_of
from relayish.core.interpreter.tools import elements_at, line_of, take_time, text_at
from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.memory import pointee_of
from relayish.core.ir.stmt import DumpVar, TmStart, TmTaken
from relayish.core.ir.type import INT64, Type
from relayish.domain.dispatch import Dispatch
from relayish.errors import EvaluationError
from relayish.ir.modules.module import AnyModule


class NativeMachine(Machine):
    """The machine of a compiled program: its memory is that of the program, which also runs."""

    def __init__(
        self,
        mod: AnyModule,
        source: CoreSource,
        library: ctypes.CDLL,
        **options: Any,  # Any: as machines take them
    ) -> None:
        super().__init__(mod, **options)
        self._source = source
        self._library = library
        library.size_of_program.restype = ctypes.c_size_t
        size = library.size_of_program()
        self._room = (ctypes.c_uint64 * (size // 8 + 1))()
        self._program = ctypes.addressof(self._room)
        library.open_program.argtypes = library.close_program.argtypes = (ctypes.c_void_p,)
        if library.open_program(self._program):
            raise EvaluationError("there is no memory for the variables of the module")
        weakref.finalize(self, _close, library, self._room)
        self._head = MachineHead.from_buffer(self._room)
        asked = weakref.WeakMethod(self._asked)
        self._call = CALL(lambda *given: _ask(asked, *given))
        self._head.call = self._call
        memory = NativeMemory(library, self._program)
        self.memory = memory
        for number, (name, piece) in enumerate(self.globals.items(), 1):
            self.globals[name] = memory.view(number, piece)
        self._functions = {
            name: _prepared(library, called, self.definitions[name])
            for name, called in source.functions.items()
        }
        self._raised: BaseException | None = None
        self._lock = threading.RLock()
        self._worker: int | None = None

    def call(
        self, visitor: Dispatch | None, name: str, args: list[Any], held: Type
    ) -> Any:  # Any: values
        """Run a function that was compiled, or one of the outside."""
        name = self._callee_named(name)
        function = self.definitions[name]
        if not isinstance(function, FuncEntry):
            return super().call(visitor, name, args, held)  # type: ignore[arg-type]  # asks none
        keep: list[Any] = []  # Any: memory that is given
        given = [_passed(arg, each, keep) for arg, each in zip(args, held.params, strict=True)]
        result, target, marks = self._target(held.result)
        if result is not None:
            given.append(ctypes.addressof(target))
        if marks is not None:
            given.append(ctypes.addressof(marks))
        self._run(self._functions[name], given)
        return None if result is None else result(target, marks)

    def _target(self, held: Type) -> tuple[Any, Any, Any]:
        """Return what makes a value of what a function returned, and where it is put."""
        if held.is_void:
            return None, None, None
        if held.is_scalar:
            target = SCALARS[value_type(held)]()
            return (lambda found, _: _taken(found.value, held)), target, None
        size = self.size_of(held)
        target, marks = (ctypes.c_uint8 * size)(), (ctypes.c_uint8 * size)()
        return (lambda data, known: Aggregate(bytes(data), bytes(known))), target, marks

    def _run(self, function: Any, given: Sequence[Any]) -> None:  # Any: as ctypes types it
        """Run a function, one at a time; what recurs does so on a stack of its own."""
        if not self._source.recurs or self._worker == threading.get_ident():
            with self._lock:
                self._run_here(function, given)
        else:
            run_with_stack(lambda: self._run_as_worker(function, given))

    def _run_as_worker(self, function: Any, given: Sequence[Any]) -> None:  # Any: as above
        with self._lock:
            self._worker = threading.get_ident()
            self._head.stack = STACK - SPARE
            try:
                self._run_here(function, given)
            finally:
                self._worker = None

    def _run_here(self, function: Any, given: Sequence[Any]) -> None:  # Any: as above
        """Run a function; raise the error that its status stands for."""
        status: int = function(self._program, *given)
        if status == -1:
            raised, self._raised = self._raised, None
            assert raised is not None
            raise raised
        if status:
            raise self._source.faults[status - 1].error()

    # The outside

    def _asked(self, number: int, given: Any, result: int, marks: int) -> int:  # Any: pointers
        """Do what the program asks for; what is raised there is raised by whoever called it."""
        try:
            self._answer(self._source.outside[number], given, result, marks)
        except BaseException as error:  # noqa: BLE001 - C is between here and who is to have it
            self._raised = error
            return 1
        return 0

    def _answer(
        self, asked: OutsideCall, given: Any, result: int, marks: int
    ) -> None:  # Any: as above
        node = asked.node
        if isinstance(node, DumpVar):
            values = [
                self._value_at(given[at], held)
                for at, held in enumerate((node.title.type, INT64, node.address.type))
            ]
            title = text_at(*self.memory.at(values[0]))
            held = pointee_of(node.address)
            self.output(line_of(title, elements_at(self, values[2], held, values[1])))
        elif isinstance(node, TmTaken):
            take_time(self, node.remark)
        elif isinstance(node, TmStart):
            self.mark = self.clock()
        else:
            self._answer_call(asked, given, result, marks)

    def _answer_call(
        self, asked: OutsideCall, given: Any, result: int, marks: int
    ) -> None:  # Any: as above
        values = [self._value_at(given[at], held) for at, held in enumerate(asked.type.params)]
        found = super().call(None, asked.name, values, asked.type)  # type: ignore[arg-type]
        held = asked.type.result
        if held.is_void:
            return
        size = self.size_of(held)
        piece = Piece("the result", bytearray(size), bytearray(size), is_const=False)
        self.write(piece, 0, found, held)
        ctypes.memmove(result, bytes(piece.data), size)
        if marks and piece.known is not None:
            ctypes.memmove(marks, bytes(piece.known), size)

    def _value_at(self, address: int, held: Type) -> Any:  # Any: a value
        """Return a value that C gives the address of."""
        size = self.size_of(held)
        form = form_of(held)
        if form is not None:
            return form.read(bytes_at(address, size), 0)
        value = Value.from_address(address)
        data = bytes_at(value.data, size) or bytes(size)
        return Aggregate(data, bytes_at(value.held, size)) if value.held else Aggregate.of(data)


def _close(library: ctypes.CDLL, room: Any) -> None:  # Any: memory
    library.close_program(ctypes.addressof(room))


def _ask(
    asked: weakref.WeakMethod[Any], _context: Any, *given: Any
) -> int:  # Any: as ctypes has them
    method = asked()
    return 1 if method is None else method(*given)


def _prepared(library: ctypes.CDLL, name: str, func: FuncEntry) -> Any:  # Any: as ctypes types it
    """Return a function of C, which knows the types of what it is given."""
    function = getattr(library, name)
    params = [Value if not f.type.is_scalar else SCALARS[value_type(f.type)] for f in func.formals]
    results = [] if func.result.is_void else [ctypes.c_void_p]
    results += [] if func.result.is_void or func.result.is_scalar else [ctypes.c_void_p]
    function.argtypes = [ctypes.c_void_p, *params, *results]
    function.restype = ctypes.c_int32
    return function


def _passed(value: Any, held: Type, keep: list[Any]) -> Any:  # Any: a value, as ctypes takes it
    if held.is_scalar:
        return float(value) if held.is_float else value
    data = ctypes.create_string_buffer(value.data, len(value.data))
    known = ctypes.create_string_buffer(value.known, len(value.known))
    keep += (data, known)
    return Value(ctypes.addressof(data), ctypes.addressof(known))


def _taken(value: Any, held: Type) -> Any:  # Any: what C returns, a scalar
    return held.numpy.type(value) if held.is_float else value
