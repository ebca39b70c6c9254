"""Static counting: what a function does, told from its loops without running it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from relayish._support.trampoline import Rule, run
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, free_variables
from relayish.tir.analysis.dependence.accesses import evaluated_before
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.analysis.regions.elements import body_of_element
from relayish.tir.analysis.work.count import Count, number
from relayish.tir.analysis.work.footprint import Box, whole
from relayish.tir.analysis.work.indices import (
    UNKNOWN,
    Counter,
    Digit,
    Form,
    Indices,
    Opaque,
)
from relayish.tir.analysis.work.memory_places import MemoryPlaces
from relayish.tir.analysis.work.space import Place, Spaces
from relayish.tir.analysis.work.tally import Tally, Touch, size_of
from relayish.tir.analysis.work.work import AccessWork, Footprint, LoopWork, Work, bytes_of
from relayish.tir.externs import find_extern
from relayish.tir.functor import IRFunctor
from relayish.tir.ir import operators as ops
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.expr import REDUCE_OPERATORS, Call, PrimitiveNode, Reduce
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.intrinsic import BuiltinIntrin
from relayish.tir.ir.operation import ComputeOp
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.ir.traversal import NODES, STATEMENTS
from relayish.tir.ir.type import Type
from relayish.tir.substitution import substitute
from relayish.tir.text.statement_forms import head_of


def count_work(func: LoweredFunc | Stmt, sizes: Mapping[Var | str, int] | None = None) -> Work:
    """Return what one run of ``func`` does: operations, loads and stores, memory that it touches.

    It counts what is written: an expression that stands in several places of a statement counts
    once, both arms of a ``Select`` count, and so does the arithmetic of indices. What hangs on
    values in memory counts as often as it may happen; such a count says that it is a bound.

    Args:
        func: A function, or a statement.
        sizes: Values of scalars that it is given, by variable or name; without these, counts are
            polynomials over them, for sizes that are not negative.

    Complexity:
        Linear in the number of statements and, for each, of distinct expressions; for each loop, in
        the buffers that it touches. Where bounds or guards couple loops, 2^16 points at most. No
        recursion.

    Example:
        >>> from relayish import tir
        >>> A, B = tir.placeholder("A", (64, 32)), tir.placeholder("B", (32, 16))
        >>> k = tir.reduce_axis("k", 32)
        >>> C = tir.compute((64, 16), lambda i, j: tir.reduce_sum(A[i, k] * B[k, j], [k]), "C")
        >>> work = count_work(tir.lower("matmul", [A, B, C]))
        >>> int(work.flops), int(work.bytes), int(work.operations.loads)
        (65536, 14336, 98304)
        >>> [str(work.loops[-1].iterations), work.accesses[-2].stride]
        ['32768', 16]
    """
    known = {} if sizes is None else dict(sizes)
    images: dict[Var, IntImm] = {}
    for var in _given(func):
        value = known.get(var, known.get(var.name))
        if value is not None:
            images[var] = IntImm(value, var.type)
    body = func.body if isinstance(func, LoweredFunc) else func
    if images:
        body = substitute(body, images)
    name = func.name if isinstance(func, LoweredFunc) else ""
    return _Counter(body, images).work(name)


def _given(func: LoweredFunc | Stmt) -> Sequence[Var]:
    """Return the scalars that a function is given, or a statement uses."""
    if isinstance(func, LoweredFunc):
        return [arg for arg in func.args if isinstance(arg, Var)]
    return [var for var in free_variables(func) if isinstance(var, Var)]


class _Counter(IRFunctor[Rule]):
    """Handlers count what a statement does at a place, into the tally of the loop around it.

    Args:
        body: The statements.
        sizes: What was put in for scalars from outside.
    """

    def __init__(self, body: Stmt, sizes: Mapping[Var, IntImm]) -> None:
        super().__init__()
        self._body = body
        self._context = LoopRanges(PROGRAM.post_order(body)).context
        self._indices = Indices(self._context)
        self._spaces = Spaces(self._indices)
        self._memory = MemoryPlaces(self._indices, sizes)
        self._loops: list[LoopWork | None] = []
        self._accesses: list[AccessWork] = []
        self._inlined = 0
        self._depth = 0
        self._tally = Tally(self._memory.shapes)

    def work(self, name: str) -> Work:
        """Return what the statements do."""
        run(self.visit(self._body, Place()))
        loops = tuple([loop for loop in self._loops if loop is not None])
        tally = self._tally
        return Work(name, tally.operations(), loops, tuple(self._accesses), tally.footprints())

    # statements

    def visit_for(self, loop: stmts.For, place: Place) -> Rule:
        yield self._expressions(place, loop.min, loop.extent)
        first = self._form(loop.min, place)
        inner, counter = self._spaces.enter_loop(place, loop, loop.loop_var, first, loop.extent)
        kind = head_of(loop)[0].removesuffix("for (").strip()
        yield self._iterate(
            loop, loop.loop_var.name, kind, counter, place, inner, self.visit(loop.body, inner)
        )

    def visit_poly_for(self, loop: stmts.PolyFor, place: Place) -> Rule:
        yield self._expressions(place, loop.init)
        inner, counter = self._enter_poly_for(loop, place)
        kind = head_of(loop)[0].removesuffix("for (").strip()  # type: ignore[arg-type]  # both have it
        yield self._expressions(place, loop.condition)
        head = self._expressions(inner, loop.condition, loop.inc)
        body = self.visit(loop.body, inner)
        yield self._iterate(loop, loop.iterator.name, kind, counter, place, inner, head, body)

    def visit_if_then_else(self, branch: stmts.IfThenElse, place: Place) -> Rule:
        yield self._expressions(place, branch.condition)
        then, otherwise = self._spaces.branch(place, branch.condition)
        yield self.visit(branch.true_case, then)
        if branch.false_case is not None:
            yield self.visit(branch.false_case, otherwise)

    def visit_block(self, block: stmts.Block, place: Place) -> Rule:
        for stmt in block.stmts:
            yield self.visit(stmt, place)
            if isinstance(stmt, stmts.Let) and stmt.body is not None:
                place = self._bind(place, stmt.symbol, stmt.body, place)

    def visit_let(self, let: stmts.Let, place: Place) -> Rule:
        if let.body is not None:
            yield self._expressions(place, let.body)

    def visit_schedule_block_realize(
        self, realize: stmts.ScheduleBlockRealize, place: Place
    ) -> Rule:
        yield self._expressions(place, *realize.iter_values)
        inner, block = place, realize.schedule_block
        for var, value in zip(block.iter_vars, realize.iter_values, strict=False):
            inner = self._bind(inner, var, value, place)
        yield self.visit(block.body, inner)

    def visit_alloc(self, alloc: stmts.Alloc, place: Place) -> Rule:
        yield self._expressions(place, *alloc.extents)
        if alloc.body is not None:
            yield self.visit(alloc.body, place)

    def visit_store(self, store: Store, place: Place) -> Rule:
        yield self._expressions(place, *store.indices, store.value)
        self._access(store, place, max(store.value.type.lanes, _lanes(store.indices)))

    def visit_stmt(self, stmt: Stmt, place: Place) -> Rule:
        if isinstance(stmt, Expr):
            yield self._expressions(place, stmt)
            return
        for held in STATEMENTS.children(stmt):
            assert isinstance(held, Stmt)
            yield self.visit(held, place)

    def visit_expr(self, expr: Expr, place: Place) -> Rule:
        yield self._expressions(place, expr)

    visit_call = visit_primitive_node = visit_intrinsic_op = visit_expr

    # loops

    def _iterate(
        self,
        loop: stmts.For | stmts.PolyFor | Reduce,
        name: str,
        kind: str,
        counter: Counter,
        place: Place,
        inner: Place,
        *body: Rule,
    ) -> Rule:
        """Count what iterations do, and note the loop."""
        outer, tally = self._tally, Tally(self._memory.shapes)
        number, depth = len(self._loops), self._depth
        self._loops.append(None)
        self._tally, self._depth = tally, depth + 1
        yield from body
        self._tally, self._depth = outer, depth
        inside = tally.footprints()
        self._resolve(tally, outer, counter, inside)
        widened = tally.widened(counter)
        outer.add_all(widened)
        self._loops[number] = LoopWork(
            loop,
            name,
            kind,
            depth,
            counter.extent,
            place.times,
            inner.times,
            tally.operations(),
            widened.footprints(),
            inside,
        )

    def _resolve(
        self, tally: Tally, outer: Tally, counter: Counter, inside: tuple[Footprint, ...]
    ) -> None:
        """Note which accesses a loop makes again, each iteration those of the one before."""
        between: Count | None = None
        for touch in tally.touches:
            hangs = touch.counters is None or counter in touch.counters
            if hangs or counter.extent.number == 1:
                outer.touches.append(touch)
                continue
            if between is None:
                between = bytes_of(inside)
            found = self._accesses[touch.number]
            self._accesses[touch.number] = replace(
                found, reuse_loop=counter.node, reuse_bytes=between
            )

    def _enter_poly_for(self, loop: stmts.PolyFor, place: Place) -> tuple[Place, Counter]:
        """Return the place in a loop that goes on by a number until one is passed, or in any."""
        var, first = loop.iterator, self._form(loop.init, place)
        by = 0
        if loop.inc.type.is_integer and var not in self._context.assigned:
            step = linear_form(loop.inc, self._context)
            by = step.constant if step.is_constant else 0
        trips = self._trips(loop, place, first, by) if by else None
        if trips is None:
            trips = Count({(Var(f"trips of {var.name}"),): 1}, is_exact=False)
        counter = Counter(loop, trips)
        value: Form = Affine(0, {Opaque(var, frozenset((counter,)), UNKNOWN): 1})
        if by:
            value = first.plus(Affine(0, {Digit(counter): 1}), by)
        inner = place._replace(
            times=place.times * trips,
            env=place.env.set(var, value),
            innermost=counter,
            is_guarded=place.is_guarded or not trips.is_exact,
        )
        return inner, counter

    def _trips(self, loop: stmts.PolyFor, place: Place, first: Form, by: int) -> Count | None:
        """Return how often a loop runs at most; ``None`` where its condition does not tell."""
        parts = ops.conjuncts(loop.condition)
        for part in parts:
            limit = self._limit(part, loop.iterator, place, by)
            if limit is None:
                continue
            room = self._indices.interval(limit.plus(first, -1).times(1 if by > 0 else -1))
            if room.high < UNKNOWN.high:
                most = max(0, room.high // abs(by) + 1)
                return number(most).exact_if(room.is_point and len(parts) == 1)
        return None

    def _limit(self, condition: Expr, var: Var, place: Place, by: int) -> Form | None:
        """Return the last value of a variable for which a condition holds; ``None``: not told."""
        if not isinstance(condition, (ops.LT, ops.LE, ops.GT, ops.GE)):
            return None
        kind: type[ops.ComparisonNode] = type(condition)
        limit = condition.b
        if limit is var:
            kind, limit = ops.MIRRORED[kind], condition.a
        elif condition.a is not var:
            return None
        mentioned = self._context.numbers.stable_variables(limit)
        if mentioned is None or not self._context.assigned.isdisjoint(mentioned):
            return None
        form = self._indices.form(limit, place.env, exact=True)
        if var in mentioned or form is None or (by > 0) != (kind in (ops.LT, ops.LE)):
            return None
        return form.shifted({ops.LT: -1, ops.GT: 1}.get(kind, 0))

    # expressions

    def _expressions(self, place: Place, *exprs: Expr) -> Rule:
        """Count what expressions do, those that several have in common once."""
        seen: set[Node] = set()
        for expr in exprs:
            for node in NODES.order_after(expr, evaluated_before):
                if node not in seen:
                    seen.add(node)
                    yield from self._node(node, place)

    def _node(self, node: Node, place: Place) -> Rule:
        """Count what an expression does when its operands are there."""
        match node:
            case Load():
                yield from self._load(node, place)
            case Reduce():
                yield from self._reduce(node, place)
            case Call() | PrimitiveNode() | BuiltinIntrin():
                self._call(node, place)
            case ops.Sum() | ops.Product():
                name = "add" if isinstance(node, ops.Sum) else "mul"
                self._operate(name, node.type, place, len(node.operands) - 1)
            case ops.Cast():
                ty = node.v.type if node.v.type.is_float else node.type
                self._operate("cast", ty, place)
            case ops.BinaryOpNode():
                self._operate(type(node).visit_name, node.a.type, place)
            case ops.UnaryOpNode() | ops.Select():
                self._operate(type(node).visit_name, node.type, place)

    def _operate(self, name: str, ty: Type, place: Place, times: int = 1) -> None:
        if times > 0:
            count = place.times * (times * ty.lanes)
            self._tally.add("float" if ty.is_float else "integer", name, count)

    def _call(self, call: Call | PrimitiveNode | BuiltinIntrin, place: Place) -> None:
        known = None
        if isinstance(call, Call) and not call.write_args:
            known = find_extern(call.name, call.call_type)
        is_known = known is not None and known.is_pure and known.is_elementwise
        if (is_known or isinstance(call, BuiltinIntrin)) and call.type.is_numeric:
            ty = call.type
            if isinstance(call, Call) and any(arg.type.is_float for arg in call.read_args):
                ty = call.read_args[0].type
            self._operate(call.name, ty, place, 1 if known is None else known.operations)
            return
        self._tally.add("call", call.name, place.times)
        if isinstance(call, Call):
            for args, writes in ((call.read_args, False), (call.write_args, True)):
                for arg in args:
                    buffer = arg.buffer if isinstance(arg, Tensor) else arg
                    if isinstance(buffer, Buffer):
                        spans = tuple([whole(size) for size in self._memory.shape(buffer)])
                        self._tally.touch(buffer, Box(spans), writes=writes)

    def _load(self, load: Load, place: Place) -> Rule:
        body = body_of_element(load)
        if body is None or self._inlined >= _MOST_INLINED:
            self._access(load, place, load.type.lanes)
            return
        self._inlined += 1
        assert isinstance(load.tensor, Tensor)
        made = load.tensor.operation
        assert isinstance(made, ComputeOp)
        inner = place
        for axis, index in zip(made.axis, load.indices, strict=True):
            inner = self._bind(inner, axis, index, place)
        yield self._expressions(inner, body)

    def _reduce(self, reduce: Reduce, place: Place) -> Rule:
        combine = REDUCE_OPERATORS[reduce.reduce_type].visit_name
        yield self._axes(reduce, reduce.reduce_axis, combine, place)

    def _axes(self, reduce: Reduce, axes: tuple[Var, ...], combine: str, place: Place) -> Rule:
        """Count what is combined for all values of axes, the first of which is outermost."""
        if not axes:
            yield self._expressions(place, reduce.body)
            self._operate(combine, reduce.body.type, place)
            return
        axis, low, high = axes[0], axes[0].lower_bound, axes[0].upper_bound
        if low is None or high is None:
            low, high = ops.const(0, axis.type), Var(f"extent of {axis.name}", axis.type)
        extent = high if ops.integer_of(low) == 0 else ops.Sub(high, low)
        first = self._form(low, place)
        inner, counter = self._spaces.enter_loop(place, reduce, axis, first, extent)
        body = self._axes(reduce, axes[1:], combine, inner)
        yield self._iterate(reduce, axis.name, "reduce", counter, place, inner, body)

    # memory

    def _access(self, access: Load | Store, place: Place, lanes: int) -> None:
        """Count an access to an element, or to those of a vector."""
        found = self._memory.find(access, place)
        if found is None:
            return
        kind, times = "store" if isinstance(access, Store) else "load", place.times * lanes
        self._tally.add(kind, "", times)
        self._tally.add(f"{kind} bytes", "", times * size_of(found.buffer))
        if not times.terms:
            return
        self._tally.touch(found.buffer, found.box, writes=kind == "store")
        self._tally.touches.append(Touch(len(self._accesses), found.counters))
        loop = None if place.innermost is None else place.innermost.node
        told = AccessWork(access, found.buffer, times, lanes, loop, found.strides, None, None)
        self._accesses.append(told)

    # indices

    def _form(self, expr: Expr, place: Place) -> Form:
        """Return the form of an integer, modulo what it wraps around by."""
        found = self._indices.form(expr, place.env)
        assert found is not None
        return found

    def _bind(self, place: Place, var: Var, value: Expr, outer: Place) -> Place:
        """Return ``place`` with a variable that stands for what ``value`` is at ``outer``."""
        if var in self._context.assigned or not value.type.is_integer or value.type.is_bool:
            return place
        return place._replace(env=place.env.set(var, self._form(value, outer)))


def _lanes(indices: Sequence[Expr]) -> int:
    return max([index.type.lanes for index in indices], default=1)


_MOST_INLINED: Final = 1000
"""How many loads of inline tensors are looked through: a tree of these may be exponential."""
