"""The parameters of Relay's Python functions, where they are not what the declarations give.

By themselves the parameters of a builder are the arguments of its operator and then its attributes
in the order in which they are declared, with their defaults. Relay's own functions often take them
in another order, name them otherwise or have other defaults. Each entry is a parameter list as it
would stand in Python. A parameter with the name of an attribute is that attribute; the others are
the arguments, in the order in which the operator takes them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final, NamedTuple


class Default(NamedTuple):
    """What a parameter is when a call leaves it out."""

    value: object


def read_signature(text: str) -> dict[str, Default | None]:
    """Return the parameters written in ``text``, each with its default or ``None`` for none."""
    parsed = ast.parse(f"def build({text}): ...").body[0]
    assert isinstance(parsed, ast.FunctionDef)
    names = [argument.arg for argument in parsed.args.args]
    values = [Default(ast.literal_eval(value)) for value in parsed.args.defaults]
    required = len(names) - len(values)
    return dict(zip(names, [*[None] * required, *values], strict=True))


_CONV: Final = (
    "groups=1, channels=None, kernel_size=None, data_layout='{layout}', kernel_layout='{kernel}', "
    "out_layout='', out_dtype=''"
)
_CONV_1D: Final = "strides=(1,), padding=(0,), dilation=(1,), " + _CONV.format(
    layout="NCW", kernel="OIW"
)
_CONV_2D: Final = "strides=(1, 1), padding=(0, 0), dilation=(1, 1), " + _CONV.format(
    layout="NCHW", kernel="OIHW"
)
_CONV_3D: Final = "strides=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1), " + _CONV.format(
    layout="NCDHW", kernel="OIDHW"
)


def _write_transposed(ones: str, zeros: str, layout: str, kernel: str, out_dtype: str = "") -> str:
    return (
        f"strides={ones}, padding={zeros}, dilation={ones}, groups=1, channels=None, "
        f"kernel_size=None, data_layout='{layout}', kernel_layout='{kernel}', out_layout='', "
        f"output_padding={zeros}, out_dtype='{out_dtype}'"
    )


def _pool(ones: str, zeros: str, layout: str) -> str:
    return (
        f"data, pool_size={ones}, strides={ones}, dilation={ones}, padding={zeros}, "
        f"layout='{layout}', out_layout='', ceil_mode=False"
    )


def _resize(layout: str) -> str:
    return (
        f"data, size, roi=None, layout='{layout}', method='linear', "
        "coordinate_transformation_mode='half_pixel', rounding_method='', cubic_alpha=-0.5, "
        "cubic_exclude=0, extrapolation_value=0.0, out_dtype=None"
    )


_REDUCE: Final = "data, axis=None, keepdims=False, exclude=False"
_ARG_REDUCE: Final = _REDUCE + ", select_last_index=False"
_ADAPTIVE: Final = "data, output_size=None, layout='{}', out_layout=''"
_QNN_UNARY: Final = "x, scale, zero_point, output_scale, output_zero_point"
_QNN_PAIR: Final = "input_zero_point, kernel_zero_point, input_scale, kernel_scale"

SIGNATURES: Final[Mapping[str, str]] = {
    # tensors
    "argmax": _ARG_REDUCE,
    "argmin": _ARG_REDUCE,
    "argsort": "data, axis=-1, is_ascend=True, dtype='int32'",
    "broadcast_to": "data, shape",
    "clip": "a, a_min, a_max",
    "debug": "expr, debug_func=None",
    "expand_dims": "data, axis, num_newaxis=1",
    "fixed_point_multiply_per_axis": (
        "x, y, lshift, rshift, is_lshift_required, is_rshift_required, axes"
    ),
    "gather": "data, axis, indices",
    "matrix_set_diag": "data, diagonal, k1=0, k2=0, super_diag_right_align=True, "
    "sub_diag_right_align=False",
    "ndarray_size": "data, dtype='int32'",
    "one_hot": "indices, on_value, off_value, depth, axis=-1, dtype='float32'",
    "ones": "shape, dtype='float32'",
    "repeat": "data, repeats, axis=None",
    "shape_of": "data, dtype='int32'",
    "sparse_to_dense": "sparse_indices, output_shape, sparse_values, default_value=0",
    "sort": "data, axis=-1, is_ascend=True",
    "strided_slice": "data, begin, end, strides=None, axes=None, slice_mode='end'",
    "take": "data, indices, axis=None, batch_dims=0, mode='clip'",
    "topk": "data, k=1, axis=-1, ret_type='both', is_ascend=False, dtype='int32'",
    "unravel_index": "indices, shape",
    "zeros": "shape, dtype='float32'",
    # neural networks
    "nn.adaptive_avg_pool1d": _ADAPTIVE.format("NCW"),
    "nn.adaptive_avg_pool2d": _ADAPTIVE.format("NCHW"),
    "nn.adaptive_avg_pool3d": _ADAPTIVE.format("NCDHW"),
    "nn.adaptive_max_pool1d": _ADAPTIVE.format("NCW"),
    "nn.adaptive_max_pool2d": _ADAPTIVE.format("NCHW"),
    "nn.adaptive_max_pool3d": _ADAPTIVE.format("NCDHW"),
    "nn.avg_pool1d": _pool("(1,)", "(0,)", "NCW") + ", count_include_pad=False",
    "nn.avg_pool2d": _pool("(1, 1)", "(0, 0)", "NCHW") + ", count_include_pad=False",
    "nn.avg_pool3d": _pool("(1, 1, 1)", "(0, 0, 0)", "NCDHW") + ", count_include_pad=False",
    "nn.batch_to_space_nd": "data, block_shape, crops",
    "nn.bitpack": "data, bits=1, pack_axis=1, bit_axis=2, pack_type='uint32', name='BitPack'",
    "nn.bitserial_conv2d": (
        "data, weight, strides=(1, 1), padding=(0, 0), channels=None, kernel_size=(3, 3), "
        "activation_bits=1, weight_bits=1, data_layout='NCHW', kernel_layout='OIHW', "
        "pack_dtype='uint32', out_dtype='int16', unipolar=True"
    ),
    "nn.bitserial_dense": (
        "data, weight, units=None, data_bits=1, weight_bits=1, pack_dtype='uint32', "
        "out_dtype='int16', unipolar=True"
    ),
    "nn.contrib_conv2d_NCHWc": "data, kernel, " + _CONV_2D.replace("'NCHW'", "'NCHW8c'"),
    "nn.contrib_conv2d_gemm_without_weight_transform": "data, weight, " + _CONV_2D,
    "nn.contrib_conv2d_winograd_without_weight_transform": "data, weight, tile_size, " + _CONV_2D,
    "nn.contrib_conv3d_winograd_without_weight_transform": "data, weight, tile_size, " + _CONV_3D,
    "nn.contrib_depthwise_conv2d_NCHWc": (
        "data, kernel, " + _CONV_2D.replace("'NCHW'", "'NCHW8c'")
    ),
    "nn.conv1d": "data, weight, " + _CONV_1D,
    "nn.conv1d_transpose": "data, weight, " + _write_transposed("(1,)", "(0,)", "NCW", "IOW"),
    "nn.conv2d": "data, weight, " + _CONV_2D,
    "nn.conv2d_transpose": "data, weight, " + _write_transposed("(1, 1)", "(0, 0)", "NCHW", "IOHW"),
    "nn.conv3d": "data, weight, " + _CONV_3D,
    "nn.conv3d_transpose": (
        "data, weight, " + _write_transposed("(1, 1, 1)", "(0, 0, 0)", "NCDHW", "IODHW")
    ),
    "nn.cross_entropy": "predictions, targets",
    "nn.cross_entropy_with_logits": "predictions, targets",
    "nn.deformable_conv2d": (
        "data, offset, weight, strides=(1, 1), padding=(0, 0), dilation=(1, 1), "
        "deformable_groups=1, " + _CONV.format(layout="NCHW", kernel="OIHW")
    ),
    "nn.dense": "data, weight, units=None, out_dtype=''",
    "nn.depth_to_space": "data, block_size, layout='NCHW', mode='DCR'",
    "nn.dilate": "data, strides, dilation_value=0.0",
    "nn.fifo_buffer": "data, buffer, axis",
    "nn.group_norm": (
        "data, gamma, beta, num_groups, axis=1, epsilon=1e-05, center=True, scale=True"
    ),
    "nn.leaky_relu": "data, alpha=0.01",
    "nn.lrn": "data, size=5, axis=1, bias=2, alpha=1e-05, beta=0.75",
    "nn.matmul": (
        "tensor_a, tensor_b, units=None, out_dtype='', transpose_a=False, transpose_b=False"
    ),
    "nn.max_pool1d": _pool("(1,)", "(0,)", "NCW"),
    "nn.max_pool2d": _pool("(1, 1)", "(0, 0)", "NCHW"),
    "nn.max_pool2d_grad": (
        "out_grad, data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0), layout='NCHW', "
        "out_layout='', ceil_mode=False"
    ),
    "nn.max_pool3d": _pool("(1, 1, 1)", "(0, 0, 0)", "NCDHW"),
    "nn.mirror_pad": "data, pad_width, mode='SYMMETRIC'",
    "nn.nll_loss": "predictions, targets, weights, reduction='mean', ignore_index=-100",
    "nn.space_to_batch_nd": "data, block_shape, paddings, pad_value=0",
    "nn.space_to_depth": "data, block_size, layout='NCHW'",
    "nn.upsampling": (
        "data, scale_h=1, scale_w=1, layout='NCHW', method='nearest_neighbor', align_corners=False"
    ),
    "nn.upsampling3d": (
        "data, scale_d=1, scale_h=1, scale_w=1, layout='NCDHW', method='nearest_neighbor', "
        "coordinate_transformation_mode='half_pixel'"
    ),
    # images
    "image.affine_grid": "data, target_shape=None",
    "image.crop_and_resize": (
        "data, boxes, box_indices, crop_size, layout, method='bilinear', extrapolation_value=0, "
        "out_dtype=None"
    ),
    "image.dilation2d": (
        "data, weight, strides=(1, 1), padding=(0, 0), dilations=(1, 1), data_layout='NCHW', "
        "kernel_layout='IHW', out_dtype=''"
    ),
    "image.resize1d": _resize("NCW"),
    "image.resize2d": _resize("NCHW"),
    "image.resize3d": _resize("NCDHW"),
    "vision.all_class_non_max_suppression": (
        "boxes, scores, max_output_boxes_per_class=-1, iou_threshold=-1.0, score_threshold=-1.0, "
        "output_format='onnx'"
    ),
    "vision.get_valid_counts": "data, score_threshold, id_index=0, score_index=1",
    "vision.non_max_suppression": (
        "data, valid_count, indices, max_output_size=-1, iou_threshold=0.5, force_suppress=False, "
        "top_k=-1, coord_start=2, score_index=1, id_index=0, return_indices=True, "
        "invalid_to_bottom=False"
    ),
    "vision.yolo_reorg": "data, stride=1",
    # the virtual machine
    "vm.invoke_tvm_op": "func, inputs, outputs",
    "vm.shape_of": "expr, dtype='int64'",
    # quantised
    "qnn.abs": _QNN_UNARY,
    "qnn.avg_pool2d": (
        "data, input_scale, input_zero_point, output_scale, output_zero_point, pool_size, strides, "
        "padding, dilation, ceil_mode=False, count_include_pad=True, layout='NHWC', out_layout=''"
    ),
    "qnn.batch_matmul": (
        "x, y, x_zero_point, y_zero_point, x_scale, y_scale, out_dtype='int32', "
        "transpose_a=False, transpose_b=True"
    ),
    "qnn.concatenate": (
        "data, input_scales, input_zero_points, output_scale, output_zero_point, axis"
    ),
    "qnn.conv2d": (
        f"data, kernel, {_QNN_PAIR}, kernel_size, channels, strides=(1, 1), padding=(0, 0), "
        "dilation=(1, 1), groups=1, data_layout='NCHW', kernel_layout='OIHW', out_layout='', "
        "out_dtype='int32'"
    ),
    "qnn.conv2d_transpose": (
        f"data, weight, {_QNN_PAIR}, "
        + _write_transposed("(1, 1)", "(0, 0)", "NCHW", "IOHW", "int32")
    ),
    "qnn.dense": f"data, weight, {_QNN_PAIR}, units, out_dtype='int32'",
    "qnn.dequantize": "data, input_scale, input_zero_point, axis=-1, out_dtype='float32'",
    "qnn.erf": _QNN_UNARY,
    "qnn.exp": _QNN_UNARY,
    "qnn.hardswish": _QNN_UNARY,
    "qnn.leaky_relu": "x, alpha, input_scale, input_zero_point, output_scale, output_zero_point",
    "qnn.log": _QNN_UNARY,
    "qnn.quantize": "data, output_scale, output_zero_point, axis=-1, out_dtype='int8'",
    "qnn.requantize": (
        "data, input_scale, input_zero_point, output_scale, output_zero_point, axis=-1, "
        "rounding='None', compute_dtype='None', out_dtype='int8'"
    ),
    "qnn.rsqrt": _QNN_UNARY,
    "qnn.sigmoid": _QNN_UNARY,
    "qnn.softmax": _QNN_UNARY + ", axis=-1",
    "qnn.sqrt": _QNN_UNARY,
    "qnn.tanh": _QNN_UNARY,
}
"""By operator; an operator that is not here has the parameters that its declaration gives."""

OTHER_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "nn.batch_matmul": {"x": "tensor_a", "y": "tensor_b"},
}
"""Further names under which Relay's functions take a parameter, and the one it has here."""

ALIASES: Final[Mapping[str, str]] = {
    "annotation.on_device": "on_device",
    "reverse_reshape": "contrib_reverse_reshape",
    "nn.contrib_conv2d_nchwc": "nn.contrib_conv2d_NCHWc",
    "nn.contrib_depthwise_conv2d_nchwc": "nn.contrib_depthwise_conv2d_NCHWc",
}
"""Functions of Relay's whose operators are called otherwise."""
