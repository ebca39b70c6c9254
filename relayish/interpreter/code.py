"""The instructions an expression is compiled to, and what holds them.

An activation of a function is a list, its *frame*: the frame of the enclosing activation at 0, a
further one out at 1 (so that any is reached in logarithmically many steps), then parameters,
constants and results. An instruction is a tuple whose first item says what it does.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

from relayish.ir.relay.expr import Expr, Function

(
    OP2,
    OP1,
    OPN,
    LOAD,
    BRANCH,
    RETURN,
    CALL,
    TAIL_CALL,
    CLOSURE,
    MOVE,
    JUMP,
    GLOBAL,
    TUPLE,
    PROJECT,
    GUARD,
    RESUME,
    MATCH,
    CONSTRUCT,
    REF_CREATE,
    REF_READ,
    REF_WRITE,
    EVALUATE,
    BEGIN,
    ADVANCE,
    FAIL,
) = range(25)

PARENT: Final = 0
"""Where a frame holds the frame of the enclosing activation."""
SKIP: Final = 1
"""Where a frame holds an activation further out."""
FIRST: Final = 2
"""Where a frame holds its first parameter."""


class Unset(Enum):
    """What stands in a frame where nothing has been computed yet."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET

Instruction = tuple[Any, ...]  # Any: an operation and its operands, by position


class Block:
    """Instructions run in sequence, and for each the expression it was made from."""

    __slots__ = ("exprs", "free", "instructions")

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.exprs: list[Expr] = []
        self.free: list[Any] = []  # Any: cells of the compiler
        """Places of the frame that the code emitted next may reuse."""


class Code:
    """A compiled function, or an expression or a scope as one.

    Attributes:
        template: What a new frame is copied from.
        arity: How many parameters it takes.
        depth: How many functions enclose it.
        skips: Whether ``SKIP`` of its frames is two skips out; else it is the parent.
    """

    __slots__ = ("arity", "block", "depth", "function", "skips", "template")

    def __init__(self, depth: int, function: Function | None, arity: int = 0) -> None:
        self.depth = depth
        self.function = function
        self.arity = arity if function is None else len(function.params)
        self.template: list[Any] = [None, None, *[UNSET] * self.arity]  # Any: values of a frame
        self.block = Block()
        self.skips = depth > 1 and skip_depth(depth) != depth - 1

    def make_slot(self) -> int:
        """Return a new place of the frame."""
        self.template.append(UNSET)
        return len(self.template) - 1


class ScopeCode(Code):
    """A compiled scope of a node with an evaluator; its parameters are the variables bound there.

    Attributes:
        binders: These variables.
        roots: What is evaluated; ``None`` until that is known.
        is_block: Whether the roots are statements.
        following: Another scope of the node that has the same roots.
    """

    __slots__ = ("binders", "following", "is_block", "roots")

    def __init__(self, depth: int, binders: tuple[Any, ...]) -> None:  # Any: variables of any kind
        super().__init__(depth, None, len(binders))
        self.binders = binders
        self.roots: tuple[Any, ...] | None = None  # Any: nodes of any family
        self.is_block = False
        self.following: ScopeCode | None = None

    def entry(self) -> ScopeCode:
        """Return this, or if it is taken code that runs in frames of the same shape."""
        if self.roots is None:
            return self
        made = ScopeCode(self.depth, self.binders)
        made.template = self.template
        return made


_SKIP_DEPTHS = [0]


def skip_depth(depth: int) -> int:
    """Return how deep the activation is that ``SKIP`` of one at ``depth`` leads to."""
    known = _SKIP_DEPTHS
    while len(known) <= depth:
        parent = len(known) - 1
        near = known[parent]
        far = known[near]
        known.append(far if parent - near == near - far else parent)
    return known[depth]


def path_between(inner: int, outer: int) -> tuple[int, ...]:
    """Return the frame places to follow from an activation at ``inner`` out to ``outer``.

    Complexity:
        Logarithmic in the difference, as is the length of the path.
    """
    steps = []
    while inner > outer:
        skip = skip_depth(inner)
        if skip >= outer:
            steps.append(SKIP)
            inner = skip
        else:
            steps.append(PARENT)
            inner -= 1
    return tuple(steps)
