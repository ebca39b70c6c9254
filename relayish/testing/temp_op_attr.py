"""A property of an operator, changed for a while."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Generic, TypeVar

from relayish.errors import UnknownNameError, suggest
from relayish.ir.relay.expr import Op
from relayish.op.declaration.attribute_keys import find_table, known_keys
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import get_op

_T = TypeVar("_T")


class TempOpAttr(Generic[_T]):
    """Gives an operator a property inside a ``with`` block, and takes it back behind it.

    Args:
        op_name: The operator, or its name.
        table: The table of the property, or the key that TVM has for it (``TOpPattern``,
            ``target.dnnl``).
        value: What the property is inside the block.

    Raises:
        UnknownNameError: If there is no such operator or key, or several operators of the name.

    Source:
        Relay ``testing.temp_op_attr.TempOpAttr``.

    Example:
        >>> from relayish.op import properties
        >>> relu = get_op("nn.relu")
        >>> with TempOpAttr("nn.relu", properties.stateful, True):
        ...     properties.stateful.get(relu)
        True
        >>> properties.stateful.get(relu) is None
        True
    """

    def __init__(self, op_name: str | Op, table: OpTable[_T] | str, value: _T) -> None:
        self._op = get_op(op_name)
        self._table: OpTable[_T] = _find_table(table) if isinstance(table, str) else table
        self._value = value
        self._before: list[tuple[_T, int] | None] = []

    def __enter__(self) -> TempOpAttr[_T]:
        self._before.append(self._table.entry(self._op))
        self._table.set(self._op, self._value, replace=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._table.put_back(self._op, self._before.pop())


def _find_table(name: str) -> OpTable[Any]:  # Any: as above
    found = find_table(name)
    if found is None:
        raise UnknownNameError(
            f"no property of operators goes by {name!r}{suggest(name, known_keys())}; "
            f"give the table itself, as in relayish.op.declaration.properties.pattern"
        )
    return found
