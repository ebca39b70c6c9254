"""Loop-invariant code motion: compute before a loop what is the same in each iteration.

Before::

    serial for (i, 0, 16)
    {
      serial for (j, 0, 8)
      {
        A[((i * 8) + j)] = (B[i] * (x + 1))
      }
    }

After::

    int32 invariant = (x + 1)
    serial for (i, 0, 16)
    {
      int32 invariant_0 = (B[i] * invariant)
      int32 invariant_1 = (i * 8)
      serial for (j, 0, 8)
      {
        A[(invariant_1 + j)] = invariant_0
      }
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, Final, NamedTuple

from relayish._support.collector import pause_collection
from relayish._support.trampoline import Rule as Steps
from relayish._support.trampoline import run
from relayish.dataflow.graph import build_flow_graph
from relayish.dataflow.lattice.symbols import UNREACHABLE
from relayish.dataflow.solver.solve import solve
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import bound_by, has_scopes, operands
from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.positions import Positions
from relayish.tir.analysis.dependence.dependences import disturbed_reads
from relayish.tir.analysis.facts.faults import may_fault
from relayish.tir.analysis.flow.index_intervals import IndexIntervals
from relayish.tir.analysis.flow.point_facts import PointFacts
from relayish.tir.analysis.regions.declared_regions import sort_regions
from relayish.tir.analysis.values.value_numbers import ValueNumbers, is_pure_call
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Alloc, Block, For, IfThenElse, Let, PolyFor, ScheduleBlockRealize
from relayish.tir.ir.tensor import Load, Tensor, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.rewriting.attribute import VALUES


@register_pass("LoopInvariantCodeMotion", opt_level=2, idempotent=True)
def move_loop_invariant_code(func: LoweredFunc) -> LoweredFunc:
    """Loop-invariant code motion: compute before a loop what is the same in each iteration.

    What an iteration computes of variables and elements that the loop leaves alone is declared
    before it, as far out as that holds, once for all who compute it. No more is computed than was:
    moved is what each iteration computes, out of loops that are known to have one. What may fault
    stays, and so does what stands in a branch, in a schedule block, or below a loop that threads
    share.
    Left alone are bounds of loops, values of variables of schedule blocks, which stay affine,
    reductions, and vectors.

    Returns:
        ``func`` itself when nothing is moved.

    Complexity:
        Linear in the number of statements and distinct nodes, times a logarithm, and that of
        :class:`~relayish.tir.analysis.IndexIntervals`; no recursion.

    Source:
        Aho, Lam, Sethi, Ullman, Compilers, 9.5 (downward exposed, very busy expressions at headers
        of loops).
    """
    with pause_collection():
        body = run(_Motion(func).statement(func.body))
        return func if body is func.body else sort_regions(func.with_fields(body=body))


_MOST_STATEMENTS: Final = 64
"""How many statements a loop may have whose accesses are compared element by element."""

_SHARED_BY_THREADS: Final = ForType.GPU_BLOCK | ForType.GPU_THREAD


class _Loop:
    """A loop around the statement that is looked at.

    Attributes:
        stmt: The loop.
        start: Its position, and that at which it has run.
        end: The latter.
        moved: What is declared before it, by the number of the value.
    """

    __slots__ = ("_disturbed", "end", "moved", "start", "stmt")

    def __init__(self, stmt: For | PolyFor, start: int, end: int) -> None:
        self.stmt = stmt
        self.start = start
        self.end = end
        self.moved: dict[Expr, Let] = {}
        self._disturbed: frozenset[Node] | None = None

    def may_disturb(self, load: Load) -> bool:
        """Return whether it may write the element that ``load``, which is in it, reads."""
        if self.end - self.start > _MOST_STATEMENTS:
            return True
        if self._disturbed is None:
            self._disturbed = disturbed_reads(self.stmt)
        return load in self._disturbed


class _Declared(NamedTuple):
    """A variable that holds a value that was moved, and how many loops there are around it."""

    var: Var
    level: int


class _Motion:
    """A walk over statements in order, with the loops around them.

    A value can be declared at a level: before the loop with so many loops around it. That of an
    expression is the outermost such; the number of loops around the statement itself says that it
    stays there.
    """

    def __init__(self, func: LoweredFunc) -> None:
        graph = build_flow_graph(func)
        self.analysis = IndexIntervals()
        [self.solution] = solve([self.analysis], graph)
        self.arguments: frozenset[Node] = frozenset(func.args)
        self.undefined = {
            node.symbol for node in graph.nodes if isinstance(node, Let) and node.body is None
        }
        self.known: PointFacts
        self.numbers = ValueNumbers()
        self.positions = Positions(func.body, self.numbers)
        self.loops: list[_Loop] = []
        self.outermost = 0  # the level beyond which nothing may be moved from here
        self.bound_at: dict[Node, int] = {}
        self.declared: dict[Expr, _Declared] = {}

    # Statements

    def statement(self, stmt: Node) -> Steps:
        """Return the steps that make of a statement, in place, what it becomes."""
        if stmt in self.positions.repeated:
            return stmt
        if isinstance(stmt, Block):
            return (yield self._block(stmt))
        return _in_block((yield self._one(stmt)))

    def _block(self, block: Block) -> Steps:
        out: list[Any] = []  # Any: statements
        entered: list[tuple[Node, int | None]] = []
        for stmt in block.stmts:
            if stmt in self.positions.repeated:
                out.append(stmt)
            elif isinstance(stmt, Block):
                out.append((yield self._block(stmt)))
            else:
                out += yield self._one(stmt)
            if not has_scopes(type(stmt)):
                entered += self._bind(bound_by(stmt))
        self._unbind(entered)
        same = len(out) == len(block.stmts) and all(map(is_, out, block.stmts))
        return block if same else block.with_fields(stmts=tuple(out))

    def _one(self, stmt: Node) -> Steps:
        """Return what stands in place of a statement that is no block: declarations, and it."""
        images = self._expressions(stmt)
        if STATEMENTS.push[type(stmt)] is None:
            return [VALUES.rebuild[type(stmt)](stmt, images.get)]
        loop: _Loop | None = None
        if isinstance(stmt, (For, PolyFor)):
            loop = _Loop(stmt, self.positions.start[stmt], self.positions.end[stmt])
            self.loops.append(loop)
        before, entered = self.outermost, self._bind(bound_by(stmt))
        if not self._runs_always(stmt):
            self.outermost = len(self.loops)
        for inner in STATEMENTS.children(stmt):
            images[inner] = yield self.statement(inner)
        self.outermost = before
        self._unbind(entered)
        image = VALUES.rebuild[type(stmt)](stmt, images.get)
        if loop is None:
            return [image]
        self.loops.pop()
        for number in loop.moved:
            self.declared.pop(number, None)
        return [*loop.moved.values(), image]

    def _runs_always(self, stmt: Node) -> bool:
        """Return whether what is inside of a statement runs whenever that does, where it stands."""
        if isinstance(stmt, For):
            state = self.solution.before(stmt)
            if state is UNREACHABLE or stmt.for_type & _SHARED_BY_THREADS:
                return False
            return (
                stmt.extent.type.is_integer and self.analysis.interval(stmt.extent, state).low > 0
            )
        return not isinstance(stmt, (PolyFor, IfThenElse, ScheduleBlockRealize))

    def _bind(self, variables: Sequence[Node]) -> list[tuple[Node, int | None]]:
        """Note that variables are bound here; return what was known of these names before."""
        before = [(var, self.bound_at.get(var)) for var in variables]
        self.bound_at.update(dict.fromkeys(variables, len(self.loops)))
        return before

    def _unbind(self, entered: list[tuple[Node, int | None]]) -> None:
        for var, before in reversed(entered):
            if before is None:
                del self.bound_at[var]
            else:
                self.bound_at[var] = before

    # Expressions

    def _expressions(self, stmt: Node) -> dict[Node, Any]:  # Any: the image of each expression
        """Return what becomes of the operands of a statement; declare what is moved."""
        here = len(self.loops)
        roots = _roots(stmt)
        if self.outermost == here or not roots or any(map(self.numbers.is_impure, roots)):
            return {}
        state = self.solution.before(stmt)
        if state is UNREACHABLE:
            return {}
        values = self.analysis.values(roots, state)
        self.known = PointFacts(values, self.arguments, self.undefined)
        order = VALUES.post_order(roots, lambda node: not has_scopes(type(node)))
        levels: dict[Node, int] = {}
        for node in order:
            below = [levels[child] for child in VALUES.children(node) if child in levels]
            level = max(below, default=0)
            levels[node] = max(level, self._own_level(node, max(level, self.outermost)))
        sites: dict[Node, int] = dict.fromkeys(roots, here)
        moved: dict[Node, int] = {}
        for node in reversed(order):
            site = sites.get(node, -1)
            level = max(levels[node], self.outermost)
            if level < site and _is_worth_it(node):
                moved[node] = site = level
            for child in VALUES.children(node):
                sites[child] = max(sites.get(child, -1), site)
        return self._replaced(order, levels, sites, moved) if moved else {}

    def _own_level(self, node: Any, least: int) -> int:  # Any: an expression, or a part of one
        """Return the level at which a node could be evaluated, if its operands could be.

        It may be higher than it need be where it is below ``least``.
        """
        here = len(self.loops)
        if isinstance(node, Var):
            level = self.bound_at.get(node, 0)
            return here if node in self.undefined else self._unwritten(node, level)
        if has_scopes(type(node)):
            return here
        if isinstance(node, Load):
            place = node.tensor.buffer if isinstance(node.tensor, Tensor) else node.tensor
            if isinstance(place, Var):
                return self._own_level(place, least)
            return here if may_fault(node, self.known) else self._undisturbed(node, place, least)
        if is_pure_call(node):
            return 0 if node.type.is_float else here
        return here if may_fault(node, self.known) else 0

    def _unwritten(self, place: Node | None, level: int) -> int:
        """Return the outermost level from ``level`` on whose loop does not write a place."""
        low, high = level, len(self.loops)
        while low < high:
            middle = (low + high) // 2
            loop = self.loops[middle]
            if self.positions.next_write(place, loop.start) < loop.end:
                low = middle + 1
            else:
                high = middle
        return low

    def _undisturbed(self, load: Load, place: Node | None, least: int) -> int:
        """Return the outermost level from ``least`` on whose loop does not write an element."""
        level = self._unwritten(place, least)
        while level > least and not self.loops[level - 1].may_disturb(load):
            level -= 1
        return level

    def _replaced(
        self,
        order: Sequence[Node],
        levels: dict[Node, int],
        sites: dict[Node, int],
        moved: dict[Node, int],
    ) -> dict[Node, Any]:  # Any: the image of each expression
        """Return the images of expressions; declare those that move, unless somebody did."""
        images: dict[Node, Any] = {}
        for node in order:
            if VALUES.push[type(node)] is None:
                continue
            number = (
                self.numbers.number(node) if isinstance(node, Expr) and _is_worth_it(node) else None
            )
            known = None if number is None else self.declared.get(number)
            if known is not None and levels[node] <= known.level <= sites[node]:
                images[node] = known.var
                continue
            images[node] = image = VALUES.rebuild[type(node)](node, images.get)
            if node in moved:
                assert isinstance(node, Expr)
                assert number is not None
                made = _Declared(Var("invariant", node.type), moved[node])
                self.loops[made.level].moved[number] = Let(made.var, image)
                self.declared[number] = made
                images[node] = made.var
        return images


def _in_block(stmts: list[Any]) -> Any:  # Any: statements
    """Return one statement that runs some."""
    return stmts[0] if len(stmts) == 1 else Block(tuple(stmts))


def _roots(stmt: Node) -> tuple[Expr, ...]:
    """Return the operands of a statement that may be computed before it."""
    if isinstance(stmt, (For, PolyFor, ScheduleBlockRealize, Alloc, Block)):
        return ()
    held = operands(stmt)
    return tuple(
        [root for root in VALUES.children(stmt) if isinstance(root, Expr) and root in held]
    )


def _is_worth_it(node: Any) -> bool:  # Any: an expression, or a part of one
    """Return whether a value is worth a variable: what is computed or loaded, a number."""
    kind = type(node)
    if VALUES.push[kind] is None or has_scopes(kind) or not isinstance(node, Expr):
        return False
    if isinstance(node, Load) and isinstance(node.tensor, Var):
        return False
    return node.type.lanes == 1 and node.type.is_numeric
