"""Compilation of an expression to instructions, once, so that running it looks nothing up.

The expression is walked on an explicit stack of tasks in the order in which it is evaluated; see
:mod:`relayish.interpreter.emit` for where values stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish.interpreter import code as c
from relayish.interpreter.call import call_problem, default_attrs
from relayish.interpreter.checked_evaluation import evaluation_of
from relayish.interpreter.code import Code, Instruction
from relayish.interpreter.dynamic_types import with_type_check
from relayish.interpreter.emit import Cell, Emitter, operands_around
from relayish.interpreter.evaluator import EVALUATORS, Evaluator
from relayish.interpreter.scopes import Activations
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay import expr as kinds
from relayish.ir.relay.adt import Constructor, Match
from relayish.ir.scopes.scoping import binders
from relayish.op.declaration import properties


def compile_expr(expr: kinds.Expr, *, check_types: bool = False) -> Code:
    """Return ``expr`` compiled, as a function without parameters.

    With ``check_types``, the value of each call of an operator is compared with its type.

    What cannot be evaluated (a variable nobody binds, an operator without evaluation) becomes an
    instruction that raises when, and only when, it is reached.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor where nodes are shared between
        scopes or variables used across nested functions.
    """
    compiler = _CheckedCompiler if check_types else _Compiler
    return compiler(Activations(expr)).compile(expr)


class _Compiler(Emitter):
    def __init__(self, scopes: Activations) -> None:
        super().__init__(scopes)
        self.operators: dict[kinds.Op, _Operator] = {}

    def compile(self, expr: kinds.Expr) -> Code:
        self.then(_Compiler.demand, expr, True)
        self.run()
        return self.code

    def run(self) -> None:
        tasks, leave_op_call = self.tasks, self.leave_op_call
        pop = tasks.pop
        while tasks:
            task = pop()
            if isinstance(task, kinds.Call):
                leave_op_call(task, False, None)
                continue
            action, node, tail, extra = task
            action(self, node, tail, extra)

    def enter_call(self, call: kinds.Call, tail: bool) -> None:
        kind = type(call.op)
        if kind is kinds.Op:
            self.enter_op_call(call, tail)
        elif kind is Constructor:
            self.after(call.args, _Compiler.leave_construction, call, tail)
        else:
            self.after((call.op, *call.args), _Compiler.leave_call, call, tail)

    def enter_op_call(self, call: kinds.Call, tail: bool) -> None:
        """Go down along first operands at once: they need no task to wait in."""
        values, shared, tasks = self.values, self.shared, self.tasks
        while True:
            tasks.append((type(self).leave_op_call, call, tail, None) if tail else call)
            tail = False
            pending = [
                arg
                for arg in call.args
                if type(arg) not in ATOMS and (arg not in values or arg in shared)
            ]
            if not pending:
                return
            for arg in pending[:0:-1]:
                tasks.append((_Compiler.demand, arg, False, None))
            first = pending[0]
            if (
                not isinstance(first, kinds.Call)
                or type(first.op) is not kinds.Op
                or first in shared
            ):
                tasks.append((_Compiler.demand, first, False, None))
                return
            call = first

    def leave_op_call(self, call: kinds.Call, tail: bool, _extra: object) -> None:
        # the commonest task by far: what operand, release, new_cell and emit do stands here too
        op: Any = call.op  # Any: an Op, which the declared type does not say
        args = call.args
        known = self.operators.get(op)
        if known is None:
            known = self.operators[op] = _operator(op)
        function, arity, attrs = known
        if function is None or arity not in (len(args), None):
            self.define(call, self.fail(call, call_problem(op, len(args))), tail)
            return
        instruction: Instruction
        code, block, get = self.code, self.block, self.values.get
        operands: list[Cell] = []
        for arg in args:
            cell = get(arg)
            operands.append(cell if cell is not None and cell.code is code else self.operand(arg))
        free: list[Cell] = block.free
        for cell in operands:
            cell.uses -= 1
            if not cell.uses and not cell.keep:
                cell.block.free.append(cell)
        places = [cell.place for cell in operands]
        if free:
            cell = free.pop()
            cell.uses = self.uses[call]
        else:
            cell = Cell(code, block, code.make_slot(), self.uses[call], keep=False)
        if call.attrs is not None:
            attrs = call.attrs
        if len(places) in _BY_COUNT:
            instruction = (_BY_COUNT[len(places)], cell.place, function, attrs, *places)
        else:
            instruction = (c.OPN, cell.place, function, attrs, tuple(places))
        block.instructions.append(instruction)
        block.exprs.append(call)
        if tail or call in self.shared:
            self.define(call, cell, tail)
        else:
            self.values[call] = cell

    def leave_construction(self, call: kinds.Call, tail: bool, _extra: object) -> None:
        constructor, expected = call.op, len(call.op.inputs)
        places = self.take_all(call.args)
        if len(places) != expected:
            message = (
                f"constructor {constructor.name_hint} takes {expected} fields; "
                f"found a call with {len(places)}"
            )
            self.define(call, self.fail(call, message), tail)
            return
        cell = self.result(call)
        self.emit(call, (c.CONSTRUCT, cell.place, constructor, places))
        self.define(call, cell, tail)

    def leave_call(self, call: kinds.Call, tail: bool, _extra: object) -> None:
        callee, *places = self.take_all((call.op, *call.args))
        if tail:
            self.emit(call, (c.TAIL_CALL, callee, tuple(places), call.attrs))
            return
        cell = self.result(call)
        self.emit(call, (c.CALL, cell.place, callee, tuple(places), call.attrs))
        self.define(call, cell, tail)

    def enter_tuple(self, node: kinds.Tuple, tail: bool) -> None:
        self.after(node.fields, _Compiler.leave_tuple, node, tail)

    def leave_tuple(self, node: kinds.Tuple, tail: bool, _extra: object) -> None:
        places = self.take_all(node.fields)
        cell = self.result(node)
        self.emit(node, (c.TUPLE, cell.place, places))
        self.define(node, cell, tail)

    def enter_simple(self, node: kinds.Expr, tail: bool) -> None:
        operands = operands_around(node)
        self.after(operands, _Compiler.leave_simple, node, tail, operands)

    def leave_simple(self, node: kinds.Expr, tail: bool, operands: tuple[kinds.Expr, ...]) -> None:
        places = self.take_all(operands)
        cell = self.result(node)
        index = (node.index,) if isinstance(node, kinds.TupleGetItem) else ()
        self.emit(node, (_SIMPLE[type(node)], cell.place, *places, *index))
        self.define(node, cell, tail)

    def enter_let(self, let: kinds.Let, tail: bool) -> None:
        value, old = let.value, self.bound.get(let.var)
        if type(value) is kinds.Function:
            # the function may refer to itself: its place is known before its body is compiled
            self.then(_Compiler.enter_let_body, let, tail, old)
            self.demand(value, tail=False)
            self.bind_cell(let.var, self.values[value])
        else:
            self.after((value,), _Compiler.enter_let_body, let, tail, old)

    def enter_let_body(self, let: kinds.Let, tail: bool, old: Cell | None) -> None:
        if type(let.value) is not kinds.Function:
            self.bind_cell(let.var, self.operand(let.value))
        self.release(self.bound[let.var])
        self.tasks.append((_Compiler.leave_let, let, tail, old))
        self.demand(let.body, tail)

    def bind_cell(self, var: kinds.Var, cell: Cell) -> None:
        cell.uses += self.uses.get(var, 0)
        self.bound[var] = cell

    def leave_let(self, let: kinds.Let, tail: bool, old: Cell | None) -> None:
        if not tail:
            cell = self.operand(let.body)  # before the variable, which it may be, goes
            cell.uses += self.uses[let] - 1
            self.define(let, cell, tail)
        self.unbind(let.var, old)

    def enter_if(self, node: kinds.If, tail: bool) -> None:
        self.after((node.cond,), _Compiler.enter_branches, node, tail)

    def enter_branches(self, node: kinds.If, tail: bool, _extra: object) -> None:
        cond = self.take(node.cond)
        cell = None if tail else self.result(node)
        at = len(self.block.instructions)
        self.emit(node, (c.BRANCH, cond, -1))
        self.then(_Compiler.leave_true_branch, node, tail, (cell, at))
        self.demand(node.true_branch, tail)

    def leave_true_branch(self, node: kinds.If, tail: bool, extra: tuple[Cell | None, int]) -> None:
        cell, at = extra
        instructions = self.block.instructions
        jump = -1
        if cell is not None:
            self.emit(node, (c.MOVE, cell.place, self.take(node.true_branch)))
            jump = len(instructions)
            self.emit(node, (c.JUMP, -1))
        instructions[at] = (*instructions[at][:2], len(instructions))
        self.then(_Compiler.leave_false_branch, node, tail, (cell, jump))
        self.demand(node.false_branch, tail)

    def leave_false_branch(
        self, node: kinds.If, tail: bool, extra: tuple[Cell | None, int]
    ) -> None:
        cell, jump = extra
        if cell is None:
            return
        self.emit(node, (c.MOVE, cell.place, self.take(node.false_branch)))
        self.block.instructions[jump] = (c.JUMP, len(self.block.instructions))
        self.define(node, cell, tail)

    def enter_function(self, function: kinds.Function, tail: bool) -> None:
        inner = Code(self.code.depth + 1, function)
        self.codes[self.scopes.activated[function][0]] = inner
        cell = self.result(function)
        self.emit(function, (c.CLOSURE, cell.place, inner))
        self.define(function, cell, tail)
        self.then(_Compiler.enter_body, function, False, inner)

    def enter_body(self, function: kinds.Function, _tail: bool, inner: Code) -> None:
        outside = (self.code, self.block)
        self.code, self.block = inner, inner.block
        cells = [
            Cell(inner, inner.block, place, self.uses.get(param, 0), keep=False)
            for place, param in enumerate(function.params, c.FIRST)
        ]
        olds = self.bind(zip(function.params, cells, strict=True))
        self.then(_Compiler.leave_body, function, False, (olds, outside))
        self.demand(function.body, tail=True)

    def enter_match(self, node: Match, tail: bool) -> None:
        self.after((node.data,), _Compiler.enter_clauses, node, tail)

    def enter_clauses(self, node: Match, tail: bool, _extra: object) -> None:
        data = self.operand(node.data)
        cell = None if tail else self.result(node)
        arms: list[tuple[Node, dict[Node, int], int]] = []  # patched as the arms are emitted
        self.emit(node, (c.MATCH, data.place, arms))
        self.release(data)
        jumps: list[int] = []
        self.then(_Compiler.leave_match, node, tail, (cell, jumps))
        for index in reversed(range(len(node.clauses))):
            self.then(_Compiler.enter_clause, node, tail, (index, arms, cell, jumps))

    def enter_clause(self, node: Match, tail: bool, extra: tuple[Any, ...]) -> None:  # Any: Task
        index, arms, cell, jumps = extra
        clause = node.clauses[index]
        # never taken from what is free: the data matched may stand there
        bound = {
            var: Cell(self.code, self.block, self.code.make_slot(), 0, keep=True)
            for var in binders(clause)
        }
        olds = self.bind(bound.items())
        places = {var: cell.place for var, cell in bound.items()}
        arms.append((clause.lhs, places, len(self.block.instructions)))
        self.then(_Compiler.leave_clause, clause, tail, (olds, cell, jumps))
        self.demand(clause.rhs, tail)

    def leave_clause(self, clause: Any, _tail: bool, extra: tuple[Any, ...]) -> None:  # Any: Task
        olds, cell, jumps = extra
        if cell is not None:
            self.emit(clause.rhs, (c.MOVE, cell.place, self.take(clause.rhs)))
            jumps.append(len(self.block.instructions))
            self.emit(clause.rhs, (c.JUMP, -1))
        self.rebind(olds)

    def leave_match(self, node: Match, tail: bool, extra: tuple[Cell | None, list[int]]) -> None:
        cell, jumps = extra
        if cell is None:
            return
        end = len(self.block.instructions)
        for jump in jumps:
            self.block.instructions[jump] = (c.JUMP, end)
        self.define(node, cell, tail)


class _CheckedCompiler(_Compiler):
    """Has the value of each call of an operator compared with the type inferred of the call."""

    def leave_op_call(self, call: kinds.Call, tail: bool, _extra: object) -> None:
        op: Any = call.op  # Any: as in what this overrides
        evaluation, arity, attrs = _operator(op)
        if evaluation is not None:
            evaluation = with_type_check(call, evaluation)
        self.operators[op] = evaluation, arity, attrs
        super().leave_op_call(call, tail, _extra)


_BY_COUNT: Final = {1: c.OP1, 2: c.OP2}
"""The operations with so many operands, each in a place of the instruction."""

_Operator: TypeAlias = tuple[Callable[..., Any] | None, int | None, Attrs | None]  # Any: values


def _operator(op: kinds.Op) -> _Operator:
    """Return the evaluation of ``op``, how many arguments it takes, and its default attributes."""
    return evaluation_of(op), properties.num_inputs.get(op), default_attrs(op)


_SIMPLE: Final[dict[type[Node], int]] = {
    kinds.TupleGetItem: c.PROJECT,
    kinds.RefCreate: c.REF_CREATE,
    kinds.RefRead: c.REF_READ,
    kinds.RefWrite: c.REF_WRITE,
}
"""The operations of kinds that have operands only, and at most an index."""

for _kind, _evaluator in {
    kinds.Call: Evaluator(None, enter=_Compiler.enter_call),
    kinds.Tuple: Evaluator(None, enter=_Compiler.enter_tuple),
    kinds.Let: Evaluator(None, enter=_Compiler.enter_let, in_line=True),
    kinds.If: Evaluator(None, enter=_Compiler.enter_if, in_line=True),
    kinds.Function: Evaluator(None, enter=_Compiler.enter_function),
    **dict.fromkeys(_SIMPLE, Evaluator(None, enter=_Compiler.enter_simple)),
    Match: Evaluator(None, enter=_Compiler.enter_match, in_line=True),
    kinds.Constant: Evaluator(None, enter=_Compiler.constant_operand),
    kinds.Op: Evaluator(None, enter=_Compiler.name_operand),
    Constructor: Evaluator(None, enter=_Compiler.name_operand),
    kinds.GlobalVar: Evaluator(None, enter=_Compiler.global_operand),
}.items():
    EVALUATORS.register(_kind, _evaluator)
