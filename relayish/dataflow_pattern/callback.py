"""Rewriting what matches a pattern, by a callback that sees all of the match.

A callback is given every match that can be replaced as a whole. What it returns is looked at
again, until nothing changes. Where a rewrite is local, a :func:`~relayish.dataflow_pattern.rule`
is faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn

from relayish.analysis.infer_type import infer_type
from relayish.dataflow_pattern.group import find_groups
from relayish.dataflow_pattern.matcher import NodeMap
from relayish.dataflow_pattern.pattern import DFPattern, expect_expr
from relayish.dataflow_pattern.pattern_analysis import Analysed
from relayish.errors import DeclarationError, PassError
from relayish.functor.notes import note_rewrite
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.kinds.one_line import one_line, show_found
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS

ROUNDS: Final = 100
"""How often a program is rewritten before callbacks are taken to be at odds with each other."""


class DFPatternCallback:
    """A pattern and what becomes of its matches; a subclass sets ``pattern`` and has ``callback``.

    Args:
        require_type: Types are inferred before each time the callback is applied.
        rewrite_once: The callback is applied once only, not until nothing changes.

    Source:
        Relay ``DFPatternCallback``.

    Example:
        >>> from relayish import Var, const
        >>> from relayish.dataflow_pattern import DFPatternCallback, wildcard
        >>> class Doubles(DFPatternCallback):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.x = wildcard()
        ...         self.pattern = self.x + self.x
        ...
        ...     def callback(self, pre, post, node_map):
        ...         return node_map[self.x][0] * const(2)
        >>> y = Var("y")
        >>> Doubles().rewrite(y + y).op.name
        'multiply'
    """

    pattern: DFPattern | None = None
    require_type: bool = False  # of the class as well, for subclasses that call no constructor
    rewrite_once: bool = False

    def __init__(self, require_type: bool = False, rewrite_once: bool = False) -> None:
        self.require_type = require_type
        self.rewrite_once = rewrite_once

    def rewrite(self, expr: Expr) -> Expr:
        """Return ``expr`` rewritten by this callback alone; see :func:`rewrite`."""
        return rewrite(self, expr)

    def callback(self, pre: Expr, post: Expr, node_map: NodeMap) -> Expr:  # noqa: ARG002
        """Return what takes the place of a match.

        Args:
            pre: The match as it was.
            post: The same over what has been rewritten below it.
            node_map: What each part of the pattern stands for, in ``post``: one expression, or
                all those that a path led over.
        """
        raise DeclarationError(
            f"{type(self).__name__} has no callback; "
            f"define callback(self, pre, post, node_map), which returns an expression"
        )


def rewrite(
    callbacks: DFPatternCallback | Sequence[DFPatternCallback],
    expr: Expr,
    mod: IRModule | None = None,
) -> Expr:
    """Return ``expr`` rewritten by ``callbacks``, in turn, until none changes anything.

    Matches that overlap, or parts of which are used elsewhere, cannot be replaced as wholes: of the
    first kind one is taken at a time, the second are left.

    Args:
        callbacks: One or several.
        expr: The program.
        mod: Where the functions and types are that it names.

    Returns:
        ``expr`` itself when nothing matched, or it was typed for a callback that left it so.

    Raises:
        DeclarationError: If something else is given than callbacks, or one has no pattern.
        PassError: If ``expr`` or what a callback returns is no expression, or ``expr`` still
            changes after 100 rounds.
        TypeInferenceError: If a callback requires types and there are none.

    Complexity:
        Linear for each round. Types are inferred only of what the round before changed.

    Source:
        Relay ``rewrite``.
    """
    expect_expr(expr, "rewrite")
    given = callbacks if isinstance(callbacks, Sequence) else (callbacks,)
    steps = [(each, Analysed(pattern_of(each))) for each in given]
    image, origin = expr, expr
    for turn in range(ROUNDS):
        before = image
        for callback, analysed in steps:
            if callback.rewrite_once and turn:
                continue
            if callback.require_type:
                typed = infer_type(image, mod)
                origin = typed if origin is image else origin
                before = typed if before is image else before
                image = typed
            image = _apply(callback, analysed, image, mod)
        if image is before or structural_equal(image, before):
            return expr if before is origin else before
        if all(callback.rewrite_once for callback, _ in steps):
            return image
    names = ", ".join(sorted({type(each).__name__ for each in given}))
    raise PassError(
        f"the program still changes after {ROUNDS} rounds of rewriting by {names}; "
        f"do callbacks undo one another, or match what they return? rewrite_once=True stops that"
    )


def pattern_of(callback: DFPatternCallback) -> DFPattern:
    """Return the pattern of a callback.

    Raises:
        DeclarationError: If it has none, or is no callback.
    """
    if not isinstance(callback, DFPatternCallback):
        raise DeclarationError(
            f"rewrite takes a DFPatternCallback or several; found {callback!r} "
            f"({type(callback).__name__}); a rule is applied by rewrite_rules"
        )
    if not isinstance(callback.pattern, DFPattern):
        raise DeclarationError(
            f"the pattern of {type(callback).__name__} is {callback.pattern!r}; "
            f"set self.pattern to a pattern in __init__"
        )
    return callback.pattern


def _apply(
    callback: DFPatternCallback, analysed: Analysed, expr: Expr, mod: IRModule | None
) -> Expr:
    groups = find_groups(analysed, expr, mod)
    if not groups:
        return expr
    memo: dict[Node, Any] = {}  # Any: the image of each node, of its family
    for node in EXPRESSIONS.post_order(expr):
        image = EXPRESSIONS.rebuild[type(node)](node, memo.get)
        group = groups.get(node) if isinstance(node, Expr) else None
        if group is not None:
            memo[node] = image
            node_map = {p: tuple([memo[e] for e in es]) for p, es in group.node_map.items()}
            image = replacement(callback, group.root, image, node_map)
        memo[node] = image
    found: Expr = memo[expr]
    return found


def replacement(callback: DFPatternCallback, pre: Expr, post: Expr, node_map: NodeMap) -> Expr:
    """Return what ``callback`` puts in the place of a match."""
    who = f"{type(callback).__name__}.callback"
    try:
        image: object = callback.callback(pre, post, node_map)
        return image if isinstance(image, Expr) else _refuse(who, image, post)
    except Exception as error:
        note_rewrite(error, post, pre, who)
        raise


def _refuse(who: str, image: object, post: Expr) -> NoReturn:
    """Raise for what ``who`` returned in the place of ``post``."""
    raise PassError(
        f"{who} returned {show_found(image)} for {one_line(post)}; "
        f"it must return an expression: post, to leave it"
    )
