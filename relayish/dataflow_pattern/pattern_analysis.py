"""Analysis of patterns: what is known of one before it is matched with anything."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Final

from relayish._support.dominators import Dominators
from relayish._support.graph import reachable
from relayish.dataflow_pattern.explanation import short
from relayish.dataflow_pattern.node_pattern import NodePattern
from relayish.dataflow_pattern.pattern import (
    AltPattern,
    AttrPattern,
    CallPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    ShapePattern,
    TypePattern,
    WildcardPattern,
    children,
    count_patterns,
    is_operator,
)
from relayish.errors import DeclarationError
from relayish.ir.relay.expr import Op
from relayish.ir.relay.op import intern_op
from relayish.op.declaration.properties import commutative

NESTED_DOMINATORS: Final = 16
"""How many dominator patterns may stand inside one another as parents or paths."""
_MANY_BITS: Final = 1 << 28
"""Up to so many, it is found which shared patterns each way has inside; beyond, it may be all."""
_MULTIPLY, _DIVIDE = intern_op("multiply"), intern_op("divide")


class Analysed:
    """A pattern, with what decides how much of the work on it has to be done again.

    ``repeatable`` holds patterns that are part of themselves or of a path: they match several
    expressions. ``interface`` holds, for each pattern that can match in more than one way, the
    patterns inside it that stand for the same expression outside: only through them does it matter
    outside which way was taken.
    """

    def __init__(self, root: DFPattern) -> None:
        self.root = root
        order, uses = count_patterns(root)
        self.order = order
        self.kinds: frozenset[type[DFPattern]] = frozenset(map(type, order))
        self._redirected = [(p, p.pattern) for p in order if type(p) is WildcardPattern]
        recursive = _find_recursive(order)
        _check_nesting(order, recursive)
        _check_descent(recursive)
        self.repeatable = recursive | _find_path_patterns(order)
        self.commutes: dict[DFPattern, frozenset[Op]] = {
            p: swapped for p in order if type(p) is CallPattern and (swapped := _find_swappable(p))
        }
        self.commutes |= {
            p: frozenset() for p in order if type(p) is NodePattern and p.is_commutative
        }
        self.regrouped: dict[DFPattern, tuple[tuple[Op, CallPattern], ...]] = {}
        ways = [
            p for p in order if p in self.commutes or type(p) is AltPattern or self.regroupings(p)
        ]
        shared = [
            p for p in order if uses[p] > 1 and p not in self.repeatable and not is_operator(p)
        ]
        self.interface: dict[DFPattern, tuple[DFPattern, ...]] = {}
        if ways:
            self._find_interfaces(ways, shared)

    def is_current(self) -> bool:
        """Return whether no wildcard in the pattern was redirected since it was looked at."""
        return all(wildcard.pattern is known for wildcard, known in self._redirected)

    def regroupings(self, pattern: DFPattern) -> tuple[tuple[Op, CallPattern], ...]:
        """Return, by the operator of the call to match, what a product of a quotient may be too."""
        found = self.regrouped.get(pattern)
        if found is None:
            found = tuple(regroup(pattern)) if type(pattern) is CallPattern else ()
            self.regrouped[pattern] = found
            made = [each for _, whole in found for each in (whole, *whole.args)]
            for each in made:
                if type(each) is CallPattern and each not in self.commutes:
                    self.commutes[each] = _find_swappable(each)
        return found

    def _find_interfaces(self, ways: list[DFPattern], shared: list[DFPattern]) -> None:
        if not shared:
            self.interface = dict.fromkeys(ways, ())
            return
        redirected = any(type(p) is WildcardPattern and p.pattern is not None for p in self.order)
        if redirected or len(self.order) * len(shared) > _MANY_BITS:
            self.interface = dict.fromkeys(ways, tuple(shared))
            return
        bit = {pattern: 1 << index for index, pattern in enumerate(shared)}
        below: dict[DFPattern, int] = {}
        for pattern in self.order:
            mask = bit.get(pattern, 0)
            for child in children(pattern):
                mask |= below[child]
            below[pattern] = mask
        dominators = Dominators(self.order[::-1], children)
        for way in ways:
            self.interface[way] = tuple(
                each
                for each in shared
                if below[way] & bit[each]
                and each is not way
                and not dominators.dominates(way, each)
            )


def _find_swappable(pattern: CallPattern) -> frozenset[Op]:
    """Return the operators for whose calls the arguments may be taken in the other order."""
    if pattern.any_args or len(pattern.args) != 2 or pattern.args[0] is pattern.args[1]:
        return frozenset()
    return frozenset(op for op in list_ops(pattern.op) or () if commutative.get(op))


def list_ops(pattern: DFPattern) -> list[Op] | None:
    """Return the operators that ``pattern`` names; ``None`` if it may be something else."""
    found: list[Op] = []
    for each in reachable([pattern], _alternatives):
        if type(each) is ExprPattern and type(each.expr) is Op:
            found.append(each.expr)
        elif not _alternatives(each):
            return None
    return found


def _alternatives(pattern: DFPattern) -> tuple[DFPattern, ...]:
    """Return the patterns one of which has to match what ``pattern`` matches, where it says so."""
    if type(pattern) is AltPattern:
        return (pattern.left, pattern.right)
    return (pattern.pattern,) if type(pattern) is AttrPattern else ()


def regroup(pattern: CallPattern) -> list[tuple[Op, CallPattern]]:
    """Return what else ``(x * y) / z`` or ``(x / y) * z`` may be: the operator, and the pattern."""
    found: list[tuple[Op, CallPattern]] = []
    if _calls(pattern, _DIVIDE):
        product, by = pattern.args
        if type(product) is CallPattern and _calls(product, _MULTIPLY):
            for divided, other in (product.args, product.args[::-1]):
                quotient = CallPattern(pattern.op, (divided, by))
                found.append((_MULTIPLY, CallPattern(product.op, (other, quotient))))
    elif _calls(pattern, _MULTIPLY):
        for divided, other in (pattern.args, pattern.args[::-1]):
            if type(divided) is CallPattern and _calls(divided, _DIVIDE):
                numerator = CallPattern(pattern.op, (divided.args[0], other))
                found.append((_DIVIDE, CallPattern(divided.op, (numerator, divided.args[1]))))
    return found


def _calls(pattern: CallPattern, op: Op) -> bool:
    return (
        type(pattern.op) is ExprPattern
        and pattern.op.expr is op
        and not pattern.any_args
        and len(pattern.args) == 2
    )


def _check_nesting(order: list[DFPattern], recursive: Container[DFPattern]) -> None:
    """See that dominator patterns as parents or paths of others are few enough to be matched.

    Each is matched by a matcher of its own, one inside the other.
    """
    depth: dict[DFPattern, int] = {}
    for pattern in order:
        depth[pattern] = max([depth.get(child, 0) for child in children(pattern)], default=0)
        if type(pattern) is not DominatorPattern:
            continue
        inner = [pattern.parent, pattern.path]
        depth[pattern] = max(depth[pattern], *[1 + depth.get(each, 0) for each in inner])
        if pattern in recursive and pattern in _collect_below(inner):
            raise DeclarationError(
                "a dominator pattern is part of its own parent or path; only its child may be "
                "redirected to it"
            )
        if depth[pattern] > NESTED_DOMINATORS:
            raise DeclarationError(
                f"more than {NESTED_DOMINATORS} dominator patterns stand inside one another as "
                f"parents or paths; match the inner ones first, and name what they found"
            )


def _find_path_patterns(order: list[DFPattern]) -> set[DFPattern]:
    found: set[DFPattern] = set()
    for pattern in order:
        if type(pattern) is DominatorPattern and pattern.path not in found:
            found.update(count_patterns(pattern.path)[0])
    return found


_STAY: Final = (
    *(AltPattern, AttrPattern, DataTypePattern, DominatorPattern, ShapePattern, TypePattern),
    WildcardPattern,
)
"""Patterns that ask others about the very expression that they are asked about."""


def _check_descent(recursive: Iterable[DFPattern]) -> None:
    """See that patterns that are part of themselves are so by operands, or matching would not end.

    Raises:
        DeclarationError: If one is not.
    """

    def stay(pattern: DFPattern) -> list[DFPattern]:
        if type(pattern) is DominatorPattern:
            return [pattern.child]
        return children(pattern) if type(pattern) in _STAY else []

    for pattern in recursive:
        if type(pattern) is WildcardPattern and pattern in reachable(stay(pattern), stay):
            raise DeclarationError(
                f"{short(pattern)} is redirected to what asks it about the same expression again, "
                f"without end; let it be the pattern of an operand: "
                f"it.redirect_to(is_op('exp')(it) | ...)"
            )


def _find_recursive(order: list[DFPattern]) -> set[DFPattern]:
    """Return the patterns that are part of themselves, and what only such are made of."""
    redirected = [p for p in order if type(p) is WildcardPattern and p.pattern is not None]
    found: set[DFPattern] = set()
    for wildcard in redirected:
        below = count_patterns(wildcard)[0]
        held: dict[DFPattern, list[DFPattern]] = {pattern: [] for pattern in below}
        for pattern in below:
            for child in children(pattern):
                held[child].append(pattern)
        reachable(held[wildcard], held.__getitem__, found)
    return found | (_collect_below(found) - _collect_below([order[-1]], found))


def _collect_below(tops: Iterable[DFPattern], without: Iterable[DFPattern] = ()) -> set[DFPattern]:
    """Return what patterns are made of, they included, not counting what is in ``without``."""
    return set(reachable(tops, children, set(without)))
