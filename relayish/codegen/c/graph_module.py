"""Modules that run a compiled network on inputs that are set before, as Relay's graph executor."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from relayish.binary.param_dict import load_param_dict
from relayish.codegen.c.entry import Port
from relayish.codegen.c.executor import CompiledNetwork
from relayish.errors import EvaluationError, UnknownNameError, suggest
from relayish.interpreter.value import leaves
from relayish.ir.relay.expr import Constant
from relayish.ir.values.ndarray import NDArray, as_ndarray


class BenchmarkResult(NamedTuple):
    """How long runs took, in seconds.

    Attributes:
        results: Of each round, the mean of its runs.

    Source:
        TVM ``BenchmarkResult``.

    Example:
        >>> BenchmarkResult([0.001, 0.002, 0.002, 0.005]).mean
        0.0025
        >>> print(BenchmarkResult([0.001, 0.003]))
        mean 2.0000 ms, median 2.0000 ms, max 3.0000 ms, min 1.0000 ms, std 1.0000 ms
    """

    results: Sequence[float]

    @property
    def mean(self) -> float:
        """The mean of all rounds."""
        return float(np.mean(self.results))

    @property
    def median(self) -> float:
        """The round in the middle."""
        return float(np.median(self.results))

    @property
    def min(self) -> float:
        """The fastest round."""
        return min(self.results)

    @property
    def max(self) -> float:
        """The slowest round."""
        return max(self.results)

    @property
    def std(self) -> float:
        """The deviation of rounds from their mean."""
        return float(np.std(self.results))

    def __str__(self) -> str:
        named = ("mean", "median", "max", "min", "std")
        return ", ".join([f"{name} {getattr(self, name) * 1000:.4f} ms" for name in named])


class Module(ABC):
    """What runs a compiled network, and tells how long that takes.

    Source:
        TVM ``runtime.Module``.
    """

    @abstractmethod
    def run(self) -> None:
        """Run the network."""

    def time_evaluator(
        self,
        func_name: str = "run",
        dev: object = None,
        number: int = 10,
        repeat: int = 1,
        min_repeat_ms: float = 0,
    ) -> Callable[[], BenchmarkResult]:
        """Return what tells how long running takes on the inputs that are set then.

        Args:
            func_name: ``run``.
            dev: Taken as Relay takes it and left aside.
            number: How often it is run in a round, at first.
            repeat: How many rounds there are.
            min_repeat_ms: How long a round takes at least; where it is shorter, it is run more
                often.

        Raises:
            UnknownNameError: If another function is asked for.

        Source:
            TVM ``Module.time_evaluator``.
        """
        del dev
        if func_name != "run":
            raise UnknownNameError(f"only 'run' is timed; found {func_name!r}")
        return lambda: _measured(self.run, number, repeat, min_repeat_ms)


class GraphModule(Module):
    """Runs a compiled network on inputs that are set before, and keeps its outputs.

    Source:
        TVM ``graph_executor.GraphModule``.

    Args:
        module: Another one, which is taken over, or the network.

    Attributes:
        network: The network.
    """

    def __init__(self, module: GraphModule | CompiledNetwork) -> None:
        network = module.network if isinstance(module, GraphModule) else module
        self.network: CompiledNetwork = network
        self._inputs: dict[str, Any] = {}  # Any: arrays
        self._outputs: list[np.ndarray[Any, Any]] | None = None

    def set_input(
        self, key: str | int | None = None, value: object = None, **named: object
    ) -> None:
        """Set inputs, by name or place; the values are copied.

        Args:
            key: The name of an input, or its place.
            value: What it is to be.
            named: Further ones; names that the network has not are left aside, as Relay does, for
                parameters that were folded are among them.

        Raises:
            UnknownNameError: If there is no input of that name or place.
        """
        if key is not None:
            self._inputs[self._name(key)] = np.array(plain(value))
        known = self._names()
        self._inputs |= {n: np.array(plain(each)) for n, each in named.items() if n in known}

    def load_params(self, params_bytes: bytes | bytearray) -> None:
        """Set the inputs that :func:`relayish.save_param_dict` wrote."""
        self.set_input(None, None, **load_param_dict(bytes(params_bytes)))

    def run(self, **inputs: object) -> None:
        """Run the network; ``inputs`` are set before. Those that nobody sets are 0, as in Relay.

        Raises:
            EvaluationError: If an input is of another type, a check fails, or one that is not set
                has a size that arrays tell.
        """
        self.set_input(None, None, **inputs)
        found = self.network(**(self._blank() | self._inputs))
        self._outputs = [np.asarray(each) for each in leaves(found)]

    def get_output(self, index: int, out: np.ndarray[Any, Any] | None = None) -> NDArray:
        """Return an output of the last run.

        Raises:
            EvaluationError: If there was none, or has no such output.
        """
        if self._outputs is None:
            raise EvaluationError("the network did not run yet, so it has no outputs; call run()")
        if not 0 <= index < len(self._outputs):
            raise EvaluationError(f"there is no output {index}; there are {len(self._outputs)}")
        found = as_ndarray(self._outputs[index])
        return found if out is None else as_ndarray(out).copyfrom(found)

    def get_input(self, index: str | int, out: np.ndarray[Any, Any] | None = None) -> NDArray:
        """Return what an input is set to.

        Raises:
            EvaluationError: If it is not set.
            UnknownNameError: If there is none.
        """
        name = self._name(index)
        if name not in self._inputs:
            raise EvaluationError(f"input {name!r} is not set; call set_input({name!r}, value)")
        found = as_ndarray(self._inputs[name])
        return found if out is None else as_ndarray(out).copyfrom(found)

    def get_num_outputs(self) -> int:
        """Return how many outputs there are."""
        return len(self.network.code.outputs)

    def get_num_inputs(self) -> int:
        """Return how many inputs there are."""
        return len(self.network.params)

    def get_input_index(self, name: str) -> int:
        """Return the place of an input; -1 if there is none of that name."""
        names = self._names()
        return names.index(name) if name in names else -1

    def get_input_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Return shapes and element types of inputs, by name; sizes that these tell are -1."""
        return _info(self._names(), self.network.code.inputs)

    def get_output_index(self, name: str) -> int:
        """Return the place of an output; -1 if there is none of that name."""
        names = [port.name for port in self.network.code.outputs]
        return names.index(name) if name in names else -1

    def get_output_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Return shapes and element types of outputs, by the names that C has for them."""
        ports = self.network.code.outputs
        return _info([port.name for port in ports], ports)

    @property
    def module(self) -> GraphModule:
        """The module itself, of which scripts ask ``module.time_evaluator``."""
        return self

    def benchmark(
        self,
        device: object = None,
        func_name: str = "run",
        repeat: int = 5,
        number: int = 5,
        min_repeat_ms: float | None = None,
        *,
        end_to_end: bool = False,
        **inputs: object,
    ) -> BenchmarkResult:
        """Return how long running takes.

        Args:
            device: As for :meth:`time_evaluator`, as all up to ``min_repeat_ms``.
            func_name: As above.
            repeat: As above.
            number: As above.
            min_repeat_ms: As above.
            end_to_end: Whether setting ``inputs`` and taking outputs is part of it.
            inputs: Set before.

        Source:
            TVM ``GraphModule.benchmark``.
        """
        self.run(**inputs)
        least = min_repeat_ms or 0
        if not end_to_end:
            return self.time_evaluator(func_name, device, number, repeat, least)()
        copies = {name: as_ndarray(plain(value)) for name, value in inputs.items()}

        def run() -> None:
            self.run(**copies)
            for at in range(self.get_num_outputs()):
                self.get_output(at).numpy()

        return _measured(run, number, repeat, least)

    def _blank(self) -> dict[str, Any]:  # Any: arrays
        """Return zeros for the inputs that are not set and whose sizes are known."""
        return {
            name: np.zeros(port.shape, port.dtype)
            for name, port in zip(self._names(), self.network.code.inputs, strict=True)
            if name not in self._inputs and all(isinstance(size, int) for size in port.shape)
        }

    def _names(self) -> list[str]:
        return [param.name_hint for param in self.network.params]

    def _name(self, key: str | int) -> str:
        names = self._names()
        if isinstance(key, int) and 0 <= key < len(names):
            return names[key]
        if key not in names:
            raise UnknownNameError(
                f"the network has no input {key!r}{suggest(str(key), names)}; it takes "
                f"{', '.join(names)}"
            )
        return str(key)


def _info(
    names: Sequence[str], ports: Sequence[Port]
) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
    pairs = list(zip(names, ports, strict=True))
    return (
        {name: port.sizes for name, port in pairs},
        {name: port.dtype.name for name, port in pairs},
    )


def _measured(
    call: Callable[[], None], number: int, repeat: int, min_repeat_ms: float
) -> BenchmarkResult:
    """Return how long a call takes; the numbers are as :meth:`GraphModule.time_evaluator` says."""
    results = []
    for _ in range(repeat):
        taken = _time_calls(call, number)
        while taken * 1000 < min_repeat_ms:
            number = max(number + 1, int(number * min(min_repeat_ms / 1000 / (taken + 1e-9), 10)))
            taken = _time_calls(call, number)
        results.append(taken / number)
    return BenchmarkResult(results)


def _time_calls(call: Callable[[], None], number: int) -> float:
    start = time.perf_counter()
    for _ in range(number):
        call()
    return time.perf_counter() - start


def plain(value: object) -> object:
    """Return what a constant holds, and anything else as it is."""
    return value.data if isinstance(value, Constant) else value
