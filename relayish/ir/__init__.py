"""The ground of every language: nodes, roles and traits, scopes, comparison, storage, modules.

Scripts for TVM find here what they have from ``tvm.ir``, as ``relayish`` gives it.
"""

import sys as _sys
from importlib import import_module as _import_module
from typing import Any as _Any
from typing import Final as _Final

from relayish._support.absent import missing_name as _missing_name
from relayish._support.module_names import find_other as _find_other
from relayish._support.retired import find_retired as _find_retired
from relayish.ir import opcode as _opcode  # gives nodes their place among the operators
from relayish.ir import storage as _storage  # gives nodes their pickling and copying
from relayish.ir.structural_equal import (
    assert_structural_equal,
    get_first_structural_mismatch,
    structural_equal,
)
from relayish.ir.structural_hash import structural_hash

__all__ = [
    "assert_structural_equal",
    "get_first_structural_mismatch",
    "structural_equal",
    "structural_hash",
]

_OF_TVM: _Final = frozenset(
    {
        "Attrs",
        "Call",
        "Constructor",
        "DictAttrs",
        "FuncType",
        "GlobalTypeVar",
        "GlobalVarSupply",
        "NameSupply",
        "GlobalVar",
        "IRModule",
        "IncompleteType",
        "Node",
        "Op",
        "PrimExpr",
        "Span",
        "TensorType",
        "TupleType",
        "Type",
        "TypeCall",
        "TypeConstraint",
        "TypeData",
        "TypeKind",
        "TypeRelation",
        "TypeVar",
    }
)
_RENAMED: _Final = {"RelayExpr": "Expr", "RelayRefType": "RefType"}
_OF_OPERATORS: _Final = frozenset(
    {"TensorAffineType", "TupleAffineType", "make_node", "register_op_attr"}
)


def __getattr__(name: str) -> _Any:  # Any: whatever goes by the name
    if name in _OF_TVM or name in _RENAMED:
        return getattr(_sys.modules["relayish"], _RENAMED.get(name, name))
    if name in _OF_OPERATORS:
        return getattr(_sys.modules["relayish"].op, name)
    if name in ("instrument", "supply", "transform"):
        return _import_module(f"{__name__}.{name}")
    found = _find_other(__name__, name) or _find_retired(__name__, name)
    if found is not None:
        return found
    raise _missing_name(__name__, name, f"module {__name__!r} has no attribute {name!r}")


del _opcode, _storage
