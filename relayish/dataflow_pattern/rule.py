"""Rules of patterns: what to put in the place of what matches one.

::

    x = wildcard()

    @rule(x + is_expr(const(0)))
    def add_zero(call, found):
        return found[x]

    rewrite_rules([add_zero], expr)

Which rules there are for a node is looked up by what it calls and by what its arguments call, so
rules that do not concern a node cost it nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish.dataflow_pattern.compiled import compile_attempt
from relayish.dataflow_pattern.matcher import Matcher
from relayish.dataflow_pattern.pattern import DFPattern, DominatorPattern, ExprPattern
from relayish.dataflow_pattern.pattern_analysis import Analysed
from relayish.dataflow_pattern.root_index import roots_of
from relayish.dataflow_pattern.shorthand import find_operator
from relayish.errors import DeclarationError, UnknownNameError
from relayish.ir.relay.expr import Expr, Op
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Type
from relayish.rewriting.rule import Action, Attempt, Key, Rule, check_keys, name_of


class Found(dict[DFPattern, Expr]):
    """What a rule is told of an expression that matched its pattern.

    ``found[part]`` is the expression that a part of the pattern stands for; ``part in found`` says
    whether it stands for any, which parts under ``|`` need not.

    Attributes:
        facts: What may be asked of the program.
    """

    __slots__ = ("facts",)

    facts: Any  # Any: those of the language

    def __missing__(self, pattern: DFPattern) -> Expr:
        if type(pattern) is ExprPattern and type(pattern.expr) is Op:
            return pattern.expr
        raise UnknownNameError(
            f"{pattern!r} stands for nothing here: it is no part of the pattern, or one under | "
            f"that was not taken; ask first whether it is in what was found"
        )

    @property
    def pre(self) -> Expr:
        """The expression as it was before anything below it was rewritten."""
        pre: Expr = self.facts.pre
        return pre

    @property
    def mod(self) -> IRModule | None:
        """The module the program belongs to."""
        mod: IRModule | None = self.facts.mod
        return mod

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type of an expression, also of one just made, or ``None`` if it is unknown.

        Complexity:
            Linear in what was not asked about before.
        """
        ty: Type | None = self.facts.of(expr)
        return ty

    def may_drop(self, expr: Expr) -> bool:
        """Return whether the program does not notice when ``expr`` is no longer evaluated."""
        may: bool = self.facts.may_drop(expr)
        return may


def rule(*what: DFPattern | str | Key, keeps_order: bool = False) -> Callable[[Action], Rule]:
    """Make the function below it a rule for what matches a pattern, or for calls of operators.

    The function is given the expression and what was :class:`Found`, and returns what takes the
    place of the expression: something of the same value and type, or the expression itself. It is
    called on expressions whose parts are rewritten already. A rule for operators is given the facts
    of the program in the place of what was found.

    Args:
        what: A pattern; or operators, by name (as in :func:`is_op`) or themselves, and kinds of
            nodes.
        keeps_order: See :class:`~relayish.rewriting.Rule`.

    Raises:
        DeclarationError: If the pattern has a dominator pattern in it, there is a second one, or
            nothing could be found by what is given.
        UnknownNameError: If no operator has such a name.

    Example:
        >>> from relayish import parse_expr
        >>> from relayish.dataflow_pattern import is_op, rewrite_rules, wildcard
        >>> x = wildcard()
        >>> @rule(is_op("negative")(is_op("negative")(x)))
        ... def double_negative(call: Call, found: Found) -> Expr:
        ...     return found[x]
        >>> before = parse_expr("free_var %y: int32; negative(negative(negative(%y)))")
        >>> rewrite_rules([double_negative], before).args[0].name_hint
        'y'
    """
    pattern = what[0] if len(what) == 1 and isinstance(what[0], DFPattern) else None
    keys: list[Any] = []  # Any: as Key
    if pattern is None:
        if any(isinstance(each, DFPattern) for each in what):
            raise DeclarationError(
                f"a rule has one pattern, or operators and kinds; found {len(what)} of both: join "
                f"patterns by |, as in is_op('exp') | is_op('log'), or make a rule of each"
            )
        keys = [find_operator(key) if isinstance(key, str) else key for key in what]
        check_keys(keys)

    def declare(action: Action) -> Rule:
        if pattern is not None:
            return _make_rule(pattern, action, keeps_order=keeps_order)
        return Rule(name_of(action), keys, action, keeps_order=keeps_order)

    return declare


def _make_rule(pattern: DFPattern, action: Action, *, keeps_order: bool) -> Rule:
    analysed = Analysed(pattern)
    if any(type(part) is DominatorPattern for part in analysed.order):
        raise DeclarationError(
            f"rule {name_of(action)} has a dominator pattern, which looks at the whole program; "
            f"rules look at one place: use a DFPatternCallback"
        )
    roots = roots_of(analysed)
    return Rule(
        name_of(action),
        None if roots is None else [root.key for root in roots],
        action,
        attempt=_make_attempt(analysed, action),
        keeps_order=keeps_order,
        pattern=pattern,
        roots=None if roots is None else tuple(roots),
    )


def _make_attempt(analysed: Analysed, action: Action) -> Attempt:
    """Return what asks the action about what matches."""
    compiled = compile_attempt(analysed, action, Found)
    if compiled is not None:
        return compiled

    def attempt(expr: Any, facts: Any) -> object:  # Any: an expression, the facts of its language
        matcher = facts.matchers.get(analysed)
        if matcher is None:
            matcher = facts.matchers[analysed] = Matcher(analysed, facts.root, facts.mod, facts)
        if not matcher.match(expr):
            return expr
        found = facts.found = Found(matcher.bindings())
        found.facts = facts
        return action(expr, found)

    return attempt
