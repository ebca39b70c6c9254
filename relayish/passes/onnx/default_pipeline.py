"""The passes that make a model of ONNX smaller, by level."""

from __future__ import annotations

from typing import Final

from relayish.errors import PassError
from relayish.pass_infra.composition.sequential import Sequential
from relayish.passes.relay.default_pipeline import DefaultPipeline

ONNX_PASSES: Final = (
    "SimplifyOnnx",  # nothing unused, constants folded and merged: equal nodes have equal operands
    "EliminateCommonSubexprOnnx",  # before fusion, which takes what has a single use
    "FuseGelu",  # before the numbers in it go into weights behind it
    "FuseLayerNormalization",  # before what scales and shifts behind it goes elsewhere
    "FuseHardSwish",  # before the scale in it goes into weights behind it
    "PushTranspose",  # what was apart may be fused then
    "OptimizeOnnx",  # fusion leaves no-ops and constants behind, and these stand in its way
    "CombineConstants",  # after fusion, which has better places for constants
    "EliminateCommonSubexprOnnx",  # what differed by what was removed since
    "MergeInitializers",  # and the constants that fusion made
    "DeclareOutputShapes",  # names of sizes that are known by now
)
"""All of them, in order; each runs from its own level on."""

LEVELS: Final = range(4)
"""What each level adds is what passes of that level do; 3 changes how results are rounded."""


def onnx_pipeline(opt_level: int = 2) -> Sequential:
    """Return the pipeline for models of ONNX up to a level.

    Args:
        opt_level: From 0 to 3.

    Raises:
        PassError: If there is no such level.

    Example:
        >>> onnx_pipeline(4)
        Traceback (most recent call last):
        ...
        relayish.errors.PassError: there is no pipeline for ONNX of level 4; levels are 0 to 3
    """
    if type(opt_level) is not int or opt_level not in LEVELS:
        raise PassError(
            f"there is no pipeline for ONNX of level {opt_level!r}; levels are {LEVELS[0]} to "
            f"{LEVELS[-1]}"
        )
    return DefaultPipeline(opt_level, ONNX_PASSES)
