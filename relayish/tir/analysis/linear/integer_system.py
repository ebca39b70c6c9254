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
from collections.abc import Iterable, Sequence
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


_Direction: TypeAlias = frozenset[tuple[int, int]]
"""The terms of an inequality, without a common divisor."""


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
        rows = _Rows()
        made: Sequence[Row] = system.inequalities
        while True:
            _spend(work, len(rows.held) + len(made))
            if not rows.add(made):
                return False
            if rows.equations:
                system = System(rows.equations, [*rows.held.values()])
                break
            rows.drop_unbounded()
            if not rows.held:
                return True
            var, exact = rows.choose()
            if not exact:
                return _split(var, [*rows.held.values()], work)
            made = _shadow(var, *rows.take(var), work)


def _split(var: int, rows: Sequence[Row], work: list[int]) -> bool:
    """Return whether inequalities have a solution, of which projecting out ``var`` tells less."""
    lower = [row for row in rows if row.terms.get(var, 0) > 0]
    upper = [row for row in rows if row.terms.get(var, 0) < 0]
    rest = [row for row in rows if var not in row.terms]
    dark = rest + _shadow(var, lower, upper, work, is_dark=True)
    if _is_feasible(System((), dark), work):
        return True
    real = rest + _shadow(var, lower, upper, work)
    if not _is_feasible(System((), real), work):
        return False
    return _splinters(var, rows, lower, upper, work)


def _spend(work: list[int], count: int) -> None:
    work[0] -= count
    if work[0] < 0:
        raise _TooHardError


class _Rows:
    """Inequalities divided by common divisors, the strongest of each direction.

    Attributes:
        held: The inequalities, by their terms.
        equations: What two of opposite directions that leave one value have become.
    """

    __slots__ = ("_bounds", "equations", "held")

    def __init__(self) -> None:
        self.held: dict[_Direction, Row] = {}
        self.equations: list[Row] = []
        self._bounds: dict[int, tuple[dict[_Direction, int], dict[_Direction, int]]] = {}
        """By variable, what bounds it from below and from above, each with its coefficient."""

    def add(self, rows: Sequence[Row]) -> bool:
        """Add inequalities; return whether no two of opposite directions leave no value."""
        held = self.held
        added: dict[_Direction, None] = {}
        for constant, terms in rows:
            if not terms:
                if constant < 0:
                    return False
                continue
            divisor = math.gcd(*terms.values())
            if divisor > 1:
                constant //= divisor  # noqa: PLW2901 - of integers, it may be rounded
                terms = {var: value // divisor for var, value in terms.items()}  # noqa: PLW2901
            key = frozenset(terms.items())
            before = held.get(key)
            if before is None:
                for var, value in terms.items():
                    self._bounds.setdefault(var, ({}, {}))[value < 0][key] = value
            elif constant >= before.constant:
                continue
            held[key] = Affine(constant, terms)
            added[key] = None
        return all(map(self._meet_opposite, added))

    def _meet_opposite(self, key: _Direction) -> bool:
        """Return whether an inequality and that of the opposite direction leave a value."""
        row = self.held.get(key)
        opposite = frozenset([(var, -value) for var, value in key])
        other = self.held.get(opposite)
        if row is None or other is None:
            return True
        if row.constant == -other.constant:
            self.equations.append(row)
            self._discard(key)
            self._discard(opposite)
        return row.constant + other.constant >= 0

    def _discard(self, key: _Direction) -> Row:
        for var, value in key:
            del self._bounds[var][value < 0][key]
        return self.held.pop(key)

    def drop_unbounded(self) -> None:
        """Drop what a variable satisfies which nothing bounds on one side."""
        pending = list(self._bounds)
        while pending:
            var = pending.pop()
            below, above = self._bounds.get(var, ({}, {}))
            if below and above:
                continue
            for key in [*below, *above]:
                pending += [each for each in self._discard(key).terms if each != var]
            self._bounds.pop(var, None)

    def choose(self) -> tuple[int, bool]:
        """Return the variable to project out, and whether that is exact: if it is, the cheapest."""
        inexact = {
            var
            for var, (below, above) in self._bounds.items()
            if max(below.values()) != 1 and min(above.values()) != -1
        }

        def cost(var: int) -> tuple[bool, int]:
            below, above = map(len, self._bounds[var])
            return var in inexact, above * below - above - below

        chosen = min(self._bounds, key=cost)
        return chosen, chosen not in inexact

    def take(self, var: int) -> tuple[list[Row], list[Row]]:
        """Remove what bounds a variable, from below and from above, and return it."""
        below, above = self._bounds[var]
        return [self._discard(key) for key in [*below]], [self._discard(key) for key in [*above]]


def _shadow(
    var: int,
    lower: Sequence[Row],
    upper: Sequence[Row],
    work: list[int],
    *,
    is_dark: bool = False,
) -> list[Row]:
    """Return what bounds of ``var`` say of the others: of reals, or such that one is between."""
    _spend(work, len(lower) * len(upper))
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
        _spend(work, sum(counts))  # where something wraps around, there are billions
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
