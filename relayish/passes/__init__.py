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
    "BindParams": "fold.bind",
    "ChangeBatch": "fold.change_batch",
    "DynamicToStatic": "fold.dynamic_to_static",
    "FoldConstant": "fold.fold_constant",
    "PartialEvaluate": "fold.partial_evaluate",
    "SparseConditionalConstantPropagation": "fold.sparse_conditional_constant_propagation",
    "FakeQuantizationToInteger": "quantisation.fake_quantization_to_integer",
    "QnnCanonicalizeOps": "quantisation.qnn_canonicalize_ops",
    "QnnLegalize": "quantisation.qnn_legalize",
    "CanonicalizeCast": "rewrite.canonicalize_cast",
    "CanonicalizeOps": "rewrite.canonicalize_ops",
    "Conv2dToSparse": "rewrite.conv2d_to_sparse",
    "Conv2dToSparse2": "rewrite.conv2d_to_sparse2",
    "DenseToSparse": "rewrite.dense_to_sparse",
    "DivToMul": "rewrite.div_to_mul",
    "FastMath": "rewrite.fast_math",
    "FlattenAtrousConv": "rewrite.flatten_atrous_conv",
    "FoldExplicitPadding": "rewrite.fold_explicit_padding",
    "SimplifyDomains": "rewrite.simplify_domains",
    "SimplifyExpr": "rewrite.simplify_expr",
    "Legalize": "rewrite.legalize",
    "SimplifyExprPostAlterOp": "rewrite.simplify_expr_post_alter_op",
    "SimplifyFCTranspose": "rewrite.simplify_fc_transpose",
    "SimplifyInference": "rewrite.simplify_inference",
    "SplitArgs": "rewrite.split_args",
    "ToMixedPrecision": "rewrite.to_mixed_precision",
    "Lower": "lowering.lower",
    "LowerNN": "lowering.lower_nn",
    "LowerVision": "lowering.lower_vision",
    "LowerOnnx": "onnx_lowering.lower_onnx",
    "RaiseToOnnx": "onnx_raising.raise_to_onnx",
    "AlterOpLayout": "layout.alter_op_layout",
    "ConvertLayout": "layout.convert_layout",
    "DeadCodeElimination": "cleanup.dead_code_elimination",
    "EliminateCommonSubexpr": "cleanup.eliminate_common_subexpr",
    "InlineLet": "cleanup.inline_let",
    "RemoveUnusedFunctions": "cleanup.remove_unused_functions",
    "RenameVars": "cleanup.rename_vars",
    "EtaExpand": "normal_form.eta_expand",
    "ToANormalForm": "normal_form.to_a_normal_form",
    "ToBasicBlockNormalForm": "normal_form.to_basic_block_normal_form",
    "ToGraphNormalForm": "normal_form.to_graph_normal_form",
    "Deduplicate": "functions.deduplicate",
    "Defunctionalization": "functions.defunctionalization",
    "FlattenClosure": "functions.flatten_closure",
    "FullInline": "functions.full_inline",
    "Inline": "functions.inline",
    "InlineClosure": "functions.inline_closure",
    "InlinePrimitives": "functions.inline_primitives",
    "LambdaLift": "functions.lambda_lift",
    "LiftBranchBody": "functions.lift_branch_body",
    "PartitionANF": "functions.partition_anf",
    "DefuseOps": "fusion.defuse_ops",
    "FuseOps": "fusion.fuse_ops",
    "MergeComposite": "fusion.merge_composite",
    "BatchingOps": "combine_parallel.batching_ops",
    "CombineParallelBatchMatmul": "combine_parallel.combine_parallel_batch_matmul",
    "CombineParallelConv2D": "combine_parallel.combine_parallel_conv2d",
    "CombineParallelDense": "combine_parallel.combine_parallel_dense",
    "BackwardFoldScaleAxis": "scale_axis.backward_fold_scale_axis",
    "FoldScaleAxis": "scale_axis.fold_scale_axis",
    "ForwardFoldScaleAxis": "scale_axis.forward_fold_scale_axis",
    "FirstOrderGradient": "gradient.first_order_gradient",
    "LazyGradientInit": "gradient.lazy_gradient_init",
    "AnnotateTarget": "offload.annotate_target",
    "MergeCompilerRegions": "offload.merge_compiler_regions",
    "PartitionGraph": "offload.partition_graph",
    "InlineComposites": "offload.inline_composites",
    "InlineCompilerFunctionsBoundTo": "offload.inline_compiler_functions",
    "MarkCompilerFunctionsAsExtern": "offload.mark_compiler_functions_as_extern",
    "OutlineCompilerFunctionsWithExistingGlobalSymbols": "offload.outline_compiler_functions",
    "InplaceUpdate": "memory.inplace_update",
    "ManifestLifetimes": "memory.manifest_lifetimes",
    "PlanDevices": "memory.plan_devices",
    "ValidateInplaceUpdate": "memory.validate_inplace_update",
    "ConvertSSA": "loop_structure.convert_ssa",
    "RenameTensors": "loop_structure.rename_tensors",
    "FlattenBuffer": "loop_structure.flatten_buffer",
    "RemoveNestedBlock": "loop_structure.remove_nested_block",
    "RemoveScheduleBlock": "loop_structure.remove_schedule_block",
    "TransformPolyForToFor": "loop_structure.transform_poly_for_to_for",
    "LoopInvariantCodeMotion": "loop_structure.loop_invariant_code_motion",
    "UnrollLoop": "loop_structure.unroll_loop",
    "VectorizeLoops": "loop_structure.vectorize_loops",
    "CopyPropagation": "loop_cleanup.copy_propagation",
    "DeadStoreElimination": "loop_cleanup.dead_store_elimination",
    "DeadStoreEliminationCore": "core_cleanup.dead_store_elimination_core",
    "LowerCore": "core_lowering.lower_core",
    "GlobalCommonSubexprElimTIR": "loop_cleanup.global_common_subexpr_elim",
    "BoundsCheckElimination": "loop_simplify.bounds_check_elimination",
    "CastSimplify": "loop_simplify.cast_simplify",
    "CommonSubexprElimTIR": "loop_simplify.common_subexpr_elim_tir",
    "ConditionalConstantPropagationTIR": "loop_simplify.conditional_constant_propagation_tir",
    "FoldConstantTIR": "loop_simplify.fold_constant_tir",
    "IfSimplify": "loop_simplify.if_simplify",
    "Simplify": "loop_simplify.simplify",
    "SimplifyBlocks": "loop_simplify.simplify_blocks",
    "SimplifyForLoops": "loop_simplify.simplify_for_loops",
    "VarModSimplify": "loop_simplify.var_mod_simplify",
    "ConstantToInitializer": "onnx_rewrite.constant_to_initializer",
    "EliminateNop": "onnx_rewrite.eliminate_nop",
    "FoldShapes": "onnx_rewrite.fold_shapes",
    "DeclareOutputShapes": "onnx_shapes.declare_output_shapes",
    "InferShapesOnnx": "onnx_shapes.infer_shapes_onnx",
    "InlineControlFlow": "onnx_rewrite.inline_control_flow",
    "InlineOnnxFunctions": "onnx_rewrite.inline_onnx_functions",
    "MergeConsecutive": "onnx_rewrite.merge_consecutive",
    "MergeInitializers": "onnx_rewrite.merge_initializers",
    "SequenceToTensors": "onnx_rewrite.sequence_to_tensors",
    "SimplifyOnnx": "onnx_rewrite.simplify_onnx",
    "CombineConstants": "onnx_fuse.combine_constants",
    "EliminateCommonSubexprOnnx": "onnx_fuse.eliminate_common_subexpr_onnx",
    "OptimizeOnnx": "onnx_fuse.optimize_onnx",
    "FuseOnnx": "onnx_fuse.fuse_onnx",
    "FuseBatchNormalization": "onnx_fuse.fuse_batch_normalization",
    "FuseHardSwish": "onnx_fuse.fuse_hard_swish",
    "FuseMatMulAdd": "onnx_fuse.fuse_matmul_add",
    "FusePad": "onnx_fuse.fuse_pad",
    "FuseScaleShift": "onnx_fuse.fuse_scale_shift",
    "FuseTransposeIntoGemm": "onnx_fuse.fuse_transpose_into_gemm",
    "FuseGelu": "onnx_fuse.fuse_gelu",
    "FuseLayerNormalization": "onnx_fuse.fuse_layer_normalization",
    "PushTranspose": "onnx_fuse.push_transpose",
    "MergeClips": "onnx_fuse.merge_clips",
    "MergeSlices": "onnx_fuse.merge_slices",
    "SimplifyGather": "onnx_fuse.simplify_gather",
    "SimplifySplitConcat": "onnx_fuse.simplify_split_concat",
    "SimplifyTransposeReshape": "onnx_fuse.simplify_transpose_reshape",
    "ConvertOpset": "onnx_opset.convert_opset",
    "AnnotateSpans": "utility.annotate_spans",
    "CapturePostDfsIndexInSpans": "utility.capture_postdfs_index_in_spans",
    "EraseType": "utility.erase_type",
    "InferType": "utility.infer_type",
    "PrintIR": "utility.print_ir",
    "Verify": "utility.verify",
    **dict.fromkeys(("O0", "O1", "O2", "O3", "O4"), "default_pipeline"),
}
"""The module, below this package, that registers each pass. Its first part is the room."""

CHECKS: Final = {
    **dict.fromkeys(
        ("a_normal_form", "basic_block_normal_form", "graph_normal_form"), "normal_form.checks"
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
    "ConstantChecker": "fold.constant_checker",
    "ConstantFolder": "fold.fold_constant",
    "eliminate_dead_code": "cleanup.dead_code_elimination",
    "erase_type": "utility.erase_type",
    "fold_constant": "fold.fold_constant",
    "is_constant": "fold.constant_checker",
}
"""What most programs use beside passes."""

__all__ = ["CHECKS", "PASSES", "PASS_SOURCES", *_FUNCTIONS]  # noqa: PLE0604 - strings, every one


def __getattr__(name: str) -> Any:  # Any: a class or a function
    if name in _FUNCTIONS:
        return getattr(import_module(f"{__name__}.{_FUNCTIONS[name]}"), name)
    near = suggest(name, __all__)
    return find_missing(__name__, name, f"module {__name__!r} has no attribute {name!r}{near}")
