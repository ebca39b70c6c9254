"""Names of TVM, and what they are here: modules within others, and names that stand elsewhere."""

from __future__ import annotations

from typing import Final

_HERE: Final = __name__.rpartition(".")[0]

SAME: Final = {
    _HERE: "_ffi adt backend base build_module container error expr expr_functor function loops "
    "module object param_dict params parser relay runtime scope_builder ty type_functor",
    f"{_HERE}.frontend": "common onnx",
    f"{_HERE}.ir": "adt affine_type attrs base container expr function module op supply "
    "tensor_type type type_relation",
    f"{_HERE}.target": "target",
    "relayish.analysis": "analysis annotated_regions call_graph count_layers feature",
    "relayish.dataflow_pattern": "dataflow_pattern",
    "relayish.op": "algorithm op reduce transform",
    "relayish.op.contrib": "contrib",
    "relayish.op.qnn": "op",
    "relayish.prelude": "prelude",
    "relayish.testing": "py_converter utils",
    f"{_HERE}.tir": "expr",
    "relayish.tir": "expr",
    "relayish.transform": "recast transform",
}
"""By the name of a module, modules within that one in TVM, whose names are all in the one here."""

NAMES: Final = {
    name: (module, name)
    for module, names in {
        "relayish.codegen.c.graph_module": "BenchmarkResult Module",
        "relayish.codegen.c.library": "load_module",
        "relayish.frontend": "foreach while_loop",
        "relayish.op": "TensorAffineType TupleAffineType make_node register_op_attr",
        "relayish.passes.relay.fold.bind": "bind_params_by_name",
        "relayish.prelude": "Prelude",
        "relayish.transform": "build_config",
        "relayish.tvm.executors": "create_executor",
        "relayish.tvm.nd": "Device NDArray cpu cuda device gpu",
        "relayish.tvm.shapes": "ShapeVar is_dynamic type_has_any",
        "relayish.tvm.values": "ADT Array Map ShapeTuple String convert tuple_object",
    }.items()
    for name in names.split()
} | {
    "DiagnosticError": ("relayish.errors", "RelayishError"),
    "RelayExpr": ("relayish.ir.relay.expr", "Expr"),
    "RelayRefType": ("relayish.ir.relay.type", "RefType"),
    "TVMError": ("relayish.errors", "RelayishError"),
}
"""What TVM has besides, or has otherwise: the module it lives in here, and its name there."""

MODULES: Final = {
    **dict.fromkeys(SAME[_HERE].split(), _HERE),
    **{
        name: f"{_HERE}.{name}"
        for name in (
            "data_dep_optimization",
            "frontend",
            "ir",
            "nd",
            "target",
            "te",
            "testing",
            "tir",
        )
    },
    "instrument": "relayish.transform",
    "ndarray": f"{_HERE}.nd",
    "object_path": "relayish.ir.modules.object_path",
}
"""The modules that ``relayish`` has not, or not so."""
