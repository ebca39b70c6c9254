"""Weights for networks, drawn from a seed, and the network and its weights together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from relayish.analysis.infer_type import infer_type
from relayish.errors import FieldError, TypeInferenceError
from relayish.ir.relay.expr import Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import numpy_dtype
from relayish.ir.values.ndarray import NDArray

Array: TypeAlias = npt.NDArray[Any]  # Any: of the element type the network has
Fill: TypeAlias = Callable[[str, Array], None]
"""Fills an array in place, given the name of the parameter it is for."""
Params: TypeAlias = dict[str, NDArray]
"""Arrays by the name of the parameter they are for."""


class Initializer:
    """Fills arrays by what the name of their parameter ends with.

    Biases, betas and means become 0, gammas and variances 1; a subclass says what weights become
    in :meth:`init_weight`, and what anything else does in :meth:`init_default`.

    Attributes:
        rng: Where random numbers come from; :meth:`reseed` starts it anew.

    Source:
        Relay ``testing.init.Initializer``, which draws from numpy's global state; the generator is
        the same, so that the same seed gives the same weights.
    """

    _CONSTANTS: Final = {"bias": 0.0, "gamma": 1.0, "beta": 0.0, "mean": 0.0, "var": 1.0}

    def __init__(self) -> None:
        self.rng = np.random.RandomState(0)

    def reseed(self, seed: int) -> None:
        """Start the random numbers of ``seed`` from the beginning."""
        self.rng = np.random.RandomState(seed)

    def __call__(self, desc: str, arr: Array) -> None:
        if desc.endswith("weight"):
            self.init_weight(desc, arr)
            return
        for ending, value in self._CONSTANTS.items():
            if desc.endswith(ending):
                arr[...] = value
                return
        self.init_default(desc, arr)

    def init_weight(self, name: str, arr: Array) -> None:
        """Fill the weight ``name``.

        Raises:
            FieldError: Always, unless a subclass knows better.
        """
        del arr
        raise FieldError(
            f"{type(self).__name__} does not say how weight {name!r} begins; define init_weight()"
        )

    def init_default(self, name: str, arr: Array) -> None:
        """Fill the parameter ``name``, which is none of the known kinds.

        Raises:
            FieldError: Always, unless a subclass knows better.
        """
        del arr
        known = ", ".join(("weight", *self._CONSTANTS))
        raise FieldError(
            f"nothing says how parameter {name!r} begins; names end with one of {known}"
        )


class Bilinear(Initializer):
    """Weights by which a transposed convolution interpolates between pixels, bilinearly.

    Source:
        Relay ``testing.init.Bilinear``.

    Example:
        >>> weight = np.zeros((1, 1, 4, 4), "float32")
        >>> Bilinear()("up_weight", weight)
        >>> weight[0, 0, 1].tolist()
        [0.1875, 0.5625, 0.5625, 0.1875]
    """

    def init_weight(self, name: str, arr: Array) -> None:
        """Fill a weight of four axes, the last of which is the width of the kernel."""
        if arr.ndim != 4:
            raise FieldError(f"weight {name!r} must have four axes; found {arr.ndim}")
        height, width = arr.shape[2:]
        scale = np.ceil(width / 2)
        middle = (2 * scale - 1 - scale % 2) / (2 * scale)
        column, row = (1 - abs(np.arange(size) / scale - middle) for size in (width, height))
        arr[:] = row[:, np.newaxis] * column


class Xavier(Initializer):
    """Weights uniform in ±sqrt(magnitude / fan), where the fan counts what they connect.

    Args:
        rnd_type: ``uniform``, or ``gaussian`` of that standard deviation.
        factor_type: Which fan: ``in``, ``out``, or ``avg`` for the mean of the two.
        magnitude: See above.

    Source:
        Relay ``testing.init.Xavier``; Glorot and Bengio, 2010.

    Example:
        >>> weight = np.zeros((2, 4), "float32")
        >>> Xavier()("fc_weight", weight)
        >>> bool((abs(weight) <= 1).all() and weight.std() > 0.1)
        True
    """

    def __init__(
        self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3
    ) -> None:
        super().__init__()
        if rnd_type not in ("uniform", "gaussian"):
            raise FieldError(f"rnd_type is uniform or gaussian; found {rnd_type!r}")
        if factor_type not in ("avg", "in", "out"):
            raise FieldError(f"factor_type is avg, in or out; found {factor_type!r}")
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def init_weight(self, name: str, arr: Array) -> None:
        if arr.ndim < 2:
            raise FieldError(
                f"the weight {name!r} of shape {arr.shape} connects nothing; it needs 2 axes"
            )
        window = float(np.prod(arr.shape[2:]))
        fan_in, fan_out = arr.shape[1] * window, arr.shape[0] * window
        fans = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}
        # a depthwise kernel connects far less than its shape says
        factor = 9.0 if "depthwise" in name else fans[self.factor_type]
        scale = np.sqrt(self.magnitude / factor)
        if self.rnd_type == "uniform":
            arr[...] = self.rng.uniform(-scale, scale, arr.shape)
        else:
            arr[...] = self.rng.normal(0, scale, arr.shape)


class Constant(Initializer):
    """Weights that are all ``value``."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def init_weight(self, name: str, arr: Array) -> None:  # noqa: ARG002 - alike for all
        arr[...] = self.value


def create_workload(
    net: Function, initializer: Fill | None = None, seed: int = 0
) -> tuple[IRModule, Params]:
    """Return a module whose ``main`` is ``net``, with types inferred, and weights for it.

    Args:
        net: A network; its parameters are tensors of known sizes, at the latest after inference.
        initializer: Fills each array; by default :class:`Xavier`. One of this module starts from
            ``seed``.
        seed: The same seed gives the same weights.

    Returns:
        The module, and an array for each parameter but ``data``, by name.

    Raises:
        TypeInferenceError: If the network is ill-typed, or the size of a parameter unknown.

    Source:
        Relay ``testing.create_workload``.
    """
    fill = Xavier() if initializer is None else initializer
    if isinstance(fill, Initializer):
        fill.reseed(seed)
    mod = infer_type(IRModule.from_expr(net))
    main = mod["main"]
    assert isinstance(main, Function)
    params: Params = {}
    for param in main.params:
        if param.name_hint == "data":
            continue
        shape, dtype = _size(param)
        params[param.name_hint] = array = np.zeros(shape, numpy_dtype(dtype)).view(NDArray)
        fill(param.name_hint, array)
    return mod, params


def _size(param: Var) -> tuple[tuple[int, ...], str]:
    ty = param.checked_type
    if isinstance(ty, TensorType):
        sizes = tuple(size for size in ty.shape if isinstance(size, int))
        if len(sizes) == len(ty.shape):
            return sizes, ty.dtype
    raise TypeInferenceError(
        f"parameter %{param.name_hint} has the type {ty}; an array needs a tensor of known sizes"
    )
