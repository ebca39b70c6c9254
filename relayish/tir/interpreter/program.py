"""Compiled functions: their frames, and what happens before and after their bodies."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from types import FunctionType
from typing import Any

from relayish._support.collector import pause_collection
from relayish.errors import TypeConfusionError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.interpreter import access, calls, expressions  # noqa: F401 - their rules
from relayish.tir.interpreter.compiler import LIBRARY, Binding, Compiler, Place
from relayish.tir.interpreter.foreign import ForeignFunction
from relayish.tir.interpreter.lanes.candidates import find_candidates
from relayish.tir.interpreter.memory import Layout, Loan, Memory, lend, size_of
from relayish.tir.interpreter.statements import run_body, shape_of
from relayish.tir.interpreter.unit import Call, Unit
from relayish.tir.ir.expr import Call as CallNode
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Alloc, Free
from relayish.tir.ir.tensor import Buffer, Store, Tensor, Var


class State:
    """What one run keeps: arrays that are lent, and memory that functions share."""

    __slots__ = ("loans", "shared")

    def __init__(self) -> None:
        self.loans: list[Loan] = []
        self.shared: dict[Buffer, object] = {}


class Facts:
    """What is stored to, and allocated or freed, somewhere in a program."""

    __slots__ = ("moved", "stored", "written")

    def __init__(self, root: Node) -> None:
        self.stored: set[Var] = set()
        self.written: set[Buffer] = set()
        self.moved: set[Buffer] = set()
        for node in PROGRAM.pre_order(root):
            if isinstance(node, Store):
                self._note(node.tensor)
            elif isinstance(node, (Alloc, Free)) and isinstance(node.destination, Buffer):
                self.moved.add(node.destination)
            elif isinstance(node, CallNode):
                for arg in (*node.read_args, *node.write_args):
                    self._note(arg)

    def _note(self, place: Expr) -> None:
        if isinstance(place, Var):
            self.stored.add(place)
        elif isinstance(place, Tensor) and isinstance(place.buffer, Buffer):
            self.written.add(place.buffer)
        elif isinstance(place, Buffer):
            self.written.add(place)


class Argument:
    """A buffer that a function is given: makes memory of what it is given."""

    __slots__ = ("buffer", "is_tracked", "is_written")

    def __init__(self, buffer: Buffer, *, is_written: bool, is_tracked: bool) -> None:
        self.buffer = buffer
        self.is_written = is_written
        self.is_tracked = is_tracked

    def __call__(self, state: State, given: object, layout: Layout) -> Memory:
        """Return the memory that stands for ``given``."""
        buffer = self.buffer
        if not isinstance(given, Memory):
            memory = Memory(buffer.name, buffer.dtype)
            loan = lend(memory, given, layout, self.is_written)
            if loan is not None:
                state.loans.append(loan)
            return memory.tracked() if self.is_tracked else memory
        size, found = size_of(*layout), len(given.given)
        if given.dtype != buffer.dtype or found != size:
            raise TypeConfusionError(
                f"buffer {buffer.name} of {size} elements of type {buffer.dtype} is given "
                f"{given.name}, which has {found} of type {given.dtype}"
            )
        return given.tracked()


class Shared:
    """A buffer that functions of a module share."""

    __slots__ = ("buffer",)

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer

    def __call__(self, state: State, layout: Layout) -> Memory:
        """Return its memory, which is made when it is first asked for."""
        found = state.shared.get(self.buffer)
        if isinstance(found, Memory):
            return found
        made = Memory(self.buffer.name, self.buffer.dtype)
        if found is None:
            made.allocate(layout, None)
        else:
            loan = lend(made, found, layout, written=True)
            if loan is not None:
                state.loans.append(loan)
        state.shared[self.buffer] = made.tracked()
        return made


class Function:
    """A function that is compiled when it is first run.

    Attributes:
        func: The function, or what is run as if it were one.
        functions: Those it may call, by name.
        shared: The buffers that it shares with others.
    """

    def __init__(
        self,
        func: LoweredFunc,
        functions: Mapping[str, Function | ForeignFunction],
        shared: Sequence[Buffer] = (),
        value: Expr | None = None,
        mode: str = "plain",
    ) -> None:
        self.func = func
        self.functions = functions
        self.shared = shared
        self.value = value
        self.mode = mode
        self._compiled: dict[bool, tuple[FunctionType, Unit, int]] = {}

    def start(self, caller: list[Any], *args: Any) -> Call:
        """Return a call by another function, as a generator."""
        return self.call(caller[0], args, is_tracked=True)

    def call(self, state: State, args: Sequence[Any], *, is_tracked: bool = False) -> Call:
        """Return a call as a generator.

        Args:
            state: What the run keeps.
            args: What is given for each argument, as the interpreter holds it.
            is_tracked: Whether buffers are given as memory, elements of which may hold nothing.
        """
        function, unit, slots = self._compile(is_tracked)
        frame = [state, *args, *[None] * (slots - len(args) - 1)]
        return function(frame) if unit.yields else _once(function, frame)

    def _compile(self, is_tracked: bool) -> tuple[FunctionType, Unit, int]:
        found = self._compiled.get(is_tracked)
        if found is None:
            with pause_collection():
                compiler = Compiler(self.functions)
                _compile_entry(compiler, self, is_tracked)
                unit = compiler.unit
                found = unit.finish(LIBRARY), unit, compiler.slots
            self._compiled[is_tracked] = found
        return found


def _once(function: FunctionType, frame: list[Any]) -> Call:
    """Return a call of a unit that is no generator as one."""
    yield from ()
    return function(frame)


def _compile_entry(c: Compiler, function: Function, is_tracked: bool) -> None:
    func = function.func
    facts = Facts(func.body)
    c.stored = frozenset(facts.stored)
    if function.mode == "vectorised":
        c.candidates = frozenset(find_candidates(func.body))
    c.slots = 1 + len(func.args)
    for slot, arg in enumerate(func.args, 1):
        if isinstance(arg, Var):
            local = c.unit.assign(c.slot(slot))
            binding = Binding(c.unit, local, -1)
            binding.slot = slot
            c.bind(arg, binding)
    c.run(_prepare(c, function, facts, is_tracked), func)
    with c.new_unit() as unit:
        if function.value is None:
            c.run(run_body(c, func.body), func)
        else:
            unit.line(f"return {c.compile(function.value)}")
    c.unit.line(f"return {c.call(unit)}")


def _prepare(
    c: Compiler, function: Function, facts: Facts, is_tracked: bool
) -> Generator[Node, str, str]:
    """Compile what gives each buffer its memory."""
    func = function.func
    for slot, arg in enumerate(func.args, 1):
        if isinstance(arg, Buffer):
            has_gaps = bool(arg.strides) or arg.elem_offset is not None
            tracked = is_tracked or has_gaps
            c.places[arg] = Place(slot, moves=False, is_given=True, is_tracked=tracked)
            layout = yield from shape_of(arg)
            make = c.unit.capture(
                Argument(arg, is_written=arg in facts.written, is_tracked=tracked)
            )
            at = c.slot(slot)
            c.unit.line(f"{at} = {make}({c.slot(0)}, {at}, {layout})")
    for buffer in function.shared:
        place = Place(c.new_slot(), moves=False, is_given=True, is_tracked=True)
        c.places[buffer] = place
        layout = yield from shape_of(buffer)
        make = c.unit.capture(Shared(buffer))
        c.unit.line(f"{c.slot(place.slot)} = {make}({c.slot(0)}, {layout})")
    for buffer in func.temp_bufs:
        moves = buffer in facts.moved
        place = Place(c.new_slot(), moves=moves, is_given=False, is_tracked=True)
        c.places[buffer] = place
        make, name, dtype = (c.unit.capture(item) for item in (Memory, buffer.name, buffer.dtype))
        c.unit.line(f"{c.slot(place.slot)} = {make}({name}, {dtype})")
        if not moves:
            layout = yield from shape_of(buffer)
            c.unit.line(f"{c.slot(place.slot)}.allocate({layout}, None)")
    c.memo = {}
    return "None"
