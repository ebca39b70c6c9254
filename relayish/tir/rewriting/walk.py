"""The worklist over statements: one walk that applies rules, with what is known where it stands.

Expressions are rewritten from the innermost on, by rules, until none applies. Statements are
entered with what is known inside of them, and rewritten when all in them is. Neither uses Python's
stack.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from relayish._support.collector import pause_collection
from relayish._support.trampoline import Rule as Steps
from relayish._support.trampoline import run
from relayish.errors import PassError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.renaming import replace_nodes
from relayish.ir.scopes.scoping import PROGRAM, bound_by, has_scopes
from relayish.rewriting.graph import CHAIN_LIMIT, GROWTH_LIMIT, GROWTH_START, GraphRewriter
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.facts.scopes import assume, bind, context_of, enter_block, enter_loop
from relayish.tir.analysis.regions.declared_regions import sort_regions
from relayish.tir.analysis.values.context import Context
from relayish.tir.bind_once import bind_once
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr, Not
from relayish.tir.ir.stmt import Alloc, Block, For, IfThenElse, Let, PolyFor, ScheduleBlockRealize
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import NODES, STATEMENTS
from relayish.tir.rewriting.attribute import VALUES
from relayish.tir.rewriting.facts import Facts


class Simplification(NamedTuple):
    """What a pass simplifies.

    Attributes:
        rules: The rules for expressions, :data:`REPLACE_DROPPED` among them if loops are dropped.
        branches: Whether branches are decided, and empty ones dropped.
        loops: Whether loops that run once or never are dropped.
        blocks: Whether blocks in blocks are merged with these.
        informed: Whether it matters what is known inside of loops and branches.
        again: Whether rules are asked about what rules put into the program.
        ends: Whether it is an error that rules still apply after some walks.
    """

    rules: RuleSet
    branches: bool = False
    loops: bool = False
    blocks: bool = False
    informed: bool = True
    again: bool = True
    ends: bool = False


def apply_simplification(
    func: LoweredFunc, simplification: Simplification, context: Context | None = None
) -> LoweredFunc:
    """Return ``func`` simplified; itself where nothing applies.

    What one walk leaves may tell the next one more, so there are some, until one changes nothing.

    Args:
        func: A function, or one whose body is a part of another.
        simplification: What is simplified.
        context: What is known around the body; by default which variables it assigns.

    Raises:
        PassError: If rules still apply after some walks, and are to end.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.
    """
    with pause_collection():  # many small objects live until the walk is over
        found, most = func, CHAIN_LIMIT if simplification.ends else _MOST_WALKS
        for walks in range(most if simplification.again else 1):
            walk = Walk(found, simplification, context)
            image = walk.run()
            if image is found:
                break
            found = bind_once(image) if walk.facts.shares_binders else image
            if walks >= _MOST_WALKS and simplification.ends:
                _check_size(found, func, walk.last_rule)
        else:
            if simplification.ends:
                raise PassError(
                    f"the rules still change {func.name} after {most} walks, {walk.last_rule} the "
                    f"last of them; do they undo one another, or match what they return? "
                    f"again=False asks them once"
                )
    return func if found is func else sort_regions(found)


def _check_size(found: LoweredFunc, func: LoweredFunc, last: str) -> None:
    """Refuse what rules, ``last`` of them, made many times as large as it was.

    Raises:
        PassError: If they did.
    """
    size, before = len(PROGRAM.post_order(found)), len(PROGRAM.post_order(func))
    if size > GROWTH_START and size > GROWTH_LIMIT * before:
        raise PassError(
            f"rules made of {func.name}, which had {before} nodes, one of {size}, {last} the last "
            f"of them; does it make more of what it matches? again=False asks it once"
        )


def _replace_dropped(var: Var, facts: Facts) -> Expr:
    """Return the only value of the variable of a loop that was dropped."""
    return facts.values.get(var, var)


REPLACE_DROPPED: Final = RuleSet.by_key({Var: (_replace_dropped,)})

_MOST_WALKS: Final = 8

_NOTHING: Final = Block(())


class Walk:
    """One walk over a function."""

    def __init__(
        self, func: LoweredFunc, simplification: Simplification, context: Context | None = None
    ) -> None:
        self.func = func
        self.branches, self.loops = simplification.branches, simplification.loops
        self.blocks, self.informed = simplification.blocks, simplification.informed
        self.facts = Facts(func, context_of(func) if context is None else context)
        self._rewriter = GraphRewriter(simplification.rules, self.facts, again=simplification.again)
        self._outermost = self.facts.context
        self._repeated: dict[Node, Any] = {}  # Any: the images of statements in several places

    @property
    def last_rule(self) -> str:
        """The name of the rule that was applied last."""
        return self._rewriter.last

    def run(self) -> LoweredFunc:
        """Return the function simplified; itself where nothing applies."""
        body = self._find(self.func.body)
        if body is None:
            body = run(self._steps(self.func.body))
        image: LoweredFunc = self._rewriter.replace(self.func, self.func.with_fields(body=body))
        if not self.facts.values:
            return image
        return replace_nodes(image, self.facts.values, traversal=NODES)  # in annotations as well

    def simplify(self, root: Any, _: object = None) -> Any:  # Any: an expression, a part of one
        """Return what an expression is here."""
        return self._rewriter.rewrite(root, self.facts.region.expressions)

    # Statements

    def _find(self, stmt: Node) -> Any:  # Any: a statement
        """Return what a statement is here; ``None`` where the steps of the walk have to tell."""
        if has_scopes(type(stmt)):
            repeated = stmt in self.facts.repeated
            return self._repeated.get(stmt) if repeated else self.facts.region.statements.get(stmt)
        image = VALUES.rebuild[type(stmt)](stmt, self.simplify)
        return self._rewriter.replace(stmt, image)

    def _steps(self, stmt: Node) -> Steps:
        """Return the steps that make of a statement what it is here."""
        return self._in_any_place(stmt) if stmt in self.facts.repeated else self._in_place(stmt)

    def _in_any_place(self, stmt: Node) -> Steps:
        """Simplify a statement that stands in several places, once for all of these."""
        self.facts.enter_anew(self._outermost)
        image = self._repeated[stmt] = yield self._in_place(stmt)
        self.facts.leave()
        return image

    def _in_place(self, stmt: Node) -> Steps:
        resolved = self._resolve(stmt)
        if resolved is not stmt and resolved in self.facts.repeated:
            return self._steps(resolved)
        match resolved:
            case Block():
                return self._block(stmt, resolved)
            case For():
                return self._loop(resolved)
            case PolyFor():
                return self._poly_for(resolved)
            case IfThenElse():
                return self._branch(resolved)
            case ScheduleBlockRealize():
                return self._realize(resolved)
        return self._other(resolved)

    def _resolve(self, stmt: Any) -> Any:  # Any: a statement
        """Return the arm that is run, or the body that runs once, of what need not be asked."""
        while True:
            if isinstance(stmt, IfThenElse) and self.branches:
                chosen = self._decide(stmt)
            elif isinstance(stmt, For) and self.loops:
                chosen = self._run_once(stmt)
            else:
                return stmt
            if chosen is stmt or chosen in self.facts.repeated:
                return chosen
            stmt = chosen

    def _decide(self, branch: IfThenElse) -> Node:
        """Return the arm that is always run; the branch itself where that is not known."""
        condition = self.simplify(branch.condition)
        if not condition.type.is_bool or not self.facts.removable(condition):
            return branch
        found = self.facts.interval(condition)
        if not found.is_point:
            holds = self._decide_by_contradiction(condition)
            if holds is None:
                return branch
        else:
            holds = bool(found.low)
        if holds:
            return branch.true_case
        return _NOTHING if branch.false_case is None else branch.false_case

    def _decide_by_contradiction(self, condition: Expr) -> bool | None:
        """Return the value of a condition whose opposite contradicts what is known here."""
        for truth in (True, False):
            if self._assume(condition, truth).is_unreachable:
                return not truth
        return None

    def _run_once(self, loop: For) -> Node:
        """Return the body of a loop that runs once, nothing for one that never runs, else it."""
        facts, var = self.facts, loop.loop_var
        low, extent = self.simplify(loop.min), self.simplify(loop.extent)
        if not extent.type.is_integer or not facts.removable(low, extent):
            return loop
        count = facts.interval(extent)
        if count.high <= 0:
            return _NOTHING
        if count != (1, 1) or loop.for_type & _BOUND or low.type != var.type:
            return loop
        if facts.bound[var] > 1 or not facts.context.is_stable((var, low)):
            return loop
        self.facts.values[var] = low
        return loop.body

    def _block(self, stmt: Node, block: Block) -> Steps:
        """Simplify statements one after the other, each with what those before it declare."""
        facts, out, entered = self.facts, list[Any](), 0  # Any: statements
        pending: list[tuple[tuple[Any, ...], int]] = [(block.stmts, 0)]
        while pending:
            stmts, at = pending.pop()
            if at == len(stmts):
                continue
            if at + 1 < len(stmts):
                pending.append((stmts, at + 1))
            given = stmts[at]
            each = given if given in facts.repeated else self._resolve(given)
            merges = (each is not given or self.blocks) and each not in facts.repeated
            if merges and isinstance(each, Block) and self._is_mergeable(each, not pending):
                pending.append((each.stmts, 0))
                continue
            image = self._find(each)
            if image is None:
                image = yield self._steps(each)
            if image is _NOTHING:
                continue
            out.append(image)
            if isinstance(image, Let):
                facts.enter(self._learn(_declare, image), image.symbol)
                entered += 1
        for _ in range(entered):
            facts.leave()
        image = block.with_fields(stmts=tuple(out)) if _differ(out, block.stmts) else block
        return self._note(stmt, image)

    def _is_mergeable(self, block: Block, is_last: bool) -> bool:
        """Return whether the statements of a block may stand in the one around it.

        What they declare or allocate lives until that ends, so they have to be the last there.
        """
        declared = [stmt for stmt in block.stmts if _lasts(stmt)]
        if not is_last:
            return not declared
        again = [v for stmt in declared for v in bound_by(stmt) if self.facts.bound[v] > 1]
        return not again

    def _loop(self, loop: For) -> Steps:
        facts = self.facts
        low, extent = self.simplify(loop.min), self.simplify(loop.extent)
        image = loop.with_fields(min=low, extent=extent)
        facts.enter(self._learn(enter_loop, image), loop.loop_var)
        body = self._find(loop.body)
        if body is None:
            body = yield self._steps(loop.body)
        facts.leave()
        if self.loops and _is_empty(body) and facts.removable(low, extent):
            return self._note(loop, _NOTHING)
        return self._note(loop, image.with_fields(body=body))

    def _poly_for(self, loop: PolyFor) -> Steps:
        facts, var = self.facts, loop.iterator
        init = self.simplify(loop.init)
        facts.enter(facts.context.without((var,)), var)
        condition = self.simplify(loop.condition)
        facts.leave()
        image = loop.with_fields(init=init, condition=condition)
        facts.enter(self._learn(enter_loop, image), var)
        inc = self.simplify(loop.inc)
        body = self._find(loop.body)
        if body is None:
            body = yield self._steps(loop.body)
        facts.leave()
        return self._note(loop, image.with_fields(inc=inc, body=body))

    def _branch(self, branch: IfThenElse) -> Steps:
        facts = self.facts
        condition = self.simplify(branch.condition)
        arms = [branch.true_case, branch.false_case]
        for at, arm in enumerate(arms):
            if arm is None:
                continue
            inside = self._assume(condition, at == 0)
            if inside.is_unreachable:  # the condition is asked for its faults alone
                arms[at] = _NOTHING if self.branches else arm
                continue
            facts.enter(inside)
            image = self._find(arm)
            if image is None:
                image = yield self._steps(arm)
            arms[at] = image
            facts.leave()
        true_case, false_case = arms
        if self.branches and _is_empty(false_case):
            false_case = None
        if self.branches and _is_empty(true_case):
            if false_case is None and facts.removable(condition):
                return self._note(branch, _NOTHING)
            if false_case is not None:
                condition = self.simplify(Not(condition))
                true_case, false_case = false_case, None
        assert true_case is not None
        image = branch.with_fields(condition=condition, true_case=true_case, false_case=false_case)
        return self._note(branch, image)

    def _realize(self, realize: ScheduleBlockRealize) -> Steps:
        facts, block = self.facts, realize.schedule_block
        values = tuple([self.simplify(value) for value in realize.iter_values])
        image = realize.with_fields(iter_values=values)
        facts.enter(self._learn(enter_block, image), *block.iter_vars)
        body = self._find(block.body)
        if body is None:
            body = yield self._steps(block.body)
        facts.leave()
        image = image.with_fields(schedule_block=block.with_fields(body=body))
        return self._note(realize, image)

    def _other(self, stmt: Node) -> Steps:
        """Simplify what is in a statement of any kind, with nothing known of what it binds."""
        facts, images = self.facts, dict[Node, Any]()  # Any: statements
        bound = bound_by(stmt)
        facts.enter(facts.context.without([v for v in bound if isinstance(v, Var)]), *bound)
        for inner in STATEMENTS.children(stmt):
            image = self._find(inner)
            if image is None:
                image = yield self._steps(inner)
            images[inner] = image
        get = images.get
        image = VALUES.rebuild[type(stmt)](stmt, lambda node, _: get(node) or self.simplify(node))
        facts.leave()
        return self._note(stmt, image)

    def _learn(self, tell: Callable[..., Context], *about: object) -> Context:
        """Return what is known inside of a statement, as a function of the analysis tells it."""
        return tell(self.facts.context, *about) if self.informed else self.facts.context

    def _assume(self, condition: Expr, holds: bool) -> Context:
        """Return what is known here where a condition holds, or does not."""
        context, memo = self.facts.context, self.facts.region.assumed
        around, inside = memo.get((condition, holds), (None, context))
        if around is not context:
            inside = self._learn(assume, condition, holds)
            memo[condition, holds] = context, inside
        return inside

    def _note(self, stmt: Node, image: Any) -> Any:  # Any: statements
        image = self.facts.region.statements[stmt] = self._rewriter.replace(stmt, image)
        return image


_BOUND: Final = ForType.GPU_BLOCK | ForType.GPU_THREAD | ForType.GPU_LANE


def _declare(context: Context, let: Let) -> Context:
    """Return what is known after a declaration."""
    if let.body is None:
        return context.without((let.symbol,))
    return bind(context, let.symbol, let.body)


def _is_empty(stmt: object) -> bool:
    return isinstance(stmt, Block) and not stmt.stmts


def _lasts(stmt: Node) -> bool:
    """Return whether what a statement declares or allocates is there until the block ends."""
    if isinstance(stmt, Alloc):
        return stmt.body is None
    return bool(bound_by(stmt)) and not has_scopes(type(stmt))


def _differ(a: list[Any], b: tuple[Any, ...]) -> bool:  # Any: statements
    return len(a) != len(b) or any(x is not y for x, y in zip(a, b, strict=True))
