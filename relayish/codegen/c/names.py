"""Identifiers of C: the names of a program, kept where they can be, escaped and told apart else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_KEYWORDS: Final = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex _Generic "
    "_Imaginary _Noreturn _Static_assert _Thread_local asm typeof bool true false NULL NAN "
    "INFINITY status done main errno assert offsetof linux unix"
)
RESERVED: Final = frozenset(_KEYWORDS.split())
"""What means something already: to C, to its headers, or in each function that is written."""

_LIBRARY: Final = re.compile(
    r"_.*|[a-z]\w*_t|[A-Z]+[A-Z\d]*_[A-Z\d_]+|str[a-z]\w*|mem[a-z]\w*|is[a-z]\w*"
    r"|\w+_(bool|u?int\d+|b?float\d+)|bits_of_float|float_of_bits|\w+_(piece|constant)(_\d+)?"
)
"""Names of headers and helpers, or what may be one: a program's own have a letter more."""


def identifier(name: str) -> str:
    """Return ``name`` as an identifier of C that means nothing else.

    What no identifier holds becomes its code point, so that different names stay different.

    Example:
        >>> [identifier(name) for name in ("x", "int", "größe", "a.b", "", "2")]
        ['x', 'int_', 'gr_u00f6_u00dfe', 'a_b', 'v', 'v2']
    """
    safe = "".join([_letter(each) for each in name]) or "v"
    safe = f"v{safe}" if safe[0].isdigit() else safe
    if safe in RESERVED or safe in LIBRARY_NAMES:
        return f"{safe}_"
    return f"v{safe}" if _LIBRARY.fullmatch(safe) else safe


def _letter(each: str) -> str:
    if each.isascii():
        return each if each.isalnum() or each == "_" else "_"
    return f"_u{ord(each):04x}"


def comment(text: str) -> str:
    """Return a comment of C; what could end it, by whatever C makes of it before, is left out.

    Example:
        >>> comment("sum of rows"), comment("*/ int x; /*")
        ('/* sum of rows */', '/* __ int x_ __ */')
    """
    return f"/* {re.sub(r'[^A-Za-z0-9_ .,:()-]', '_', text)} */"


class Names:
    """Names that are taken in a function, in scopes within one another.

    A name that is left may be had again, so loops one after the other have the same variables.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._last: dict[str, int] = {}
        self._scopes: list[list[tuple[str, str, int]]] = [[]]

    def fresh(self, hint: str, scope: int = -1) -> str:
        """Return an identifier like ``hint`` that nothing around has, and take it in a scope."""
        wanted = name = identifier(hint)
        number = before = self._last.get(wanted, 0)
        if number:
            name = f"{wanted}_{number}"
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._last[wanted] = number
        self._taken.add(name)
        self._scopes[scope].append((name, wanted, before))
        return name

    def reserve(self, names: Iterable[str]) -> None:
        """Take names as they are."""
        self._taken.update(names)

    def enter(self) -> None:
        """Open a scope."""
        self._scopes.append([])

    def leave(self) -> None:
        """Close the innermost scope, whose names are free again."""
        for name, wanted, before in reversed(self._scopes.pop()):
            self._taken.discard(name)
            self._last[wanted] = before


_MATH: Final = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 "
    "fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 "
    "log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo "
    "rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn gamma signgam"
)
_OTHERS: Final = (
    "abort abs atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs "
    "lldiv malloc qsort rand realloc srand system aligned_alloc fpclassify signbit isnan index "
    "printf fprintf snprintf puts putchar fopen fclose fread fwrite fseek stdin stdout stderr "
    "FILE EOF math_errhandling"
)
LIBRARY_NAMES: Final = frozenset(
    [
        *[f"{name}{suffix}" for name in _MATH.split() for suffix in ("", "f", "l")],
        *_OTHERS.split(),
    ]
)
"""Functions and types of the library of C that the source includes."""
