"""The passes that come with relayish, in rooms by subject, each found by its name.

A room is a package: the passes of one subject, one a file, beside the files they share. This table
is how a pass is found; nothing of it is imported before it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from relayish._support.missing import find_missing
from relayish.errors import suggest
from relayish.pass_infra.composition.registry import add_pass_source
from relayish.registry.source import EntryPointSource, TableSource

PASSES: Final = {
    "BindParams": "relay.fold.bind",
    "ChangeBatch": "relay.fold.change_batch",
    "DynamicToStatic": "relay.fold.dynamic_to_static",
    "FoldConstant": "relay.fold.fold_constant",
    "PartialEvaluate": "relay.fold.partial_evaluate",
    "SparseConditionalConstantPropagation": "relay.fold.sparse_conditional_constant_propagation",
    "FakeQuantizationToInteger": "relay.quantisation.fake_quantization_to_integer",
    "QnnCanonicalizeOps": "relay.quantisation.qnn_canonicalize_ops",
    "QnnLegalize": "relay.quantisation.qnn_legalize",
    "CanonicalizeCast": "relay.rewrite.canonicalize_cast",
    "CanonicalizeOps": "relay.rewrite.canonicalize_ops",
    "Conv2dToSparse": "relay.rewrite.conv2d_to_sparse",
    "Conv2dToSparse2": "relay.rewrite.conv2d_to_sparse2",
    "DenseToSparse": "relay.rewrite.dense_to_sparse",
    "DivToMul": "relay.rewrite.div_to_mul",
    "FastMath": "relay.rewrite.fast_math",
    "FlattenAtrousConv": "relay.rewrite.flatten_atrous_conv",
    "FoldExplicitPadding": "relay.rewrite.fold_explicit_padding",
    "SimplifyDomains": "utility.simplify_domains",
    "SimplifyExpr": "relay.rewrite.simplify_expr",
    "Legalize": "relay.rewrite.legalize",
    "SimplifyExprPostAlterOp": "relay.rewrite.simplify_expr_post_alter_op",
    "SimplifyFCTranspose": "relay.rewrite.simplify_fc_transpose",
    "SimplifyInference": "relay.rewrite.simplify_inference",
    "SplitArgs": "relay.rewrite.split_args",
    "ToMixedPrecision": "relay.rewrite.to_mixed_precision",
    "Lower": "relay.lowering.lower",
    "LowerNN": "relay.lowering.lower_nn",
    "LowerVision": "relay.lowering.lower_vision",
    "LowerToLoops": "relay.to_loops.lower_to_loops",
    "MarkConstantArguments": "relay.to_loops.constant_arguments",
    "FoldConstantLoops": "relay.to_loops.fold_constant_loops",
    "LowerOnnx": "onnx.lowering.lower_onnx",
    "LowerOnnxLoops": "onnx.lowering.lower_onnx_loops",
    "RaiseToOnnx": "onnx.raising.raise_to_onnx",
    "AlterOpLayout": "relay.layout.alter_op_layout",
    "ConvertLayout": "relay.layout.convert_layout",
    "DeadCodeElimination": "relay.cleanup.dead_code_elimination",
    "EliminateCommonSubexpr": "relay.cleanup.eliminate_common_subexpr",
    "InlineLet": "relay.cleanup.inline_let",
    "RemoveUnusedFunctions": "relay.cleanup.remove_unused_functions",
    "RenameVars": "relay.cleanup.rename_vars",
    "EtaExpand": "relay.normal_form.eta_expand",
    "ToANormalForm": "relay.normal_form.to_a_normal_form",
    "ToBasicBlockNormalForm": "relay.normal_form.to_basic_block_normal_form",
    "ToGraphNormalForm": "relay.normal_form.to_graph_normal_form",
    "Deduplicate": "relay.functions.deduplicate",
    "Defunctionalization": "relay.functions.defunctionalization",
    "FlattenClosure": "relay.functions.flatten_closure",
    "FullInline": "relay.functions.full_inline",
    "Inline": "relay.functions.inline",
    "InlineClosure": "relay.functions.inline_closure",
    "InlinePrimitives": "relay.functions.inline_primitives",
    "LambdaLift": "relay.functions.lambda_lift",
    "LiftBranchBody": "relay.functions.lift_branch_body",
    "PartitionANF": "relay.functions.partition_anf",
    "DefuseOps": "relay.fusion.defuse_ops",
    "FuseOps": "relay.fusion.fuse_ops",
    "MergeComposite": "relay.fusion.merge_composite",
    "BatchingOps": "relay.combine_parallel.batching_ops",
    "CombineParallelBatchMatmul": "relay.combine_parallel.combine_parallel_batch_matmul",
    "CombineParallelConv2D": "relay.combine_parallel.combine_parallel_conv2d",
    "CombineParallelDense": "relay.combine_parallel.combine_parallel_dense",
    "BackwardFoldScaleAxis": "relay.scale_axis.backward_fold_scale_axis",
    "FoldScaleAxis": "relay.scale_axis.fold_scale_axis",
    "ForwardFoldScaleAxis": "relay.scale_axis.forward_fold_scale_axis",
    "FirstOrderGradient": "relay.gradient.first_order_gradient",
    "LazyGradientInit": "relay.gradient.lazy_gradient_init",
    "AnnotateTarget": "relay.offload.annotate_target",
    "MergeCompilerRegions": "relay.offload.merge_compiler_regions",
    "PartitionGraph": "relay.offload.partition_graph",
    "InlineComposites": "relay.offload.inline_composites",
    "InlineCompilerFunctionsBoundTo": "relay.offload.inline_compiler_functions",
    "MarkCompilerFunctionsAsExtern": "relay.offload.mark_compiler_functions_as_extern",
    "OutlineCompilerFunctionsWithExistingGlobalSymbols": "relay.offload.outline_compiler_functions",
    "InplaceUpdate": "relay.memory.inplace_update",
    "ManifestLifetimes": "relay.memory.manifest_lifetimes",
    "PlanDevices": "relay.memory.plan_devices",
    "ValidateInplaceUpdate": "relay.memory.validate_inplace_update",
    "ConvertSSA": "loops.structure.convert_ssa",
    "RenameTensors": "loops.structure.rename_tensors",
    "FlattenBuffer": "loops.structure.flatten_buffer",
    "RemoveNestedBlock": "loops.structure.remove_nested_block",
    "RemoveScheduleBlock": "loops.structure.remove_schedule_block",
    "TransformPolyForToFor": "loops.structure.transform_poly_for_to_for",
    "LoopInvariantCodeMotion": "loops.structure.loop_invariant_code_motion",
    "ApplySchedules": "loops.schedule.apply_schedules",
    "IfFusion": "loops.structure.if_fusion",
    "LongLong2Int": "loops.structure.longlong2int",
    "RearrangeLoadInstruction": "loops.structure.rearrange_load_instruction",
    "LowerIntrin": "loops.structure.lower_intrin",
    "EntailLoopCondition": "loops.structure.entail_loop_condition",
    "EliminateInvariantLoop": "loops.structure.eliminate_invariant_loop",
    "PartitionLoops": "loops.schedule.partition_loops",
    "ContractArrays": "loops.schedule.contract_arrays",
    "UnrollLoop": "loops.structure.unroll_loop",
    "VectorizeLoops": "loops.structure.vectorize_loops",
    "CopyPropagation": "loops.cleanup.copy_propagation",
    "DeadStoreElimination": "loops.cleanup.dead_store_elimination",
    "StorageRewrite": "loops.cleanup.storage_rewrite",
    "DeadStoreEliminationCore": "core.cleanup.dead_store_elimination_core",
    "LowerCore": "core.lowering.lower_core",
    "GlobalCommonSubexprElimTIR": "loops.cleanup.global_common_subexpr_elim",
    "BoundsCheckElimination": "loops.simplify.bounds_check_elimination",
    "CastSimplify": "loops.simplify.cast_simplify",
    "CommonSubexprElimTIR": "loops.simplify.common_subexpr_elim_tir",
    "ConditionalConstantPropagationTIR": "loops.simplify.conditional_constant_propagation_tir",
    "FoldConstantTIR": "loops.simplify.fold_constant_tir",
    "IfFold": "loops.simplify.if_fold",
    "IfSimplify": "loops.simplify.if_simplify",
    "Simplify": "loops.simplify.simplify",
    "SimplifyBlocks": "loops.simplify.simplify_blocks",
    "SimplifyForLoops": "loops.simplify.simplify_for_loops",
    "VarModSimplify": "loops.simplify.var_mod_simplify",
    "ConstantToInitializer": "onnx.rewrite.constant_to_initializer",
    "EliminateNop": "onnx.rewrite.eliminate_nop",
    "FoldShapes": "onnx.rewrite.fold_shapes",
    "DeclareOutputShapes": "onnx.shapes.declare_output_shapes",
    "InferShapesOnnx": "onnx.shapes.infer_shapes_onnx",
    "InlineControlFlow": "onnx.rewrite.inline_control_flow",
    "InlineOnnxFunctions": "onnx.rewrite.inline_onnx_functions",
    "MergeConsecutive": "onnx.rewrite.merge_consecutive",
    "MergeInitializers": "onnx.rewrite.merge_initializers",
    "SequenceToTensors": "onnx.rewrite.sequence_to_tensors",
    "SimplifyOnnx": "onnx.rewrite.simplify_onnx",
    "CombineConstants": "onnx.fuse.combine_constants",
    "EliminateCommonSubexprOnnx": "onnx.fuse.eliminate_common_subexpr_onnx",
    "OptimizeOnnx": "onnx.fuse.optimize_onnx",
    "FuseOnnx": "onnx.fuse.fuse_onnx",
    "FuseBatchNormalization": "onnx.fuse.fuse_batch_normalization",
    "FuseHardSwish": "onnx.fuse.fuse_hard_swish",
    "FuseMatMulAdd": "onnx.fuse.fuse_matmul_add",
    "FusePad": "onnx.fuse.fuse_pad",
    "FuseScaleShift": "onnx.fuse.fuse_scale_shift",
    "FuseTransposeIntoGemm": "onnx.fuse.fuse_transpose_into_gemm",
    "FuseGelu": "onnx.fuse.fuse_gelu",
    "FuseLayerNormalization": "onnx.fuse.fuse_layer_normalization",
    "PushTranspose": "onnx.fuse.push_transpose",
    "MergeClips": "onnx.fuse.merge_clips",
    "MergeSlices": "onnx.fuse.merge_slices",
    "SimplifyGather": "onnx.fuse.simplify_gather",
    "SimplifySplitConcat": "onnx.fuse.simplify_split_concat",
    "SimplifyTransposeReshape": "onnx.fuse.simplify_transpose_reshape",
    "ConvertOpset": "onnx.opset.convert_opset",
    "AnnotateSpans": "utility.annotate_spans",
    "CapturePostDfsIndexInSpans": "utility.capture_postdfs_index_in_spans",
    "EraseType": "utility.erase_type",
    "InferType": "utility.infer_type",
    "PrintIR": "utility.print_ir",
    "Verify": "utility.verify",
    **dict.fromkeys(("O0", "O1", "O2", "O3", "O4"), "relay.default_pipeline"),
}
"""The module, below this package, that registers each pass. Its first part is the room."""

CHECKS: Final = {
    **dict.fromkeys(
        ("a_normal_form", "basic_block_normal_form", "graph_normal_form"),
        "relay.normal_form.checks",
    ),
    "verified": "utility.verify",
}
"""The same for checks that are those of passes."""

PASS_SOURCES: Final = (
    TableSource("relayish.passes", PASSES | CHECKS),
    EntryPointSource("relayish.passes"),
)
for _source in PASS_SOURCES:
    add_pass_source(_source)

_FUNCTIONS: Final = {
    "ConstantChecker": "relay.fold.constant_checker",
    "ConstantFolder": "relay.fold.fold_constant",
    "eliminate_dead_code": "relay.cleanup.dead_code_elimination",
    "erase_type": "utility.erase_type",
    "fold_constant": "relay.fold.fold_constant",
    "is_constant": "relay.fold.constant_checker",
}
"""What most programs use beside passes."""

__all__ = ["CHECKS", "PASSES", "PASS_SOURCES", *_FUNCTIONS]  # noqa: PLE0604 - strings, every one


def __getattr__(name: str) -> Any:  # Any: a class or a function
    if name in _FUNCTIONS:
        return getattr(import_module(f"{__name__}.{_FUNCTIONS[name]}"), name)
    near = suggest(name, __all__)
    return find_missing(__name__, name, f"module {__name__!r} has no attribute {name!r}{near}")
