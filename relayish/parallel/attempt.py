"""Attempts at items, in workers: what is raised becomes something that can be sent back."""

from __future__ import annotations

import os
import pickle
import socket
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from relayish.errors import ParallelError, add_note, notes_of
from relayish.parallel.sharing import open_shared


class Attempt(NamedTuple):
    """What a worker says of an item it was given."""

    value: Any  # Any: what the function returned
    error: Exception | None
    worker: str
    seconds: float


def attempt(
    travels: bool,
    function: Callable[..., Any],  # Any: of the caller
    item: object,
    *parts: object,
) -> Attempt:
    """Call the function in a worker; what it raises is returned, so that engines do not see it.

    Args:
        travels: Whether what is returned goes to another process.
        function: Called with the item, and a view of the bytes of each part.
        item: The item.
        *parts: What was shared, as its handles; engines put in place of them what they sent.
    """
    begin = time.perf_counter()
    value: Any = None  # Any: as above
    error: Exception | None = None
    try:
        value = function(item, *[open_shared(part) for part in parts])
    except Exception as raised:  # noqa: BLE001 - whatever the function raises
        error = portable_error(raised) if travels else raised
    except SystemExit as left:
        error = portable_error(ParallelError(f"what was called ends with {left!r}"))
    return Attempt(value, error, worker_name(), time.perf_counter() - begin)


def portable_error(error: BaseException) -> Exception:
    """Return an error that can be pickled, with the traceback of this one as a note."""
    told = f"{_IN_WORKER}{worker_name()}:\n{''.join(traceback.format_exception(error)).rstrip()}"
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception as reason:  # noqa: BLE001 - whatever its class raises
        made = ParallelError(f"{type(error).__name__}: {error}")
        for note in notes_of(error):
            add_note(made, str(note))
        add_note(made, f"it stands for an error that cannot be pickled: {reason}")
        error = made
    if not isinstance(error, Exception):
        error = ParallelError(f"what was called ends with {error!r}")
    add_note(error, told)
    return error


_IN_WORKER: Final = "in worker "


def drop_trace(error: BaseException) -> None:
    """Take away the notes that are tracebacks of workers."""
    notes = [each for each in notes_of(error) if not str(each).startswith(_IN_WORKER)]
    vars(error)["__notes__"] = notes


def worker_name() -> str:
    """Return who this is: host and process, and the thread if it is not the main one.

    Example:
        >>> worker_name().count(":")
        1
    """
    place = f"{socket.gethostname()}:{os.getpid()}"
    thread = threading.current_thread()
    return place if thread is threading.main_thread() else f"{place}:{thread.name}"
