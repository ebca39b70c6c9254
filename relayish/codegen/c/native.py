"""Compiled functions, called on numpy arrays without a copy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.codegen.c.cache import compiled
from relayish.codegen.c.call_backs import load_library, raise_for
from relayish.codegen.c.loops.functions import STACK
from relayish.codegen.c.loops.signatures import Signature
from relayish.codegen.c.program import CSource, to_c
from relayish.codegen.c.toolchain import Toolchain, find_toolchain, flags_for
from relayish.codegen.c.types import c_type
from relayish.errors import TypeConfusionError, UnknownNameError, suggest
from relayish.ir.modules.module import Module as IRModule
from relayish.tir.interpreter.access import constant
from relayish.tir.interpreter.memory import Layout, Loan, Memory, lend
from relayish.tir.interpreter.program import Function, State
from relayish.tir.interpreter.run import arrange_arguments, prepare_value
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Var

SCALARS: Final = {
    "bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    **{
        f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}")
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
}
"""By the name of a type of C, what passes numbers of it."""


Place: TypeAlias = Callable[[np.ndarray[Any, Any]], int]
"""Tells the address at which code finds an array."""


class NativeFunction:
    """A compiled function.

    Attributes:
        func: The function of the loop IR.
        source: The program in C that it is of, and ``text`` its text.
    """

    def __init__(self, library: ctypes.CDLL, source: CSource, signature: Signature) -> None:
        self.func = signature.func
        self.source = source
        self.text = source.text
        self._signature = signature
        self._library = library
        self._function: Any = getattr(library, signature.name)  # Any: as ctypes types it
        self._function.restype = ctypes.c_int32
        kinds: list[Any] = [  # Any: as above
            SCALARS[c_type(arg.dtype).value] if isinstance(arg, Var) else ctypes.c_void_p
            for arg in signature.params
        ]
        self._left = [STACK] if signature.is_counted else []
        behind = [*[ctypes.c_void_p] * len(signature.tracked), *[ctypes.c_int32] * len(self._left)]
        self._function.argtypes = [*kinds, *behind]
        self._shared = signature.params[len(self.func.args) :]
        self._as_run = Function(self.func, {}, [b for b in self._shared if isinstance(b, Buffer)])
        scalars = [arg for arg in self.func.args if isinstance(arg, Var)]
        self._layouts = {
            arg: _layout_of(arg, scalars) for arg in signature.params if isinstance(arg, Buffer)
        }

    def __call__(self, *args: object) -> None:
        """Run it on what :func:`relayish.tir.run` takes: arrays, which are changed in place.

        Raises:
            TypeConfusionError: If it is given something else, or arrays that overlap.
            EvaluationError: If a check fails: what was found, and the node; arrays stay as they
                were then.
        """
        state = State()
        given: list[Any] = arrange_arguments(self._as_run, args, state)  # Any: numbers and arrays
        given += [state.shared.get(each) for each in self._as_run.shared]
        params = self._signature.params
        scalars = [value for arg, value in zip(params, given, strict=True) if isinstance(arg, Var)]
        loans: list[Loan] = []
        memories: dict[Buffer, Memory] = {}
        passed: list[Any] = []  # Any: numbers and arrays
        for arg, value in zip(params, given, strict=True):
            if isinstance(arg, Var):
                passed.append(float(value) if arg.dtype.is_float else value)
                continue
            assert isinstance(arg, Buffer)
            memory = memories[arg] = Memory(arg.name, arg.dtype)
            layout = self._layouts[arg](scalars)
            if value is None and arg in self._shared:
                memory.allocate(layout, None)
            else:
                loan = lend(memory, value, layout, arg in self._signature.written)
                loans += [] if loan is None else [loan]
            passed.append(memory.given)
        masks = [memories[arg].mask for arg in self._signature.tracked]
        passed += [None if mask is None else np.frombuffer(mask, np.uint8) for mask in masks]
        self._refuse_overlap(memories)
        try:
            with self.placed() as place:
                found = [place(each) if isinstance(each, np.ndarray) else each for each in passed]
                status = self._function(*found, *self._left)
        finally:
            for loan in loans:
                loan.give_back()
        if status:
            raise_for(status, self.source.faults, self._library)

    @contextmanager
    def placed(self) -> Iterator[Place]:
        """Yield what tells the code where it finds arrays, while it runs."""
        yield lambda array: int(array.ctypes.data)

    def _refuse_overlap(self, memories: Mapping[Buffer, Memory]) -> None:
        """Raise where memory that is stored to is given for something else as well."""
        spans = [
            (memory.given.ctypes.data, memory.given.nbytes, arg)
            for arg, memory in memories.items()
            if memory.given.size
        ]
        spans.sort(key=lambda span: span[0])
        for (first, size, a), (second, _, b) in pairwise(spans):
            if second < first + size and not self._signature.written.isdisjoint((a, b)):
                raise TypeConfusionError(
                    f"buffers {a.name} and {b.name} are given memory that overlaps, and one of "
                    f"them is stored to; give a copy"
                )


def _layout_of(buffer: Buffer, scalars: Sequence[Var]) -> Callable[[Sequence[Any]], Layout]:
    """Return what tells the shape, strides and offset of a buffer, given the scalar arguments."""
    sizes = [_value_of(size, scalars) for size in buffer.shape]
    strides = [_value_of(step, scalars) for step in buffer.strides]
    offset = _value_of(buffer.elem_offset, scalars)

    def layout(values: Sequence[Any]) -> Layout:
        return [size(values) for size in sizes], [step(values) for step in strides], offset(values)

    return layout


def _value_of(expr: Expr | None, scalars: Sequence[Var]) -> Callable[[Sequence[Any]], int]:
    known = constant(expr)
    if known is not None:
        return lambda _: known
    assert expr is not None
    if isinstance(expr, Var) and expr in scalars:
        at = scalars.index(expr)
        return lambda values: int(values[at])
    evaluate = prepare_value(expr, scalars)
    return lambda values: int(evaluate(*values))


class NativeModule:
    """A compiled module: ``module["name"]`` is a function of it, and ``module.text`` its source."""

    function: type[NativeFunction] = NativeFunction

    def __init__(self, source: CSource, toolchain: Toolchain) -> None:
        self.source = source
        self.text = source.text
        library = load_library(str(compiled(source.text, toolchain)))
        self.functions: Mapping[str, NativeFunction] = {
            name: self.function(library, source, signature)
            for name, signature in source.functions.items()
        }

    def __getitem__(self, name: str) -> NativeFunction:
        found = self.functions.get(name)
        if found is None:
            raise UnknownNameError(
                f"the module has no function {name!r}{suggest(name, self.functions)}"
            )
        return found


def build(
    program: LoweredFunc | Module | IRModule[Any],
    *,
    exact: bool = True,
    toolchain: Toolchain | None = None,
) -> NativeFunction | NativeModule:
    """Return a function of the loop IR, or a module of these, compiled to run on this machine.

    What is computed is what :func:`relayish.tir.run` computes, bit for bit but for functions of
    C's library such as ``exp``.

    Args:
        program: A function, or a module.
        exact: Whether sums of floats are added in order, and each product is rounded.
        toolchain: The compiler; by default the first that is found.

    Raises:
        CodegenError: If C cannot say it, or there is no compiler, or it fails.
        VerificationError: If the program breaks a rule of the loop IR.
    """
    chosen = find_toolchain(flags_for(exact=exact)) if toolchain is None else toolchain
    module = NativeModule(to_c(program), chosen)
    return module[program.name] if isinstance(program, LoweredFunc) else module
