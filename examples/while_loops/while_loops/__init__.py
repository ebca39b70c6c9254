"""A loop, a log and a type of streams for Relay programs, declared outside of relayish.

``While`` repeats an expression as long as another holds; it has a type rule, a value, a text of its
own and a pass. ``Log`` notes what flows through it; it keeps the generic text. ``StreamType`` is a
type that nothing but its declaration is said of. Importing this package is all that is needed.
"""

from while_loops.drop_dead_loops import DropDeadLoops, drop_dead_loops
from while_loops.flow import SignAnalysis
from while_loops.kinds import Log, StreamType, While
from while_loops.meaning import logged
from while_loops.text import read_while, write_while

__all__ = [
    "DropDeadLoops",
    "Log",
    "SignAnalysis",
    "StreamType",
    "While",
    "drop_dead_loops",
    "logged",
    "read_while",
    "write_while",
]
