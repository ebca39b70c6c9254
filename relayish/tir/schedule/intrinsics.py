"""The table of tensor intrinsics: by name, which nest of loops each is, and what is run instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.errors import DeclarationError, UnknownNameError, suggest
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.numeric.precision import cast_to
from relayish.tir.interpreter.run import run
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import integer_of
from relayish.tir.ir.tensor import Buffer, Parameter, Var


class TensorIntrinsic(NamedTuple):
    """What ``tensorize`` puts in the place of a nest of loops.

    Attributes:
        name: What steps call it.
        description: A function whose body is the nest.
        implementation: A function of the same arguments that does the same.
    """

    name: str
    description: LoweredFunc
    implementation: LoweredFunc


_INTRINSICS: Final[ClaimedTable[str, TensorIntrinsic]] = ClaimedTable(
    lambda name: f"the tensor intrinsic {name!r}"
)


def register_tensor_intrinsic(
    name: str,
    description: LoweredFunc,
    implementation: LoweredFunc,
    *,
    rtol: float = 0.0,
    replace: bool = False,
) -> None:
    """Say by which statements ``tensorize`` replaces which nest of loops.

    Both are run on a few numbers, and have to leave the same.

    Args:
        name: What steps call it.
        description: A function of buffers, whose sizes are numbers, and of scalars.
        implementation: A function of the same arguments, with vectors, or calls of functions that
            :func:`~relayish.tir.register_extern` knows. Memory of its own becomes that of the
            function where it is put, and loops around share it; each run stores what it reads.
        rtol: How far floats may be apart that both leave, in proportion to them.
        replace: Take the place of whatever intrinsic there is.

    Raises:
        DeclarationError: If both differ in their arguments, or in what they leave.
        DuplicateNameError: If somebody else said so and ``replace`` is false.

    Source:
        TVM ``TensorIntrin.register``.
    """
    _check_arguments(name, description, implementation)
    for seed in range(3):
        one, other = [_left(func, seed) for func in (description, implementation)]
        for arg, a, b in zip(description.args, one, other, strict=True):
            if not _is_same(a, b, rtol):
                raise DeclarationError(
                    f"the implementation of the tensor intrinsic {name!r} leaves something else in "
                    f"{arg.name} than its description does, on the numbers of seed {seed}; "
                    f"expected the same{'' if rtol else ', or rtol= that says how far apart'}"
                )
    entry = TensorIntrinsic(name, description, implementation)
    _INTRINSICS.register(name, entry, replace=replace)


def find_tensor_intrinsic(name: str) -> TensorIntrinsic:
    """Return the tensor intrinsic called ``name``.

    Raises:
        UnknownNameError: If there is none.
    """
    found = _INTRINSICS.get(name)
    if found is None:
        raise UnknownNameError(
            f"no tensor intrinsic is called {name!r}{suggest(name, _INTRINSICS)}"
        )
    return found


def _check_arguments(name: str, description: LoweredFunc, implementation: LoweredFunc) -> None:
    one, other = [[_kind_of(arg) for arg in f.args] for f in (description, implementation)]
    if one != other:
        raise DeclarationError(
            f"the description of the tensor intrinsic {name!r} takes {one}, and its implementation "
            f"{other}; expected the same types and sizes, of buffers sizes that are numbers"
        )
    for temp in implementation.temp_bufs:
        _kind_of(temp)


def _kind_of(arg: Parameter) -> tuple[str, ...]:
    """Return what two arguments have in common where one may be given for the other."""
    sizes: Sequence[Any] = arg.shape if isinstance(arg, Buffer) else ()  # Any: sizes
    dtype = arg.dtype if isinstance(arg, (Buffer, Var)) else arg.type
    numbers = [integer_of(each) for each in sizes]
    if None in numbers:
        raise DeclarationError(f"buffer {arg.name} has a size that is no number; expected numbers")
    return (type(arg).__name__, str(dtype), *map(str, numbers))


def _left(func: LoweredFunc, seed: int) -> list[Any]:  # Any: arrays and numbers
    """Return what a function leaves of random arguments."""
    random = np.random.default_rng(seed)
    given: list[Any] = []  # Any: as above
    for arg in func.args:
        assert isinstance(arg, (Buffer, Var))
        shape = [integer_of(each) or 0 for each in arg.shape] if isinstance(arg, Buffer) else []
        values = random.integers(0, 2 if arg.dtype.is_bool else 64, shape)
        made = random.normal(size=shape) if arg.dtype.is_float else values
        given.append(cast_to(np.asarray(made), arg.dtype.numpy)[()])
    run(func, *given)
    return given


def _is_same(one: Any, other: Any, rtol: float) -> bool:  # Any: arrays and numbers
    a, b = np.asarray(one), np.asarray(other)
    if rtol and a.dtype.kind not in "iub":
        return bool(np.allclose(a.astype("float64"), b.astype("float64"), rtol=rtol, atol=rtol))
    return a.tobytes() == b.tobytes()
