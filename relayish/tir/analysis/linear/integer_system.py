"""The Omega test: whether linear equations and inequalities have a solution in integers.

Exact: equations are solved by changes of variables that keep integers, then
variables are projected out of the inequalities (Fourier-Motzkin), where that is exact, else between
the real and the dark shadow, with the splinters that are in neither.

Source:
    W. Pugh, The Omega Test: a fast and practical integer programming algorithm for dependence
    analysis (1991).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish.tir.analysis.linear.affine import Affine

Row: TypeAlias = Affine[int]
"""A sum of variables, which are numbers."""


MOST_WORK: Final = 200_000
"""How many inequalities are made before a system counts as too hard; most take hundreds."""

_LEAST_WORK: Final = 2_000

_MOST_VALUES: Final = 64
"""How many values a variable may have, to be tried one by one."""


class System(NamedTuple):
    """Equations ``each == 0`` and inequalities ``each >= 0``, which all hold."""

    equations: Sequence[Row] = ()
    inequalities: Sequence[Row] = ()

    def having(self, equations: Iterable[Row] = (), inequalities: Iterable[Row] = ()) -> System:
        """Return the system in which some more hold."""
        return System([*self.equations, *equations], [*self.inequalities, *inequalities])


class _TooHardError(Exception):
    """What is left of a system takes more work than it is worth."""


def is_feasible(system: System, most_work: int = MOST_WORK) -> bool | None:
    """Return whether some integers satisfy ``system``; ``None`` if that takes too long to tell.

    Args:
        system: The system.
        most_work: How many inequalities are made before it counts as too hard.

    Complexity:
        Exponential in the number of variables at worst, and cut off; on systems of dependences,
        with small coefficients, mostly quadratic. Recursion is bounded by the number of variables
        that have no coefficient of 1.

    Example:
        >>> x = Affine(0, {0: 1})
        >>> is_feasible(System([x.times(2).shifted(-3)]))
        False
        >>> is_feasible(System((), [x, Affine(3, {0: -2})]))
        True
    """
    try:
        return _is_feasible(system, [most_work])
    except _TooHardError:
        return None


class Patience:
    """What is spent on the systems of one subject: less after each that was too hard.

    Where one is, the others mostly are, and each would cost as much.
    """

    __slots__ = ("_work",)

    def __init__(self) -> None:
        self._work = MOST_WORK

    def is_feasible(self, system: System) -> bool | None:
        """Return what :func:`is_feasible` does, if it can be told with what is left."""
        found = is_feasible(system, self._work)
        if found is None:
            self._work = max(self._work // 4, _LEAST_WORK)
        return found


def solve_equations(system: System, wanted: Sequence[Row] = ()) -> tuple[System, list[Row]] | None:
    """Return a system of inequalities alone that has solutions where ``system`` has.

    Args:
        system: The system.
        wanted: Sums of its variables.

    Returns:
        The inequalities, in other variables, and ``wanted`` in these; ``None`` where the equations
        have no solution.
    """
    equations = list(system.equations)
    inequalities, images = list(system.inequalities), list(wanted)
    while equations:
        equation = equations.pop()
        if not equation.terms:
            if equation.constant:
                return None
            continue
        divisor = math.gcd(*equation.terms.values())
        if equation.constant % divisor:
            return None
        var = min(equation.terms, key=lambda each: abs(equation.terms[each]))
        least = equation.terms[var]
        if abs(least) == divisor:  # it is a sum of the others
            terms = {v: -c // least for v, c in equation.terms.items() if v != var}
            image = Affine(-equation.constant // least, terms)
        else:  # another variable in its place, such that the other coefficients become small
            terms = {v: -_nearest(c, least) for v, c in equation.terms.items() if v != var}
            image = Affine(0, {v: c for v, c in terms.items() if c} | {var: 1})
            equations.append(equation)
        equations = [each.replacing(var, image) for each in equations]
        inequalities = [each.replacing(var, image) for each in inequalities]
        images = [each.replacing(var, image) for each in images]
    return System((), inequalities), images


def _nearest(a: int, b: int) -> int:
    """Return the integer nearest to ``a / b``."""
    return (2 * a + b) // (2 * b)


def _is_feasible(system: System, work: list[int]) -> bool:
    while True:
        if system.equations:
            solved = solve_equations(system)
            if solved is None:
                return False
            system = solved[0]
        tight = _tighten(system.inequalities, work)
        if tight is None:
            return False
        if tight.equations:
            system = tight
            continue
        rows = _without_unbounded(tight.inequalities)
        if not rows:
            return True
        var, exact = _choose(rows)
        lower = [row for row in rows if row.terms.get(var, 0) > 0]
        upper = [row for row in rows if row.terms.get(var, 0) < 0]
        rest = [row for row in rows if var not in row.terms]
        if exact:
            system = System((), rest + _shadow(var, lower, upper, work))
            continue
        dark = rest + _shadow(var, lower, upper, work, is_dark=True)
        if _is_feasible(System((), dark), work):
            return True
        real = rest + _shadow(var, lower, upper, work)
        if not _is_feasible(System((), real), work):
            return False
        return _splinters(var, rows, lower, upper, work)


def _tighten(rows: Sequence[Row], work: list[int]) -> System | None:
    """Return inequalities divided by common divisors, the strongest of each direction.

    Two of opposite directions that leave one value become an equation, those that leave none,
    ``None``.
    """
    work[0] -= len(rows)
    if work[0] < 0:
        raise _TooHardError
    strongest: dict[frozenset[tuple[int, int]], int] = {}
    kept: dict[frozenset[tuple[int, int]], Mapping[int, int]] = {}
    for constant, terms in rows:
        if not terms:
            if constant < 0:
                return None
            continue
        divisor = math.gcd(*terms.values())
        if divisor > 1:
            constant //= divisor  # noqa: PLW2901 - of integers, it may be rounded
            terms = {var: value // divisor for var, value in terms.items()}  # noqa: PLW2901
        key = frozenset(terms.items())
        before = strongest.get(key)
        if before is None or constant < before:
            strongest[key], kept[key] = constant, terms
    equations: list[Row] = []
    inequalities: list[Row] = []
    done: set[frozenset[tuple[int, int]]] = set()
    for key, constant in strongest.items():
        if key in done:
            continue
        opposite = frozenset([(var, -value) for var, value in key])
        other = strongest.get(opposite)
        if other is not None:
            if constant + other < 0:
                return None
            if constant + other == 0:
                equations.append(Affine(constant, kept[key]))
                done.add(opposite)
                continue
        inequalities.append(Affine(constant, kept[key]))
    return System(equations, inequalities)


def _without_unbounded(rows: Sequence[Row]) -> Sequence[Row]:
    """Return ``rows`` without those that a variable satisfies which nothing bounds on one side."""
    while True:
        signs: dict[int, int] = {}
        for row in rows:
            for var, value in row.terms.items():
                signs[var] = signs.get(var, 0) | (1 if value > 0 else 2)
        free = {var for var, found in signs.items() if found != 3}
        if not free:
            return rows
        rows = [row for row in rows if free.isdisjoint(row.terms)]


def _choose(rows: Sequence[Row]) -> tuple[int, bool]:
    """Return the variable to project out, and whether that is exact: if it is, the cheapest."""
    above: dict[int, int] = {}
    below: dict[int, int] = {}
    inexact_above: dict[int, bool] = {}
    inexact_below: dict[int, bool] = {}
    for row in rows:
        for var, value in row.terms.items():
            if value > 0:
                below[var] = below.get(var, 0) + 1
                inexact_below[var] = inexact_below.get(var, False) or value != 1
            else:
                above[var] = above.get(var, 0) + 1
                inexact_above[var] = inexact_above.get(var, False) or value != -1

    def cost(var: int) -> tuple[bool, int]:
        inexact = inexact_above[var] and inexact_below[var]
        return inexact, above[var] * below[var] - above[var] - below[var]

    chosen = min(above, key=cost)
    return chosen, not cost(chosen)[0]


def _shadow(
    var: int,
    lower: Sequence[Row],
    upper: Sequence[Row],
    work: list[int],
    *,
    is_dark: bool = False,
) -> list[Row]:
    """Return what bounds of ``var`` say of the others: of reals, or such that one is between."""
    work[0] -= len(lower) * len(upper)
    if work[0] < 0:
        raise _TooHardError
    found: list[Row] = []
    for low in lower:
        b = low.terms[var]
        for high in upper:
            a = -high.terms[var]
            row = low.times(a).plus(high, b)
            if is_dark:
                row = Affine(row.constant - (a - 1) * (b - 1), row.terms)
            found.append(row)
    return found


def _splinters(
    var: int,
    rows: Sequence[Row],
    lower: Sequence[Row],
    upper: Sequence[Row],
    work: list[int],
) -> bool:
    """Return whether there is a solution close to a lower bound of ``var``, which has no other.

    Where some variable has fewer values than there are places to look at, these are tried instead.
    """
    most = max(-row.terms[var] for row in upper)
    counts = [(most * low.terms[var] - most - low.terms[var]) // most + 1 for low in lower]
    places = _fewest_values(rows)
    if places is None or len(places) >= sum(counts):
        work[0] -= sum(counts)  # where something wraps around, there are billions
        if work[0] < 0:
            raise _TooHardError
        places = [
            Affine(low.constant - excess, low.terms)
            for low, count in zip(lower, counts, strict=True)
            for excess in range(count)
        ]
    return any(_is_feasible(System([place], rows), work) for place in places)


def _fewest_values(rows: Sequence[Row]) -> list[Row] | None:
    """Return what is zero for one of the values of the variable that has fewest; ``None``: many."""
    low: dict[int, int] = {}
    high: dict[int, int] = {}
    for constant, terms in rows:
        if len(terms) == 1:
            [(var, factor)] = terms.items()
            if factor > 0:
                low[var] = -constant // factor
            else:
                high[var] = constant // -factor
    sizes = {var: high[var] - low[var] for var in low if var in high}
    if not sizes:
        return None
    var = min(sizes, key=lambda each: sizes[each])
    if sizes[var] > _MOST_VALUES:
        return None
    return [Affine(-value, {var: 1}) for value in range(low[var], high[var] + 1)]
