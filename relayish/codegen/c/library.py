"""Libraries: what ``relay.build`` returns, and what runs it, with Relay's names and habits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from relayish.binary.param_dict import load_param_dict
from relayish.codegen.c.executor import CompiledNetwork, build_network
from relayish.codegen.c.exported import export_network, load_network
from relayish.errors import CodegenError, EvaluationError, UnknownNameError, suggest
from relayish.interpreter.inputs import check_binds, check_expr, check_module, convert_params
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.relay.expr import Constant, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.values.ndarray import NDArray, as_ndarray
from relayish.op.runtime.device import virtual_device_named
from relayish.pass_infra import PassContext
from relayish.passes.relay.default_pipeline import default_pipeline
from relayish.passes.relay.fold.bind import bind_params_by_name


class Timing(NamedTuple):
    """How long runs took, in seconds.

    Attributes:
        results: Of each round, the mean of its runs.
    """

    results: tuple[float, ...]

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


class GraphModule:
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
            self._inputs[self._name(key)] = np.array(_plain(value))
        known = self._names()
        self._inputs |= {n: np.array(_plain(each)) for n, each in named.items() if n in known}

    def load_params(self, params_bytes: bytes | bytearray) -> None:
        """Set the inputs that :func:`relayish.save_param_dict` wrote."""
        self.set_input(None, None, **load_param_dict(bytes(params_bytes)))

    def run(self, **inputs: object) -> None:
        """Run the network; ``inputs`` are set before.

        Raises:
            EvaluationError: If an input is missing, is of another type, or a check fails.
        """
        self.set_input(None, None, **inputs)
        found = self.network(**self._inputs)
        self._outputs = [np.asarray(each) for each in _leaves(found)]

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
        """Return shapes and element types of inputs, by name."""
        ports = list(zip(self._names(), self.network.code.inputs, strict=True))
        return (
            {name: port.shape for name, port in ports},
            {name: port.dtype.name for name, port in ports},
        )

    def benchmark(
        self,
        device: object = None,
        func_name: str = "run",
        repeat: int = 5,
        number: int = 5,
        **inputs: object,
    ) -> Timing:
        """Return how long running takes.

        Args:
            device: Taken as Relay takes it and left aside.
            func_name: The same.
            repeat: How many rounds there are.
            number: How often it is run in a round.
            inputs: Set before.
        """
        del device, func_name
        self.run(**inputs)
        results = []
        for _ in range(repeat):
            start = time.perf_counter()
            for _ in range(number):
                self.run()
            results.append((time.perf_counter() - start) / number)
        return Timing(tuple(results))

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


def _plain(value: object) -> object:
    return value.data if isinstance(value, Constant) else value


def _leaves(found: object) -> Iterator[object]:
    if not isinstance(found, tuple):
        yield found
        return
    for each in found:
        yield from _leaves(each)


class Library:
    """A module that was built: ``lib["default"](device)`` runs it.

    It is also taken apart as ``graph, lib, params = relay.build(...)``: a description of inputs and
    outputs, itself, and the parameters that were bound.

    Source:
        TVM ``GraphExecutorFactoryModule``.

    Attributes:
        ir_mod: What was compiled: the module behind the passes; ``None`` if it was loaded.
        network: The compiled network.
        libmod_name: What the network is called.
    """

    def __init__(
        self,
        ir_mod: IRModule | None,
        network: CompiledNetwork,
        name: str,
        params: Mapping[str, np.ndarray[Any, Any]],
    ) -> None:
        self.ir_mod = ir_mod
        self.network = network
        self.libmod_name = name
        self._params = dict(params)

    def __getitem__(self, name: str) -> Any:  # Any: what is called with a device
        if name != self.libmod_name:
            raise UnknownNameError(
                f"the library has no function {name!r}; write lib[{self.libmod_name!r}](device)"
            )
        return self._make

    def _make(self, *_devices: object) -> GraphModule:
        return GraphModule(self.network)

    def export_library(self, file_name: str | Path, **options: object) -> None:
        """Write the library to a file, which :func:`load_module` reads: a shared object.

        Args:
            file_name: The file.
            options: Taken as Relay takes them and left aside.

        Raises:
            OSError: If it cannot be written; it holds what it held then.
        """
        del options
        export_network(self.network, Path(file_name))

    def get_source(self, fmt: str = "") -> str:
        """Return the source in C; there is no other form."""
        if fmt not in ("", "c"):
            raise CodegenError(f"the library has no source in form {fmt!r}; it is in C")
        return self.network.text

    @property
    def text(self) -> str:
        """The source in C."""
        return self.network.text

    @property
    def lib(self) -> Library:
        """The library itself, which has its source."""
        return self

    @property
    def module(self) -> Library:
        """The library itself."""
        return self

    def get_lib(self) -> Library:
        """Return the library itself."""
        return self

    def get_params(self) -> dict[str, NDArray]:
        """Return the parameters that were bound, by name."""
        return {name: as_ndarray(value) for name, value in self._params.items()}

    @property
    def params(self) -> dict[str, NDArray]:
        """The parameters that were bound, by name."""
        return self.get_params()

    def __iter__(self) -> Iterator[Any]:  # Any: the parts
        yield self.network.text
        yield self
        yield self.get_params()


def build(
    ir_mod: IRModule | Function,
    target: object = "c",
    target_host: object = None,
    executor: object = None,
    runtime: object = None,
    workspace_memory_pools: object = None,
    constant_memory_pools: object = None,
    params: Mapping[str, object] | None = None,
    mod_name: str = "default",
    *,
    opt_level: int | None = None,
    exact: bool = False,
) -> Library:
    """Return a module compiled for this machine.

    The passes of a level run first, then operators become loops, these C, and that code.

    Args:
        ir_mod: A module of Relay, or a function; a model of ONNX is lowered.
        target: The kind of a CPU: ``c``, or ``llvm`` as Relay says; C is compiled by the compiler
            of this machine.
        target_host: Taken as Relay takes it and left aside, as all up to ``constant_memory_pools``.
        executor: As above.
        runtime: As above.
        workspace_memory_pools: As above.
        constant_memory_pools: As above.
        params: Values of parameters of ``main``, by name, which become constants.
        mod_name: What the network is called in the library, and its names in C begin with.
        opt_level: From 0 to 4; if not given, that of the context of passes.
        exact: As for :func:`build_network`.

    Raises:
        CodegenError: If the target is no CPU, there is no compiler, or it fails.
        UnlowerableError: If loops cannot express an operator.

    Source:
        Relay ``relay.build``.

    Example:
        >>> import relayish as relay
        >>> x = relay.var("x", shape=(2,))
        >>> lib = build(relay.IRModule.from_expr(relay.Function([x], relay.nn.relu(x))))
        >>> net = lib["default"](None)
        >>> net.set_input("x", np.array([-1, 2], "float32"))
        >>> net.run()
        >>> net.get_output(0).numpy()
        array([0., 2.], dtype=float32)
    """
    del target_host, executor, runtime, workspace_memory_pools, constant_memory_pools
    _check_target(target)
    mod = IRModule.from_expr(ir_mod) if isinstance(ir_mod, Function) else ir_mod
    if not isinstance(mod, IRModule):
        raise CodegenError(f"a {type(mod).__name__} cannot be built; expected a module")
    level = PassContext.current().opt_level if opt_level is None else opt_level
    mod, bound = _bind(mod, params or {})
    mod = default_pipeline(level)(mod)
    return Library(mod, build_network(mod, prefix=mod_name, exact=exact), mod_name, bound)


def _check_target(target: object) -> None:
    """Raise unless a target, as Relay has them in many forms, is a CPU.

    Raises:
        CodegenError: Naming it.
    """
    kind = getattr(getattr(target, "kind", None), "name", target)
    if kind is None or (isinstance(kind, str) and virtual_device_named(kind).device_type_int == 1):
        return
    raise CodegenError(f"nothing is compiled for {target}; expected a CPU: 'c', or 'llvm'")


def _bind(
    mod: IRModule, params: Mapping[str, object]
) -> tuple[IRModule, dict[str, np.ndarray[Any, Any]]]:
    """Return a module whose ``main`` has values of parameters as constants, and which these are."""
    main = mod["main"]
    if not isinstance(main, Function):
        return mod, {}
    names = {param.name_hint for param in main.params}
    bound = {name: np.asarray(_plain(value)) for name, value in params.items() if name in names}
    return mod.with_function("main", bind_params_by_name(main, bound)), bound


class AotExecutor:
    """Evaluates the functions of a module, each compiled when it is asked for first.

    Attributes:
        mod: The module; without one, only expressions can be evaluated.
        params: Values of parameters of ``main``, by name.
    """

    def __init__(
        self, mod: IRModule | None = None, params: Mapping[str, object] | None = None
    ) -> None:
        check_module(mod)
        self.mod = mod
        self.params = convert_params(params)
        self._compiled: dict[str, CompiledNetwork] = {}

    def evaluate(
        self, expr: Expr | str | None = None, binds: Mapping[Var, object] | None = None
    ) -> Evaluated | Callable[..., Evaluated]:
        """Return the value of ``expr``, for functions something to call with arguments.

        Args:
            expr: An expression that may call functions of the module, or the name of one; by
                default ``main``, with the parameters given to the executor bound.
            binds: Values of variables that are free in ``expr``.

        Raises:
            CodegenError: If C cannot say it, there is no compiler, or it fails.
            UnlowerableError: If loops cannot express an operator.
        """
        if expr is None or isinstance(expr, str):
            return self._named(expr or "main")
        check_expr(expr)
        for var, bound in check_binds(binds).items():
            expr = Let(var, bound if isinstance(bound, Expr) else Constant(bound), expr)
        is_function = isinstance(expr, Function)
        func = expr if is_function else Function((), expr)
        mod = IRModule() if self.mod is None else self.mod
        network = build_network(mod.with_function("main", func))
        return _evaluating(network) if is_function else _evaluating(network)()

    def _named(self, name: str) -> Callable[..., Evaluated]:
        if self.mod is None:
            raise EvaluationError(
                f"there is no module to find @{name} in; pass mod= or an expression"
            )
        if name not in self._compiled:
            mod = _bind(self.mod, self.params)[0] if name == "main" else self.mod
            self._compiled[name] = build_network(mod, name=name)
        return _evaluating(self._compiled[name])


def _evaluating(network: CompiledNetwork) -> Callable[..., Evaluated]:
    def call(*args: object, **named: object) -> Evaluated:
        return normalise(network(*args, **named))

    return call


def load_module(path: str | Path) -> Library:
    """Return the library that a file holds. Its code runs in this process: load what you trust.

    Raises:
        BinaryFormatError: If the file holds none, or is damaged.
        OSError: If it cannot be read, or is for another machine.

    Source:
        TVM ``runtime.load_module``.
    """
    network = load_network(Path(path))
    return Library(None, network, network.code.name, {})


def create(graph_json_str: object, libmod: Library, device: object = None) -> GraphModule:
    """Return what runs a library.

    Args:
        graph_json_str: What taking a library apart gives first; the library itself tells the same.
        libmod: The library.
        device: Taken as Relay takes it and left aside.

    Source:
        TVM ``graph_executor.create``.
    """
    del graph_json_str, device
    return GraphModule(libmod.network)
