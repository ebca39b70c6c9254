"""Front ends as scripts for TVM have them: of ONNX, a module of Relay's operators and parameters.

What else ``relayish.frontend`` has is here too, and is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relayish.analysis.infer_type import infer_type
from relayish.analysis.variables import free_vars
from relayish.errors import ModelError, RelayishError
from relayish.frontend import from_torch, save_onnx, to_onnx
from relayish.frontend.onnx.importer import module_of_proto
from relayish.frontend.onnx.loading import load_proto
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Constant, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import TensorType
from relayish.ir.scopes.renaming import replace_nodes
from relayish.ir.values.ndarray import NDArray, as_ndarray
from relayish.onnx.protos.files import DataFiles
from relayish.passes.onnx.lowering.lower_onnx import lower_onnx
from relayish.passes.onnx.shapes.input_shapes import fix_input_shapes
from relayish.tvm.finder import show_names_of

__all__ = ["from_onnx", "from_torch", "save_onnx", "to_onnx"]

__path__: list[str] = []  # for the names of modules within that TVM has

show_names_of("relayish.frontend", __name__)


def from_onnx(
    model: Any,  # Any: a ModelProto, which onnx does not type
    shape: Mapping[str, Sequence[int | AnySize | None]] | None = None,
    dtype: str | Mapping[str, str] | None = "float32",
    opset: int | None = None,
    freeze_params: bool = True,
    convert_config: Mapping[str, object] | None = None,  # noqa: ARG001 - TVM's
    export_node_renamed_model_path: str | None = None,
) -> tuple[IRModule, dict[str, NDArray]]:
    """Return a model of ONNX as a module of Relay's operators, and the values of its parameters.

    What Relay's operators cannot express stays a call of ONNX's, as ``LowerOnnx`` leaves it.
    :func:`relayish.frontend.from_onnx` gives the model as it is, in one module.

    Args:
        model: A ``ModelProto``, the bytes of one, or the path of a file.
        shape: Of inputs, by their names, the sizes, where the model leaves them open; ``Any()``
            or ``None`` for one that stays open.
        dtype: Of inputs, by their names, the element types, which have to be those of the model;
            one word for all is left aside, as in TVM, since models say theirs.
        opset: The version of the operators, if the model does not say the right one.
        freeze_params: Whether initializers are constants. Otherwise those that are used once the
            model is lowered are parameters of ``main``, behind the inputs.
        convert_config: Left aside; it chooses between operators of TVM.
        export_node_renamed_model_path: Refused: nodes are not renamed.

    Returns:
        The module, and of its parameters the values, by name; none if these are frozen.

    Raises:
        ModelError: If it is no model, or none that can be run, or has inputs of other types.
        PassError: If the model has no such input, or its type does not allow the sizes.
        PackageError: If the package ``onnx`` is not installed.

    Source:
        TVM ``relay.frontend.from_onnx``.
    """
    if export_node_renamed_model_path is not None:
        raise ModelError(
            "relay.frontend.from_onnx renames no nodes, and writes no model; leave out "
            "export_node_renamed_model_path, and write relay.frontend.save_onnx(mod, path)"
        )
    proto, path = load_proto(model)
    if opset is not None:
        proto = _with_opset(proto, opset)
    files = None if path is None else DataFiles.beside(path)
    mod = module_of_proto(proto, files, freeze_params=True)
    if isinstance(dtype, Mapping):
        _check_types(mod, dtype)
    if shape:
        mod = _with_sizes(mod, shape, {each.name for each in proto.graph.initializer})
    try:
        lowered = lower_onnx(mod)
    except RelayishError as error:
        if opset is not None:
            error.add_note(
                f"opset={opset} says how the operators are read; if the model is of another "
                f"version, which it says itself, leave it out"
            )
        raise
    if freeze_params:
        return lowered, {}
    return _with_parameters(lowered, {each.name for each in proto.graph.initializer})


def _with_sizes(mod: IRModule, shape: object, initializers: set[str]) -> IRModule:
    """Return a module whose inputs have the sizes that a script gives."""
    inputs = [each.name_hint for each in _main_of(mod).params]
    if not isinstance(shape, Mapping):
        raise ModelError(
            f"shape is {shape!r}; expected the sizes of inputs by their names; write "
            f"{{{inputs[0] if inputs else 'name'!r}: (1, 3, 224, 224)}}"
        )
    held = initializers - {*inputs}
    sizes = {
        name: [None if isinstance(size, AnySize) else size for size in told]
        for name, told in shape.items()
        if name not in held
    }
    return fix_input_shapes(mod, sizes)


def _with_opset(proto: Any, opset: int) -> Any:  # Any: a ModelProto
    """Return a copy of a model whose operators are of a version."""
    copy = type(proto)()
    copy.CopyFrom(proto)
    for each in copy.opset_import:
        if not each.domain:
            each.version = opset
    return copy


def _main_of(mod: IRModule) -> Function:
    main = mod["main"]
    assert isinstance(main, Function)
    return main


def _check_types(mod: IRModule, dtypes: Mapping[str, str]) -> None:
    for param in _main_of(mod).params:
        ty, wanted = param.type_annotation, dtypes.get(param.name_hint)
        if wanted is not None and isinstance(ty, TensorType) and ty.dtype != wanted:
            raise ModelError(
                f"input {param.name_hint!r} is of {ty.dtype}, and not of {wanted}; leave out its "
                f"dtype, and cast where the model is called"
            )


def _with_parameters(mod: IRModule, names: set[str]) -> tuple[IRModule, dict[str, NDArray]]:
    """Return a module whose ``main`` takes what it uses of its initializers, and their values."""
    main = _main_of(mod)
    values: dict[Var, NDArray] = {}
    kept: list[Let] = []
    body: Expr = main.body
    while type(body) is Let:
        if type(body.value) is Constant and body.var.name_hint in names:
            values[body.var] = as_ndarray(body.value.data)
        else:
            kept.append(body)
        body = body.body
    for let in reversed(kept):
        body = let.with_fields(body=body)
    used = set(free_vars(body))
    params: dict[Var, Node] = {
        var: var.with_fields(type_annotation=TensorType(data.shape, data.dtype.name))
        for var, data in values.items()
        if var in used
    }
    open_main = main.with_fields(params=[*main.params, *params], body=body)
    taken = replace_nodes(open_main, params)
    assert isinstance(taken, Function)
    return (
        infer_type(mod.with_functions({"main": taken})),
        {var.name_hint: data for var, data in values.items() if var in used},
    )
