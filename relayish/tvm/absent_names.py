"""Names of TVM's modules that those of relayish have not, and what to write instead."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from relayish.tvm.names import MODULES, SAME
from relayish.tvm.names import NAMES as OWN


def _each(names: str, told: str) -> dict[str, str]:
    """Return what is told of each of ``names``; ``{}`` in it stands for the name."""
    return {name: told.replace("{}", name) for name in names.split()}


def _merge(*parts: Mapping[str, str]) -> dict[str, str]:
    return {name: told for part in parts for name, told in part.items()}


_EVALUATE = (
    "write relay.build(mod) for code of this machine, "
    'relay.create_executor("graph", mod).evaluate()(*args) for numpy, '
    "and relay.transform.default_pipeline(3)(mod) for what build does to the program before"
)
_INTERPRET = (
    'write relay.create_executor("vm", mod).evaluate()(*args), which interprets, '
    "or relay.build(mod) for code of this machine"
)
_ONE_KIND = "relay.build(mod) makes one kind of library; leave it out"
_ELSEWHERE_IN_C = (
    "nothing is run on other machines; write relayish compile FILE -o DIR for C to compile there"
)
_COMPILER = (
    "write lib.export_library(path), which calls the compiler that CC names; for C to compile "
    "elsewhere, relayish compile FILE -o DIR"
)
_NO_SCHEDULE = (
    "operators have neither schedules nor strategies; write evaluate=f in register_op(name, ...) "
    "to say what one computes, and a handler for the task 'loops' to say it as loops"
)
_NO_TENSOR_IR = (
    "relayish has Relay and CINN's loop IR, relayish.tir, and no TensorIR; "
    "write relayish.tir for loops, and a plain number, relay.Any() or relay.SizeVar('n') in a shape"
)
_NO_POOLS = (
    "there are no pools to name; write relay.analysis.plan_memory(func) for a plan of memory"
)
_NO_FRONT_END = (
    "relayish reads models of ONNX and of torch, and Relay text; export the model as ONNX and "
    "write relay.frontend.from_onnx(path), or export it in TVM by mod.astext() and write "
    "relay.parse(text) here, with relay.load_param_dict(bytes) for its parameters"
)
_FROM_TORCH = "write relay.frontend.from_torch(torch.export.export(module, args))"
_NO_COMPILER = (
    "relayish comes with no other compiler; write relay.op.contrib.register_pattern_table({!r}, f) "
    "and relay.op.register_op_attr(op, 'target.{}', g) to say what it takes"
)
_COMPILERS = (
    "arm_compute_lib",
    "bnns",
    "clml",
    "cmsisnn",
    "coreml",
    "cublas",
    "cudnn",
    "cutlass",
    "dnnl",
    "ethosn",
    "ethosu",
    "libtorch",
    "mrvl",
    "tensorrt",
    "vitis_ai",
)
_TEXT = "write relay.astext(mod) and relay.parse(text), or relay.write_binary and relay.read_binary"
_PYTEST = "write pytest.mark.parametrize(...)"
_NO_DEVICES = "everything runs on the CPU of this machine; leave it out"
_REGIONS = (
    "regions for other compilers are functions in the module; write "
    "relay.transform.PartitionGraph() and look for func.attrs['Compiler']"
)
_PLACE = 'write relay.Span("file", line, end_line, column, end_column), with a plain string'
_TUNING = "no schedules are searched for, so there is nothing to tune; leave it out"
_OBJECTS = "everything is Python's own; use the function or class itself, without a registry"
_REGISTER = (
    "write @relay.transform.register_pass(opt_level=1) above a function for a pass, and a plain "
    "function for the rest"
)

_IR = _merge(
    _each("BaseExpr", "write relay.Expr"),
    _each("BaseFunc CallingConv", "write relay.Function"),
    _each("PointerType PrimType Range", _NO_TENSOR_IR),
    _each(
        "ConstantMemoryPools ConstantPoolInfo PoolInfo PoolInfoProperties WorkspaceMemoryPools "
        "WorkspacePoolInfo memory_pools",
        _NO_POOLS,
    ),
    _each("DummyGlobalInfo GlobalInfo VDevice", "write mod = mod.with_attr(key, value)"),
    _each("EnvFunc", _OBJECTS),
    _each("SourceName SequentialSpan", _PLACE),
    _each("load_json save_json", _TEXT),
    _each("diagnostics", "write except relay.RelayishError as error: errors say where they are"),
    _each("register_intrin_lowering", _NO_SCHEDULE),
)

_RUNTIME = _merge(
    _each("enabled", "write relay.testing.device_enabled(target)"),
    _each("Object Scriptable", "write relay.Node"),
    _each("Executable profiler_vm", _INTERPRET),
    _each("PackedFunc", _OBJECTS),
    _each("executor", 'write relay.create_executor("aot", mod)'),
)

_TVM = _merge(
    _each("driver", _EVALUATE),
    _each("lower", "write relayish.tir.lower(name, tensors) for loops of CINN's"),
    _each("arith script", _NO_TENSOR_IR),
    _each(
        "topi",
        "operators are said as loops by handlers, and not one by one; "
        "write ty.concrete_shape for get_const_tuple(ty.shape), and "
        "numpy for what an operator computes, as relay.evaluate(call) does",
    ),
    _each("autotvm auto_scheduler meta_schedule dlight", _TUNING),
    _each("rpc micro", _ELSEWHERE_IN_C),
    _each(
        "get_global_func register_func register_object",
        _OBJECTS + "; a pass by its name is relay.transform.get_pass(name)",
    ),
    _each("DataType DataTypeCode", 'an element type is its name: write "float32"'),
    _each("context", "write relayish.tvm.device(kind, 0)"),
    _each("load_json save_json", _TEXT),
    _each("support", "write relayish.__version__"),
    _each(
        "ext_dev hexagon metal opencl rocm vpi vulkan webgpu",
        'write relayish.tvm.device("{}", 0)',
    ),
)

_RAF = _merge(
    _each("MakeVar ExtendedVar extended_var", "write relay.Var(name, type, may_share=var)"),
    _each("GetMayShare TryGetMayShare", "write var.may_share"),
    _each("MakeConstant", "write relay.const(value), also of None, strings and tuples"),
    _each("RAF_REGISTER_GLOBAL RAF_REGISTER_OBJECT_REFLECT", _REGISTER),
    _each("ExplicitLetList", "write relay.LetList(), and a visitor with visit_let to read lets"),
    _each("ANFBuilder", "write relay.ScopeBuilder()"),
)

_CPLUSPLUS = _merge(
    _each("PostOrderRewrite", "write relay.post_order_rewrite(expr, rewriter)"),
    _each("ExpandANormalForm", "write relay.expand_a_normal_form(let, pre_visit, post_visit)"),
    _each("WithFields", "write node.with_fields(args=...)"),
    _each("TVM_REGISTER_GLOBAL TVM_REGISTER_NODE_TYPE", _REGISTER),
    _each("StructuralEqual", "write relay.structural_equal(a, b)"),
    _each("StructuralHash", "write relay.structural_hash(a)"),
    _each("IterVisitExpr PostOrderVisit", "write relay.analysis.post_order_visit(expr, visit)"),
)

_RELAY = _merge(
    _each("optimize", _EVALUATE),
    _each("SourceName SequentialSpan", _PLACE),
    _each("SpanCheck", "spans are kept where they are; write expr.span"),
    _each("pretty_print", "write relay.astext(node, show_meta_data=False)"),
    _each("ExprWithOp", "write relay.Expr, which has Python's operators"),
    _each("TempExpr", "write a kind of node of your own, declared with @relay.node"),
    _each("Id", "a variable is told by the object; write var.name_hint for its name"),
    _each("GraphExecutor", 'write relay.create_executor("graph", mod)'),
    _each("AotExecutor", 'write relay.create_executor("aot", mod)'),
    _each("WithScope", "write with builder.if_scope(cond):"),
    _each(
        "BuildModule executor_factory graph_executor_codegen name_transforms te_compiler utils",
        _EVALUATE,
    ),
    _each("aot", 'write relay.create_executor("aot", mod)'),
    _each("get_executor_from_target Executor Runtime", _ONE_KIND),
    _each("OpError OpNotImplemented OpAttributeInvalid", "write relay.OperatorError"),
    _each("ir_pass", "write relay.analysis for analyses, relay.transform for passes"),
    _each("memory_plan", _NO_POOLS),
    _each("collage", "write MergeComposite, AnnotateTarget and PartitionGraph with a table"),
    _each(
        "quantize",
        "write the program with relay.qnn, or with quantize and dequantize around float "
        "operators and relay.transform.FakeQuantizationToInteger()",
    ),
)

_OP = _merge(
    _each(
        "OpStrategy strategy register_compute register_schedule register_shape_func "
        "register_strategy register_broadcast_schedule register_injective_schedule "
        "register_reduce_schedule",
        _NO_SCHEDULE,
    ),
    _each("register_external_compiler", _REGIONS),
    _each("register_infer_correct_layout", "write relay.op.register_infer_layout(op, rule)"),
    _each("get_constructor", "write mod.get_constructor(type_name, name)"),
    _each(
        "MIXED_PRECISION_ALWAYS MIXED_PRECISION_FOLLOW MIXED_PRECISION_NEVER",
        "write relay.op.MixedPrecision.ALWAYS, or its FOLLOW or NEVER",
    ),
    _each("_make", "write the builder itself, as relay.op.add(x, y)"),
    _each("op_attrs", "write type(call.attrs), or relay.op.make_node(type_key, **fields)"),
)

_TESTING = _merge(
    _each("parameters fixture", _PYTEST),
    _each("exclude_targets", _NO_DEVICES),
    _each("assert_prim_expr_equal", "write relay.assert_structural_equal(a, b)"),
    _each("darknet tf tflite yolo_detection", _NO_FRONT_END),
    _each("byoc", _REGIONS),
    _each("ctx_list", "write relay.testing.enabled_targets()"),
    _each("PythonConverter", "write relay.testing.to_python(expr, mod)"),
)

_TRANSFORM = _merge(
    _each(
        "CreateFunctionPass CreateRAFFunctionPass CreateRAFModulePass MakeRAFFunctionPass",
        "write @relay.transform.register_pass(opt_level=1) above a function, or "
        "relay.transform.create_function_pass(f, 1, name, required)",
    ),
    _each("CreateModulePass", "write relay.transform.create_module_pass(f, 1, name, required)"),
    _each("RAFSequential", "write relay.transform.Sequential([...])"),
    _each("BindParam", "write relay.build_module.bind_params_by_name(func, params)"),
    _each("FromRelay", "programs are Relay's; leave it out"),
    _each("ToCPS", "write relay.transform.to_cps(mod)"),
    _each("LabelOps", "write relay.transform.CapturePostDfsIndexInSpans()"),
    _each("ConcretizeLike RemoveStandaloneReshapes", "write relay.transform.SimplifyExpr()"),
    _each("AnnotateUsedMemory ManifestAlloc MemoryPlan memory_alloc memory_plan", _NO_POOLS),
    _each(
        "CollagePartition", "write MergeComposite, AnnotateTarget and PartitionGraph with a table"
    ),
    _each(
        "ApplyPassToFunction",
        "write relay.IRModule({name: func}) of the functions that are meant, run the pass on that, "
        "and put them back by mod.with_module(...)",
    ),
    _each("flexible_shape", "write relay.Any() for the size in the type of the parameter"),
)

_CONTRIB = _merge(
    {name: _NO_COMPILER.replace("{!r}", repr(name)).replace("{}", name) for name in _COMPILERS},
    _each("cc ndk xcode", _COMPILER),
    _each("pipeline_executor", _EVALUATE),
    _each(
        "debugger",
        "write a main that returns what is to be looked at, in a tuple, and "
        'relay.create_executor("debug", mod)',
    ),
    _each("download", "write urllib.request.urlretrieve(url, path)"),
    _each("utils", "write tempfile.TemporaryDirectory()"),
    _each("relay_viz", 'write relay.draw(mod), and .save("program.html") or .save("program.svg")'),
)

NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "tvm": {**_IR, **_RUNTIME, **_TVM, **_RELAY, **_RAF, **_CPLUSPLUS},
    "ir": _IR,
    "nd": _each("from_dlpack", "write numpy.from_dlpack(array)"),
    "op": _OP,
    "op.nn": _merge(
        _each("_make", "write the builder itself, as relay.nn.relu(x)"),
        _each("Constant", "write relay.Constant"),
    ),
    "op.vm": _each("compile VMCompiler VMExecutor", _INTERPRET),
    "te": _merge(
        _each("compute placeholder reduce_axis Tensor", "write relayish.tir.{}, which is CINN's"),
        _each("sum", "write relayish.tir.reduce_sum, which is CINN's"),
        _each(
            "create_schedule create_prim_func extern scan thread_axis tensor_intrin hybrid "
            "Schedule",
            _NO_TENSOR_IR,
        ),
    ),
    "target": _merge(
        _each(
            "arm_cpu cuda rocm mali intel_graphics hexagon bifrost riscv_cpu vta rasp create micro",
            "write relayish.tvm.target.Target('llvm -keys=...') with the options",
        ),
    ),
    "tir": _merge(
        _each("Any", "write relay.Any()"),
        _each("SizeVar", "write relay.SizeVar('n')"),
        _each("PrimFunc BufferStore BufferLoad transform stmt_functor", _NO_TENSOR_IR),
    ),
    "op.contrib": _CONTRIB,
    "op.qnn": _merge(
        _each("broadcast", "write relay.qnn.add(...), which broadcasts"),
        _each("canonicalizations legalizations", "write relay.qnn.transform.Legalize()"),
        _each("layout_conversions", "write relay.op.register_convert_op_layout(op, f)"),
    ),
    "prelude": _each(
        "TensorArrayOps get_tensor_array_shape",
        "write relay.prelude.import_tensor_arrays(mod, dtype), or, of a fixed shape, "
        "relay.prelude.import_static_tensor_arrays(mod, dtype, shape)",
    ),
    "frontend": _merge(
        _each(
            "from_caffe from_caffe2 from_coreml from_darknet from_keras from_mxnet from_oneflow "
            "from_paddle from_tensorflow from_tflite",
            _NO_FRONT_END,
        ),
        _each("from_pytorch pytorch from_fx", _FROM_TORCH),
        _each(
            "caffe caffe2 coreml darknet keras mxnet oneflow paddlepaddle tensorflow "
            "tensorflow2 tflite",
            _NO_FRONT_END,
        ),
        _each("GraphProto", "write relay.frontend.from_onnx(model, shape)"),
        _each("infer_type", "write relay.testing.run_infer_type(expr)"),
        _each("infer_shape", "write relay.transform.InferTypeLocal(expr).concrete_shape"),
        _each("infer_channels infer_value", "write relay.evaluate(expr), or look at its type"),
        _each("ChangeDatatype", "write an ExprMutator with visit_constant and visit_var"),
    ),
    "analysis": _merge(
        _each("analyze_operations_distribution", "write relay.analysis.list_op_freqs(mod)"),
        _each("alpha_equal", "write relay.structural_equal(a, b)"),
        _each("assert_alpha_equal", "write relay.assert_structural_equal(a, b)"),
        _each("structural_hash", "write relay.structural_hash(a)"),
        _each("check_constant", "write relay.transform.is_constant(expr)"),
        _each(
            "get_calibration_data",
            "write a main that returns what is to be looked at, in a tuple, and evaluate it",
        ),
    ),
    "transform": _TRANSFORM,
    "dataflow_pattern": _each("register_df_node", "write relay.node('name') above a class"),
    "testing": _TESTING,
}
"""By the name of a module, without ``relayish.`` and ``tvm.``; ``tvm`` for the package itself."""


def other_name(module: str, name: str) -> Any:  # Any: whatever goes by the name
    """Return what stands for a name of TVM that a module lacks, or a text that says what to write.

    Args:
        module: The name of the module in relayish: ``relayish.transform``.
        name: The name that is not there.

    Returns:
        ``None`` where there is nothing to say.
    """
    if name in SAME.get(module, "").split():
        return sys.modules[module]
    if f"{module}.{name}" in ELSEWHERE:
        home, _, there = ELSEWHERE[f"{module}.{name}"].rpartition(".")
        return getattr(import_module(home), there)
    key = module.removeprefix("relayish").removeprefix(".").removeprefix("tvm").removeprefix(".")
    if key == "op.relay":  # the family of ``relay.op.annotation.simulated_quantize``
        return "scripts for TVM have it from relayish.tvm; write from relayish.tvm import relay"
    told = NAMES.get(key or "tvm", {}).get(name)
    if told is None and module == "relayish" and name in {*OWN, *MODULES, "contrib"}:
        return f"scripts for TVM have it from relayish.tvm; write relayish.tvm.{name}"
    return told


ELSEWHERE: Final = {
    "relayish.op.contrib.graph_executor": "relayish.codegen.c.library",
    "relayish.op.contrib.graph_runtime": "relayish.codegen.c.library",
    "relayish.interpreter.Executor": "relayish.tvm.executors.Executor",
    "relayish.transform.fake_quantization_to_integer": "relayish.op",
    "relayish.transform.mixed_precision": "relayish.op",
}
"""What goes by a name that a module lacks."""
