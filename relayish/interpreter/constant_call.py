"""Constant folding of one call: which operators are evaluated early on constants, and how."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.errors import EvaluationError
from relayish.interpreter.call import CallEvaluator, call_evaluator, result_size
from relayish.interpreter.value import Evaluated, count_elements
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.values.dtype import numpy_dtype
from relayish.ir.values.value import Opaque
from relayish.op.declaration import properties
from relayish.op.types.result_size import broadcasts

SIZE_LIMIT: Final = 1 << 20
"""Elements a folded tensor may have, unless what it is made of has as many."""

_NUMBERS: Final = (np.ndarray, np.generic)
_ELEMENTWISE: Final = (properties.OpPattern.ELEMWISE, properties.OpPattern.BROADCAST)


_TIMES: Final = 16
"""So many times the constants of a program the large results may have together."""


class Room:
    """How large what is folded may be: each result, and all large ones together.

    Results have ``size_limit`` elements, or as many as their operands together. But each of a chain
    of results may be twice as large as the last, so that those over the limit have no more together
    than some times what the constants of the program have.

    Args:
        size_limit: How many elements any result may have.
        find_held: Gives how many elements the constants of the program have; asked when there are
            large results.
    """

    def __init__(self, size_limit: int, find_held: Callable[[], float] = lambda: math.inf) -> None:
        self.size_limit = size_limit
        self._find_held = find_held
        self._taken = 0

    def of(self, values: Sequence[Any]) -> float:  # Any: values
        """Return how many elements a result of such operands may have."""
        given = sum(map(count_elements, values))
        if given <= self.size_limit:
            return self.size_limit
        left = _TIMES * (self.size_limit + self._find_held()) - self._taken
        return max(self.size_limit, min(given, left))

    def take(self, size: int) -> None:
        """Note that there is a result of so many elements."""
        if size > self.size_limit:
            self._taken += size


def count_constants(root: Expr) -> int:
    """Return how many elements the constants of a program have together."""
    nodes = EXPRESSIONS.pre_order(root)
    return sum([count_elements(each.data) for each in nodes if type(each) is Constant])


class CallFolding(NamedTuple):
    """What to do with the calls of one operator on constants.

    Attributes:
        evaluate: Its evaluation; ``None``: calls are left alone.
        keeps_scalars: Whether the result on scalars is one.
        shape_only: Whether the result depends on the shape of its argument alone.
        takes: The kinds of values it takes.
    """

    evaluate: CallEvaluator | None
    keeps_scalars: bool = False
    shape_only: bool = False
    takes: tuple[type, ...] = ()

    def fold(
        self, call: Call, values: Sequence[Any], room: Room, *, scalar: bool
    ) -> Evaluated | None:  # Any: values
        """Return the value of a call on constants.

        Args:
            call: The call.
            values: Those of its arguments.
            room: How many elements the result may have.
            scalar: Whether all of them are scalars, and so the result.

        Returns:
            ``None`` where it has none, or is better computed when the program runs.
        """
        assert self.evaluate is not None
        if not scalar and (self._strays(values) or _grows(call, values, room)):
            return None
        try:
            result = self.evaluate(call.attrs, values)
        except EvaluationError:
            return None  # the program may never come here; when it does, it will say so itself
        if isinstance(result, np.generic):
            return result
        if isinstance(result, Opaque):  # no constant holds it
            return None
        size = count_elements(result)
        if size > room.of(values):
            return None
        room.take(size)
        return result

    def _strays(self, values: Sequence[Any]) -> bool:  # Any: as above
        """Return whether some value is none for it: numpy would add strings and tuples too."""
        for value in values:
            if not isinstance(value, self.takes):
                return True
        return False


_LEAVE: Final = CallFolding(None)
_SHAPE: Final = CallFolding(None, shape_only=True)


def plan_of(op: Node, *, fold_qnn: bool = False) -> CallFolding:
    """Return what to do with calls of ``op``, an operator or whatever is called, on constants.

    What dequantises is left where ``fold_qnn`` is false: weights are stored small.
    """
    if type(op) is not Op or op in properties.stateful or op in properties.random:
        return _LEAVE
    if op in properties.shape_only:
        return _SHAPE
    only_marks = op in properties.non_computational
    if only_marks and not (fold_qnn and op in properties.quantized):
        return _LEAVE
    if op not in properties.evaluate or (op in properties.dequantizes and not fold_qnn):
        return _LEAVE
    return CallFolding(
        call_evaluator(op),
        keeps_scalars=broadcasts(op),
        takes=_NUMBERS if properties.pattern.get(op) in _ELEMENTWISE else (*_NUMBERS, tuple),
    )


def shape_result(call: Call, shape: tuple[int, ...]) -> Evaluated | None:
    """Return the value of a call that depends on the shape of its argument alone."""
    compute = properties.shape_only.get(call.op)
    if compute is None:
        return None
    dtype = call.attrs.get("dtype", "int32") if call.attrs is not None else "int32"
    return np.asarray(compute(shape)).astype(numpy_dtype(str(dtype or "int32")))


def _grows(call: Call, values: Sequence[Any], room: Room) -> bool:  # Any: as above
    """Return whether the result would be so large that it had better be computed later."""
    op = call.op
    assert type(op) is Op
    try:
        size = result_size(op, call.attrs, values)
    except EvaluationError:  # an ill-typed call, or one without a value
        return True  # when the program comes there, it will say so itself
    return size > room.of(values)
