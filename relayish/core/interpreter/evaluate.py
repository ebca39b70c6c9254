"""Handlers that evaluate core: of expressions their values, of statements what they do."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.core.interpreter.arithmetic import operation_of
from relayish.core.interpreter.machine import Machine, Returned, Value, bytes_of
from relayish.core.interpreter.memory import Aggregate, Pointed
from relayish.core.interpreter.numbers import form_of
from relayish.core.interpreter.tools import elements_at, line_of, take_time, text_at
from relayish.core.ir import expr as ops
from relayish.core.ir import memory as mem
from relayish.core.ir import stmt as run
from relayish.core.ir.family import Expr
from relayish.core.ir.type import VOID, Type
from relayish.domain.dispatch import Dispatch
from relayish.domain.handler import Handler
from relayish.domain.tasks import register_handler
from relayish.errors import CheckError, EvaluationError, TypeConfusionError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node


class EvaluateExpr(Handler, domain="core"):
    """The values of expressions: see ``numbers`` for what they are in Python."""

    def handle_intconst(self, _visitor: Dispatch, node: ops.Intconst) -> Value:
        return bool(node.value) if node.rtype.is_bool else node.value

    def handle_zero(self, visitor: Dispatch, node: ops.Zero) -> Value:
        form = form_of(node.rtype)
        return _memory_of(visitor, node).zero(node.rtype) if form is None else form.zero()

    def handle_one(self, _visitor: Dispatch, node: ops.One) -> Value:
        form = form_of(node.rtype)
        if form is None:
            raise TypeConfusionError(f"{node.rtype} has no one")
        return form.one()

    def handle_ldc(self, _visitor: Dispatch, node: ops.Ldc) -> Value:
        form = form_of(node.type)
        if form is None:
            return Aggregate.of(bytes_of(node.constant))
        return form.take(node.constant.data, "the constant")

    def handle_ldca(self, visitor: Dispatch, node: ops.Ldca) -> Value:
        machine = _memory_of(visitor, node)
        return machine.memory.address_of(machine.constant(node.constant))

    def handle_binary_op(self, visitor: Dispatch, node: ops.BinaryOp) -> Value:
        a = visitor.visit(node.a)
        b = visitor.visit(node.b)
        return operation_of(type(node), node.a.type)(a, b)

    def handle_unary_op(self, visitor: Dispatch, node: ops.UnaryOp) -> Value:
        return operation_of(type(node), node.a.type)(visitor.visit(node.a))

    def handle_void(self, _visitor: Dispatch, _node: ops.Void) -> Value:
        return None

    # Memory

    def handle_idname(self, _visitor: Dispatch, node: mem.Idname) -> Value:
        return node.symbol

    def handle_lda(self, visitor: Dispatch, node: mem.Lda) -> Value:
        return _memory_of(visitor, node).address_of(node.symbol)

    def handle_ld(self, visitor: Dispatch, node: mem.Ld) -> Value:
        return visitor.context.load(node.symbol, node.type)

    def handle_ldp(self, visitor: Dispatch, node: mem.Ldp) -> Value:
        return visitor.context.load(node.preg, node.type)

    def handle_ldf(self, visitor: Dispatch, node: mem.Ldf) -> Value:
        return self._load_field(_memory_of(visitor, node), node.symbol, node)

    def handle_ldpf(self, visitor: Dispatch, node: mem.Ldpf) -> Value:
        return self._load_field(_memory_of(visitor, node), node.preg, node)

    @staticmethod
    def _load_field(machine: Machine, symbol: Any, node: mem.Ldf | mem.Ldpf) -> Value:
        offset = machine.layout.offset_of(symbol.type, node.field_name)
        return machine.read(machine.piece_of(symbol), offset, node.type)

    def handle_ldo(self, visitor: Dispatch, node: mem.Ldo) -> Value:
        machine = _memory_of(visitor, node)
        return machine.read(machine.piece_of(node.symbol), node.offset, node.type)

    def handle_ild(self, visitor: Dispatch, node: mem.Ild) -> Value:
        machine = _memory_of(visitor, node)
        piece, offset = _pointed(visitor, node.address)
        return machine.read(piece, offset, node.type)

    def handle_array(self, visitor: Dispatch, node: mem.Array) -> Value:
        address = visitor.visit(node.address)
        held = mem.pointee_of(node.address)
        indices = []
        for index in node.indices:
            indices.append(visitor.visit(index))  # noqa: PERF401 - a comprehension is a frame more
        at = _place_in(held, indices) if held.is_array else _only(indices, held)
        element = held.element if held.is_array else held
        size = _memory_of(visitor, node).size_of(element)
        return address + at * size & 0xFFFF_FFFF_FFFF_FFFF


@register_handler("evaluate", is_view=True)
class Evaluate(EvaluateExpr):
    """Evaluates core in a :class:`Machine`: statements change what its variables hold.

    A statement gives ``None``, or :class:`Returned` where it leaves the function. Nodes of other
    domains are evaluated by their own handlers, through the visitor; a statement of theirs that
    runs what is below it more than once has the visitor forget, each time, what it returned.

    Source:
        AIR ``EVAL_VISITOR``, which folds constants; C for what operators mean.
    """

    def handle_block(self, visitor: Dispatch, node: run.Block) -> Returned | None:
        for stmt in node.stmts:
            visitor.forget()
            done = visitor.visit(stmt)
            if done.__class__ is Returned:
                left: Returned = done
                return left
        return None

    def handle_if(self, visitor: Dispatch, node: run.If) -> Returned | None:
        chosen = node.then_block if visitor.visit(node.condition) else node.else_block
        done: Returned | None = visitor.visit(chosen)
        return done

    def handle_do_loop(self, visitor: Dispatch, node: run.DoLoop) -> Returned | None:
        machine: Machine = visitor.context
        held = mem.type_of(node.iv)
        machine.store(node.iv, visitor.visit(node.init), held)
        while True:
            visitor.forget()
            if not visitor.visit(node.compare):
                return None
            done = visitor.visit(node.body)
            if done.__class__ is Returned:
                left: Returned = done
                return left
            visitor.forget()
            machine.store(node.iv, visitor.visit(node.increment), held)

    def handle_while_do(self, visitor: Dispatch, node: run.WhileDo) -> Returned | None:
        while True:
            visitor.forget()
            if not visitor.visit(node.condition):
                return None
            done = visitor.visit(node.body)
            if done.__class__ is Returned:
                left: Returned = done
                return left

    def handle_do_while(self, visitor: Dispatch, node: run.DoWhile) -> Returned | None:
        while True:
            visitor.forget()
            done = visitor.visit(node.body)
            if done.__class__ is Returned:
                left: Returned = done
                return left
            visitor.forget()
            if not visitor.visit(node.condition):
                return None

    # Stores

    def handle_st(self, visitor: Dispatch, node: mem.St) -> None:
        value = visitor.visit(node.value)
        visitor.context.store(node.symbol, value, node.value.type)

    def handle_stp(self, visitor: Dispatch, node: mem.Stp) -> None:
        value = visitor.visit(node.value)
        visitor.context.store(node.preg, value, node.value.type)

    def handle_stf(self, visitor: Dispatch, node: mem.Stf) -> None:
        self._store_field(visitor, node.symbol, node)

    def handle_stpf(self, visitor: Dispatch, node: mem.Stpf) -> None:
        self._store_field(visitor, node.preg, node)

    @staticmethod
    def _store_field(visitor: Dispatch, symbol: Any, node: mem.Stf | mem.Stpf) -> None:
        machine: Machine = visitor.context
        value = visitor.visit(node.value)
        offset = machine.layout.offset_of(symbol.type, node.field_name)
        machine.write(machine.piece_of(symbol), offset, value, node.value.type)

    def handle_sto(self, visitor: Dispatch, node: mem.Sto) -> None:
        machine: Machine = visitor.context
        value = visitor.visit(node.value)
        machine.write(machine.piece_of(node.symbol), node.offset, value, node.value.type)

    def handle_ist(self, visitor: Dispatch, node: mem.Ist) -> None:
        piece, offset = _pointed(visitor, node.address)
        value = visitor.visit(node.value)
        visitor.context.write(piece, offset, value, node.value.type)

    # Calls

    def handle_call(self, visitor: Dispatch, node: run.Call) -> None:
        self._call(visitor, node, node.entry.name, node.entry.type)

    def handle_icall(self, visitor: Dispatch, node: run.Icall) -> None:
        machine: Machine = visitor.context
        name = machine.memory.function_at(visitor.visit(node.address))
        wanted = mem.pointee_of(node.address)
        found = wanted if machine.foreign.has(name) else machine.definitions[name].type
        if wanted != found:
            raise TypeConfusionError(
                f"function {name} of type {found} is called by an address of {wanted}"
            )
        self._call(visitor, node, name, wanted)

    @staticmethod
    def _call(visitor: Dispatch, node: run.Call | run.Icall, name: str, held: Type) -> None:
        machine: Machine = visitor.context
        value = machine.call(visitor, name, _values(visitor, node.args), held)
        if node.result is None:
            return
        if value is None:
            raise EvaluationError(
                f"function {name} has ended without a value, which the call is to give"
            )
        machine.store(node.result, value, node.result.type)

    def handle_ret(self, _visitor: Dispatch, _node: run.Ret) -> Returned:
        return Returned(None, VOID)

    def handle_retv(self, visitor: Dispatch, node: run.Retv) -> Returned:
        return Returned(visitor.visit(node.value), node.value.type)

    # Marks, and what is for people

    def handle_pragma(self, _visitor: Dispatch, _node: run.Pragma) -> None:
        """Do nothing: it is for passes."""

    def handle_end_stmt_list(self, _visitor: Dispatch, _node: run.EndStmtList) -> None:
        """Do nothing: nothing comes after it."""

    def handle_invalid(self, _visitor: Dispatch, _node: run.Invalid) -> None:
        raise EvaluationError("Invalid is reached, which some pass should have replaced")

    def handle_tm_start(self, visitor: Dispatch, _node: run.TmStart) -> None:
        visitor.context.mark = visitor.context.clock()

    def handle_tm_taken(self, visitor: Dispatch, node: run.TmTaken) -> None:
        machine: Machine = visitor.context
        take_time(machine, node.remark)

    def handle_dump_var(self, visitor: Dispatch, node: run.DumpVar) -> None:
        machine: Machine = visitor.context
        title = text_at(*_pointed(visitor, node.title))
        shown = _elements(visitor, node.address, visitor.visit(node.length))
        machine.output(line_of(title, shown))

    def handle_validate(self, visitor: Dispatch, node: run.Validate) -> None:
        length, epsilon = visitor.visit(node.length), visitor.visit(node.epsilon)
        computed = _elements(visitor, node.computed, length)
        expected = _elements(visitor, node.expected, length)
        for at, (found, wanted) in enumerate(zip(computed, expected, strict=True)):
            if not _is_near(found, wanted, epsilon):
                raise CheckError(
                    f"element {at} is {found}, but {wanted} is expected, with a difference of no "
                    f"more than {epsilon}"
                )


def _memory_of(visitor: Dispatch, node: Node) -> Any:  # Any: a Machine, or what stands for one
    """Return the context, which knows of the memory of core.

    Raises:
        EvaluationError: If it is another context, to which memory is unknown.
    """
    context = visitor.context
    if not hasattr(context, "piece_of"):
        raise EvaluationError(
            f"{type(context).__name__} knows nothing of memory, which {one_line(node)} is about; "
            f"evaluate core in a FoldCtx while compiling, and by core.run where programs run"
        )
    return context


def _pointed(visitor: Dispatch, address: Expr) -> Pointed:
    """Return what an address points to, which an access is about."""
    pointed: Pointed = visitor.context.memory.at(visitor.visit(address))
    return pointed


def _values(visitor: Dispatch, args: tuple[Expr, ...]) -> list[Value]:
    values = []
    for arg in args:
        values.append(visitor.visit(arg))  # noqa: PERF401 - a comprehension is a frame more
    return values


def _place_in(held: Type, indices: list[int]) -> int:
    """Return the number of an element of an array, row by row.

    Raises:
        TypeConfusionError: If there is not one index for each dimension.
    """
    shape = held.shape
    if len(indices) != len(shape):
        raise TypeConfusionError(
            f"an array of type {held} is given {len(indices)} indices; expected {len(shape)}"
        )
    at = 0
    for index, size in zip(indices, shape, strict=True):
        at = at * size + index
    return at


def _only(indices: list[int], held: Type) -> int:
    if len(indices) != 1:
        raise TypeConfusionError(
            f"the address of one {held} is given {len(indices)} indices; expected one"
        )
    return indices[0]


def _elements(visitor: Dispatch, address: Expr, length: int) -> list[Value]:
    """Return the elements at an address."""
    machine: Machine = visitor.context
    if length < 0:
        raise EvaluationError(f"{length} elements are asked for; expected a length of 0 or more")
    return elements_at(machine, visitor.visit(address), mem.pointee_of(address), length)


def _is_near(found: Value, wanted: Value, epsilon: Value) -> bool:
    if isinstance(found, (int, np.integer)):  # of which floats would lose digits
        return bool(found == wanted or abs(int(found) - int(wanted)) <= epsilon)
    with np.errstate(all="ignore"):
        difference = abs(float(found) - float(wanted))
    return bool(found == wanted or difference <= epsilon)
