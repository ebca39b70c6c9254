"""What simplification makes of expressions, rule by rule, and what it leaves alone.

Variables ``i``, ``j`` and ``k`` run over 0 to 15, 0 to 3 and -8 to 7; ``n`` and ``m`` may be
anything, ``x`` is any float, ``p`` any truth value; ``t`` and ``u`` are of 8 bits. ``A`` is an
argument, ``T`` a temporary, which may not have been written.
"""

from __future__ import annotations

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.tir import Broadcast, Cast, Expr, Ramp, Select, const
from relayish.transform import get_pass
from tests.support.each import each
from tests.support.tir_arithmetic import function_of, stored

i, j, k, n, m = (tir.Var(name) for name in "ijknm")
x, y, p = tir.Var("x", "float32"), tir.Var("y", "float32"), tir.Var("p", "bool")
t, u, half = tir.Var("t", "int8"), tir.Var("u", "uint8"), tir.Var("h", "float16")
RANGES = {i: (0, 16), j: (0, 4), k: (-8, 8)}
A = tir.Tensor("A", (const(16),), "int32", tir.Buffer("_A", (const(16),), "int32"))
T = tir.Tensor("T", (const(16),), "int32", tir.Buffer("_T", (const(16),), "int32"))
NAN = float("nan")


def after(value: Expr, by: str = "Simplify") -> str:
    """Return the text of what becomes of a value, which a second application leaves alone."""
    func = function_of(value, RANGES, A.buffer, n, m, x, y, p, t, u, half)
    out = get_pass(by)(IRModule({"f": func}))["f"]
    assert get_pass(by)(IRModule({"f": out}))["f"] is out
    return str(stored(out))


def lanes(value: Expr | int, count: int = 4) -> Expr:
    return Broadcast(value if isinstance(value, Expr) else const(value), count)


ARITHMETIC = [
    ((i + 1) + (j - i), "(j + 1)"),
    ((i + j) * 4 - j * 4, "(4 * i)"),
    (i * 32 + j, "((32 * i) + j)"),
    (1 + n, "(n + 1)"),
    (n - 1 + 1, "n"),
    (n - n, "0"),
    (n + n, "(2 * n)"),
    (n * 0, "0"),
    (n * 1, "n"),
    (n * 2 * 3, "(6 * n)"),
    (n * 2 * (m * 3), "(6 * (n * m))"),
    (-n + m, "(m - n)"),
    (-n, "-(n)"),
    (tir.Minus(tir.Minus(n)), "n"),
    (0 - n, "-(n)"),
    (5 - n, "(5 - n)"),
    (n - (-m), "(n + m)"),
    (n - (m - 3), "((n - m) + 3)"),
    (n * -3 + m * -1 + 2, "((2 - (3 * n)) - m)"),
    (t * 16 * 16, "(int8_t)0"),
    (t + 127 + 127, "(t - (int8_t)2)"),
    (t - (-128), "(t + (int8_t)-128)"),
    (u + 255, "(u - (uint8_t)1)"),
    (tir.Sum((n, const(1), m, const(2))), "((n + m) + 3)"),
    (tir.Product((const(2), n, const(3))), "(6 * n)"),
    (tir.Sum((x,)), "x"),
    (tir.Sum((x, y)), "(x + y)"),
    (n / 4 * 4 + n % 4, "n"),
    (n % 4 + 4 * (n / 4) + 1, "(n + 1)"),
    (n - n / 4 * 4, "(n % 4)"),
    ((n + 1) - (n + 1) / 4 * 4, "((n + 1) % 4)"),
    (n / 4 * 4 + n % 8, "((4 * (n / 4)) + (n % 8))"),
    (n / 4 * 8 + n % 4, "((8 * (n / 4)) + (n % 4))"),
]

FLOATS = [
    (x * 1.0, "x"),
    (1.0 * x, "x"),
    (x / 1.0, "x"),
    (x - 0.0, "x"),
    (x + -0.0, "x"),
    (-0.0 + x, "x"),
    (tir.Minus(tir.Minus(x)), "x"),
    (x + 0.0, "(x + 0.00000000f)"),
    (x - -0.0, "(x - -0.00000000f)"),
    (x * 0.0, "(x * 0.00000000f)"),
    (0.0 - x, "(0.00000000f - x)"),
    (x - x, "(x - x)"),
    (x / x, "(x / x)"),
    ((x + 1.0) + 2.0, "((x + 1.00000000f) + 2.00000000f)"),
    ((x + y) - x, "((x + y) - x)"),
    (tir.Min(x, x), "x"),
    (tir.Min(tir.Min(x, y), y), "cinn_min(cinn_min(x, y), y)"),
    (tir.Max(const(1.0), x), "cinn_max(1.00000000f, x)"),
    (half * const(1, "float16"), "h"),
]

DIVISION = [
    ((i * 4 + j) / 4, "i"),
    ((i * 4 + j) % 4, "j"),
    ((j + i * 4) / 4, "i"),
    ((i * 8 + j) / 4, "(2 * i)"),
    ((i + 6) / 4, "(((i + 2) / 4) + 1)"),
    ((i * 4 + k) / 4, "(((4 * i) + k) / 4)"),
    ((k * 4 + j) / 4, "(((4 * k) + j) / 4)"),
    ((k * 4) / 4, "k"),
    ((k * 4) % 4, "0"),
    ((n * 4) / 4, "((4 * n) / 4)"),
    ((n * 4) % 4, "0"),
    ((n * 6) % 3, "((6 * n) % 3)"),
    ((-4 * i - j) / 4, "-(i)"),
    ((-4 * i - j) % 4, "-(j)"),
    (n / 1, "n"),
    (n % 1, "0"),
    (n / -1, "-(n)"),
    (n % -1, "0"),
    (n % -4, "(n % 4)"),
    (n % -(2**31 - 1), "(n % 2147483647)"),
    (n % -(2**31), "(n % -2147483648)"),
    (n / 4 / 8, "(n / 32)"),
    (n / 32768 / 65536, "((n / 32768) / 65536)"),
    (n / -4 / 8, "((n / -4) / 8)"),
    (n % 8 % 4, "(n % 4)"),
    (n % 4 % 8, "(n % 4)"),
    (n % 6 % 4, "((n % 6) % 4)"),
    (j / 4, "0"),
    (j % 4, "j"),
    (k / 9, "0"),
    (k % 9, "k"),
    (k / 8, "(k / 8)"),
    (k % 8, "(k % 8)"),
    ((i + 1) / (i + 1), "1"),
    ((i + 1) % (i + 1), "0"),
    (i / i, "(i / i)"),
    (0 / (j + 1), "0"),
    (0 / j, "(0 / j)"),
    (j / (i + 4), "0"),
    (j % (i + 4), "j"),
    (j % (i + 3), "(j % (i + 3))"),
]

EXTREMA = [
    (tir.Min(i, const(16)), "i"),
    (tir.Min(i, const(15)), "i"),
    (tir.Min(i, const(14)), "cinn_min(i, 14)"),
    (tir.Max(i, const(0)), "i"),
    (tir.Max(k, const(0)), "cinn_max(k, 0)"),
    (tir.Max(i, const(15)), "15"),
    (tir.Min(i * 4 + j, i * 4), "(4 * i)"),
    (tir.Max(i * 4 + j, i * 4), "((4 * i) + j)"),
    (tir.Min(n + 1, n), "cinn_min((n + 1), n)"),
    (tir.Min(const(3), n), "cinn_min(n, 3)"),
    (tir.Min(tir.Min(n, const(8)), const(4)), "cinn_min(n, 4)"),
    (tir.Max(tir.Max(n, const(8)), const(4)), "cinn_max(n, 8)"),
    (tir.Min(tir.Max(n, const(8)), const(4)), "4"),
    (tir.Min(tir.Min(n, m), m), "cinn_min(n, m)"),
    (tir.Max(n, n), "n"),
]

LOGIC = [
    (i < 16, "true"),
    (i < 15, "(i < 15)"),
    (i >= 0, "true"),
    (i * 4 + j < 64, "true"),
    (i * 4 + j < i * 4 + 4, "true"),
    (n + 1 < n, "((n + 1) < n)"),
    (const(5) > n, "(n < 5)"),
    (i + 3 < 10, "(i < 7)"),
    (n + 3 < 10, "((n + 3) < 10)"),
    (i * 4 + j < i * 4 + k, "(j < k)"),
    (tir.EQ(n + 3, m + 3), "(n == m)"),
    (tir.EQ(n + 3, const(1)), "(n == -2)"),
    (tir.NE(n, n), "false"),
    (tir.EQ(x, x), "(x == x)"),
    (tir.LT(x, x), "false"),
    (~(n < m), "(n >= m)"),
    (~(x < y), "!(x < y)"),
    (~tir.EQ(x, y), "(x != y)"),
    (~~p, "p"),
    (p & True, "p"),
    (p | False, "p"),
    (p & False, "false"),
    (p | True, "true"),
    (p & p, "p"),
    (p & ~p, "false"),
    (p | ~p, "true"),
    (tir.EQ(p, const(True)), "p"),
    (tir.NE(p, const(True)), "!p"),
]

CASTS = [
    (Cast("int32", n), "n"),
    (Cast("int16", Cast("int64", n)), "int16(n)"),
    (Cast("int64", Cast("int16", n)), "int64(int16(n))"),
    (Cast("int64", Cast("int16", i)), "int64(i)"),
    (Cast("int32", Cast("int16", i)), "i"),
    (Cast("uint16", Cast("int8", k)), "uint16(k)"),
    (Cast("int32", Cast("float32", t)), "int32(t)"),
    (Cast("int32", Cast("float32", n)), "int32(float32(n))"),
    (Cast("int32", Cast("float32", i)), "i"),
    (Cast("uint8", Cast("float32", t)), "uint8(float32(t))"),
    (Cast("float16", Cast("float64", x)), "float16(x)"),
    (Cast("float64", Cast("float16", x)), "float64(float16(x))"),
    (Cast("float64", Cast("float32", half)), "float64(h)"),
    (Cast("int64", Cast("int32", x)), "int64(int32(x))"),
    (Cast("int32", Cast("bool", n)), "int32(bool(n))"),
    (Cast("bool", Cast("int8", n)), "bool(int8(n))"),
    (Cast("bool", Cast("int64", n)), "bool(n)"),
    (Cast("bool", Cast("int32", p)), "p"),
]

SELECTS = [
    (Select(i < 16, n, m), "n"),
    (Select(i < 0, n, m), "m"),
    (Select(p, n, n), "n"),
    (Select(p, const(True), const(False)), "p"),
    (Select(p, const(False), const(True)), "!p"),
    (Select(p, const(1), const(0)), "select(p, 1, 0)"),
]

FOLDED = [
    (const(2) + 3, "5"),
    (const(127, "int8") + const(1, "int8"), "(int8_t)-128"),
    (const(-128, "int8") / const(-1, "int8"), "(int8_t)-128"),
    (const(0, "uint8") - const(1, "uint8"), "(uint8_t)255"),
    (const(7) / -2, "-3"),
    (const(-7) % 2, "-1"),
    (const(7) / 0, "(7 / 0)"),
    (const(7) % 0, "(7 % 0)"),
    (tir.FracOp(const(6), const(3)), "2"),
    (tir.FracOp(const(7), const(3)), "(7 / 3)"),
    (const(1.0) / 3.0, "0.333333343f"),
    (const(1.0) / 0.0, "inf"),
    (const(0.0) / 0.0, "(0.00000000f / 0.00000000f)"),
    (const(3e38) * 10.0, "inf"),
    (const(0.1) + 0.2, "0.300000012f"),
    (const(0.1, "float64") + const(0.2, "float64"), "0.30000000000000004"),
    (const(2049, "float16") + const(1, "float16"), "(float16)2048.0f"),
    (tir.Min(const(NAN), const(1.0)), "1.00000000f"),
    (tir.Min(const(1.0), const(NAN)), "nan"),
    (tir.Max(const(-0.0), const(0.0)), "0.00000000f"),
    (tir.Max(const(0.0), const(-0.0)), "-0.00000000f"),
    (tir.EQ(const(NAN), const(NAN)), "false"),
    (tir.NE(const(NAN), const(NAN)), "true"),
    (Cast("int8", const(300)), "(int8_t)44"),
    (Cast("int32", const(-2.7)), "-2"),
    (Cast("int32", const(3e9)), "int32(3.00000000e+09f)"),
    (Cast("int32", const(NAN)), "int32(nan)"),
    (Cast("bool", const(NAN)), "true"),
    (Cast("float32", const(16777217)), "16777216.0f"),
    (-const(-128, "int8"), "(int8_t)-128"),
    (tir.Not(const(True)), "false"),
    (tir.Sum((const(1), const(2), const(3))), "6"),
    (tir.Sum((const(1e8), const(1.0), const(-1e8))), "0.00000000f"),
]

VECTORS = [
    (Ramp(n, m, 4) + lanes(i), "Ramp((n + i),m,4)"),
    (lanes(i) + Ramp(n, m, 4), "Ramp((i + n),m,4)"),
    (Ramp(n, m, 4) - lanes(i), "Ramp((n - i),m,4)"),
    (lanes(i) - Ramp(n, m, 4), "Ramp((i - n),-(m),4)"),
    (Ramp(n, m, 4) - Ramp(m, n, 4), "Ramp((n - m),(m - n),4)"),
    (Ramp(n, const(3), 4) * lanes(2), "Ramp((2 * n),6,4)"),
    (lanes(2) * Ramp(n, const(3), 4), "Ramp((2 * n),6,4)"),
    (-Ramp(n, m, 4), "Ramp(-(n),-(m),4)"),
    (Ramp(i * 8, const(4), 4) / lanes(4), "Ramp((2 * i),1,4)"),
    (Ramp(i * 8, const(1), 4) / lanes(4), "Broadcast((2 * i),4)"),
    (Ramp(i * 8, const(1), 8) / lanes(4, 8), "(Ramp((8 * i),1,8) / Broadcast(4,8))"),
    (Ramp(i * 8 + 2, const(1), 4) / lanes(4), "(Ramp(((8 * i) + 2),1,4) / Broadcast(4,4))"),
    (Ramp(k * 8, const(4), 4) / lanes(4), "(Ramp((8 * k),4,4) / Broadcast(4,4))"),
    (Ramp(i, const(4), 4) % lanes(4), "Broadcast((i % 4),4)"),
    (Ramp(k, const(4), 4) % lanes(4), "(Ramp(k,4,4) % Broadcast(4,4))"),
    (Ramp(i * 8, const(1), 4) % lanes(4), "Ramp(0,1,4)"),
    (Ramp(i, const(3), 4) % lanes(4), "(Ramp(i,3,4) % Broadcast(4,4))"),
    (Ramp(n, const(0), 4), "Broadcast(n,4)"),
    (lanes(n) * lanes(m), "Broadcast((n * m),4)"),
    (lanes(2) + lanes(3), "Broadcast(5,4)"),
    (lanes(x) * lanes(const(1.0)), "Broadcast(x,4)"),
    (Cast("int64<4>", lanes(n)), "Broadcast(int64(n),4)"),
    (Select(lanes(p), lanes(n), lanes(m)), "select(p, Broadcast(n,4), Broadcast(m,4))"),
]

KEPT = [
    (A[n] - A[n], "(A[n] - A[n])"),
    (A[i] - A[i], "0"),
    (A[i + 1] - A[i + 1], "(A[(i + 1)] - A[(i + 1)])"),
    (T[i] - T[i], "(T[i] - T[i])"),
    (A[n] + A[n], "(2 * A[n])"),
    (A[n] * 0, "(A[n] * 0)"),
    (n / m * 0, "((n / m) * 0)"),
    (n / (j + 1) * 0, "0"),
    (Cast("int32", x) * 0, "(int32(x) * 0)"),
    (Select(i < 16, n, n / m), "select(true, n, (n / m))"),
    (Select(n / m < 3, i, i), "select(((n / m) < 3), i, i)"),
    ((A[n] < 3) & False, "((A[n] < 3) and false)"),
    (-A[n] + n, "(-(A[n]) + n)"),
    (-A[i] + n, "(n - A[i])"),
    (tir.Min(A[n], A[n]), "A[n]"),
    (A[n] % 1, "(A[n] % 1)"),
    (A[n] / A[n], "(A[n] / A[n])"),
]
"""What may fault is still evaluated, and in the same order."""

ALL = [
    *ARITHMETIC,
    *FLOATS,
    *DIVISION,
    *EXTREMA,
    *LOGIC,
    *CASTS,
    *SELECTS,
    *FOLDED,
    *VECTORS,
    *KEPT,
]


@each("case", ALL)
def test_expression_becomes(case):
    value, text = case
    assert after(value) == text, str(value)
