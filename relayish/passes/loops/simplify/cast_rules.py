"""Casts: those that change nothing go, and one takes the place of two.

==============================  ===========================  =================
before                          where                        after
==============================  ===========================  =================
``int32(i)``                    ``i`` is of type ``int32``   ``i``
``int16(int64(i))``             everywhere                   ``int16(i)``
``int64(int16(i))``             ``i`` fits into ``int16``    ``int64(i)``
``int32(float32(b))``           ``b`` is of type ``int8``    ``int32(b)``
``float16(float64(x))``         ``x`` is of type ``float32`` ``float16(x)``
``int32(float32(i))``           ``i`` is of type ``int32``   stays: rounded
``float64(float16(x))``         ``x`` is of type ``float32`` stays: rounded
==============================  ===========================  =================

A cast of floats to integers stays, since it may fault.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import ml_dtypes

from relayish.dataflow.lattice.interval import Interval
from relayish.passes.loops.simplify.fold_rules import fold_broadcast_cast, fold_known
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir.operators import Cast, Expr
from relayish.tir.ir.type import Type
from relayish.tir.rewriting.facts import Facts


def drop_same_type(expr: Cast, _: Facts) -> Expr:
    """A cast to the type that a value has changes nothing."""
    return expr.v if expr.v.type == expr.type else expr


def merge_casts(expr: Cast, facts: Facts) -> Expr:
    """Cast once, where what the inner cast loses does not matter."""
    inner = expr.v
    if not isinstance(inner, Cast):
        return expr
    source, middle, target = inner.v.type, inner.type, expr.type
    if not (source.is_numeric and middle.is_numeric and target.is_numeric):
        return expr
    exact = _keeps_value(inner.v, middle, facts)
    if middle.is_float and not source.is_float and target.is_integer and not target.is_bool:
        # the outer cast must not fault, as the one that takes its place does not
        exact = exact and type_range(target).covers(facts.interval(inner.v))
    return Cast(target, inner.v) if exact or _keeps_low_bits(source, middle, target) else expr


def _keeps_value(expr: Expr, target: Type, facts: Facts) -> bool:
    """Return whether every value that ``expr`` may have is one of ``target`` as well."""
    source = expr.type
    if target.is_bool:
        return source.is_bool
    if source.is_float:
        return target.is_float and _is_wider(source, target)
    found = facts.interval(expr)
    if target.is_integer:
        return type_range(target).covers(found)
    most = 1 << _digits(target)
    return Interval(-most, most).covers(found)


def _keeps_low_bits(source: Type, middle: Type, target: Type) -> bool:
    """Return whether all bits that ``target`` has of an integer are kept in between."""
    if not (source.is_integer and middle.is_integer and target.is_integer):
        return False
    return not middle.is_bool and not target.is_bool and target.bits <= middle.bits


@lru_cache(maxsize=256)
def _digits(given: Type) -> int:
    """Return how many binary digits of integers a type of floats holds."""
    found = _limits(given)
    return min(int(found.nmant) + 1, int(found.maxexp) - 1)


@lru_cache(maxsize=256)
def _is_wider(source: Type, target: Type) -> bool:
    """Return whether a type of floats has all values of another, infinities included."""
    if source.element == target.element:
        return True
    if source.bits < 16:  # some of these have no infinities, or zeros of one sign
        return False
    inner, outer = _limits(source), _limits(target)
    return bool(
        inner.nmant <= outer.nmant
        and inner.maxexp <= outer.maxexp
        and inner.minexp - inner.nmant >= outer.minexp - outer.nmant
    )


def _limits(given: Type) -> Any:  # Any: what numpy, or ml_dtypes, says of a type
    return ml_dtypes.finfo(given.numpy)  # type: ignore[no-untyped-call]


CAST_RULES: Final = RuleSet.by_key(
    {
        Cast: (drop_same_type, fold_known, merge_casts, fold_broadcast_cast),
    }
)
