"""Operators that are written as what lowering makes of them: operators that have rules."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, raises
from relayish.passes.relay.lowering.context import LowerCtx
from relayish.passes.relay.lowering.targets import assemble_lowering

_TARGET: Final = "matmul"
"""Products of matrices are in every version of the operator set; Einstein's sums are not."""


@raises(
    "nn.avg_pool2d_grad", "nn.batch_to_space_nd", "nn.bitpack", "nn.bitserial_conv2d",
    "nn.bitserial_dense", "nn.contrib_conv2d_NCHWc", "nn.contrib_conv2d_gemm_weight_transform",
    "nn.contrib_conv2d_gemm_without_weight_transform", "nn.contrib_dense_pack",
    "nn.contrib_depthwise_conv2d_NCHWc", "nn.conv2d_backward_weight", "nn.correlation",
    "nn.cross_entropy", "nn.cross_entropy_with_logits", "nn.dilate", "nn.fifo_buffer",
    "nn.max_pool2d_grad", "nn.nll_loss", "nn.space_to_batch_nd", "vision.get_valid_counts",
    "vision.multibox_prior", "vision.multibox_transform_loc", "vision.roi_pool",
    "vision.yolo_reorg",
)  # fmt: skip
def lowered(call: RelayCall) -> Expr:
    """What tensor operators compute."""
    context = LowerCtx()
    made = assemble_lowering(_TARGET, context).visit(call.call)
    if context.left:
        raise Unraised(f"tensor operators cannot express it: {context.left[0].reason}")
    return call.write(made)
