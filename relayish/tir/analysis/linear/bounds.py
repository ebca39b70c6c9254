"""The interval of an expression: by rules for its operators, and by its linear form."""

from __future__ import annotations

from relayish.dataflow.lattice.interval import Interval
from relayish.errors import OperatorError
from relayish.ir.kinds.one_line import one_line_at
from relayish.tir.analysis.linear.linear_form import exact_form, interval_of_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import FloatInterval
from relayish.tir.analysis.values.interval_rules import interval_by_rules
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var


def interval_of(expr: Expr, context: Context | None = None) -> Interval:
    """Return an interval of all values of ``expr``, an integer or truth value, or vector of these.

    It is sound, and not always the smallest. Wrap-around is respected: what may overflow may be
    anything of its type, unless its linear form tells more. A load may be anything of its type.

    Args:
        expr: What is evaluated without an error; where it is one, it has no value.
        context: What is known where it is evaluated; by default the bounds of its variables.

    Raises:
        OperatorError: If ``expr`` is of another type.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> from relayish import tir
        >>> i = tir.Var("i")
        >>> known = Context().with_range(i, Interval(0, 15))
        >>> interval_of(i * 4 + 3 - i, known), interval_of(tir.Mod(i, tir.const(4)), known)
        (Interval(low=3, high=48), Interval(low=0, high=3))
    """
    context = Context() if context is None else context
    if not expr.type.is_integer:
        raise OperatorError(
            f"{one_line_at(expr)} is of type {expr.type}; expected integers or truth values: of "
            f"floats ask float_interval_of"
        )
    found = interval_by_rules(expr, context)
    assert isinstance(found, Interval)
    if found.is_point or expr.type.is_bool or type(expr) is Var:  # its form says no more
        return found
    exact = exact_form(expr, context)
    if exact is None:
        return found
    return found.meet(interval_of_form(exact, context)) or found


def float_interval_of(expr: Expr, context: Context | None = None) -> FloatInterval:
    """Return an interval of all values of ``expr``, a float or vector of floats, NaN included.

    Raises:
        OperatorError: If ``expr`` is of another type.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    found = interval_by_rules(expr, Context() if context is None else context)
    if not isinstance(found, FloatInterval):
        raise OperatorError(f"{one_line_at(expr)} is of type {expr.type}; expected floats")
    return found
