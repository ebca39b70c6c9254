"""Facts for simplification: values of expressions where the walk is, and whether they may fault.

Facts hold in a region of a program: the body of a loop, an arm of a branch. What was found out
there is found out anew elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from relayish.dataflow.lattice.interval import Interval
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import PROGRAM, bound_by
from relayish.rewriting.rule import TypedFacts
from relayish.tir.analysis.facts.faults import may_fault
from relayish.tir.analysis.linear.linear_form import LinearForm, interval_of_form, without_overflow
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval_rules import integer_interval
from relayish.tir.analysis.values.literals import is_arithmetic
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Let
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.rewriting.attribute import VALUES, Attribute
from relayish.tir.rewriting.linear import LinearForms


class Region:
    """What was found out in a region; all of it depends on what is known there."""

    __slots__ = ("assumed", "expressions", "removable", "statements")

    def __init__(self, facts: Facts) -> None:
        self.expressions: dict[Node, Any] = {}  # Any: of the sort of the node
        """The image of each expression."""
        self.statements: dict[Node, Any] = {}  # Any: as above
        """The image of each statement."""
        self.removable = Attribute(facts.is_removable)
        self.assumed: dict[tuple[Expr, bool], tuple[Context, Context]] = {}
        """By condition, and whether it holds: what is known around that, and under it."""


class Facts(TypedFacts):
    """What is known of the expressions of a program, where the walk stands.

    Attributes:
        context: Intervals of variables and of sums.
        region: What was found out here.
        arguments: What the function is given: memory that holds values, scalars.
        undefined: Variables that are declared without a value.
        repeated: Statements that stand in several places.
        bound: How often each variable is bound; more than once as well where that is by a statement
            that stands in several places.
        shares_binders: Whether what binds variables may stand in several places, which may become
            different there.
        linear: The linear form of each scalar integer expression.
        values: The only value of each variable of a loop that was dropped.
    """

    traversal = VALUES
    expressions = Expr
    statements = Stmt

    def __init__(self, root: Node, context: Context, *, keep_order: bool = False) -> None:
        super().__init__(root, keep_order=keep_order)
        self.context = context
        self.values: dict[Node, Expr] = {}
        self.numbers = context.numbers
        self.arguments: frozenset[Node] = frozenset(
            root.args if isinstance(root, LoweredFunc) else ()
        )
        self.undefined: set[Var] = set()
        self.bound: dict[Node, int] = {}
        self.region = Region(self)
        self._left: list[tuple[Region, Context]] = []
        self._entered: set[Node] = set()
        impure = reduces = False
        for node in PROGRAM.pre_order(root):
            for var in bound_by(node):
                self.bound[var] = self.bound.get(var, 0) + 1
            kind = type(node)
            if kind is Let:
                assert isinstance(node, Let)
                self.undefined.update((node.symbol,) if node.body is None else ())
            impure = impure or _MAY_BE_IMPURE[kind]
            reduces = reduces or kind is Reduce
        self.is_impure: Callable[[Expr], bool] = self.numbers.is_impure if impure else _never
        self.linear = LinearForms(self.numbers, self.is_impure)
        self.repeated = frozenset(_find_repeated(root))
        self.shares_binders = reduces or bool(self.repeated)
        for node in PROGRAM.pre_order(tuple(self.repeated)):
            for var in bound_by(node):
                self.bound[var] += 1

    def same(self, a: Expr, b: Expr) -> bool:
        """Return whether two expressions have one value, so that one need not be evaluated."""
        number = self.numbers.number
        return number(a) is number(b) and not self.is_impure(a)

    def interval(self, expr: Expr) -> Interval:
        """Return where the elements of an integer expression lie."""
        return integer_interval(expr, self.context)

    def exact_form(self, expr: Expr) -> LinearForm | None:
        """Return the linear form of a scalar integer that is its sum, which cannot wrap around."""
        return without_overflow(self.linear[expr], expr.type, self.context)

    def difference(self, a: Expr, b: Expr) -> Interval | None:
        """Return where ``a - b`` lies, as an integer; ``None`` where one may wrap around."""
        if not is_arithmetic(a.type) or a.type != b.type:
            return None
        left, right = self.exact_form(a), self.exact_form(b)
        if left is None or right is None:
            return None
        return interval_of_form(left.plus(right, -1), self.context)

    def removable(self, *exprs: Expr) -> bool:
        """Return whether expressions need not be evaluated: they do nothing, and cannot fault."""
        table = self.region.removable
        return all(table[expr] for expr in exprs)

    def enter(self, context: Context, *bound: Node) -> None:
        """Go on with ``context``, until :meth:`leave`.

        What was found out so far goes on to hold if no more is assumed.

        Args:
            context: What is known from here on.
            bound: Variables that come into scope here.
        """
        anew = context.premises is not self.context.premises
        self._enter(context, anew=anew or not self._entered.isdisjoint(bound))
        self._entered.update(bound)

    def enter_anew(self, context: Context) -> None:
        """Go on with ``context``, which may say less than that so far, until :meth:`leave`."""
        self._enter(context, anew=True)

    def _enter(self, context: Context, *, anew: bool) -> None:
        self._left.append((self.region, self.context))
        self.context = context
        if anew:
            self.region = Region(self)

    def leave(self) -> None:
        """Go on with what was known before."""
        self.region, self.context = self._left.pop()

    def is_removable(self, node: Node) -> bool:
        """Return whether a node need not be evaluated, asked after all nodes below."""
        table = self.region.removable
        return all(table[child] for child in VALUES.children(node)) and not may_fault(node, self)


def _never(_expr: Expr) -> bool:
    """Say that nothing is impure, in a program without calls."""
    return False


_MAY_BE_IMPURE: Final = ByKind(
    lambda kind: issubclass(kind, Expr) and bool(kind.traits_.effect & ~Effect.READS)
)


def _find_repeated(root: Node) -> list[Node]:
    """Return the statements that stand in several places."""
    users = STATEMENTS.users(root)
    return [stmt for stmt, places in users.items() if len(places) > 1]
