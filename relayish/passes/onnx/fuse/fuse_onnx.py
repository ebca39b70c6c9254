"""Fusion of programs of ONNX: all rules that make several nodes one, together.

Before::

    let %y = Conv_11(%x, %W);
    let %z = BatchNormalization_15(%y, %scale, %B, %mean, %variance);
    let %u = Mul_14(%z, 2f);

After::

    let %u = Conv_11(%x, %W1, %b1);
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse import (
    fuse_batch_normalization,
    fuse_matmul_add,
    fuse_pad,
    fuse_scale_shift,
    fuse_transpose_into_gemm,
    merge_clips,
    merge_slices,
    simplify_gather,
    simplify_split_concat,
    simplify_transpose_reshape,
)
from relayish.passes.onnx.rewrite.engine import OnnxRules, rewrite_function

RULES: Final = OnnxRules(
    (
        *fuse_batch_normalization.RULES,
        *fuse_scale_shift.RULES,
        *fuse_matmul_add.RULES,
        *fuse_transpose_into_gemm.RULES,
        *fuse_pad.RULES,
        *merge_clips.RULES,
        *merge_slices.RULES,
        *simplify_gather.RULES,
        *simplify_split_concat.RULES,
        *simplify_transpose_reshape.RULES,
    )
)


@register_pass("FuseOnnx", opt_level=2, idempotent=True)
def fuse_onnx(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Fusion of programs of ONNX: make one node of several until nothing is left to do.

    Return ``func`` after ``FuseBatchNormalization``, ``FuseScaleShift``, ``FuseMatMulAdd``,
    ``FuseTransposeIntoGemm``, ``FusePad``, ``MergeClips``, ``MergeSlices``, ``SimplifyGather``,
    ``SimplifySplitConcat`` and ``SimplifyTransposeReshape``, together, to a fixed point.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Returns:
        ``func`` itself where there is nothing to do.

    Complexity:
        Linear in the nodes and the elements of the weights concerned.
    """
    return rewrite_function(func, RULES, mod)
