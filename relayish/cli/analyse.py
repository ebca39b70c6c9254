"""``relayish analyse``: print a program with what data-flow analyses find around each line."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Final, TypedDict

from relayish.cli.lists import listed
from relayish.cli.passes import OptionDescription, spell_option
from relayish.cli.tables import Table, tell_parts


class PointStates(TypedDict):
    """A program point, and what analyses found there.

    Attributes:
        point: Its number.
        what: What stands there.
        before: What each analysis found before it, by its name, if it is reached.
        after: What each found after it.
    """

    point: int
    what: str
    before: dict[str, str]
    after: dict[str, str]


RESULT: Final = list[PointStates]
"""What ``--json`` prints."""


class AnalysisDescription(TypedDict):
    """An analysis that is registered.

    Attributes:
        name: As it is written behind ``-a``.
        direction: Whether its states flow with control or against it.
        description: One line.
        options: Its own options.
    """

    name: str
    direction: str
    description: str
    options: Sequence[OptionDescription]


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if not args.list:
        code: int = importlib.import_module("relayish.cli.states").print_states(args)
        return code
    parts = (table_of(listed("analyses")), _describe_common(listed("options of analyses")))
    if args.output is None:
        tell_parts(parts)
    else:
        files = importlib.import_module("relayish.cli.files")
        files.write_result("\n".join(map(str, parts)), args.output)
    return 0


def table_of(analyses: Sequence[AnalysisDescription]) -> Table:
    """Return a row for each analysis, with its options below."""
    rows = [
        (
            each["name"],
            each["direction"],
            "\n".join([each["description"], *map(spell_option, each["options"])]),
        )
        for each in analyses
    ]
    return Table(("NAME", "DIRECTION", "DESCRIPTION"), rows)


def _describe_common(options: Sequence[OptionDescription]) -> str:
    return f"all of them take {', '.join(map(spell_option, options))}\n"
