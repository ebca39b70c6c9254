"""Compiled networks: called with arrays, which they leave alone, and giving new ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from relayish.codegen.c.native import NativeModule
from relayish.codegen.c.network import lower_network, order_calls
from relayish.codegen.c.program import to_c
from relayish.codegen.c.toolchain import FLAGS, REASSOCIATING, Toolchain, find_toolchain
from relayish.errors import TypeConfusionError
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.tensor import Buffer


class CompiledNetwork:
    """A network that was compiled: called with an array for each parameter, it gives new ones.

    What lies between operators is kept in memory of its own, so one call runs at a time; another
    thread waits.

    Attributes:
        text: The source in C.
    """

    def __init__(self, mod: IRModule, name: str, toolchain: Toolchain) -> None:
        self._network = order_calls(mod, name)
        source = to_c(self._network.module)
        self.text = source.text
        self._run = NativeModule(source, toolchain)[name]
        self._workspace = [_array_for(each) for each in self._network.workspace]
        self._lock = threading.Lock()

    def __call__(self, *inputs: object) -> Any:  # Any: an array, or a tuple of these
        """Return the value of the network for arrays, in order of its parameters.

        Raises:
            TypeConfusionError: If one does not fit.
            EvaluationError: If a check fails.
        """
        network = self._network
        if len(inputs) != len(network.params):
            names = ", ".join([each.name.removeprefix("_") for each in network.params])
            raise TypeConfusionError(
                f"the network takes {len(network.params)} arrays ({names}) and is given "
                f"{len(inputs)}"
            )
        given = [np.asarray(each) for each in inputs]
        outputs = [_array_for(each) for each in network.outputs]
        with self._lock:  # calls share the memory between
            self._run(*given, *network.constants, *self._workspace, *outputs)
        return _arranged(iter(outputs), network.result)


def _arranged(outputs: Iterator[np.ndarray[Any, Any]], ty: Type) -> Any:  # Any: as above
    """Return the value of a type whose leaves are the next of ``outputs``."""
    if isinstance(ty, TupleType):
        return tuple([_arranged(outputs, field) for field in ty.fields])
    assert isinstance(ty, TensorType)
    sizes: Any = ty.shape  # Any: integers, of a network
    return next(outputs).reshape([int(size) for size in sizes])


def _array_for(buffer: Buffer) -> np.ndarray[Any, Any]:
    return np.zeros([constant(size) or 0 for size in buffer.shape], buffer.dtype.numpy)


def build_network(
    mod: IRModule,
    *,
    name: str = "main",
    exact: bool = False,
    toolchain: Toolchain | None = None,
) -> CompiledNetwork:
    """Return a network compiled for this machine.

    Sums of floats are added in an order of the compiler's choice, and products are rounded together
    with the sum that they are part of: errors of a sum of n products are at most n units in the
    last place of the sum of their absolute values. Functions such as ``exp`` are those of C's
    library, where it has them those of vectors, which are 4 units off at most. Nothing else differs
    from the interpreter.

    Args:
        mod: A module of Relay, whose function ``name`` has types of known sizes.
        name: The function.
        exact: Whether sums are added in order, each product is rounded, and functions are those of
            numbers.
        toolchain: The compiler; by default the first that is found.

    Raises:
        UnlowerableError: If loops cannot express an operator: which, where, and why.
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
    flags = FLAGS if exact else (*FLAGS, *REASSOCIATING)
    chosen = find_toolchain(flags) if toolchain is None else toolchain
    return CompiledNetwork(lower_network(mod, name), name, chosen)
