"""Rules of statements: their values, bodies and loops."""

from __future__ import annotations

from relayish.errors import indefinite
from relayish.ir.kinds.one_line import one_line
from relayish.ir.kinds.one_line import one_line_at as at
from relayish.ir.verification.rules import VERIFY_RULES, Report
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var
from relayish.tir.verifier.loop_kinds import check_loop_kind
from relayish.tir.verifier.rules import is_index, is_numeric, is_truth_value
from relayish.tir.verifier.violation import Rule, typed


@VERIFY_RULES.register(stmts.Let)
def check_let(let: stmts.Let, report: Report) -> None:
    """A variable is declared with a value of its type."""
    declared = let.symbol.dtype
    if declared.is_void:
        report(
            Rule.TYPE,
            let,
            f"Let declares {one_line(let.symbol)} of type void; expected a type that has values",
        )
        return
    if let.body is None or let.body.type == declared:
        return
    if not (is_numeric(declared) or declared.is_pointer):
        return  # a structure that only C code knows, and what it converts
    report(
        Rule.TYPE,
        let,
        f"Let declares {typed(let.symbol)} with the value {typed(let.body)}; both must have one "
        f"type: cast the value",
    )


@VERIFY_RULES.register(stmts.IfThenElse)
def check_if(branch: stmts.IfThenElse, report: Report) -> None:
    """The condition of a branch is one truth value."""
    _check_condition(branch, "IfThenElse", branch.condition, report)
    for case in (branch.true_case, branch.false_case):
        if case is not None:
            check_realized(branch, case, report)


@VERIFY_RULES.register(stmts.Block)
def check_block(block: stmts.Block, report: Report) -> None:
    """Schedule blocks stand in a block with the values of their variables."""
    for stmt in block.stmts:
        check_realized(block, stmt, report)


@VERIFY_RULES.register(stmts.For)
def check_for(loop: stmts.For, report: Report) -> None:
    """A loop counts from ``min``, as often as ``extent`` says, with integers of one type."""
    _check_counter(loop, loop.loop_var, report)
    for name, value in (("min", loop.min), ("extent", loop.extent)):
        _check_counted(loop, loop.loop_var, name, value, report)
    _check_body(loop, loop.body, report)
    check_loop_kind(loop, report)


@VERIFY_RULES.register(stmts.PolyFor)
def check_poly_for(loop: stmts.PolyFor, report: Report) -> None:
    """A loop counts from ``init`` by ``inc`` while a truth value holds."""
    _check_counter(loop, loop.iterator, report)
    for name, value in (("init", loop.init), ("inc", loop.inc)):
        _check_counted(loop, loop.iterator, name, value, report)
    _check_condition(loop, "PolyFor", loop.condition, report)
    _check_body(loop, loop.body, report)
    check_loop_kind(loop, report)


@VERIFY_RULES.register(stmts.ScheduleBlock)
def check_schedule_block(block: stmts.ScheduleBlock, report: Report) -> None:
    """The variables of a schedule block count elements."""
    for variable in block.iter_vars:
        if not is_index(variable.dtype):
            report(
                Rule.SCHEDULE_BLOCK,
                block,
                f"variable {typed(variable)} of schedule block {block.name!r} counts; expected "
                f"int32 or int64",
            )
    check_realized(block, block.body, report)


@VERIFY_RULES.register(stmts.ScheduleBlockRealize)
def check_realize(realize: stmts.ScheduleBlockRealize, report: Report) -> None:
    """Each variable of a schedule block gets one value, of its type."""
    block, values = realize.schedule_block, realize.iter_values
    if len(values) != len(block.iter_vars):
        report(
            Rule.SCHEDULE_BLOCK,
            realize,
            f"schedule block {block.name!r} has {len(block.iter_vars)} variables and is given "
            f"{len(values)} values; give each variable one",
        )
    for variable, value in zip(block.iter_vars, values, strict=False):
        if variable.dtype != value.type:
            report(
                Rule.SCHEDULE_BLOCK,
                realize,
                f"variable {typed(variable)} of schedule block {block.name!r} is given "
                f"{typed(value)}; both must have one type: cast the value",
            )


def check_realized(parent: object, stmt: Stmt, report: Report) -> None:
    """A schedule block stands nowhere but in what gives its variables their values."""
    if type(stmt) is stmts.ScheduleBlock:
        report(
            Rule.STRUCTURE,
            stmt,
            f"schedule block {stmt.name!r} stands in {indefinite(type(parent))} without values "
            f"for its variables; put it into a ScheduleBlockRealize",
        )


def _check_body(loop: stmts.For | stmts.PolyFor, body: Stmt, report: Report) -> None:
    if type(body) is not stmts.Block:
        report(
            Rule.STRUCTURE,
            loop,
            f"the body of {one_line(loop)} is {at(body)}; expected a Block: write Block((body,))",
        )


def _check_counter(loop: stmts.For | stmts.PolyFor, variable: Var, report: Report) -> None:
    if not is_index(variable.dtype):
        report(
            Rule.TYPE,
            loop,
            f"{type(loop).__name__} counts with {typed(variable)}; expected int32 or int64",
        )


def _check_counted(
    loop: stmts.For | stmts.PolyFor, variable: Var, name: str, value: Expr, report: Report
) -> None:
    if value.type != variable.dtype:
        report(
            Rule.TYPE,
            loop,
            f"{name} of {type(loop).__name__} is {typed(value)}, and its variable is "
            f"{typed(variable)}; both must have one type: cast the first",
        )


def _check_condition(node: Stmt, name: str, condition: Expr, report: Report) -> None:
    if not is_truth_value(condition.type):
        report(
            Rule.TYPE,
            node,
            f"the condition of {name} is {typed(condition)}; expected one truth value: compare "
            f"the number with 0",
        )
