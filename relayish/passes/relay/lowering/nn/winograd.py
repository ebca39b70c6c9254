"""Lowering of Winograd's convolutions: matrices multiply tiles and weights along each axis."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import TensorType
from relayish.numeric.precision import Array
from relayish.op.nn.window_types import SPATIAL
from relayish.op.nn.windows import sides
from relayish.op.nn.winograd import is_deep, require_kernel, transform_matrices
from relayish.passes.relay.lowering.call import Site, lowers, refuse_unless
from relayish.passes.relay.lowering.nn.convolution import Convolutions, Tensor, known_sizes
from relayish.passes.relay.lowering.tensors import (
    arrange,
    cast,
    cut,
    is_integral_type,
    number,
    reshape,
    spread,
    transpose,
    windows,
)

_REAL = "float64"
"""All is computed in this type, for the transforms magnify rounding errors."""

_PLACES, _ELEMENTS, _TURNED = "XYZ", "ijk", "abd"


class WinogradConvolutions(Convolutions):
    """Rules for transformed weights, and for convolutions with them."""

    @lowers
    def handle_contrib_conv2d_winograd_weight_transform(self, site: Site) -> Expr:
        """Multiply kernels by a matrix along each axis, and put their axes first."""
        return self._transform(site)

    @lowers
    def handle_contrib_conv3d_winograd_weight_transform(self, site: Site) -> Expr:
        """Do the same; a depth of few elements or many stays as it is."""
        return self._transform(site)

    @lowers
    def handle_contrib_conv2d_winograd_without_weight_transform(self, site: Site) -> Expr:
        """Multiply tiles of data by transformed weights, element by element."""
        return self._convolve_in_tiles(site)

    @lowers
    def handle_contrib_conv3d_winograd_without_weight_transform(self, site: Site) -> Expr:
        """Do the same, with sums along a depth that is not transformed."""
        return self._convolve_in_tiles(site)

    def _transform(self, site: Site) -> Expr:
        shape, dtype = site.shape(), site.dtype()
        _refuse_integers(dtype)
        kept = 1 if len(shape) == 5 and not is_deep(shape[2]) else 0
        letters = "oc" + "z" * kept + _ELEMENTS[: len(shape) - 2 - kept]
        matrices = [transform_matrices(site.attrs.tile_size, k)[2] for k in shape[2 + kept :]]
        whole = Tensor(cast(site.args[0], dtype, _REAL), shape, _REAL)
        found = self._turned(whole, letters, 2 + kept, matrices)
        order = [*range(2 + kept, len(shape)), *[2] * kept, 0, 1]
        return cast(transpose(found.expr, order), _REAL, dtype)

    def _convolve_in_tiles(self, site: Site) -> Expr:
        attrs, tile = site.attrs, site.attrs.tile_size
        for at in (0, 1):
            _refuse_integers(site.dtype(at))
        kernel = require_kernel(attrs)
        rank = len(kernel)
        flat = 1 if rank == 3 and not is_deep(kernel[0]) else 0
        data = self._plain(self._argument(site, 0), attrs.data_layout, "NC", rank)
        (outputs,) = known_sizes((attrs.channels,))
        spans = [tile + k - 1 for k in kernel[flat:]]
        expected = (*spans, *kernel[:flat], outputs, data.shape[1])
        refuse_unless(site.shape(1) == expected, f"its weight is not of shape {expected}")
        tiles, counts, wanted = self._tiles(data, kernel, site, flat)
        matrices = [transform_matrices(tile, k) for k in kernel[flat:]]
        depth, inner = "P" * flat, "z" * flat
        places, elements = (letters[: rank - flat] for letters in (_PLACES, _ELEMENTS))
        letters = f"nc{depth}{places}{inner}{elements}"
        first = len(letters) - len(elements)
        tiles = self._turned(tiles, letters, first, [b.T for _, b, _ in matrices])
        weight = cast(site.args[1], site.dtype(1), _REAL)
        total = self.product(
            f"{letters},{elements}{inner}oc->no{depth}{places}{elements}",
            (tiles.expr, tiles.ty),
            (weight, TensorType(site.shape(1), _REAL)),
            _REAL,
        )
        start = 2 + flat + len(places)
        shape = (data.shape[0], outputs, *tiles.shape[2:start], *spans)
        letters = f"no{depth}{places}{elements}"
        made = self._turned(
            Tensor(total, shape, _REAL), letters, start, [a.T for a, _, _ in matrices]
        )
        order = [*range(2 + flat)]
        for axis in range(len(places)):
            order += [2 + flat + axis, start + axis]
        joined = transpose(made.expr, order)
        wide = (*shape[: 2 + flat], *[count * tile for count in counts])
        found = reshape(joined, [made.shape[axis] for axis in order], wide)
        ends = [(0, size) for size in (*wide[: 2 + flat], *wanted)]
        plain = "NC" + SPATIAL[rank]
        result = cast(cut(found, wide, ends), _REAL, site.result().dtype)
        return arrange(result, plain, attrs.out_layout or attrs.data_layout)

    def _tiles(
        self, data: Tensor, kernel: Sequence[int], site: Site, flat: int
    ) -> tuple[Tensor, list[int], list[int]]:
        """Return overlapping tiles of the padded data, how many there are, and of which results.

        Args:
            data: ``(n, c, *spatial)``.
            kernel: The sizes of the kernel.
            site: The convolution.
            flat: How many of the spatial axes, the first ones, are not transformed.
        """
        tile, rank = site.attrs.tile_size, len(kernel)
        padding = sides(site.attrs.padding, rank)
        sizes = [n + sum(pair) for n, pair in zip(data.shape[2:], padding, strict=True)]
        wanted = [n - k + 1 for n, k in zip(sizes, kernel, strict=True)]
        refuse_unless(min(wanted) > 0, "a window of it is larger than its data")
        counts = [-(-n // tile) for n in wanted[flat:]]
        spans = [tile + k - 1 for k in kernel[flat:]]
        behind = [0] * flat + [
            (count - 1) * tile + span - n
            for count, span, n in zip(counts, spans, sizes[flat:], strict=True)
        ]
        around = [
            (before, after + more) for (before, after), more in zip(padding, behind, strict=True)
        ]
        wide = cast(data.expr, data.dtype, _REAL)
        zero = number(0, _REAL)
        padded, shape = spread(wide, data.shape, ((0, 0), (0, 0), *around), zero, _REAL)
        steps = [*known_sizes(site.attrs.strides)[:flat], *[tile] * len(spans)]
        seen, shape, _ = windows(
            padded, shape, range(2, 2 + rank), [*kernel[:flat], *spans], steps, [1] * rank
        )
        return Tensor(seen, shape, _REAL), counts, wanted[flat:]

    def _turned(
        self, tensor: Tensor, letters: str, first: int, matrices: Sequence[Array]
    ) -> Tensor:
        """Return a tensor whose last axes, from ``first`` on, matrices multiply."""
        found = tensor
        for axis, matrix in enumerate(matrices, first):
            old, new = letters[axis], _TURNED[axis - first]
            made = letters[:axis] + new + letters[axis + 1 :]
            expr = self.product(
                f"{letters},{new}{old}->{made}",
                (found.expr, found.ty),
                (const(matrix, _REAL), TensorType(matrix.shape, _REAL)),
                _REAL,
            )
            shape = (*found.shape[:axis], matrix.shape[0], *found.shape[axis + 1 :])
            found, letters = Tensor(expr, shape, _REAL), made
        return found


def _refuse_integers(dtype: str) -> None:
    refuse_unless(not is_integral_type(dtype), f"it multiplies {dtype} by fractions")
