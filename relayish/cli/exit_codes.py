"""Exit codes of the command line, the one table of them."""

from __future__ import annotations

from typing import Final

USAGE: Final = 2
INTERNAL: Final = 3
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
_ENDED: Final = 143

EXIT_CODES: Final = {
    0: "done",
    1: "check found the program wanting, bisect a pass at fault, optimize or compile that the "
    "result is not equal, or diff a difference",
    USAGE: "an error in what was given: arguments, pipeline, program, files",
    INTERNAL: "an unforeseen error, in a pass or in relayish (--traceback shows where)",
    INTERRUPTED: "interrupted (Ctrl-C)",
    PIPE_CLOSED: "whoever read the output stopped reading",
    _ENDED: "ended by a signal",
}
"""What each code says."""
