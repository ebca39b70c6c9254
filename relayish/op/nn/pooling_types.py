"""Types of pooling.

As in Relay a pool slides over the axes its ``layout`` names, leaves all others alone, split ones
too, and gives its result in that same layout: ``out_layout`` is kept, and not looked at.
"""

from __future__ import annotations

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import TensorType, Type
from relayish.op.nn.window_types import SPATIAL, per_axis, window_counts
from relayish.op.types.dimension import show_type, unify
from relayish.op.types.fields import Dimension
from relayish.op.types.layout_types import layout_axes
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Parameters


def pool_type(attrs: Parameters, data: Type) -> TensorType:
    """Return the type of a pool over windows, of one to three axes."""
    given = tensor(data, "data")
    rank = len(type(attrs).defaults["strides"])
    axes = find_pooled_axes(attrs.layout, rank, len(given.shape))
    sizes = window_counts(
        [given.shape[axis] for axis in axes],
        attrs.padding,
        per_axis(attrs.pool_size, rank, "pool_size"),
        attrs.strides,
        attrs.dilation,
        ceil_mode=attrs.ceil_mode,
    )
    return _with_sizes(given, axes, sizes)


def global_pool_type(attrs: Parameters, data: Type) -> TensorType:
    """Return the type of a pool over all of height and width."""
    given = tensor(data, "data")
    return _with_sizes(given, find_pooled_axes(attrs.layout, 2, len(given.shape)), (1, 1))


def adaptive_pool_type(attrs: Parameters, data: Type) -> TensorType:
    """Return the type of a pool whose windows are chosen so that the result has a given size."""
    given = tensor(data, "data")
    rank: int = attrs.rank
    axes = find_pooled_axes(attrs.layout, rank, len(given.shape))
    if not attrs.output_size:
        return given
    sizes = attrs.output_size * rank if len(attrs.output_size) == 1 else attrs.output_size
    return _with_sizes(given, axes, per_axis(sizes, rank, "output_size"))


def with_dilation(attrs: Parameters) -> Parameters:
    """Return the attributes of the gradient of a pool with a dilation.

    Relay's function leaves it empty.
    """
    return attrs if attrs.dilation else attrs.with_values(dilation=(1,) * len(attrs.strides))


def pool_gradient_type(attrs: Parameters, grad: Type, data: Type) -> TensorType:
    """Return the type of the gradient of a pool, that of the data.

    As in Relay the gradient of the result comes first, whatever the arguments are called.
    """
    attrs = with_dilation(attrs)
    given, result = tensor(data, "the second argument"), tensor(grad, "the first argument")
    expected = pool_type(attrs, given)
    agree = len(result.shape) == len(expected.shape) and all(
        unify(one, other) is not None
        for one, other in zip(result.shape, expected.shape, strict=True)
    )
    if not agree or result.dtype != expected.dtype:
        raise TypeInferenceError(
            f"the gradient of the result is {show_type(result)}, "
            f"the pool of the data {show_type(expected)}; they must be the same"
        )
    return given


def find_pooled_axes(layout: str, rank: int, dimensions: int) -> tuple[int, ...]:
    """Return which axes of a tensor of ``layout`` are the ``rank`` spatial ones, in order.

    Raises:
        TypeInferenceError: If there are none such, if they are split, or if the tensor has another
            number of axes.
    """
    letters = [axis.letter for axis in layout_axes(layout)]
    spatial = SPATIAL[rank]
    if not all(s in letters and s.lower() not in letters for s in spatial):
        raise TypeInferenceError(
            f"layout {layout} must have the axes {', '.join(spatial)}, which cannot be split"
        )
    if len(letters) != dimensions:
        raise TypeInferenceError(
            f"layout {layout} has {len(letters)} axes; the data has {dimensions}"
        )
    return tuple(letters.index(s) for s in spatial)


def _with_sizes(
    given: TensorType, axes: tuple[int, ...], sizes: tuple[Dimension, ...]
) -> TensorType:
    shape = list(given.shape)
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    return TensorType(tuple(shape), given.dtype)
