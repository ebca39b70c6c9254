"""Workers as the command line names them: by ``-j``, or by ``--executor``."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator

from relayish.errors import OptionError
from relayish.parallel.engines import Workers, find_engine


def executor_of(args: argparse.Namespace) -> str:
    """Return the name of who works: if nobody says it, one process.

    Raises:
        OptionError: If both options are given.
        ParallelError: If there is no such executor.
    """
    if args.jobs is not None and args.executor is not None:
        raise OptionError("-j says how many processes there are, --executor who works; write one")
    name = "processes:1"
    if args.executor is not None:
        name = str(args.executor)
    elif args.jobs is not None:
        name = f"processes:{args.jobs}" if args.jobs else "processes"
    find_engine(name)
    return name


@contextlib.contextmanager
def opened(name: str) -> Iterator[Workers]:
    """Yield what several runs may be given one after the other: processes are started once.

    Where the block is left by an error, as Ctrl-C raises, they are ended whatever they do.
    """
    if not name.startswith("processes"):
        yield name  # who is there already is connected to again
        return
    engine = find_engine(name)()
    is_done = False
    try:
        yield engine.executor
        is_done = True
    finally:
        engine.close(is_done=is_done)
