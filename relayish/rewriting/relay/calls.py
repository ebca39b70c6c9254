"""Rules for calls, found by the operator and by what the arguments are.

Every expression has a key: the operator that a call calls, and its kind for everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.nodes.node import Node, lineage
from relayish.ir.relay.expr import Call, Expr, GlobalVar, Op
from relayish.rewriting.rule import Rule
from relayish.rewriting.rules import SELECTORS, RuleSet, Select

Key: TypeAlias = "Op | type[Node]"
"""The operator of a call of one; ``Call`` for other calls; the kind of any other expression."""


class Root(NamedTuple):
    """One way a pattern can begin.

    ``key`` is that of the expression, ``args`` the keys its arguments may have (``None`` for any),
    where it is a call whose arguments count.
    """

    key: Key
    args: tuple[frozenset[Key] | None, ...] | None

    def admits(self, args: tuple[Key, ...]) -> bool:
        """Return whether a call of arguments with these keys may match."""
        if self.args is None:
            return True
        return len(args) == len(self.args) and all(
            allowed is None or key in allowed for key, allowed in zip(args, self.args, strict=True)
        )


def key_of(expr: Node) -> Key:
    """Return the key of ``expr``."""
    if type(expr) is not Call:
        return type(expr)
    return expr.op if type(expr.op) is Op else Call


class _ByArguments(dict["Expr | type[Node]", Any]):  # Any: a table of this class, or rules
    """The rules for calls of something with some number of arguments.

    What the first argument calls, or its kind, leads to such a table for the others, and that of
    the last to the rules.
    """

    def __init__(
        self, rules: tuple[Rule, ...], op: Expr, count: int, before: tuple[Key, ...] = ()
    ) -> None:
        super().__init__()
        self._rules, self._op, self._count, self._before = rules, op, count, before

    def __missing__(self, key: Expr | type[Node]) -> Any:  # Any: as above
        if not isinstance(key, (type, Op)):  # a call of no operator: what it calls is one of many
            return self[Call]
        found = self[key] = self.behind((*self._before, key))
        return found

    def behind(self, args: tuple[Key, ...]) -> Any:  # Any: as above
        """Return what is left to be asked where the first arguments are of these keys."""
        if len(args) < self._count:
            return _ByArguments(self._rules, self._op, self._count, args)
        keys = (self._op, Call)
        return tuple(
            each
            for each in self._rules
            if each.roots is None
            or any(root.key in keys and root.admits(args) for root in each.roots)
        )


class _ByCallee(dict[Expr, Any]):  # Any: rules, or what :class:`_ByArguments` leads to
    """The rules for calls, by what is called; with some number of arguments, if that counts."""

    def __init__(self, rules: RuleSet, count: int | None = None) -> None:
        super().__init__()
        self._rules, self._count = rules, count
        self._others = self._find(Call, ())

    def __missing__(self, op: Expr) -> Any:  # Any: as above
        if type(op) is not Op and type(op) is not GlobalVar:
            return self._others  # an expression, which is one of many
        found = self[op] = self._find(op, self._rules.keys_of(op))
        return found

    def _find(self, op: Any, keys: Sequence[Any]) -> Any:  # Any: an expression or its kind, keys
        rules = (*self._rules.for_keys(*keys, *_FAMILIES), *self._rules.added(Call))
        return rules if self._count is None else _ByArguments(rules, op, self._count).behind(())


_FAMILIES: Final = tuple(lineage(Call))


@SELECTORS.register(Call)
def _make_selector(rules: RuleSet, _: type[Node]) -> Select:
    """Return the function that selects the rules for a call."""
    if not rules.has_roots:
        by_callee = _ByCallee(rules)
        return lambda call: by_callee[call.op]
    pairs = _ByCallee(rules, 2)
    by_count = {2: pairs}

    def select(call: Any) -> tuple[Rule, ...]:  # Any: a call
        args = call.args
        if len(args) == 2:  # most calls have two
            left, right = args
            pair: tuple[Rule, ...] = pairs[call.op][left.op if type(left) is Call else type(left)][
                right.op if type(right) is Call else type(right)
            ]
            return pair
        table = by_count.get(len(args))
        if table is None:
            table = by_count[len(args)] = _ByCallee(rules, len(args))
        found: Any = table[call.op]  # Any: a table, or the rules
        for arg in args:
            found = found[arg.op if type(arg) is Call else type(arg)]
        fitting: tuple[Rule, ...] = found
        return fitting

    return select
