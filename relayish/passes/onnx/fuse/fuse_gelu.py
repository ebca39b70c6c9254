"""Gelu fusion: compute Gaussian error linear units by their own operator.

Before::

    let %a = Div_14(%x, 1.4142135f);
    let %b = Erf_13(%a);
    let %c = Add_14(%b, 1f);
    let %d = Mul_14(%x, %c);
    let %y = Mul_14(%d, 0.5f);

After::

    let %y = Gelu_20(%x);
"""

from __future__ import annotations

import math
from typing import Final

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.constants import number_of
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule

_ACCURACY: Final = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-5}
"""How far constants of a program may be from what they stand for: models have five digits."""
_MOST_TERMS: Final = 12
"""How many operators a formula may have, at most."""

_ERF: Final = {1: math.sqrt(0.5)}
_TANH: Final = {1: math.sqrt(2 / math.pi), 3: math.sqrt(2 / math.pi) * 0.044715}

_Polynomial = dict[int, float]
"""Coefficients by the power of the variable."""


@register_pass("FuseGelu", opt_level=3, idempotent=True)
def fuse_gelu(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Gelu fusion: compute Gaussian error linear units by their own operator.

    ``x / 2 * (1 + erf(x / sqrt(2)))`` becomes ``Gelu``, and ``x / 2 * (1 + tanh(sqrt(2 / pi) * (x +
    0.044715 * x ** 3)))`` the same with ``approximate="tanh"``, in whatever order they are
    multiplied; from version 20 on. Results may be rounded differently.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)


@rule("Mul", "Div")
def form_gelu(call: Call, graph: Rewriter) -> Call | None:
    """Return ``Gelu`` for a product of a value, one half and the distribution function."""
    found = find_gelu(call, graph) if graph.has_operator("Gelu") else None
    if found is None:
        return None
    source, approximation = found
    attrs = {} if approximation is None else {"approximate": approximation}
    return graph.call("Gelu", (source,), attrs, like=call)


def find_gelu(call: Call, graph: Rewriter) -> tuple[Expr, str | None] | None:
    """Return what a product is the error linear unit of, and by which approximation.

    Runtimes that know the operator know it by these products, too, if they are left whole.
    """
    scale, factors = _split_product(call, graph)
    if len(factors) != 2:
        return None
    for source, gate in (factors, factors[::-1]):
        accuracy = _ACCURACY.get(graph.dtype_of(source) or "")
        if accuracy is None or not graph.rank_of(source):
            continue
        function = _function_plus_one(gate, graph)
        if function is None or not math.isclose(scale, 0.5, rel_tol=accuracy):
            continue
        found = _expand(inputs_of(function)[0], source, graph)
        is_tanh = graph.operator(function) == "Tanh"
        if found is not None and _is_close(found, _TANH if is_tanh else _ERF, accuracy):
            return source, "tanh" if is_tanh else None
    return None


def _split_product(call: Call, graph: Rewriter) -> tuple[float, list[Expr]]:
    """Return the number, and other factors, of products that nothing else uses."""
    scale, factors, calls = 1.0, list[Expr](), 1
    pending: list[tuple[Expr, Call | None]] = [(graph.current, call)]
    while pending and len(factors) < _MOST_TERMS:
        value, product = pending.pop()
        if product is None:
            factors.append(value)
            continue
        operands = inputs_of(product)
        is_quotient = graph.operator(product) == "Div"
        for place, each in enumerate(operands):
            number = number_of(each, graph)
            if number is not None and number != 0:
                scale *= 1 / number if is_quotient and place else number
                continue
            if is_quotient and place:
                return math.nan, []
            inner = graph.producer(each, "Mul", "Div") if graph.is_used_once(each) else None
            calls += inner is not None
            pending.append((each, inner if calls < _MOST_TERMS else None))
    return scale, factors


def _function_plus_one(gate: Expr, graph: Rewriter) -> Call | None:
    """Return the call of ``Erf`` or ``Tanh`` to which 1 is added, used for nothing else."""
    add = graph.producer(gate, "Add")
    if add is None or not graph.is_used_once(gate):
        return None
    for value, one in (inputs_of(add), inputs_of(add)[::-1]):
        if number_of(one, graph) == 1 and graph.is_used_once(value):
            return graph.producer(value, "Erf", "Tanh")
    return None


def _expand(expr: Expr, source: Expr, graph: Rewriter) -> _Polynomial | None:
    """Return what is computed from ``source`` as a polynomial of it, if it is one.

    Complexity:
        Bounded: formulas of many operators are given up.
    """
    known: dict[Expr, _Polynomial] = {source: {1: 1.0}}
    stack = [expr]
    while stack:
        value = stack[-1]
        if value in known:
            stack.pop()
            continue
        number = number_of(value, graph)
        if number is not None:
            known[value] = {0: number}
            continue
        call = graph.producer(value, "Add", "Div", "Mul", "Pow")
        if call is None or len(stack) > _MOST_TERMS or len(known) > 2 * _MOST_TERMS:
            return None
        pending = [each for each in inputs_of(call) if each not in known]
        if pending:
            stack += pending
            continue
        found = _combine(graph.operator(call), *[known[each] for each in inputs_of(call)])
        if found is None:
            return None
        known[value] = found
    return known[expr]


def _combine(operator: str | None, lhs: _Polynomial, rhs: _Polynomial) -> _Polynomial | None:
    """Return a sum, a product, a quotient by a number, or a small power."""
    if operator == "Add":
        return {power: lhs.get(power, 0.0) + rhs.get(power, 0.0) for power in lhs | rhs}
    if operator == "Mul":
        return _multiply(lhs, rhs)
    if list(rhs) != [0]:
        return None
    number = rhs[0]
    if operator == "Div":
        return _multiply(lhs, {0: 1 / number}) if number else None
    if number not in (2, 3):
        return None
    square = _multiply(lhs, lhs)
    return square if number == 2 else _multiply(square, lhs)


def _multiply(lhs: _Polynomial, rhs: _Polynomial) -> _Polynomial:
    found: _Polynomial = {}
    for one, left in lhs.items():
        for other, right in rhs.items():
            found[one + other] = found.get(one + other, 0.0) + left * right
    return found


def _is_close(found: _Polynomial, expected: _Polynomial, accuracy: float) -> bool:
    return found.keys() == expected.keys() and all(
        math.isclose(found[power], expected[power], rel_tol=accuracy) for power in expected
    )


RULES: Final = OnnxRules((form_gelu,))
