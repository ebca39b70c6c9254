"""The passes that make a program smaller and faster whatever it will run on, by level.

They are those of Relay's compiler, in its order, without what depends on a target or a device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from relayish.errors import PassError
from relayish.pass_infra.base.context import PassContext
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.composition.register import register_pass
from relayish.pass_infra.composition.sequential import Sequential

DEFAULT_PASSES: Final = (
    "RemoveUnusedFunctions",
    "ToBasicBlockNormalForm",
    "SimplifyInference",
    "EliminateCommonSubexpr",
    "CombineParallelConv2D",
    "CombineParallelDense",
    "CombineParallelBatchMatmul",
    "FoldConstant",
    "FoldScaleAxis",
    "SimplifyExpr",
    "CanonicalizeCast",
    "CanonicalizeOps",
    "FlattenAtrousConv",
    "FastMath",
    "FoldConstant",
    "InferType",
)
"""All of them, in order; each runs from its own level on."""

LOOP_PASSES: Final = (
    "TransformPolyForToFor",
    "Simplify",
    "UnrollLoop",
    "VectorizeLoops",
    "RemoveNestedBlock",
    "CommonSubexprElimTIR",
    "Simplify",
)
"""The same for programs of loops alone: those of CINN's optimiser, in its order."""

LEVELS: Final = range(5)
"""What each level adds is what passes of that level do; 4 gives up some accuracy for speed."""


class DefaultPipeline(Sequential):
    """The default passes, run at a level of its own, whatever that of the context is.

    Everything else about the context counts: what it requires and disables, its options and
    instruments.
    """

    def __init__(self, opt_level: int, passes: tuple[str, ...] = DEFAULT_PASSES) -> None:
        super().__init__(passes, name=f"O{opt_level}")
        self.level = opt_level

    def context(self, ctx: PassContext) -> PassContext:
        return ctx.with_level(self.level)


def default_pipeline(opt_level: int = 2, passes: tuple[str, ...] = DEFAULT_PASSES) -> Sequential:
    """Return the pipeline of the default passes up to a level; in pipelines ``O0`` to ``O4``.

    Args:
        opt_level: From 0 to 4.
        passes: Those of Relay, or ``LOOP_PASSES``.

    Raises:
        PassError: If there is no such level.

    Source:
        Relay ``relay.build`` (``GetPassPrefix`` in ``src/relay/backend/utils.cc``).

    Example:
        >>> default_pipeline(7)
        Traceback (most recent call last):
        ...
        relayish.errors.PassError: there is no default pipeline of level 7; levels are 0 to 4
    """
    if type(opt_level) is not int or opt_level not in LEVELS:
        raise PassError(
            f"there is no default pipeline of level {opt_level!r}; levels are {LEVELS[0]} to "
            f"{LEVELS[-1]}"
        )
    return DefaultPipeline(opt_level, passes)


def _factory(level: int) -> Callable[[], Pass]:
    def build() -> Pass:
        return default_pipeline(level)

    build.__name__ = build.__qualname__ = f"O{level}"
    build.__doc__ = f"Return the pipeline of the default passes of level {level} and below."
    return build


for _level in LEVELS:
    register_pass(
        f"O{_level}",
        opt_level=0,
        description=f"Run the default passes of level {_level} and below.",
    )(_factory(_level))
