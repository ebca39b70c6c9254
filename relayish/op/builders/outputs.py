"""Result counts of calls, by which they are indexed, counted and taken apart.

In Relay's Python interface ``split`` and its like return a ``TupleWrapper`` around the call. Here
the call itself can be indexed and iterated, and is what Relay's ``astuple()`` would give; there is
nothing to unwrap. :class:`TupleWrapper` serves scripts that wrap an expression themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from relayish.errors import FieldIndexError, OperatorError
from relayish.ir.relay.expr import Call, Expr, Op, Tuple, TupleGetItem
from relayish.ir.relay.type import TupleType
from relayish.op.builders.known_type import find_known_type
from relayish.op.declaration.properties import outputs


def output_count(call: Call) -> int:
    """Return how many results ``call`` has.

    Raises:
        OperatorError: If its result is no tuple, or nothing tells how many fields it has.
    """
    count = outputs.get(call.op)
    found = None if count is None else count(call.attrs, call.args)
    if found is not None:
        return found
    ty = find_known_type(call)
    if isinstance(ty, TupleType):
        return len(ty.fields)
    called = call.op.full_name if isinstance(call.op, Op) else "a function"
    raise OperatorError(
        f"a call of {called} cannot be indexed or iterated: it is not known to give several "
        f"results; use TupleGetItem(call, index) if it does"
    )


def check_index(index: int, count: int) -> int:
    """Return ``index`` counted from the front.

    Raises:
        FieldIndexError: If there is no such field.
    """
    if -count <= index < count:
        return index % count
    raise FieldIndexError(f"there is no result {index}; expected 0 to {count - 1}")


class _MeansSeveral(type):
    """Lets ``isinstance(call, TupleWrapper)`` hold for calls that Relay would have wrapped."""

    def __instancecheck__(cls, instance: object) -> bool:
        if isinstance(instance, Call):
            count = outputs.get(instance.op)
            return count is not None and count(instance.attrs, instance.args) is not None
        return super().__instancecheck__(instance)


class TupleWrapper(metaclass=_MeansSeveral):
    """An expression whose value is a tuple of ``size`` fields, indexed and iterated in Python.

    Builders such as ``split`` return calls, which can be indexed themselves;
    ``isinstance(call, TupleWrapper)`` holds for them, as it would in Relay.

    Example:
        >>> from relayish.ir.relay.expr import Var
        >>> pair = TupleWrapper(Var("pair"), 2)
        >>> [field.index for field in pair], pair.astuple()
        ([0, 1], Var(name_hint='pair', type_annotation=None, may_share=None, virtual_device=None))
    """

    __slots__ = ("size", "tuple_value")

    def __init__(self, tuple_value: Expr, size: int) -> None:
        self.tuple_value = tuple_value
        self.size = size

    def astuple(self) -> Expr:
        """Return the expression itself."""
        return self.tuple_value

    def __getitem__(self, index: int) -> Expr:
        at = check_index(index, self.size)
        whole = self.tuple_value
        return whole.fields[at] if isinstance(whole, Tuple) else TupleGetItem(whole, at)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Expr]:
        return (self[index] for index in range(self.size))

    def __repr__(self) -> str:
        return f"TupleWrapper({self.tuple_value!r}, {self.size})"
