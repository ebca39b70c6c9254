"""Evaluation order of side effects: whether a rewriting leaves what acts where it was.

Operands are evaluated before what uses them, in order, a shared one at its first use. A rule that
computes the same from the same operands may name them in another order, or no longer name one;
where several of them act, that is another program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS


class EvaluationOrder:
    """Answers for many rewritings of one program, looking at each node once.

    Args:
        transparency: What tells which expressions are referentially transparent.
    """

    def __init__(self, transparency: ReferentialTransparency | None = None) -> None:
        self._transparency = ReferentialTransparency() if transparency is None else transparency

    def order_dependent(self, operands: Iterable[Expr]) -> list[Expr]:
        """Return those of ``operands`` whose value may depend on when they are evaluated.

        Complexity:
            Linear in the distinct nodes that were not looked at before; no recursion.
        """
        check = self._transparency.holds_for
        return [each for each in operands if type(each) not in ATOMS and not check(each)]

    def is_kept(self, before: Expr, after: Expr, operands: Collection[Expr]) -> bool:
        """Return whether ``after`` evaluates those of ``operands`` that act just as ``before`` did.

        Both are made of ``operands`` by what does nothing but compute a value.

        Complexity:
            Linear in what lies above the operands, if any of them acts; no recursion.

        Example:
            >>> from relayish.ir.relay.expr import RefRead, Tuple, Var
            >>> r, x = Var("r"), Var("x")
            >>> first, second = RefRead(r), RefRead(x)
            >>> before, after = Tuple((first, x, second)), Tuple((second, first))
            >>> order = EvaluationOrder()
            >>> order.is_kept(before, after, (first, second))
            False
            >>> order.is_kept(before, after, (first, x))
            True
        """
        dependent = self.order_dependent(operands)
        if not dependent:
            return True
        stop, asked = set(operands), set(dependent)
        return _sequence(before, stop, asked) == _sequence(after, stop, asked)

    def sort_operands(self, root: Expr, operands: Sequence[Expr]) -> Sequence[Expr]:
        """Return ``operands`` as ``root``, which is made of them, needs them first.

        Returns:
            ``operands`` themselves unless one of them acts, or declares what others name.

        Complexity:
            As :meth:`is_kept`.
        """
        if len(operands) < 2 or not self.order_dependent(operands):
            return operands
        return [n for n in _sequence(root, set(operands), set(operands)) if isinstance(n, Expr)]


def _sequence(root: Expr, stop: set[Expr], asked: set[Expr]) -> list[Node]:
    order = EXPRESSIONS.post_order(root, lambda node: node not in stop)
    return [node for node in order if node in asked]
