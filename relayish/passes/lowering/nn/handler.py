"""The lowering that the domain ``nn`` brings."""

from __future__ import annotations

from typing import ClassVar

from relayish.domain import register_handler
from relayish.passes.lowering.nn.convolution import Convolutions
from relayish.passes.lowering.nn.normalization import Normalisations
from relayish.passes.lowering.nn.pointwise import Activations
from relayish.passes.lowering.nn.pooling import Pools
from relayish.passes.lowering.nn.products import Products
from relayish.passes.lowering.nn.space import Arrangements


@register_handler("lower")
class LowerNN(
    Products, Convolutions, Pools, Normalisations, Activations, Arrangements, domain="nn"
):
    """Lowers ``nn`` to tensor operators of Relay's core; products become ``einsum``.

    A target that has other operators derives from it, overrides methods, and is assembled in its
    place; :meth:`contract` says how all that multiplies and sums does so.
    """

    inexpressible: ClassVar[dict[str, str]] = {}
