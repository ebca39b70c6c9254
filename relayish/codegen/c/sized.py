"""Compiled networks whose sizes arguments tell: one object serves all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from relayish.codegen.c.native import NativeModule
from relayish.codegen.c.network import Network
from relayish.codegen.c.program import to_c
from relayish.codegen.c.toolchain import Toolchain
from relayish.interpreter.arguments import order_arguments
from relayish.ir.relay.expr import Constant, Var
from relayish.ir.relay.type import TupleType, Type
from relayish.tir.interpreter.access import constant
from relayish.tir.interpreter.run import evaluate
from relayish.tir.ir.tensor import Buffer
from relayish.tir.ir.tensor import Var as LoopVar


class SizedNetwork:
    """A compiled network whose sizes arguments tell: it gives new arrays for arrays.

    It may be called from several threads. Memory for what lies between operators is kept for the
    sizes of the last call.

    Attributes:
        params: Its parameters.
        result: The type of what it gives.
        text: The source in C.
    """

    def __init__(self, params: Sequence[Var], network: Network, toolchain: Toolchain) -> None:
        self.params = tuple(params)
        self.result = network.result
        source = to_c(network.module)
        self.text = source.text
        self._network = network
        self._run = NativeModule(source, toolchain)[network.module.name]
        self._told = _told_sizes(network)
        self._room: tuple[tuple[int, ...], list[np.ndarray[Any, Any]]] | None = None
        self._lock = threading.Lock()

    def __call__(self, *inputs: object, **named: object) -> Any:  # Any: arrays, in tuples
        """Return the value of the network for arrays.

        Args:
            inputs: Arrays, which are read where they are unless they have gaps.
            named: Further ones, by the names of parameters.

        Raises:
            EvaluationError: If one is missing, unknown, or given twice, or a check fails.
            TypeConfusionError: If one is of another type or shape, or two tell a size differently.
        """
        network = self._network
        given = [
            np.asarray(each.data if isinstance(each, Constant) else each)
            for each in order_arguments(self.params, inputs, named)
        ]
        sizes = tuple([(*given[at].shape, *[1] * (axis + 1))[axis] for at, axis in self._told])
        values = dict(zip(network.sizes, sizes, strict=True))
        outputs = [_array_for(each, values) for each in network.outputs]
        with self._lock:
            if self._room is None or self._room[0] != sizes:
                self._room = (sizes, [_array_for(each, values) for each in network.workspace])
            self._run(*sizes, *given, *network.constants, *self._room[1], *outputs)
        return arranged(iter(outputs), network.result)


def arranged(outputs: Iterator[np.ndarray[Any, Any]], ty: Type) -> Any:  # Any: as above
    """Return the value of a type whose leaves are the next of ``outputs``."""
    if isinstance(ty, TupleType):
        return tuple([arranged(outputs, field) for field in ty.fields])
    return next(outputs)


def _array_for(buffer: Buffer, sizes: Mapping[LoopVar, int]) -> np.ndarray[Any, Any]:
    known = [constant(size) for size in buffer.shape]
    shape = [
        max(int(evaluate(size, sizes)), 0) if number is None else number
        for size, number in zip(buffer.shape, known, strict=True)
    ]
    return np.zeros(shape, buffer.dtype.numpy)


def _told_sizes(network: Network) -> list[tuple[int, int]]:
    """Return which argument, and which axis of it, tells each size."""
    told = {
        size: (at, axis)
        for at, param in reversed([*enumerate(network.params)])
        for axis, size in enumerate(param.shape)
    }
    return [told[size] for size in network.sizes]
