"""Evaluating what is known, and leaving code for the rest, in the order of evaluation.

Every step that has to wait for another one is a generator; a loop keeps those that wait on a list,
so neither the nesting of the program nor the calls it makes use the Python stack.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, cast

import numpy as np
from pyrsistent import pmap

from relayish.analysis.infer_type.unifier import Unifier, substitute
from relayish.analysis.variables import free_vars
from relayish.errors import PassError
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.naming import name_of
from relayish.ir.fields.roles import Runs
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay.adt import Clause, Constructor, Match
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import FuncType, IncompleteType, Type, TypeVar
from relayish.ir.scopes.renaming import duplicate
from relayish.ir.scopes.replacing import rename_pattern, with_evaluated
from relayish.ir.scopes.scoping import binders, operands, parts, scope_roots, scopes
from relayish.op.declaration import properties
from relayish.pass_infra import is_skipped
from relayish.passes.relay.fold.fold_constant import ConstantFolder
from relayish.passes.relay.fold.partial_eval.environment import Environment
from relayish.passes.relay.fold.partial_eval.fuel import Fuel
from relayish.passes.relay.fold.partial_eval.match import Matched, match_pattern
from relayish.passes.relay.fold.partial_eval.residual import Residual
from relayish.passes.relay.fold.partial_eval.store import Store, Written
from relayish.passes.relay.fold.partial_eval.value import (
    Built,
    Cell,
    Closure,
    Fields,
    TypeEnvironment,
    Value,
    truth_of,
)
from relayish.passes.relay.functions.interprocedural.copy import copy_expr, retype_var
from relayish.passes.relay.normal_form.blocks import check_declares_nothing


class Frame:
    """Where a part of the program is evaluated: what is bound, and where code goes.

    ``memo`` holds the values of the nodes of one activation of one scope, so that what is shared
    in it is evaluated once.
    """

    __slots__ = ("env", "memo", "residual", "types")

    def __init__(self, env: Environment[Value], residual: Residual, types: TypeEnvironment) -> None:
        self.env = env
        self.residual = residual
        self.types = types
        self.memo: dict[Node, Value] = {}

    def enter_branch(self) -> Frame:
        """Return a frame for a branch, with code of its own."""
        return Frame(self.env, Residual(), self.types)


Request: TypeAlias = Value | tuple[Expr, Frame]
"""What a step waits for: the expression of a value, or the value of an expression."""

Step: TypeAlias = Generator[Request, Any, Any]  # Any: an expression or a value, as asked for

_EMPTY: Final = Fields(())


class Evaluator:
    """Evaluates the functions of one module.

    Source:
        Relay ``PartialEvaluator``.
    """

    def __init__(self, mod: IRModule, size: int) -> None:
        self._mod = mod
        self._fuel = Fuel(size)
        self._store = Store()
        self._folder = ConstantFolder()
        self._globals: dict[Expr, Value] = {}
        self._made: dict[str, Function] = {}
        self._outside: Environment[Value] = Environment()

    def function(self, name: str) -> Function:
        """Return a function of the module with its body evaluated, which calls will enter then.

        What was left of its callees is entered, not they themselves, so these come first.
        """
        func = self._mod[name]
        assert isinstance(func, Function)
        env: Environment[Value] = Environment(self._outside)
        env.bind_all({param: Value(expr=param) for param in func.params})
        frame = Frame(env, Residual(), pmap())
        mark = self._store.enter()
        self._fuel.enter_unknown(func)
        body = self._run(self._block(func.body, frame))
        self._fuel.leave(func)
        self._store.leave(mark)
        made = func.with_fields(body=body)
        self._made[name] = made
        return made

    def _run(self, step: Step) -> Any:  # Any: what the step returns
        waiting: list[Step] = [step]
        answer: Any = None  # Any: what the step waited for
        while waiting:
            try:
                request = waiting[-1].send(answer)
            except StopIteration as done:
                waiting.pop()
                answer = done.value
                continue
            answer = None
            if isinstance(request, Value):
                waiting.append(self._reify(request))
            else:
                waiting.append(self._evaluate(*request))
        return answer

    def _evaluate(self, node: Expr, frame: Frame) -> Step:
        found = self._look_up(node, frame)
        if found is not None:
            return found
        self._fuel.left -= 1
        value = yield from self._step(node, frame)
        frame.memo[node] = value
        return value

    def _step(self, node: Expr, frame: Frame) -> Step:
        """Return the step for ``node``; of other kinds no more is known than they declare."""
        match node:
            case Call():
                return self._call(node, frame)
            case Let():
                return self._let(node, frame)
            case Tuple():
                return self._tuple(node, frame)
            case TupleGetItem():
                return self._tuple_getitem(node, frame)
            case Function():
                return self._function(node, frame)
            case If():
                return self._if(node, frame)
            case Match():
                return self._match(node, frame)
            case RefCreate():
                return self._ref_create(node, frame)
            case RefRead():
                return self._ref_read(node, frame)
            case RefWrite():
                return self._ref_write(node, frame)
        return self._residualise_other(node, frame)

    def _look_up(self, node: Expr, frame: Frame) -> Value | None:
        """Return the value of what needs no evaluation, or was evaluated here before."""
        kind = type(node)
        if kind in VARIABLES:
            found = frame.env.find(node)
            return Value(expr=node) if found is None else found
        if kind is GlobalVar:
            return self._global(node)
        if isinstance(node, (Constant, Op, Constructor)):
            return Value(node, node)
        return frame.memo.get(node)

    def _global(self, name: Expr) -> Value:
        value = self._globals.get(name)
        if value is None:
            func: Node | None = None
            if isinstance(name, GlobalVar) and name in self._mod:
                func = self._made.get(name.name_hint) or self._mod.function_of(Node, name)
            known = isinstance(func, Function) and not is_left_alone(func)
            static = Closure(func, self._outside, pmap()) if known else None  # type: ignore[arg-type]
            value = self._globals[name] = Value(static, name)
        return value

    def _values(self, nodes: tuple[Expr, ...], frame: Frame) -> Step:
        values = []
        for node in nodes:
            value = self._look_up(node, frame)
            if value is None:
                value = yield node, frame
            values.append(value)
        return tuple(values)

    def _exprs(self, values: tuple[Value, ...]) -> Step:
        exprs = []
        for value in values:
            expr = value.expr
            if expr is None:
                expr = yield value
            exprs.append(expr)
        return tuple(exprs)

    def _block(self, body: Expr, frame: Frame) -> Step:
        """Return the code of a scope: its bindings around its result."""
        value = yield body, frame
        expr = value.expr
        if expr is None:
            expr = yield value
        return frame.residual.get(expr)

    def _tuple(self, tup: Tuple, frame: Frame) -> Step:
        fields = yield from self._values(tup.fields, frame)
        return Value(Fields(fields), slot=frame.residual.reserve(), span=tup.span)

    def _tuple_getitem(self, item: TupleGetItem, frame: Frame) -> Step:
        (held,) = yield from self._values((item.tuple_value,), frame)
        static = held.static
        if isinstance(static, Fields) and 0 <= item.index < len(static.fields):
            return static.fields[item.index]
        data = static.data if isinstance(static, Constant) else None
        if isinstance(data, tuple) and 0 <= item.index < len(data):
            constant = Constant(data[item.index], span=item.span)
            return Value(constant, constant)
        (tup,) = yield from self._exprs((held,))
        return self._leave_code(TupleGetItem(tup, item.index, span=item.span), frame)

    def _let(self, let: Let, frame: Frame) -> Step:
        tail: Expr = let
        while type(tail) is Let and tail not in frame.memo:
            value = self._look_up(tail.value, frame)
            if value is None:
                value = yield tail.value, frame
            frame.env.bind(tail.var, value)
            tail = tail.body
        (value,) = yield from self._values((tail,), frame)
        return value

    def _if(self, if_: If, frame: Frame) -> Step:
        (cond,) = yield from self._values((if_.cond,), frame)
        truth = truth_of(cond)
        if truth is not None:
            branch = if_.true_branch if truth else if_.false_branch
            (value,) = yield from self._values((branch,), frame)
            return value
        (condition,) = yield from self._exprs((cond,))
        code, written = [], []
        for branch in (if_.true_branch, if_.false_branch):
            mark = self._store.enter()
            code.append((yield from self._block(branch, frame.enter_branch())))
            written.append(self._store.leave(mark))
        self._store.join(written)
        return self._leave_code(If(condition, code[0], code[1], span=if_.span), frame)

    def _match(self, match_: Match, frame: Frame) -> Step:
        (data,) = yield from self._values((match_.data,), frame)
        open_: list[Clause] = []
        for clause in match_.clauses:
            answer, bound = match_pattern(clause.lhs, data)
            if answer is Matched.NO:
                continue
            if answer is Matched.YES and not open_:
                frame.env.bind_all(bound)
                (value,) = yield from self._values((clause.rhs,), frame)
                return value
            open_.append(clause)
            if answer is Matched.YES:
                break
        (expr,) = yield from self._exprs((data,))
        clauses, written = [], []
        for clause in open_ or match_.clauses:
            inner = frame.enter_branch()
            fresh = {var: Var(name_of(var), span=var.span) for var in _expressions(binders(clause))}
            inner.env.bind_all({var: Value(expr=name) for var, name in fresh.items()})
            mark = self._store.enter()
            code = yield from self._block(clause.rhs, inner)
            written.append(self._store.leave(mark))
            clauses.append(Clause(rename_pattern(clause.lhs, fresh), code))
        self._store.join(written)
        left = Match(expr, tuple(clauses), match_.complete, span=match_.span)
        return self._leave_code(left, frame)

    def _function(self, func: Function, frame: Frame) -> Step:
        if is_left_alone(func):
            free = free_vars(func)
            values = yield from self._values(free, frame)
            exprs = yield from self._exprs(values)
            return self._leave_code(copy_expr(func, dict(zip(free, exprs, strict=True))), frame)
        closure = Closure(func, frame.env, frame.types)
        return Value(closure, slot=frame.residual.reserve(), span=func.span)

    def _ref_create(self, ref: RefCreate, frame: Frame) -> Step:
        (content,) = yield from self._values((ref.value,), frame)
        (expr,) = yield from self._exprs((content,))
        value = self._leave_code(RefCreate(expr, span=ref.span), frame)
        cell = Cell()
        value.static = cell
        self._store.set(cell, content)
        return value

    def _ref_read(self, read: RefRead, frame: Frame) -> Step:
        (ref,) = yield from self._values((read.ref,), frame)
        content = self._store.get(ref.static) if isinstance(ref.static, Cell) else None
        if content is not None:
            return content
        (expr,) = yield from self._exprs((ref,))
        value = self._leave_code(RefRead(expr, span=read.span), frame)
        if isinstance(ref.static, Cell):
            self._store.set(ref.static, value)
        return value

    def _ref_write(self, write: RefWrite, frame: Frame) -> Step:
        values = yield from self._values((write.ref, write.value), frame)
        ref, expr = yield from self._exprs(values)
        value = self._leave_code(RefWrite(ref, expr, span=write.span), frame)
        value.static = _EMPTY
        if isinstance(values[0].static, Cell):
            self._store.set(values[0].static, values[1])
        else:
            self._store.invalidate()
        return value

    def _call(self, call: Call, frame: Frame) -> Step:
        (callee,) = yield from self._values((call.op,), frame)
        args = yield from self._values(call.args, frame)
        static = callee.static
        if isinstance(static, Closure):
            value = yield from self._call_closure(call, callee, args, frame)
            if value is not None:
                return value
        if isinstance(static, Op):
            return (yield from self._call_op(static, call, args, frame))
        if isinstance(static, Constructor):
            built = Built(static, args, self._types(call, frame))
            return Value(built, slot=frame.residual.reserve(), span=call.span)
        op, *exprs = yield from self._exprs((callee, *args))
        self._store.invalidate()
        left = Call(op, tuple(exprs), call.attrs, self._types(call, frame), span=call.span)
        return self._leave_code(left, frame)

    def _call_closure(
        self, call: Call, callee: Value, args: tuple[Value, ...], frame: Frame
    ) -> Step:
        """Evaluate the body of the function that is called; ``None`` if that is not to be done."""
        closure = callee.static
        assert isinstance(closure, Closure)
        func, types = closure.func, closure.types
        given = self._type_args(call, func, frame)
        if given is None or len(args) != len(func.params) or not self._fuel.enter(func, args):
            return None
        if func.type_params:
            types = types.update(dict(zip(func.type_params, given, strict=True)))
        env = Environment(closure.env)
        env.bind_all(dict(zip(func.params, args, strict=True)))
        value = yield func.body, Frame(env, frame.residual, types)
        self._fuel.leave(func)
        return value

    def _call_op(self, op: Op, call: Call, args: tuple[Value, ...], frame: Frame) -> Step:
        known = _constant_exprs(args)
        if known:
            folded = self._fold(call, Call(op, known, call.attrs, span=call.span), frame)
            if folded is not None:
                return folded
        exprs = yield from self._exprs(args)
        left = Call(op, exprs, call.attrs, span=call.span)
        if op in properties.shape_only:
            folded = self._fold(call, left, frame)
            if folded is not None:
                return folded
        return self._leave_code(left, frame)

    def _fold(self, pre: Call, post: Call, frame: Frame) -> Value | None:
        with np.errstate(all="ignore"):
            image = self._folder.rewrite_call(pre, post)
        if isinstance(image, Constant):
            return Value(image, image)
        if not isinstance(image, Tuple):
            return None
        fields = tuple([Value(field, field) for field in image.fields])  # type: ignore[arg-type]
        return Value(Fields(fields), slot=frame.residual.reserve(), span=post.span)

    def _reify(self, value: Value) -> Step:
        """Give a value whose code was not needed before a binding where it was made."""
        slot, static = value.slot, value.static
        if value.expr is not None:
            return value.expr
        assert slot is not None
        if isinstance(static, Closure):
            slot.var = value.expr = Var("f", span=value.span)  # before: it may call itself
            slot.value = yield from self._residualise_function(static)
            return slot.var
        assert isinstance(static, (Fields, Built))
        fields = yield from self._exprs(static.fields)
        if isinstance(static, Fields):
            slot.value = Tuple(fields, span=value.span)
        else:
            types = static.type_args
            slot.value = Call(static.constructor, fields, None, types, span=value.span)
        slot.var = value.expr = Var("x", span=value.span)
        return slot.var

    def _residualise_function(self, closure: Closure) -> Step:
        """Return the code of a function that may be called any time, with anything."""
        func, types = closure.func, closure.types
        fresh = {old: TypeVar(old.name_hint, old.kind) for old in func.type_params}
        types = types.update(fresh) if fresh else types
        params = {
            param: Var(
                param.name_hint,
                _closed_type(_type_of(param), types),
                virtual_device=param.virtual_device,
                span=param.span,
            )
            for param in func.params
        }
        env = Environment(closure.env)
        env.bind_all({old: Value(expr=new) for old, new in params.items()})
        mark = self._store.enter()
        self._store.invalidate()
        self._fuel.enter_unknown(func)
        body = yield from self._block(func.body, Frame(env, Residual(), types))
        self._fuel.leave(func)
        self._store.leave(mark)
        result = func.ret_type
        if result is None and isinstance(func.checked_type, FuncType):
            result = func.checked_type.ret_type
        return Function(
            tuple(params.values()),
            body,
            _closed_type(result, types),
            tuple(fresh.values()),
            func.attrs,
            func.virtual_device,
            span=func.span,
        )

    def _residualise_other(self, node: Expr, frame: Frame) -> Step:
        """Leave a node of a kind that is known by its declaration alone, its scopes evaluated.

        Of references nothing is known where the node or its scopes may have written to them, or
        where a scope may run at another time.
        """
        values = yield from self._values(_expressions(operands(node)), frame)
        exprs = yield from self._exprs(values)
        opened = scopes(node)
        bound = _expressions([var for each in (node, *parts(node)) for var in binders(each)])
        retype = partial(substitute, values=frame.types)
        fresh: dict[Node, Expr] = {var: retype_var(var, retype) for var in bound}
        branches = all(scope.runs is Runs.ONE_OF for scope in opened)
        is_calm = not node.traits_.effect & ~Effect.READS and branches
        code: list[Expr] = []
        written: list[Written | None] = [None] * (not is_calm)
        frame.env.bind_all({var: Value(expr=name) for var, name in fresh.items()})
        for root in _expressions([root for scope in opened for root in scope.roots]):
            inner = frame.enter_branch()
            mark = self._store.enter()
            if not is_calm:
                self._store.invalidate()
            code.append((yield from self._block(root, inner)))
            if type(code[-1]) is Let and len(opened) < len(scope_roots(node)):
                check_declares_nothing(root, node)
            written.append(self._store.leave(mark))
        if written:
            self._store.join(written)
        left = _with_types(with_evaluated(node, exprs, code, fresh), frame.types)
        if left is node:  # it is evaluated once for each time that it is met here
            left = duplicate(node)
        return self._leave_code(left, frame)

    def _types(self, call: Call, frame: Frame) -> tuple[Type, ...]:
        if not call.type_args or not frame.types:
            return call.type_args
        return tuple([substitute(ty, frame.types) for ty in call.type_args])

    def _type_args(self, call: Call, func: Function, frame: Frame) -> tuple[Type, ...] | None:
        """Return the type arguments of a call of ``func``, or ``None`` if they are not known.

        A polymorphic function that is passed on as a value is called without any. They follow from
        the type of what is called.
        """
        if len(call.type_args) == len(func.type_params):
            return self._types(call, frame)
        called = _closed_type(call.op.checked_type, frame.types)
        generic = _generic_type(func)
        if call.type_args or called is None or generic is None:
            return None
        unifier, unknown = Unifier(), [IncompleteType() for _ in func.type_params]
        values = dict(zip(func.type_params, unknown, strict=True))
        unifier.unify(substitute(generic, values), called)
        found = tuple(map(unifier.resolve, unknown))
        return found if all(map(unifier.is_closed, found)) else None

    def _leave_code(self, expr: Expr, frame: Frame) -> Value:
        return Value(expr=frame.residual.push(expr, expr.span))


def _expressions(nodes: Sequence[Node]) -> tuple[Expr, ...]:
    for node in nodes:
        if not isinstance(node, Expr):
            raise PassError(
                f"PartialEvaluate evaluates expressions; found {quote(node)}, which is none, in "
                f"a node of another kind"
            )
    return cast("tuple[Expr, ...]", tuple(nodes))


def _with_types(node: Expr, types: TypeEnvironment) -> Expr:
    """Return ``node`` with the types in its fields closed."""
    if not types:
        return node
    changed = {
        declared.name: substitute(held, types)
        for declared in node.fields_
        if isinstance(held := getattr(node, declared.name), Type) and not declared.inferred
    }
    return node.with_fields(**changed)


def is_left_alone(func: Function) -> bool:
    """Return whether what ``func`` computes is a kernel's or another compiler's business."""
    return is_primitive(func) or is_skipped(func)


def _constant_exprs(values: tuple[Value, ...]) -> tuple[Expr, ...]:
    """Return values as arguments to fold with; none unless all are constants."""
    found: list[Expr] = []
    for value in values:
        constant = _constant_expr(value)
        if constant is None:
            return ()
        found.append(constant)
    return tuple(found)


def _constant_expr(value: Value) -> Expr | None:
    """Return a value as an argument to fold with: a constant, or a tuple of constants."""
    static = value.static
    if isinstance(static, Constant):
        return static
    if not isinstance(static, Fields):
        return None
    constants = [f.static for f in static.fields if isinstance(f.static, Constant)]
    return Tuple(tuple(constants)) if len(constants) == len(static.fields) else None


def _type_of(param: Var) -> Type | None:
    return param.checked_type if param.type_annotation is None else param.type_annotation


def _generic_type(func: Function) -> FuncType | None:
    """Return the type of ``func``, with its type variables free, where it is known."""
    args = [ty for param in func.params if (ty := _type_of(param)) is not None]
    if func.ret_type is None or len(args) < len(func.params):
        return None
    return FuncType(tuple(args), func.ret_type)


def _closed_type(ty: Type | None, types: TypeEnvironment) -> Type | None:
    return ty if ty is None or not types else substitute(ty, types)
