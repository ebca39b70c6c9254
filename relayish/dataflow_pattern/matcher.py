"""Pattern matching: whether an expression matches a pattern, and what its parts match.

What remains to be matched is a linked list of goals; where there are several ways to go on, the
list stands on a stack together with how much had been bound by then. Nothing recurses, and no way
is gone twice: a pattern is left a second time only with other bindings of what it shares with the
pattern around it, and what an expression did not match once it is not compared with again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any, Final, TypeAlias

from relayish.dataflow_pattern.attributes import has_attributes
from relayish.dataflow_pattern.dominance import Dominance
from relayish.dataflow_pattern.failure import (
    ASTRAY,
    BOUND_OTHERWISE,
    FAILED_BEFORE,
    LEFT_BEFORE,
    NO_CALL,
    NO_CONSTANT,
    NO_PROJECTION,
    NO_VARIABLE,
    NOT_DEMANDED,
    OTHER_ATTRIBUTE,
    OTHER_CALLEE,
    OTHER_COUNT,
    OTHER_KIND,
    OTHER_LENGTH,
    OTHER_TYPE,
    OTHER_VALUE,
    Failed,
)
from relayish.dataflow_pattern.kinds import DEMANDS, Demand, is_same
from relayish.dataflow_pattern.node_pattern import NodePattern, fields_to_match
from relayish.dataflow_pattern.pattern import (
    STRUCTURAL,
    VERBS,
    AltPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    ShapePattern,
    TupleGetItemPattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
    expect_expr,
    is_operator,
)
from relayish.dataflow_pattern.pattern_analysis import Analysed
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Op, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, Type
from relayish.rewriting.rewrite import FACTS
from relayish.rewriting.rule import Facts

NodeMap: TypeAlias = Mapping[DFPattern, tuple[Expr, ...]]
"""The expressions that each part of a pattern matched: one, unless the part was on a path."""

Goal: TypeAlias = "tuple[Any, Expr, Goal | None]"  # Any: a pattern or a step between patterns


class Entered:
    """A pattern that was entered and can match in several ways.

    ``height`` is that of the stack of choices beneath it, ``outside`` what it shares with the
    pattern around it, ``left`` the bindings of these it was left with.
    """

    __slots__ = ("height", "key", "left", "outside")

    def __init__(self, key: object, outside: tuple[DFPattern, ...], height: int) -> None:
        self.key = key
        self.outside = outside
        self.height = height
        self.left: set[tuple[Expr | None, ...]] | None = None


class _Known:
    """A step that binds what a pattern was left with before, when it met the same expression.

    What else it binds is found when all the rest has matched.
    """

    __slots__ = ("bindings", "pattern")

    def __init__(
        self, pattern: DFPattern, bindings: tuple[tuple[DFPattern, Expr | None], ...]
    ) -> None:
        self.pattern = pattern
        self.bindings = bindings


class Guard:
    """A step that asks of an expression what a pattern does beside the pattern in it."""

    __slots__ = ("pattern",)

    def __init__(self, pattern: DFPattern) -> None:
        self.pattern = pattern


class Backward:
    """A step that looks for the parent of a dominator pattern whose child has matched."""

    __slots__ = ("pattern",)

    def __init__(self, pattern: DominatorPattern) -> None:
        self.pattern = pattern


class Matcher:
    """Matches one pattern with any expressions of one program.

    Args:
        pattern: The pattern.
        root: The program, within which parents are dominated.
        mod: Where the functions and types are that it names.
        types: What tells types, if it is to be shared.
    """

    def __init__(
        self,
        pattern: DFPattern | Analysed,
        root: Expr,
        mod: IRModule | None = None,
        types: Facts | None = None,
    ) -> None:
        self.analysed = pattern if isinstance(pattern, Analysed) else Analysed(pattern)
        if types is not None:
            self.types = types
        self.root = root
        self._mod = mod
        self._bound: dict[DFPattern, Expr] = {}
        self._repeated: dict[DFPattern, list[Expr]] = {}
        self._trail: list[DFPattern | None] = []  # None where something was postponed
        self._choices: list[tuple[Goal | None, int, Entered | None]] = []
        self._exits: dict[object, tuple[tuple[Expr | None, ...], ...]] = {}
        self._postponed: list[tuple[DFPattern, Expr]] = []
        self._anew: DFPattern | None = None  # not to be taken from what is known
        self._dominance: Dominance | None = None
        self._steps = _steps_for(self.analysed.kinds)
        self.steps = 0
        """How many goals were taken up so far."""

    @cached_property
    def types(self) -> Facts:
        """What tells types; made when it is first asked, for it may look at the whole program."""
        return FACTS[type(self.root)](self.root, self._mod)

    def match(self, expr: Expr) -> bool:
        """Return whether ``expr`` matches the pattern."""
        self._bound.clear()
        self._repeated.clear()
        self._trail.clear()
        self._choices.clear()
        self._postponed.clear()
        if not self._solve((self.analysed.root, expr, None)):
            return False
        while self._postponed:  # what is outside them is bound by now: they match in one way only
            pattern, held = self._postponed.pop()
            self._choices.clear()
            if pattern in self._bound:
                del self._bound[pattern]
            else:
                self._repeated[pattern].pop()
            self._anew = pattern
            again = self._solve((pattern, held, None))
            assert again, "what matched before matches again"
        return True

    def node_map(self) -> dict[DFPattern, tuple[Expr, ...]]:
        """Return what the parts of the pattern matched, the last time it did."""
        found: dict[DFPattern, tuple[Expr, ...]] = {
            pattern: (expr,) for pattern, expr in self._bound.items()
        }
        for pattern, exprs in self._repeated.items():
            if exprs:
                found[pattern] = tuple(exprs)
        return found

    def bindings(self) -> dict[DFPattern, Expr]:
        """Return what the parts that match one expression only matched, the last time."""
        return self._bound

    def _solve(self, first: Goal) -> bool:
        goal: Goal | None = first
        bound, trail, steps = self._bound, self._trail, self._steps
        repeatable = self.analysed.repeatable
        while goal is not None:
            self.steps += 1
            pattern, expr, rest = goal
            following: Goal | Failed | None
            held = bound.get(pattern)
            if held is not None:
                following = rest if held is expr or is_same(held, expr) else BOUND_OTHERWISE
            else:
                if isinstance(pattern, DFPattern):
                    trail.append(pattern)
                    if pattern in repeatable:
                        self._repeated.setdefault(pattern, []).append(expr)
                    else:
                        bound[pattern] = expr
                following = steps[type(pattern)](self, pattern, expr, rest)
            if isinstance(following, Failed):
                retry = self._retreat(goal, following)
                if retry is None:
                    return False
                following = retry
            goal = following
        return True

    def _retreat(self, goal: Goal, failed: Failed) -> Goal | None:  # noqa: ARG002 - for explain
        """Undo what was bound since the last choice; return what there is to try instead."""
        choices = self._choices
        while choices:
            instead, mark, entered = choices.pop()
            self._undo(mark)
            if instead is not None:
                return instead
            assert entered is not None
            self._exhaust(entered)
        self._undo(0)
        return None

    def _exhaust(self, entered: Entered) -> None:
        """Keep with which bindings a pattern was left, all ways through it having been gone."""
        self._exits[entered.key] = tuple(entered.left or ())

    def _undo(self, mark: int) -> None:
        trail, bound, repeated = self._trail, self._bound, self._repeated
        while len(trail) > mark:
            pattern = trail.pop()
            if pattern is None:
                self._postponed.pop()
            elif pattern in bound:
                del bound[pattern]
            else:
                repeated[pattern].pop()

    def recall(
        self, pattern: DFPattern, expr: Expr, rest: Goal | None
    ) -> tuple[Goal | Failed] | None:
        """Return what follows from what is known of a pattern that can match in several ways.

        ``None`` where nothing is known: then the pattern is entered.
        """
        outside = self.analysed.interface.get(pattern)
        if outside is None:
            return None
        key = self._key(pattern, expr, outside)
        exits = self._exits.get(key) if pattern is not self._anew else None
        self._anew = None
        if exits is None:
            return None
        if not exits:
            return (FAILED_BEFORE,)
        ways = [_Known(pattern, tuple(zip(outside, each, strict=True))) for each in exits]
        for way in ways[:0:-1]:
            self.choose((way, expr, rest))
        return ((ways[0], expr, rest),)

    def enter(self, pattern: DFPattern, expr: Expr, rest: Goal | None) -> Goal | None:
        """Return what is to follow ``pattern``, which can match ``expr`` in several ways.

        The mark of the choice is one below, for the pattern itself stays bound in all of them.
        """
        outside = self.analysed.interface.get(pattern)
        if outside is None:
            return rest
        entered = Entered(self._key(pattern, expr, outside), outside, len(self._choices))
        self._choices.append((None, len(self._trail), entered))
        return (entered, expr, rest)

    def _key(self, pattern: DFPattern, expr: Expr, outside: tuple[DFPattern, ...]) -> object:
        bound = self._bound
        return (pattern, expr, *[bound.get(each) for each in outside])

    def choose(self, instead: Goal | None) -> None:
        """Note what to try if what is tried first leads nowhere."""
        if instead is not None:
            self._choices.append((instead, len(self._trail), None))

    def go_known(self, step: _Known, expr: Expr, rest: Goal | None) -> Goal | Failed | None:
        """Bind what a pattern shares with those around it; leave the rest for later."""
        for pattern, held in step.bindings:
            if held is not None and pattern not in self._bound:
                self._bound[pattern] = held
                self._trail.append(pattern)
        self._postponed.append((step.pattern, expr))
        self._trail.append(None)
        return rest

    def leave(self, entered: Entered, rest: Goal | None) -> Goal | Failed | None:
        """Go on behind a pattern that has matched in one way.

        The other ways are forgotten where they would do just as well.
        """
        if not entered.outside:
            self._exits[entered.key] = ((),)
            del self._choices[entered.height :]
            return rest
        bound = self._bound
        with_these = tuple([bound.get(each) for each in entered.outside])
        if entered.left is None:
            entered.left = set()
        elif with_these in entered.left:
            return LEFT_BEFORE
        entered.left.add(with_these)
        return rest

    def dominance(self) -> Dominance:
        """Return what is known of the ways through the program."""
        if self._dominance is None:
            self._dominance = Dominance(self.root, self._make_independent)
        return self._dominance

    def _make_independent(self, pattern: DFPattern) -> Matcher:
        inner = Matcher(pattern, self.root, self._mod, self.types)
        inner._dominance = self._dominance
        return inner

    def go_back(
        self, pattern: DominatorPattern, expr: Expr, rest: Goal | None
    ) -> Goal | Failed | None:
        """Go on with the parent of ``pattern``, if the ways back from ``expr`` lead to one."""
        ways = self.dominance()
        parent = ways.parent(pattern, expr, self._bound.get(pattern.parent))
        if parent is None:
            return ASTRAY
        for node_map in ways.match_path(pattern, expr, parent):
            for each, exprs in node_map.items():
                for one in exprs:
                    self._trail.append(each)
                    self._repeated.setdefault(each, []).append(one)
        return (pattern.parent, parent, rest)


Following: TypeAlias = "Goal | Failed | None"


def _expr(_: Matcher, pattern: ExprPattern, expr: Expr, rest: Goal | None) -> Following:
    wanted = pattern.expr
    if wanted is expr:
        return rest
    if type(wanted) is not type(expr) or type(wanted) is Op:
        return OTHER_VALUE
    return rest if structural_equal(wanted, expr) else OTHER_VALUE


def _var(_: Matcher, pattern: VarPattern, expr: Expr, rest: Goal | None) -> Following:
    if type(expr) is Var and (not pattern.name or pattern.name == expr.name_hint):
        return rest
    return NO_VARIABLE


def _constant(_: Matcher, __: ConstantPattern, expr: Expr, rest: Goal | None) -> Following:
    return rest if type(expr) is Constant else NO_CONSTANT


def _wildcard(_: Matcher, pattern: WildcardPattern, expr: Expr, rest: Goal | None) -> Following:
    redirected = pattern.redirection.pattern
    return rest if redirected is None else (redirected, expr, rest)


def _alt(matcher: Matcher, pattern: AltPattern, expr: Expr, rest: Goal | None) -> Following:
    known = matcher.recall(pattern, expr, rest)
    if known is not None:
        return known[0]
    after = matcher.enter(pattern, expr, rest)
    matcher.choose((pattern.right, expr, after))
    return (pattern.left, expr, after)


def _call(matcher: Matcher, pattern: CallPattern, expr: Expr, rest: Goal | None) -> Following:
    if type(expr) is not Call:
        return NO_CALL
    op = expr.op
    if is_operator(pattern.op) and pattern.op.expr is not op:
        return _match_regrouped(matcher, pattern, expr, rest)
    if pattern.any_args:
        return (pattern.op, op, rest)
    if len(pattern.args) != len(expr.args):
        return OTHER_COUNT
    if type(op) is Op and op in matcher.analysed.commutes.get(pattern, ()):
        known = matcher.recall(pattern, expr, rest)
        if known is not None:
            return known[0]
        after = matcher.enter(pattern, expr, rest)
        first, second = expr.args
        left, right = pattern.args
        matcher.choose((pattern.op, op, (right, first, (left, second, after))))
        return (pattern.op, op, (left, first, (right, second, after)))
    for each, arg in zip(reversed(pattern.args), reversed(expr.args), strict=True):
        rest = (each, arg, rest)
    return (pattern.op, op, rest)


def _match_regrouped(
    matcher: Matcher, pattern: CallPattern, expr: Call, rest: Goal | None
) -> Following:
    """Match a product of a quotient with a quotient of a product, or the other way round."""
    fitting = [each for op, each in matcher.analysed.regroupings(pattern) if op is expr.op]
    if not fitting:
        return OTHER_CALLEE
    known = matcher.recall(pattern, expr, rest)
    if known is not None:
        return known[0]
    after = matcher.enter(pattern, expr, rest)
    for each in reversed(fitting[1:]):
        matcher.choose((each, expr, after))
    return (fitting[0], expr, after)


def _node(matcher: Matcher, pattern: DFPattern, expr: Any, rest: Goal | None) -> Following:
    kind, fields = fields_to_match(pattern)
    found: object = type(expr)
    if found is not kind:
        return OTHER_KIND
    if pattern in matcher.analysed.commutes:
        known = matcher.recall(pattern, expr, rest)
        if known is not None:
            return known[0]
        after = matcher.enter(pattern, expr, rest)
        (one, left), (other, right) = fields
        first, second = getattr(expr, one), getattr(expr, other)
        matcher.choose((right, first, (left, second, after)))
        return (left, first, (right, second, after))
    for name, inner in reversed(fields):
        held = getattr(expr, name)
        if isinstance(inner, DFPattern):
            rest = (inner, held, rest)
        elif len(inner) != len(held):
            return OTHER_LENGTH
        else:
            for pair in zip(reversed(inner), reversed(held), strict=True):
                rest = (*pair, rest)
    return rest


def _projection(
    _: Matcher, pattern: TupleGetItemPattern, expr: Expr, rest: Goal | None
) -> Following:
    if type(expr) is not TupleGetItem or pattern.index not in (None, -1, expr.index):
        return NO_PROJECTION
    return (pattern.tuple, expr.tuple_value, rest)


def _attr(_: Matcher, pattern: AttrPattern, expr: Expr, rest: Goal | None) -> Following:
    if not has_attributes(expr, pattern.attrs):
        return OTHER_ATTRIBUTE
    return (pattern.pattern, expr, rest)


def _type(_: Matcher, pattern: Any, expr: Expr, rest: Goal | None) -> Following:
    ty = getattr(expr, "checked_type", None)  # none in other languages
    if ty is not None:  # the type is there: ask it first
        holds = TYPE_TESTS[type(pattern)](pattern, ty)
        return (pattern.pattern, expr, rest) if holds else OTHER_TYPE
    return (pattern.pattern, expr, (Guard(pattern), expr, rest))


def _is_of_type(pattern: TypePattern, ty: Type) -> bool:
    return structural_equal(pattern.type, ty)


def _is_of_dtype(pattern: DataTypePattern, ty: Type) -> bool:
    return type(ty) is TensorType and ty.dtype == pattern.dtype


def _is_of_shape(pattern: ShapePattern, ty: Type) -> bool:
    if type(ty) is not TensorType or len(ty.shape) != len(pattern.shape):
        return False
    return structural_equal(TensorType(ty.shape, ty.dtype), TensorType(pattern.shape, ty.dtype))


TYPE_TESTS: Final[dict[type[DFPattern], Callable[[Any, Type], bool]]] = {  # Any: that kind
    TypePattern: _is_of_type,
    DataTypePattern: _is_of_dtype,
    ShapePattern: _is_of_shape,
}
"""What the kinds of patterns ask of the type of an expression."""


def _dominator(_: Matcher, pattern: DominatorPattern, expr: Expr, rest: Goal | None) -> Following:
    return (pattern.child, expr, (Backward(pattern), expr, rest))


def _step_back(matcher: Matcher, step: Backward, expr: Expr, rest: Goal | None) -> Following:
    return matcher.go_back(step.pattern, expr, rest)


def _step_known(matcher: Matcher, step: _Known, expr: Expr, rest: Goal | None) -> Following:
    return matcher.go_known(step, expr, rest)


def _guard(matcher: Matcher, step: Guard, expr: Expr, rest: Goal | None) -> Following:
    pattern = step.pattern
    if type(pattern) is AttrPattern:
        return rest if has_attributes(expr, pattern.attrs) else OTHER_ATTRIBUTE
    ty = matcher.types.of(expr)
    return rest if ty is not None and TYPE_TESTS[type(pattern)](pattern, ty) else OTHER_TYPE


def _leave(matcher: Matcher, entered: Entered, _: Expr, rest: Goal | None) -> Following:
    return matcher.leave(entered, rest)


def _make_demand_step(demand: Demand) -> Callable[..., Following]:
    """Return the step for patterns of a kind that another package declared."""

    def step(_: Matcher, pattern: DFPattern, expr: Expr, rest: Goal | None) -> Following:
        pairs = demand(pattern, expr)
        if pairs is None:
            return NOT_DEMANDED
        for each, held in reversed(pairs):
            rest = (each, held, rest)
        return rest

    return step


_STEPS: Final[dict[type, Callable[..., Following]]] = {
    ExprPattern: _expr,
    VarPattern: _var,
    ConstantPattern: _constant,
    WildcardPattern: _wildcard,
    AltPattern: _alt,
    CallPattern: _call,
    **dict.fromkeys((NodePattern, *STRUCTURAL), _node),
    TupleGetItemPattern: _projection,
    AttrPattern: _attr,
    **dict.fromkeys(TYPE_TESTS, _type),
    DominatorPattern: _dominator,
    Backward: _step_back,
    Guard: _guard,
    Entered: _leave,
    _Known: _step_known,
}
"""What goals lead to: patterns of the language, and what the matcher itself puts between them."""


def _steps_for(kinds: Collection[type[DFPattern]]) -> Mapping[type, Callable[..., Following]]:
    """Return what each kind of goal leads to where patterns are of ``kinds``."""
    others = [kind for kind in kinds if kind not in _STEPS]
    return (
        {**_STEPS, **{kind: _make_demand_step(DEMANDS[kind]) for kind in others}}
        if others
        else _STEPS
    )


def match(pattern: DFPattern, expr: Node, mod: IRModule | None = None) -> bool:
    """Return whether ``expr`` matches ``pattern``.

    Args:
        pattern: The pattern.
        expr: The expression, or a node of another language; what a parent dominates is looked for
            within it.
        mod: Where the functions and types are that it names.

    Raises:
        PassError: If ``expr`` is no node.

    Complexity:
        Bounded by the pattern, whatever its alternatives, as long as no expression has to be found
        for two parts of it at once by trial; no recursion.

    Source:
        Relay ``match``.

    Example:
        >>> from relayish.dataflow_pattern import is_op, is_constant, wildcard
        >>> from relayish import parse_expr
        >>> sum_ = parse_expr("free_var %x: float32; %x + 1f")
        >>> match(is_op("add")(is_constant(), wildcard()), sum_)
        True
    """
    root: Any = expr  # Any: of any language, or nothing to match
    if not isinstance(root, Node):
        expect_expr(root, "match")
    return Matcher(pattern, root, mod).match(root)


VERBS["match"] = match
