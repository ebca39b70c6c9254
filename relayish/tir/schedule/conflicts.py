"""Conflicts: iterations of two accesses of one element that a step would put in another order."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.tir.analysis.dependence.accesses import Access
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.stmt import For
from relayish.tir.schedule.questions import Found, Question
from relayish.tir.verifier.dependences import quote


def show_conflict(
    source: Access,
    sink: Access,
    context: Context,
    *,
    first: For | None = None,
    reach: int | None = None,
    last: Sequence[For] = (),
    is_turned: bool = False,
) -> str:
    """Return which of two accesses has to come after which, as messages tell it.

    Args:
        source: An access.
        sink: Another one of the same program, or the same.
        context: What is known outside.
        first: A loop in an earlier iteration of which the source is to be.
        reach: How much earlier at most; ``None``: any.
        last: Loops in some order, in a later iteration of which it is to be.
        is_turned: Whether the program is what would be made: the source has to come after the sink.

    Returns:
        Which has to come after which; without iterations where none are found.
    """
    question = Question(context)
    one, other = question.execute(source), question.execute(sink)
    question.demand_same_element(one, other)
    question.demand_before(one, other)
    if first is not None:
        earlier, later = [dict(each.loops)[first] for each in (one, other)]
        question.demand_less(earlier, later)
        if reach is not None:
            question.demand_less(later, earlier.shifted(reach + 1))
    if last:
        question.demand_before_in(other, one, last)
    found = question.answer(one, other) or Found(("", ""), is_exact=False)
    if is_turned:
        return in_order(sink, source, found._replace(iterations=found.iterations[::-1]))
    return in_order(source, sink, found)


def in_order(source: Access, sink: Access, found: Found) -> str:
    """Return in which order two accesses have to be made, of which iterations were found."""
    one, other = found.when()
    sure = "" if found.is_exact else " (it is not known that it need not)"
    return f"{quote(sink.node)}{other} has to come after {quote(source.node)}{one}{sure}"
