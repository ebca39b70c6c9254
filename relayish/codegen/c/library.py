"""Libraries: what ``relay.build`` returns, and what runs it, with Relay's names and habits."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np

from relayish.codegen.c.executor import CompiledNetwork, compile_network, network_of
from relayish.codegen.c.exported import export_network, load_network
from relayish.codegen.c.graph_module import GraphModule as GraphModule  # noqa: PLC0414 - for scripts
from relayish.codegen.c.graph_module import plain
from relayish.codegen.c.network import SchedulePlan
from relayish.codegen.c.toolchain import find_toolchain, flags_for
from relayish.errors import CodegenError, IgnoredNameWarning, UnknownNameError
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.ir.values.ndarray import Device, NDArray, as_ndarray
from relayish.op.runtime.device import virtual_device_named
from relayish.pass_infra import PassContext
from relayish.passes.onnx.prepared import prepared
from relayish.passes.relay.fold.bind import bind_params_by_name
from relayish.tir.schedule.defaults import DEFAULT_SCHEDULES


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

    def _make(self, *devices: object) -> GraphModule:
        for each in devices:
            check_cpu(each)
        return GraphModule(self.network)

    def export_library(self, file_name: str | PathLike[str], **options: object) -> None:
        """Write the library to a file, which :func:`load_module` reads: a shared object.

        It holds the parameters that were bound among its constants, and is for this processor
        alone; ``relayish compile`` writes sources for others.

        Args:
            file_name: The file.
            options: Taken as Relay takes them and left aside.

        Raises:
            OSError: If it cannot be written; it holds what it held then.

        Source:
            TVM ``Module.export_library``.
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

    def get_graph_json(self) -> str:
        """Return inputs, outputs and the function that computes them, as Relay's graphs in JSON.

        Attributes are those of Relay; inputs have the first numbers for their memory, and sizes
        that inputs tell are -1.
        """
        code = self.network.code
        ports = [*code.inputs, *code.outputs]
        count = len(code.inputs)
        run = {
            "op": "tvm_op",
            "name": code.entry,
            "attrs": {
                "func_name": code.entry,
                "num_inputs": str(count),
                "num_outputs": str(len(code.outputs)),
                "flatten_data": "0",
            },
            "inputs": [[at, 0, 0] for at in range(count)],
        }
        names = [param.name_hint for param in self.network.params]
        graph = {
            "nodes": [*[{"op": "null", "name": name, "inputs": []} for name in names], run],
            "arg_nodes": list(range(count)),
            "heads": [[count, at, 0] for at in range(len(code.outputs))],
            "attrs": {
                "dltype": ["list_str", [each.dtype.name for each in ports]],
                "shape": ["list_shape", [list(each.sizes) for each in ports]],
                "storage_id": ["list_int", list(range(len(ports)))],
            },
            "node_row_ptr": [*range(count + 1), len(ports)],
        }
        return json.dumps(graph, indent=2)

    @property
    def graph_json(self) -> str:
        """What :meth:`get_graph_json` returns."""
        return self.get_graph_json()

    def get_executor_config(self) -> str:
        """Return what :meth:`get_graph_json` returns."""
        return self.get_graph_json()

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
        yield self.get_graph_json()
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
    schedules: str = DEFAULT_SCHEDULES["c"],
    records: str | PathLike[str] | None = None,
) -> Library:
    """Return a module compiled for this machine.

    The passes of a level run first, those over models of ONNX before all others, then operators
    become loops, these C, and that code.

    Args:
        ir_mod: A module of Relay, a function, or a model of ONNX.
        target: The kind of a CPU: ``c``, or ``llvm`` as Relay says; C is compiled by the compiler
            of this machine.
        target_host: Taken as Relay takes it and left aside, as all up to ``constant_memory_pools``.
        executor: As above.
        runtime: As above.
        workspace_memory_pools: As above.
        constant_memory_pools: As above.
        params: Values of parameters of ``main``, by name, which become constants. Names that no
            parameter has are left aside, with a warning.
        mod_name: What the network is called in the library, and its names in C begin with.
        opt_level: From 0 to 4; if not given, that of the context of passes.
        exact: As for :func:`build_network`.
        schedules: What is done with loops: names that :func:`tir.register_schedule` knows, with
            options, in order; those of ``tir.DEFAULT_SCHEDULES`` if not given.
        records: A file that ``tir.tune`` or ``relayish tune`` wrote: the functions it knows take
            the steps that were found to be the fastest, instead of ``schedules``.

    Raises:
        CodegenError: If the target is no CPU, there is no compiler, or it fails.
        UnlowerableError: If loops cannot express an operator.
        ScheduleError: If a schedule takes a step that is refused.
        OSError: If records cannot be read.

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
    check_cpu(target)
    mod = IRModule.from_expr(ir_mod) if isinstance(ir_mod, Function) else ir_mod
    if not isinstance(mod, IRModule):
        raise CodegenError(f"a {type(mod).__name__} cannot be built; expected a module")
    level = PassContext.current().opt_level if opt_level is None else opt_level
    mod, bound = bind_params(mod, params or {})
    for name in params or {}:
        if name not in bound:
            warnings.warn(
                f"params has a value for {name!r}, and @main has no such parameter; leave it out",
                IgnoredNameWarning,
                stacklevel=2,
            )
    mod = prepared(mod, level)
    plan = SchedulePlan(schedules, records)
    network, params_left = network_of(mod, exact=exact, plan=plan)
    toolchain = find_toolchain(flags_for(exact=exact))
    made = compile_network(params_left, network, mod_name, toolchain)
    return Library(mod, made, mod_name, bound)


def check_cpu(target: object) -> None:
    """Raise unless a target, as Relay has them in many forms, or a device is a CPU.

    Raises:
        CodegenError: Naming it.
    """
    kind = getattr(getattr(target, "kind", None), "name", target)
    number = virtual_device_named(kind).device_type_int if isinstance(kind, str) else None
    if isinstance(kind, Device):
        number = kind.device_type
    if kind is not None and number != _CPU:
        raise CodegenError(f"nothing is compiled for {target}; expected a CPU: 'c', or 'llvm'")


_CPU: Final = 1
"""The number of devices that are CPUs."""


def bind_params(
    mod: IRModule, params: Mapping[str, object]
) -> tuple[IRModule, dict[str, np.ndarray[Any, Any]]]:
    """Return a module whose ``main`` has values of parameters as constants, and which these are."""
    main = mod.function_of(Node, "main")
    if not isinstance(main, Function):
        return mod, {}
    names = {param.name_hint for param in main.params}
    bound = {name: np.asarray(plain(value)) for name, value in params.items() if name in names}
    return mod.with_function("main", bind_params_by_name(main, bound)), bound


def load_module(path: str | PathLike[str]) -> Library:
    """Return the library that a file holds. Its code runs in this process: load what you trust.

    Raises:
        BinaryFormatError: If the file holds none, is damaged, or for another processor.
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
