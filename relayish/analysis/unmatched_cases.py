"""Exhaustiveness checking: which values no clause of a match covers.

Patterns are compared column by column. A *row* is what one clause still demands of the values in
front, a linked list; when the first column is decided, a constructor at a time, what its fields
must be comes in its place. Where no row is left, the decisions made so far are an uncovered case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from relayish.errors import DispatchError, TypeInferenceError, UnknownNameError
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.relay.adt import (
    Constructor,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.relay.module import IRModule

_ANYTHING: Final = PatternWildcard()
_KINDS: Final = frozenset({PatternConstructor, PatternTuple, PatternVar, PatternWildcard})
"""What is compared: Relay's patterns; others are told in terms of these."""

_Row: TypeAlias = "tuple[Pattern, _Row] | None"
_Shape: TypeAlias = Constructor | int | None
"""What a value is decided to be: of a constructor, a tuple of so many fields, or anything."""
_Path: TypeAlias = "tuple[_Shape, _Path] | None"


def unmatched_cases(match: Match, mod: IRModule | None = None) -> tuple[Pattern, ...]:
    """Return patterns that together stand for all values no clause of ``match`` covers.

    Args:
        match: What is asked about; whether it claims to be complete plays no part.
        mod: Where the types of its constructors are defined.

    Returns:
        Nothing if every value is covered. Patterns hold wildcards, and no variables.

    Raises:
        DispatchError: If ``match`` is no :class:`~relayish.ir.relay.adt.Match`.
        TypeInferenceError: If a constructor's type is not defined in ``mod``, or a pattern has not
            as many patterns in it as the constructor has fields.

    Complexity:
        Linear for clauses told apart by a chain of constructors, however deep; exponential at
        worst, as is the number of cases. No recursion.

    Source:
        Relay ``UnmatchedCases`` (``src/relay/analysis/match_exhaustion.cc``).

    Example:
        >>> from relayish.text import parse
        >>> mod = parse('''#[version = "0.0.5"]
        ... type List[A] { Cons(A, List[A]), Nil }
        ... def @second(%xs: List[int32]) { match? (%xs) { Cons(_, Cons(%x, _)) => { %x } } }
        ... ''')
        >>> for case in unmatched_cases(mod["second"].body, mod):
        ...     print(case)
        Cons(_, Nil)
        Nil
    """
    if not isinstance(match, Match):
        raise DispatchError(
            f"expected a match; found {match!r} ({type(match).__name__}); "
            f"the matches of a program are found by post_order_visit"
        )
    return tuple(iter_unmatched_cases(match, mod))


def iter_unmatched_cases(match: Match, mod: IRModule | None = None) -> Iterator[Pattern]:
    """Yield the patterns of :func:`unmatched_cases` as they are found."""
    mod = IRModule() if mod is None else mod
    patterns = [_find_covered(clause.lhs) for clause in match.clauses]
    rows: list[_Row] = [(pattern, None) for pattern in patterns if pattern is not None]
    states: list[tuple[list[_Row], int, _Path]] = [(rows, 1, None)]
    while states:
        rows, width, path = states.pop()
        if not rows:
            yield _case(path, width)
            continue
        if not width:
            continue  # the first row left covers it
        shapes = _shapes(rows, mod)
        fitting = _group_by_constructor(rows) if len(shapes) > 1 else None
        for shape in reversed(shapes):
            near = rows
            if fitting is not None and isinstance(shape, Constructor):
                near = fitting.get(shape.name_hint, fitting[None])
            fits = [_fit(row, shape) for row in near]
            kept = [left for left in fits if not isinstance(left, _NoFit)]
            states.append((kept, width - 1 + _arity(shape), (shape, path)))


_Cover: TypeAlias = Callable[[Any], "Pattern | None"]  # Any: a pattern of one kind


PATTERN_COVERS: Final[KindTable[_Cover]] = KindTable(
    "the check of matches", "relay.analysis.PATTERN_COVERS"
)
"""Which values patterns of a kind match, in terms of other patterns.

``cover(pattern)`` returns a pattern that matches no value which ``pattern`` does not match;
``None`` where there is none to be told, as for a single number."""


def _find_covered(pattern: Pattern) -> Pattern | None:
    """Return a pattern of Relay's kinds that stands for ``pattern``."""
    found: Pattern | None = pattern
    while found is not None and type(found) not in _KINDS:
        found = PATTERN_COVERS[type(found)](found)
    return found


class _NoFit:
    """Stands for a row that values of some shape do not fit."""


_NO_FIT: Final = _NoFit()


def _shapes(rows: list[_Row], mod: IRModule) -> list[_Shape]:
    """Return the shapes that the values in front are told apart by."""
    for row in rows:
        assert row is not None
        match row[0]:
            case PatternTuple(patterns=inside):
                return [len(inside)]
            case PatternConstructor() as pattern:
                return _constructors(pattern, mod)
    return [None]  # all the others fit anything


def _constructors(pattern: PatternConstructor, mod: IRModule) -> list[_Shape]:
    """Return all constructors of the type that the one of ``pattern`` belongs to."""
    header = pattern.constructor.belong_to.name_hint
    try:
        _, *constructors = mod.get_type(header)
    except UnknownNameError as error:
        raise TypeInferenceError(
            f"the type {header!r} of the pattern {pattern.constructor.name_hint} is not "
            f"defined in the module"
        ) from error
    return list(constructors)


def _group_by_constructor(rows: list[_Row]) -> dict[str | None, list[_Row]]:
    """Return the rows that may fit each constructor; under ``None`` those that fit any."""
    found: dict[str | None, list[_Row]] = {None: []}
    for row in rows:
        assert row is not None
        pattern = row[0]
        if isinstance(pattern, PatternConstructor):
            name = pattern.constructor.name_hint
            found.setdefault(name, found[None].copy()).append(row)
        else:
            for several in found.values():
                several.append(row)
    return found


def _fit(row: _Row, shape: _Shape) -> _Row | _NoFit:
    """Return what ``row`` demands of the fields of a value of ``shape`` and of those behind it."""
    assert row is not None
    pattern, rest = row
    if not isinstance(pattern, (PatternConstructor, PatternTuple)):
        for _ in range(_arity(shape)):
            rest = (_ANYTHING, rest)
        return rest
    if not _may_have(pattern, shape):
        return _NO_FIT
    if len(pattern.patterns) != _arity(shape):
        raise TypeInferenceError(
            f"the pattern {pattern} has {len(pattern.patterns)} patterns in it; expected "
            f"{_arity(shape)}"
        )
    for inner in reversed(pattern.patterns):
        covered = _find_covered(inner)
        if covered is None:
            return _NO_FIT
        rest = (covered, rest)
    return rest


def _may_have(pattern: PatternConstructor | PatternTuple, shape: _Shape) -> bool:
    """Return whether values of ``shape`` may match ``pattern``, its fields aside."""
    if isinstance(pattern, PatternTuple):
        return isinstance(shape, int)
    return isinstance(shape, Constructor) and _is_same(pattern.constructor, shape)


def _is_same(one: Constructor, other: Constructor) -> bool:
    names = (other.belong_to.name_hint, other.name_hint)
    return one is other or (one.belong_to.name_hint, one.name_hint) == names


def _arity(shape: _Shape) -> int:
    if isinstance(shape, Constructor):
        return len(shape.inputs)
    return shape or 0


def _case(path: _Path, undecided: int) -> Pattern:
    """Return the pattern of the values decided by ``path``, last decision first."""
    built: list[Pattern] = [_ANYTHING] * undecided  # the first of them on top
    while path is not None:
        shape, path = path
        if shape is None:
            built.append(_ANYTHING)
            continue
        fields = tuple([built.pop() for _ in range(_arity(shape))])
        if isinstance(shape, Constructor):
            built.append(PatternConstructor(shape, fields))
        else:
            built.append(PatternTuple(fields))
    (case,) = built
    return case
