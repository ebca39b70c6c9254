"""Networks that the command compiles: models of ONNX or programs, and what runs them otherwise."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from relayish.analysis.infer_type import infer_type
from relayish.cli.any_file import LOOKED_AT, is_model, read_any
from relayish.cli.files import show_name
from relayish.cli.onnx.engines import EVALUATION, Engine, Run, usual_engines
from relayish.cli.onnx.inputs import Input
from relayish.cli.onnx.precision import narrowest_floats
from relayish.cli.onnx.reading import parse_shapes
from relayish.errors import OptionError
from relayish.interpreter.evaluate import create_executor
from relayish.interpreter.value import leaves
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.tuples import leaf_types
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import FuncType, PrimExpr, TensorType
from relayish.op.types.dimension import show_dimension
from relayish.tir.ir.function import LoweredFunc


@dataclass(frozen=True, slots=True)
class NetworkFile:
    """A network, and what tells what it computes.

    Attributes:
        name: The file.
        mod: What is compiled: ``main`` of it.
        inputs: What a caller has to give.
        outputs: What its outputs are called.
        engines: What runs it otherwise.
        is_model: Whether it is a model of ONNX.
        widths: The bytes of the narrowest floats on the way to outputs, of those that have such.
    """

    name: str
    mod: IRModule
    inputs: Sequence[Input]
    outputs: Sequence[str]
    engines: Sequence[Engine]
    is_model: bool = False
    widths: Mapping[str, int] = field(default_factory=dict)


def read_network(
    name: str,
    *,
    shapes: Sequence[str],
    is_run: bool,
    allow_unknown_ops: bool = False,
    given_as: str | None = None,
) -> NetworkFile:
    """Return the network in a file: a model of ONNX, Relay text, or a program in binary form.

    Args:
        name: The file, which is read again where a model is run.
        shapes: Shapes of inputs, as the command line says them.
        is_run: Whether it will be run to compare it.
        allow_unknown_ops: Whether operators are read that nobody declared.
        given_as: What the command line calls it, if it is a copy.

    Raises:
        RelayishError: If it cannot be read.
        OptionError: If nobody says how many axes an input has.
    """
    given = read_any(
        name,
        allow_unknown_ops=allow_unknown_ops,
        shapes=parse_shapes(shapes),
        freeze_params=True,
        given_as=given_as,
    )
    model = given.model
    if model is None:
        return _of_program(show_name(given.name), given.mod)
    _refuse_unknown(model.inputs)
    return NetworkFile(
        name,
        given.mod,
        model.inputs,
        model.outputs,
        usual_engines(is_needed=is_run),
        is_model=True,
        widths=narrowest_floats(given.mod, model.outputs),
    )


def loops_of(name: str, args: argparse.Namespace) -> IRModule | None:
    """Return the program in a file, if all of it is functions of loops.

    Args:
        name: The file.
        args: What the command line says besides.

    Raises:
        RelayishError: If it cannot be read.
    """
    with Path(name).open("rb") as file:
        begin = file.read(LOOKED_AT)
    if is_model(begin):
        return None
    mod = read_any(name, allow_unknown_ops=args.allow_unknown_ops, given_as=args.file).mod
    functions = mod.functions.values()
    return mod if functions and all(isinstance(f, LoweredFunc) for f in functions) else None


def _refuse_unknown(inputs: Sequence[Input]) -> None:
    """Raise where nobody says how many axes an input has, or it is no tensor.

    Raises:
        OptionError: Naming the input.
    """
    for each in inputs:
        if each.is_sequence:
            raise OptionError(f"input {each.name!r} is a {each}; expected a tensor")
        if each.dims is None:
            raise OptionError(
                f"the model does not say how many axes input {each.name!r} has; give sizes, as in "
                f"--input-shape {each.name}:1,3"
            )


def _of_program(name: str, mod: IRModule) -> NetworkFile:
    typed = infer_type(mod)
    main = typed["main"] if "main" in typed else None  # noqa: SIM401 - modules have no get
    if not isinstance(main, Function):
        raise OptionError(f"{name} has no function @main of Relay; write b2c for other programs")
    inputs = []
    for param in main.params:
        ty = param.type_annotation or param.checked_type
        if not isinstance(ty, TensorType):
            raise OptionError(f"parameter %{param.name_hint} is of type {ty}; expected a tensor")
        dims = tuple([_dim_of(param.name_hint, *each) for each in enumerate(ty.shape)])
        inputs.append(Input(param.name_hint, ty.dtype, dims))
    names = [param.name_hint for param in main.params]
    call: Any = create_executor(mod=typed).evaluate()  # Any: a closure

    def run(given: Mapping[str, Any]) -> list[Any]:  # Any: arrays
        return [np.asarray(each) for each in leaves(call(*[given[each] for each in names]))]

    assert isinstance(main.checked_type, FuncType)  # which inference gives
    count = len(leaf_types(main.checked_type.ret_type))
    outputs = [f"result{at or ''}" for at in range(count)]
    return NetworkFile(name, typed, inputs, outputs, [Engine(EVALUATION, lambda _path: run)])


def _dim_of(param: str, axis: int, dim: int | PrimExpr) -> int | str:
    if isinstance(dim, int):
        return dim
    return f"{param}[{axis}]" if isinstance(dim, AnySize) else show_dimension(dim)


def running(network: Any, names: Sequence[str]) -> Run:  # Any: what is called with arrays
    """Return what runs a compiled network on inputs by name."""

    def run(given: Mapping[str, Any]) -> list[Any]:  # Any: arrays
        return [np.asarray(each) for each in leaves(network(*[given[each] for each in names]))]

    return run
