"""Rules of statements and definitions, and their parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from relayish.core.ir import stmt as stmts
from relayish.core.ir.definition import FuncEntry, GlobalVariable, StructDef
from relayish.core.ir.expr import Ldc, Ldca, Literal
from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.core.ir.memory import Lda, pointee_of, type_of
from relayish.core.ir.symbol import Global, Preg
from relayish.core.ir.type import Type
from relayish.core.verifier.rule import Rule, is_value, typed
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.verification.rules import VERIFY_RULES, Report, count_of


@VERIFY_RULES.register(stmts.Invalid)
def check_invalid(node: stmts.Invalid, report: Report) -> None:
    """What is a mark of passes is not left."""
    report(
        Rule.STRUCTURE,
        node,
        "a statement is invalid; expected one that runs: the pass that put it there is to replace "
        "it",
    )


@VERIFY_RULES.register(stmts.Block)
def check_block(block: stmts.Block, report: Report) -> None:
    """Nothing stands behind the end of a list of statements."""
    for stmt in block.stmts[:-1]:
        if isinstance(stmt, stmts.EndStmtList):
            report(
                Rule.STRUCTURE,
                stmt,
                "end_stmt_list stands in the middle of a block; expected it at the end",
            )


@VERIFY_RULES.register(stmts.If)
def check_if(branching: stmts.If, report: Report) -> None:
    """The condition of a branch is a truth value."""
    _check_condition(branching, branching.condition, report)


@VERIFY_RULES.register(stmts.WhileDo)
@VERIFY_RULES.register(stmts.DoWhile)
def check_while(loop: stmts.WhileDo | stmts.DoWhile, report: Report) -> None:
    """The condition of a loop is a truth value."""
    _check_condition(loop, loop.condition, report)


@VERIFY_RULES.register(stmts.DoLoop)
def check_do_loop(loop: stmts.DoLoop, report: Report) -> None:
    """A for loop gives an integer variable values of its type while a truth value holds."""
    held = type_of(loop.iv)
    if not held.is_integer:
        report(
            Rule.TYPE,
            loop,
            f"do_loop counts with {one_line(loop.iv)} of type {held}; expected an integer",
        )
    for name, value in (("init", loop.init), ("increment", loop.increment)):
        if value.type != held:
            report(
                Rule.TYPE,
                loop,
                f"{name} of do_loop is {typed(value)}; expected {held}, the type of "
                f"{one_line(loop.iv)}",
            )
    _check_condition(loop, loop.compare, report)


def _check_condition(node: Stmt, condition: Expr, report: Report) -> None:
    if not condition.type.is_bool:
        report(
            Rule.TYPE,
            node,
            f"the condition of {type(node).visit_name} is {typed(condition)}; expected a truth "
            f"value: compare it with 0",
        )


@VERIFY_RULES.register(stmts.Call)
def check_call(call: stmts.Call, report: Report) -> None:
    """A function gets the arguments it takes."""
    signature = call.entry.type
    if not signature.is_function:
        report(
            Rule.CALL,
            call,
            f"call calls {one_line(call.entry)} of type {signature}; expected a function",
        )
        return
    _check_called(call, signature, call.args, call.result, report)


@VERIFY_RULES.register(stmts.Icall)
def check_icall(call: stmts.Icall, report: Report) -> None:
    """A function at an address gets the arguments it takes."""
    signature = pointee_of(call.address)
    if not signature.is_function:
        report(
            Rule.CALL,
            call,
            f"icall calls {typed(call.address)}; expected the address of a function",
        )
        return
    _check_called(call, signature, call.args, call.result, report)


def _check_called(
    call: stmts.Call | stmts.Icall,
    signature: Type,
    args: Sequence[Expr],
    result: Preg | None,
    report: Report,
) -> None:
    name, params = type(call).visit_name, signature.params
    if len(args) != len(params):
        report(
            Rule.CALL,
            call,
            f"{name} gives {count_of(len(args), 'argument')} to a function of type {signature}; "
            f"expected {len(params)}",
        )
    for at, (arg, expected) in enumerate(zip(args, params, strict=False)):
        if arg.type != expected:
            report(
                Rule.CALL,
                call,
                f"{name} gives {typed(arg)} as argument {at} of a function of type {signature}; "
                f"expected {expected}",
            )
    if result is not None and result.type != signature.result:
        report(
            Rule.CALL,
            call,
            f"{name} puts what a function of type {signature} returns into {one_line(result)} of "
            f"type {result.type}; expected a register of type {signature.result}, and none for "
            f"void",
        )


@VERIFY_RULES.register(stmts.Validate)
def check_validate(node: stmts.Validate, report: Report) -> None:
    """Two addresses of numbers of one type are compared, within a float."""
    held = pointee_of(node.computed)
    if not held.is_number or node.expected.type != node.computed.type:
        report(
            Rule.TYPE,
            node,
            f"validate compares {typed(node.computed)} with {typed(node.expected)}; expected "
            f"addresses of numbers of one type",
        )
    _check_length(node, node.length, report)
    if not node.epsilon.type.is_float:
        report(Rule.TYPE, node, f"validate has the epsilon {typed(node.epsilon)}; expected a float")


@VERIFY_RULES.register(stmts.DumpVar)
def check_dump_var(node: stmts.DumpVar, report: Report) -> None:
    """What is shown are elements at an address, under a string."""
    if pointee_of(node.title) != "uint8":
        report(
            Rule.TYPE,
            node,
            f"dump_var has the title {typed(node.title)}; expected the address of a string: "
            f"Ldca(Constant('title'))",
        )
    if not is_value(pointee_of(node.address)):
        report(
            Rule.TYPE,
            node,
            f"dump_var shows what is at {typed(node.address)}; expected an address of values",
        )
    _check_length(node, node.length, report)


def _check_length(node: Stmt, length: Expr, report: Report) -> None:
    if not length.type.is_integer:
        report(
            Rule.TYPE,
            node,
            f"{type(node).visit_name} has the length {typed(length)}; expected an integer",
        )


@VERIFY_RULES.register(FuncEntry)
def check_function(func: FuncEntry, report: Report) -> None:
    """Symbols of a function hold values, and each is in its tables once."""
    seen: set[Node] = set()
    for symbol in (*func.formals, *func.locals, *func.pregs):
        if symbol in seen:
            report(
                Rule.SCOPE,
                symbol,
                f"{one_line(symbol)} stands twice in the symbol table of a function; expected one "
                f"symbol for each variable and register",
            )
        seen.add(symbol)
        _check_has_values(symbol, symbol, type_of(symbol), report)


@VERIFY_RULES.register(GlobalVariable)
def check_global_variable(variable: GlobalVariable, report: Report) -> None:
    """A variable begins with a value of its type that is known while compiling."""
    _check_has_values(variable, variable, variable.type, report)
    init = variable.init
    if init is None:
        return
    is_address = isinstance(init, Lda) and isinstance(init.symbol, Global)
    is_known = isinstance(init, (Literal, Ldc, Ldca)) or is_address
    if not is_known:
        report(
            Rule.DEFINITION,
            variable,
            f"a variable of the module begins as {one_line(init)}, which is not known while "
            f"compiling; expected a literal, a constant or an address",
        )
    if init.type != variable.type:
        report(
            Rule.TYPE,
            variable,
            f"a variable of type {variable.type} begins as {typed(init)}; both must have one type",
        )


@VERIFY_RULES.register(StructDef)
def check_struct(struct: StructDef, report: Report) -> None:
    """Fields hold values, and have names of their own."""
    names = [name for name, _ in struct.fields]
    if not names:
        report(Rule.DEFINITION, struct, "a structure has no fields; expected one or more")
    for name, count in Counter(names).items():
        if count > 1:
            report(
                Rule.DEFINITION,
                struct,
                f"a structure has {count} fields {name!r}; rename all but one",
            )
    for name, held in struct.fields:
        if not is_value(held):
            report(
                Rule.DEFINITION,
                struct,
                f"field {name!r} is of type {held}; expected a type that has values",
            )


def _check_has_values(
    node: Node, what: Symbol | GlobalVariable, held: Type, report: Report
) -> None:
    if not is_value(held):
        report(
            Rule.DEFINITION,
            node,
            f"{one_line(what)} is of type {held}; expected a type that has values",
        )
