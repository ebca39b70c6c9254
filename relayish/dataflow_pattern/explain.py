"""Explanation of a match: where a pattern matches, or how far the nearest match comes, and why.

The matcher is asked about every expression of a program, and keeps how much of the pattern had held
whenever a test failed. Of the nearest match it keeps, a second time, by which operands it came
there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

from relayish._support.graph import reachable
from relayish.dataflow_pattern.explanation import MOST_SHOWN, Explanation, Mismatch, Part
from relayish.dataflow_pattern.failure import (
    BOUND_OTHERWISE,
    FAILED_BEFORE,
    LEFT_BEFORE,
    Failed,
    Met,
)
from relayish.dataflow_pattern.matcher import Backward, Entered, Following, Goal, Guard, Matcher
from relayish.dataflow_pattern.node_pattern import NodePattern
from relayish.dataflow_pattern.pattern import (
    STRUCTURAL,
    VERBS,
    AltPattern,
    AttrPattern,
    CallPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ShapePattern,
    TupleGetItemPattern,
    TypePattern,
    WildcardPattern,
    children,
    expect_expr,
)
from relayish.ir.nodes.node import Node
from relayish.ir.relay.module import IRModule

_MOST_ARMS: Final = 24
_MOST_PARTS: Final = 8


def explain(pattern: DFPattern, expr: Node, mod: IRModule | None = None) -> Explanation:
    """Return where in ``expr`` a pattern matches, or where and why the nearest match ends.

    The nearest is the expression of which most parts of the pattern had held when one did not; of
    several, the first, users before what they use. Of the ways to match it, alternatives and either
    order of what commutes, the one that came furthest counts. Where the outermost operator of the
    pattern is missing, it is told which part of it matches.

    Args:
        pattern: The pattern.
        expr: The program.
        mod: Where the functions and types are that it names.

    Raises:
        PassError: If ``expr`` is no node.

    Complexity:
        As matching it with every node of the program; no recursion.

    Example:
        >>> import relayish as relay
        >>> from relayish.dataflow_pattern import is_constant, is_op, wildcard
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> pattern = is_op("nn.relu")(is_op("tanh")(wildcard()) + is_constant())
        >>> found = explain(pattern, relay.nn.relu(relay.const(1.0) + relay.exp(x)))
        >>> bool(found), found.mismatches[0].path
        (False, 'args[0].args[1]')
        >>> print(found)
        nn.relu(add(tanh(*), is_constant())) does not match
        nearest: nn.relu(add(1f, exp(%x))), of which 5 parts had matched
          at args[0].args[1]: expected a call of tanh; found exp(%x)
    """
    root: Any = expr  # Any: of any language, or nothing to match
    if not isinstance(root, Node):
        expect_expr(root, "explain")
    recorder = _Recorder(pattern, root, mod)
    nearest, score = root, (-1, 0)
    family = recorder.types.family
    for node in recorder.types.traversal.pre_order(root):
        if not isinstance(node, family):
            continue
        if recorder.match(node):
            if node is root:
                return Explanation(pattern, root, True, None, (), len(recorder.analysed.order))
            return _explain_failure(pattern, root, mod, root, node)
        furthest = recorder.furthest
        if _score_of(furthest) > score:
            nearest, score = node, _score_of(furthest)
    return _explain_failure(pattern, root, mod, nearest, None)


VERBS["explain"] = explain


def _explain_failure(
    pattern: DFPattern, root: Any, mod: IRModule | None, nearest: Any, matched: Any
) -> Explanation:  # Any: nodes of whatever language
    """Return why ``nearest`` does not match; ``matched`` is what does."""
    tracer = _Tracer(pattern, root, mod)
    again = tracer.match(nearest)
    assert not again, "what did not match before does not"
    mismatches, held = tuple(tracer.list_mismatches()), tracer.furthest.parts
    part = None if held or matched is not None else _find_part(pattern, root, mod)
    return Explanation(pattern, matched, False, nearest, mismatches, held, part)


def _find_part(pattern: DFPattern, root: Any, mod: IRModule | None) -> Part | None:  # Any: as above
    """Return the first part of a pattern that matches anything, of those that nodes have to be."""
    parts = [each for each in reachable([pattern], children)[1:] if type(each) in _NODES]
    for part in parts[:_MOST_PARTS]:
        matcher = _Recorder(part, root, mod)
        family, traversal = matcher.types.family, matcher.types.traversal
        nodes: list[Any] = [*traversal.pre_order(root)]  # Any: as above
        node = next((n for n in nodes if isinstance(n, family) and matcher.match(n)), None)
        if node is not None:
            users = (each for each in nodes if node in traversal.children(each))
            return Part(part, node, next(users, None))
    return None


_NODES: Final = (CallPattern, NodePattern, TupleGetItemPattern, *STRUCTURAL)
"""Patterns of nodes by what these are made of."""


_Key: TypeAlias = "tuple[object, object, int]"
"""Tells goals apart: the pattern or step, the node, and which goals follow."""


_NO_KEY: Final[_Key] = (None, None, 0)


def _key_of(goal: Goal) -> _Key:
    return goal[0], goal[1], id(goal[2])


class _Failure(NamedTuple):
    """A goal that failed.

    Attributes:
        parts: How many parts of the pattern had held, not counting wildcards and alternatives.
        failed: The test.
        goal: The pattern, or step, the node, and what was to follow.
        held: See :class:`~relayish.dataflow_pattern.failure.Met`.
        jumps: Where it is known from what failed before: the goals that were tried then, and those
            that stand for them now, the innermost first.
    """

    parts: int
    failed: Failed
    goal: Goal
    held: Any  # Any: a node of whatever language
    jumps: tuple[tuple[_Key, _Key], ...] = ()


def _test_last(
    _: Matcher, pattern: AttrPattern | TypePattern, expr: Any, rest: Goal | None
) -> Following:  # Any: a node of whatever language
    """Match what is inside a pattern before what that asks itself: so more of it may hold."""
    return (pattern.pattern, expr, (Guard(pattern), expr, rest))


_SAY_NOTHING: Final = (WildcardPattern, AltPattern)
_TESTED_LAST: Final = dict.fromkeys(
    (AttrPattern, TypePattern, DataTypePattern, ShapePattern), _test_last
)

_Step: TypeAlias = Callable[..., Following]


class _Recorder(Matcher):
    """A matcher that keeps how far it came."""

    def __init__(self, pattern: DFPattern, root: Any, mod: IRModule | None) -> None:  # Any: a node
        super().__init__(pattern, root, mod)
        self._steps: Mapping[type, _Step] = {**self._steps, **_TESTED_LAST}
        self._failures: list[_Failure] = []
        self._counts: list[int] = []
        self._begun: dict[Entered, tuple[int, int, _Key]] = {}
        self._inside: dict[object, tuple[_Failure, _Key]] = {}

    def match(self, expr: Any) -> bool:  # Any: a node of whatever language
        self._failures.clear()
        self._begun.clear()
        self._counts.clear()
        return super().match(expr)

    @property
    def furthest(self) -> _Failure:
        """The failure before which most had held, the last time."""
        return max(self._failures, key=_score_of)

    def _retreat(self, goal: Goal, failed: Failed) -> Goal | None:
        if failed is FAILED_BEFORE:
            self._note(self._recall_failure(goal), goal)
        elif failed is not LEFT_BEFORE:
            part = _part_of(goal)
            asked = part.parent if type(part) is DominatorPattern else part
            held = self._bound.get(asked)
            own = failed is not BOUND_OTHERWISE  # its part is on the trail already
            self._note(_Failure(self._count() - own, failed, goal, held), goal)
        instead = super()._retreat(goal, failed)
        del self._counts[len(self._trail) :]
        return instead

    def _count(self) -> int:
        """Return how many parts are matched by now that say something of what they match."""
        counts = self._counts
        for part in self._trail[len(counts) :]:
            is_one = part is not None and type(part) not in _SAY_NOTHING
            counts.append((counts[-1] if counts else 0) + is_one)
        return counts[-1]  # of the whole pattern at least

    def _recall_failure(self, goal: Goal) -> _Failure:
        """Return how far a pattern came that failed before."""
        part, expr, _ = goal
        inner, _ = self._inside[self._key(part, expr, self.analysed.interface[part])]
        return inner._replace(parts=self._count() + inner.parts)

    def _note(self, failure: _Failure, goal: Goal) -> None:  # noqa: ARG002 - for who traces it
        self._failures.append(failure)

    def enter(self, pattern: DFPattern, expr: Any, rest: Goal | None) -> Goal | None:
        after = super().enter(pattern, expr, rest)
        if after is not rest and after is not None:
            at = len(self._failures), self._count(), _key_of((pattern, expr, rest))
            self._begun[after[0]] = at
        return after

    def _exhaust(self, entered: Entered) -> None:
        super()._exhaust(entered)
        if entered.left:
            return
        begun, count, start = self._begun.pop(entered)
        furthest = max(self._failures[begun:], key=_score_of)
        self._failures[begun:] = [furthest]  # so that no failure is looked at again and again
        self._inside[entered.key] = furthest._replace(parts=furthest.parts - count), start


def _part_of(goal: Goal) -> DFPattern:
    """Return the part of the pattern that a goal is to match, or a step belongs to."""
    part: DFPattern = goal[0] if isinstance(goal[0], DFPattern) else goal[0].pattern
    return part


def _fields_of(expr: Node) -> list[tuple[str, Node]]:
    """Return the nodes that a node holds, each with where: ``"op"``, ``"args[0]"``."""
    found: list[tuple[str, Node]] = []
    for declared in type(expr).fields_:
        held = getattr(expr, declared.name)
        if isinstance(held, Node):
            found.append((declared.name, held))
        elif isinstance(held, tuple):
            inside = [(f"{declared.name}[{at}]", each) for at, each in enumerate(held)]
            found += [(name, each) for name, each in inside if isinstance(each, Node)]
    return found


def _score_of(failure: _Failure) -> tuple[int, int]:
    return failure.parts, failure.failed.rank


class _Tracer(_Recorder):
    """A recorder of one match, which keeps where each goal came from as well."""

    def __init__(self, pattern: DFPattern, root: Any, mod: IRModule | None) -> None:  # Any: a node
        super().__init__(pattern, root, mod)
        self._steps = {part: self._trace(step) for part, step in self._steps.items()}
        self._origins: dict[_Key, tuple[_Key | None, str]] = {}
        self._arms: dict[_Key, list[_Key]] = {}
        self._best: dict[_Key, _Failure] = {}
        self._alive: list[Goal] = []  # goals are told apart by what follows, while that is there
        self._at: Goal = (self.analysed.root, root, None)

    def match(self, expr: Any) -> bool:  # Any: a node of whatever language
        self._origins[_key_of((self.analysed.root, expr, None))] = None, ""
        return super().match(expr)

    def list_mismatches(self) -> list[Mismatch]:
        """Return where the match ended, and then where the other arms of alternatives did."""
        found: dict[tuple[str, str], Mismatch] = {}
        pending: deque[tuple[_Failure, _Key | None]] = deque([(self.furthest, None)])
        for _ in range(_MOST_ARMS):
            if not pending or len(found) > MOST_SHOWN:
                break
            failure, top = pending.popleft()
            labels: list[str] = []
            is_below = True
            for key, label, parent in self._climb(failure):
                labels.append(label)
                is_below = is_below and key != top
                others = self._arms.get(parent, ()) if is_below and parent is not None else ()
                arms = [each for each in others if each != key and each in self._best]
                pending += [(self._best[each], each) for each in arms]
            path = ".".join([each for each in labels[::-1] if each])
            part, node = _part_of(failure.goal), failure.goal[1]
            expected, shown = failure.failed.tell(Met(part, node, failure.held, self))
            known = found.get((path, shown))
            if known is not None:
                expected = f"{known.expected} or {expected}"
            found[path, shown] = Mismatch(path, part, node, expected, shown)
        return list(found.values())

    def _climb(self, failure: _Failure) -> Iterator[tuple[_Key, str, _Key | None]]:
        """Yield goals from a failure up to the root: each, by which field it came, and whence."""
        key: _Key | None = _key_of(failure.goal)
        jumps = iter((*failure.jumps, (_NO_KEY, _NO_KEY)))
        before, now = next(jumps)
        while key is not None:
            while key == before:
                key = now
                before, now = next(jumps)
            parent, label = self._origins[key]
            yield key, label, parent
            key = parent

    def _trace(self, step: _Step) -> _Step:
        def traced(matcher: Matcher, part: Any, expr: Any, rest: Goal | None) -> Following:
            # Any: a pattern or a step, a node of whatever language
            self._at = (part, expr, rest)
            following = step(matcher, part, expr, rest)
            if not isinstance(following, Failed):
                self._descend(following)
            return following

        return traced

    def choose(self, instead: Goal | None) -> None:
        super().choose(instead)
        self._descend(instead)

    def _descend(self, goal: Goal | None) -> None:
        """Keep that goals came from the one at hand, and by which fields of the node."""
        part, expr, rest = self._at
        parent, fields, place = _key_of(self._at), _fields_of(expr), 0
        while goal is not None and goal is not rest:
            _, node, following = goal
            key = _key_of(goal)
            if key not in self._origins:
                order = chain(range(place, len(fields)), range(place)) if node is not expr else ()
                at = next((each for each in order if fields[each][1] is node), None)
                elsewhere = "" if node is expr else "(parent)" if type(part) is Backward else "..."
                label = elsewhere if at is None else fields[at][0]
                place = place if at is None else at + 1
                self._origins[key] = parent, label
                self._alive.append(goal)
                if type(part) is AltPattern and isinstance(goal[0], DFPattern):
                    self._arms.setdefault(parent, []).append(key)
            goal = following

    def _recall_failure(self, goal: Goal) -> _Failure:
        found = super()._recall_failure(goal)
        _, start = self._inside[self._key(*goal[:2], self.analysed.interface[goal[0]])]
        return found._replace(jumps=(*found.jumps, (start, _key_of(goal))))

    def _note(self, failure: _Failure, goal: Goal) -> None:
        super()._note(failure, goal)
        key: _Key | None = _key_of(goal)
        while key is not None and key in self._origins:
            best = self._best.get(key)
            if best is not None and _score_of(best) >= _score_of(failure):
                return
            self._best[key] = failure
            key = self._origins[key][0]
