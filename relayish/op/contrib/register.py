"""Pattern tables by the name of a compiler: what ``MergeComposite`` makes composites of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, overload

from relayish._support.arity import check_arity
from relayish.errors import UnknownNameError, suggest
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.op.declaration.names import check_name

PatternTable: TypeAlias = Sequence[Any]
"""``(name, pattern)`` or ``(name, pattern, check)``, each; patterns stand above this file."""

_TABLES: Final[ClaimedTable[str, Callable[[], PatternTable]]] = ClaimedTable(
    lambda compiler: f"compiler {compiler!r} has its pattern table already; it",
    "choose another name",
)

_Table: TypeAlias = Callable[[], PatternTable]


@overload
def register_pattern_table(compiler: str, table: None = None) -> Callable[[_Table], _Table]: ...
@overload
def register_pattern_table(compiler: str, table: _Table) -> _Table: ...
def register_pattern_table(
    compiler: str, table: _Table | None = None
) -> _Table | Callable[[_Table], _Table]:
    """Let ``table``, or the decorated function, give the patterns that ``compiler`` takes.

    Args:
        compiler: The name of a compiler, as for ``AnnotateTarget``.
        table: Called without arguments, each time it is asked for; returns what
            ``MergeComposite`` takes: a list of ``(name, pattern)`` or ``(name, pattern, check)``.

    Raises:
        DuplicateNameError: If somebody else gave the patterns of that compiler.

    Source:
        Relay ``op.contrib.register_pattern_table``.

    Example:
        >>> from relayish.dataflow_pattern import is_op, wildcard
        >>> @register_pattern_table("example")
        ... def patterns():
        ...     return [("example.relu", is_op("nn.relu")(wildcard()))]
        >>> [name for name, _ in get_pattern_table("example")]
        ['example.relu']
    """
    check_name(compiler)

    def declare(function: _Table) -> _Table:
        check_arity(function, (), f"the pattern table of {compiler!r}")
        _TABLES.register(compiler, function)
        return function

    return declare if table is None else declare(table)


def get_pattern_table(compiler: str) -> PatternTable:
    """Return the patterns that ``compiler`` takes, made anew.

    Raises:
        UnknownNameError: If nobody registered any.

    Source:
        Relay ``op.contrib.get_pattern_table``, which returns ``None`` then.
    """
    table = _TABLES.get(compiler)
    if table is None:
        raise UnknownNameError(
            f"nobody registered a pattern table for {compiler!r}{suggest(compiler, _TABLES)}; "
            f"relayish comes with none; use register_pattern_table({compiler!r})"
        )
    return table()
