"""Lowering of products of matrices, and what is added to them."""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.op.types import dimension
from relayish.op.types.fields import Dimension
from relayish.op.values.evaluation import lowest_bits
from relayish.passes.relay.lowering.call import Site, apply_rule, known_shape, lowers, refuse_unless
from relayish.passes.relay.lowering.contracting import Contractions
from relayish.passes.relay.lowering.tensors import cast, indices, number, reshape, transpose
from relayish.passes.relay.rewrite.canonicalize_ops import add_bias

_LETTERS = "abcdefgh"


class Products(Contractions):
    """Rules for products of matrices."""

    @lowers
    def handle_dense(self, site: Site) -> Expr:
        """Sum products along the last axis of both."""
        return self._matrix_product(site, transpose_left=False, transpose_right=True)

    @lowers
    def handle_matmul(self, site: Site) -> Expr:
        """Sum products along the inner axes."""
        attrs = site.attrs
        return self._matrix_product(
            site, transpose_left=attrs.transpose_a, transpose_right=attrs.transpose_b
        )

    def _matrix_product(self, site: Site, *, transpose_left: bool, transpose_right: bool) -> Expr:
        left, right = site.ty(0), site.ty(1)
        last = left.shape[-2 if transpose_left else -1]
        facing = right.shape[-1 if transpose_right else 0]
        refuse_unless(dimension.compare(last, facing) is True, "it sums over sizes that may differ")
        rank = len(left.shape)
        refuse_unless(rank <= len(_LETTERS), f"its data has {rank} axes")
        result = _LETTERS[: rank - 1] + "u"
        outer = [*result[:-1], "k"]
        if transpose_left:
            outer = [*outer[:-2], "k", outer[-2]]
        equation = f"{''.join(outer)},{'uk' if transpose_right else 'ku'}->{result}"
        operands = ((site.args[0], left), (site.args[1], right))
        return self.product(equation, *operands, site.result().dtype)

    @lowers
    def handle_batch_matmul(self, site: Site) -> Expr:
        """Sum products along the inner axes, matrix by matrix."""
        attrs, result = site.attrs, site.result()
        left = "bkm" if attrs.transpose_a else "bmk"
        right = "bnk" if attrs.transpose_b else "bkn"
        one = _without_stack(site, 0, left, result.shape[0])
        other = _without_stack(site, 1, right, result.shape[0])
        sums = [ty.shape[term.index("k")] for term, _, ty in (one, other)]
        refuse_unless(dimension.compare(*sums) is True, "it sums over sizes that may differ")
        return self.product(f"{one[0]},{other[0]}->bmn", one[1:], other[1:], result.dtype)

    @lowers
    def handle_contrib_dense_pack(self, site: Site) -> Expr:
        """Unpack the weight first: ``(units / b, k, b)``, or with an axis more that splits k."""
        shape = site.shape(1)
        weight = site.args[1]
        if len(shape) == 4:
            weight = transpose(weight, (0, 2, 1, 3))
            shape = (shape[0], shape[2], shape[1], shape[3])
        else:
            weight = transpose(weight, (0, 2, 1))
            shape = (shape[0], shape[2], shape[1])
        units, inner = shape[0] * shape[1], site.shape(0)[1]
        plain = reshape(weight, shape, (units, inner))
        ty = TensorType((units, inner), site.dtype(1))
        return self.product(
            "mk,uk->mu", (site.args[0], site.ty(0)), (plain, ty), site.result().dtype
        )

    @lowers
    def handle_bitserial_dense(self, site: Site) -> Expr:
        """Multiply the lowest bits of both; bits of a unipolar weight count 1 or -1."""
        attrs = site.attrs
        refuse_unless(site.rank(1) == 2, "its weight is packed into words")
        shapes = site.shape(0), site.shape(1)
        data = few_bits(site.args[0], site.dtype(0), attrs.data_bits)
        weight = few_bits(site.args[1], site.dtype(1), attrs.weight_bits, unipolar=attrs.unipolar)
        letters = _LETTERS[: site.rank() - 1]
        refuse_unless(shapes[0][-1] == shapes[1][-1], "it sums over sizes that differ")
        wide = [TensorType(shape, "int64") for shape in shapes]
        equation = f"{letters}k,uk->{letters}u"
        total = self.product(equation, (data, wide[0]), (weight, wide[1]), "int64")
        return cast(total, "int64", site.result().dtype)

    @lowers
    def handle_bias_add(self, site: Site) -> Expr:
        """Add the bias along its axis."""
        return apply_rule(add_bias, site.call, site.before)

    @lowers
    def handle_fifo_buffer(self, site: Site) -> Expr:
        """Put the data behind what is left of the buffer."""
        data, buffer = site.shape(0), site.shape(1)
        axis = site.axis()
        kept = op.strided_slice(
            site.args[1], begin=(data[axis],), end=(buffer[axis],), strides=(1,), axes=(axis,)
        )
        found: Expr = op.concatenate((kept, site.args[0]), axis=axis)
        return found

    @lowers
    def handle_bitpack(self, site: Site) -> Expr:
        """Take bits by shifts, and add them up in words."""
        attrs, shape = site.attrs, site.shape()
        word = attrs.pack_type or "uint32"
        width = int(word.removeprefix("uint"))
        rank = len(shape)
        pack = attrs.pack_axis % rank
        bit = attrs.bit_axis % (rank + 1)
        known_shape(site.result(), "the result")
        others = [axis for axis in range(rank) if axis != pack]
        last = transpose(site.args[0], (*others, pack))
        sizes = [shape[axis] for axis in others]
        groups = reshape(last, (*sizes, shape[pack]), (*sizes, shape[pack] // width, 1, width))
        dtype = site.dtype()
        shifts = cast(indices([[at] for at in range(attrs.bits)]), "int64", dtype)
        taken = op.bitwise_and(op.right_shift(groups, shifts), number(1, dtype))
        weights = cast(indices(range(width - 1, -1, -1)), "int64", word)
        words = op.sum(op.left_shift(cast(taken, dtype, word), weights), axis=(-1,))
        order = list(range(rank - 1))  # the axes left as they were, then the words and the bits
        order.insert(pack, rank - 1)
        order.insert(bit, rank)
        return transpose(words, order)


def _without_stack(
    site: Site, index: int, term: str, count: Dimension
) -> tuple[str, Expr, TensorType]:
    """Return a stack of matrices with the letters of its axes; one that serves all as a matrix."""
    expr, ty = site.args[index], site.ty(index)
    if dimension.compare(ty.shape[0], count) is True:
        return term, expr, ty
    refuse_unless(ty.shape[0] == 1, "it is not known how many matrices there are")
    return term[1:], op.squeeze(expr, axis=(0,)), TensorType(ty.shape[1:], ty.dtype)


def few_bits(expr: Expr, dtype: str, bits: int, *, unipolar: bool = False) -> Expr:
    """Return the lowest bits of integers as int64; unipolar ones count 1 or -1 for each."""
    highest = number(int(lowest_bits(bits)), "int64")
    found: Expr = op.bitwise_and(cast(expr, dtype, "int64"), highest)
    if unipolar:
        found = op.subtract(op.multiply(found, number(2, "int64")), highest)
    return found
