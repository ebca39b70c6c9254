"""Rewriting of a program by rules, whatever language it is of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol, TypeVar

from relayish._support.collector import pause_collection
from relayish.errors import PassError
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.rewriting.graph import GraphRewriter
from relayish.rewriting.rule import Facts, Rule
from relayish.rewriting.rules import RuleSet

N = TypeVar("N", bound=Node)


class Driver(Protocol):
    """What rewrites programs of some language."""

    def __call__(
        self, rules: RuleSet, root: Any, mod: Any, *, keep_order: bool, again: bool
    ) -> Any:
        """Return what becomes of a program; see :func:`rewrite_rules`."""


FACTS: Final[KindTable[Callable[..., Facts]]] = KindTable(
    "what rules may ask", "relayish.rewriting.FACTS", {Node: Facts}
)
"""What rules may ask of a program, by the kind of its root: called with it and its module."""


def _rewrite_any(
    rules: RuleSet,
    root: Node,
    mod: object,
    *,
    keep_order: bool,
    again: bool,
) -> Node:
    """Rewrite a program that is a graph or a tree."""
    facts = FACTS[type(root)](root, mod, keep_order=keep_order)
    image: Node = GraphRewriter(rules, facts, again=again).rewrite(root, {})
    return image


DRIVERS: Final[KindTable[Driver]] = KindTable(
    "rewriting", "relayish.rewriting.DRIVERS", {Node: _rewrite_any}
)
"""What rewrites programs, by the kind of their root."""


def rewrite_rules(
    rules: RuleSet | Iterable[Rule | RuleSet],
    root: N,
    mod: Any = None,  # Any: a module, of whatever language
    *,
    keep_order: bool = False,
    again: bool = True,
) -> N:
    """Return a program with the rules applied, from the innermost node on, until none applies.

    What a rule returns is walked as well, as far as it is new; a node that a rule puts into its own
    replacement stays as it is there.

    Args:
        rules: The rules, or a :class:`~relayish.rewriting.RuleSet`, which keeps what it finds out
            about them.
        root: The program: an expression or a function of Relay, a function of loops or of core, or
            a node of any other language.
        mod: The module it belongs to.
        keep_order: Apply a rule only where what acts stays, and acts in the order it did; otherwise
            rules have to see to that.
        again: Whether rules are asked about what rules put into the program; otherwise they are
            asked once about each node of it.

    Returns:
        ``root`` itself when no rule replaced anything. Otherwise what changed carries no types.

    Raises:
        PassError: If rules replace one another's results without end, one returns no node, or
            ``root`` is none.

    Complexity:
        Linear in the number of distinct nodes and of replacements; no recursion.
    """
    given = rules if isinstance(rules, RuleSet) else RuleSet(rules)
    if not isinstance(root, Node):
        raise PassError(
            f"rewrite_rules takes a node; found {root!r} ({type(root).__name__}); "
            f"of a module give one of the functions, such as mod['main']"
        )
    with pause_collection():  # many small objects live until all is rewritten
        image: N = DRIVERS[type(root)](given, root, mod, keep_order=keep_order, again=again)
    return image
