"""Families of operators, by name where it tells, else by how they fuse."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Op
from relayish.onnx.op_names import identity_of
from relayish.op.declaration import properties
from relayish.op.declaration.properties import OpPattern

_NAMES: Final = {
    "product": (
        "attention batch_matmul bitserial_conv2d bitserial_dense bitserial_dense_pack conv conv1d "
        "conv1d_transpose conv2d conv2d_transpose conv3d conv3d_transpose convinteger "
        "convtranspose correlation deformable_conv2d deformconv dense dense_pack einsum gemm gru "
        "lstm matmul matmulinteger qlinearconv qlinearmatmul rnn sparse_dense sparse_conv2d "
        "multiheadattention"
    ),
    "normalization": (
        "batch_norm batchnormalization batch_flatten group_norm groupnormalization instance_norm "
        "instancenormalization l2_normalize layer_norm layernormalization lpnormalization lrn "
        "meanvariancenormalization normalizer rmsnormalization skiplayernormalization "
        "simplifiedlayernormalization"
    ),
    "activation": (
        "celu clip dropout elu erf fast_erf fast_softmax fast_tanh fastgelu gelu hardmax "
        "hardsigmoid hardswish leaky_relu leakyrelu log_softmax logsigmoid logsoftmax mish prelu "
        "quickgelu relu selu shrink sigmoid softmax softplus softsign swish tanh thresholdedrelu "
        "biasgelu"
    ),
    "reduction": (
        "all any argmax argmin averagepool avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool2d "
        "adaptive_max_pool2d cumprod cumsum global_avg_pool2d global_max_pool2d "
        "globalaveragepool globallppool globalmaxpool lppool max max_pool1d max_pool2d max_pool3d "
        "maxpool maxroipool maxunpool mean min prod roialign roi_align roi_pool std sum variance"
    ),
    "comparison": (
        "and bitwise_and bitwise_not bitwise_or bitwise_xor bitwiseand bitwisenot bitwiseor "
        "bitwisexor compress equal greater greater_equal greaterorequal isinf isnan less "
        "less_equal lessorequal logical_and logical_not logical_or logical_xor nonzero not "
        "not_equal or topk unique where xor sort argsort argwhere nonmaxsuppression "
        "non_max_suppression isfinite is_finite"
    ),
    "quantization": (
        "cast castlike dequantize dequantizelinear dynamicquantizelinear quantize quantizelinear "
        "requantize simulated_quantize simulated_dequantize bitcast reinterpret"
    ),
    "random": (
        "bernoulli multinomial normal randomnormal randomnormallike randomuniform "
        "randomuniformlike threefry_generate threefry_key threefry_split uniform"
    ),
    "elementwise": (
        "abs acos acosh add asin asinh atan atanh bitshift ceil cos cosh det div exp floor log mod "
        "mul neg pow reciprocal round sign sin sinh sqrt sub tan"
    ),
    "control": "if loop scan while",
    "data": (
        "constant constantofshape full full_like ones ones_like zeros zeros_like arange range "
        "eyelike one_hot onehot optional optionalgetelement optionalhaselement sequenceat "
        "sequenceconstruct sequenceempty sequenceerase sequenceinsert sequencelength "
        "sequencemap splittosequence concatfromsequence"
    ),
    "shape": (
        "affinegrid broadcast_to broadcast_to_like centercroppad col2im collapse_sum_like "
        "concat concatenate copy depth_to_space depthtospace expand expand_dims flatten flip "
        "gather gather_nd gatherelements gathernd gridsample identity layout_transform meshgrid "
        "mirror_pad pad repeat reshape reshape_like resize resize1d resize2d resize3d reverse "
        "reverse_reshape reversesequence scatter scatter_elements scatter_nd scatterelements "
        "scatternd shape shape_of size slice slice_like space_to_depth spacetodepth split squeeze "
        "stack strided_slice take tensorscatter tile transpose trilu unsqueeze upsample upsampling "
        "upsampling3d ndarray_size"
    ),
}
_FAMILY: Final = {name: family for family, names in _NAMES.items() for name in names.split()}
_NARY: Final = frozenset({"max", "mean", "min", "sum"})
"""What ONNX calls the operators on several tensors that Relay has for axes of one."""
_PREFIXES: Final = (("reduce", "reduction"), ("qlinear", "quantization"), ("random", "random"))
_DOMAINS: Final = {"memory": "memory", "vm": "memory", "random": "random", "qnn": "quantization"}
_PATTERNS: Final = {
    OpPattern.ELEMWISE: "elementwise",
    OpPattern.BROADCAST: "elementwise",
    OpPattern.INJECTIVE: "shape",
    OpPattern.COMM_REDUCE: "reduction",
    OpPattern.OUT_ELEMWISE_FUSABLE: "product",
}


def family_of(op: Op) -> str:
    """Return the family of an operator, one of :data:`relayish.draw.families.FAMILIES`."""
    name = bare_name(op).lower()
    if name in _NARY and identity_of(op) is not None:
        return "elementwise"
    found = _FAMILY.get(name)
    if found is not None:
        return found
    for prefix, family in _PREFIXES:
        if name.startswith(prefix):
            return family
    domain = _DOMAINS.get(op.name.partition(".")[0])
    if domain is not None:
        return domain
    pattern = properties.pattern.get(op)
    return "other" if pattern is None else _PATTERNS.get(pattern, "other")


def bare_name(op: Op) -> str:
    """Return the name of an operator without domain and version: ``conv2d``, ``Conv``."""
    identity = identity_of(op)
    return op.name.rpartition(".")[2] if identity is None else identity.name
