"""Evaluation order of shared side effects: whether binding them in front keeps it.

A shared node is evaluated once, when it is first needed. A let evaluates it where it stands, which
is in front of the node that holds the first of the scopes that need it. That is the same if the
node is the next thing that acts from there on, on every path::

    let %x = ref_write(%r, 1);                 // right: comes next, whichever branch is taken
    if (%c) { %x } else { %x }

    %x = ref_write(%r, 1);                     // in no place: only one branch needs it before
    (if (%c) { %x } else { () }, ref_write(%r, 2), %x)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import reduce
from typing import Any, Final, TypeAlias

from relayish.analysis.effect_masking import find_visible_effects
from relayish.analysis.effect_rules import has_own_effect
from relayish.errors import PassError
from relayish.ir.fields.roles import Runs
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.node import SYMBOLS, Node
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Expr, Function, Let, Op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.scoping import has_scopes
from relayish.ir.scopes.scoping import scopes as scopes_of
from relayish.passes.relay.normal_form.blocks import Blocks

Event: TypeAlias = tuple[Node | None, bool]
"""A shared node that is needed, or ``None`` for whatever else acts; whether it may be skipped."""

_OTHER: Final[Event] = (None, False)

_LOOKAHEAD: Final = 64
"""How many shared nodes at the start of a scope are compared with those of other scopes."""


def check_effect_order(expr: Expr, scopes: Scopes, effectful: Collection[Node]) -> None:
    """Raise if binding each node in its scope changes when, or whether, something acts.

    Args:
        expr: An expression.
        scopes: Its scopes; lets open none.
        effectful: The nodes of it that may act.

    Raises:
        PassError: Naming what cannot be bound.

    Complexity:
        Linear in distinct nodes and edges; no recursion.
    """
    if not effectful:
        return
    only_blocks = all(block == scope for scope, block in enumerate(scopes.block))
    if not (only_blocks and scopes.lifted.isdisjoint(effectful)):
        _EvaluationWalk(scopes, effectful, find_visible_effects(expr)).check(expr)


class _Events:
    """What happens in one scope, or while one shared node is evaluated, in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.known: list[Node] = []
        """The nodes that count as evaluated as long as the walk is in here."""
        self.bound: list[tuple[Node, int]] = []
        """What is bound here though scopes within need it first, and after how many events."""

    def start(self) -> list[Event]:
        """Return the first events: shared nodes, up to whatever else acts."""
        found = self.events[:_LOOKAHEAD]
        if len(self.events) > _LOOKAHEAD:
            found.append(_OTHER)
        return found[: found.index(_OTHER) + 1] if _OTHER in found else found

    def check(self, visible: Collection[Node]) -> None:
        """Raise unless what is bound here, and is seen, happens next, for sure, and in order."""
        at = 0
        earlier: set[Node | None] = set()
        for node, start in self.bound:
            at = max(at, start)
            if node not in visible:
                earlier.add(node)
                continue
            while at < len(self.events) and self.events[at] != (node, False):
                first, _ = self.events[at]
                if first is not node and first not in earlier:
                    raise _refusal(node)
                at += 1
            if at == len(self.events):
                raise _refusal(node)
            earlier.add(node)


class _EvaluationWalk:
    """A walk over one expression in the order of evaluation; used once."""

    def __init__(
        self, scopes: Scopes, effectful: Collection[Node], visible: Collection[Node]
    ) -> None:
        self.scope = scopes.scope
        self.blocks = Blocks(scopes)
        self.effectful = effectful
        self.visible = visible
        self.open: dict[int, list[_Events]] = {OUTERMOST: [_Events()]}
        self.starts: dict[int, list[Event]] = {}
        """The first events of each scope that was left."""
        self.seen: set[Node] = set()
        self.known: dict[Node, list[Event]] = {}
        """What is evaluated already; of functions, with the first events of a call."""
        self.functions: dict[Node, Node] = {}
        """By the variable that a let binds to the function."""
        self.steps: list[tuple[Callable[[Any, int], None], Any, int]] = []  # Any: expressions

    def check(self, root: Expr) -> None:
        steps = self.steps
        steps.append((self.visit, root, OUTERMOST))
        while steps:
            step, node, scope = steps.pop()
            step(node, scope)
        self.leave(root, OUTERMOST)

    def visit(self, node: Expr, around: int) -> None:
        """Take note that ``node`` is needed in the scope ``around``."""
        if type(node) in SYMBOLS or node in self.known:
            return
        is_met = node in self.seen
        if node in self.effectful:
            own = self.scope.get(node, around)
            self.know(node, [], around)
            if is_met or own != around:
                self.note([(node, False)], around)
                if not is_met:
                    self.bind(node, own)
                around = own
        if not is_met:
            self.seen.add(node)
            self.expand(node, around)

    def bind(self, node: Expr, own: int) -> None:
        """Let what is inside of ``node`` happen apart from what needs the node."""
        around = self.open[own][-1]
        around.bound.append((node, len(around.events)))
        self.open[own].append(_Events())
        self.steps.append((self.leave, node, own))

    def expand(self, node: Expr, around: int) -> None:
        steps, visit = self.steps, self.visit
        if type(node) is Let:
            if type(node.value) is Function:
                self.functions[node.var] = node.value
            steps += ((visit, node.body, around), (visit, node.value, around))
            return
        children: Iterable[Any]  # expressions
        if has_scopes(type(node)):
            children, _ = self.blocks.of(node)
            steps.append((self.enter, node, around))
        else:
            children = EXPRESSIONS.children(node)
            if node in self.effectful:
                steps.append((self.act, node, around))
        steps += [(visit, child, around) for child in reversed(children)]

    def act(self, node: Expr, around: int) -> None:
        self.note(self.list_own_events(node), around)

    def list_own_events(self, node: Expr) -> list[Event]:
        """Return what ``node``, whose operands were evaluated, does itself."""
        if type(node) is Call and type(node.op) is not Op:
            if type(node.op) is Constructor:
                return []
            function = self.functions.get(node.op, node.op)
            if type(function) is not Function or function not in self.known:
                return [_OTHER]
            return [event for event in self.known[function] if event[0] not in self.known]
        origin = node.op if type(node) is Call else node
        return [_OTHER] if has_own_effect(origin) else []

    def enter(self, node: Expr, around: int) -> None:
        """Go into the scopes of ``node``, whose operands were evaluated."""
        _, blocks = self.blocks.of(node)
        self.steps.append((self.combine, node, around))
        for root, scope in reversed(blocks):
            self.open[scope] = [_Events()]
            self.steps += ((self.leave, node, scope), (self.visit, root, scope))

    def leave(self, _node: Expr, scope: int) -> None:
        """Check what happened in a scope, or in a node that is bound in it."""
        left = self.open[scope].pop()
        left.check(self.visible)
        for node in left.known:
            del self.known[node]
        if not self.open[scope]:
            del self.open[scope]
            self.starts[scope] = left.start()

    def combine(self, node: Expr, around: int) -> None:
        """Take note of the first events in the scopes of ``node``."""
        _, blocks = self.blocks.of(node)
        if type(node) is Function:
            if blocks:
                self.know(node, self.starts[blocks[0][1]], around)
            return
        events = self.list_own_events(node) if node in self.effectful else []
        if not events:
            runs = [scope.runs for scope in scopes_of(node) for _ in scope.roots]
            starts = [self.starts[scope] for _, scope in blocks]
            events = _start_of(list(zip(runs, starts, strict=True)))
        self.note(events, around)

    def know(self, node: Node, events: list[Event], around: int) -> None:
        self.known[node] = events
        self.open[around][-1].known.append(node)

    def note(self, events: list[Event], around: int) -> None:
        self.open[around][-1].events += events


def _start_of(scopes: list[tuple[Runs, list[Event]]]) -> list[Event]:
    """Return the first events of a node from how often its scopes run, and their first events."""
    runs = {how for how, _ in scopes} - {Runs.DEFERRED}
    starts = [start for how, start in scopes if how is not Runs.DEFERRED]
    if runs == {Runs.ONCE}:
        return [event for start in starts for event in start]
    if runs != {Runs.ONE_OF}:
        starts.append([])  # maybe none of them runs
    return reduce(_find_common, starts) if any(starts) else []


def _find_common(one: list[Event], other: list[Event]) -> list[Event]:
    """Return the events that happen whichever of two lists of events does."""
    found: list[Event] = []
    for (first, may_miss), (second, other_may_miss) in zip(one, other, strict=False):
        if first is not second:
            return [*found, _OTHER]
        found.append((first, may_miss or other_may_miss))
    rest = one[len(found) :] or other[len(found) :]
    found += [(node, True) for node, _ in rest[:1]]
    return [*found, _OTHER] if len(rest) > 1 else found


def _refusal(node: Node) -> PassError:
    return PassError(
        f"{describe(node)} may act, and is shared by a scope that may need it first, or not at "
        f"all; in front of that it would be evaluated at another time: bind it by a let where it "
        f"is to be evaluated"
    )
