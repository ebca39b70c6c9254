"""Handlers that lower core: expressions to those of the loop IR, statements to lists of its."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from relayish import tir
from relayish.core.ir import expr as ops
from relayish.core.ir import memory as mem
from relayish.core.ir import stmt as run
from relayish.core.ir.definition import FuncDecl, FuncEntry
from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.domain import AnalyzeCtx, Handler, register_handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import LoweringError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.passes.core.lowering.loops import CountingLoops
from relayish.passes.core.lowering.memory import Places, Signature
from relayish.tir import math

Lowered = list[tir.Stmt]
"""What a statement becomes."""


class LowerCoreCtx(AnalyzeCtx):
    """The context of lowering a function.

    Attributes:
        places: Where what symbols hold is kept.
        loops: Which loops count.
        functions: The arguments of each function that the module defines, and those declared.
        tail: The statements with which the function ends.
        counters: The variables of the counting loops around, by symbol.
    """

    def __init__(
        self,
        func: FuncEntry,
        places: Places,
        functions: Mapping[str, Signature | FuncDecl],
    ) -> None:
        self.places = places
        self.loops = CountingLoops(func)
        self.functions = functions
        self.tail = _tail_of(func)
        self.counters: dict[Symbol, tir.Var] = {}

    def scalar(self, symbol: Symbol) -> tir.Expr:
        """Return what a scalar is now: the variable of a loop, or what loads it."""
        return self.counters.get(symbol) or self.places.scalar(symbol)

    def store(self, symbol: Symbol, value: tir.Expr) -> tir.Stmt:
        """Return what stores a scalar."""
        held = self.places.scalar(symbol)
        if isinstance(held, tir.Load):
            return tir.Store(held.tensor, value, held.indices)
        return tir.Store(held, value, ())


@register_handler("lower_to_loops")
class Lower(Handler, domain="core"):
    """Lowers core to the loop IR: expressions become expressions, statements lists of statements.

    What the loop IR cannot hold is refused: addresses other than of elements of arrays, structures
    in memory, indirect calls, and returns in the middle of a function.
    """

    def any_operator(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        """Refuse what has no method.

        Raises:
            LoweringError: Always.
        """
        raise self._error(visitor, node, f"there are no {type(node).__name__}")

    @staticmethod
    def _error(visitor: Dispatch, node: Node, why: str) -> LoweringError:
        error: LoweringError = visitor.context.places.error(f"{quote(node)}: {why}", node)
        return error

    # Expressions

    def handle_intconst(self, visitor: Dispatch, node: ops.Intconst) -> tir.Expr:
        return self._literal(visitor, node, node.value)

    def handle_zero(self, visitor: Dispatch, node: ops.Zero) -> tir.Expr:
        return self._literal(visitor, node, 0)

    def handle_one(self, visitor: Dispatch, node: ops.One) -> tir.Expr:
        return self._literal(visitor, node, 1)

    def _literal(self, visitor: Dispatch, node: Expr, value: int) -> tir.Expr:
        held = node.type
        if not held.is_scalar or held.is_pointer:
            raise self._error(visitor, node, f"it is a value of type {held}")
        if held.is_bool:
            return tir.const(bool(value))
        return tir.const(float(value) if held.is_float else value, str(held))

    def handle_ldc(self, visitor: Dispatch, node: ops.Ldc) -> tir.Expr:
        if not node.type.is_scalar:
            raise self._error(visitor, node, f"it is a value of type {node.type}")
        data: Any = node.constant.data  # Any: a numpy scalar
        return tir.const(data, str(node.type))

    def handle_binary_op(self, visitor: Dispatch, node: ops.BinaryOp) -> tir.Expr:
        a, b = visitor.visit(node.a), visitor.visit(node.b)
        if node.a.type.is_pointer:
            raise self._error(visitor, node, "it computes with addresses")
        make = operation_of(node)
        if make is None:
            raise self._error(visitor, node, f"there is none of type {node.type}")
        return make(a, b)

    def handle_unary_op(self, visitor: Dispatch, node: ops.UnaryOp) -> tir.Expr:
        a = visitor.visit(node.a)
        make = operation_of(node)
        if make is None:
            raise self._error(visitor, node, f"there is none of type {node.type}")
        return make(a)

    def handle_ld(self, visitor: Dispatch, node: mem.Ld) -> tir.Expr:
        found: tir.Expr = visitor.context.scalar(node.symbol)
        return found

    def handle_ldp(self, visitor: Dispatch, node: mem.Ldp) -> tir.Expr:
        found: tir.Expr = visitor.context.scalar(node.preg)
        return found

    def handle_ldf(self, visitor: Dispatch, node: mem.Ldf) -> tir.Expr:
        found: tir.Expr = visitor.context.places.field(node.symbol, node.field_name)
        return found

    def handle_ldpf(self, visitor: Dispatch, node: mem.Ldpf) -> tir.Expr:
        found: tir.Expr = visitor.context.places.field(node.preg, node.field_name)
        return found

    def handle_ild(self, visitor: Dispatch, node: mem.Ild) -> tir.Expr:
        return tir.Load(*self._element(visitor, node.address))

    def _element(self, visitor: Dispatch, address: Expr) -> tuple[tir.Tensor, tuple[tir.Expr, ...]]:
        """Return the tensor and the indices that an address stands for."""
        indices: tuple[Expr, ...] = ()
        base = address
        if isinstance(address, mem.Array):
            base, indices = address.address, address.indices
        is_whole = isinstance(base, mem.Lda) and mem.type_of(base.symbol).is_array
        if isinstance(base, (mem.Lda, mem.Ld)) and (indices or not is_whole):
            tensor = visitor.context.places.tensor(base.symbol)
        else:
            raise self._error(visitor, address, "it is no element of an array")
        found = tuple([_as_index(visitor.visit(index)) for index in indices])
        return tensor, found or (tir.const(0),)

    # Statements

    def handle_block(self, visitor: Dispatch, node: run.Block) -> Lowered:
        found: Lowered = []
        for stmt in node.stmts:
            visitor.forget()
            found += visitor.visit(stmt)
        return found

    def handle_if(self, visitor: Dispatch, node: run.If) -> Lowered:
        condition = visitor.visit(node.condition)
        then = _arm(visitor.visit(node.then_block))
        visitor.forget()
        otherwise = _arm(visitor.visit(node.else_block)) if node.else_block.stmts else None
        return [tir.IfThenElse(condition, then, otherwise)]

    def handle_while_do(self, visitor: Dispatch, node: run.WhileDo) -> Lowered:
        condition = self._again(visitor, node.condition)
        return [_while(visitor, condition, visitor.visit(node.body))]

    def handle_do_while(self, visitor: Dispatch, node: run.DoWhile) -> Lowered:
        """Lower to a loop with a flag, which holds before the first iteration."""
        flag = visitor.context.places.declare("more", tir.as_type("bool"))
        body: Lowered = visitor.visit(node.body)
        condition = self._again(visitor, node.condition)
        body = [*body, tir.Store(flag, condition, ())]
        return [tir.Store(flag, tir.const(True), ()), _while(visitor, flag, body)]

    def handle_do_loop(self, visitor: Dispatch, node: run.DoLoop) -> Lowered:
        """Lower to a loop of its own variable if nothing else changes that."""
        context: LowerCoreCtx = visitor.context
        init = visitor.visit(node.init)
        if context.loops.counts(node):
            return self._counting(visitor, node, init)
        compare = self._again(visitor, node.compare)
        body: Lowered = visitor.visit(node.body)
        increment = self._again(visitor, node.increment)
        body = [*body, context.store(node.iv, increment)]
        return [context.store(node.iv, init), _while(visitor, compare, body)]

    def _counting(self, visitor: Dispatch, node: run.DoLoop, init: tir.Expr) -> Lowered:
        context: LowerCoreCtx = visitor.context
        counter = context.places.iterator(getattr(node.iv, "name", ""), init.type)
        context.counters[node.iv] = counter
        compare = self._again(visitor, node.compare)
        increment = self._again(visitor, node.increment)
        step = self._step(visitor, node) or tir.Sub(increment, counter)
        visitor.forget()
        body: Lowered = visitor.visit(node.body)
        del context.counters[node.iv]
        visitor.forget()
        before: Lowered = []
        if context.loops.is_read_after(node):
            before = [context.store(node.iv, init)]
            body = [*body, context.store(node.iv, increment)]
        return [*before, tir.PolyFor(counter, init, compare, step, _block(body))]

    @staticmethod
    def _step(visitor: Dispatch, node: run.DoLoop) -> tir.Expr | None:
        """Return what the increment of a loop adds to its variable, if it says so."""
        increment = node.increment
        if not isinstance(increment, ops.Add):
            return None
        for variable, added in ((increment.a, increment.b), (increment.b, increment.a)):
            loaded = getattr(variable, "preg" if isinstance(variable, mem.Ldp) else "symbol", None)
            if isinstance(variable, (mem.Ld, mem.Ldp)) and loaded is node.iv:
                found: tir.Expr = visitor.visit(added)
                return found
        return None

    @staticmethod
    def _again(visitor: Dispatch, expr: Expr) -> tir.Expr:
        """Return what an expression becomes that is evaluated anew."""
        visitor.forget()
        found: tir.Expr = visitor.visit(expr)
        return found

    def handle_st(self, visitor: Dispatch, node: mem.St) -> Lowered:
        return self._store(visitor, node, node.symbol)

    def handle_stp(self, visitor: Dispatch, node: mem.Stp) -> Lowered:
        return self._store(visitor, node, node.preg)

    def _store(self, visitor: Dispatch, node: mem.St | mem.Stp, symbol: Symbol) -> Lowered:
        held = mem.type_of(symbol)
        if not (held.is_array or held.is_struct):
            return [visitor.context.store(symbol, visitor.visit(node.value))]
        if not isinstance(node.value, ops.Zero):
            raise self._error(visitor, node, f"it moves a value of type {held}")
        if held.is_array:
            return [_fill(visitor.context.places, visitor.context.places.tensor(symbol))]
        fields = visitor.context.places.fields(symbol).values()
        return [tir.Store(each, _zero(each.type), ()) for each in fields]

    def handle_stf(self, visitor: Dispatch, node: mem.Stf) -> Lowered:
        target = visitor.context.places.field(node.symbol, node.field_name)
        return [tir.Store(target, visitor.visit(node.value), ())]

    def handle_stpf(self, visitor: Dispatch, node: mem.Stpf) -> Lowered:
        target = visitor.context.places.field(node.preg, node.field_name)
        return [tir.Store(target, visitor.visit(node.value), ())]

    def handle_ist(self, visitor: Dispatch, node: mem.Ist) -> Lowered:
        tensor, indices = self._element(visitor, node.address)
        return [tir.Store(tensor, visitor.visit(node.value), indices)]

    # Calls, and the end of a function

    def handle_call(self, visitor: Dispatch, node: run.Call) -> Lowered:
        context: LowerCoreCtx = visitor.context
        callee = context.functions.get(node.entry.name)
        if isinstance(callee, Signature):
            return self._call(visitor, node, callee)
        if callee is None:
            raise self._error(visitor, node, "the module has no such function")
        result = node.entry.type.result
        args = [visitor.visit(arg) for arg in node.args]
        made = tir.Call(tir.as_type(str(result)), node.entry.name, tuple(args))
        return [made if node.result is None else context.store(node.result, made)]

    def _call(self, visitor: Dispatch, node: run.Call, callee: Signature) -> Lowered:
        context: LowerCoreCtx = visitor.context
        places = context.places
        scalars: list[tir.Expr] = []
        lengths: list[tir.Expr] = []
        buffers: list[tir.Expr] = []
        for arg in node.args:
            if arg.type.is_pointer:
                tensor = self._whole(visitor, arg)
                lengths.append(tensor.shape[0])
                buffers.append(tensor)
            else:
                scalars.append(visitor.visit(arg))
        buffers += [places.shared_named(name) for name in callee.shared]
        after: Lowered = []
        if callee.result is not None:
            taken = places.temporary(node.entry.name, callee.result)
            buffers.append(taken)
            if node.result is not None:
                after = [context.store(node.result, tir.Load(taken, (tir.const(0),)))]
        made = tir.Call(
            tir.as_type("void"),
            node.entry.name,
            (*scalars, *lengths),
            tuple(buffers),
            tir.CallType.CINN,
        )
        return [made, *after]

    def _whole(self, visitor: Dispatch, address: Expr) -> tir.Tensor:
        """Return the tensor of one dimension whose first element an address is of."""
        tensor, indices = self._element(visitor, address)
        first = all(isinstance(each, tir.IntImm) and each.value == 0 for each in indices)
        if not first or len(tensor.shape) != 1:
            raise self._error(visitor, address, "it is not the first element of an array")
        return tensor

    def handle_ret(self, visitor: Dispatch, node: run.Ret) -> Lowered:
        self._check_tail(visitor, node)
        return []

    def handle_retv(self, visitor: Dispatch, node: run.Retv) -> Lowered:
        self._check_tail(visitor, node)
        result = visitor.context.places.result
        return [tir.Store(result, visitor.visit(node.value), (tir.const(0),))]

    def _check_tail(self, visitor: Dispatch, node: Stmt) -> None:
        if node not in visitor.context.tail:
            raise self._error(visitor, node, "the function goes on after it, where it is not run")

    def handle_pragma(self, _visitor: Dispatch, _node: run.Pragma) -> Lowered:
        return []

    def handle_end_stmt_list(self, _visitor: Dispatch, _node: run.EndStmtList) -> Lowered:
        return []


def _tail_of(func: FuncEntry) -> set[Stmt]:
    """Return the statements after which the function has nothing more to do."""
    found: set[Stmt] = set()
    pending: list[run.Block] = [func.body]
    while pending:
        last = next((s for s in reversed(pending.pop().stmts) if not isinstance(s, _MARKS)), None)
        if isinstance(last, run.If):
            pending += [last.then_block, last.else_block]
        elif isinstance(last, run.Block):
            pending.append(last)
        elif last is not None:
            found.add(last)
    return found


_MARKS: Final = (run.EndStmtList, run.Pragma)


def _block(stmts: Lowered) -> tir.Block:
    return tir.Block(tuple(stmts))


def _arm(stmts: Lowered) -> tir.Stmt:
    return stmts[0] if len(stmts) == 1 else _block(stmts)


def _while(visitor: Dispatch, condition: tir.Expr, body: Lowered) -> tir.Stmt:
    """Return the loop that runs while a condition holds, whose variable says nothing."""
    counter = visitor.context.places.iterator("step", tir.as_type("int32"))
    return tir.PolyFor(counter, tir.const(0), condition, tir.const(0), _block(body))


def _fill(places: Places, tensor: tir.Tensor) -> tir.Stmt:
    """Return the loops that store zeros into a tensor."""
    axes = [places.iterator("i", tir.as_type("int32")) for _ in tensor.shape]
    stmt: tir.Stmt = tir.Store(tensor, _zero(tensor.type), tuple(axes))
    for axis, size in zip(reversed(axes), reversed(tensor.shape), strict=True):
        stmt = tir.For(axis, tir.const(0), size, tir.Block((stmt,)))
    return stmt


def _zero(held: tir.Type) -> tir.Expr:
    if held.is_bool:
        return tir.const(False)
    return tir.const(0.0 if held.is_float else 0, held)


def _as_index(index: tir.Expr) -> tir.Expr:
    return index if index.type.is_int else tir.Cast(tir.as_type("int64"), index)


def _shift(make: Callable[[tir.Expr, tir.Expr], tir.Expr]) -> Callable[..., tir.Expr]:
    """Return what makes a shift, whose operands must have one type in the loop IR."""

    def shift(a: tir.Expr, b: tir.Expr) -> tir.Expr:
        return make(a, b if a.type == b.type else tir.Cast(a.type, b))

    return shift


def _ashr(a: tir.Expr, b: tir.Expr) -> tir.Expr:
    """Return the shift in which copies of the sign come in, also of unsigned numbers."""
    if a.type.is_int:
        return math.right_shift(a, b)
    shifted = math.logical_right_shift(a, b)
    highest = tir.const((1 << a.type.bits) - 1, a.type)
    signs = math.bitwise_not(math.logical_right_shift(highest, b))
    half = tir.const(1 << a.type.bits - 1, a.type)
    return tir.Select(a >= half, math.bitwise_or(shifted, signs), shifted)


def operation_of(node: ops.UnaryOp | ops.BinaryOp) -> Callable[..., tir.Expr] | None:
    """Return what makes the expression of loops for an operator; ``None``: there is none."""
    table = _OF_TRUTHS if node.a.type.is_bool else _OPERATORS
    return table.get(type(node)) or _OPERATORS.get(type(node))


_OPERATORS: Final[dict[Any, Callable[..., tir.Expr]]] = {  # Any: kinds
    ops.Add: tir.Add,
    ops.Sub: tir.Sub,
    ops.Mul: tir.Mul,
    ops.Div: tir.Div,
    ops.Mod: tir.Mod,
    ops.Shl: _shift(math.left_shift),
    ops.Ashr: _shift(_ashr),
    ops.Lshr: _shift(math.logical_right_shift),
    ops.Band: math.bitwise_and,
    ops.Bor: math.bitwise_or,
    ops.Bxor: math.bitwise_xor,
    ops.Bnot: math.bitwise_not,
    ops.Eq: tir.EQ,
    ops.Ne: tir.NE,
    ops.Lt: tir.LT,
    ops.Le: tir.LE,
    ops.Gt: tir.GT,
    ops.Ge: tir.GE,
}

_OF_TRUTHS: Final[dict[Any, Callable[..., tir.Expr]]] = {  # Any: kinds
    ops.Band: tir.And,
    ops.Bor: tir.Or,
    ops.Bxor: tir.NE,
    ops.Bnot: tir.Not,
    ops.Lnot: tir.Not,
    ops.Land: tir.And,
    ops.Lor: tir.Or,
}
