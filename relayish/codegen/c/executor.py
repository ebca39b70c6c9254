"""Compiled networks: called with arrays, which they leave alone, and giving new ones."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from relayish.codegen.c.arena import ALIGNMENT
from relayish.codegen.c.cache import compiled
from relayish.codegen.c.call_backs import load_library, raise_for
from relayish.codegen.c.entry import CNetwork, Port, network_to_c
from relayish.codegen.c.network import (
    Network,
    SchedulePlan,
    Unlowerable,
    lower_network,
    order_calls,
)
from relayish.codegen.c.toolchain import Toolchain, find_toolchain, flags_for
from relayish.errors import CodegenError, OptionError, TypeConfusionError
from relayish.functor import ExprMutator
from relayish.interpreter.arguments import order_arguments
from relayish.ir.relay.expr import Constant, Expr, Function, GlobalVar, Var
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.tuples import nest
from relayish.ir.relay.type import Type


class CompiledNetwork:
    """A network that was compiled: called with an array for each parameter, it gives new ones.

    It may be called from several threads at once; each call that runs beside another one works in
    memory of its own. Sizes that arguments tell may be others in each call.

    Attributes:
        params: Its parameters.
        result: The type of what it gives.
        code: Its source in C, and what that is given.
        library: The file of the shared object.
        weights: Its constants, as bytes.
    """

    def __init__(
        self,
        params: Sequence[Var],
        result: Type,
        code: CNetwork,
        library: Path,
        weights: np.ndarray[Any, Any],
    ) -> None:
        self.params = tuple(params)
        self.result = result
        self.code = code
        self.library = library
        self.weights = weights
        loaded = self._loaded = load_library(str(library))
        self._run: Any = getattr(loaded, code.entry)  # Any: as ctypes types it
        self._run.restype = ctypes.c_int32
        count = len(code.inputs) + len(code.outputs) + 2
        sizes = [ctypes.c_int64] * len(code.sizes)
        self._run.argtypes = [*sizes, *[ctypes.c_void_p] * count]
        self._measure: Any = getattr(loaded, code.measured[0]) if sizes else None  # Any: as above
        self._measured: tuple[list[int], _Frame] | None = None
        if not sizes:
            self._measured = ([], _Frame(code, code.arena or 0, code.shapes))
        self._arena = aligned_bytes(code.arena or 0)
        self._arena_at, self._weights_at = self._arena.ctypes.data, weights.ctypes.data
        self._lock = threading.Lock()

    @property
    def text(self) -> str:
        """The source in C."""
        return self.code.text

    def __call__(self, *inputs: object, **named: object) -> Any:  # Any: arrays, in tuples
        """Return the value of the network for arrays.

        Args:
            inputs: Arrays, which are read where they are unless they have gaps.
            named: Further ones, by the names of parameters.

        Raises:
            EvaluationError: If one is missing, unknown, or given twice, or a check fails.
            TypeConfusionError: If one is of another type or shape, or two tell a size differently.
        """
        values = order_arguments(self.params, inputs, named)
        given = [_array(*pair) for pair in zip(self.code.inputs, values, strict=True)]
        sizes = self._sizes(given)
        frame = self._frame(sizes)
        fitting = [
            _fitting(*each) for each in zip(self.code.inputs, given, frame.inputs, strict=True)
        ]
        outputs: list[Any] = [  # Any: arrays, or tuples of these
            np.empty(shape, port.dtype)
            for port, shape in zip(self.code.outputs, frame.outputs, strict=True)
        ]
        passed = [*sizes, *[each.ctypes.data for each in (*fitting, *outputs)]]
        status = self._status(passed, frame.arena)
        if status:
            raise_for(status, self.code.faults, self._loaded, f"{self.code.name}_fault")
        return nest(self.result, outputs, tuple)

    def _sizes(self, given: Sequence[np.ndarray[Any, Any]]) -> list[int]:
        """Return the sizes that arrays tell.

        Raises:
            TypeConfusionError: If one has not as many dimensions as expected, or none in one.
        """
        found = []
        for size in self.code.sizes:
            port, shape = self.code.inputs[size.input], given[size.input].shape
            if len(shape) != len(port.shape) or not shape[size.axis]:
                raise _unfitting(port, given[size.input], port.shown)
            found.append(shape[size.axis])
        return found

    def _frame(self, sizes: list[int]) -> _Frame:
        """Return the shapes of arrays, and how much memory is needed, for sizes.

        Raises:
            EvaluationError: If they are too large.
        """
        last = self._measured
        if last is not None and last[0] == sizes:
            return last[1]
        numbers = (ctypes.c_int64 * self.code.measured[1])()
        status = self._measure((ctypes.c_int64 * len(sizes))(*sizes), numbers)
        if status:
            raise_for(status, self.code.faults, self._loaded, f"{self.code.name}_fault")
        left = iter(numbers)
        arena = next(left)
        shapes = [
            tuple(islice(left, len(port.shape))) for port in (*self.code.inputs, *self.code.outputs)
        ]
        made = _Frame(self.code, arena, shapes)
        self._measured = (sizes, made)
        return made

    def _status(self, passed: Sequence[int], size: int) -> int:
        """Run it in its arena, or in another one where a call works in that."""
        status: int
        if not self._lock.acquire(blocking=False):
            arena = aligned_bytes(size)
            status = self._run(*passed, self._weights_at, arena.ctypes.data)
            return status
        try:
            if self._arena.nbytes < size:
                self._arena = aligned_bytes(size)
                self._arena_at = self._arena.ctypes.data
            status = self._run(*passed, self._weights_at, self._arena_at)
            return status
        finally:
            self._lock.release()


class _Frame:
    """What sizes tell: the shapes of inputs and outputs, and how many bytes the arena has."""

    __slots__ = ("arena", "inputs", "outputs")

    def __init__(self, code: CNetwork, arena: int, shapes: Sequence[tuple[int, ...]]) -> None:
        count = len(code.inputs)
        self.arena: Final = arena
        self.inputs: Final = shapes[:count]
        self.outputs: Final = shapes[count:]


def aligned_bytes(size: int) -> np.ndarray[Any, Any]:
    """Return memory that begins where a line of the cache does."""
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size]


def _array(port: Port, value: object) -> np.ndarray[Any, Any]:
    """Return an argument as an array of native numbers."""
    array = np.asarray(value.data if isinstance(value, Constant) else value)
    array = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if type(value) in (bool, int, float) and not port.shape:
        array = array.astype(port.dtype)
    return array


def _fitting(
    port: Port, array: np.ndarray[Any, Any], shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """Return an argument without gaps.

    Raises:
        TypeConfusionError: If it is of another type or shape.
    """
    if array.dtype != port.dtype or array.shape != shape:
        raise _unfitting(port, array, str(shape))
    return np.require(array, requirements=("C", "A"))


def _unfitting(port: Port, array: np.ndarray[Any, Any], shape: str) -> TypeConfusionError:
    wrong = array.dtype != port.dtype
    advice = f"; give {port.label}.astype({port.dtype.name!r})" if wrong and array.shape else ""
    if array.ndim == len(port.shape) and 0 in array.shape and 0 not in port.shape:
        axis = array.shape.index(0)
        advice = f"; dimension {axis}, {port.shape[axis]}, is 1 at least"
    return TypeConfusionError(
        f"argument {port.label!r} must be a tensor of shape {shape} and type {port.dtype.name}; "
        f"found {array.shape} {array.dtype.name}{advice}"
    )


def network_of(
    mod: IRModule,
    name: str = "main",
    *,
    exact: bool = False,
    unlowerable: Unlowerable = "refuse",
    on_device: bool = False,
    plan: SchedulePlan | None = None,
) -> tuple[Network, Sequence[Var]]:
    """Return a function of a module, with those it calls, as loops, and its parameters.

    Args:
        mod: A module of Relay.
        name: The function.
        exact: As of :func:`build_network`.
        unlowerable: As of :func:`build_network`.
        on_device: Whether loops stay parallel for a device, rather than suit a processor.
        plan: How loops are scheduled for a processor.

    Raises:
        UnlowerableError: As :func:`build_network`.
        CodegenError: If it is given no module.
        OptionError: If ``unlowerable`` is none of the words.
    """
    if not isinstance(mod, IRModule):
        raise CodegenError(
            f"a {type(mod).__name__} cannot be compiled as a network; expected a module; of a "
            f"function, IRModule.from_expr makes one"
        )
    if unlowerable not in ("refuse", "call"):
        raise OptionError(f"unlowerable is 'refuse' or 'call'; found {unlowerable!r}")
    lowered = lower_network(
        _with_main(mod, name),
        exact=exact,
        unlowerable=unlowerable,
        on_device=on_device,
        plan=plan,
    )
    func = lowered["main"]
    assert isinstance(func, Function)  # else it would have been refused
    return order_calls(lowered, unlowerable=unlowerable), func.params


def _with_main(mod: IRModule, name: str) -> IRModule:
    """Return a module in which a function goes by ``main``, which is the name that passes keep.

    What went by it before goes by another one.
    """
    if name == "main" or "main" not in mod:
        return mod.with_function("main", mod[name])
    supply = GlobalVarSupply(mod)
    rename = _Renaming("main", supply.fresh_global("main", add_prefix=False))
    named: dict[GlobalVar | str, Expr] = {
        var.name_hint: rename.visit(func) for var, func in mod.functions_of(Function).items()
    }
    return mod.with_functions({**named, rename.image: named["main"], "main": named[name]})


class _Renaming(ExprMutator):
    """Puts another global variable in the place of one."""

    def __init__(self, name: str, image: GlobalVar) -> None:
        super().__init__()
        self._name = name
        self.image = image

    def visit_global_var(self, var: GlobalVar) -> Expr:
        return self.image if var.name_hint == self._name else var


def build_network(
    mod: IRModule,
    *,
    name: str = "main",
    exact: bool = False,
    unlowerable: Unlowerable = "refuse",
    toolchain: Toolchain | None = None,
    plan: SchedulePlan | None = None,
) -> CompiledNetwork:
    """Return a network compiled for this machine.

    Sizes of arguments that have a name, or are ``Any``, are told by arrays at each call.

    Sums of floats are added in an order of the compiler's choice, and products are rounded together
    with the sum that they are part of: errors of a sum of n products are at most n units in the
    last place of the sum of their absolute values. Functions such as ``exp`` are those of C's
    library, where it has them those of vectors, which are 4 units off at most. The greatest of
    zeros of two signs may be either. Nothing else differs from the interpreter.

    Args:
        mod: A module of Relay.
        name: The function.
        exact: Whether sums are added in order, each product is rounded, and functions are those of
            numbers.
        unlowerable: ``"call"`` has numpy evaluate, in Python, what loops do not express.
        toolchain: The compiler; by default the first that is found.
        plan: How loops are scheduled.

    Raises:
        UnlowerableError: If loops cannot express an operator: which, where, and why.
        ScheduleError: If a schedule takes a step that is refused.
        DispatchError: The same where the domain of an operator says nothing of loops.
        CodegenError: If how much memory a value needs is not known, there is no compiler, or it
            fails.

    Example:
        >>> import relayish as relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> net = build_network(relay.IRModule.from_expr(relay.Function([x], relay.nn.relu(x))))
        >>> net(np.array([[-1, 2, -3], [4, -5, 6]], "float32")).tolist()
        [[0.0, 2.0, 0.0], [4.0, 0.0, 6.0]]
    """
    chosen = find_toolchain(flags_for(exact=exact)) if toolchain is None else toolchain
    network, params = network_of(mod, name, exact=exact, unlowerable=unlowerable, plan=plan)
    return compile_network(params, network, name, chosen)


def compile_network(
    params: Sequence[Var], network: Network, prefix: str, toolchain: Toolchain
) -> CompiledNetwork:
    """Return a network that was lowered, compiled; see :func:`build_network`.

    Raises:
        CodegenError: If C cannot say it, or the compiler fails.
    """
    code = network_to_c(network, prefix, tells=True)
    weights = aligned_bytes(code.weight_bytes)
    code.write_weights(weights)
    library = compiled(code.text, toolchain)
    return CompiledNetwork(params, network.result, code, library, weights)
