"""Products of numbers of few bits: the bits at one place of many numbers are packed into words."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.products import matrix_product
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.nn.arguments import tensor_so_far, unify_sizes
from relayish.op.types.dimension import floor_divide, normalise_axis, show_type
from relayish.op.types.fields import Dimension, OptionalDType
from relayish.op.types.type_checks import integers
from relayish.op.values.evaluation import Array, lowest_bits, result_dtype

_WORDS: Final = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
"""The element types bits are packed into, and how many fit."""


@attrs("relay.attrs.BitPackAttrs")
class BitPackAttrs(Attrs):
    """Attributes of ``nn.bitpack``."""

    bits: int = 1
    pack_axis: int = 1
    bit_axis: int = -1
    pack_type: OptionalDType = None
    name: str = "BitPack"


@attrs("relay.attrs.BinaryDenseAttrs")
class BinaryDenseAttrs(Attrs):
    """Attributes of ``nn.bitserial_dense``."""

    units: Dimension | None
    data_bits: int = 1
    weight_bits: int = 1
    pack_dtype: OptionalDType = None
    out_dtype: OptionalDType = None
    unipolar: bool = True


def _bitpack_type(attrs: BitPackAttrs, data: Type) -> TensorType:
    """Return words in which ``pack_axis`` is shorter, and a new ``bit_axis`` of ``bits``.

    Of an axis that is counted from the end, as by default, Relay's type forgets the bits.
    """
    found = integers(data, "data")
    width = _word_bits(attrs)
    pack, bit = _axes(attrs, len(found.shape))
    shape = list(found.shape)
    size = shape[pack]
    if isinstance(size, int) and size % width:
        raise TypeInferenceError(
            f"axis {pack} of {show_type(found)} cannot be packed into words of {width} bits"
        )
    shape[pack] = floor_divide(size, width)
    shape.insert(bit, attrs.bits)
    return TensorType(tuple(shape), attrs.pack_type or "uint32")


def _word_bits(attrs: BitPackAttrs) -> int:
    width = _WORDS.get(attrs.pack_type or "uint32")
    if width is None:
        raise TypeInferenceError(
            f"pack_type must be one of {', '.join(_WORDS)}; found {attrs.pack_type}"
        )
    if attrs.bits < 1:
        raise TypeInferenceError(f"bits must be positive; found {attrs.bits}")
    return width


def _axes(attrs: BitPackAttrs, rank: int) -> tuple[int, int]:
    """Return the axis that is packed, and where the axis of bits is inserted."""
    return normalise_axis(attrs.pack_axis, rank), normalise_axis(attrs.bit_axis, rank + 1)


def _bitserial_dense_relation(
    attrs: BinaryDenseAttrs, types: tuple[Type, ...], _: TypeReporter
) -> Type | None:
    """Return ``(…, units)`` for ``data: (…, k)``, whatever is known of the weight."""
    data = tensor_so_far(types[0], "data")
    if data is None:
        return None
    if not data.shape:
        raise TypeInferenceError(f"data must have a dimension or more; found {show_type(data)}")
    if attrs.units is None:
        raise TypeInferenceError("nn.bitserial_dense must be told its units")
    if isinstance(attrs.units, int) and attrs.units < 0:
        raise TypeInferenceError(f"units must not be negative; found {attrs.units}")
    if min(attrs.data_bits, attrs.weight_bits) < 1:
        raise TypeInferenceError(
            f"data_bits and weight_bits must be positive; found {attrs.data_bits} "
            f"and {attrs.weight_bits}"
        )
    weight = tensor_so_far(types[1], "weight")
    if weight is not None and len(weight.shape) not in (2, 3):
        raise TypeInferenceError(f"weight must have 2 or 3 dimensions; found {show_type(weight)}")
    if weight is not None:
        unify_sizes(weight.shape[0], attrs.units, "weight has {} rows, units is {}")
    return TensorType((*data.shape[:-1], attrs.units), attrs.out_dtype or data.dtype)


def _bitpack(attrs: BitPackAttrs, data: Array) -> Array:
    """Pack the lowest bits of the numbers, the first number into the highest bit of a word."""
    width = _word_bits(attrs)
    pack, bit = _axes(attrs, data.ndim)
    word = numpy_dtype(attrs.pack_type or "uint32")
    last = np.moveaxis(data, pack, -1)
    groups = last.reshape((*last.shape[:-1], last.shape[-1] // width, 1, width))
    places = np.arange(attrs.bits, dtype=data.dtype)[:, None]
    taken = ((groups >> places) & data.dtype.type(1)).astype(word)
    weights = word.type(1) << np.arange(width - 1, -1, -1, dtype=word)
    words = (taken * weights).sum(axis=-1, dtype=word)
    return np.moveaxis(np.moveaxis(words, -2, pack), -1, bit)


def _bitserial_dense(attrs: BinaryDenseAttrs, data: Array, weight: Array) -> Array:
    """Multiply the lowest bits of both; a bit of a unipolar weight counts 1 or -1, not 1 or 0."""
    factor = (_unpack(weight) if weight.ndim == 3 else weight).astype(np.int64)
    highest = lowest_bits(attrs.weight_bits)
    factor = factor & highest
    if attrs.unipolar:
        factor = 2 * factor - highest
    numbers = data.astype(np.int64) & lowest_bits(attrs.data_bits)
    whole = matrix_product(numbers, factor.T, np.dtype(np.int64))
    return whole.astype(result_dtype(attrs.out_dtype, data.dtype))


def _unpack(words: Array) -> Array:
    """Return the numbers ``(units, k)`` whose bits ``words: (units, bits, k / width)`` hold."""
    if words.dtype.kind != "u":
        raise EvaluationError(f"packed weights must be unsigned words; found {words.dtype}")
    width = 8 * words.dtype.itemsize
    places = np.arange(width - 1, -1, -1, dtype=words.dtype)
    taken = ((words[..., None] >> places) & words.dtype.type(1)).astype(np.int64)
    planes = taken.reshape((*words.shape[:2], words.shape[2] * width))
    return (planes << np.arange(words.shape[1])[:, None]).sum(axis=1)


register_op(
    "nn.bitpack",
    signature="data, bits=1, pack_axis=1, bit_axis=2, pack_type='uint32', name='BitPack'",
    description="""
    Pack bits of integers into wider ones.
    data (...) of integers -> (..., bits, ...), shorter along pack_axis
    """,
    rule=_bitpack_type,
    evaluate=_bitpack,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "nn.bitserial_dense",
    signature=(
        "data, weight, units=None, data_bits=1, weight_bits=1, pack_dtype='uint32', "
        "out_dtype='int16', unipolar=True"
    ),
    description="""
    Multiply vectors and a matrix of integers of few bits, a bit at a time.
    data (n, k) of integers; weight (units, k), or packed -> (n, units)
    """,
    relation=_bitserial_dense_relation,
    evaluate=_bitserial_dense,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
