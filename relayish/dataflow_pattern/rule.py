"""Rules: a pattern, and what to put in the place of what matches it.

::

    x = wildcard()

    @rule(x + is_expr(const(0)))
    def add_zero(call, found):
        return found[x]

    rewrite_rules([add_zero], expr)

All rules of a set are applied in one walk over the program, children first, to each node until
none applies. What rules there are for a node is looked up by what it calls and by what its
arguments call, so rules that do not concern a node cost it nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn, TypeAlias

from relayish.analysis.effect_rules import effect_of_op
from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.dataflow_pattern.compiled import Specialised, specialise
from relayish.dataflow_pattern.matcher import Matcher
from relayish.dataflow_pattern.pattern import DFPattern, DominatorPattern, ExprPattern
from relayish.dataflow_pattern.pattern_analysis import Analysed
from relayish.dataflow_pattern.root_index import Key, Root, roots_of
from relayish.dataflow_pattern.types import Types
from relayish.errors import DeclarationError, PassError
from relayish.functor.notes import note_rewrite
from relayish.ir.node import ATOMS, Node
from relayish.ir.one_line import one_line, show_found
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from relayish.ir.scoping import has_scopes

CHAIN_LIMIT: Final = 100
"""How often rules may replace what stands at one place."""
_GROWTH_LIMIT: Final = 64
_GROWTH_START: Final = 10_000


class Found(dict[DFPattern, Expr]):
    """What a rule is told of an expression that matched its pattern.

    ``found[part]`` is the expression that a part of the pattern stands for; ``part in found`` says
    whether it stands for any, which parts under ``|`` need not.
    """

    __slots__ = ("mod", "pre", "types")

    pre: Expr
    """The expression as it was before anything below it was rewritten."""
    types: Types
    mod: IRModule | None
    """The module the program belongs to."""

    def __missing__(self, pattern: DFPattern) -> Expr:
        if type(pattern) is ExprPattern and type(pattern.expr) is Op:
            return pattern.expr
        raise KeyError(pattern)

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type of an expression, also of one just made, or ``None`` if it is unknown.

        Complexity:
            Linear in what was not asked about before.
        """
        return self.types.of(expr)

    def may_drop(self, expr: Expr) -> bool:
        """Return whether the program does not notice when ``expr`` is no longer evaluated."""
        return self.types.transparency.holds_for(expr)


Action: TypeAlias = Callable[[Any, Found], Expr]  # Any: the kind of expression the pattern matches
"""``action(expr, found)``: what takes the place of ``expr``; ``expr`` itself to leave it."""


class Rule:
    """A pattern and what to do with what matches it; made by :func:`rule`."""

    def __init__(
        self, pattern: DFPattern, action: Action, name: str, *, keeps_order: bool = False
    ) -> None:
        analysed = Analysed(pattern)
        if any(type(part) is DominatorPattern for part in analysed.order):
            raise DeclarationError(
                f"rule {name} has a dominator pattern, which looks at the whole program; "
                f"rules look at one place: use a DFPatternCallback"
            )
        self.pattern = pattern
        self.action = action
        self.name = name
        self.keeps_order = keeps_order
        self.analysed = analysed
        self.specialised = specialise(analysed)
        self.roots = roots_of(analysed)
        self.__doc__ = action.__doc__

    def __call__(self, expr: Expr, found: Found) -> Expr:
        """Return what the rule puts in the place of ``expr``."""
        return self.action(expr, found)

    def __repr__(self) -> str:
        return f"<Rule {self.name}: {self.pattern}>"


def rule(pattern: DFPattern, *, keeps_order: bool = False) -> Callable[[Action], Rule]:
    """Make the function below it a rule for what matches ``pattern``.

    The function is given the expression and what was :class:`Found`, and returns what takes the
    place of the expression: something of the same value and type, or the expression itself. It is
    called on expressions whose parts are rewritten already.

    Args:
        pattern: What the rule is for.
        keeps_order: The rule sees itself to it that what acts still does, in the order it did; what
            the state of an operator it drops is good for, it knows. Nobody else looks then.

    Raises:
        DeclarationError: If the pattern has a dominator pattern in it.

    Example:
        >>> from relayish.dataflow_pattern import is_op, wildcard
        >>> from relayish import parse_expr
        >>> x = wildcard()
        >>> @rule(is_op("negative")(is_op("negative")(x)))
        ... def double_negative(call: Call, found: Found) -> Expr:
        ...     return found[x]
        >>> before = parse_expr("free_var %y: int32; negative(negative(negative(%y)))")
        >>> rewrite_rules([double_negative], before).args[0].name_hint
        'y'
    """

    def declare(action: Action) -> Rule:
        return Rule(pattern, action, action.__name__, keeps_order=keeps_order)

    return declare


class RuleSet:
    """Rules that are applied together; those given first are tried first.

    Args:
        rules: The rules; a set may be among them.
    """

    def __init__(self, rules: Iterable[Rule | RuleSet]) -> None:
        self.rules: tuple[Rule, ...] = tuple(_flatten(rules))
        self._calls: dict[Op, _ByArguments | None] = {}
        self._kinds: dict[type[Node], tuple[Rule, ...]] = {}

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def rewrite(self, expr: Expr, mod: IRModule | None = None, *, keep_order: bool = False) -> Expr:
        """Return ``expr`` with the rules applied until none applies; see :func:`rewrite_rules`."""
        return _Rewriting(self, expr, mod, keep_order=keep_order).run()

    def for_calls(self, op: Op) -> _ByArguments | None:
        """Return the rules for calls of ``op``, by their arguments; ``None`` if there are none."""
        if op not in self._calls:
            rules = self._select_for_key(op)
            self._calls[op] = _ByArguments(rules, op) if rules else None
        return self._calls[op]

    def for_kind(self, kind: type[Node]) -> tuple[Rule, ...]:
        """Return the rules for expressions of a kind: for ``Call``, calls of no operator."""
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds[kind] = self._select_for_key(kind)
        return found

    def _select_for_key(self, key: Key) -> tuple[Rule, ...]:
        return tuple(r for r in self.rules if r.roots is None or _begins(r.roots, key))


class _ByArguments(dict["tuple[Expr | type[Node], ...]", "tuple[Rule, ...]"]):
    """The rules for calls of one operator, by what arguments call, or their kinds."""

    def __init__(self, rules: tuple[Rule, ...], op: Op) -> None:
        super().__init__()
        self._rules = rules
        self._op = op

    def __missing__(self, args: tuple[Expr | type[Node], ...]) -> tuple[Rule, ...]:
        known: tuple[Key, ...] = tuple(
            [key if isinstance(key, (type, Op)) else Call for key in args]
        )
        if known != args:  # a call of no operator: what it calls is one of many
            return self[known]
        op = self._op
        found = self[args] = tuple(
            r
            for r in self._rules
            if r.roots is None or any(root.key is op and root.admits(known) for root in r.roots)
        )
        return found


def _flatten(rules: Iterable[Rule | RuleSet]) -> Iterator[Rule]:
    for each in rules:
        if isinstance(each, RuleSet):
            yield from each.rules
        else:
            yield _check(each)


def _check(each: object) -> Rule:
    if isinstance(each, Rule):
        return each
    raise DeclarationError(f"expected a rule; found {each!r}; decorate it with @rule(...)")


def _refuse(rule: Rule, out: object, image: Expr) -> NoReturn:
    """Raise for what ``rule`` returned in the place of ``image``."""
    raise PassError(
        f"rule {rule.name} returned {show_found(out)} for {one_line(image)}; it must return an "
        f"expression, the one it was given to leave that as it is"
    )


def _begins(roots: list[Root], key: Key) -> bool:
    return any(root.key is key for root in roots)


def _computes(node: Node) -> bool:
    """Return whether ``node`` does nothing but compute a value from its operands."""
    if type(node) is Call:
        return type(node.op) is Op and not effect_of_op(node.op)
    kind, traits = type(node), node.traits_
    is_atom_or_scoped = kind in ATOMS or has_scopes(kind)
    return traits.is_pure and not traits.allocates and not is_atom_or_scoped


class _Rewriting:
    """One walk of a set of rules over one program."""

    def __init__(
        self, rules: RuleSet, root: Expr, mod: IRModule | None, *, keep_order: bool
    ) -> None:
        self._keep_order = keep_order
        self._may_act = False  # whether anything walked so far may act
        self._rules = rules
        self._root = root
        self._mod = mod
        self._types = Types(root, mod)
        self._memo: dict[Node, Node] = {}
        self._chain: dict[Expr, tuple[int, str]] = {}
        self._matchers: dict[Rule, Specialised] = {}
        self._applied = 0

    def run(self) -> Expr:  # noqa: PLR0915 - one loop, spelt out for speed
        """Return what becomes of the program."""
        memo, push_of = self._memo, EXPRESSIONS.push
        rebuild_of: Mapping[type[Node], Any] = EXPRESSIONS.rebuild  # Any: of each kind its own
        calls: dict[Expr, _ByArguments | None] = {}
        kinds: dict[type[Node], tuple[Rule, ...]] = {}
        for_calls, for_kind = self._rules.for_calls, self._rules.for_kind
        get = memo.get
        # On the stack are nodes to enter; a node with None above it when all below it is done; and
        # so a pair of a node and what replaced it.
        stack: list[Any] = [self._root]  # Any: as said
        pop, append = stack.pop, stack.append
        while stack:
            node = pop()
            if node is not None:
                if node in memo:
                    continue
                push = push_of[type(node)]
                if push is not None:
                    append(node)
                    append(None)
                    push(node, memo, append)
                elif not (rules := for_kind(type(node))) or not self._apply(
                    rules, node, node, stack
                ):
                    memo[node] = node
                continue
            node = pop()
            if type(node) is tuple:
                self._settle(*node)
                continue
            image = rebuild_of[type(node)](node, get)
            if type(image) is Call:
                op = image.op
                if op not in calls:
                    calls[op] = for_calls(op) if type(op) is Op else None
                    self._may_act = self._may_act or type(op) is not Op or effect_of_op(op) != 0
                by_arguments = calls[op]
                if by_arguments is not None:
                    args = image.args
                    if len(args) == 2:
                        left, right = args
                        rules = by_arguments[
                            left.op if type(left) is Call else type(left),
                            right.op if type(right) is Call else type(right),
                        ]
                    else:
                        rules = by_arguments[
                            tuple([a.op if type(a) is Call else type(a) for a in args])
                        ]
                else:
                    rules = () if type(op) is Op else for_kind(Call)
            else:
                kind = type(image)
                if kind not in kinds:
                    kinds[kind] = self._rules_for(kind)
                rules = kinds[kind]
            if rules and self._apply(rules, node, image, stack):
                continue
            memo[node] = image
            if image is not node:
                memo[image] = image
                if isinstance(node, Expr) and node.checked_type is not None:
                    self._types.tell(image, node.checked_type)
        out = memo[self._root]
        assert isinstance(out, Expr)
        return out

    def _rules_for(self, kind: type[Node]) -> tuple[Rule, ...]:
        """Return the rules for nodes of a kind, the first of which was come upon."""
        if kind.traits_.effect or kind.traits_.allocates:
            self._may_act = True
        return self._rules.for_kind(kind) if issubclass(kind, Expr) else ()

    def _note_change(self, node: Node, image: Node) -> None:
        self._memo[image] = image
        if isinstance(node, Expr) and node.checked_type is not None and isinstance(image, Expr):
            self._types.tell(image, node.checked_type)

    def _settle(self, node: Expr, replacement: Expr) -> None:
        """Let ``node`` become what its replacement became."""
        image = self._memo[node] = self._memo[replacement]
        if image is not node:
            self._note_change(node, image)

    def _apply(
        self,
        rules: tuple[Rule, ...],
        node: Expr,
        image: Expr,
        stack: list[Any],  # Any: see run
    ) -> bool:
        """Return whether a rule replaced ``image``; if so, what it returned is to be walked."""
        memo, types, matchers = self._memo, self._types, self._matchers
        if image is not node and node.checked_type is not None:
            types.tell(image, node.checked_type)
        for each in rules:
            found = Found()
            matches = each.specialised or matchers.get(each) or self._matcher(each)
            if not matches(image, found, types):
                continue
            found.pre, found.types, found.mod = node, types, self._mod
            try:
                out: object = each.action(image, found)
                if out is image:
                    continue
                if not isinstance(out, Expr):
                    _refuse(each, out, image)
            except Exception as error:
                note_rewrite(error, image, node, f"rule {each.name}")
                raise
            asked = self._may_act and self._keep_order and not each.keeps_order
            if asked and not self._keeps_order(image, out, found):
                continue
            done = memo.get(out)
            if done is not None:  # something walked before
                memo[node] = done
                return True
            self._count(each, node, out)
            memo[image] = image  # where the rule keeps what it was given, it stays
            stack += ((node, out), None, out)
            return True
        return False

    def _keeps_order(self, before: Expr, after: Expr, found: Found) -> bool:
        """Return whether ``after`` evaluates what acts in ``before`` just as that does."""
        matched = {before, *found.values()}
        seen = EXPRESSIONS.post_order(before, lambda node: node in matched and _computes(node))
        operands = [
            node
            for node in seen
            if isinstance(node, Expr) and not (node in matched and _computes(node))
        ]
        return EvaluationOrder(self._types.transparency).is_kept(before, after, operands)

    def _matcher(self, rule: Rule) -> Specialised:
        """Return what matches the pattern of ``rule``, the first time it is asked for."""
        matcher = Matcher(rule.analysed, self._root, self._mod, self._types)

        def matches(expr: Expr, bound: dict[DFPattern, Expr], _: Types) -> bool:
            if not matcher.match(expr):
                return False
            bound.update(matcher.bindings())
            return True

        self._matchers[rule] = matches
        return matches

    def _count(self, rule: Rule, node: Expr, out: Expr) -> None:
        """Keep count of replacements, so that rules that undo one another come to an end."""
        length, before = self._chain.pop(node, (0, ""))
        self._chain[out] = (length + 1, rule.name)
        self._applied += 1
        if length >= CHAIN_LIMIT:
            raise PassError(
                f"{length} rules in a row replaced what stands at one place, {before} and then "
                f"{rule.name} the last of them; do they undo one another? now it is {out!r}"
            )
        if self._applied > _GROWTH_START and self._applied > _GROWTH_LIMIT * self._size():
            raise PassError(
                f"{self._applied} replacements were made in a program of {self._size()} nodes, "
                f"the last by rule {rule.name}; does it make more of what it matches?"
            )

    def _size(self) -> int:
        if self._nodes is None:
            self._nodes = len(EXPRESSIONS.post_order(self._root))
        return self._nodes

    _nodes: int | None = None


def rewrite_rules(
    rules: RuleSet | Iterable[Rule | RuleSet],
    expr: Expr,
    mod: IRModule | None = None,
    *,
    keep_order: bool = False,
) -> Expr:
    """Return ``expr`` with the rules applied, children first, to each node until none applies.

    What a rule returns is walked as well, as far as it is new; an expression that a rule puts into
    its own replacement stays as it is there.

    Args:
        rules: The rules, or a :class:`RuleSet`, which keeps what it finds out about them.
        expr: The program; its types, where it has them, are told to rules that ask.
        mod: The module it belongs to.
        keep_order: Apply a rule only where what acts stays, and acts in the order it did; otherwise
            rules have to see to that.

    Returns:
        ``expr`` itself when no rule replaced anything. Otherwise what changed carries no types.

    Raises:
        PassError: If rules replace one another's results without end, or one returns no expression.

    Complexity:
        Linear in the number of distinct nodes and of replacements; no recursion.
    """
    given = rules if isinstance(rules, RuleSet) else RuleSet(rules)
    return given.rewrite(expr, mod, keep_order=keep_order)
