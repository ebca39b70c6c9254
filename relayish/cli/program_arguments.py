"""Arguments of the commands over programs."""

from __future__ import annotations

import argparse
from typing import Any, Final

from relayish.cli import arguments


def add_program_commands(commands: arguments.Commands[arguments.Parser]) -> None:
    """Add the commands that read programs, or tell what may be done with them."""
    add_opt_arguments(arguments.add_command(commands, "opt", "run passes over a program", _OPT))
    what = "run passes over a program, by the words of AIR's drivers"
    words: dict[str, Any] = {"takes_words": True, "add_help": False, "allow_abbrev": False}
    arguments.add_command(commands, "drive", what, **words)
    passes = arguments.add_command(commands, "passes", "list the passes there are, or describe one")
    passes.add_argument("name", nargs="?", metavar="PASS", help="a pass to describe")
    what = "list instruments, which watch passes, or describe the one that is named"
    arguments.add_flags(passes, {"--instruments": what})
    arguments.add_json(passes, "tell them as JSON")
    domains = arguments.add_command(
        commands, "domains", "list the operators of all domains, or of one"
    )
    domains.add_argument("name", nargs="?", metavar="DOMAIN", help="a domain to list")
    arguments.add_json(domains, "tell them as JSON")
    _add_print(commands)
    b2c = arguments.add_command(commands, "b2c", "write a program of loops, or of core, as C")
    arguments.add_program(b2c)
    what = "where to write the source, whole or not at all; standard output if not given"
    b2c.add_argument("-o", "--output", metavar="OUT", help=what)
    check = arguments.add_command(
        commands, "check", "check that programs are well formed and well typed"
    )
    arguments.add_programs(check)
    arguments.add_flags(check, {"--no-types": "do not infer types"})
    arguments.add_json(check, "tell what was found as JSON; of several files a list")
    _add_analyse(commands)
    _add_bisect(commands)
    _add_completion(commands)
    _add_stubs(commands)


def _add_stubs(commands: arguments.Commands[arguments.Parser]) -> None:
    what = "write stubs, by which type checkers and editors know what packages declare"
    stubs = arguments.add_command(commands, "stubs", what, _STUBS)
    what = "a package, or a module, that declares operators, passes or kinds of nodes"
    stubs.add_argument("packages", nargs="+", metavar="PACKAGE", help=what)
    what = "the folder of stubs; typings if not given, where pyright looks"
    stubs.add_argument("-o", "--output", metavar="FOLDER", default="typings", help=what)
    what = "write beside each module that declares kinds a stub of it as well"
    arguments.add_flags(stubs, {"--kinds": what})


_STUBS: Final = """\
mypy looks into the folder where mypy_path says so. The stubs are of this release of relayish: write
them anew after another is installed.
"""


def _add_completion(commands: arguments.Commands[arguments.Parser]) -> None:
    what = "print what lets a shell complete commands, options and names"
    completion = arguments.add_command(commands, "completion", what, _COMPLETION)
    what = "bash, zsh or fish"
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help=what)
    completion.add_argument("--reply", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


_COMPLETION: Final = """\
In a start-up file: `source <(relayish completion bash)`, the same with zsh behind compinit, or
`relayish completion fish | source`.
"""


_OPT: Final = """\
A model of ONNX is taken as a program of the domain onnx, and nothing is proven of the result;
without -p the passes are those of relayish optimize. Any pass may run over it; what is left is
written as a model where OUT ends in .onnx and ONNX has all of it, and else as text.
"""


def add_opt_arguments(opt: argparse.ArgumentParser) -> None:
    """Add what ``relayish opt`` takes."""
    arguments.add_program(opt, is_optional=True)
    arguments.add_output(opt)
    what = "go on behind the pass of which the file tells that it is the result"
    arguments.add_flags(opt, {"--resume": what})
    watching = arguments.add_pipeline(opt)
    arguments.add_report(watching)
    for when in ("before", "after"):
        what = f"print the program {when} every pass, on standard error"
        arguments.add_flags(watching, {f"--print-ir-{when}-all": what})
        arguments.add_names(
            watching, f"--print-ir-{when}", f"print the program {when} this pass", "PASS"
        )
    arguments.add_flags(watching, _PRINTED)
    arguments.add_color(watching)
    what = "write the program after every pass to a file of its own in a new directory"
    watching.add_argument("--dump-ir", metavar="DIR", help=what)
    arguments.add_names(watching, "--verify", "check this as well after every pass", "CHECK")
    what = "tell why the passes of -p do not apply this rule, or what it replaces; write nothing"
    arguments.add_names(watching, "--why-not", what, "RULE")
    what = "tell as JSON which passes ran, how long, and what they left, in place of the result"
    arguments.add_json(opt, f"{what}, which -o writes")


_PRINTED: Final = {
    "--print-changed": "print the program only after passes that change it",
    "--diff": "print what each pass changes, line by line, on standard error",
    "--diff-types": "the same with inferred types, and passes that change only these",
    "--timing": "print how long passes took, on standard error",
}


def _add_print(commands: arguments.Commands[arguments.Parser]) -> None:
    show = arguments.add_command(commands, "print", "read programs and print them")
    arguments.add_programs(show)
    arguments.add_output(show)
    what = "how to print it: as text, or main and what it needs as Python on numpy"
    show.add_argument("--as", dest="as_", choices=("text", "python"), default="text", help=what)


def _add_analyse(commands: arguments.Commands[arguments.Parser]) -> None:
    what = "print a program with what data-flow analyses find around each line"
    analyse = arguments.add_command(commands, "analyse", what)
    arguments.add_program(analyse, is_optional=True)
    arguments.add_output(analyse)
    what = 'what to find: "liveness,intervals", with options as in "intervals{widen_after=5}"'
    analyse.add_argument("-a", "--analyses", metavar="ANALYSES", help=what)
    what = "analyse and print this function alone, not the module"
    analyse.add_argument("--function", metavar="NAME", help=what)
    arguments.add_flags(analyse, {"--list": "list the analyses there are"})
    what = "print program points in place of the program: a list of objects"
    arguments.add_json(analyse, what)


def _add_bisect(commands: arguments.Commands[arguments.Parser]) -> None:
    what = "find the pass of a pipeline that is at fault, and the least program"
    bisect = arguments.add_command(commands, "bisect", what)
    arguments.add_program(bisect)
    arguments.add_output(bisect)
    arguments.add_pipeline(bisect)
    what = "tell as JSON which pass is at fault, in place of the program, which -o writes"
    arguments.add_json(bisect, what)
    arguments.add_names(bisect, "--check", "a check that must hold after every pass", "CHECK")
    arguments.add_flags(bisect, {"--value": "what the program computes must stay the same"})
    bisect.add_argument("--entry", default="main", metavar="NAME", help="the function to compute")
    bisect.add_argument("--seed", type=int, default=0, help="of the arguments that are drawn")
    bisect.add_argument("--rtol", type=float, default=1e-5, help="relative error allowed")
    bisect.add_argument("--atol", type=float, default=1e-5, help="absolute error allowed")
    what = "a command that must leave with 0; {} stands for a file with the program"
    bisect.add_argument("--command", dest="command_line", metavar="CMD", help=what)
    bisect.add_argument("--timeout", type=float, metavar="SECONDS", help="for the command")
    what = "how many smaller programs to try; 0 for none"
    bisect.add_argument("--tries", type=arguments.parse_level, default=2000, help=what)
