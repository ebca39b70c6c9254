"""The interval of a linear form, from all that is known of sums of its terms together."""

from __future__ import annotations

from relayish.tir.analysis.context import Context
from relayish.tir.analysis.interval import Interval
from relayish.tir.analysis.linear_form import LinearForm, interval_of_form


def differ_by(form: LinearForm, context: Context) -> Interval:
    """Return an interval of the integers that ``form`` is, from all that is known of its terms."""
    return interval_of_form(form, context)
