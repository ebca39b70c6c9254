"""Natural numbers of the prelude, from Python's and back."""

from __future__ import annotations

from relayish.errors import EvaluationError
from relayish.interpreter import ConstructorValue
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Expr
from relayish.prelude import Prelude


def make_nat_expr(prelude: Prelude, n: int) -> Expr:
    """Return an expression whose value is the natural number ``n``.

    Raises:
        ValueError: If ``n`` is negative.

    Source:
        Relay ``testing.make_nat_expr``.
    """
    zero, succ = _constructors(prelude, n)
    made: Expr = Call(zero, ())
    for _ in range(n):
        made = Call(succ, (made,))
    return made


def make_nat_value(prelude: Prelude, n: int) -> ConstructorValue:
    """Return the value that evaluating :func:`make_nat_expr` yields.

    Raises:
        ValueError: If ``n`` is negative.

    Example:
        >>> p = Prelude()
        >>> count(p, make_nat_value(p, 3))
        3
    """
    zero, succ = _constructors(prelude, n)
    made = ConstructorValue(0, (), zero)
    for _ in range(n):
        made = ConstructorValue(1, (made,), succ)
    return made


def count(prelude: Prelude, n: object) -> int:
    """Return the natural number that ``n`` stands for, a value or an expression that builds it.

    Raises:
        EvaluationError: If it is something else.

    Complexity:
        Linear in the number; no recursion.

    Source:
        Relay ``testing.count``, which takes values.
    """
    zero, succ = _constructors(prelude, 0)
    found = 0
    while True:
        constructor, parts = _take_apart(n)
        if constructor is zero and not parts:
            return found
        if constructor is not succ or len(parts) != 1:
            raise EvaluationError(
                f"a natural number is built of zero and succ; found {n!r} after {found} succ"
            )
        (n,) = parts
        found += 1


def _take_apart(item: object) -> tuple[object, tuple[object, ...]]:
    """Return what built ``item``, and of what; ``None`` where it is nothing built."""
    if isinstance(item, ConstructorValue):
        return item.constructor, item.fields
    if isinstance(item, Call):
        return item.op, item.args
    return None, ()


def _constructors(prelude: Prelude, n: int) -> tuple[Constructor, Constructor]:
    if n < 0:
        raise ValueError(f"a natural number is not negative; found {n}")
    find = prelude.mod.get_constructor
    return find("nat", "zero"), find("nat", "succ")
