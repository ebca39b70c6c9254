"""The passes that come with relayish, one a file, each registered by name."""

from relayish.passes.constant_checker import ConstantChecker, is_constant
from relayish.passes.dead_code_elimination import DeadCodeElimination, eliminate_dead_code
from relayish.passes.erase_type import EraseType, erase_type
from relayish.passes.first_order_gradient import FirstOrderGradient
from relayish.passes.fold_constant import ConstantFolder, FoldConstant, fold_constant
from relayish.passes.gradient import gradient
from relayish.passes.infer_type import InferType

__all__ = [
    "ConstantChecker",
    "ConstantFolder",
    "DeadCodeElimination",
    "EraseType",
    "FirstOrderGradient",
    "FoldConstant",
    "InferType",
    "eliminate_dead_code",
    "erase_type",
    "fold_constant",
    "gradient",
    "is_constant",
]
