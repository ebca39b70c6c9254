"""Compiled modules of core, called on numbers and numpy arrays as the interpreter is."""

from __future__ import annotations

import contextvars
import ctypes
import functools
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, Final, TypeVar

import numpy as np

from relayish.codegen.c.cache import compiled
from relayish.codegen.c.core.declarations import value_type
from relayish.codegen.c.core.program import OutsideCall, RunTools
from relayish.codegen.c.core.runtime import REASONS
from relayish.codegen.c.core.source import CoreSource, write_program
from relayish.codegen.c.native import SCALARS
from relayish.codegen.c.toolchain import Toolchain, find_toolchain
from relayish.core.interpreter.machine import Extern, Machine
from relayish.core.interpreter.memory import Aggregate, Memory, Piece, Pointed
from relayish.core.interpreter.numbers import form_of
from relayish.core.interpreter.run import Running
from relayish.core.interpreter.tools import elements_at, line_of, take_time, text_at
from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.memory import pointee_of
from relayish.core.ir.stmt import DumpVar, TmStart, TmTaken
from relayish.core.ir.type import INT64, Type
from relayish.domain.dispatch import Dispatch
from relayish.domain.handler import Handler
from relayish.errors import EvaluationError
from relayish.ir.modules.module import AnyModule

STACK: Final = 1 << 28
"""How many bytes of stack the calls of a program that recurs may take."""


_SPARE: Final = 1 << 20
"""How many bytes of the stack are left for what the deepest function calls."""


class _Value(ctypes.Structure):
    """The bytes of an array or a structure, and where the marks of these are."""

    _fields_ = (("data", ctypes.c_void_p), ("held", ctypes.c_void_p))


class _Piece(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("held", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("number", ctypes.c_uint32),
        ("kind", ctypes.c_int32),
    )


_CALL: Final = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_void_p,
    ctypes.c_void_p,
)


class _MachineHead(ctypes.Structure):
    """What a program in C begins with."""

    _fields_ = (
        ("pieces", ctypes.c_void_p),
        ("room", ctypes.c_uint32),
        ("used", ctypes.c_uint32),
        ("last", ctypes.c_uint32),
        ("depth", ctypes.c_int32),
        ("lowest", ctypes.c_void_p),
        ("stack", ctypes.c_size_t),
        ("mark", ctypes.c_double),
        ("context", ctypes.c_void_p),
        ("call", _CALL),
    )


class _NativeMemory(Memory):
    """The memory of a compiled program, as :class:`Machine` knows memory."""

    def __init__(self, library: ctypes.CDLL, program: int) -> None:
        super().__init__()
        self._program = program
        self._kept: list[Piece] = []
        self._enter: Any = library.enter_memory_of_program  # Any: as ctypes types it
        self._enter.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32)
        self._enter.restype = ctypes.c_uint64
        self._find: Any = library.find_memory_of_program  # Any: as above
        self._find.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(_Piece))
        self._find.restype = ctypes.c_int32

    def address_of(self, piece: Piece) -> int:
        """Return the address of an array of the caller, which is kept."""
        array = np.frombuffer(piece.data, np.uint8)
        self._kept.append(piece)
        at: int = self._enter(self._program, array.ctypes.data, array.size, int(piece.is_const))
        if not at:
            raise EvaluationError("there are no more addresses")
        return at

    def view(self, number: int, piece: Piece) -> Piece:
        """Return a variable of the module, which is where the program has it."""
        found = _Piece()
        failed = self._find(self._program, (number << 36) + (1 << 35), ctypes.byref(found))
        assert not failed
        data = memoryview((ctypes.c_uint8 * found.size).from_address(found.data)).cast("B")
        return Piece(piece.name, data, None, is_const=piece.is_const)

    def at(self, address: int, what: str = "memory") -> Pointed:
        """Return a copy of what an address points to."""
        found = _Piece()
        failed = self._find(self._program, address, ctypes.byref(found))
        if failed:
            reason = REASONS[failed - 1]
            raise reason.kind(f"{reason.found}: {what} at {address:#x}")
        data = _bytes_at(found.data, found.size)
        known = bytearray(_bytes_at(found.held, found.size)) if found.held else None
        piece = Piece("a variable", data, known, is_const=True)
        return Pointed(piece, (address & (1 << 36) - 1) - (1 << 35))


def _bytes_at(address: int | None, size: int) -> bytes:
    return ctypes.string_at(address, size) if address and size else b""


class _NativeMachine(Machine):
    """The machine of a compiled program: its memory is that of the program, which also runs."""

    def __init__(
        self, mod: AnyModule, source: CoreSource, library: ctypes.CDLL, **options: Any
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
        self._head = _MachineHead.from_buffer(self._room)
        asked = weakref.WeakMethod(self._asked)
        self._call = _CALL(lambda *given: _ask(asked, *given))
        self._head.call = self._call
        memory = _NativeMemory(library, self._program)
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
        status = self._run(self._functions[name], given)
        if status == -1:
            raised, self._raised = self._raised, None
            assert raised is not None
            raise raised
        if status:
            raise self._source.faults[status - 1].error()
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

    def _run(self, function: Any, given: Sequence[Any]) -> int:  # Any: as ctypes types it
        """Run a function, one at a time; what recurs does so on a stack of its own."""
        if not self._source.recurs or self._worker == threading.get_ident():
            with self._lock:
                status: int = function(self._program, *given)
                return status
        return run_with_stack(lambda: self._run_as_worker(function, given))

    def _run_as_worker(self, function: Any, given: Sequence[Any]) -> int:  # Any: as above
        with self._lock:
            self._worker = threading.get_ident()
            self._head.stack = STACK - _SPARE
            try:
                status: int = function(self._program, *given)
                return status
            finally:
                self._worker = None

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
            return form.read(_bytes_at(address, size), 0)
        value = _Value.from_address(address)
        data = _bytes_at(value.data, size) or bytes(size)
        return Aggregate(data, _bytes_at(value.held, size)) if value.held else Aggregate.of(data)


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
    params = [_Value if not f.type.is_scalar else SCALARS[value_type(f.type)] for f in func.formals]
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
    return _Value(ctypes.addressof(data), ctypes.addressof(known))


def _taken(value: Any, held: Type) -> Any:  # Any: what C returns, a scalar
    return held.numpy.type(value) if held.is_float else value


_STARTING: Final = threading.Lock()
"""Held while the size of stacks of new threads is another one."""

_T = TypeVar("_T")


def run_with_stack(run: Callable[[], _T]) -> _T:
    """Run a function in a thread of its own, whose stack is large, and return what it returns."""
    found: list[_T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            found.append(run())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            raised.append(error)

    context = contextvars.copy_context()
    with _STARTING:
        before = threading.stack_size(STACK)
        try:
            thread = threading.Thread(target=context.run, args=(work,), daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    if raised:
        raise raised[0]
    return found[0]


class CompiledProgram(Running):
    """A module of core that was compiled: called as :class:`relayish.core.Interpreter` is.

    Variables of the module keep what they hold between calls. One call runs at a time; another
    thread waits.

    Attributes:
        source: The program in C, and ``text`` its text.
    """

    def __init__(self, machine: _NativeMachine, source: CoreSource) -> None:
        super().__init__(machine)
        self.source = source
        self.text = source.text

    def __getitem__(self, name: str) -> Callable[..., Any]:
        self.machine.function_named(name)
        return functools.partial(self.call, name)

    def __call__(self, *args: object) -> Any:  # Any: of what type the function says
        """Run ``main``; see :meth:`call`."""
        return self.call("main", *args)


def build(
    mod: AnyModule,
    *,
    handlers: Sequence[Handler | type[Handler]] = (),
    externs: Mapping[str, Extern] | None = None,
    output: Callable[[str], object] = print,
    clock: Callable[[], float] = perf_counter,
    toolchain: Toolchain | None = None,
    rt_dump: bool = True,
    rt_timing: bool = True,
    rt_validate: bool = True,
) -> CompiledProgram:
    """Return a module of core, compiled to run on this machine; see :func:`relayish.core.build`.

    Args:
        mod: The module.
        handlers: What takes the place of the handlers of their domains for the task ``"c"``.
        externs: As :class:`relayish.core.Interpreter` takes them.
        output: Likewise.
        clock: Likewise.
        toolchain: The compiler; by default the first that is found.
        rt_dump: As of :func:`relayish.codegen.c.core_to_c`.
        rt_timing: Likewise.
        rt_validate: Likewise.

    Raises:
        CodegenError: If C cannot say it, or there is no compiler, or it fails.
        VerificationError: If the module breaks a rule of core.
    """
    tools = RunTools(rt_dump, rt_timing, rt_validate)
    chosen = find_toolchain() if toolchain is None else toolchain
    source = write_program(mod, tools, handlers=handlers, hosted=True, externs=externs or ())
    library = ctypes.CDLL(str(compiled(source.text, chosen)))
    machine = _NativeMachine(mod, source, library, externs=externs, output=output, clock=clock)
    return CompiledProgram(machine, source)
