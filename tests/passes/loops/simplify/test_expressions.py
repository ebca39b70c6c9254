"""What simplification makes of expressions, rule by rule, and what it leaves alone.

They are in ``tests/cases/loops/expressions.txt``, each a line: the expression, and what it becomes.
Variables ``i``, ``j`` and ``k`` run over 0 to 15, 0 to 3 and -8 to 7; ``n`` and ``m`` may be
anything, ``x`` is any float, ``p`` any truth value; ``t`` and ``u`` are of 8 bits. ``A`` is an
argument, ``v`` and ``w`` are vectors, ``T`` is a temporary, which may not have been written.
"""

from __future__ import annotations

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.transform import get_pass
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases
from tests.support.tir_arithmetic import function_of, stored

RANGES = {"i": (0, 16), "j": (0, 4), "k": (-8, 8), "q": (8, 12)}
DETAILS = """
buffer _A: int32[16]
tensor A: int32[16]
tensor T: int32[16]
var r: int32
each x: float32
each y: float32
each p: bool
each t: int8
each u: uint8
each h: float16
each v: int32<4>
each w: bool<4>
"""
FAMILIES = read_cases(CASES / "loops" / "expressions.txt")
ALL = [line for (lines,) in FAMILIES.values() for line in lines.splitlines()]


def after(text: str, by: str = "Simplify") -> str:
    """Return the text of what becomes of a value, which a second application leaves alone."""
    value, _, kind = text.partition(" // ")
    head = f"function f (_A, n, m, x, y, p, t, u, h, v, w, i, j, k, q)\n{{\n  r[] = {value}\n}}\n"
    read = tir.parse(f"{head}#[details]{DETAILS}{kind and f'3:9: {kind}'}")
    args = {arg.name: arg for arg in read.args}
    ranges = {args.pop(name): bounds for name, bounds in RANGES.items()}
    func = function_of(stored(read), ranges, *args.values())
    out = get_pass(by)(IRModule({"f": func}))["f"]
    assert get_pass(by)(IRModule({"f": out}))["f"] is out
    return str(stored(out))


@each("line", ALL)
def test_expression_becomes(line):
    value, text = line.split(" ==> ")
    assert after(value) == text
