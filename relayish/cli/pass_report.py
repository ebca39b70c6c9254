"""``--report``: a page of what each pass did, written also where a pass raises."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from relayish._support.files import check_writable
from relayish.cli.pipeline_options import Around
from relayish.errors import OptionError
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.base.pass_class import Pass

_SUFFIX: Final = ".html"
_RECORDING: Final = "relayish.draw.report.recording"


def check_report(args: argparse.Namespace) -> None:
    """Find what is wrong with the option before anything is done.

    Raises:
        OptionError: If the file is to be none of HTML, or its directory is not there.
    """
    if args.report is None:
        return
    path = Path(args.report)
    if path.suffix.lower() != _SUFFIX:
        raise OptionError(f"--report {args.report}: a report is a page; write a name in {_SUFFIX}")
    if not path.absolute().parent.is_dir():
        raise OptionError(
            f"--report {args.report}: there is no directory {str(path.absolute().parent)!r}"
        )
    check_writable(path)


class Recorded(NamedTuple):
    """What a command has to do with a report.

    Attributes:
        around: Puts what records around the instruments of the context.
        notes: What is to be told of the whole, added by the command.
    """

    around: Around
    notes: list[str]


@contextmanager
def recorded(args: argparse.Namespace, pipeline: Pass, mod: IRModule) -> Iterator[Recorded]:
    """Write the page behind the block, if one is asked for; what the block raises goes on.

    Args:
        args: Of the command.
        pipeline: What the block runs, in a context with the instruments that are put around others.
        mod: What it runs that on.
    """
    if args.report is None:
        yield Recorded(tuple, [])
        return
    # imported when asked for: it loads all that makes pages
    recorder = importlib.import_module(_RECORDING).Recorder(pipeline, mod, title=args.file)
    try:
        with recorder.recording():
            yield Recorded(recorder.around, recorder.notes)
    except Exception as error:
        recorder.error = error
        raise
    finally:
        recorder.report().save(args.report)
