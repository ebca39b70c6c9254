"""Lists, options, trees and natural numbers, as Relay text that modules import."""

from __future__ import annotations

from relayish._support.missing import set_finder
from relayish.prelude.prelude import Prelude
from relayish.prelude.static_tensor_array import import_static_tensor_arrays
from relayish.prelude.static_tensor_array_ops import StaticTensorArrayOps
from relayish.prelude.std import import_from_std
from relayish.prelude.tensor_array import import_tensor_arrays

__all__ = [
    "Prelude",
    "StaticTensorArrayOps",
    "import_from_std",
    "import_static_tensor_arrays",
    "import_tensor_arrays",
]

set_finder(__name__)
