"""Rules of expressions: literals and operators, and their operands."""

from __future__ import annotations

from relayish.core.ir import expr as ops
from relayish.core.ir.family import Expr
from relayish.core.ir.type import Type
from relayish.core.verifier.rule import Rule, is_value, typed
from relayish.ir.kinds.one_line import one_line
from relayish.ir.verification.rules import VERIFY_RULES, Report


@VERIFY_RULES.register(ops.Intconst)
def check_intconst(literal: ops.Intconst, report: Report) -> None:
    """An integer, truth value or address is in the range of its type."""
    given = literal.rtype
    if not (given.is_integer or given.is_bool or given.is_pointer):
        report(
            Rule.TYPE,
            literal,
            f"intconst {literal.value} is of type {given}; expected a type of integers, truth "
            f"values or addresses: other numbers are constants, Ldc(Constant(...))",
        )
        return
    low, high = ops.integer_range(given)
    if not low <= literal.value <= high:
        report(
            Rule.LITERAL,
            literal,
            f"intconst {literal.value} is out of range of {given}, which is {low} to {high}",
        )


@VERIFY_RULES.register(ops.Zero)
def check_zero(literal: ops.Zero, report: Report) -> None:
    """There is a zero of every type that has values."""
    if not is_value(literal.rtype):
        report(
            Rule.TYPE, literal, f"zero is of type {literal.rtype}; expected a type that has values"
        )


@VERIFY_RULES.register(ops.One)
def check_one(literal: ops.One, report: Report) -> None:
    """There is a one of numbers and truth values."""
    if not (literal.rtype.is_number or literal.rtype.is_bool):
        report(
            Rule.TYPE,
            literal,
            f"one is of type {literal.rtype}; expected a type of numbers or truth values",
        )


def _check_alike(node: ops.BinaryOp, report: Report) -> bool:
    """Return whether both operands have one type; report it where they do not."""
    if node.a.type == node.b.type:
        return True
    report(
        Rule.TYPE,
        node,
        f"{type(node).visit_name} is given {typed(node.a)} and {typed(node.b)}; both must have "
        f"one type",
    )
    return False


def _check_operand(node: Expr, operand: Expr, holds: bool, expected: str, report: Report) -> None:
    if not holds:
        report(
            Rule.TYPE,
            node,
            f"{type(node).visit_name} is given {typed(operand)}; expected {expected}",
        )


def _is_bits(given: Type) -> bool:
    return given.is_integer or given.is_bool


@VERIFY_RULES.register(ops.BinaryOp)
def check_arithmetic(node: ops.BinaryOp, report: Report) -> None:
    """Arithmetic takes two numbers of one type."""
    if _check_alike(node, report):
        _check_operand(node, node.a, node.a.type.is_number, "numbers", report)


@VERIFY_RULES.register(ops.Mod)
def check_mod(node: ops.Mod, report: Report) -> None:
    """A remainder is one of integers."""
    if _check_alike(node, report):
        _check_operand(node, node.a, node.a.type.is_integer, "integers", report)


@VERIFY_RULES.register(ops.BitOp)
def check_bit_operator(node: ops.BitOp, report: Report) -> None:
    """Operators on bits take two integers, or truth values, of one type."""
    if _check_alike(node, report):
        _check_operand(node, node.a, _is_bits(node.a.type), "integers or truth values", report)


@VERIFY_RULES.register(ops.Bnot)
def check_bnot(node: ops.Bnot, report: Report) -> None:
    """The bits of an integer are inverted."""
    _check_operand(node, node.a, node.a.type.is_integer, "an integer; of truths take lnot", report)


@VERIFY_RULES.register(ops.LogicOp)
def check_logic(node: ops.LogicOp, report: Report) -> None:
    """Connectives take truth values."""
    for operand in (node.a, node.b):
        _check_operand(node, operand, operand.type.is_bool, "truth values", report)


@VERIFY_RULES.register(ops.Lnot)
def check_lnot(node: ops.Lnot, report: Report) -> None:
    """What is negated is a truth value."""
    _check_operand(node, node.a, node.a.type.is_bool, "a truth; of integers take bnot", report)


@VERIFY_RULES.register(ops.ShiftOp)
def check_shift(node: ops.ShiftOp, report: Report) -> None:
    """An integer is shifted by an integer that is less than its width, where that is known."""
    for operand in (node.a, node.b):
        _check_operand(node, operand, operand.type.is_integer, "integers", report)
    places = node.b
    if not isinstance(places, ops.Intconst) or not node.a.type.is_integer:
        return
    if not 0 <= places.value < node.a.type.bits:
        report(
            Rule.LITERAL,
            node,
            f"{type(node).visit_name} moves {typed(node.a)} by {places.value}; expected 0 to "
            f"{node.a.type.bits - 1}",
        )


@VERIFY_RULES.register(ops.Comparison)
def check_order(node: ops.Comparison, report: Report) -> None:
    """Numbers of one type are ordered."""
    if _check_alike(node, report):
        expected = "numbers; other values are equal or not, eq and ne"
        _check_operand(node, node.a, node.a.type.is_number, expected, report)


@VERIFY_RULES.register(ops.Eq)
@VERIFY_RULES.register(ops.Ne)
def check_equality(node: ops.Eq | ops.Ne, report: Report) -> None:
    """Numbers, truth values and addresses of one type are equal or not."""
    if _check_alike(node, report):
        expected = f"numbers, truth values or addresses, each field by itself: {one_line(node)}"
        _check_operand(node, node.a, node.a.type.is_scalar, expected, report)
