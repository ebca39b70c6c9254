"""Small functions of C that operators need, written into a source where they are used.

A helper is called after what it does and the element type: ``add_int32``. The table is open:
``HELPERS.register("popcount", make)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

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
    """Return what makes a helper of a text in which ``T`` is the type and ``E`` its name."""

    def make(element: str) -> Helper:
        type_ = C_TYPES[element].value
        unsigned = "uint64_t" if "64" in type_ else "uint32_t"  # wide enough for C's promotions
        text = template.replace("$T", type_).replace("$U", unsigned).replace("$E", element)
        return Helper(text, tuple([(need, element) for need in needs]))

    return make


def _two(does: str, body: str) -> str:
    return f"static inline $T {does}_$E($T a, $T b)\n{{\n  return {body};\n}}"


def _one(does: str, body: str) -> str:
    return f"static inline $T {does}_$E($T a)\n{{\n  return {body};\n}}"


_TEMPLATES: Final = MappingProxyType(
    {
        "add": _of_template(_two("add", "($T)(($U)a + ($U)b)")),
        "sub": _of_template(_two("sub", "($T)(($U)a - ($U)b)")),
        "mul": _of_template(_two("mul", "($T)(($U)a * ($U)b)")),
        "not": _of_template(_one("not", "($T)~a")),
        "neg": _of_template(_one("neg", "($T)(0u - ($U)a)")),
        "div": _of_template(_two("div", "b == -1 ? neg_$E(a) : ($T)(a / b)"), "neg"),
        "mod": _of_template(_two("mod", "b == -1 ? 0 : ($T)(a % b)")),
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

_BITS: Final = """\
static inline uint32_t bits_of_float(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float float_of_bits(uint32_t bits)
{
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}"""

_LOAD_FLOAT16: Final = """\
static inline float load_float16(uint16_t half)
{
  const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
  const uint32_t rest = half & 0x7fffu;
  if (rest >= 0x7c00u) return float_of_bits(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest >= 0x400u) return float_of_bits(sign | ((rest << 13) + 0x38000000u));
  return float_of_bits(sign | bits_of_float((float)rest * 0x1p-24f));
}"""

_STORE_FLOAT16: Final = """\
static inline uint16_t store_float16(float value)
{
  const uint32_t bits = bits_of_float(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
  if (rest < 0x38800000u) /* below the normal numbers: the sum rounds to a multiple of 2^-24 */
    return (uint16_t)(sign | (bits_of_float(float_of_bits(rest) + 0.5f) - 0x3f000000u));
  return (uint16_t)(sign | (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13);
}"""

_LOAD_BFLOAT16: Final = """\
static inline float load_bfloat16(uint16_t half)
{
  return float_of_bits((uint32_t)half << 16);
}"""

_STORE_BFLOAT16: Final = """\
static inline uint16_t store_bfloat16(float value)
{
  const uint32_t bits = bits_of_float(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(bits >> 16 | 0x40u);
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
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

_OF_FLOAT16: Final = {"float16": _LOAD_FLOAT16, "bfloat16": _LOAD_BFLOAT16}
_TO_FLOAT16: Final = {"float16": _STORE_FLOAT16, "bfloat16": _STORE_BFLOAT16}

_ODD_INTEGER: Final = """\
static inline double odd_$E($T value)
{
  if (value > -($L << 52) && value < ($L << 52)) return (double)value;
  return (double)($T)((value & ~($T)0xfff) | ((value & 0xfff) ? 0x800 : 0));
}"""


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
        "  return ($T)made;\n}"
    )
    return Helper(text.replace("$T", C_TYPES[element].value).replace("$E", element))


def _counting(does: str, body: str) -> MakeHelper:
    def make(element: str) -> Helper:
        bits = re.sub(r"\D", "", element)
        text = f"static inline $T {does}_{element}($T a)\n{{\n{body}\n}}"
        text = text.replace("$T", C_TYPES[element].value).replace("$B", bits)
        return Helper(text)

    return make


HELPERS.register(
    "popc",
    _counting(
        "popc",
        "  int count = 0;\n"
        "  for (uint$B_t left = (uint$B_t)a; left; left &= (uint$B_t)(left - 1)) ++count;\n"
        "  return ($T)count;",
    ),
)
HELPERS.register(
    "clz",
    _counting(
        "clz",
        "  int count = $B;\n"
        "  for (uint$B_t left = (uint$B_t)a; left; left >>= 1) --count;\n"
        "  return ($T)count;",
    ),
)


def _shift(does: str, body: str) -> MakeHelper:
    def make(element: str) -> Helper:
        type_ = C_TYPES[element].value
        unsigned = type_ if type_.startswith("u") else f"u{type_}"
        text = _two(does, body).replace("$U", unsigned)
        return Helper(text.replace("$T", type_).replace("$E", element))

    return make


HELPERS.register("shl", _shift("shl", "($T)(($U)a << b)"))
HELPERS.register("shr", _shift("shr", "($T)(a >> b)"))
HELPERS.register("lshr", _shift("lshr", "($T)(($U)a >> b)"))


def _rounding(does: str, correction: str) -> MakeHelper:
    def make(element: str) -> Helper:
        if element.startswith("u"):
            last = "a % b != 0" if does == "ceildiv" else "0"
            text = _two(does, f"($T)(a / b + ({last}))")
            return Helper(text.replace("$T", C_TYPES[element].value).replace("$E", element))
        body = f"($T)(div_$E(a, b) {correction})"
        text = _two(does, body).replace("$T", C_TYPES[element].value).replace("$E", element)
        return Helper(text, (("div", element), ("mod", element)))

    return make


HELPERS.register("floordiv", _rounding("floordiv", "- (mod_$E(a, b) != 0 && (a < 0) != (b < 0))"))
HELPERS.register("ceildiv", _rounding("ceildiv", "+ (mod_$E(a, b) != 0 && (a < 0) == (b < 0))"))
HELPERS.register("bits", lambda _: Helper(_BITS))
HELPERS.register("odd", _odd)
HELPERS.register("power", _power)
HELPERS.register("load", lambda e: Helper(_OF_FLOAT16[e], (("bits", "float32"),)))
HELPERS.register("store", lambda e: Helper(_TO_FLOAT16[e], (("bits", "float32"),)))
HELPERS.register("round", lambda e: Helper(_ROUND.replace("$E", e), (("load", e), ("store", e))))
