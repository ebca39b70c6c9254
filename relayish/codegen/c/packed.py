"""Packed elements: what memory holds, beside the number that a variable holds, as C.

Floats of 16 bits and fewer are ``float`` in variables. Those of 8 bits and fewer are described by
:data:`SMALL_FLOATS`, and all their conversions follow from that; each has a byte to itself in
memory, as has an integer of fewer than 8 bits. Of such a byte the low bits count alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from relayish.tir.ir.type import Type


class SmallFloat(NamedTuple):
    """A format of floating-point numbers of 8 bits or fewer.

    Attributes:
        exponent: How many bits the exponent has.
        mantissa: How many bits stand behind the point.
        bias: What the exponent has more than it means.
        most: The bits of the greatest number.
        over: The bits of what is greater: infinity, or no number, or the greatest number again.
        nan: The bits of what is no number, but for its sign; ``None``: there is none.
    """

    exponent: int
    mantissa: int
    bias: int
    most: int
    over: int
    nan: int | None = None

    @property
    def sign(self) -> int:
        """The bit of the sign."""
        return 1 << self.exponent + self.mantissa

    @property
    def fraction(self) -> int:
        """The bits behind the point."""
        return (1 << self.mantissa) - 1

    @property
    def is_unsigned(self) -> bool:
        """Whether it has powers of two alone: no sign, and no zero."""
        return not self.mantissa

    @property
    def has_minus_zero(self) -> bool:
        """Whether there are two zeros; what would be the second may be what is no number."""
        return self.nan != self.sign

    @property
    def has_infinity(self) -> bool:
        """Whether there are infinities."""
        return self.over not in (self.most, self.nan)


SMALL_FLOATS: Final[Mapping[str, SmallFloat]] = MappingProxyType(
    {
        "float8_e3m4": SmallFloat(3, 4, 3, 0x6F, 0x70, 0x78),
        "float8_e4m3": SmallFloat(4, 3, 7, 0x77, 0x78, 0x7C),
        "float8_e4m3fn": SmallFloat(4, 3, 7, 0x7E, 0x7F, 0x7F),
        "float8_e4m3fnuz": SmallFloat(4, 3, 8, 0x7F, 0x80, 0x80),
        "float8_e4m3b11fnuz": SmallFloat(4, 3, 11, 0x7F, 0x80, 0x80),
        "float8_e5m2": SmallFloat(5, 2, 15, 0x7B, 0x7C, 0x7E),
        "float8_e5m2fnuz": SmallFloat(5, 2, 16, 0x7F, 0x80, 0x80),
        "float8_e8m0fnu": SmallFloat(8, 0, 127, 0xFE, 0xFF, 0xFF),
        "float6_e2m3fn": SmallFloat(2, 3, 1, 0x1F, 0x1F),
        "float6_e3m2fn": SmallFloat(3, 2, 3, 0x1F, 0x1F),
        "float4_e2m1fn": SmallFloat(2, 1, 1, 0x7, 0x7),
    }
)
"""By element type: the formats that ``ml_dtypes`` has."""

SMALL_INTEGERS: Final = ("int4", "uint4", "int2", "uint2")
"""Element types of integers of fewer than 8 bits."""


def load_text(element: str) -> str:
    """Return the function ``load_E`` of C: what an element in memory means."""
    if element in SMALL_INTEGERS:
        held = f"{element[:-1]}8_t"
        return _LOAD_INTEGER.replace("$E", element).replace("$T", held)
    if element in SMALL_FLOATS:
        return _load_float(element, SMALL_FLOATS[element])
    return {"float16": _LOAD_FLOAT16, "bfloat16": _LOAD_BFLOAT16}[element]


def store_text(element: str) -> str:
    """Return the function ``store_E`` of C: a number as an element of memory, rounded to even."""
    if element in SMALL_INTEGERS:
        held, mask = f"{element[:-1]}8_t", (1 << Type(element).bits) - 1
        return _STORE_INTEGER.replace("$E", element).replace("$T", held).replace("$M", str(mask))
    if element in SMALL_FLOATS:
        return _store_float(element, SMALL_FLOATS[element])
    return {"float16": _STORE_FLOAT16, "bfloat16": _STORE_BFLOAT16}[element]


def wrap_text(element: str) -> str:
    """Return the function ``wrap_E`` of C: the integer that has the low bits of another one."""
    given = Type(element)
    mask, half = (1 << given.bits) - 1, 1 << given.bits - 1
    low = f"(value & {mask})"
    body = f"({low} ^ {half}) - {half}" if given.is_int else low[1:-1]
    held = f"{element[:-1]}8_t"
    return _WRAP.replace("$E", element).replace("$T", held).replace("$B", body)


_WRAP: Final = """\
static inline $T wrap_$E(int64_t value)
{
  return ($T)($B);
}"""

_LOAD_INTEGER: Final = """\
static inline $T load_$E(uint8_t code)
{
  return wrap_$E(code);
}"""

_STORE_INTEGER: Final = """\
static inline uint8_t store_$E($T value)
{
  return (uint8_t)(value & $M);
}"""


def _load_float(element: str, form: SmallFloat) -> str:
    lines = [f"static inline float load_{element}(uint8_t code)", "{"]
    if form.is_unsigned:
        lines += [
            f"  if (code > {form.most:#x}u) return NAN;",
            "  return float_of_bits(code > 0 ? (uint32_t)code << 23 : 0x400000u);",
        ]
        return "\n".join([*lines, "}"])
    whole, shift = form.sign, 23 - form.mantissa
    if not form.has_minus_zero:
        lines.append(f"  if (code == {whole:#x}u) return float_of_bits(0xffc00000u);")
    lines += [
        f"  const uint32_t sign = (uint32_t)(code & {whole:#x}u) << {32 - whole.bit_length()};",
        f"  const uint32_t rest = code & {whole - 1:#x}u;",
    ]
    if form.most < whole - 1:
        odd = "0x7fc00000u"
        if form.has_infinity:  # which of several that are no numbers is kept
            odd = f"0x7f800000u | (rest & {form.fraction:#x}u) << {shift}"
        lines.append(f"  if (rest > {form.most:#x}u) return float_of_bits(sign | {odd});")
    least = f"0x1p{1 - form.bias - form.mantissa}f"
    lines += [
        f"  if (rest < {1 << form.mantissa:#x}u)",
        f"    return float_of_bits(sign | bits_of_float((float)rest * {least}));",
        f"  return float_of_bits(sign | ((rest << {shift}) + {127 - form.bias << 23:#x}u));",
        "}",
    ]
    return "\n".join(lines)


def _store_float(element: str, form: SmallFloat) -> str:
    lines = [
        f"static inline uint8_t store_{element}(float value)",
        "{",
        "  const uint32_t bits = bits_of_float(value);",
    ]
    if form.is_unsigned:  # halves are rounded up; what is below the least, to that
        return "\n".join([*lines, *_STORE_POWER.splitlines(), "}"])
    whole, shift = form.sign, 23 - form.mantissa
    nan = f"sign | {form.nan:#x}u" if form.nan is not None else f"sign ^ {whole:#x}u"
    if form.has_infinity:
        kept = f"(rest >> {shift} & {form.fraction:#x}u)"
        nan = f"sign | ({kept} ? {form.over:#x}u | {kept} : {form.nan:#x}u)"
    over = f"sign | {form.over:#x}u"
    made = "sign | code" if form.has_minus_zero else "code > 0 ? sign | code : 0u"
    least = 24 - form.bias - form.mantissa
    half = f"{(1 << shift - 1) - 1:#x}u + (rest >> {shift} & 1u)"
    lines += [
        f"  const uint32_t sign = bits >> {32 - whole.bit_length()} & {whole:#x}u;",
        "  const uint32_t rest = bits & 0x7fffffffu;",
        f"  if (rest > 0x7f800000u) return (uint8_t)({nan});",
        "  uint32_t code;",
        f"  if (rest < {128 - form.bias << 23:#x}u) /* the sum rounds to multiples of the least */",
        f"    code = bits_of_float(float_of_bits(rest) + 0x1p{least}f) - {127 + least << 23:#x}u;",
        "  else",
        f"    code = (rest - {127 - form.bias << 23:#x}u + {half}) >> {shift};",
        f"  if (code > {form.most:#x}u) return (uint8_t)({over});",
        f"  return (uint8_t)({made});",
        "}",
    ]
    return "\n".join(lines)


_STORE_POWER: Final = """\
  if (bits == 0 || bits >= 0x7f400000u) return 0xff;
  return bits <= 0x400000u ? 0 : (uint8_t)((bits + 0x400000u) >> 23);"""

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
  if (rest > 0x7f800000u) /* which of those that are no numbers is kept, if it is one of these */
    return (uint16_t)(sign | 0x7c00u | (rest >> 13 & 0x3ffu ? rest >> 13 & 0x3ffu : 0x200u));
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
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (uint16_t)(bits >> 16 | (bits & 0x7f0000u ? 0u : 0x40u));
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}"""
