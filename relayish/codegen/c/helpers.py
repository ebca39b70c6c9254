"""Small functions of C that operators need, written into a source where they are used.

A helper is called after what it does and the element type: ``add_int32``. The table is open:
``HELPERS.register("popcount", make)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from relayish.codegen.c.packed import SMALL_INTEGERS, load_text, store_text, wrap_text
from relayish.codegen.c.types import C_TYPES
from relayish.ir.registration.claimed_table import ClaimedTable


class Helper(NamedTuple):
    """A function of C.

    Attributes:
        text: Its definition.
        needs: The helpers that it calls: of what, and for which element type.
    """

    text: str
    needs: tuple[tuple[str, str], ...] = ()


MakeHelper = Callable[[str], Helper]
"""Makes a helper for an element type, by its name."""

HELPERS: Final[ClaimedTable[str, MakeHelper]] = ClaimedTable(
    lambda name: f"the helper {name!r} of C"
)
"""By what it does."""


def helper_name(does: str, element: str) -> str:
    """Return the name of a helper in C."""
    return f"{does}_{element}"


def write_helpers(used: Mapping[tuple[str, str], None]) -> list[str]:
    """Return the definitions of helpers and of what these call, each behind what it calls."""
    written: dict[tuple[str, str], str] = {}
    pending = [(key, False) for key in sorted(used, reverse=True)]
    while pending:
        key, is_ready = pending.pop()
        if key in written:
            continue
        made = HELPERS[key[0]](key[1])
        if is_ready:
            written[key] = made.text
            continue
        pending.append((key, True))
        pending += [(need, False) for need in made.needs if need not in written]
    return list(written.values())


def _of_template(template: str, *needs: str) -> MakeHelper:
    """Return what makes a helper of a text, as :func:`_typed` has it."""
    return lambda element: _typed(template, element, *needs)


def _typed(template: str, element: str, *needs: str) -> Helper:
    """Return a helper for an element type.

    In the template ``$E`` is its name, ``$T`` the type of C, ``$U`` one without a sign that is wide
    enough for C's promotions, ``$V`` one of the width of ``$T``; ``$N(..)`` is what is left of an
    integer in the element type, ``$M(a)`` the bits of one.
    """
    held = C_TYPES[element].value
    wide = "uint64_t" if "64" in held else "uint32_t"
    unsigned = held if held.startswith("u") else f"u{held}"
    narrow, bits = f"({held})(", f"({unsigned})a"
    wraps: list[tuple[str, str]] = []
    if element in SMALL_INTEGERS:
        whole = f"u{element.removeprefix('u')}"
        narrow, bits = f"wrap_{element}(", f"wrap_{whole}(a)"
        wraps = [("wrap", each) for each in dict.fromkeys((element, whole))]
    text = template.replace("$N(", narrow).replace("$M(a)", bits).replace("$V", unsigned)
    text = text.replace("$T", held).replace("$U", wide).replace("$E", element)
    return Helper(text, (*[(need, element) for need in needs], *wraps))


def _two(does: str, body: str) -> str:
    return f"static inline $T {does}_$E($T a, $T b)\n{{\n  return {body};\n}}"


def _one(does: str, body: str) -> str:
    return f"static inline $T {does}_$E($T a)\n{{\n  return {body};\n}}"


_TEMPLATES: Final = MappingProxyType(
    {
        "add": _of_template(_two("add", "$N(($U)a + ($U)b)")),
        "sub": _of_template(_two("sub", "$N(($U)a - ($U)b)")),
        "mul": _of_template(_two("mul", "$N(($U)a * ($U)b)")),
        "not": _of_template(_one("not", "$N(~a)")),
        "neg": _of_template(_one("neg", "$N(0u - ($U)a)")),
        "div": _of_template(_two("div", "b == -1 ? neg_$E(a) : $N(a / b)"), "neg"),
        "mod": _of_template(_two("mod", "b == -1 ? 0 : $N(a % b)")),
        "min": _of_template(_two("min", "a < b ? a : b")),
        "max": _of_template(_two("max", "a > b ? a : b")),
        "abs": _of_template(_one("abs", "a < 0 ? neg_$E(a) : a"), "neg"),
    }
)
for _does, _make in _TEMPLATES.items():
    HELPERS.register(_does, _make)

_COUNT: Final = """\
static inline int64_t elements_int64(int64_t a, int64_t b)
{
  const int64_t most = INT64_MAX / 16; /* their bytes are counted as well, and nobody has as many */
  return a > most / b ? most : a * b;
}"""
HELPERS.register("elements", lambda _: Helper(_COUNT))

_FAULT: Final = """\
#if defined(__linux__) || defined(__APPLE__) || defined(_WIN32)
static _Thread_local int64_t fault_numbers[8];
#else
static int64_t fault_numbers[8];
#endif

static RELAYISH_APART int32_t told_fault_int64(int32_t status, const int64_t *numbers, size_t bytes)
{
  memcpy(fault_numbers, numbers, bytes);
  return status;
}

#define fault_int64(status, ...) \\
  told_fault_int64(status, (int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}))"""
HELPERS.register("fault", lambda _: Helper(_FAULT))

_BITS: Final = """\
static inline $B bits_of_$T($T value)
{
  $B bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline $T $T_of_bits($B bits)
{
  $T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}"""

_ROUND: Final = """\
static inline float round_$E(float value)
{
  return load_$E(store_$E(value));
}"""

_NARROW: Final = """\
static inline float odd_float32(double value)
{
  const float near = (float)value; /* what a float does not hold ends in a one, as sticky bit */
  if (value != value || (double)near == value || isinf(near)) return near;
  uint32_t bits = bits_of_float(near);
  if ((near < 0 ? -(double)near : (double)near) > (value < 0 ? -value : value)) bits -= 1;
  return float_of_bits(bits | 1u);
}"""

_ODD_INTEGER: Final = """\
static inline double odd_$E($T value)
{
  if (value > -($L << 52) && value < ($L << 52)) return (double)value;
  return (double)($T)((value & ~($T)0xfff) | ((value & 0xfff) ? 0x800 : 0));
}"""


def _bits(element: str) -> Helper:
    text = _BITS.replace("$T", C_TYPES[element].value)
    return Helper(text.replace("$B", element.replace("float", "uint") + "_t"))


def _odd(element: str) -> Helper:
    """Return what rounds to odd: floats of 64 bits to ``float``, integers of 64 to ``double``."""
    if element == "float32":
        return Helper(_NARROW, (("bits", "float32"),))
    text = _ODD_INTEGER
    if element == "uint64":
        text = text.replace("value > -($L << 52) && ", "")
    text = text.replace("$L", "UINT64_C(1)" if element == "uint64" else "INT64_C(1)")
    return Helper(text.replace("$T", C_TYPES[element].value).replace("$E", element))


def _power(element: str) -> Helper:
    negative = (
        ""
        if element.startswith("u")
        else ("  if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;\n")
    )
    text = (
        "static inline $T power_$E($T a, $T b)\n{\n"
        f"{negative}"
        "  uint64_t made = 1;\n"
        "  for (uint64_t power = (uint64_t)a, left = (uint64_t)b; left > 0; left >>= 1) {\n"
        "    if (left & 1) made *= power;\n"
        "    power *= power;\n"
        "  }\n"
        "  return $N(made);\n}"
    )
    return _typed(text, element)


def _counting(does: str, body: str) -> MakeHelper:
    def make(element: str) -> Helper:
        text = f"static inline $T {does}_$E($T a)\n{{\n{body}\n}}"
        return _typed(text.replace("$B", re.sub(r"\D", "", element)), element)

    return make


HELPERS.register(
    "popc",
    _counting(
        "popc",
        "  int count = 0;\n"
        "  for ($V left = $M(a); left; left &= ($V)(left - 1)) ++count;\n"
        "  return $N(count);",
    ),
)
HELPERS.register(
    "clz",
    _counting(
        "clz",
        "  int count = $B;\n"
        "  for ($V left = $M(a); left; left >>= 1) --count;\n"
        "  return $N(count);",
    ),
)
HELPERS.register("shl", _of_template(_two("shl", "$N($M(a) << b)")))
HELPERS.register("shr", _of_template(_two("shr", "$N(a >> b)")))
HELPERS.register("lshr", _of_template(_two("lshr", "$N($M(a) >> b)")))


def _rounding(does: str, correction: str) -> MakeHelper:
    def make(element: str) -> Helper:
        if element.startswith("u"):
            last = "a % b != 0" if does == "ceildiv" else "0"
            return _typed(_two(does, f"$N(a / b + ({last}))"), element)
        return _typed(_two(does, f"$N(div_$E(a, b) {correction})"), element, "div", "mod")

    return make


def _behind_packed(element: str) -> tuple[tuple[str, str]]:
    return (("wrap", element) if element in SMALL_INTEGERS else ("bits", "float32"),)


HELPERS.register("floordiv", _rounding("floordiv", "- (mod_$E(a, b) != 0 && (a < 0) != (b < 0))"))
HELPERS.register("ceildiv", _rounding("ceildiv", "+ (mod_$E(a, b) != 0 && (a < 0) == (b < 0))"))
HELPERS.register("bits", _bits)
HELPERS.register("odd", _odd)
HELPERS.register("power", _power)
HELPERS.register("wrap", lambda e: Helper(wrap_text(e)))
HELPERS.register("load", lambda e: Helper(load_text(e), _behind_packed(e)))
HELPERS.register("store", lambda e: Helper(store_text(e), _behind_packed(e)))
HELPERS.register("round", lambda e: Helper(_ROUND.replace("$E", e), (("load", e), ("store", e))))
