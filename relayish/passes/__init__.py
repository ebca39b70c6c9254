"""The passes that come with relayish, one a file, each registered by name.

What is loaded with the package is what most programs use; the others are found by their names, in
``relayish.transform``.
"""

from relayish.passes.constant_checker import ConstantChecker, is_constant
from relayish.passes.dead_code_elimination import DeadCodeElimination, eliminate_dead_code
from relayish.passes.erase_type import EraseType, erase_type
from relayish.passes.fold_constant import ConstantFolder, FoldConstant, fold_constant
from relayish.passes.infer_type import InferType

__all__ = [
    "ConstantChecker",
    "ConstantFolder",
    "DeadCodeElimination",
    "EraseType",
    "FoldConstant",
    "InferType",
    "eliminate_dead_code",
    "erase_type",
    "fold_constant",
    "is_constant",
]
