"""Rule sets: rules that are applied together, found by what a node is and by what it calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

from relayish.errors import DeclarationError
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node, lineage
from relayish.ir.nodes.traversal import ByKind
from relayish.rewriting.rule import Action, Key, Rule, name_of

WATCHING: Final[ContextVar[Callable[..., Any] | None]] = ContextVar(
    "relayish_watching", default=None
)
"""Who watches rules: gives others in their place, ``watch(rules, rules.of_kind)``."""

Select: TypeAlias = Callable[[Any], tuple[Rule, ...]]  # Any: a node of the kind
"""``select(node)``: the rules to ask about a node of a kind, where the kind alone does not say."""


class RuleSet:
    """Rules that are applied together; of those for one node, the first that fits is applied.

    Rules that are told of an operator come before those of a kind, and these before those of its
    families; otherwise, those given first are tried first. A rule for all nodes, such as that of a
    pattern which may begin in any way, counts as told of the operator, or of the kind.

    Args:
        rules: Rules, and other sets, with what others add to these.
        name: The public name of the set, if others may add to it.

    Raises:
        DeclarationError: If something is no rule, or for what this set finds no nodes by.

    Example:
        >>> from relayish import tir
        >>> from relayish.rewriting import RuleSet, rule
        >>> @rule(tir.Minus)
        ... def double_minus(minus, facts):
        ...     return minus.v.v if isinstance(minus.v, tir.Minus) else minus
        >>> RuleSet([double_minus]).of_kind[tir.Minus]
        (<Rule double_minus>,)
    """

    def __init__(
        self,
        rules: Iterable[Rule | RuleSet] = (),
        name: str = "",
    ) -> None:
        found, tables = _flatten(rules)
        self.rules: tuple[Rule, ...] = tuple(found)
        for each in self.rules:
            self._check(each)
        self.name = name
        self._places = {each: place for place, each in enumerate(self.rules)}
        self._for_all = [each for each in self._places if each.keys is None]
        self.has_roots = False  # whether some rule says how what it is for begins
        self._by_key: dict[Key, list[Rule]] = {}
        for each in self._places:
            self.has_roots = self.has_roots or each.roots is not None
            for key in each.keys or ():
                self._by_key.setdefault(key, []).append(each)
        self._added: KindTable[Rule] | None = KindTable(name, name) if name else None
        self._of_kind = ByKind(self._select)
        own = () if self._added is None else (self._added,)
        self.tables: tuple[KindTable[Rule], ...] = (*tables, *own)
        """What others added by kind, and may add later on, to this set and those in it."""
        for table in self.tables:
            table.renew(self._of_kind)

    @classmethod
    def by_key(cls, actions: Mapping[Any, Sequence[Action]]) -> RuleSet:  # Any: keys
        """Return the set of what is to be done by the kind, family or operator it is for."""
        return cls(
            [
                Rule(name_of(action), (key,), action)
                for key, several in actions.items()
                for action in several
            ]
        )

    @property
    def of_kind(self) -> Mapping[type[Node], tuple[Rule, ...] | Select]:
        """By kind: the rules for its nodes, or what selects them."""
        watch = WATCHING.get()
        return self._of_kind if watch is None else watch(self, self._of_kind)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    takes: str = "kinds of nodes, families of kinds, and operators themselves"
    """What the rules of such a set are told of."""

    def is_key(self, key: Key) -> bool:
        """Return whether nodes are found by such a key."""
        return isinstance(key, (Node, type))

    def _check(self, given: Rule) -> None:
        wrong = [key for key in given.keys or () if not self.is_key(key)]
        if wrong:
            raise DeclarationError(
                f"rule {given.name} is for {wrong[0]!r}; this {type(self).__name__} takes rules "
                f"for {self.takes}; give the rule to what rewrites programs of its language"
            )

    def register(self, kind: type[Node], action: Action, *, replace: bool = False) -> Action:
        """Add a rule for nodes of a kind or a family, which is tried after all that there are.

        Args:
            kind: The kind, or family.
            action: What the rule does.
            replace: Take the place of what was registered before.

        Raises:
            DuplicateNameError: If somebody else registered one and ``replace`` is false.
            DeclarationError: If the set has no public name, or the action is no function.
        """
        if self._added is None:
            raise DeclarationError(
                "a set of rules without a name is not added to; make another of it and more rules"
            )
        added = Rule(name_of(action), (kind,), action)
        self._added.register(kind, added, replace=replace, by=action)
        return action

    def for_keys(self, *keys: Key) -> tuple[Rule, ...]:
        """Return the rules for what has some keys: those for the first key first."""
        first = [each for key in keys[:1] for each in self._by_key.get(key, ())]
        if self._for_all:
            first = sorted({*first, *self._for_all}, key=self._places.__getitem__)
        others = [each for key in keys[1:] for each in self._by_key.get(key, ())]
        return tuple(dict.fromkeys([*first, *others]))

    def selector(self, kind: type[Node]) -> Select:
        """Return the function that selects the rules for a node of ``kind``."""
        found = self.of_kind[kind]
        return (lambda _: found) if isinstance(found, tuple) else found

    def keys_of(self, op: Node) -> Sequence[Key]:
        """Return the keys of what calls ``op``, of which rules are told."""
        return (op,)

    def added(self, kind: type[Node]) -> tuple[Rule, ...]:
        """Return what others registered for nodes of ``kind``, in this set and those in it."""
        return tuple([table[kind] for table in self.tables if table.knows(kind)])

    def _select(self, kind: type[Node]) -> tuple[Rule, ...] | Select:
        return SELECTORS[kind](self, kind)


def _select_by_kind(rules: RuleSet, kind: type[Node]) -> tuple[Rule, ...]:
    found = rules.for_keys(*lineage(kind))
    return (*found, *rules.added(kind))


SELECTORS: Final[KindTable[Callable[[RuleSet, type[Node]], tuple[Rule, ...] | Select]]] = KindTable(
    "the choice of rules", "relayish.rewriting.rules.SELECTORS", {Node: _select_by_kind}
)
"""By kind: the rules of a set for its nodes, or what selects them."""


def _flatten(rules: Iterable[Rule | RuleSet]) -> tuple[list[Rule], list[KindTable[Rule]]]:
    """Return the rules, and the tables of those that others add to the sets among them."""
    if isinstance(rules, Rule) or not isinstance(rules, Iterable):
        raise DeclarationError(f"expected several rules; found {rules!r}; put it in a list")
    found: list[Rule] = []
    tables: list[KindTable[Rule]] = []
    for each in rules:
        if isinstance(each, RuleSet):
            found += each.rules
            tables += [table for table in each.tables if not any(table is t for t in tables)]
        elif isinstance(each, Rule):
            found.append(each)
        else:
            raise DeclarationError(f"expected a rule; found {each!r}; decorate it with @rule(...)")
    return found, tables
