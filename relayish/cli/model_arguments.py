"""Arguments of the commands over models of ONNX."""

from __future__ import annotations

import argparse
import math

from relayish.cli.arguments import (
    Commands,
    Parser,
    add_command,
    add_names,
    add_pipeline,
    parse_level,
)

_OPTIMIZE = """\
The result is written when it computes the same as the model, as far as random inputs show; if not,
nothing is written, the pass at fault is named, and the exit code is 1. Options with one dash are
those of drivers and of passes: -help lists the first, -PASS:help those of a pass.
"""


def add_model_commands(commands: Commands[Parser]) -> None:
    """Add ``optimize``, ``show`` and ``diff``."""
    _add_optimize(commands)
    _add_show(commands)
    _add_diff(commands)


def _add_optimize(commands: Commands[Parser]) -> None:
    summary = "make a model of ONNX smaller by named passes, and prove the result equal"
    optimize = add_command(commands, "optimize", summary, _OPTIMIZE)
    optimize.add_argument("file", nargs="?", metavar="MODEL", help="a model of ONNX")
    optimize.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="where to write the result, whole or not at all; if not given, only what would become "
        "of the model is told",
    )
    add_pipeline(optimize)
    add_names(
        optimize,
        "--input-shape",
        "give an input this shape, in the result as well",
        "NAME:SIZE,SIZE,...",
    )
    add_names(
        optimize,
        "--test-input-shape",
        "give an input this shape for verification alone; the result keeps its unknown sizes",
        "NAME:SIZE,SIZE,...",
    )
    add_names(
        optimize,
        "--input-data",
        "compare on these inputs in place of random ones: an .npz with an array for each, or a "
        "folder of input_0.pb, ... as onnx has them in test_data_set_0, or of such folders",
        "FILE",
    )
    optimize.add_argument(
        "--freeze-params",
        action="store_true",
        help="take initializers that are inputs as well for constants, which nobody replaces",
    )
    optimize.add_argument(
        "--verify",
        type=parse_level,
        default=3,
        metavar="N",
        help="compare on so many random inputs, 3 if not given; 0 for none",
    )
    optimize.add_argument(
        "--seed", type=parse_level, default=0, help="of the inputs that are drawn"
    )
    optimize.add_argument(
        "--tolerance",
        type=_tolerance,
        metavar="R",
        help="by how much an output may differ, in parts of its largest magnitude; if not given "
        "1e-4, or as much as the model itself changes it by rounding otherwise; more where "
        "numbers of 16 bits and fewer are on the way to it",
    )
    optimize.add_argument(
        "--force", action="store_true", help="write the result even if it is not equal"
    )
    optimize.add_argument("--json", action="store_true", help="tell the outcome as JSON")
    optimize.add_argument("--quiet", action="store_true", help="tell only what is wrong")


def _add_show(commands: Commands[Parser]) -> None:
    show = add_command(
        commands, "show", "tell what a model of ONNX is, as summary, text or picture"
    )
    show.add_argument("file", metavar="MODEL", help="a model of ONNX")
    form = show.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="print the model as a program")
    form.add_argument("--json", action="store_true", help="print the summary as JSON")
    form.add_argument("--svg", metavar="FILE", help="draw the graph as SVG")
    form.add_argument(
        "--html", metavar="FILE", help="write a page with the summary and the graph, in one file"
    )


def _add_diff(commands: Commands[Parser]) -> None:
    diff = add_command(
        commands, "diff", "tell how two models of ONNX, or two programs, differ; 1 if they do"
    )
    for name in ("before", "after"):
        diff.add_argument(name, metavar=name.upper(), help="a model of ONNX, or Relay text")
    diff.add_argument(
        "--allow-unknown-ops",
        action="store_true",
        help="read operators that are not declared as operators of which nothing is known",
    )


def _tolerance(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number from 0; found {text!r}")
    return found
