"""docs/command_line.md, generated from what the command line declares: commands, options, codes."""

# ruff: noqa: SLF001 - argparse tells what it knows by private names only

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import Final

from relayish.cli.arguments import FRAME
from relayish.cli.commands import load_command
from relayish.cli.exit_codes import EXIT_CODES
from relayish.cli.json_form import render_schema
from relayish.cli.parser import build_parser
from tools.generated import ROOT, Generated

PAGE: Final = ROOT / "docs" / "command_line.md"

HEAD: Final = """\
# The command line

`relayish COMMAND ...`, or `python -m relayish COMMAND ...`. Every command has `--help`. This page
is written by `make generate` from what the commands declare.
[How to use what you wrote](how-to/load_your_own.md),
[how to optimise a model](how-to/optimise_a_model.md),
[how to compile a network](how-to/compile_a_network.md),
[how to drive passes](how-to/drive_passes.md) and
[how to find a faulty pass](how-to/find_a_faulty_pass.md) show commands at work.

"""

FAMILIES: Final = {
    "Models of ONNX": ("optimize", "compile", "tune", "show", "diff"),
    "Programs": ("opt", "drive", "print", "b2c", "check", "analyse", "bisect"),
    "What there is": ("passes", "domains", "completion", "stubs"),
}
"""By title: the commands of a kind; others come last."""


def page() -> str:
    """Return the text of the page."""
    commands = _commands()
    told = {name for names in FAMILIES.values() for name in names}
    families = {**FAMILIES, "Others": tuple(name for name in commands if name not in told)}
    parts = [HEAD, *_overview(commands, families), *_frame(commands), *_exit_codes()]
    parts += [section(name, commands[name]) for names in families.values() for name in names]
    return "\n".join("".join(parts).splitlines()) + "\n"


def section(name: str, command: argparse.ArgumentParser) -> str:
    """Return what is told of a command: what it does, what it takes."""
    lines = [f"\n## relayish {name}\n\n{_prose(command.description or '')}\n"]
    for group in command._action_groups:
        actions = [each for each in group._group_actions if _is_told(each)]
        if not actions or group.title == FRAME:
            continue
        title = (group.title or "").removeprefix("positional ").capitalize()
        about = f"{_prose(group.description)}\n\n" if group.description else ""
        lines.append(f"\n**{title}**\n\n{about}")
        lines += [f"* {_name(action)}: {_help(action)}.\n" for action in actions]
    lines += [f"\n{_exclusive(command)}"] if command._mutually_exclusive_groups else []
    if command.epilog:
        lines.append(f"\n{_prose(command.epilog)}\n")
    result = getattr(load_command(name), "RESULT", None)
    if result is not None:
        schema = render_schema(result, command.prog)
        lines.append(f"\n**JSON Schema of what `--json` prints**\n\n```json\n{schema}```\n")
    return "".join(lines)


def _commands() -> dict[str, argparse.ArgumentParser]:
    parser = build_parser()
    (found,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(found.choices)


def _overview(
    commands: dict[str, argparse.ArgumentParser], families: dict[str, tuple[str, ...]]
) -> Iterator[str]:
    """Yield a table of all commands, each with the first sentence about it."""
    yield "| | command | what it does |\n| --- | --- | --- |\n"
    for title, names in families.items():
        for number, name in enumerate(names):
            first = re.split(r"(?<=\.)\s", _prose(commands[name].description or ""))[0]
            kind = title if number == 0 else ""
            yield f"| {kind} | [`{name}`](#relayish-{name}) | {first} |\n"


def _frame(commands: dict[str, argparse.ArgumentParser]) -> Iterator[str]:
    """Yield the options that all commands take."""
    groups = next(iter(commands.values()))._action_groups
    (frame,) = (group for group in groups if group.title == FRAME)
    yield f"\n## {FRAME.capitalize()}\n\n"
    yield "They stand before the name of the command, or behind it.\n\n"
    for action in frame._group_actions:
        yield f"* {_name(action)}: {_help(action)}.\n"


def _exit_codes() -> Iterator[str]:
    """Yield the exit codes."""
    yield "\n## Exit codes\n\n| code | when |\n| --- | --- |\n"
    for code, when in EXIT_CODES.items():
        yield f"| {code} | {_prose(when)} |\n"


def _exclusive(command: argparse.ArgumentParser) -> str:
    groups = [
        " and ".join(_name(action) for action in group._group_actions)
        for group in command._mutually_exclusive_groups
    ]
    return f"Not together: {'; '.join(groups)}.\n"


def _is_told(action: argparse.Action) -> bool:
    return action.dest != "help" and action.help is not argparse.SUPPRESS


def _name(action: argparse.Action) -> str:
    """Return how an argument is written: its spellings, and what stands for its value."""
    value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    if action.choices is not None and not action.metavar:
        value = f"{{{','.join(map(str, action.choices))}}}"
    shown = value if isinstance(value, str) else " ".join(value)
    if not action.option_strings:
        return f"`{shown}`"
    spelt = ", ".join(f"`{option}`" for option in action.option_strings)
    return f"{spelt} `{shown}`" if shown and action.nargs != 0 else spelt


def _help(action: argparse.Action) -> str:
    formatted = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    return _prose(formatted).rstrip(".")


def _prose(text: str | None) -> str:
    """Return help as Markdown: in one paragraph, what is written with < or * as it is."""
    kept = " ".join((text or "").replace("``", "`").split())
    return re.sub(r"(?<!`)(<[^>`]+>)", r"`\1`", kept).replace("*", "\\*")


GENERATED = Generated(PAGE, page)
