"""Values: numpy scalars and arrays, tuples, closures, references, built data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from relayish._support.display import repr_mimebundle
from relayish._support.graph import walk_tree
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Constant
from relayish.ir.values.value import Opaque, as_value

Evaluated: TypeAlias = Any  # Any: numpy values, tuples of values, str, None and the classes below
"""A numpy scalar (rank 0), a read-only array, a tuple of values, a :class:`Closure`, a
:class:`RefValue`, a :class:`ConstructorValue`, an :class:`~relayish.ir.values.value.Opaque`; also
an ``Op`` or ``Constructor`` used as a value.
"""

SCALARS: Final = frozenset(
    {np.bool_, np.float32, np.float64, np.float16, np.int8, np.int16, np.int32, np.int64}
    | {np.uint8, np.uint16, np.uint32, np.uint64}
)
"""The classes of results that are values as they are, told sooner than by :func:`normalise`."""


class RefValue:
    """A mutable cell; two are the same only if they are the same object."""

    __slots__ = ("__weakref__", "value")

    _repr_mimebundle_ = repr_mimebundle

    def __init__(self, value: Evaluated) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"RefValue(<{type(self.value).__name__}>)"


class ConstructorValue:
    """A value of an algebraic data type: what ``constructor`` built from ``fields``.

    ``tag`` is that of the constructor, or -1 where no module defines it.
    """

    __slots__ = ("__weakref__", "constructor", "fields", "tag")

    _repr_mimebundle_ = repr_mimebundle

    def __init__(self, tag: int, fields: Sequence[Evaluated], constructor: Constructor) -> None:
        self.tag = tag
        self.fields = tuple(fields)
        self.constructor = constructor

    def __repr__(self) -> str:
        shown = ", ".join(f"<{type(item).__name__}>" for item in self.fields)
        return f"ConstructorValue({self.constructor.name_hint}, fields=({shown}))"


def normalise(result: object) -> Evaluated:
    """Return what an operator computed in the form values have.

    An array of rank 0 becomes a scalar; other arrays are made read-only in place, views of
    read-only arrays stay views. Python numbers take Relay's default widths.

    Raises:
        TypeError: If ``result`` is no number, array, or tuple of these.
    """
    return map_leaves(result, _normalise_leaf)


def _normalise_leaf(result: object) -> Evaluated:
    if not isinstance(result, np.ndarray):
        return result if isinstance(result, _RUNTIME) else as_value(result)
    if result.ndim == 0 or result.dtype.kind in "OSUM":
        return as_value(result)
    result.flags.writeable = False
    return result


def as_argument(value: object) -> Evaluated:
    """Return what a caller passed to a program in the form values have.

    Arrays somebody else could write to are copied; constants stand for what they hold.

    Raises:
        TypeError: If a part of ``value`` cannot be a value.
    """
    return map_leaves(value, _argument_leaf)


def _argument_leaf(value: object) -> Evaluated:
    if isinstance(value, Constant):
        return value.data
    return value if isinstance(value, _RUNTIME) else as_value(value)


def map_leaves(value: object, convert: Callable[[object], Evaluated]) -> Evaluated:
    """Apply ``convert`` to the leaves of nested tuples and lists, on an explicit stack."""
    if not isinstance(value, (tuple, list)):
        return convert(value)
    pending: list[tuple[bool, Any]] = [(False, value)]  # Any: a value, or the size of a tuple
    done: list[Evaluated] = []
    while pending:
        finished, item = pending.pop()
        if finished:
            start = len(done) - item
            done[start:] = [tuple(done[start:])]
        elif isinstance(item, (tuple, list)):
            pending.append((True, len(item)))
            pending.extend((False, part) for part in reversed(item))
        else:
            done.append(convert(item))
    return done[0]


def leaves(value: Evaluated) -> list[Evaluated]:
    """Return what is no tuple in nested tuples, in order."""
    parts = walk_tree(value, lambda part: part if isinstance(part, tuple) else ())
    return [part for part in parts if not isinstance(part, tuple)]


def count_elements(value: Evaluated) -> int:
    """Return how many elements there are in a value; what is no tensor counts as one."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.size
    return sum([getattr(part, "size", 1) for part in leaves(value)])


def same_value(left: Evaluated, right: Evaluated) -> bool:
    """Return whether two results of evaluation are the same.

    Numbers are compared by element type, shape and bits, except that every NaN equals every
    other; references by what they hold; data by constructor and fields; closures by identity.

    Complexity:
        Linear in the size of the values as graphs; cyclic references are welcome.

    Example:
        >>> same_value((np.float32("nan"), np.float32(0.0)), (np.float32("nan"), np.float32(0.0)))
        True
        >>> same_value(np.float32(0.0), np.float32(-0.0))
        False
    """
    pending = [(left, right)]
    met: set[tuple[int, int]] = set()
    while pending:
        one, other = pending.pop()
        if one is other:
            continue
        if type(one) is not type(other):
            return False
        parts = _PARTS.get(type(one))
        if parts is None:
            if not _is_same_leaf(one, other):
                return False
            continue
        key = (id(one), id(other))
        if key in met:
            continue
        met.add(key)
        if type(one) is ConstructorValue and one.constructor is not other.constructor:
            return False
        ones, others = parts(one), parts(other)
        if len(ones) != len(others):
            return False
        pending.extend(zip(ones, others, strict=True))
    return True


_PARTS: Final[dict[type, Callable[[Any], tuple[Evaluated, ...]]]] = {  # Any: one kind of value
    tuple: lambda value: value,
    RefValue: lambda value: (value.value,),
    ConstructorValue: lambda value: value.fields,
}


def _is_same_leaf(one: object, other: object) -> bool:
    if not isinstance(one, (np.ndarray, np.generic)):
        return isinstance(one, str) and one == other
    assert isinstance(other, (np.ndarray, np.generic))
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind == "O":
        return bool(one.tolist() == other.tolist())
    left, right = np.ascontiguousarray(one).reshape(-1), np.ascontiguousarray(other).reshape(-1)
    if left.tobytes() == right.tobytes():
        return True
    width = left.dtype.itemsize
    differs = (left.view(np.uint8) != right.view(np.uint8)).reshape(-1, width).any(axis=1)
    unequal_left, unequal_right = left[differs], right[differs]
    # only a NaN differs from itself; this holds for ml_dtypes' element types as well
    both_nan = (unequal_left != unequal_left) & (unequal_right != unequal_right)  # noqa: PLR0124
    return bool(np.all(both_nan))


class Closure:
    """A function together with the activation in which it was evaluated.

    It may be called from Python with values; see :func:`relayish.interpreter.evaluate`.
    """

    __slots__ = ("__weakref__", "code", "frame", "machine")

    _repr_mimebundle_ = repr_mimebundle

    # Any: the compiled code, its parent activation and its machine stand in layers above this file
    def __init__(self, code: Any, frame: list[Any] | None, machine: Any) -> None:
        self.code = code
        self.frame = frame
        self.machine = machine

    @property
    def function(self) -> Any:  # Any: a Function; kept untyped as code is
        """The function this is a closure of."""
        return self.code.function

    def __call__(self, *args: object, **named: object) -> Evaluated:
        """Return the value of the function on ``args``, with ``named`` by parameter name."""
        return self.machine.apply(self, args, named)

    def __repr__(self) -> str:
        params = ", ".join(p.name_hint for p in self.function.params)
        return f"Closure(fn ({params}))"


_RUNTIME: Final = (Closure, RefValue, ConstructorValue, Opaque)


def describe(value: object) -> str:
    """Return what ``value`` is, for a message."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} {value.dtype}"
    if isinstance(value, np.generic):
        return f"the scalar {value!r}"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    return repr(value)
