"""Constants: which values of a Relay program are known while compiling.

Abstract evaluation: operators are evaluated by numpy where all of their operands are known, to the
limits that constant folding has.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from operator import is_
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from relayish.analysis.static_shape import StaticShapes
from relayish.dataflow import REFINEMENTS, SparseAnalysis, register_analysis
from relayish.dataflow.lattice import BOTTOM, TOP, Lattice, same_value
from relayish.dataflow.lattice.symbols import Extreme
from relayish.interpreter.constant_call import SIZE_LIMIT, Room, plan_of, shape_result
from relayish.interpreter.value import Evaluated, count_elements
from relayish.interpreter.value import same_value as is_same_result
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Op, Tuple
from relayish.op.declaration.registry import relay_op

MAX_FIELDS: Final = 1 << 8
"""How many leaves, and tuples among them, a tuple has at most whose fields are told one by one."""


class Fields(NamedTuple):
    """The fields of a tuple, each a constant or not.

    Attributes:
        items: The abstract value of each.
        leaves: How many there are below them, with all tuples.
    """

    items: tuple[Any, ...]  # Any: abstract values
    leaves: int


AbstractValue: TypeAlias = "Extreme | Fields | np.ndarray[Any, Any] | np.generic | str"
"""A number, an array or a string that is known; the fields of a tuple; or an extreme."""


class ConstantLattice(Lattice[AbstractValue]):
    """The flat lattice of constants, in which tuples are told field by field.

    Constants are compared by element type, shape and bits.

    Example:
        >>> constants = ConstantLattice()
        >>> one, two = abstract((np.int32(1), np.int32(2))), abstract((np.int32(1), np.int32(3)))
        >>> constants.join(one, two)
        Fields(items=(np.int32(1), TOP), leaves=3)
    """

    bottom = BOTTOM
    top = TOP
    finite_height = True

    def join(self, a: AbstractValue, b: AbstractValue) -> AbstractValue:
        if a is b or b is BOTTOM or a is TOP:
            return a
        if a is BOTTOM or b is TOP:
            return b
        if type(a) is Fields and type(b) is Fields:
            return self._fieldwise(self.join, a, b) if len(a.items) == len(b.items) else TOP
        return a if _is_same(a, b) else TOP

    def meet(self, a: AbstractValue, b: AbstractValue) -> AbstractValue:
        if a is b or b is TOP or a is BOTTOM:
            return a
        if a is TOP or b is BOTTOM:
            return b
        if type(a) is Fields and type(b) is Fields and len(a.items) == len(b.items):
            met = self._fieldwise(self.meet, a, b)
            return BOTTOM if any(item is BOTTOM for item in met.items) else met
        return a if _is_same(a, b) else BOTTOM

    def equal(self, a: AbstractValue, b: AbstractValue) -> bool:
        if a is b:
            return True
        if type(a) is Fields and type(b) is Fields:
            return len(a.items) == len(b.items) and all(map(self.equal, a.items, b.items))
        return _is_same(a, b)

    def leq(self, a: AbstractValue, b: AbstractValue) -> bool:
        return self.equal(self.join(b, a), b)

    def _fieldwise(
        self, combine: Callable[[Any, Any], Any], a: Fields, b: Fields
    ) -> Fields:  # Any: abstract values
        items = tuple(map(combine, a.items, b.items))
        if all(map(is_, items, a.items)):
            return a
        return Fields(items, a.leaves)


def _is_same(a: object, b: object) -> bool:
    return isinstance(a, _LEAVES) and isinstance(b, _LEAVES) and same_value(a, b)


def abstract(value: Evaluated, room: int = MAX_FIELDS) -> AbstractValue:
    """Return the abstract value of a value that is known."""
    if not isinstance(value, tuple):
        return value if isinstance(value, _LEAVES) else TOP
    if len(value) >= room:
        return TOP
    return of_fields([abstract(item, room - 1) for item in value])


def of_fields(items: Sequence[AbstractValue]) -> AbstractValue:
    """Return the abstract value of a tuple; where there would be too many leaves, it is unknown."""
    leaves = 1 + sum([each.leaves if type(each) is Fields else 1 for each in items])
    return Fields(tuple(items), leaves) if leaves <= MAX_FIELDS else TOP


_LEAVES: Final = (np.ndarray, np.generic, str)


def concrete(value: AbstractValue) -> Evaluated | None:
    """Return the one value that an abstract value stands for; ``None`` if it may be several."""
    if isinstance(value, Extreme):
        return None
    if type(value) is not Fields:
        return value
    found = tuple(map(concrete, value.items))
    return None if any(item is None for item in found) else found


def describes(value: AbstractValue, found: Evaluated) -> bool:
    """Return whether a value that evaluation gave is one that an abstract value stands for."""
    if value is TOP:
        return True
    if type(value) is Fields:
        same_length = isinstance(found, tuple) and len(found) == len(value.items)
        return same_length and all(map(describes, value.items, found))
    return value is not BOTTOM and is_same_result(value, found)


@register_analysis()
class Constants(SparseAnalysis[AbstractValue]):
    """Constant propagation: the value of each expression that has one value whenever it is run.

    Branches whose condition is known are not reached, and what they compute does not count, so this
    is sparse conditional constant propagation. In a branch on ``x == 3``, ``x`` is 3.

    Args:
        fold_qnn: Evaluate operators of the ``qnn`` dialect too.
        size_limit: How many elements a value may have that an operator gives, unless its operands
            have as many together.
        interprocedural: Whether parameters have the values that all calls hand over, and calls
            those that functions return.
        strict: As of all sparse analyses.

    Source:
        Wegman and Zadeck, Constant propagation with conditional branches, 1991.

    Example:
        >>> import relayish as relay
        >>> from relayish.dataflow import solve
        >>> x, y = relay.var("x"), relay.var("y")
        >>> two, three = relay.const(2), relay.const(3)
        >>> value = relay.If(relay.op.equal(x, relay.const(1)), two, three)
        >>> [constants] = solve([Constants()], relay.Let(x, relay.const(1), relay.Let(y, value, y)))
        >>> constants.value(y)
        np.int32(2)
    """

    values = ConstantLattice()
    operators = (Op,)

    def __init__(
        self,
        *,
        fold_qnn: bool = False,
        size_limit: int = SIZE_LIMIT,
        interprocedural: bool = False,
        strict: bool = False,
    ) -> None:
        super().__init__(strict=strict)
        self.fold_qnn, self.size_limit = fold_qnn, size_limit
        self.interprocedural = interprocedural
        self._held = 0  # elements of the constants met
        self._room = Room(size_limit, lambda: self._held)
        self._shapes = StaticShapes()

    def running(self) -> AbstractContextManager[object]:
        """Let operators divide by zero and overflow in silence: these are values, not faults."""
        return np.errstate(all="ignore")

    def literal(self, node: Node) -> AbstractValue:
        if type(node) is not Constant:
            return TOP
        self._held += count_elements(node.data)
        return abstract(node.data)

    def created(self, node: Node, parts: Mapping[Hashable, AbstractValue]) -> AbstractValue:
        return of_fields(list(parts.values())) if type(node) is Tuple else TOP

    def part(self, value: AbstractValue, key: Hashable) -> AbstractValue:
        if type(value) is Fields and isinstance(key, int) and 0 <= key < len(value.items):
            found: AbstractValue = value.items[key]
            return found
        return TOP

    def truth(self, value: AbstractValue) -> bool | None:
        return bool(value) if isinstance(value, np.bool_) else None

    def of_truth(self, truth: bool) -> AbstractValue:
        return np.bool_(truth)

    def operator_transfer(self, operator: Node) -> Callable[..., AbstractValue] | None:
        """Return what evaluates an operator by numpy."""
        plan = plan_of(operator, fold_qnn=self.fold_qnn)
        if plan.shape_only:
            return self._shape_of
        if plan.evaluate is None:
            return None
        room = self._room

        def evaluate(call: Call, *given: AbstractValue) -> AbstractValue:
            scalar = plan.keeps_scalars
            values: list[Any] = []  # Any: values
            for each in given:
                if each is TOP:
                    return TOP
                value: Any = each  # Any: as above
                if not isinstance(each, np.generic):
                    scalar = False
                    value = concrete(each)
                    if value is None:
                        return TOP
                values.append(value)
            if not values:
                return TOP  # what makes a value of nothing is left to run
            found = plan.fold(call, values, room, scalar=scalar)
            return TOP if found is None else abstract(found)

        return evaluate

    def _shape_of(self, call: Call, *_given: AbstractValue) -> AbstractValue:
        shape = self._shapes.of(call.args[0]) if call.args else None
        found = None if shape is None else shape_result(call, shape)
        return TOP if found is None else abstract(found)


@REFINEMENTS.register(Constants, relay_op("equal"))
def _learn_from_equal(
    call: Call, truth: bool, a: AbstractValue, b: AbstractValue
) -> Iterator[tuple[Node, AbstractValue]]:
    """Yield what follows where two scalars are equal, or are not."""
    for known, other in ((a, call.args[1]), (b, call.args[0])):
        if isinstance(known, np.bool_):
            yield other, known if truth else ~known
        elif truth and isinstance(known, np.generic) and _equals_itself_alone(known):
            yield other, known


@REFINEMENTS.register(Constants, relay_op("not_equal"))
def _learn_from_not_equal(
    call: Call, truth: bool, a: AbstractValue, b: AbstractValue
) -> Iterator[tuple[Node, AbstractValue]]:
    return _learn_from_equal(call, not truth, a, b)


@REFINEMENTS.register(Constants, relay_op("logical_not"))
def _learn_from_not(
    call: Call, truth: bool, _: AbstractValue
) -> Iterator[tuple[Node, AbstractValue]]:
    yield call.args[0], np.bool_(not truth)


@REFINEMENTS.register(Constants, relay_op("logical_and"))
def _learn_from_and(
    call: Call, truth: bool, *_: AbstractValue
) -> Iterator[tuple[Node, AbstractValue]]:
    if truth:
        yield from [(arg, np.bool_(True)) for arg in call.args]


@REFINEMENTS.register(Constants, relay_op("logical_or"))
def _learn_from_or(
    call: Call, truth: bool, *_: AbstractValue
) -> Iterator[tuple[Node, AbstractValue]]:
    if not truth:
        yield from [(arg, np.bool_(False)) for arg in call.args]


def _equals_itself_alone(value: np.generic) -> bool:
    """Return whether what is equal to a scalar has its bits, unlike zeros of two signs."""
    return value.dtype.kind in "iu" or bool(value != 0)
