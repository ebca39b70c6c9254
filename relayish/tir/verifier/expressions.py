"""Rules of expressions: the types of their operands."""

from __future__ import annotations

from typing import Final

from relayish.ir.kinds.one_line import one_line
from relayish.ir.verification.rules import VERIFY_RULES, Report
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.flags import ReduceType
from relayish.tir.ir.type import Type
from relayish.tir.verifier.rules import is_number, is_numeric
from relayish.tir.verifier.violation import Rule, typed


@VERIFY_RULES.register(ops.IntImm)
@VERIFY_RULES.register(ops.UIntImm)
def check_integer(literal: ops.IntImm | ops.UIntImm, report: Report) -> None:
    """An integer literal is of a scalar type of its sign, and in its range."""
    given = literal.dtype
    signed = type(literal) is ops.IntImm
    if given.lanes != 1 or not (given.is_int if signed else given.is_uint):
        wanted = "a signed" if signed else "an unsigned"
        report(
            Rule.LITERAL,
            literal,
            f"{type(literal).__name__} {literal.value} is of type {given}; expected {wanted} "
            f"integer type without lanes: use tir.const({literal.value}, type)",
        )
        return
    low, high = ops.integer_range(given)
    if not low <= literal.value <= high:
        report(
            Rule.LITERAL,
            literal,
            f"the literal {literal.value} is out of range of {given}, which is {low} to {high}; "
            f"give it a wider type",
        )


@VERIFY_RULES.register(ops.FloatImm)
def check_float(literal: ops.FloatImm, report: Report) -> None:
    """A floating-point literal is of a scalar type of such numbers."""
    given = literal.dtype
    if given.lanes != 1 or not given.is_float:
        report(
            Rule.LITERAL,
            literal,
            f"FloatImm {literal.value} is of type {given}; expected a floating-point type without "
            f"lanes: use tir.const({literal.value}, type)",
        )


def _agree(node: ops.BinaryOpNode, report: Report) -> bool:
    """Report unless both operands have one type."""
    a, b = node.a.type, node.b.type
    if a is b or a == b:
        return True
    report(
        Rule.TYPE,
        node,
        f"{type(node).__name__} is given {typed(node.a)} and {typed(node.b)}; both must have one "
        f"type: cast one, or broadcast it",
    )
    return False


@VERIFY_RULES.register(ops.Add)
@VERIFY_RULES.register(ops.Sub)
@VERIFY_RULES.register(ops.Mul)
@VERIFY_RULES.register(ops.Div)
@VERIFY_RULES.register(ops.Mod)
@VERIFY_RULES.register(ops.FracOp)
def check_arithmetic(node: ops.BinaryOpNode, report: Report) -> None:
    """Arithmetic is done on two numbers of one type."""
    if _agree(node, report) and not is_number(node.a.type):
        _refuse_operand(node, node.a.type, report)


@VERIFY_RULES.register(ops.Min)
@VERIFY_RULES.register(ops.Max)
@VERIFY_RULES.register(ops.ComparisonNode)
def check_comparison(node: ops.BinaryOpNode, report: Report) -> None:
    """Two numbers, or two truth values, of one type are compared."""
    if _agree(node, report) and not is_numeric(node.a.type):
        _refuse_operand(node, node.a.type, report)


@VERIFY_RULES.register(ops.And)
@VERIFY_RULES.register(ops.Or)
def check_connective(node: ops.BinaryOpNode, report: Report) -> None:
    """Truth values are connected, as many on both sides."""
    if _agree(node, report) and not node.a.type.is_bool:
        _refuse_truth(node, node.a.type, report)


@VERIFY_RULES.register(ops.Not)
def check_not(node: ops.Not, report: Report) -> None:
    """A truth value is negated."""
    if not node.v.type.is_bool:
        _refuse_truth(node, node.v.type, report)


@VERIFY_RULES.register(ops.Minus)
def check_minus(node: ops.Minus, report: Report) -> None:
    """A number is negated."""
    if not is_number(node.v.type):
        _refuse_operand(node, node.v.type, report)


@VERIFY_RULES.register(ops.NaryOpNode)
def check_many(node: ops.NaryOpNode, report: Report) -> None:
    """A sum or product has operands, all of them numbers of one type."""
    name = type(node).__name__
    if not node.operands:
        report(
            Rule.TYPE,
            node,
            f"{name} has no operands; it needs one or more: write its identity as a literal",
        )
        return
    first = node.operands[0]
    if not is_number(first.type):
        _refuse_operand(node, first.type, report)
        return
    for operand in node.operands[1:]:
        if operand.type != first.type:
            report(
                Rule.TYPE,
                node,
                f"{name} is given {typed(first)} and {typed(operand)}; all operands must have one "
                f"type: cast one, or broadcast it",
            )
            return


def _refuse_operand(
    node: ops.BinaryOpNode | ops.UnaryOpNode | ops.NaryOpNode, found: Type, report: Report
) -> None:
    name = type(node).__name__
    compares = isinstance(node, ops.ComparisonNode | ops.Min | ops.Max)
    if found.is_bool:
        wanted = "numbers: use And, Or, Not or NE of truth values, or cast them"
    elif compares:
        wanted = "numbers or truth values"
    else:
        wanted = "numbers"
    report(Rule.TYPE, node, f"{name} is given operands of type {found}; expected {wanted}")


def _refuse_truth(node: ops.BinaryOpNode | ops.UnaryOpNode, found: Type, report: Report) -> None:
    report(
        Rule.TYPE,
        node,
        f"{type(node).__name__} is given operands of type {found}; expected truth values: compare "
        f"the number with 0",
    )


@VERIFY_RULES.register(ops.Cast)
def check_cast(cast: ops.Cast, report: Report) -> None:
    """Numbers become numbers in as many lanes, addresses addresses."""
    given, wanted = cast.v.type, cast.dtype
    if given.is_pointer and wanted.is_pointer:
        return
    if not (is_numeric(given) and is_numeric(wanted)):
        report(
            Rule.TYPE,
            cast,
            f"{typed(cast.v)} is cast to {wanted}; numbers can be cast to numbers, and addresses "
            f"to addresses",
        )
    elif given.lanes != wanted.lanes:
        report(
            Rule.TYPE,
            cast,
            f"{typed(cast.v)} is cast to {wanted}; a cast keeps the number of lanes: broadcast a "
            f"scalar with Broadcast",
        )


@VERIFY_RULES.register(ops.Select)
def check_select(select: ops.Select, report: Report) -> None:
    """A truth value, or one for each lane, selects from two values of one type."""
    yes, no, condition = select.true_value.type, select.false_value.type, select.condition.type
    if yes != no:
        report(
            Rule.TYPE,
            select,
            f"Select is given {typed(select.true_value)} and {typed(select.false_value)}; both "
            f"must have one type: cast one, or broadcast it",
        )
    if not condition.is_bool:
        report(
            Rule.TYPE,
            select,
            f"the condition of Select is {typed(select.condition)}; expected a truth value: "
            f"compare the number with 0",
        )
    elif condition.lanes not in (1, yes.lanes):
        report(
            Rule.TYPE,
            select,
            f"the condition of Select has {condition.lanes} lanes, and the values have "
            f"{yes.lanes}; expected one truth value, or one for each lane",
        )


@VERIFY_RULES.register(ops.Ramp)
def check_ramp(ramp: ops.Ramp, report: Report) -> None:
    """A ramp begins and steps with scalars of one type, and has lanes."""
    base, stride = ramp.base.type, ramp.stride.type
    if base.lanes != 1 or not is_number(base):
        report(Rule.TYPE, ramp, f"Ramp begins with {typed(ramp.base)}; expected a scalar number")
    elif stride != base:
        report(
            Rule.TYPE,
            ramp,
            f"Ramp begins with {typed(ramp.base)} and steps by {typed(ramp.stride)}; both must "
            f"have one type: cast the step",
        )
    _check_lanes(ramp, report)


@VERIFY_RULES.register(ops.Broadcast)
def check_broadcast(broadcast: ops.Broadcast, report: Report) -> None:
    """A scalar is broadcast, to one lane or more."""
    found = broadcast.value.type
    if found.lanes != 1 or not is_numeric(found):
        report(
            Rule.TYPE,
            broadcast,
            f"Broadcast repeats {typed(broadcast.value)}; expected a scalar number or truth value",
        )
    _check_lanes(broadcast, report)


def _check_lanes(vector: ops.Ramp | ops.Broadcast, report: Report) -> None:
    if vector.lanes < 1:
        report(
            Rule.TYPE,
            vector,
            f"{type(vector).__name__} has {vector.lanes} lanes; a vector has one or more",
        )


_TRUTH: Final = frozenset([ReduceType.ALL, ReduceType.ANY])


@VERIFY_RULES.register(Reduce)
def check_reduce(reduce: Reduce, report: Report) -> None:
    """The initial value is of the body's type; its axes are of integers, each with both bounds."""
    found = reduce.body.type
    if reduce.init.type != found:
        report(
            Rule.REDUCE,
            reduce,
            f"Reduce begins with {typed(reduce.init)} and combines it with {typed(reduce.body)}; "
            f"both must have one type: cast the first",
        )
    kind = reduce.reduce_type
    if kind in _TRUTH and not found.is_bool:
        report(
            Rule.REDUCE,
            reduce,
            f"Reduce of kind {kind.value} combines {typed(reduce.body)}; expected truth values: "
            f"compare the number with 0",
        )
    elif kind not in _TRUTH and not is_number(found):
        report(
            Rule.REDUCE,
            reduce,
            f"Reduce of kind {kind.value} combines {typed(reduce.body)}; expected numbers: use "
            f"the kinds all and any for truth values",
        )
    for axis in reduce.reduce_axis:
        if axis.lower_bound is None or axis.upper_bound is None:
            report(
                Rule.REDUCE,
                reduce,
                f"Reduce runs over {one_line(axis)}, which has no bounds; give the axis both: "
                f"tir.Var(name, lower_bound=..., upper_bound=...)",
            )
