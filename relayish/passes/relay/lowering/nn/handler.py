"""The lowering that the domain ``nn`` brings."""

from __future__ import annotations

from typing import ClassVar, Final

from relayish.domain import register_handler
from relayish.passes.relay.lowering.nn.gemm import TiledConvolutions
from relayish.passes.relay.lowering.nn.normalization import Normalisations
from relayish.passes.relay.lowering.nn.pointwise import Activations
from relayish.passes.relay.lowering.nn.pooling import Pools
from relayish.passes.relay.lowering.nn.pooling_gradient import PoolGradients
from relayish.passes.relay.lowering.nn.products import Products
from relayish.passes.relay.lowering.nn.space import Arrangements
from relayish.passes.relay.lowering.nn.winograd import WinogradConvolutions

_NNPACK: Final = (
    "its weight is transformed for a library of its own; lower before layouts are altered"
)
_SPARSE: Final = "where the elements of a sparse matrix stand is known when it runs only"

_OTHERS: Final = {
    "contrib_conv2d_winograd_nnpack_weight_transform": _NNPACK,
    "deformable_conv2d": "where it looks is told by its data, between elements",
    "internal.sparse_dense_padded": _SPARSE,
    "sparse_add": _SPARSE,
    "sparse_conv2d": _SPARSE,
    "sparse_dense": _SPARSE,
    "sparse_transpose": _SPARSE,
}


@register_handler("lower")
class LowerNN(
    Products,
    TiledConvolutions,
    WinogradConvolutions,
    Pools,
    PoolGradients,
    Normalisations,
    Activations,
    Arrangements,
    domain="nn",
):
    """Lowers ``nn`` to tensor operators of Relay's core; products become ``einsum``.

    A target that has other operators derives from it, overrides methods, and is assembled in its
    place; :meth:`contract` says how all that multiplies and sums does so.
    """

    inexpressible: ClassVar[dict[str, str]] = _OTHERS
