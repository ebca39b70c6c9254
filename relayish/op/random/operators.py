"""The operators that draw random numbers.

The state of the generator is an argument and comes back changed, so that in Relay's terms they are
pure; :data:`relayish.op.declaration.properties.random` tells them apart. They are evaluated when a
program runs: the same key gives the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import Integer
from relayish.ir.relay.expr import Constant
from relayish.ir.relay.type import IncompleteType, TensorType, TupleType, Type
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.random import threefry
from relayish.op.types.dimension import broadcast_shapes, compare, show_shape, show_type
from relayish.op.types.fields import OptionalDType
from relayish.op.types.type_rules import sizes, tensor
from relayish.op.values.evaluation import Array, Parameters


@attrs("relay.attrs.ThreefryGenerateAttrs")
class ThreefryGenerateAttrs(Attrs):
    """Attributes of ``random.threefry_generate``."""

    out_shape: tuple[int, ...]


@attrs("relay.attrs.UniformAttrs")
class UniformAttrs(Attrs):
    """Attributes of ``random.uniform``."""

    out_shape: tuple[int, ...]
    out_dtype: OptionalDType = None


@attrs("relay.attrs.NormalAttrs")
class NormalAttrs(Attrs):
    """Attributes of ``random.normal``."""

    out_shape: tuple[int, ...]
    out_dtype: OptionalDType = None


@attrs("relay.attrs.MultinomialAttrs")
class MultinomialAttrs(Attrs):
    """Attributes of ``random.multinomial``."""

    num_samples: Integer = 1


_KEY: Final = TensorType((threefry.KEY_WORDS,), "uint64")
_FRACTION_BITS: Final = {"float32": 23, "float64": 52}


def threefry_key(seed: int) -> Constant:
    """Return the key ``(10,) uint64`` that random numbers start from.

    Args:
        seed: From 0 to 2**256 - 1; the lowest 64 bits are the first word.

    Raises:
        EvaluationError: If it is another number.

    Example:
        >>> threefry_key(7).data[:4].tolist()
        [7, 0, 0, 0]
    """
    if not 0 <= seed < 1 << 256:
        raise EvaluationError(f"a seed must be from 0 to 2**256 - 1; found {seed}")
    words = [seed >> shift & (1 << 64) - 1 for shift in range(0, 256, 64)]
    return Constant(np.array([*words, 0, 0, 0, 0, 1 << 63, 0], np.uint64))


def _threefry_generate_relation(
    attrs: ThreefryGenerateAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type:
    sizes(attrs.out_shape, "out_shape")
    return _draw_type(types[0], TensorType(attrs.out_shape, "uint64"), reporter)


def _threefry_split_relation(
    _: Parameters, types: tuple[Type, ...], reporter: TypeReporter
) -> Type:
    return _draw_type(types[0], _KEY, reporter)


def _distribution_relation(
    attrs: UniformAttrs | NormalAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type:
    """Relate the key with the numbers drawn; the other arguments broadcast to them."""
    dtype = attrs.out_dtype or "float32"
    if dtype not in _FRACTION_BITS:
        raise TypeInferenceError(f"random numbers are float32 or float64; found {dtype}")
    sizes(attrs.out_shape, "out_shape")
    for place, ty in enumerate(types[1:], 1):
        if not isinstance(ty, IncompleteType):
            _check_parameter(tensor(ty, f"argument {place}"), place, attrs.out_shape, dtype)
    return _draw_type(types[0], TensorType(attrs.out_shape, dtype), reporter)


def _check_parameter(ty: TensorType, place: int, shape: Sequence[int], dtype: str) -> None:
    if ty.dtype != dtype:
        raise TypeInferenceError(
            f"argument {place} has the element type {ty.dtype}, the numbers drawn {dtype}; "
            f"they must be the same"
        )
    whole = broadcast_shapes(ty.shape, shape)
    if any(compare(one, other) is False for one, other in zip(whole, shape, strict=False)) or len(
        whole
    ) != len(shape):
        raise TypeInferenceError(
            f"argument {place} of shape {show_shape(ty.shape)} does not broadcast to "
            f"{show_shape(shape)}, the shape of the numbers drawn"
        )


def _multinomial_relation(
    attrs: MultinomialAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    if isinstance(types[1], IncompleteType):
        return None
    probs = tensor(types[1], "probs")
    if not probs.shape:
        raise TypeInferenceError(
            f"probs must have at least one dimension; found {show_type(probs)}"
        )
    if not probs.dtype.startswith(("float", "bfloat")):
        raise TypeInferenceError(f"probs must be floating point numbers; found {probs.dtype}")
    if attrs.num_samples < 0:
        raise TypeInferenceError(f"num_samples must not be negative; found {attrs.num_samples}")
    drawn = TensorType((*probs.shape[:-1], attrs.num_samples), "int32")
    return _draw_type(types[0], drawn, reporter)


def _draw_type(key: Type, numbers: TensorType, reporter: TypeReporter) -> TupleType:
    """Return the type of a key and what was drawn with it; ``key`` is made that of a key."""
    if not isinstance(key, IncompleteType):
        found = tensor(key, "key", rank=1)
        if found.dtype != _KEY.dtype or compare(found.shape[0], threefry.KEY_WORDS) is False:
            raise TypeInferenceError(f"key has type {show_type(key)}; expected {show_type(_KEY)}")
    reporter.assign(key, _KEY)
    return TupleType((_KEY, numbers))


def _threefry_generate(attrs: ThreefryGenerateAttrs, key: Array) -> tuple[Array, Array]:
    following, words = threefry.generate(key, math.prod(attrs.out_shape))
    return following, words.reshape(attrs.out_shape)


def _threefry_split(_: Parameters, key: Array) -> tuple[Array, Array]:
    return threefry.split(key)


def _uniform(attrs: UniformAttrs, key: Array, low: Array, high: Array) -> tuple[Array, Array]:
    following, unit = _unit(key, attrs.out_shape, numpy_dtype(attrs.out_dtype or "float32"))
    return following, unit * (high - low) + low


def _normal(attrs: NormalAttrs, key: Array, mean: Array, scale: Array) -> tuple[Array, Array]:
    """Draw by the method of Box and Muller: of two numbers, a radius and an angle."""
    dtype = numpy_dtype(attrs.out_dtype or "float32")
    following, pairs = _unit(key, (2, *attrs.out_shape), dtype)
    one, two, turn = (dtype.type(number) for number in (1, -2, 2 * math.pi))
    radius = np.sqrt(two * np.log(one - pairs[0]))
    return following, radius * np.sin(turn * pairs[1]) * scale + mean


def _multinomial(attrs: MultinomialAttrs, key: Array, probs: Array) -> tuple[Array, Array]:
    """Draw where a uniform number lies among the sums of probabilities, each row on its own."""
    if not probs.shape[-1]:
        raise EvaluationError(f"probs of shape {probs.shape} has no category to draw")
    weights = np.maximum(probs.astype(np.float32), 0)
    sums = np.cumsum(weights / weights.sum(axis=-1, keepdims=True), axis=-1, dtype=np.float32)
    shape = (*probs.shape[:-1], attrs.num_samples)
    following, unit = _unit(key, shape, np.dtype(np.float32))
    ahead = sums[..., None] - unit[..., None, :]
    nearest = np.where(ahead > 0, ahead, np.float32(1))
    return following, np.argmin(nearest, axis=-2).astype(np.int32)


def _unit(key: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return numbers from 0 up to 1: the highest bits of random words behind the point."""
    following, words = threefry.generate(key, math.prod(shape))
    bits = words.astype(f"u{dtype.itemsize}")  # the low half of each word, where it is longer
    fraction = _FRACTION_BITS[dtype.name]
    unused = bits.dtype.type(8 * dtype.itemsize - fraction)
    from_one_to_two = (bits >> unused) | dtype.type(1).view(bits.dtype)
    return following, (from_one_to_two.view(dtype) - dtype.type(1)).reshape(shape)


register_op(
    "random.threefry_generate",
    arguments=("key: array",),
    description="""
    Draw random bits.
    key (10,) uint64; shape the shape of the bits -> a tuple: the next key (10,) uint64, bits
        uint64
    """,
    relation=_threefry_generate_relation,
    evaluate=_threefry_generate,
    outputs=2,
    random=True,
)
register_op(
    "random.threefry_split",
    arguments=("key: array",),
    description="""
    Make two independent keys of one.
    key (10,) uint64 -> a tuple of two keys (10,) uint64
    """,
    relation=_threefry_split_relation,
    evaluate=_threefry_split,
    outputs=2,
    random=True,
)
register_op(
    "random.uniform",
    arguments=("key: array", "low", "high"),
    description="""
    Draw numbers that are equally likely everywhere between two bounds.
    key (10,) uint64; low (), or a number; high (), or a number -> a tuple: the next key (10,)
        uint64, numbers
    """,
    relation=_distribution_relation,
    evaluate=_uniform,
    outputs=2,
    random=True,
)
register_op(
    "random.normal",
    arguments=("key: array", "mean", "scale"),
    description="""
    Draw numbers of the normal distribution.
    key (10,) uint64; mean (), or a number; scale the standard deviation (), or a number -> a
        tuple: the next key (10,) uint64, numbers
    """,
    relation=_distribution_relation,
    evaluate=_normal,
    outputs=2,
    random=True,
)
register_op(
    "random.multinomial",
    arguments=("key: array", "probs"),
    description="""
    Draw classes by their probabilities.
    key (10,) uint64; probs (..., classes) -> a tuple: the next key (10,) uint64, classes (...,
        num_samples) int32
    """,
    relation=_multinomial_relation,
    evaluate=_multinomial,
    outputs=2,
    random=True,
)
