"""Transfers by operator and kind: an open table for each analysis, filled beside declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, TypeVar, overload

from relayish.errors import DeclarationError
from relayish.ir.fields.field import is_node_class
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import NAMES, Node, lineage
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import watch_table

# Any: a node of one kind, abstract values
ValueTransfer: TypeAlias = Callable[..., Any]
"""``transfer(node, *values)``: the value of a node, from those of its operands, in order."""

# Any: as above
Refinement: TypeAlias = Callable[..., Iterable[tuple[Node, Any]]]
"""``refine(node, truth, *values)``: what is known of other nodes where the node is ``truth``."""

What: TypeAlias = "type[Node] | Node"
"""A kind, a family, or an operator: the node that names it."""

_Rule = TypeVar("_Rule", bound=Callable[..., Any])  # Any: as above


class RuleTable:
    """One sort of rules, for each analysis by operator and by kind.

    Args:
        purpose: What the rules are: ``"transfer"``.
        name: Where users find the table.
    """

    def __init__(self, purpose: str, name: str) -> None:
        self.purpose, self.name = purpose, name
        self._rules: dict[tuple[type, What], Callable[..., Any]] = {}  # Any: as above
        self._claims: Claims[tuple[type, What]] = Claims()
        watch_table(self._rules, module_of=self._claims.module_of)

    @overload
    def register(
        self, analysis: type, what: What, rule: _Rule, *, replace: bool = False
    ) -> _Rule: ...
    @overload
    def register(
        self, analysis: type, what: What, *, replace: bool = False
    ) -> Callable[[_Rule], _Rule]: ...
    def register(
        self, analysis: type, what: What, rule: _Rule | None = None, *, replace: bool = False
    ) -> _Rule | Callable[[_Rule], _Rule]:
        """Add a rule; also a decorator.

        Args:
            analysis: A class of sparse analyses; those that extend it have the rule too.
            what: The node that names an operator, or a kind or family.
            rule: See :data:`TRANSFERS` and :data:`REFINEMENTS`.
            replace: Take the place of the rule that there is.

        Raises:
            DeclarationError: If ``what`` is neither.
            DuplicateNameError: If somebody else said it already and ``replace`` is false.
        """
        if rule is None:
            return lambda given: self.register(analysis, what, given, replace=replace)
        if not (isinstance(what, Node) and type(what) in NAMES) and not is_node_class(what):
            raise DeclarationError(
                f"{self.name}.register is given {what!r}; expected a class of nodes, or the node "
                f"that names an operator, such as get_op('add')"
            )
        key = (analysis, what)
        self._claims.enter(
            key,
            rule,
            f"analysis {analysis.__name__} has its {self.purpose} of {describe(what)} already; it",
            taken=key in self._rules,
            instead="say replace=True to put the second in place of the first",
            replace=replace,
        )
        self._rules[key] = rule
        return rule

    def find(self, analysis: type, what: What) -> Callable[..., Any] | None:  # Any: as above
        """Return the rule for an operator, a kind, or the nearest family it belongs to."""
        rules = self._rules
        names = (what,) if isinstance(what, Node) else lineage(what)
        for owner in analysis.__mro__:
            for name in names:
                rule = rules.get((owner, name))
                if rule is not None:
                    return rule
        return None


def describe(what: What) -> str:
    """Return what a rule is for, as errors say it."""
    return one_line(what) if isinstance(what, Node) else what.__name__


TRANSFERS: Final = RuleTable("transfer", "relayish.dataflow.TRANSFERS")
"""What operators and kinds do to the values of an analysis.

``rule(node, *values)`` returns the value of ``node`` from those of its operands, the operator
aside. It is asked once all of them have some value, and again when one of them grows; it is
monotone."""

REFINEMENTS: Final = RuleTable("refinement", "relayish.dataflow.REFINEMENTS")
"""What follows in a branch from its condition, by the operator or kind of that.

``rule(node, truth, *values)`` yields pairs of a node and its value wherever the value of ``node``
is ``truth``. A truth value among them is followed further."""
