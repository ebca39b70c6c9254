"""Commands over several files: each is told by its name, and a bad one does not keep the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from relayish.cli.files import STANDARD, show_name
from relayish.cli.json_form import render_json
from relayish.cli.report import describe_error, tell, tell_failure
from relayish.errors import OptionError


@dataclass(frozen=True, slots=True)
class FailedFile:
    """One of several files with which nothing could be done.

    Attributes:
        file: Its name.
        error: What is wrong.
    """

    file: str
    error: str


class Outcome(NamedTuple):
    """What came of one file.

    Attributes:
        code: The exit code.
        told: What JSON tells of it.
    """

    code: int = 0
    told: object = None


def run_each(
    files: Sequence[str],
    command: Callable[[str], Outcome],
    *,
    is_json: bool = False,
    has_traceback: bool = False,
) -> int:
    """Run a command on one file after the other, and return the worst of its exit codes.

    JSON is an object for one file, and for several a list of such, in their order, with a
    :class:`FailedFile` for one with an error, which is told on standard error as well.

    Args:
        files: The files; ``-`` stands there once.
        command: What it does with one.
        is_json: Whether what it tells is printed as JSON.
        has_traceback: Whether errors tell where they were raised.

    Raises:
        OptionError: If standard input is named twice.
        Exception: What the command raises for a single file.
    """
    check_once(files)
    if len(files) == 1:
        outcomes = [command(files[0])]
    else:
        outcomes = [_run_one(name, command, has_traceback) for name in files]
    if is_json:
        told = [outcome.told for outcome in outcomes]
        tell(render_json(told[0] if len(files) == 1 else told))
    return max([outcome.code for outcome in outcomes])


def check_once(files: Sequence[str]) -> None:
    """Check that standard input is read once.

    Raises:
        OptionError: If it is named twice.
    """
    if files.count(STANDARD) > 1:
        raise OptionError("standard input, -, is named twice, and there is only one; name it once")


def _run_one(name: str, command: Callable[[str], Outcome], has_traceback: bool) -> Outcome:
    try:
        return command(name)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - told, and by the exit code as well
        if show_name(name) not in str(error):
            error.add_note(f"in {show_name(name)}")
        code = tell_failure(error, has_traceback=has_traceback)
        return Outcome(code, FailedFile(name, describe_error(error)))
