"""Bodies of functions that order calls, as statements of loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NoReturn

from relayish.analysis.unmatched_cases import iter_unmatched_cases
from relayish.codegen.c.ordering.aims import ANYWHERE, Aim, aims_of
from relayish.codegen.c.ordering.arguments import arranged, as_argument, cells_in, sizes_of
from relayish.codegen.c.ordering.leaves import Leaf, closest
from relayish.codegen.c.ordering.memory import Memory, Value, Workspace, buffer_of
from relayish.codegen.c.ordering.patterns import Tests
from relayish.codegen.c.ordering.program import Ordered, Program, block_of, last_calls
from relayish.codegen.c.ordering.python_calls import install_function
from relayish.codegen.c.ordering.statements import copy, fill
from relayish.errors import CodegenError, UnlowerableError
from relayish.functor import ExprFunctor
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor, Match, PatternVar
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
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TupleType
from relayish.ir.relay.typed import type_of
from relayish.op.types.dimension import compare, show_shape
from relayish.passes.relay.to_loops.functions import is_view
from relayish.tir.foreign_calls import written_arguments
from relayish.tir.ir.expr import Call as LoopCall
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import EQ, const
from relayish.tir.ir.operators import Expr as Scalar
from relayish.tir.ir.stmt import Block, IfThenElse, PolyFor
from relayish.tir.ir.stmt import Let as Declare
from relayish.tir.ir.tensor import Store, Tensor
from relayish.tir.ir.tensor import Var as LoopVar
from relayish.tir.ir.type import VOID


class Body(ExprFunctor[Value]):
    """Writes the body of one function of Relay, in A-normal form.

    What computes a value says where it stands; it is put where it is wanted from the start if
    whoever computes it can do that, else copied.

    Attributes:
        called: The functions of loops that it calls.
    """

    def __init__(self, program: Program, var: GlobalVar) -> None:
        super().__init__()
        self.called: dict[LoweredFunc, None] = {}
        self._program: Final = program
        self._layouts: Final = program.layouts
        self._var: Final = var
        self._func: Final = program.function(var)
        self._told: Final = program.ordered[var]
        self._space: Final = Workspace(program.names, program.sizes)
        self._stmts: list[Stmt] = []
        self._values: dict[Var, Value] = {}
        nodes = EXPRESSIONS.post_order(self._func.body)
        self._uses: Final = Counter(
            [child for node in nodes for child in EXPRESSIONS.children(node)]
        )
        bound = [node.var for node in nodes if isinstance(node, (Let, PatternVar))]
        self._uses.subtract(bound)
        self._groups: dict[Expr, Expr] = {}
        self._idle: list[Var] = []
        self._again: LoopVar | None = None

    def written(self) -> LoweredFunc:
        """Return the function; from then on it is told what memory it is given."""
        func, told = self._func, self._told
        params = [
            self._memory(param.name_hint, leaves)
            for param, leaves in zip(func.params, told.params, strict=True)
        ]
        self._constants = {node: self._memory("constant", self._leaves(node))
                           for node in told.constants}  # fmt: skip
        with _naming(block_of(func.body)[1]):
            results = self._memory("result", told.result)
        for param, value in zip(func.params, params, strict=True):
            self._bind(param, value)
        if self._var in self._program.repeated:
            self._repeat(params, results)
        else:
            self._block(func.body, Aim(results, is_last=True))
        room = tuple(self._space.buffers)
        own = room if self._var in self._program.recursive else ()
        if not own:
            told = told._replace(workspace=room, room=self._space.leaves())
        self._program.ordered[self._var] = told
        args = arranged(told, params, [self._constants[node] for node in told.constants], results)
        given = (*self._sizes, *map(as_argument, args))
        return LoweredFunc(told.name, given, Block(tuple(self._stmts)), own)

    @property
    def _sizes(self) -> list[LoopVar]:
        return list(self._program.sizes.variables.values())

    def _memory(self, hint: str, leaves: Sequence[Leaf]) -> Value:
        return tuple([self._space.fresh(hint, leaf) for leaf in leaves])

    def _leaves(self, expr: Expr) -> tuple[Leaf, ...]:
        return self._layouts.of(expr.checked_type, expr)

    # Blocks

    def _block(self, expr: Expr, aim: Aim) -> Value:
        """Write the statements of a chain of lets, and return where its value stands."""
        bindings, last = block_of(expr)
        aims = aims_of(bindings, last, aim, self._layouts)
        for var, value in bindings:
            if isinstance(value, Function) and is_primitive(value):  # several calls share it
                self._groups[var] = value
                continue
            self._bind(var, self.visit(value, aims.get(var) or Aim(None, var.type_annotation)))
            self._settle()
        found = self.visit(last, aim)
        if aim.places is not None:
            found = self._put(found, aim.places)
        self._settle()
        return found

    def _nested(self, expr: Expr, aim: Aim) -> Block:
        outer, self._stmts = self._stmts, []
        self._block(expr, aim)
        inner, self._stmts = self._stmts, outer
        return Block(tuple(inner))

    def _put(self, found: Value, places: Sequence[Tensor | None]) -> Value:
        """Return places, to which what stands elsewhere is copied."""
        made = []
        for source, place in zip(found, places, strict=True):
            if place is not None and place is not source:
                self._check_same(source, place)
                self._stmts.append(copy(source, place))
            made.append(source if place is None else place)
        return tuple(made)

    def _check_same(self, source: Tensor, place: Tensor) -> None:
        """Refuse to copy a tensor of which nobody knows whether it has the shape of its place."""
        shapes = [self._space.leaf_of(each).shape for each in (source, place)]
        if not all(compare(a, b) for a, b in zip(*shapes, strict=True)):
            raise CodegenError(
                f"a tensor of shape {show_shape(shapes[0])} stands for one of "
                f"{show_shape(shapes[1])}, which is known only when it runs"
            )

    def _bind(self, var: Var, value: Value) -> None:
        self._values[var] = value
        for tensor in value:
            self._space.use(tensor)
        if not self._uses[var]:
            self._idle.append(var)

    def _settle(self) -> None:
        """Give back the memory of what was used for the last time."""
        for var in self._idle:
            for tensor in self._values[var]:
                self._space.release(tensor)
        self._idle.clear()

    def _room(self, expr: Expr, aim: Aim) -> Value:
        """Return memory for a value, where it is wanted."""
        leaves = self._layouts.of(closest(aim.type, expr.checked_type), expr)
        places = aim.places or [None] * len(leaves)
        if any(leaf.is_cell for leaf in leaves):
            raise CodegenError(
                f"{quote(expr)} gives a reference, and which is known only when it runs; give what "
                f"it refers to"
            )
        with _naming(expr):
            return tuple(
                [
                    self._space.take("between", leaf) if place is None else place
                    for leaf, place in zip(leaves, places, strict=True)
                ]
            )

    # Values

    def visit_node(self, expr: Expr, aim: Aim) -> NoReturn:  # noqa: ARG002 - as the others
        raise CodegenError(
            f"{quote(expr)} is no call of a function of loops, and no function of loops says it; "
            f"LowerToLoops(unlowerable='refuse') says why it was left"
        )

    def visit_let(self, let: Let, aim: Aim) -> Value:
        return self._block(let, aim)

    def visit_var(self, var: Var, aim: Aim) -> Value:  # noqa: ARG002 - as the others
        self._uses[var] -= 1
        if not self._uses[var]:
            self._idle.append(var)
        return self._values[var]

    def visit_constant(self, constant: Constant, aim: Aim) -> Value:  # noqa: ARG002 - as the others
        return self._constants[constant]

    def visit_tuple(self, tup: Tuple, aim: Aim) -> Value:  # noqa: ARG002 - as the others
        return tuple([each for field in tup.fields for each in self.visit(field, ANYWHERE)])

    def visit_tuple_getitem(self, item: TupleGetItem, aim: Aim) -> Value:  # noqa: ARG002
        ty = item.tuple_value.checked_type
        assert isinstance(ty, TupleType)
        counts = [len(self._layouts.of(field, item)) for field in ty.fields]
        start = sum(counts[: item.index])
        return self.visit(item.tuple_value, ANYWHERE)[start : start + counts[item.index]]

    # Branches

    def visit_if(self, branch: If, aim: Aim) -> Value:
        (condition,) = self.visit(branch.cond, ANYWHERE)
        made = self._room(branch, aim)
        inner = Aim(made, aim.type, is_last=aim.is_last)
        arms = [self._nested(arm, inner) for arm in (branch.true_branch, branch.false_branch)]
        self._stmts.append(IfThenElse(condition[()], *arms))
        return made

    def visit_match(self, match: Match, aim: Aim) -> Value:
        for case in iter_unmatched_cases(match, self._program.mod):
            raise CodegenError(
                f"{quote(match)} has no clause for {case}, and C cannot say so where it happens; "
                f"add one"
            )
        data = self.visit(match.data, ANYWHERE)
        made = self._room(match, aim)
        for tensor in data:  # clauses that are written later need it as well
            self._space.use(tensor)
        arms: list[tuple[Scalar | None, Block]] = []
        for clause in match.clauses:
            tests = Tests(self._layouts)
            tests.visit(clause.lhs, match.data.checked_type, data)
            for var, value in tests.bound:
                self._bind(var, value)
            inner = Aim(made, aim.type, is_last=aim.is_last)
            arms.append((tests.condition, self._nested(clause.rhs, inner)))
            if tests.condition is None:
                break
        for tensor in data:
            self._space.release(tensor)
        _, rest = arms.pop()  # it is what is left: all cases have a clause
        for condition, arm in reversed(arms):
            assert condition is not None
            rest = Block((IfThenElse(condition, arm, rest),))
        self._stmts += rest.stmts
        return made

    # References

    def visit_ref_create(self, create: RefCreate, aim: Aim) -> Value:  # noqa: ARG002
        found = self.visit(create.value, ANYWHERE)
        self._leaves(create)  # which refuses references to references
        cell = tuple([self._space.take("cell", self._space.leaf_of(each)) for each in found])
        return self._put(found, cell)

    def visit_ref_read(self, read: RefRead, aim: Aim) -> Value:
        found = self.visit(read.ref, ANYWHERE)
        places = aim.places or [None] * len(found)
        made = [
            self._space.take("between", self._space.leaf_of(cell)) if place is None else place
            for cell, place in zip(found, places, strict=True)
        ]
        return self._put(found, made)

    def visit_ref_write(self, write: RefWrite, aim: Aim) -> Value:  # noqa: ARG002
        cell = self.visit(write.ref, ANYWHERE)
        self._put(self.visit(write.value, ANYWHERE), cell)
        return ()

    # Calls

    def visit_call(self, call: Call, aim: Aim) -> Value:
        match self._groups.get(call.op, call.op):
            case Constructor() as constructor:
                return self._construct(call, constructor, aim)
            case GlobalVar() as var:
                callee = self._program.mod.function_of(Node, var)
                if isinstance(callee, LoweredFunc):
                    return self._run(call, callee, aim)
                if aim.is_last and var is self._var and self._again is not None:
                    return self._next(call, self._again, aim)
                return self._call(call, self._program.ordered[var], aim)
            case Function() | Op() if self._program.calls_python:
                return self._call_python(call, aim)
        return self.visit_node(call, aim)

    def _call_python(self, call: Call, aim: Aim) -> Value:
        """Write the call of what loops do not express, which numpy evaluates."""
        given = [tensor for arg in call.args for tensor in self.visit(arg, ANYWHERE)]
        func = self._groups.get(call.op, call.op)
        if not isinstance(func, Function):
            params = [Var(f"p{at}", type_of(arg)) for at, arg in enumerate(call.args)]
            func = Function(params, call.with_fields(args=tuple(params), checked_type=None))
        made = self._room(call, aim)
        name = install_function(func, len(made))
        self._stmts.append(LoopCall(VOID, name, tuple(given), made, CallType.EXTERN))
        return made

    def _run(self, call: Call, callee: LoweredFunc, aim: Aim) -> Value:
        """Write the call of a function of loops."""
        given = [tensor for arg in call.args for tensor in self.visit(arg, ANYWHERE)]
        if is_view(callee) and len(given) == 1:
            (leaf,) = self._layouts.of(closest(aim.type, call.checked_type), call)
            return (self._space.view("view", leaf, buffer_of(given[0])),)
        made = self._room(call, aim)
        assert len(made) == len(written_arguments(callee))
        self.called[callee] = None
        self._emit(callee.name, [*sizes_of(callee, given), *given], made)
        return made

    def _call(self, call: Call, told: Ordered, aim: Aim) -> Value:
        """Write the call of a function that orders calls."""
        given = [self.visit(arg, ANYWHERE) for arg in call.args]
        made = self._room(call, aim)
        room = [self._space.take("room", leaf) for leaf in told.room]
        args = arranged(told, given, [self._constants[node] for node in told.constants], made, room)
        read = sum(len(leaves) - cells_in(leaves) for leaves in told.params) + len(told.constants)
        self._emit(told.name, [*self._sizes, *args[:read]], args[read:])
        for tensor in room:
            self._space.use(tensor)
            self._space.release(tensor)
        return made

    def _emit(self, name: str, read: Sequence[Scalar], written: Sequence[Memory]) -> None:
        call = LoopCall(VOID, name, tuple(read), tuple(written), CallType.CINN)
        self._stmts.append(call)

    def _construct(self, call: Call, constructor: Constructor, aim: Aim) -> Value:
        """Write the number of a constructor; what its value does not hold is 0."""
        number, fields = self._layouts.fields_of(call.checked_type, constructor)
        found: dict[int, Tensor] = {}
        for arg, (_, place) in zip(call.args, fields, strict=True):
            found.update(
                zip(range(place.start, place.stop), self.visit(arg, ANYWHERE), strict=True)
            )
        for at, leaf in enumerate(self._layouts.of(closest(aim.type, call.checked_type), call)):
            if at not in found:
                found[at] = self._space.take("tag" if at == 0 else "unused", leaf)
                self._stmts.append(fill(found[at], number if at == 0 else 0))
        return tuple([found[at] for at in sorted(found)])

    # Loops

    def _repeat(self, params: Sequence[Value], results: Value) -> None:
        """Write a function that calls itself as the last thing that it does as a loop."""
        func, calls = self._func, [*last_calls(self._func.body, self._var)]
        for at, (param, value) in enumerate(zip(func.params, params, strict=True)):
            if all(call.args[at] is param for call in calls):
                continue
            leaves = self._told.params[at]
            if any(leaf.is_cell for leaf in leaves):
                raise CodegenError(
                    f"@{self._var.name_hint} calls itself with another reference as "
                    f"{param.name_hint}, and which is known only when it runs"
                )
            state = tuple([self._space.take(param.name_hint, leaf) for leaf in leaves])
            self._bind(param, self._put(value, state))
        self._idle.clear()
        for param in func.params:
            for tensor in self._values[param]:  # until the loop ends
                self._space.use(tensor)
        again = self._again = LoopVar(self._program.names.fresh_name("again"))
        turn = LoopVar(self._program.names.fresh_name("turn"))
        outer, self._stmts = self._stmts, [Store(again, const(0), ())]
        self._block(func.body, Aim(results, is_last=True))
        inner, self._stmts = self._stmts, outer
        going = EQ(again, const(1))
        self._stmts += [
            Declare(again, const(1)),
            PolyFor(turn, const(0), going, const(0), Block(tuple(inner))),
        ]

    def _next(self, call: Call, again: LoopVar, aim: Aim) -> Value:
        """Write what the parameters are in the next iteration."""
        states = [tensor for param in self._func.params for tensor in self._values[param]]
        found = [tensor for arg in call.args for tensor in self.visit(arg, ANYWHERE)]
        moves = [(a, b) for a, b in zip(found, states, strict=True) if a is not b]
        taken = {buffer_of(state) for _, state in moves}
        held: list[tuple[Tensor, Tensor]] = []
        for source, state in moves:
            if buffer_of(source) in taken:  # it is written as well
                kept = self._space.take("kept", self._space.leaf_of(state))
                self._stmts.append(copy(source, kept))
                self._space.use(kept)
                held.append((kept, state))
            else:
                held.append((source, state))
        self._stmts += [copy(source, state) for source, state in held]
        for (source, _), (kept, _) in zip(moves, held, strict=True):
            if source is not kept:
                self._space.release(kept)
        self._stmts.append(Store(again, const(1), ()))
        assert aim.places is not None
        return tuple([each for each in aim.places if each is not None])

    def visit_function(self, func: Function, aim: Aim) -> NoReturn:  # noqa: ARG002
        raise CodegenError(
            f"{quote(func)} is a function as a value; Defunctionalization puts data in its place"
        )


@contextmanager
def _naming(expr: Expr) -> Iterator[None]:
    """Let errors that are raised within say of which expression no size is known."""
    try:
        yield
    except UnlowerableError as error:
        raise UnlowerableError(
            f"{quote(expr)} gives a value of type {expr.checked_type}, and nobody knows how much "
            f"memory that takes: {error}"
        ) from None
