"""Whether calls, operators and functions have the attributes a pattern asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from relayish.ir.attrs import Attrs
from relayish.ir.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, Op
from relayish.ir.structural_equal import structural_equal
from relayish.op import registry
from relayish.op.registry import OpTable

_RELAY_NAMES: Final[Mapping[str, OpTable[Any]]] = {  # Any: each table has values of its own type
    "TOpPattern": registry.pattern,
    "TOpIsStateful": registry.stateful,
    "TNonComputational": registry.non_computational,
}
_TABLES: Final[Mapping[str, OpTable[Any]]] = {  # Any: as above
    **{table.name: table for table in vars(registry).values() if isinstance(table, OpTable)},
    **_RELAY_NAMES,
}


def has_attributes(expr: Expr, wanted: Attrs) -> bool:
    """Return whether ``expr`` is a call, an operator or a function with all of ``wanted``."""
    find = _FINDERS.get(type(expr))
    if find is None:
        return False
    for name, value in wanted.items():
        found = find(expr, name)
        if found is _NONE or not _same(found, value):
            return False
    return True


class _None:
    """What an attribute is that is not there."""


_NONE: Final = _None()


def _of_op(op: Op, name: str) -> object:
    table = _TABLES.get(name)
    return _NONE if table is None else table.get(op, _NONE)


def _of_call(call: Call, name: str) -> object:
    return _NONE if call.attrs is None else call.attrs.get(name, _NONE)


def _of_function(func: Function, name: str) -> object:
    return _NONE if func.attrs is None else func.attrs.get(name, _NONE)


_FINDERS: Final[dict[type[Node], Callable[[Any, str], object]]] = {  # Any: the kind it stands under
    Op: _of_op,
    Call: _of_call,
    Function: _of_function,
}


def _same(found: object, wanted: object) -> bool:
    if isinstance(found, tuple) and isinstance(wanted, (tuple, list)):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    if isinstance(found, Node) and isinstance(wanted, Node):
        return structural_equal(found, wanted)
    if isinstance(found, np.ndarray) or isinstance(wanted, np.ndarray):
        return bool(np.array_equal(np.asarray(found), np.asarray(wanted)))
    return bool(found == wanted)
