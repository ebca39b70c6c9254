"""Random statements of the loop IR, which end, and do little enough to be run quickly."""

from __future__ import annotations

from relayish import tir
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir import Expr, ForType, Stmt, as_type
from relayish.tir.analysis import is_parallel, loop_carried
from relayish.tir.analysis.dependence.dependences import is_kept_in_order
from tests.support.tir_values import FLOATS, INTS, LANES, Known, Scope, ValueGenerator, View

NOTES = 64
"""How many elements the tensor has in which is noted what shared expressions are."""

WORK = 1500.0
"""How many nodes of expressions a run may evaluate, about."""

PLAIN = (ForType.SERIAL,) * 6
KINDS = (
    *PLAIN,
    ForType.PARALLEL,
    ForType.UNROLLED,
    ForType.VECTORIZED,
    ForType.DEFAULT,
    ForType.GPU_THREAD,
)


class StatementGenerator(ValueGenerator):
    """Draws statements over a scope; each may add to the scope of those that follow it."""

    budget = 0
    waiting: list[View]  # views of temporary buffers that nothing has allocated yet
    looped: list[tir.Var]

    def block(self, scope: Scope, count: int, depth: int) -> tir.Block:
        """A block of about ``count`` statements, in a scope of its own."""
        inside = scope.inner()
        if "shared" in self.features and (not scope.shared or self.chance(0.1)):
            self.share(inside)
        stmts: list[Stmt] = []
        while len(stmts) < count and self.budget > 0 and self.cost < WORK:
            self.budget -= 1
            stmts += self.statement(inside, depth)
            if inside.shared:
                stmts += self.noted(inside)
        return tir.Block(tuple(stmts))

    def share(self, scope: Scope) -> None:
        """Make expressions that several places will hold, each as one object.

        They are of a kind that is simpler where more is known: in a loop that has an iteration, in
        an arm of a branch.
        """
        wide = [k for k in scope.known if k.low < k.high and isinstance(k.expr, tir.Var)]
        for found in self.random.sample(wide, min(3, len(wide))):
            a, cut = found.expr, self.random.choice((-1, 0, 0, 1, 1, 2))
            made = (
                Known(tir.Max(a, tir.const(cut)), cut, max(cut, found.high)),
                Known(tir.Min(tir.const(cut), a), min(cut, found.low), cut),
                Known((a % 4 + 4) % 4, 0, 3),
                Known(tir.Select(a > cut, a, tir.const(cut)), cut, max(cut, found.high)),
            )
            chosen = self.random.choice(made)
            scope.known.append(chosen)
            scope.shared += (chosen.expr, self.random.choice((a > cut, a <= cut, tir.EQ(a, cut))))

    notes: tir.Tensor | None = None
    noted_so_far = 0

    def noted(self, scope: Scope) -> list[Stmt]:
        """A store of what several places hold as one object, to where nothing else is stored."""
        if self.notes is None or not self.chance(0.5):
            return []
        slot = tir.const(self.noted_so_far % NOTES)
        self.noted_so_far += 1
        return [tir.Store(self.notes, tir.Cast("int32", self.random.choice(scope.shared)), (slot,))]

    def statement(self, scope: Scope, depth: int) -> list[Stmt]:
        rules = [self.store] * 4 + [self.scalar_store] * bool(scope.scalars)
        has = self.features.__contains__
        if has("let"):
            rules += [self.let]
        if has("vector"):
            rules += [self.vector_store]
        if depth > 0:
            rules += [self.loop] * 6
            rules += [self.poly_for] * (3 * has("poly_for")) + [self.branch] * (2 * has("if"))
            rules += [self.guarded] * has("if") + [self.nested_block] * has("nested_block")
            rules += [self.schedule_block] * (3 * has("schedule_block"))
            rules += [self.lowered_reduction] * (2 * has("schedule_block"))
            rules += [self.allocation] * (2 * (has("alloc") and bool(self.waiting)))
        rule = self.random.choice(rules)
        return rule(scope, depth)

    # stores and scalars

    def store(self, scope: Scope, _depth: int) -> list[Stmt]:
        views = [view for view in scope.views if view.writable]
        view = self.random.choice(views)
        value = self.value(scope, view.tensor.dtype, self.random.choice((0, 1, 2, 2, 3)))
        return [tir.Store(view.tensor, value, self.indices(scope, view))]

    def vector_store(self, scope: Scope, depth: int) -> list[Stmt]:
        views = [view for view in scope.views if view.writable and view.shape]
        if not views:
            return self.store(scope, depth)
        view = self.random.choice(views)
        lanes = self.random.choice(LANES)
        value = self.value(
            scope, view.tensor.dtype.with_lanes(lanes), self.random.choice((0, 1, 2))
        )
        return [tir.Store(view.tensor, value, self.vector_indices(scope, view, lanes))]

    def let(self, scope: Scope, _depth: int) -> list[Stmt]:
        """A scalar: an index of known range, a constant, or one that is stored to later on."""
        if scope.known and self.chance(0.4):
            low = self.random.randint(-2, 2)
            high = low + self.random.randint(0, 4)
            index = tir.Var(self.name("t"), "int32")
            value = self.index(scope, low, high) if not self.faulty else tir.const(low)
            scope.known.append(Known(index, low, high))
            return [tir.Let(index, value)]
        ty = as_type(self.random.choice(("bool", *INTS, *FLOATS)))
        var = tir.Var(self.name("s"), ty)
        value = self.value(scope, ty, 2)
        if self.chance(0.4):
            scope.constants.append(var)
            return [tir.Let(var, value)]
        scope.scalars.append(var)
        if self.chance(0.5):
            return [tir.Let(var, value)]
        return [tir.Let(var), tir.Store(var, value, ())]

    def scalar_store(self, scope: Scope, _depth: int) -> list[Stmt]:
        var = self.random.choice(scope.scalars)
        return [tir.Store(var, self.value(scope, var.dtype, 2), ())]

    # control

    def name(self, hint: str) -> str:
        """A name for a variable: unlike those of tensors, others may have the same."""
        return hint if "same_names" in self.features else self.unique(hint)

    def bound(self, scope: Scope, low: int, high: int) -> Known:
        """An expression for a bound of a loop, mostly a constant, at most ``high``."""
        if "shared" in self.features and self.chance(0.6):
            numbers = [k for k in scope.known if k.low < k.high <= high]
            if numbers:
                return self.random.choice(numbers)
        elif scope.known and self.chance(0.25):
            found = self.affine(scope)
            if low <= found.low and found.high <= high:
                return found
        value = self.random.randint(low, high)
        return Known(tir.const(value), value, value)

    def loop(self, scope: Scope, depth: int) -> list[Stmt]:
        start = self.bound(scope, -3, 5) if self.chance(0.6) else Known(tir.const(0), 0, 0)
        extent = self.bound(scope, -1, max(1, min(7, int(60 / max(self.times, 1)) + 1)))
        wide = "int64_loops" in self.features and self.chance(0.08)
        reuse = "rebinding" in self.features and self.looped and self.chance(0.3)
        var = tir.Var(self.name(self.random.choice("ijkxy")), "int64" if wide else "int32")
        if reuse:
            var = self.random.choice(self.looped)
        if any(var is k.expr for k in scope.known) or var in self.around:
            var = tir.Var(self.name("i"), var.dtype)
        lows, high = start.low, start.high + max(extent.high, 1) - 1
        inside = scope.inner()
        index = var if var.dtype == as_type("int32") else tir.Cast("int32", var)
        inside.known.append(Known(index, lows, high))
        self.looped.append(var)
        kind = self.random.choice(KINDS) if "loop_kinds" in self.features else ForType.SERIAL
        if kind is ForType.GPU_THREAD and self.is_bound:  # an axis is bound once in a nest
            kind = ForType.SERIAL
        outer, self.is_bound = self.is_bound, self.is_bound or kind is ForType.GPU_THREAD
        body = self.repeated(inside, max(extent.high, 0), depth, var)
        self.is_bound = outer
        first, length = start.expr, extent.expr
        if var.dtype != as_type("int32"):
            first, length = tir.Cast(var.dtype, first), tir.Cast(var.dtype, length)
        info: dict[str, object] = {}
        if kind is ForType.VECTORIZED:
            info["vectorize_info"] = tir.VectorizeInfo(0, self.random.choice((2, 3, 4, 16)))
        taken = {f.bind_info.offset for f in PROGRAM.post_order(body) if isinstance(f, tir.For)}
        if kind is ForType.GPU_THREAD and taken.issuperset(range(3)):
            kind = ForType.SERIAL
        if kind is ForType.GPU_THREAD:
            axis = self.random.choice([axis for axis in range(3) if axis not in taken])
            info["bind_info"] = tir.BindInfo(kind, axis, tir.DeviceAPI.CUDA)
        made = tir.For(var, first, length, body, kind, **info)
        if not may_be_marked(made):
            made = tir.For(var, first, length, body)
        return [made]

    around: frozenset[tir.Var] = frozenset()
    is_bound = False

    def repeated(self, inside: Scope, times: int, depth: int, var: tir.Var) -> tir.Block:
        before, outer = self.times, self.around
        self.times, self.around = before * times, outer | {var}
        body = self.block(inside, self.random.choice((1, 1, 2, 3)), depth - 1)
        if not body.stmts and self.chance(0.8):
            body = tir.Block(tuple(self.store(inside, 0)))
        self.times, self.around = before, outer
        return body

    def poly_for(self, scope: Scope, depth: int) -> list[Stmt]:
        """A loop with a condition and a step: upwards, downwards, or by a step that grows."""
        var = tir.Var(self.name("p"), "int32")
        draw = self.random.random()
        inside = scope.inner()
        step = self.random.choice((1, 1, 2, 3, 5))
        start, most = self.bound(scope, -3, 4), max(1, min(7, int(60 / max(self.times, 1)) + 1))
        trips = self.random.randint(0, most)
        span = trips * step - self.random.randrange(step) if trips else -self.random.randrange(3)
        if draw < 0.12:  # doubles: no affine loop
            condition, inc = var < tir.const(2**trips), tir.Add(var, tir.const(0))
            inside.known.append(Known(var, 1, max(1, 2**trips - 1)))
            body = self.repeated(inside, trips, depth, var)
            return [tir.PolyFor(var, tir.const(1), condition, inc, body)]
        down = draw < 0.45
        if down:
            end = Known(start.expr - span, start.low - span, start.high - span)
            inside.known.append(Known(var, min(start.low, start.low - span + 1), start.high))
        else:
            end = Known(start.expr + span, start.low + span, start.high + span)
            inside.known.append(Known(var, start.low, max(start.high, start.high + span - 1)))
        if self.chance(0.5) and start.low == start.high:
            end = Known(tir.const(end.low), end.low, end.high)
        condition = self.bounded(var, end.expr, down=down)
        if self.chance(0.25):
            condition = self.also(scope, var, condition, down=down)
        body = self.repeated(inside, max(trips, 0), depth, var)
        inc = tir.const(-step if down else step)
        made = tir.PolyFor(var, start.expr, condition, inc, body, self.poly_kind())
        return [made if may_be_marked(made) else made.with_fields(for_type=ForType.SERIAL)]

    def poly_kind(self) -> ForType:
        parallel = "loop_kinds" in self.features and self.chance(0.1)
        return ForType.PARALLEL if parallel else ForType.SERIAL

    def bounded(self, var: tir.Var, end: Expr, *, down: bool) -> Expr:
        """``var < end``, or ``var > end`` of a loop that goes down, in one of four ways."""
        forms = {
            False: (
                tir.LT(var, end),
                tir.LE(var, end - 1),
                tir.GT(end, var),
                tir.GE(end - 1, var),
            ),
            True: (tir.GT(var, end), tir.GE(var, end + 1), tir.LT(end, var), tir.LE(end + 1, var)),
        }
        return self.random.choice(forms[down])

    def also(self, scope: Scope, var: tir.Var, condition: Expr, *, down: bool) -> Expr:
        """A conjunction of ``condition`` and another bound, or something that memory decides."""
        if self.chance(0.3):
            other = self.value(scope, as_type("bool"), 1)
        else:
            other = self.bounded(var, self.bound(scope, -4, 8).expr, down=down)
        pair = (condition, other) if self.chance(0.5) else (other, condition)
        return tir.And(*pair)

    def branch(self, scope: Scope, depth: int) -> list[Stmt]:
        condition = self.value(scope, as_type("bool"), 2)
        true_case = self.arm(scope, depth)
        return [tir.IfThenElse(condition, true_case, self.arm(scope, depth, optional=True))]

    def arm(self, scope: Scope, depth: int, *, optional: bool = False) -> Stmt | None:
        if optional and self.chance(0.5):
            return None
        body = self.block(scope, self.random.choice((0, 1, 1, 2)), depth - 1)
        bare = len(body.stmts) == 1 and self.chance(0.2)
        return body.stmts[0] if bare and not isinstance(body.stmts[0], tir.Let) else body

    def guarded(self, scope: Scope, depth: int) -> list[Stmt]:
        """A branch on an index, whose arms make use of what it tells of the index."""
        wide = [k for k in scope.known if k.high > k.low]
        if not wide:
            return self.branch(scope, depth)
        found = self.random.choice(wide)
        cut = self.random.randint(found.low + 1, found.high)
        below, above = scope.inner(), scope.inner()
        below.known = [k for k in scope.known if k is not found]
        above.known = [*below.known, Known(found.expr, cut, found.high)]
        below.known.append(Known(found.expr, found.low, cut - 1))
        condition = found.expr < cut if self.chance(0.5) else found.expr <= cut - 1
        true_case, false_case = self.arm(below, depth), self.arm(above, depth, optional=True)
        return [tir.IfThenElse(condition, true_case, false_case)]

    def nested_block(self, scope: Scope, depth: int) -> list[Stmt]:
        return [self.block(scope, self.random.choice((0, 1, 2)), depth - 1)]

    # schedule blocks

    def schedule_block(self, scope: Scope, depth: int) -> list[Stmt]:
        """A block over affine values of what is known, in which mostly only these are."""
        inside = scope.inner()
        if self.chance(0.8):
            inside.known = [k for k in scope.known if k.expr in self.sizes]
        values, variables = [], []
        for _ in range(self.random.choice((0, 1, 1, 2, 3)) if scope.known else 0):
            bound = self.affine(scope)
            low, high = tir.const(bound.low), tir.const(bound.high + 1)
            has_bounds = self.chance(0.3)
            var = tir.Var(self.name("v"), "int32", *((low, high) if has_bounds else ()))
            inside.known.append(Known(var, bound.low, bound.high))
            values.append(bound.expr)
            variables.append(var)
        body: Stmt = self.block(inside, self.random.choice((1, 1, 2)), depth - 1)
        if not body.stmts:
            body = self.store(inside, 0)[0]
        elif len(body.stmts) == 1 and not isinstance(body.stmts[0], tir.Let):
            body = body.stmts[0]
        return [self.realize(values, variables, "block", body)]

    def realize(
        self, values: list[Expr], variables: list[tir.Var], name: str, body: Stmt
    ) -> tir.ScheduleBlockRealize:
        attrs = None
        if self.chance(0.2):
            attrs = DictAttrs({"auto_unroll_max_step": self.random.choice((0, 4, 32))})
        block = tir.ScheduleBlock(tuple(variables), (), (), self.unique(name), body, attrs)
        return tir.ScheduleBlockRealize(tuple(values), block)

    def lowered_reduction(self, scope: Scope, depth: int) -> list[Stmt]:
        """What a reduction is lowered to: a block that initialises, and a loop of steps."""
        views = [v for v in scope.views if v.writable and v.shape and not v.tensor.dtype.is_bool]
        if not views:
            return self.store(scope, depth)
        view = self.random.choice(views)
        axis, reduced = tir.Var(self.name("i")), tir.Var(self.name("k"))
        size, trips = view.shape[-1], self.random.choice((0, 1, 3))
        fixed = [self.index(Scope(), 0, dim - 1) for dim in view.shape[:-1]]
        out, name = view.tensor, view.tensor.name
        first = tir.Var(self.name("v"))
        start = tir.Store(out, self.literal(out.dtype), (*fixed, first))
        init = self.realize([axis], [first], f"{name}__reduce_init", start)
        v, r = tir.Var(self.name("v")), tir.Var(self.name("v"))
        times = self.times
        self.times *= size * max(trips, 1)
        inside = scope.inner()
        inside.known = [Known(v, 0, size - 1), Known(r, 1, trips + 1)]
        value = self.value(inside, out.dtype, 2)
        self.times = times
        if "reduce" in self.features and self.chance(0.5):
            kind = self.random.choice((tir.ReduceType.SUM, tir.ReduceType.MAX, tir.ReduceType.SUB))
            combined: Expr = tir.Reduce(kind, out[(*fixed, v)], value)
        else:
            combined = out[(*fixed, v)] + value
        step = self.realize([axis, reduced], [v, r], name, tir.Store(out, combined, (*fixed, v)))
        loop = tir.For(reduced, 1, trips, tir.Block((step,)))
        return [tir.For(axis, 0, size, tir.Block((init, loop)))]

    sizes: frozenset[Expr] = frozenset()  # arguments, which are known everywhere

    # memory

    def allocation(self, scope: Scope, depth: int) -> list[Stmt]:
        """Memory for a temporary buffer: for a body, until it is freed, or the block ends."""
        view = self.waiting.pop()
        views = list(self.views_of[view.tensor.buffer])
        buffer, draw = view.tensor.buffer, self.random.random()
        extents = buffer.shape if self.chance(0.4) else ()
        condition = tir.const(value=True) if self.chance(0.2) else None
        inside = scope.inner()
        inside.views += views
        fill = self.fill(view, scope)
        if draw < 0.35:
            rest = self.block(inside, 2, depth - 1)
            body = tir.Block((fill, *rest.stmts))
            return [tir.Alloc(buffer, extents, condition, body)]
        if draw < 0.75:
            rest = self.block(inside, 2, depth - 1)
            freed = [tir.Free(buffer)] if self.chance(0.7) else []
            return [tir.Block((tir.Alloc(buffer, extents, condition), fill, *rest.stmts, *freed))]
        scope.views += views  # lives to the end of the block
        return [tir.Alloc(buffer, extents, condition), fill]

    views_of: dict[tir.Buffer, list[View]]

    def fill(self, view: View, scope: Scope) -> Stmt:
        """A nest that stores something to every element of a temporary buffer."""
        axes = [tir.Var(self.name(f"f{at}")) for at in range(len(view.shape))]
        inside = scope.inner()
        times = self.times
        for axis, size in zip(axes, view.tensor.shape, strict=True):
            inside.known.append(Known(axis, 0, most(size) - 1))
            self.times *= most(size)
        value = self.value(inside, view.tensor.dtype, 1)
        self.times = times
        nest: Stmt = tir.Store(view.tensor, value, tuple(axes))
        for axis, extent in zip(reversed(axes), reversed(view.tensor.shape), strict=True):
            nest = tir.For(axis, 0, extent, tir.Block((nest,)))
        return nest


def may_be_marked(loop: tir.For | tir.PolyFor) -> bool:
    """Whether iterations of a loop may run as it says, whatever is not known of it."""
    if loop.for_type in (ForType.SERIAL, ForType.UNROLLED, ForType.DEFAULT):
        return True
    if loop.for_type is not ForType.VECTORIZED:
        return is_parallel(loop)
    inner = tir.collect_ir_nodes(loop.body, lambda node: isinstance(node, tir.For | tir.PolyFor))
    pairs = loop_carried(loop, max_distance=loop.vectorize_info.factor - 1)
    return all(not inner and is_kept_in_order(*pair) for pair in pairs)


def most(size: Expr) -> int:
    """The greatest value of a size: an integer, or an argument of known bounds."""
    if isinstance(size, tir.IntImm):
        return size.value
    assert isinstance(size, tir.Var)
    assert isinstance(size.upper_bound, tir.IntImm)
    return size.upper_bound.value - 1
