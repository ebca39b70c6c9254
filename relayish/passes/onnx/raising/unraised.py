"""Operators that no rule writes, and why: what users are told, and what the documentation lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BY_REASON: Final[Mapping[str, str]] = {
    "it says where and how a program runs, of which ONNX has nothing":
        """annotation.bitpack_end annotation.bitpack_start annotation.cast_hint
        annotation.compiler_begin annotation.compiler_end annotation.with_funcid call_lowered debug
        device_copy memory.alloc_storage memory.alloc_tensor memory.kill on_device
        vm.invoke_tvm_op vm.reshape_tensor vm.shape_of""",
    "it is made for one layout in memory; convert the layout first":
        """auto_scheduler_layout_transform meta_schedule_layout_transform qnn.contrib_dense_pack""",
    "its weight is transformed for Winograd's algorithm; raise before layouts are altered":
        """nn.contrib_conv2d_winograd_nnpack_weight_transform
        nn.contrib_conv2d_winograd_weight_transform
        nn.contrib_conv2d_winograd_without_weight_transform
        nn.contrib_conv3d_winograd_weight_transform
        nn.contrib_conv3d_winograd_without_weight_transform""",
    "ONNX has no generator with a state that is a value, and draws other numbers":
        """random.multinomial random.normal random.threefry_generate random.threefry_split
        random.uniform""",
    "Relay rounds what it computes of quantised integers in its own way; write it with operators "
    "of integers first, by QnnCanonicalizeOps":
        """qnn.abs qnn.add qnn.avg_pool2d qnn.batch_matmul
        qnn.concatenate qnn.conv2d qnn.conv2d_transpose qnn.dense qnn.erf qnn.exp qnn.hardswish
        qnn.leaky_relu qnn.log qnn.mul qnn.requantize qnn.rsqrt qnn.sigmoid
        qnn.simulated_dequantize qnn.simulated_quantize qnn.softmax qnn.sqrt qnn.subtract qnn.tanh
        relay.op.annotation.simulated_quantize""",
    "it is a stage of a detector, which makes, moves, filters and orders boxes, and suppresses "
    "some; write these steps one by one":
        "vision.proposal",
}  # fmt: skip

UNRAISED: Final[Mapping[str, str]] = {
    name: reason for reason, names in _BY_REASON.items() for name in names.split()
}
"""By operator of Relay's: why no rule writes it."""
