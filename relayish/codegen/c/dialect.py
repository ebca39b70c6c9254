"""Dialects of C: what a source begins with, and how memory is asked for, where not as in C11."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from relayish.domain.handler import Handler

HEAD: Final = """\
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define RELAYISH_APART __attribute__((noinline)) /* else compilers forget which memory is which */
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* of OpenMP, which say what is so anyway */
#else
#define RELAYISH_APART
#endif
#if defined(__FAST_MATH__)
#warning "numbers may differ: this is compiled with rules of its own for floats"
#endif
#if defined(RELAYISH_LOOSE)
/* whoever says so wants sums in another order, and functions of vectors, which are 4 units off */
#if defined(__GLIBC__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define RELAYISH_SIMD __attribute__((simd("notinbranch"))) extern
RELAYISH_SIMD float expf(float), logf(float), sinf(float), cosf(float), powf(float, float);
RELAYISH_SIMD double exp(double), log(double), sin(double), cos(double), pow(double, double);
#if __GLIBC_PREREQ(2, 35)
RELAYISH_SIMD float tanf(float), asinf(float), acosf(float), atanf(float), atan2f(float, float);
RELAYISH_SIMD float sinhf(float), coshf(float), tanhf(float), asinhf(float), acoshf(float);
RELAYISH_SIMD float atanhf(float), erff(float), exp2f(float), expm1f(float), log2f(float);
RELAYISH_SIMD float log10f(float), log1pf(float), cbrtf(float);
RELAYISH_SIMD double tan(double), asin(double), acos(double), atan(double), atan2(double, double);
RELAYISH_SIMD double sinh(double), cosh(double), tanh(double), asinh(double), acosh(double);
RELAYISH_SIMD double atanh(double), erf(double), exp2(double), expm1(double), log2(double);
RELAYISH_SIMD double log10(double), log1p(double), cbrt(double);
#endif
#endif
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif"""


class Dialect(NamedTuple):
    """How programs are written where it is not as in C11.

    Attributes:
        head: What a source begins with.
        handlers: What takes the place of the handlers of their domains.
        memory: What the names of the functions begin with that give and take back memory.
        taken: Names that mean something besides those of C.
        outside: What stands before a function that is called from outside.
        inline: What helpers are.
        contracts: Whether compilers round a product together with the sum that it is part of,
            unless it is a call; no pragma tells them not to.
    """

    head: str = HEAD
    handlers: Sequence[Handler | type[Handler]] = ()
    memory: str = ""
    taken: frozenset[str] = frozenset()
    outside: str = ""
    inline: str = "static inline"
    contracts: bool = False


C11: Final = Dialect()
