"""Operator overloading: what ``x + y``, ``2 * x``, ``-x`` and ``x < y`` build of expressions.

Of sizes, ``n + 1`` and the like are what :mod:`~relayish.op.types.dimension` computes.

``x + y`` is a call of ``add``, and so on. A number beside an expression becomes a constant: of the
element type of the expression where that can be told while it is being built (an annotated
variable, a constant, a call whose type rule says it), else of the default width of ``const``:
``int32``, ``float32``, ``bool``. A number that the element type cannot hold is refused rather than
bent: ``i + 0.5`` with ``i`` of ``int32`` asks for ``i.astype("float32") + 0.5``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from relayish._support import hooks
from relayish.errors import OperatorError
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Constant, Expr, Op, TupleGetItem
from relayish.ir.relay.type import TensorType, TupleType
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.builders.call import call_op, relay_call
from relayish.op.builders.known_type import find_known_type
from relayish.op.builders.outputs import check_index, output_count
from relayish.op.declaration.registry import get_op, list_ops, relay_op
from relayish.op.types import dimension

_BINARY: Final = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
)
_LEVEL: Final = {"b": 0, "i": 1, "u": 1, "f": 2}
"""Which numbers hold which: those of a higher level hold those of the lower ones."""


# Any: what a binary method of Python returns where it does not know the operand has no better type
def _binary(name: str) -> Callable[[object, object], Any]:
    op = relay_op(name)

    def build(left: object, right: object) -> Any:  # Any: as above
        lhs = left if isinstance(left, Expr) else _constant(name, left, right)
        rhs = right if isinstance(right, Expr) else _constant(name, right, left)
        return NotImplemented if lhs is None or rhs is None else Call(op, (lhs, rhs))

    return build


def _constant(name: str, value: object, beside: object) -> Constant | None:
    """Return what ``value`` stands for beside an expression, ``None`` if it is no number."""
    assert isinstance(beside, Expr)
    if isinstance(value, np.ndarray):
        raise OperatorError(
            f"an array stands beside an expression in {name}; "
            f"say which element type it is to have: const(array, dtype)"
        )
    if not isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
        return None
    number = value.item() if isinstance(value, np.generic) else value
    ty = find_known_type(beside)
    if not isinstance(ty, TensorType):
        return const(number)
    if not _fits(number, ty.dtype):
        raise OperatorError(
            f"{number!r} stands beside an expression of {ty.dtype} in {name}, which cannot hold "
            f"it; convert the expression, as in x.astype('float32'), or write "
            f"const({number!r}, dtype)"
        )
    dtype = numpy_dtype(ty.dtype)
    if dtype.kind in "iu" and not _is_held(number, np.iinfo(dtype.name)):
        return const(number, ty.dtype)  # says what does not fit, and what to do
    try:
        return Constant(dtype.type(number))
    except OverflowError:
        return const(number, ty.dtype)


def _is_held(number: float, bounds: np.iinfo[Any]) -> bool:  # Any: of every integer type
    return bool(bounds.min <= number <= bounds.max)


def _fits(number: float, dtype: str) -> bool:
    kind = numpy_dtype(dtype).kind
    # the element types of ml_dtypes, of kind "V" or "f", are floating or small integers
    level = _LEVEL.get(kind, 1 if "int" in dtype else 2)
    return _LEVEL[np.asarray(number).dtype.kind] <= level


def _negate(data: Expr) -> Call:
    return Call(_NEGATIVE, (data,))


def _cast(data: Expr, dtype: str) -> Call:
    return relay_call("cast", data, dtype=dtype)


class _Fields(Sequence[TupleGetItem]):
    """The results of a call, each a projection made when asked for."""

    __slots__ = ("_call", "_count")

    def __init__(self, call: Call) -> None:
        self._call = call
        self._count = output_count(call)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> TupleGetItem:  # type: ignore[override]  # no slices
        at, whole = check_index(index, self._count), self._call.checked_type
        ty = whole.fields[at] if isinstance(whole, TupleType) else None
        return TupleGetItem(self._call, at, checked_type=ty)


def _refuse_truth(call: Call) -> NoReturn:
    assert isinstance(call.op, Op)
    raise OperatorError(
        f"{call.op.full_name} of expressions is an expression: "
        f"whether it holds is known only when the program runs; use If(cond, a, b) or where"
    )


_NEGATIVE: Final = relay_op("negative")

hooks.functions.update({name: _binary(name) for name in _BINARY})
hooks.functions.update(
    size_add=dimension.add,
    size_subtract=dimension.subtract,
    size_multiply=dimension.multiply,
    size_floor_divide=dimension.floor_divide,
    size_floor_mod=dimension.floor_mod,
)
hooks.functions.update(
    negative=_negate,
    cast=_cast,
    call=call_op,
    get=get_op,
    list_ops=list_ops,
    fields=_Fields,
    refuse_truth=_refuse_truth,
)
