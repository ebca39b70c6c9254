"""Arguments of the commands over models of ONNX."""

from __future__ import annotations

import argparse
import math
from typing import Final

from relayish.cli import arguments

_OPTIMIZE: Final = """\
The result is written when it computes the same as the model, as far as random inputs show; if not,
nothing is written, the pass at fault is named, and the exit code is 1. Of several models each is
written into the folder by itself, a bad one does not keep the others, and what is there and right
is not done again; the exit code is the worst.
"""


def add_model_commands(commands: arguments.Commands[arguments.Parser]) -> None:
    """Add ``optimize``, ``compile``, ``tune``, ``show`` and ``diff``."""
    _add_optimize(commands)
    _add_compile(commands)
    _add_tune(commands)
    _add_show(commands)
    _add_diff(commands)


def _add_optimize(commands: arguments.Commands[arguments.Parser]) -> None:
    summary = "make a model of ONNX smaller by named passes, and prove the result equal"
    optimize = arguments.add_command(commands, "optimize", summary, _OPTIMIZE)
    what = (
        "models of ONNX, or programs that can be written as such; a folder stands for the *.onnx "
        "in it, at any depth; - for standard input"
    )
    optimize.add_argument("files", nargs="*", metavar="MODEL", help=what)
    _add_example(optimize)
    what = "; of several models a folder; if not given, only what would become of them is told"
    arguments.add_output(optimize, what)
    many = optimize.add_argument_group("several models")
    _add_executor(many, f"{_EXECUTORS}; workers need to see the files by the same names")
    arguments.add_report(arguments.add_pipeline(optimize))
    for option, what in _INPUTS.items():
        arguments.add_names(optimize, option, what, "NAME:SIZE,SIZE,...")
    arguments.add_names(optimize, "--input-data", _DATA, "FILE")
    what = "take initializers that are inputs as well for constants, which nobody replaces"
    arguments.add_flags(optimize, {"--freeze-params": what})
    _add_verification(optimize)
    arguments.add_flags(optimize, {"--force": "write the result even if it is not equal"})
    arguments.add_json(optimize, "tell the outcome as JSON")


def _add_verification(command: argparse.ArgumentParser) -> None:
    what = "compare on so many random inputs, 3 if not given; 0 for none"
    command.add_argument("--verify", type=arguments.parse_level, default=3, metavar="N", help=what)
    what = "of the inputs that are drawn"
    command.add_argument("--seed", type=arguments.parse_level, default=0, help=what)
    command.add_argument("--tolerance", type=_tolerance, metavar="R", help=_TOLERANCE)


def _add_executor(group: arguments.Group, who: str) -> None:
    what = "work on so many at once, each in a process of its own; 0 for one for each processor"
    group.add_argument("-j", "--jobs", type=arguments.parse_level, metavar="N", help=what)
    group.add_argument("--executor", metavar="EXECUTOR", help=who)


_EXECUTORS: Final = """\
who works on them: processes:N, threads:N, dask:ADDRESS of a scheduler, ray:ADDRESS"""


def _add_example(command: argparse.ArgumentParser) -> None:
    what = "take a small model that is installed with relayish, to try the command on"
    arguments.add_flags(command, {"--example": what})


def _add_compile(commands: arguments.Commands[arguments.Parser]) -> None:
    summary = "write a network as C, and prove that it computes the same"
    compile_ = arguments.add_command(commands, "compile", summary, _COMPILE)
    what = "a model of ONNX, Relay text, or a program in binary form; - for standard input"
    compile_.add_argument("file", metavar="FILE", help=what)
    arguments.add_unknown_ops(compile_)
    what = "the directory for the files; if not given, only what they would be is told"
    compile_.add_argument("-o", "--output", metavar="DIR", help=what)
    what = "c for a processor; cuda for a device of Nvidia's, also of functions of loops"
    compile_.add_argument("--target", choices=("c", "cuda"), default="c", help=what)
    what = "what files and names in C begin with, net if not given"
    compile_.add_argument("--name", default="net", help=what)
    what = "run passes of this level and below, 3 if not given"
    compile_.add_argument(
        "-O", "--opt-level", type=arguments.parse_level, default=3, metavar="LEVEL", help=what
    )
    arguments.add_names(
        compile_, "--input-shape", "give an input of a model this shape", "NAME:SIZE,SIZE,..."
    )
    what = "the largest size that there will be, of one that inputs tell, for --no-malloc"
    arguments.add_names(compile_, "--most", what, "NAME:SIZE")
    what = "write sources, loops as text, or a shared object with its header"
    compile_.add_argument("--emit", choices=("c", "loops", "so"), default="c", help=what)
    what = "where weights go; if not given, into the source up to a megabyte, else beside it"
    compile_.add_argument("--weights", choices=("c", "binary"), help=what)
    what = "what is done with loops: names of schedules, as NAME{option=value},NAME"
    compile_.add_argument("--schedules", metavar="SCHEDULES", help=what)
    what = "what relayish tune wrote: functions that it knows take the fastest steps it found"
    compile_.add_argument("--records", metavar="FILE", help=what)
    _add_verification(compile_)
    arguments.add_flags(compile_, _COMPILE_FLAGS)
    arguments.add_json(compile_, "tell the outcome as JSON")


def _add_tune(commands: arguments.Commands[arguments.Parser]) -> None:
    summary = "search for fast schedules of loops: a network's, or those in a file"
    tune = arguments.add_command(commands, "tune", summary, _TUNE)
    what = "a model of ONNX, Relay text, loops, or a program in binary form; - for standard input"
    tune.add_argument("file", metavar="FILE", help=what)
    arguments.add_unknown_ops(tune)
    what = "measure so many candidates in all, 64 if not given"
    tune.add_argument("--trials", type=arguments.parse_level, default=64, metavar="N", help=what)
    what = "add what is measured to this file, and leave out what it knows"
    tune.add_argument("--records", metavar="FILE", help=what)
    tune.add_argument("--function", metavar="NAME", help="tune this function of loops alone")
    arguments.add_names(
        tune, "--input-shape", "give an input of a model this shape", "NAME:SIZE,SIZE,..."
    )
    what = "run passes of this level and below before, 3 if not given, as relayish compile does"
    tune.add_argument(
        "-O", "--opt-level", type=arguments.parse_level, default=3, metavar="LEVEL", help=what
    )
    what = "of what is drawn: candidates and the memory they run on"
    tune.add_argument("--seed", type=arguments.parse_level, default=0, help=what)
    what = "seconds that compiling a candidate may take, and running it; 20 if not given"
    tune.add_argument("--limit", type=arguments.parse_level, default=20, metavar="N", help=what)
    _add_executor(tune, f"{_EXECUTORS}; those that share a cache disturb one another's times")
    what = "time candidates as relayish compile --exact compiles them"
    arguments.add_flags(tune, {"--exact": what})
    arguments.add_json(tune, "tell the outcome as JSON")


_TUNE: Final = """\
Each distinct function of loops is timed as it is, those that take most of the time have most of the
trials. A candidate counts when it computes the same, bit for bit, as the function that it is made
of. Ctrl-C keeps what was found, and the same command goes on from there.
"""


_COMPILE: Final = """\
Files are NAME.c, for CUDA NAME.cu, NAME.h, main.c, which runs the network on files of arrays, and
NAME.bin for large weights. They are written when the code computes the same as the network, as far
as random inputs show; if not, nothing is written, and the exit code is 1.
"""
_COMPILE_FLAGS: Final = {
    "--single-file": "write one file, with header, weights and main",
    "--no-malloc": "ask the system for no memory: all of it is static",
    "--exact": "add in order and round each product, as the interpreter does",
    "--time": "tell how long a run takes: compiled, by numpy, by onnxruntime if installed",
}

_INPUTS: Final = {
    "--input-shape": "give an input this shape, in the result as well",
    "--test-input-shape": "give an input this shape for verification alone; the result keeps its "
    "unknown sizes",
}
_DATA: Final = """\
compare on these inputs in place of random ones: an .npz with an array for each, or a folder of
input_0.pb, ... as ONNX has them in test_data_set_0, or of such folders
"""
_TOLERANCE: Final = """\
by how much an output may differ, in parts of its largest magnitude; if not given 1e-4, or as much
as the model itself changes it by rounding otherwise; more where numbers of 16 bits and fewer are on
the way to it
"""


def _add_show(commands: arguments.Commands[arguments.Parser]) -> None:
    summary = "show a model of ONNX or a program, as summary, text, picture or page"
    show = arguments.add_command(commands, "show", summary, _SHOW)
    arguments.add_programs(show, are_optional=True)
    _add_example(show)
    arguments.add_flags(show, _SHOWN)
    arguments.add_json(show, "print the summary as JSON; of several files a list")
    pictures = show.add_argument_group("pictures")
    for option, what in _PICTURES.items():
        pictures.add_argument(option, metavar="FILE", help=what)
    arguments.add_flags(pictures, {"--tree": "print the picture as a tree of text"})
    drawn = show.add_argument_group("what is drawn")
    what = "draw the program itself, who calls whom, program points, or what dominates these"
    graphs = ("program", "call", "flow", "dominators", "post-dominators")
    drawn.add_argument("--graph", choices=graphs, default="program", help=what)
    what = 'draw program points with what a data-flow analysis finds there: "liveness"'
    drawn.add_argument("--analysis", metavar="ANALYSIS", help=what)
    drawn.add_argument("--only", metavar="FUNCTION", help="draw this definition alone")
    what = "draw boxes for names with slashes, as /layer.3/attn has; pages have them anyway"
    arguments.add_flags(drawn, {"--scopes": what, "--work": _WORK})


_SHOW: Final = """\
Several forms may be asked for at once; a FILE that is - is standard output, and one that is a
directory holds the pictures of several files. Without any, a summary is printed.
"""
_WORK: Final = "draw into loops how often they run, and what they compute and touch"
_SHOWN: Final = {
    "--text": "print it as a program",
    "--roofline": "print what functions of loops can reach on this machine at best",
    "--metadata": "print in the text of a model documentation and metadata as well",
}
_PICTURES: Final = {
    "--svg": "draw it as SVG",
    "--dot": "draw it in the language of graphviz",
    "--html": "write a page to look at it: to search, fold and follow, with the summary",
}


def _add_diff(commands: arguments.Commands[arguments.Parser]) -> None:
    what = "tell how two models of ONNX, or two programs, differ; 1 if they do"
    diff = arguments.add_command(commands, "diff", what, _DIFF)
    for name in ("before", "after"):
        what = "a model of ONNX, or a program of any kind; - for standard input"
        diff.add_argument(name, metavar=name.upper(), help=what)
    arguments.add_unknown_ops(diff)
    arguments.add_flags(diff, _COMPARED)
    arguments.add_json(diff, "tell the difference as JSON")
    arguments.add_color(diff)


_DIFF: Final = """\
Two models are compared node by node, anything else as text. Constants are told by type, shape, a
digest and the largest difference; --quiet tells nothing, and leaves the exit code.
"""
_COMPARED: Final = {
    "--types": "compare inferred types as well, and what a model says of values within it",
    "--metadata": "compare documentation and metadata of a model as well",
    "--values": "tell constants and attributes in full, and each of them",
    "--names": "compare as well what nobody named: numbers of temporaries, values within a model",
}


def _tolerance(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number from 0; found {text!r}")
    return found
